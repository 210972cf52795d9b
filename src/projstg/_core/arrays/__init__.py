"""NumPy and torch arrays under one set of functions; functions of one variable as tables.

May import: nothing of the package but ``_compat``.
"""
