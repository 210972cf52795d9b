"""The paper: stochastic gates, their risk, the ways to fit them, and the rule for λ.

May import: arrays, kernel, data, greedy.
"""
