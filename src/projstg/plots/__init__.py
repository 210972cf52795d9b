"""Pictures of fitted models, of paths, and of the penalty of the gates.

Each function takes something fitted and, if wanted, Matplotlib's Axes and the names of the columns,
and returns the axes. Without axes it makes a figure. No other state of Matplotlib is changed.
"""

from .model_plots import plot_gates, plot_groups, plot_inclusion
from .path_plots import plot_alpha_path, plot_size_path, plot_stability_path
from .penalty_curves import plot_penalty

__all__ = [
    "plot_alpha_path",
    "plot_gates",
    "plot_groups",
    "plot_inclusion",
    "plot_penalty",
    "plot_size_path",
    "plot_stability_path",
]
