"""Greedy searches: orthogonal matching pursuit, and its randomised form.

May import: arrays, kernel, data.
"""
