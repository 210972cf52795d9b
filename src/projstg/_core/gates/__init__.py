"""The paper: stochastic gates, their risk, and the ways to fit them.

May import: arrays, data, greedy.
"""
