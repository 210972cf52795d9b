"""Files that do not fit into memory: their pieces are read a few times from end to end.

The first pass learns what each column is, the last one sums over the rows. What is said of a table
in memory is said of them, by the same functions; only columns that are not plain numbers are held.
"""
