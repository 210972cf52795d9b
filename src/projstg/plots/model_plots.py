"""Pictures of one answer: its gates, and how likely each column and each support is."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..render.figure_text import names_down_the_side
from ..render.palette import CHOSEN, FAINT, INK, OTHER
from ._axes import hide_frame, learned, legend_above, new_axes, plain_names, shown_count

__all__ = ["plot_gates", "plot_groups", "plot_inclusion"]

# x of the first alternative, beside bars that end at 1, and the distance between two.
_FIRST_ALTERNATIVE, _BETWEEN = 1.16, 0.115
_REMEDY = (
    'fit with refine=True, probabilities=True and n_features_to_select="auto" or a number, on '
    "enough rows"
)
# Shorter bars cannot be seen.
_VISIBLE = 0.01


def plot_gates(model: Any, *, ax: Any = None, feature_names: Any = None, top_n: int = 20) -> Any:
    """Draw how far open the gates are: first of the selected columns, then of the others in order.

    A selected column may have a closed gate: then the search after the gates chose it.

    Parameters
    ----------
    model : fitted ProjectedSTG, ProjectedSTGCV or STG
    ax : matplotlib Axes or None, default=None
        Where to draw; None makes a figure.
    feature_names : sequence of str or None, default=None
        Names of the columns; None takes those of the table the model was fitted to.
    top_n : int, default=20
        The most columns to show.

    Returns
    -------
    ax : matplotlib Axes
    """
    gates = np.asarray(learned(model, "gate_mean_", "fit a ProjectedSTG or STG first"))
    names = plain_names(model, feature_names, gates.size)
    order = np.lexsort((-np.abs(model.gated_coef_), -gates, ~model.support_))
    shown = _worth_showing(gates, order, model.support_, shown_count(top_n))
    ax = new_axes(6.4, 1.5 + 0.24 * shown.size) if ax is None else ax
    _bars(ax, gates, shown, model.support_, names)
    ax.set_xlim(0.0, 1.0)
    ax.set_xlabel("how far open the gate is on average, E[z]")
    hide_frame(ax)
    legend_above(ax)
    return ax


def plot_inclusion(
    model: Any,
    *,
    ax: Any = None,
    feature_names: Any = None,
    top_n: int = 20,
    n_alternatives: int = 6,
) -> Any:
    """Draw the probability of each column, and beside it the likeliest supports.

    Each support is a column of dots, one for each of its members, above its probability. A column
    of X that is in all supports is sure; columns that are in some of them replace one another.

    Parameters
    ----------
    model : fitted ProjectedSTG
        With ``inclusion_probability_`` and ``alternatives_``, that is, with a search.
    ax : matplotlib Axes or None, default=None
        Where to draw; None makes a figure.
    feature_names : sequence of str or None, default=None
        Names of the columns; None takes those of the table the model was fitted to.
    top_n : int, default=20
        The most columns to show, the likeliest.
    n_alternatives : int, default=6
        The most supports to show; 0 draws the bars alone.

    Returns
    -------
    ax : matplotlib Axes
    """
    inclusion = np.asarray(learned(model, "inclusion_probability_", _REMEDY))
    names = plain_names(model, feature_names, inclusion.size)
    supports = _alternatives(model)[:n_alternatives]
    needed = np.isin(np.arange(inclusion.size), [d for members, _ in supports for d in members])
    order = np.lexsort((~model.support_, -inclusion))
    shown = _worth_showing(inclusion, order, model.support_ | needed, shown_count(top_n))
    if ax is None:
        ax = new_axes(5.6 + 0.42 * len(supports), 1.7 + 0.24 * shown.size)
    _bars(ax, inclusion, shown, model.support_, names)
    ax.set_xlim(0.0, 1.0)
    ax.set_xlabel("bars: probability that the column is a right one")
    _dots(ax, supports, shown, set(np.flatnonzero(model.support_).tolist()))
    hide_frame(ax)
    legend_above(ax)
    return ax


def plot_groups(
    model: Any,
    *,
    level: float = 0.95,
    ax: Any = None,
    feature_names: Any = None,
    top_n: int = 30,
) -> Any:
    """Draw groups of columns of which at least one belongs, and which of them it may be.

    Each bar is the share of a column in its group. Beside a group stands how likely at least one
    of its columns is to be a right one.

    Parameters
    ----------
    model : fitted ProjectedSTG
        With :meth:`~projstg.ProjectedSTG.credible_groups`, that is, with a search.
    level : float, default=0.95
        How likely at least one column of each group must be.
    ax : matplotlib Axes or None, default=None
        Where to draw; None makes a figure.
    feature_names : sequence of str or None, default=None
        Names of the columns; None takes those of the table the model was fitted to.
    top_n : int, default=30
        The most columns to show: whole groups, the smallest first.

    Returns
    -------
    ax : matplotlib Axes
    """
    n_features = len(learned(model, "inclusion_probability_", _REMEDY))
    names, place = plain_names(model, feature_names, n_features), _places(model)
    found = model.credible_groups(level)
    every = [(group, [place[name] for name in group.features]) for group in found]
    ends = np.cumsum([len(members) for _, members in every])
    groups = every[: int(np.sum(ends <= shown_count(top_n)))]
    left = len(every) - len(groups)
    members = np.asarray([d for _, own in groups for d in own], dtype=np.int64)
    ax = new_axes(6.4, 1.7 + 0.24 * max(members.size, 1)) if ax is None else ax
    shares = np.zeros(n_features)
    for group, own in groups:
        shares[own] = group.shares
    _bars(ax, shares, members, model.support_, names, "in no group" if not left else "not shown")
    first = 0
    for group, own in groups:
        last = first + len(own) - 1
        ax.plot([1.03, 1.03], [first - 0.36, last + 0.36], color=INK, lw=1.2, clip_on=False)
        said = f"{group.probability:.2f}" if group.probability < 0.995 else "> 0.99"
        ax.text(1.05, 0.5 * (first + last), said, va="center", clip_on=False)
        first = last + 1
    ax.set_xlim(0.0, 1.0)
    more = f"; {left} more group{'s' * (left > 1)} not shown" if left else ""
    ax.set_xlabel(f"share in its group; beside it: P(at least one belongs){more}")
    hide_frame(ax)
    legend_above(ax)
    return ax


def _worth_showing(
    values: np.ndarray, order: np.ndarray, is_needed: np.ndarray, top_n: int
) -> np.ndarray:
    """Return the first columns in ``order``, those with a visible bar or that are needed."""
    return order[(values[order] >= _VISIBLE) | is_needed[order]][:top_n]


def _bars(
    ax: Any,
    values: np.ndarray,
    shown: np.ndarray,
    is_selected: np.ndarray,
    names: list[str],
    others: str = "at most {:.2g}",
) -> None:
    """Draw one bar for each of the columns shown, in two colours, and say what was left out."""
    place = np.arange(shown.size)
    for colour, label, which in (
        (CHOSEN, "selected", is_selected[shown]),
        (OTHER, "not selected", ~is_selected[shown]),
    ):
        if which.any():
            ax.barh(place[which], values[shown][which], color=colour, label=label, height=0.72)
    labels = [names[d] for d in shown]
    rest = np.delete(values, shown)
    if rest.size:
        most = np.ceil(100.0 * rest.max()) / 100.0
        labels.append(f"{rest.size} other{'s' * (rest.size > 1)}, {others.format(most)}")
    names_down_the_side(ax, labels)


def _alternatives(model: Any) -> list[tuple[set[int], float]]:
    """Return the alternatives by index, whatever the model calls its columns."""
    place = _places(model)
    return [({place[name] for name in members}, p) for members, p in model.alternatives_]


def _places(model: Any) -> dict[Any, int]:
    """Return the index of each column by what the model calls it."""
    names = getattr(model, "feature_names_in_", np.arange(model.n_features_in_))
    return {name: i for i, name in enumerate(names.tolist())}


def _dots(
    ax: Any, supports: list[tuple[set[int], float]], shown: np.ndarray, selected: set[int]
) -> None:
    """Draw supports as columns of dots to the right of the bars, over their probabilities."""
    if not supports:
        return
    at = _FIRST_ALTERNATIVE + _BETWEEN * np.arange(len(supports))
    place, labels = np.arange(shown.size), []
    for x, (members, probability) in zip(at, supports, strict=True):
        is_member = np.isin(shown, list(members))
        ax.plot(np.full(shown.size, x), place, "o", ms=3.0, color=FAINT)
        colour = CHOSEN if members == selected else INK
        ax.plot(np.full(is_member.sum(), x), place[is_member], "o", ms=6.0, color=colour)
        beyond = len(members) - int(is_member.sum())
        label = f"{probability:.2f}" if probability >= 0.005 else "< 0.01"
        labels.append(label + (f", {beyond} not shown" if beyond else ""))
    ax.axvline(1.0, color=INK, lw=0.8)
    ax.set_xlim(0.0, at[-1] + 0.5 * _BETWEEN)
    ax.spines["bottom"].set_bounds(0.0, 1.0)
    shares = [0.0, 0.5, 1.0]
    ax.set_xticks([*shares, *at], labels=[*(f"{share:g}" for share in shares), *labels])
    for tick in ax.xaxis.get_major_ticks()[len(shares) :]:
        tick.tick1line.set_visible(False)
        tick.label1.set_rotation(90.0)
    ax.set_xlabel(ax.get_xlabel() + "\ndots: the likeliest supports and their probabilities")
