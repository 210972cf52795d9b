"""The whole job for a batch of tables: gates, search, posterior and least squares.

May import: all the other rooms.
"""
