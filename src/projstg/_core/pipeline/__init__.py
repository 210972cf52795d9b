"""The whole job for a batch of tables, with K given or from the data.

Gates and search meet here.

May import: all the other rooms of ``_core``.
"""
