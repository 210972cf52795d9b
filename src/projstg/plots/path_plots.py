"""Pictures of paths: along λ, along the number of columns, and how stable the choices are."""

from __future__ import annotations

from typing import Any

import numpy as np

from .._core.score.prior import log_supports
from ..render.palette import BEHIND, CHOSEN, INK, MARK, OTHER
from ._axes import (
    hide_frame,
    learned,
    legend_above,
    legend_beside,
    line_look,
    new_axes,
    plain_names,
    shown_count,
)

__all__ = ["plot_alpha_path", "plot_size_path", "plot_stability_path"]

# Sizes less likely than this at either end are not drawn.
_UNLIKELY = 1e-3


def plot_alpha_path(path: Any, *, ax: Any = None, feature_names: Any = None, top_n: int = 8) -> Any:
    """Draw the coefficients behind the gates as the price λ of an open gate falls.

    The lines are θ ⊙ clip(μ, 0, 1), the paper's estimate, times the standard deviation of each
    column: the change of y for one standard deviation, so that columns in different units can be
    compared. The numbers along the top say how many columns are selected.

    Parameters
    ----------
    path : SupportPath
        What ``projected_stg_path(X, y)`` returned.
    ax : matplotlib Axes or None, default=None
        Where to draw; None makes a figure.
    feature_names : sequence of str or None, default=None
        Names of the columns; None takes those of the table the path was made from.
    top_n : int, default=8
        The most columns to name, those selected over the longest part of the path; the others are
        grey.

    Returns
    -------
    ax : matplotlib Axes
    """
    if getattr(path, "over", None) != "alpha":
        raise ValueError(
            "this picture is of a path over λ, as projected_stg_path(X, y) returns it; for one "
            "over sizes call plot_size_path."
        )
    coef = path.gated_coef_path_ * path.feature_std_
    names = plain_names(path, feature_names, coef.shape[1])
    ax = new_axes(7.6, 4.4) if ax is None else ax
    weight = path.support_path_.sum(axis=0)
    _lines(ax, path.alphas, _without_rest(coef), weight, names, shown_count(top_n))
    ax.axhline(0.0, color=INK, lw=0.8, zorder=1)
    ax.set_xscale("log")
    ax.invert_xaxis()
    ax.set_xlabel("price λ of an open gate, falling to the right")
    ax.set_ylabel("coefficient × standard deviation of its column")
    _counts_along_the_top(ax, path)
    hide_frame(ax)
    legend_beside(ax)
    return ax


def plot_size_path(
    found: Any, *, model: Any = None, ax: Any = None, count_supports: bool = True
) -> Any:
    """Draw the score, probability or error of each number of columns, with the choice marked.

    For a path over sizes: the score of the best support of each size, and that score plus
    2 log C(D, K), which counts the supports of that size. The smallest sum is the choice. For a
    model whose size was chosen from the data: the probability of each size. The choice is
    the number of columns selected, which need not be the likeliest. For a cross-validated model:
    the error.

    Parameters
    ----------
    found : SupportPath, or fitted ProjectedSTG or ProjectedSTGCV
        What ``projected_stg_path(X, y, sizes=…)`` returned, a model with ``size_probability_``, or
        one with ``cv_error_mean_`` over several sizes.
    model : fitted ProjectedSTG or None, default=None
        With a path: mark the choice of this model instead, and draw its ``size_probability_``
        behind the path.
    ax : matplotlib Axes or None, default=None
        Where to draw; None makes a figure.
    count_supports : bool, default=True
        With a path: whether to draw the sum with 2 log C(D, K) too. Pass False for paths with
        ``criterion="least-squares"`` or ``refine=False``, whose scores cannot be compared across
        sizes; then no choice is marked but that of ``model``.

    Returns
    -------
    ax : matplotlib Axes
    """
    ax = new_axes(6.4, 4.2) if ax is None else ax
    if getattr(found, "over", None) == "size":
        _draw_scores(ax, found, model, count_supports)
    elif getattr(found, "cv_error_mean_", None) is not None:
        _draw_errors(ax, found)
    elif getattr(found, "over", None) is None:
        _draw_size_probability(ax, found)
    else:
        raise ValueError("this path is over λ; call plot_alpha_path, or make one with sizes=.")
    ax.set_xlabel("number of columns")
    ax.xaxis.get_major_locator().set_params(integer=True)
    ax.spines["top"].set_visible(False)
    legend_above(ax, n_columns=2)
    return ax


def plot_stability_path(
    selector: Any, *, ax: Any = None, feature_names: Any = None, top_n: int = 8
) -> Any:
    """Draw the share of halves that select each column, as more columns are asked for.

    Parameters
    ----------
    selector : fitted StabilitySelector
        With ``sizes``, and so with ``stability_path_``.
    ax : matplotlib Axes or None, default=None
        Where to draw; None makes a figure.
    feature_names : sequence of str or None, default=None
        Names of the columns; None takes those of the table the selector was fitted to.
    top_n : int, default=8
        The most columns to name, those selected most often; the others are grey.

    Returns
    -------
    ax : matplotlib Axes
    """
    shares = np.asarray(learned(selector, "stability_path_", "fit with sizes=range(1, 11), say"))
    names = plain_names(selector, feature_names, shares.shape[1])
    ax = new_axes(7.6, 4.4) if ax is None else ax
    _lines(
        ax, np.asarray(list(selector.sizes)), shares, shares.sum(axis=0), names, shown_count(top_n)
    )
    words = f"threshold {selector.threshold_:.2f}"
    ax.axhline(selector.threshold_, color=INK, ls="--", lw=1.2, label=words, zorder=1)
    ax.set_ylim(-0.02, 1.02)
    ax.xaxis.get_major_locator().set_params(integer=True)
    ax.set_xlabel("number of columns asked for in each half")
    ax.set_ylabel("share of halves that select the column")
    hide_frame(ax)
    legend_beside(ax)
    return ax


