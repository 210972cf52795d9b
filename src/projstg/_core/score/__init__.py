"""How good a support is, and every support one column away; the prior over supports.

``criterion`` says what counts in a score, ``evidence`` has the formula, ``prior`` the prior of
supports, ``dilution`` its part against repeated columns, ``tableau`` the closed forms of one
support, ``updates`` the fits of all supports one column away, ``neighbours`` their scores,
``scored_supports`` the scores of any supports, ``shrunk`` the coefficients of a support, and
``compiled`` problems and criteria as the kernel takes them.

May import: arrays, kernel, data.
"""
