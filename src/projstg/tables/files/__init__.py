"""Where a table comes from.

Files of every kind, whole or in pieces, several at once; frames and arrays.
"""
