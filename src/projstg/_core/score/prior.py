r"""The prior over supports: of their sizes, and of the supports of one size.

A support S of K columns has the prior

    prior(K)/C(D, K) · |C_SS|^½/E|C|^½ · (|R_SS|/|R_SS + εI|)^½ (1 + ε)^(K/2).

* log prior(K) is :func:`size_prior`, log C(D, K) is :func:`log_supports`; :func:`costs_of_sizes`
  has both.
* **No credit for correlation.** R are the correlations of the columns, and C are those that a ridge
  leaves, (G + κI)/(n + κ): ones on the diagonal, the others multiplied by n/(n + κ). The evidence
  at κ has the factor |I + G_SS/κ|^−½, the *volume* of the prior of the coefficients, which is
  larger for correlated columns: independent priors of coefficients make a copy of a column cheap.
  With |C_SS|^½ it is (1 + n/κ)^(−K/2), as if columns were not correlated, and no determinant is
  left (:func:`volumes`).
* **Chance.** Few rows show correlations between independent columns, too. E|C|^½ is what they leave
  on average, so that sizes have the prior they are given where columns are independent
  (:func:`log_chance_determinant`). Where columns are correlated, large supports have less.
* **No repetition** (*dilution*). An eigenvalue λ of R_SS far below ε says that one of the columns
  repeats others; it has the root of λ(1 + ε)/(λ + ε) as a factor, zero where columns depend on each
  other, and nearly one where λ is far above ε. It is part of a support's score
  (:func:`spectral_dilution`, :mod:`.dilution`). It is not taken relative to chance: while K is well
  below n it costs independent columns next to nothing.
"""

from __future__ import annotations

import numpy as np
from scipy.special import gammaln

from .score_settings import SCORE

__all__ = [
    "costs_of_sizes",
    "log_chance_determinant",
    "log_supports",
    "n_selectable",
    "size_prior",
    "spectral_dilution",
    "volumes",
]


def log_supports(n_columns: int, sizes: np.ndarray) -> np.ndarray:
    """Return the logarithm of the number of supports of each size among ``n_columns``."""
    return gammaln(n_columns + 1.0) - gammaln(sizes + 1.0) - gammaln(n_columns - sizes + 1.0)


def n_selectable(always: np.ndarray, never: np.ndarray) -> int:
    """Return how many columns must or may be selected, from masks (D,)."""
    return int(np.sum(~never | always))


def size_prior(k_min: int, k_max: int, n_columns: int) -> np.ndarray:
    """Return the log prior of sizes 0 … K_max, (K_max + 1,): −∞ below K_min and above D.

    From K_min on it is the beta-binomial distribution with parameters 1 and 2, in proportion to
    D − K + 1, D = ``n_columns`` being the number of columns that could be selected: a mild pull to
    few columns, which expects a third of them. A uniform prior gives the one full support of a
    narrow table as much as all supports of half its columns together (docs/how_sure.md).
    """
    prior, most = np.full(k_max + 1, -np.inf), min(k_max, n_columns)
    prior[k_min : most + 1] = np.log(n_columns - np.arange(k_min, most + 1) + 1.0)
    return prior - np.logaddexp.reduce(prior)


def log_chance_determinant(dof: np.ndarray, sizes: np.ndarray | int) -> np.ndarray:
    """Return log E|R|^½ of K independent normal columns with ν degrees of freedom, (...).

    |R| is a product of independent beta variables, with parameters (ν − k)/2 and k/2, k = 1 … K−1,
    and their moments of order ½ have a product of two terms.
    """
    K = np.asarray(sizes)
    # More than ν columns are dependent, and need only a finite number.
    last = gammaln(np.maximum(0.5 * (dof - K + 1.0), 0.5))
    half = gammaln(0.5 * dof)
    log_mean = half - last - (K - 1.0) * (gammaln(0.5 * dof + 0.5) - half)
    return np.where(K > 1, log_mean, 0.0)


def volumes(
    sizes: np.ndarray | int, kappa: np.ndarray, n: np.ndarray, dof: np.ndarray
) -> np.ndarray:
    """Return −2 log of volume and prior together, (1 + n/κ)^(−K/2)/E|C|^½, (...); all broadcast.

    Correlations are s = n/(n + κ) times as large, and log |C| is about quadratic in them: E|C|^½ is
    taken to be the power s² of E|R|^½.
    """
    kept = n / (n + kappa)
    by_chance = kept * kept * log_chance_determinant(dof, sizes)
    return sizes * np.log1p(n / kappa) + 2.0 * by_chance


def spectral_dilution(values: np.ndarray, n: np.ndarray) -> np.ndarray:
    """Return −2 log of the part against repetition, from eigenvalues of G_SS, (..., K), but zeros.

    n is (...).
    """
    is_null, repeated = values == 0.0, SCORE.repeated
    shares = np.where(is_null, 1.0, values / n[..., None])
    return np.sum(np.log((shares + repeated) / (shares * (1.0 + repeated))), axis=-1)


def costs_of_sizes(log_prior: np.ndarray, n_free: int, n_locked: int) -> np.ndarray:
    """Return −2 log of what the size adds to a support's prior, infinite where there are none.

    ``log_prior`` has one entry for each size 0 … K_max, −∞ for sizes not asked for; ``n_free``
    columns could be selected, of which ``n_locked`` must be.
    """
    sizes = np.arange(log_prior.size)
    asked = np.isfinite(log_prior) & (sizes >= n_locked) & (sizes <= n_free)
    costs = np.full(sizes.size, np.inf)
    choices = log_supports(n_free - n_locked, sizes[asked] - n_locked)
    costs[asked] = 2.0 * (choices - log_prior[asked])
    return costs