def _lines(
    ax: Any, x: np.ndarray, values: np.ndarray, weight: np.ndarray, names: list[str], top_n: int
) -> None:
    """Draw columns of values (points, D) over x: those of largest weight named, others in grey."""
    order = np.argsort(-weight, kind="stable")
    order = order[weight[order] > 0]
    if order.size > top_n:
        ax.plot(x, values[:, order[top_n]], color=OTHER, lw=0.9, label="other columns")
        ax.plot(x, values[:, order[top_n + 1 :]], color=OTHER, lw=0.9)
    for i, d in enumerate(order[:top_n]):
        ax.plot(x, values[:, d], label=names[d], **line_look(i).keywords())


def _without_rest(coef: np.ndarray) -> np.ndarray:
    """Return a path with NaN where a column is out, except next to points where it is in."""
    is_in = np.pad(coef != 0.0, ((1, 1), (0, 0)))
    return np.where(is_in[:-2] | is_in[1:-1] | is_in[2:], coef, np.nan)


def _counts_along_the_top(ax: Any, path: Any) -> None:
    """Write how many columns are selected at about ten of the prices."""
    step = max(len(path.alphas) // 10, 1)
    for alpha, size in zip(path.alphas[::step], path.sizes[::step], strict=True):
        ax.text(
            alpha,
            1.01,
            str(int(size)),
            ha="center",
            va="bottom",
            fontsize="small",
            transform=ax.get_xaxis_transform(),
        )
    ax.set_title("number of selected columns", fontsize="small", pad=18.0)


def _mark(ax: Any, size: float, words: str) -> None:
    ax.axvline(size, color=MARK, lw=1.2, ls="--", label=words, zorder=1)


def _draw_scores(ax: Any, path: Any, model: Any, count_supports: bool) -> None:
    n_features = path.support_path_.shape[1]
    number = 2.0 * log_supports(n_features, path.sizes.astype(float))
    score = path.objective_path_ - path.objective_path_.min()
    label = "score of the best support"
    ax.plot(path.sizes, score, "o-" if not count_supports else "o:", color=CHOSEN, label=label)
    if count_supports:
        total = path.objective_path_ + number
        total = total - total.min()
        label = "the same, with the number of supports counted"
        ax.plot(path.sizes, total, "s-", color=INK, label=label)
        if model is None:
            _mark(ax, path.sizes[np.argmin(total)], "choice")
    ax.set_ylabel("score above the best, lower is better")
    if model is None:
        ax.spines["right"].set_visible(False)
        return
    _mark(ax, int(np.sum(model.support_)), "choice")
    beside = ax.twinx()
    beside.set_zorder(ax.get_zorder() - 1)
    ax.patch.set_visible(False)
    known = np.asarray(learned(model, "size_probability_", 'fit with n_features_to_select="auto"'))
    beside.bar(np.arange(known.size), known, color=BEHIND, width=0.7)
    beside.set_ylim(0.0, 1.0)
    beside.set_ylabel("bars: probability of the size")
    beside.spines["top"].set_visible(False)
    ax.set_xlim(path.sizes[0] - 0.6, path.sizes[-1] + 0.6)


def _draw_size_probability(ax: Any, model: Any) -> None:
    remedy = 'fit with n_features_to_select="auto" and selection="evidence"'
    known = np.asarray(learned(model, "size_probability_", remedy))
    sizes, chosen = np.arange(known.size), int(np.sum(model.support_))
    likely = np.flatnonzero((known > _UNLIKELY) | (sizes == chosen))
    sizes = sizes[max(likely[0] - 1, 0) : likely[-1] + 2]
    for colour, label, which in (
        (CHOSEN, "choice", sizes == chosen),
        (OTHER, "other sizes", sizes != chosen),
    ):
        if which.any():
            ax.bar(sizes[which], known[sizes[which]], color=colour, label=label, width=0.72)
    ax.set_ylim(0.0, 1.0)
    ax.set_ylabel("probability of the size")
    ax.spines["right"].set_visible(False)


def _draw_errors(ax: Any, model: Any) -> None:
    """Draw the cross-validated error of each size, with its best C where there were several."""
    places = learned(model, "sizes_", "cross-validate with sizes=range(1, 11), say")
    sizes = np.unique(places)
    mean, std = np.asarray(model.cv_error_mean_), np.asarray(model.cv_error_std_)
    best = [np.flatnonzero(places == k)[np.argmin(mean[places == k])] for k in sizes]
    error = std[best] / np.sqrt(model.cv_error_path_.shape[1])
    label = "mean over folds, ± one standard error"
    ax.errorbar(sizes, mean[best], error, fmt="o-", color=CHOSEN, capsize=2.5, label=label)
    _mark(ax, model.n_features_to_select_, "choice")
    ax.set_ylabel("mean squared error on rows left out")
    ax.spines["right"].set_visible(False)
