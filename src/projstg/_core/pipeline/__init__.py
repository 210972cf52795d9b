"""The whole job, with K given or from the data.

Gates and search meet here.

May import: all the other rooms of ``_core``.
"""
