"""Pictures of an answer, of the way to it, and of the penalty behind it.

Each takes something fitted and, on request, Matplotlib's Axes and the names of the columns, and
returns the axes; nothing else of Matplotlib's state is touched. Without axes a figure is made.
"""

from .models import plot_gates, plot_inclusion
from .paths import plot_alpha_path, plot_size_path, plot_stability_path
from .penalty import plot_penalty

__all__ = [
    "plot_alpha_path",
    "plot_gates",
    "plot_inclusion",
    "plot_penalty",
    "plot_size_path",
    "plot_stability_path",
]
