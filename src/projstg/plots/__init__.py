"""Pictures of an answer, of the way to it, and of the penalty behind it.

Each takes something fitted and, on request, Matplotlib's Axes and the names of the columns, and
returns the axes; nothing else of Matplotlib's state is touched. Without axes a figure is made.
"""

from .model_plots import plot_gates, plot_inclusion
from .path_plots import plot_alpha_path, plot_size_path, plot_stability_path
from .penalty_curves import plot_penalty

__all__ = [
    "plot_alpha_path",
    "plot_gates",
    "plot_inclusion",
    "plot_penalty",
    "plot_size_path",
    "plot_stability_path",
]
