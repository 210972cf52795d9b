"""The prior over supports: of their sizes, and of the supports of one size.

A support of K columns has the prior prior(K)/C(D, K)·|R_SS|^½/E|R|^½. log prior(K) is
:func:`size_prior`, which the pipeline passes to the posterior; log C(D, K) is
:func:`log_supports`. |R_SS|, the determinant of the correlations of its columns, is part of a
support's score (*dilution*, :mod:`.criterion`). Few rows show correlations between independent
columns, too; E|R|^½ (:func:`log_chance_dilution`) is what they leave on average, so that sizes have
the prior they are given where columns are independent. Where columns are correlated, large supports
have less.
"""

from __future__ import annotations

import numpy as np
from scipy.special import gammaln

from .score_settings import SCORE

__all__ = ["costs_of_sizes", "log_chance_dilution", "log_supports", "n_selectable", "size_prior"]


def log_supports(n_columns: int, sizes: np.ndarray) -> np.ndarray:
    """Return the logarithm of the number of supports of each size among ``n_columns``."""
    return gammaln(n_columns + 1.0) - gammaln(sizes + 1.0) - gammaln(n_columns - sizes + 1.0)


def n_selectable(always: np.ndarray, never: np.ndarray) -> int:
    """Return how many columns must or may be selected, from masks (D,)."""
    return int(np.sum(~never | always))


def size_prior(k_min: int, k_max: int, n_columns: int) -> np.ndarray:
    """Return the log prior of sizes 0 … K_max, (K_max + 1,): −∞ below K_min and above D.

    From K_min on it is the beta-binomial distribution with parameters 1 and 1 + D/12, D =
    ``n_columns`` being the number of columns that could be selected: a mild pull to few columns. Of
    12 columns it expects 4, of 64 it expects 9, of very many it falls as exp(−K/12). A uniform
    prior gives the one full support of a narrow table as much as all supports of half its columns
    together, and expects half of all columns where the table says nothing (docs/how_sure.md).
    """
    prior, most = np.full(k_max + 1, -np.inf), min(k_max, n_columns)
    left = n_columns - np.arange(k_min, most + 1) + 1.0
    prior[k_min : most + 1] = gammaln(left + n_columns / SCORE.expected_size) - gammaln(left)
    return prior - np.logaddexp.reduce(prior)


def log_chance_dilution(dof: float, sizes: np.ndarray) -> np.ndarray:
    """Return log E|R|^½ of K independent normal columns with ν degrees of freedom, (...).

    |R| is a product of independent beta variables, with parameters (ν − k)/2 and k/2, k = 1 … K−1.
    """
    k = np.arange(1.0, max(float(np.max(sizes, initial=1)), 1.0))
    left = np.maximum(0.5 * (dof - k), 0.25)
    each = gammaln(left + 0.5) - gammaln(left) + gammaln(0.5 * dof) - gammaln(0.5 * dof + 0.5)
    sums = np.concatenate([np.zeros(2), np.cumsum(each)])
    return sums[np.asarray(sizes, dtype=np.int64)]


def costs_of_sizes(
    log_prior: np.ndarray, n_free: int, n_locked: int, dof: float, *, is_diluted: bool
) -> np.ndarray:
    """Return −2 log of what the size adds to a support's prior, infinite where there are none.

    ``log_prior`` has one entry for each size 0 … K_max, −∞ for sizes not asked for; ``n_free``
    columns could be selected, of which ``n_locked`` must be.
    """
    sizes = np.arange(log_prior.size)
    asked = np.isfinite(log_prior) & (sizes >= n_locked) & (sizes <= n_free)
    costs = np.full(sizes.size, np.inf)
    choices = log_supports(n_free - n_locked, sizes[asked] - n_locked)
    by_chance = log_chance_dilution(dof, sizes[asked]) if is_diluted else 0.0
    costs[asked] = 2.0 * (choices + by_chance - log_prior[asked])
    return costs
