"""Tables as least-squares problems: sums, standardising, forced columns, least squares.

May import: arrays, kernel.
"""
