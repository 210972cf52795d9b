"""NumPy and torch arrays under one set of functions.

May import: nothing of the package.
"""
