"""How sure the answer is: probabilities of supports, columns, groups and sizes; averaged effects.

May import: arrays, kernel, data, score, search.
"""
