"""How good a support is, and every support one column away; the prior over supports.

``criterion`` has the formula, ``tableau`` the closed forms of one support, ``updates`` the fits of
all supports one column away, ``neighbours`` their scores.

May import: arrays, data.
"""
