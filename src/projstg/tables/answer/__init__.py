"""How the answer is found.

Choose, check on rows left out, try other sizes, and look for what may be wrong.
"""
