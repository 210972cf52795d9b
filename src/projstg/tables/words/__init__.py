"""What a person asks of a table, and is told about it.

The question, names of columns, notes and errors.
"""
