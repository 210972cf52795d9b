r"""How many columns? The size whose best support is the likeliest of all.

The prior is uniform over the sizes 0 … K_max and over the supports of one size, so that a support
of K columns starts with −log of their number, log C(D, K): among many columns a match by chance is
no surprise. A ladder of sizes is searched first, each rung with a few starts, until three in a row
have been worse than the best. From what was found the posterior goes on to supports one column
larger or smaller, best first, and the size of the likeliest is proposed.

The proposal is then searched in full by the caller, and stands if the posterior, begun from that
search too, still finds its likeliest support among those of that size.

Information criteria look at the best support of every size instead:

    BIC   ν log(rss/ν) + K log ν          EBIC   … + K log ν + 2 log C(D, K)
    GIC   ν log(rss/ν) + K log(D) log log ν

D (at least two in the GIC) and K count the columns that may be selected, without those that must.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from .backend import to_numpy
from .evidence import CRITERIA, Criterion, support_scores
from .ledger import Optima
from .posterior import log_supports, n_selectable
from .pursuit import forward_selection
from .refine import refine
from .spectrum import on_rows, spectrum
from .statistics import Problem, RowQuadratic

__all__ = ["SELECTIONS", "information_size", "ladder", "largest_size"]

# The ladder: its rungs, then each by so much larger; what is spent on one, and kept of it; and how
# many in a row may be worse than the best.
_FIRST_RUNGS = (1, 3, 5, 8, 10, 12, 15)
_GROWTH = 1.3
_FEW_STARTS = 22
_KEPT = 20
_MOST_WORSE = 3
# Information criteria count on many rows for each column, and fail where a fit has few to spare: a
# third of the rows is the most. So many sizes in a row may be worse than the best before they stop.
_ROWS_FOR_EACH, _PATIENCE = 3, 12
_MOST = 200
# Of more rows and columns than this nobody asks for the rank; less of yᵀy than this is no error.
_MOST_FOR_RANK, _UNKNOWN, _NO_ERROR = 600, 10**9, 1e-10

SELECTIONS = ("evidence", "ebic", "bic", "gic")


def largest_size(problem: Problem, n_free: int) -> int:
    """Return K_max of one problem: two rows are left over, not counting copies of others.

    Repeated rows count in the degrees of freedom, but so many columns as there are different rows
    fit them without error, and every such support would look certain.
    """
    most = int(float(np.max(to_numpy(problem.degrees_of_freedom))) + 1e-6)
    return max(min(n_free, min(most, _perfect_size(problem)) - 2, _MOST), 0)


def _perfect_size(problem: Problem) -> int:
    """Return how many columns fit any y on these rows without error, or a large number.

    The latter where the columns together leave an error, or fit y with rows to spare (y is then
    no match by chance), or the table is too large to say.
    """
    n_columns = problem.b.shape[-1]
    if isinstance(problem, RowQuadratic) and problem.X.shape[-2] < n_columns:
        is_large, look = problem.X.shape[-2] > _MOST_FOR_RANK, _rank_of_rows
    else:
        is_large, look = n_columns > _MOST_FOR_RANK, _rank_of_columns
    if is_large:
        return _UNKNOWN
    rank, error = look(problem)
    has_error = error > _NO_ERROR * float(to_numpy(problem.yy)[0])
    return _UNKNOWN if has_error or _has_more_rows(problem, rank) else rank


def _has_more_rows(problem: Problem, rank: int) -> bool:
    """Return whether there are more different rows than columns and means can fit."""
    n, dof = (float(to_numpy(one)[0]) for one in (problem.n, problem.degrees_of_freedom))
    most = rank + round(n - dof)
    return n > most if problem.source is None else problem.source.has_more_rows(0, most)


def _rank_of_columns(problem: Problem) -> tuple[int, float]:
    """Return the rank of X and what all columns leave of yᵀy."""
    found = spectrum(to_numpy(problem.gram.G), to_numpy(problem.b), to_numpy(problem.yy))
    every = np.arange(problem.b.shape[-1])[None]
    found = on_rows(problem, np.zeros(1, dtype=np.int64), every, found)
    return int(np.sum(found.values > 0.0)), float(found.rss[0])


def _rank_of_rows(problem: Any) -> tuple[int, float]:
    """Return the same from XXᵀ, the smaller matrix where X is wide."""
    X, y = to_numpy(problem.X)[0], to_numpy(problem.y)[0]
    found = spectrum(X @ X.T, X @ (X.T @ y), y @ y)
    inside = (y @ found.vectors)[found.values > 0.0]
    return inside.size, float(y @ y - inside @ inside)


def ladder(
    problem: Problem, criterion: str, k_max: int, always: np.ndarray, never: np.ndarray, seed: int
) -> list[Optima]:
    """Return what a quick search finds at one size after another, for one problem."""
    n_locked = int(np.sum(always))
    n_free = n_selectable(always, never)
    found: list[Optima] = []
    lowest, n_worse = np.inf, 0
    for k in _rungs(n_locked, k_max):
        rung = refine(
            problem,
            k,
            starts=_greedy(problem, k) if n_locked == 0 and not never.any() else None,
            generators=[np.random.default_rng([seed, k])],
            criterion=criterion,
            n_starts=_FEW_STARTS,
            always=always,
            never=never,
        )
        own = rung.optima[0]
        found.append(Optima(own.supports[:_KEPT], own.scores[:_KEPT]))
        choices = log_supports(n_free - n_locked, np.asarray([float(k - n_locked)]))[0]
        cost = float(rung.objective[0]) + 2.0 * choices
        n_worse = 0 if cost < lowest else n_worse + 1
        lowest = min(lowest, cost)
        if n_worse == _MOST_WORSE:
            break
    return found


def _rungs(n_locked: int, k_max: int) -> list[int]:
    """Return the sizes that are tried, closer together where they are small."""
    rungs, k = [n_locked], 0.0
    while n_locked + int(k) < k_max:
        step = len(rungs) - 1
        k = _FIRST_RUNGS[step] if step < len(_FIRST_RUNGS) else k * _GROWTH
        rungs.append(min(n_locked + int(k), k_max))
    return rungs


def _greedy(problem: Problem, k: int) -> np.ndarray | None:
    """Return the greedy support of k columns as a start, (1, 1, k)."""
    if k == 0:
        return None
    order = to_numpy(forward_selection(problem, k).order)
    return order[:, None, :] if np.unique(order[0]).size == k else None


def information_size(
    problem: Problem,
    name: str,
    search: Callable[[int], np.ndarray],
    k_min: int,
    k_max: int,
    n_free: int,
) -> int:
    """Return the size with the lowest information criterion; ``search(k)`` gives a support (K,).

    ``k_min`` of the ``n_free`` columns must be selected.
    """
    nu = float(np.max(to_numpy(problem.degrees_of_freedom)))
    judge: Criterion = CRITERIA["least-squares"]
    best, lowest = k_min, np.inf
    k_max = min(k_max, max(k_min, int(nu / _ROWS_FOR_EACH)))
    for k in range(k_min, k_max + 1):
        fit = float(support_scores(problem, search(k)[None, None], judge)[0, 0])
        cost = fit + _penalty(name, k - k_min, nu, n_free - k_min)
        if cost < lowest:
            best, lowest = k, cost
        elif k - best >= _PATIENCE:
            break
    return best


def _penalty(name: str, k: int, nu: float, n_columns: int) -> float:
    if name == "gic":
        return k * np.log(max(n_columns, 2)) * np.log(max(np.log(nu), 1.0))
    by_rows = k * np.log(nu)
    if name == "bic":
        return by_rows
    return by_rows + 2.0 * float(log_supports(n_columns, np.asarray([float(k)]))[0])
