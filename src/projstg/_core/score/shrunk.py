r"""The coefficients of a support, given the data: what the evidence integrates out.

At a ridge κ the coefficients have the mean H⁻¹b_S = w where effects are around zero, and
w + κaPs where they are around ±a; their covariance is σ²P, and σ² has the mean rss/(ν − 2), with
the residual of either prior. The ridges, and the two priors, have the shares of their evidence.
(:mod:`.evidence` has the letters. That a and the signs are not known exactly is left out.)
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..data.determined_directions import Spectrum
from .criterion import Criterion
from .evidence import residual_floor, scores_of_effects, signs_of, spectral_fit

__all__ = ["Shrunk", "shrunk_coefficients"]


class Shrunk(NamedTuple):
    """The coefficients of M supports."""

    mean: np.ndarray
    """E[β_S], (M, K)."""
    covariance: np.ndarray
    """(M, K, K)."""
    variance: np.ndarray
    """E[σ²], (M,)."""


def shrunk_coefficients(
    of: Spectrum, volume: np.ndarray, yy: float, dof: float, criterion: Criterion
) -> Shrunk:
    """Return the coefficients over all ridges; the arguments are those of ``undiluted_scores``."""
    ridges, floor = criterion.ridges, residual_floor(yy)
    fit = spectral_fit(of, floor, criterion)
    scores = scores_of_effects(fit, ridges, volume, dof, floor, criterion)
    reciprocal = 1.0 / (of.values[..., None, :] + ridges.kappa[:, None])
    transposed = of.vectors.swapaxes(-1, -2)
    w = (of.along[..., None, :] * reciprocal) @ transposed
    means, residuals = [w], [fit.rss]
    if fit.effects is not None:
        pull = (ridges.kappa * fit.effects.a)[..., None]
        means.append(w + pull * fit.effects.sPs * signs_of(w))
        residuals.append(fit.effects.rss)
    # Both priors of the effects, and their ridges, side by side: (..., 2R).
    costs = np.concatenate([one for one in scores if one is not None], axis=-1)
    shares = np.exp(-0.5 * (costs - np.min(costs, axis=-1, keepdims=True)))
    shares /= shares.sum(axis=-1, keepdims=True)
    each, rss = np.concatenate(means, axis=-2), np.concatenate(residuals, axis=-1)
    sigma2 = np.maximum(rss, floor) / max(dof - 2.0, 1.0) * (yy > 0.0)
    mean = (shares[..., None, :] @ each)[..., 0, :]
    apart = each - mean[..., None, :]
    between = (apart * shares[..., None]).swapaxes(-1, -2) @ apart
    by_ridge = np.sum((shares * sigma2).reshape(len(w), len(means), -1), axis=1)
    along = (by_ridge[..., None, :] @ reciprocal)[..., 0, :]
    within = (of.vectors * along[..., None, :]) @ transposed
    return Shrunk(mean, within + between, np.sum(shares * sigma2, axis=-1))
