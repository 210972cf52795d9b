"""Finding the best support of K columns under a criterion.

Columns that may not enter a support are *excluded*, members that may not leave it are *locked*.

May import: arrays, kernel, data, score.
"""
