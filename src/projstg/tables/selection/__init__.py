"""The answer as an object.

What it says, how sure each column is, its picture, and predictions for other tables.
"""
