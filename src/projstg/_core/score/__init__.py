"""How good a support is, and its neighbours: criteria, tableaux, the prior over supports.

May import: arrays, data.
"""
