r"""The score of a support: how well K columns explain y, and how surprising it is that they do.

Least squares looks at the residual alone, and noise offers many near-fits. Give the coefficients
of a support S a prior N(0, σ²/κ·I), give log σ a flat one, and integrate both out. With the
columns at mean square one (the diagonal of G = XᵀX is n) and H = G_SS + κI,

    −2 log evidence(S; κ) = ν log(yᵀy − b_SᵀH⁻¹b_S) + log det H − K log κ,

ν being the degrees of freedom. Nobody knows κ, so the score of a support is −2 log of the *mean*
of its evidences over a wide grid, 10⁻⁶ … 10². **Lower is better**, always.

That prior is densest at zero: it expects many of the selected columns to do next to nothing, and
so it forgives a column of noise among them. The prior of *a common size* says instead that the
effects scatter around ±a, β_i ~ N(s_i a, σ²/κ) with signs s_i = ±1: a small κ is the prior above, a
large one makes the effects all alike, and the data choose between them by the mean over κ. With
w = H⁻¹b_S, P = H⁻¹ and the signs those of w, the residual at its best a is

    residual − κ |w|₁² / (K − κ sᵀPs),        a = |w|₁ / (K − κ sᵀPs).

Each sign has the prior ½; the other sign of column i adds exp(−Δ_i/2) to its factor, Δ_i what
flipping it alone would cost. Of log a we know nothing within two decades (:func:`common_size`).

A :class:`Criterion` is this one formula with a grid and two switches: least squares is the grid {0}
with the volume terms (log det H, K log κ) switched off, which leaves ν log(rss). Whoever searches
holds a criterion and never asks which.

One decomposition (:mod:`..data.spectrum`) serves the whole grid. The residual at κ is the
least-squares residual plus what the ridge costs, Σ c²κ/(λ(λ+κ)): a sum of positive terms, so that a
fit without error stays finite (the residual has a floor, a rounding's worth of yᵀy) and ordered.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..arrays.backend import to_numpy
from ..data.quadratic import Problem, RowQuadratic
from ..data.spectrum import Spectrum, on_rows, spectrum

__all__ = [
    "CRITERIA",
    "Criterion",
    "common_size",
    "mean_score",
    "residual_floor",
    "scores_by_ridge",
    "signs_of",
    "support_scores",
    "support_spectra",
]

_RESIDUAL_FLOOR = 1e-14
_SMALLEST_SHARE = 1e-12
# log a is uniform over two decades.
_DECADES = np.log(100.0)


class Criterion(NamedTuple):
    """What a support is judged by: the mean over ``ridges`` of evidences."""

    ridges: np.ndarray
    """The grid of κ, shape (R,)."""
    counts_volume: bool
    """Whether log det H − K log κ is part of the score."""
    has_common_size: bool
    """Whether the effects scatter around a common size, or around zero."""


_RIDGES = 10.0 ** (np.arange(21) / 2.0 - 6.0)
CRITERIA = {
    "common-size": Criterion(_RIDGES, True, True),
    "evidence": Criterion(_RIDGES[:17], True, False),
    "least-squares": Criterion(np.zeros(1), False, False),
}


def residual_floor(yy: np.ndarray) -> np.ndarray:
    """Return the smallest residual that rounding lets us tell from zero; one where y is zero."""
    return np.where(yy > 0.0, _RESIDUAL_FLOOR * yy, 1.0)


def common_size(
    w: np.ndarray,
    P: np.ndarray,
    Ps: np.ndarray,
    rss: np.ndarray,
    ridge: np.ndarray,
    dof: np.ndarray,
    floor: np.ndarray,
) -> np.ndarray:
    """Return ν log(residual) and what size and signs add to it, (...).

    ``w``, diag P and P·sign(w) are (..., K), the other arguments broadcast with (...). Nothing is
    added for an empty support.
    """
    K = w.shape[-1]
    left = np.maximum(K - ridge * np.sum(signs_of(w) * Ps, axis=-1), _SMALLEST_SHARE * max(K, 1))
    total = np.sum(np.abs(w), axis=-1)
    residual = np.maximum(rss - ridge * total * total / left, floor)
    return _with_signs(w, P, Ps, residual, total / left, left, ridge, dof)


def _with_signs(
    w: np.ndarray,
    P: np.ndarray,
    Ps: np.ndarray,
    residual: np.ndarray,
    a: np.ndarray,
    left: np.ndarray,
    ridge: np.ndarray,
    dof: np.ndarray,
) -> np.ndarray:
    """Return the same from the residual at the best size a, and left = K − κ sᵀPs."""
    K, signs, step = w.shape[-1], signs_of(w), ridge * a
    flipped = np.abs(w) + step[..., None] * (signs * Ps - P)
    flipped = np.maximum(4.0 * step[..., None] * flipped, 0.0) / residual[..., None]
    # The other sign's share, exp(−Δ/2) with Δ = ν log(1 + flipped).
    other = np.exp(-0.5 * dof[..., None] * np.log1p(flipped))
    spread = np.sqrt(2.0 * np.pi * residual / (dof * ridge * left))
    # How much of the prior of log a the data leave.
    share = np.minimum(spread, _DECADES * a) / np.where(a > 0.0, _DECADES * a, 1.0)
    share = np.where(a > 0.0, share, 1.0)
    size = 2.0 * K * np.log(2.0) - 2.0 * np.log(share)
    return dof * np.log(residual) + size - 2.0 * np.sum(np.log1p(other), axis=-1)


def signs_of(w: np.ndarray) -> np.ndarray:
    """Return ±1, also of zero."""
    return np.where(w < 0.0, -1.0, 1.0)


def mean_score(scores: np.ndarray, axis: int = -1) -> np.ndarray:
    """Return −2 log of the mean along ``axis`` of what has −2 log equal to ``scores``."""
    lowest = np.min(scores, axis=axis, keepdims=True)
    mean = np.mean(np.exp(-0.5 * (scores - lowest)), axis=axis)
    return np.squeeze(lowest, axis) - 2.0 * np.log(mean)


def scores_by_ridge(
    of: Spectrum, yy: np.ndarray, dof: np.ndarray, criterion: Criterion
) -> np.ndarray:
    """Return −2 log evidence of supports at each κ of the grid, (..., R); yᵀy and ν are (...).

    Dependent columns, K ≥ n, columns of zeros and y = 0 all have finite scores.
    """
    values = of.values
    rss = np.maximum(of.rss, residual_floor(yy))[..., None]
    ridges = criterion.ridges
    if not criterion.counts_volume:
        return dof[..., None] * np.log(rss)
    shrunk = values[..., None, :] + ridges[:, None]
    rss = rss + ridges * np.sum(of.taken[..., None, :] / shrunk, axis=-1)
    volume = np.sum(np.log(shrunk), axis=-1) - values.shape[-1] * np.log(ridges)
    if not criterion.has_common_size:
        return dof[..., None] * np.log(rss) + volume
    return _common_size_along(of, shrunk, ridges, yy, dof) + volume


def _common_size_along(
    of: Spectrum, shrunk: np.ndarray, ridges: np.ndarray, yy: np.ndarray, dof: np.ndarray
) -> np.ndarray:
    """Return what :func:`common_size` does, from sums of positive terms, (..., R).

    With s̃ = Vᵀs and m_d = κλ_d/(λ_d + κ) the residual at a is rss + Σ m_d (c_d/λ_d − a s̃_d)², and
    K − κ sᵀPs = Σ s̃_d² λ_d/(λ_d + κ). ``shrunk`` is λ + κ, (..., R, K).
    """
    values, vectors = of.values[..., None, :], of.vectors
    transposed = vectors.swapaxes(-1, -2)
    w = (of.along[..., None, :] / shrunk) @ transposed
    P = (1.0 / shrunk) @ (vectors * vectors).swapaxes(-1, -2)
    turned = signs_of(w) @ vectors
    Ps = (turned / shrunk) @ transposed
    kept = values / shrunk
    K = values.shape[-1]
    left = np.maximum(np.sum(turned * turned * kept, axis=-1), _SMALLEST_SHARE * max(K, 1))
    a = np.sum(np.abs(w), axis=-1) / left
    alone = of.along[..., None, :] / np.where(values > 0.0, values, 1.0)
    apart = ridges * np.sum(kept * (alone - a[..., None] * turned) ** 2, axis=-1)
    floor = residual_floor(yy)[..., None]
    residual = np.maximum(of.rss[..., None] + apart, floor)
    return _with_signs(w, P, Ps, residual, a, left, ridges, dof[..., None])


def support_spectra(problem: Problem, indices: np.ndarray) -> Spectrum:
    """Return the directions of supports (B, S, K) of B problems.

    Rows in memory give G_SS from the K columns alone, never a row of G.
    """
    b = to_numpy(problem.b)
    b_S = np.take_along_axis(b[:, None, :], indices, axis=-1)
    if isinstance(problem, RowQuadratic):
        Xt = to_numpy(problem.X).swapaxes(-1, -2)
        columns = Xt[np.arange(len(b))[:, None, None], indices]
        G = columns @ columns.swapaxes(-1, -2)
    else:
        own = np.arange(len(b))[:, None, None, None]
        G = to_numpy(problem.G)[own, indices[..., :, None], indices[..., None, :]]
    (B, S, K), yy = indices.shape, to_numpy(problem.yy)
    which = np.repeat(np.arange(B), S)
    flat = spectrum(G.reshape(B * S, K, K), b_S.reshape(B * S, K), yy[which])
    flat = on_rows(problem, which, indices.reshape(B * S, K), flat)
    return Spectrum(*(field.reshape(B, S, *field.shape[1:]) for field in flat))


def support_scores(
    problem: Problem, indices: np.ndarray, criterion: Criterion = CRITERIA["evidence"]
) -> np.ndarray:
    """Return the scores (B, S) of supports (B, S, K) of standardised problems; lower is better.

    Examples
    --------
    >>> import numpy as np
    >>> from projstg._core.data.quadratic import RowQuadratic, standardized
    >>> X = np.random.default_rng(0).standard_normal((1, 30, 5))
    >>> y = X[..., 1] - X[..., 3]
    >>> problem, _ = standardized(RowQuadratic.from_rows(X, y))
    >>> scores = support_scores(problem, np.asarray([[[0, 1], [1, 3], [3, 4]]]))
    >>> int(np.argmin(scores))
    1
    """
    shape = indices.shape[:-1]
    yy, dof = (
        np.broadcast_to(to_numpy(field)[:, None], shape)
        for field in (problem.yy, problem.degrees_of_freedom)
    )
    return mean_score(scores_by_ridge(support_spectra(problem, indices), yy, dof, criterion))
