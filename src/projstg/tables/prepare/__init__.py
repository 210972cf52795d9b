"""From columns to numbers that can be fitted.

Roles of columns, levels of text, missing values; and the recipe to do the same to another table.
"""
