"""Finding the best support of K columns under a criterion.

May import: arrays, data, score.
"""
