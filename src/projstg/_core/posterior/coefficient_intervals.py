r"""How far a coefficient can be trusted, with the columns known and with the columns in doubt.

**Columns known.** Least squares on a support S with ν degrees of freedom (those of the table less
the rank of X_S) has the standard errors

    se_d = √(σ̂² [(X_SᵀX_S)⁻¹]_dd),    σ̂² = ‖y − X_S β̂‖² / ν,

and (β̂_d − β_d)/se_d is Student's t with ν degrees of freedom. It takes S as given: where the same
table has chosen S the errors are too small.

**Columns in doubt.** With probabilities p_m of supports S_m, what is known of β_d is a mixture:
with weight p_m the t distribution of support m, or, where d is not in S_m, a point mass at zero.
Its mean is the averaged coefficient, its quantiles are an interval, and its variance is what the
supports leave open on average plus how far they disagree.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from scipy.special import stdtr, stdtrit

from ..data.determined_directions import Spectrum, coefficients
from ..data.frame import Frame
from ..data.problem import Problem
from ..score.evidence import support_spectra
from .counted import by_size

__all__ = ["AveragedCoef", "Estimates", "averaged", "estimates"]

# Bisections: after this many an interval is shorter than the rounding of its ends.
_HALVINGS = 64
# A coefficient is not determined if so much of its direction (a squared cosine) lies where the
# columns are dependent; rounding of the vectors is 10⁻¹⁶ there.
_DEPENDENT = 1e-8


class Estimates(NamedTuple):
    """Least squares on each of M supports of one table, in the units of the data."""

    columns: np.ndarray
    """The columns that are in any of the supports, (U,)."""
    coef: np.ndarray
    """(M, U), zero outside the support."""
    std_error: np.ndarray
    """(M, U), zero outside the support; NaN where the rows do not determine it."""
    dof: np.ndarray
    """ν, (M,): those of the table less the rank of the support."""


class AveragedCoef(NamedTuple):
    """Coefficients averaged over the likeliest supports, and how sure they are.

    Every array is in the units of the table, with one entry for each column, (D,).
    """

    coef: np.ndarray
    """The mean over the supports; a column counts as zero where it is not selected."""
    low: np.ndarray
    """The lower end of the interval."""
    high: np.ndarray
    """The upper end."""
    std: np.ndarray
    """√(mean squared standard error + variance of the estimates between supports)."""
    probability: float
    """The probability of these supports together. Far from one, they are a small part of the
    supports the data leave possible, and the intervals are still too short."""


def estimates(problem: Problem, frame: Frame, supports: Sequence[np.ndarray]) -> Estimates:
    """Return least squares on each of the supports, index arrays of any sizes."""
    members = [np.asarray(own, dtype=np.int64) for own in supports]
    columns = np.unique(np.concatenate(members))
    masks = np.stack([np.isin(columns, own) for own in members])
    few, dof = problem.subset(columns), np.empty(len(masks))
    coef, error = np.zeros((2, *masks.shape))
    for places, own in by_size(masks):
        spectra = support_spectra(few, own)
        dof[places] = left = problem.dof - np.sum(spectra.values > 0.0, axis=1)
        with np.errstate(invalid="ignore", divide="ignore"):
            variance = np.where(left > 1e-6, np.maximum(spectra.rss, 0.0) / left, np.nan)
        coef[places[:, None], own] = coefficients(spectra)
        error[places[:, None], own] = np.sqrt(variance[:, None] * _inverse_diagonal(spectra))
    unit = frame.y_scale / frame.scale[columns]
    return Estimates(frame.columns[columns], coef * unit, error * unit, dof)


def _inverse_diagonal(of: Spectrum) -> np.ndarray:
    """Return the diagonals of the inverses of G_SS, (M, K); NaN where there is none."""
    is_null = of.values == 0.0
    reciprocal = np.where(is_null, 0.0, 1.0 / np.where(is_null, 1.0, of.values))
    inverse = np.sum(of.vectors**2 * reciprocal[:, None, :], axis=-1)
    outside = np.sum(of.vectors**2 * is_null[:, None, :], axis=-1)
    return np.where(outside > _DEPENDENT, np.nan, inverse)


def averaged(
    known: Estimates, probabilities: np.ndarray, n_features: int, level: float
) -> AveragedCoef:
    """Return the mixture's mean and quantiles; ``probabilities``, (M,), are made to sum to one."""
    total = float(np.sum(probabilities))
    weight = np.asarray(probabilities)[:, None] / total
    coef = np.sum(weight * known.coef, axis=0)
    spread = known.std_error**2 + (known.coef - coef) ** 2
    low, high = (
        _mixture_quantile(p, weight, known) for p in (0.5 - 0.5 * level, 0.5 + 0.5 * level)
    )
    std = np.sqrt(np.sum(weight * spread, axis=0))

    def among_all(values: np.ndarray) -> np.ndarray:
        whole = np.zeros(n_features)
        whole[known.columns] = values
        return whole

    return AveragedCoef(among_all(coef), among_all(low), among_all(high), among_all(std), total)


def _mixture_quantile(p: float, weight: np.ndarray, known: Estimates) -> np.ndarray:
    """Return the smallest x with F(x) ≥ p, (U,), F being each column's mixture.

    It lies between the smallest and the largest p-quantile of the parts, and is found there by
    bisection. Zero, which has the point mass, is tried first.
    """
    nu = np.where(known.dof > 0.0, known.dof, np.nan)[:, None]
    is_point = known.std_error == 0.0
    scale = np.where(is_point, 1.0, known.std_error)

    def is_enough(x: np.ndarray) -> np.ndarray:
        away = x - known.coef
        share = np.where(is_point, away >= 0.0, stdtr(nu, away / scale))
        return np.sum(weight * share, axis=0) >= p - 1e-12

    parts = known.coef + np.where(is_point, 0.0, scale * stdtrit(nu, p))
    low, high = parts.min(axis=0), parts.max(axis=0)
    high = np.where(is_enough(low), low, high)
    middle = np.clip(0.0, low, high)
    for _ in range(_HALVINGS):
        enough = is_enough(middle)
        low, high = np.where(enough, low, middle), np.where(enough, middle, high)
        middle = 0.5 * (low + high)
    return high
