"""How good a support is, and every support one column away; the prior over supports.

``prior`` has the prior of supports, ``criterion`` the formula of a score, ``dilution`` the part of
the prior against repeated columns, ``tableau`` the closed forms of one support, ``updates`` the
fits of all supports one column away, ``neighbours`` their scores.

May import: arrays, data.
"""
