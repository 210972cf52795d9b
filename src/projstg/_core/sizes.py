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
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from .backend import to_numpy
from .evidence import CRITERIA, Criterion, support_scores
from .ledger import Optima
from .posterior import log_supports
from .pursuit import forward_selection
from .refine import refine
from .statistics import Problem, Quadratic, RowQuadratic

__all__ = ["SELECTIONS", "information_size", "ladder", "largest_size", "log_prior"]

_FIRST_RUNGS = (1, 3, 5, 8, 10, 12, 15)
_GROWTH = 1.3
_FEW_STARTS = 22
_KEPT = 20
_MOST_WORSE = 3
# So many sizes in a row may be worse than the best before information criteria are believed.
_PATIENCE = 6
_MOST = 200
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
    """Return how many columns fit y without error; a large number if all do not, or who knows."""
    rows = to_numpy(problem.X)[0] if isinstance(problem, RowQuadratic) else None
    is_wide = rows is not None and len(rows) < rows.shape[1]
    n_directions = len(rows) if rows is not None and is_wide else problem.b.shape[-1]
    if n_directions > _MOST_FOR_RANK:
        return _UNKNOWN
    matrix = rows @ rows.T if rows is not None and is_wide else to_numpy(problem.gram.G)[0]
    values, vectors = np.linalg.eigh(matrix)
    counts = values > _RANK_TOLERANCE * max(float(values[-1]), 0.0)
    if not is_wide:
        along = to_numpy(problem.b)[0] @ vectors[:, counts]
        yy = float(to_numpy(problem.yy)[0])
        if yy - float(np.sum(along * along / values[counts])) > _RANK_TOLERANCE * yy:
            return _UNKNOWN
    return int(counts.sum())


def log_prior(n_locked: int, k_max: int) -> np.ndarray:
    """Return the logarithm of the prior of sizes 0 … K_max: uniform from ``n_locked`` on."""
    prior = np.full(k_max + 1, -np.inf)
    prior[n_locked:] = -np.log(k_max + 1.0 - n_locked)
    return prior


def ladder(
    problem: Quadratic, criterion: str, k_max: int, always: np.ndarray, never: np.ndarray, seed: int
) -> list[Optima]:
    """Return what a quick search finds at one size after another, for one problem."""
    n_locked = int(np.sum(always))
    n_free = int(np.sum(~never | always))
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
) -> int:
    """Return the size with the lowest information criterion; ``search(k)`` gives a support (K,)."""
    nu = float(np.max(to_numpy(problem.degrees_of_freedom)))
    n_features = problem.b.shape[-1]
    judge: Criterion = CRITERIA["least-squares"]
    best, lowest = k_min, np.inf
    for k in range(k_min, k_max + 1):
        fit = float(support_scores(problem, search(k)[None, None], judge)[0, 0])
        cost = fit + _penalty(name, k, nu, n_features)
        if cost < lowest:
            best, lowest = k, cost
        elif k - best >= _PATIENCE:
            break
    return best


def _penalty(name: str, k: int, nu: float, n_features: int) -> float:
    if name == "gic":
        return k * np.log(n_features) * np.log(max(np.log(nu), 1.0))
    by_rows = k * np.log(nu)
    if name == "bic":
        return by_rows
    return by_rows + 2.0 * float(log_supports(n_features, np.asarray([float(k)]))[0])
