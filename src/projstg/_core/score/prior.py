"""The prior over supports: uniform over sizes, and over the supports of one size.

A support of K columns has the prior prior(K)/C(D, K). log prior(K) is :func:`uniform_prior`, which
the pipeline passes to the posterior; log C(D, K) is :func:`log_supports`, which the ladder of sizes
and :mod:`..posterior.support_probabilities` subtract.
"""

from __future__ import annotations

import numpy as np
from scipy.special import gammaln

__all__ = ["log_supports", "n_selectable", "uniform_prior"]


def log_supports(n_columns: int, sizes: np.ndarray) -> np.ndarray:
    """Return the logarithm of the number of supports of each size among ``n_columns``."""
    return gammaln(n_columns + 1.0) - gammaln(sizes + 1.0) - gammaln(n_columns - sizes + 1.0)


def n_selectable(always: np.ndarray, never: np.ndarray) -> int:
    """Return how many columns must or may be selected, from masks (D,)."""
    return int(np.sum(~never | always))


def uniform_prior(k_min: int, k_max: int) -> np.ndarray:
    """Return the log prior of sizes 0 … K_max, (K_max + 1,): uniform from K_min on, −∞ below."""
    prior = np.full(k_max + 1, -np.inf)
    prior[k_min:] = -np.log(k_max + 1.0 - k_min)
    return prior
