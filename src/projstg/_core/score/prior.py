"""The prior over supports: of their sizes, and of the supports of one size.

A support of K columns has the prior prior(K)/C(D, K)·|R_SS|^½. log prior(K) is :func:`size_prior`,
which the pipeline passes to the posterior; log C(D, K) is :func:`log_supports`, which the ladder of
sizes and the posterior subtract. |R_SS|, the determinant of the correlations of its columns, is
part of a support's score (*dilution*, :mod:`.criterion`). It is not normalised within a size, so
that among correlated columns large supports have less prior than prior(K) says.
"""

from __future__ import annotations

import numpy as np
from scipy.special import gammaln

__all__ = ["log_supports", "n_selectable", "size_prior"]


def log_supports(n_columns: int, sizes: np.ndarray) -> np.ndarray:
    """Return the logarithm of the number of supports of each size among ``n_columns``."""
    return gammaln(n_columns + 1.0) - gammaln(sizes + 1.0) - gammaln(n_columns - sizes + 1.0)


def n_selectable(always: np.ndarray, never: np.ndarray) -> int:
    """Return how many columns must or may be selected, from masks (D,)."""
    return int(np.sum(~never | always))


def size_prior(k_min: int, k_max: int, n_columns: int) -> np.ndarray:
    """Return the log prior of sizes 0 … K_max, (K_max + 1,): −∞ below K_min and above D.

    From K_min on it is proportional to D − K + 1, D = ``n_columns`` being the number of columns
    that could be selected: a mild pull to few columns, the beta-binomial distribution with
    parameters 1 and 2. A uniform prior gives the one full support of a narrow table as much as all
    supports of half its columns together.
    """
    prior, most = np.full(k_max + 1, -np.inf), min(k_max, n_columns)
    prior[k_min : most + 1] = np.log(n_columns - np.arange(k_min, most + 1) + 1.0)
    return prior - np.logaddexp.reduce(prior)
