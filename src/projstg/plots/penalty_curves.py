r"""The penalty of the gates, beside the lasso's, SCAD's and MCP's.

One column of mean square one with least-squares coefficient u: each method minimises
½(u − β)² + p(β). The scales are such that each sets what lies below one to zero:

    lasso   |β|
    SCAD    |β| to 1, (2a|β| − β² − 1)/(2(a − 1)) to a, then (a + 1)/2         a = 3.7
    MCP     |β| − β²/(2γ) to γ, then γ/2                                       γ = 3
    gates   ½ g(β²), at λ = 1
    count   ½ for any β but zero (best subsets)

The gates' penalty lies between MCP's at γ = 1, |β| − β²/2, and the count. The rule of both is hard
thresholding, so it is the gates' rule too, for every τ: the best gate is open if |u| > 1 and closed
if not. The other answer is still a *local* minimum on an interval around 1: open gates from
|u| = √t* on, closed gates up to |u| = √2. Near √2 the risk rises very little around the closed
gate, and for larger τ this begins at smaller |u|.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from .._core.gates.concave_penalty import gate_penalty
from ..render.palette import BLUE, GREEN, INK, MARK, ROSE
from ._axes import hide_frame, legend_above, new_axes

__all__ = ["CURVES", "Curve", "gate_cost", "hard_threshold", "plot_penalty"]

_A, _GAMMA = 3.7, 3.0
_FAR = 4.2


class Curve(NamedTuple):
    """A penalty and its rule, for β and u of any sign."""

    penalty: Callable[[np.ndarray], np.ndarray]
    threshold: Callable[[np.ndarray], np.ndarray]
    colour: str
    line: Any


def soft_threshold(u: np.ndarray) -> np.ndarray:
    """Return the lasso's rule: everything moves by one towards zero."""
    return np.sign(u) * np.maximum(np.abs(u) - 1.0, 0.0)


def hard_threshold(u: np.ndarray) -> np.ndarray:
    """Return the rule of best subsets, and of the gates: u as it is, or zero."""
    return np.where(np.abs(u) > 1.0, u, 0.0)


def scad_penalty(beta: np.ndarray) -> np.ndarray:
    """Return SCAD's penalty: the lasso's near zero, bending to a constant from a on."""
    size = np.abs(beta)
    bend = (2.0 * _A * size - size**2 - 1.0) / (2.0 * (_A - 1.0))
    return np.where(size <= 1.0, size, np.where(size <= _A, bend, 0.5 * (_A + 1.0)))


def scad_threshold(u: np.ndarray) -> np.ndarray:
    """Return SCAD's rule: soft up to 2, u itself from a on, a straight line between."""
    size = np.abs(u)
    between = ((_A - 1.0) * u - np.sign(u) * _A) / (_A - 2.0)
    return np.where(size <= 2.0, soft_threshold(u), np.where(size <= _A, between, u))


def mcp_penalty(beta: np.ndarray) -> np.ndarray:
    """Return MCP's penalty: bending from the start, a constant from γ on."""
    size = np.abs(beta)
    return np.where(size <= _GAMMA, size - size**2 / (2.0 * _GAMMA), 0.5 * _GAMMA)


def mcp_threshold(u: np.ndarray) -> np.ndarray:
    """Return MCP's rule: soft but steeper, u itself from γ on."""
    return np.where(np.abs(u) <= _GAMMA, soft_threshold(u) / (1.0 - 1.0 / _GAMMA), u)


def gate_cost(beta: np.ndarray, tau: float) -> np.ndarray:
    """Return the gates' penalty ½ g(β²)."""
    return 0.5 * gate_penalty(tau)(np.square(beta))


CURVES = {
    "lasso": Curve(np.abs, soft_threshold, GREEN, (0, (6, 2))),
    "SCAD, a = 3.7": Curve(scad_penalty, scad_threshold, BLUE, (0, (6, 2, 1.5, 2))),
    "MCP, γ = 3": Curve(mcp_penalty, mcp_threshold, ROSE, (0, (3, 1.5))),
}


def plot_penalty(tau: float = 0.5, *, ax: Any = None) -> Any:
    """Draw the gates' penalty and its thresholding rule beside lasso, SCAD and MCP.

    For one column of mean square one, with every method scaled such that it sets a least-squares
    coefficient below one to zero.

    Parameters
    ----------
    tau : float, default=0.5
        Standard deviation of the gates' noise.
    ax : pair of matplotlib Axes or None, default=None
        Where to draw the penalty and the rule; None makes a figure.

    Returns
    -------
    ax : ndarray or sequence of two matplotlib Axes
    """
    if ax is None:
        ax = new_axes(10.2, 4.8, n_columns=2)
    if np.size(ax) != 2:
        raise ValueError(
            f"ax={ax!r}; the penalty and its rule need two axes, such as plt.subplots(1, 2)[1]."
        )
    _draw_penalties(ax[0], float(tau))
    _draw_rules(ax[1], float(tau))
    for one in ax:
        hide_frame(one)
        legend_above(one, n_columns=2)
    return ax


def _draw_penalties(ax: Any, tau: float) -> None:
    size = np.linspace(0.0, _FAR, 1201)
    for label, curve in CURVES.items():
        ax.plot(size, curve.penalty(size), color=curve.colour, ls=curve.line, label=label)
    ax.plot(size, gate_cost(size, tau), color=MARK, lw=2.6, label=f"gates, τ = {tau:g}")
    count = "best subsets (a count)"
    ax.plot([0.0, _FAR], [0.5, 0.5], color=INK, ls=":", lw=1.3, label=count, zorder=1)
    ax.set(xlim=(0.0, _FAR), ylim=(0.0, 2.6))
    ax.set_xlabel("size of the coefficient, |β|")
    ax.set_ylabel("penalty")


def _draw_rules(ax: Any, tau: float) -> None:
    u = np.linspace(0.0, _FAR, 1201)
    for label, curve in CURVES.items():
        ax.plot(u, curve.threshold(u), color=curve.colour, ls=curve.line, label=label)
    # Hard thresholding jumps: two lines and a gap.
    jump = [[0.0, 1.0, np.nan, 1.0, _FAR], [0.0, 0.0, np.nan, 1.0, _FAR]]
    ax.plot(*jump, color=MARK, lw=2.6, label="gates and best subsets")
    lasts = float(np.sqrt(gate_penalty(tau).threshold))
    also = np.asarray([[lasts, 1.0, np.nan, 1.0, np.sqrt(2.0)], [lasts, 1.0, np.nan, 0.0, 0.0]])
    wide = {"lw": 7.0, "alpha": 0.3, "solid_capstyle": "butt"}
    ax.plot(*also, color=MARK, label="gates: also a local minimum", zorder=1, **wide)
    ax.set(xlim=(0.0, _FAR), ylim=(-0.15, _FAR))
    ax.set_xlabel("least-squares coefficient, u")
    ax.set_ylabel("coefficient after the penalty, β")
