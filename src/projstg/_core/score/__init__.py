"""How good a support is, and every support one column away; the prior over supports.

``criterion`` has the formula, ``tableau`` the state of a support, ``updates`` its neighbours,
``neighbours`` their scores.

May import: arrays, data.
"""
