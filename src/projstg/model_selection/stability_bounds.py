r"""How many columns that are seldom selected can stability selection let through?

A selector fitted to half of the rows selects column d with some probability p_d, and q columns on
average. Call a column *seldom selected* if p_d ≤ θ = q/D, its probability if q columns were drawn
at random. Select the columns whose share of the fits to B complementary pairs reaches the threshold
π, and let E be the expected number of seldom-selected columns among them. Shah and Samworth give
three bounds on E, each assuming more about the distribution of the shares than the one before:

- nothing at all (their Theorem 1): a share of π needs both halves of a pair to agree in at least
  2π−1 of the pairs, they agree with probability p_d² ≤ θ p_d, and Markov's inequality gives

  .. math:: E \le \frac{\theta q}{2\pi - 1} = \frac{q^2}{(2\pi - 1) D}

- that the shares of agreement are unimodal (their Theorem 2): Markov's inequality for unimodal
  variables halves this for π ≤ 3/4, and goes to zero with 1 − π from there;
- that they are r-concave (f^r is convex where f > 0) with r = −1/2, and the shares themselves with
  r = −1/4: the largest tail that such a variable of that mean can have, also for π ≤ 1/2.

The first bound is also the number of Meinshausen and Bühlmann, who read it as a bound on the
selected columns without effect. For that the selector must treat the columns without effect alike
(exchangeably) and do no worse than guessing, which cannot be checked.
"""

from __future__ import annotations

from math import ceil, sqrt
from typing import NamedTuple

import numpy as np

__all__ = ["FalseSelections", "false_selections"]


class FalseSelections(NamedTuple):
    """Bounds on the expected number of seldom-selected columns among those selected."""

    worst_case: float
    """Assumes nothing of the selector or the data."""
    unimodal: float
    """Assumes that the shares of pairs in which both halves agree have one mode."""
    r_concave: float
    """Assumes that these shares are −1/2-concave, and the shares of fits −1/4-concave."""


def false_selections(
    n_features: int, n_selected: float, threshold: float, n_pairs: int
) -> FalseSelections:
    """Bound the seldom-selected columns that a threshold lets through.

    Parameters
    ----------
    n_features : int
        D.
    n_selected : float
        q, the number of columns that the selector selects on half of the rows, on average.
    threshold : float
        π, the least share of the fits that must select a column.
    n_pairs : int
        B.

    Returns
    -------
    bounds : FalseSelections
        Each is at most D, and at most the one before.

    Examples
    --------
    >>> [round(bound, 3) for bound in false_selections(100, 5, 0.6, 50)]
    [1.25, 0.658, 0.261]
    """
    if n_selected == 0:
        return FalseSelections(0.0, 0.0, 0.0)
    steps = ceil(2 * n_pairs * threshold - 1e-9)  # shares are multiples of 1/2B
    theta = min(n_selected / n_features, 1.0)
    worst = min(_markov(theta, steps / (2 * n_pairs)) * n_selected, float(n_features))
    unimodal = min(worst, _unimodal(theta, steps / (2 * n_pairs), n_pairs) * n_selected)
    tail = min(
        largest_tail(theta**2, steps - n_pairs, n_pairs, -0.5),
        largest_tail(theta, steps, 2 * n_pairs, -0.25),
    )
    return FalseSelections(worst, unimodal, min(unimodal, tail * n_features))


def _markov(theta: float, threshold: float) -> float:
    return theta / (2.0 * threshold - 1.0) if threshold > 0.5 else np.inf


def _unimodal(theta: float, threshold: float, n_pairs: int) -> float:
    """Return θ C(π, B) of Theorem 2, or infinity where the theorem does not apply."""
    step = 0.5 / n_pairs
    least = min(0.5 + theta**2, 0.5 + step + 0.75 * theta**2)
    if theta > 1.0 / sqrt(3.0) or threshold <= least or threshold < 0.5 + 2.0 * step:
        return np.inf
    if threshold <= 0.75:
        return theta / (2.0 * (2.0 * threshold - 1.0 - step))
    return theta * 4.0 * (1.0 - threshold + step) / (1.0 + 2.0 * step)


def largest_tail(mean: float, place: int, n_steps: int, r: float) -> float:
    """Return the largest P(X ≥ place/n) of an r-concave X on 0, 1/n, …, 1 of at most that mean.

    r is negative. Beyond twice the mean the extremes are f(i) ∝ (a + i)^{1/r} on 0 … k, less than
    that formula at k + 1, and zero after it. k and the value at k + 1 follow from a and the mean;
    a is searched on a grid, then on finer grids around the best point.
    """
    total = mean * n_steps
    if place <= ceil(2.0 * total):
        return 1.0
    low, high, best = -12.0, 25.0, 0.0
    for _ in range(4):
        grid = np.linspace(low, high, 400)
        tails = _tails(np.exp(grid), total, place, n_steps, 1.0 / r)
        top, step = int(np.argmax(tails)), grid[1] - grid[0]
        best = max(best, float(tails[top]))
        low, high = grid[top] - step, grid[top] + step
    return best


def _tails(a: np.ndarray, total: float, place: int, n_steps: int, power: float) -> np.ndarray:
    """Return P(X ≥ place) of the extreme for each a; X in steps, its mean ``total``."""
    i = np.arange(n_steps + 1)
    f = (1.0 + i / a[:, None]) ** power
    mass, moment = np.cumsum(f, axis=1), np.cumsum(i * f, axis=1)
    k = np.sum(moment <= total * mass, axis=1) - 1  # the last k whose mean is not too large
    rows = np.arange(a.size)
    room = np.where(k < n_steps, k + 1 - total, np.inf)
    remainder = (total * mass[rows, k] - moment[rows, k]) / room
    below = mass[rows, np.minimum(place - 1, k)]
    tail = 1.0 - below / (mass[rows, k] + remainder)
    return np.where(place <= k + 1, tail, 0.0)
