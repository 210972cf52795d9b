"""The colours of all figures.

Most are Okabe and Ito's and Tol's, which can be told apart with the common kinds of colour
blindness. A colour that means the same in all figures is explained here, any other where it is
used.
"""

from __future__ import annotations

INK = "#222222"
"""Axes, limits, text: one dark colour."""
WHITE, BLACK, GREY_4, GREY_7, GREY_8 = "#ffffff", "#000000", "#444444", "#777777", "#888888"
GRID = "#e6e6e6"

# Okabe and Ito.
BLUE, VERMILION, GREEN, ROSE = "#0072B2", "#D55E00", "#009E73", "#CC79A7"
ORANGE, SKY = "#E69F00", "#56B4E9"

# Tol, of several of his schemes.
RED, BRICK, WINE, BROWN = "#EE6677", "#BB5566", "#882255", "#661100"
FOREST, TEAL, OLIVE, SAND = "#117733", "#44AA99", "#999933", "#DDAA33"
INDIGO, NAVY, STEEL, PURPLE = "#332288", "#004488", "#6699CC", "#AA4499"

# Ours, for where more than those are needed.
MUSTARD, COPPER, PALE_BLUE, MIDNIGHT = "#B8A100", "#A05A2C", "#7fb3d9", "#0b2e4f"

CHOSEN, OTHER, MARK = BLUE, "#b8b8b8", VERMILION
"""A column that was chosen, one that was not, and what is to be seen first."""
FAINT, BEHIND = "#dddddd", "#d8e6f0"
"""A place where something could be, and bars behind curves."""

SUCCESS, OPTIMISATION_FAILURE, STATISTICAL_FAILURE = "#e3eef7", "#b5473c", "#c2c2c2"
"""The outcome of a problem; these colours differ in grey, too."""
