"""How sure the answer is: probabilities of supports, columns and sizes; averaged effects.

May import: arrays, data, score, search.
"""
