"""From cells to columns.

How a file writes numbers, what is text, a date or a code, and what fits into memory.
"""
