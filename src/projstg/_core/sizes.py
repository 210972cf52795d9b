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

import numpy as np

from .backend import to_numpy
from .evidence import CRITERIA, Criterion, support_scores
from .ledger import Optima
from .posterior import log_supports, n_selectable
from .pursuit import forward_selection
from .refine import refine
from .statistics import Problem, Quadratic, RowQuadratic

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
# Of more rows and columns than this nobody asks for the rank.
_MOST_FOR_RANK, _UNKNOWN, _RANK_TOLERANCE = 600, 10**9, 1e-10

SELECTIONS = ("evidence", "ebic", "bic", "gic")


def largest_size(problem: Problem, n_free: int) -> int:
    """Return K_max of one problem: two rows are left over, not counting copies of others.

    Repeated rows count in the degrees of freedom, but so many columns as there are different rows
    fit them without error, and every such support would look certain.
    """
    most = int(float(np.max(to_numpy(problem.degrees_of_freedom))) + 1e-6)
    return max(min(n_free, min(most, _perfect_size(problem)) - 2, _MOST), 0)


def _perfect_size(problem: Problem) -> int:
    """Return how many columns fit y without error: the rank, or a large number.

    The latter where all columns together leave an error, or the table is too large to say.
    """
    if isinstance(problem, RowQuadratic) and problem.X.shape[-2] < problem.X.shape[-1]:
        rows = to_numpy(problem.X)[0]
        return _directions(rows @ rows.T)[0].size if len(rows) <= _MOST_FOR_RANK else _UNKNOWN
    if problem.b.shape[-1] > _MOST_FOR_RANK:
        return _UNKNOWN
    values, vectors = _directions(to_numpy(problem.gram.G)[0])
    along, yy = to_numpy(problem.b)[0] @ vectors, float(to_numpy(problem.yy)[0])
    error = yy - float(np.sum(along * along / values))
    return _UNKNOWN if error > _RANK_TOLERANCE * yy else values.size


def _directions(matrix: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the eigenvalues of a Gram matrix that are not rounding, and their vectors."""
    values, vectors = np.linalg.eigh(matrix)
    counts = values > _RANK_TOLERANCE * max(float(values[-1]), 0.0)
    return values[counts], vectors[:, counts]


def ladder(
    problem: Quadratic, criterion: str, k_max: int, always: np.ndarray, never: np.ndarray, seed: int
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


def _greedy(problem: Quadratic, k: int) -> np.ndarray | None:
    """Return the greedy support of k columns as a start, (1, 1, k)."""
    if k == 0:
        return None
    order = to_numpy(forward_selection(problem, k).order)
    return order[:, None, :] if np.unique(order[0]).size == k else None


def information_size(
    problem: Quadratic,
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
