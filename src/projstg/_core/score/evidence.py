r"""The score of a support: how well K columns explain y, and how surprising it is that they do.

Least squares uses the residual alone, and with noise many supports fit nearly as well. Give the
coefficients of a support S a prior N(0, σ²/κ·I), give log σ a flat one, and integrate both out.
With the columns at mean square one (the diagonal of G = XᵀX is n) and H = G_SS + κI,

    −2 log evidence(S; κ) = ν log(yᵀy − b_SᵀH⁻¹b_S) + log det H − K log κ,

ν being the degrees of freedom. κ is unknown, so the score of a support is −2 log of the *mean*
of its evidences over a wide grid, 10⁻⁶ … 10². **Lower is better.**

That prior is densest at zero: it expects many of the selected columns to do next to nothing, and so
it charges little for a column of noise among them. The prior of *a common size* says instead that
the effects scatter around ±a, β_i ~ N(s_i a, σ²/κ) with signs s_i = ±1: a small κ is the prior
above, a large one makes the effects all alike, and the data choose between them by the mean over κ.
With w = H⁻¹b_S, P = H⁻¹ and the signs those of w, the residual at its best a is

    residual − κ |w|₁² / (K − κ sᵀPs),        a = |w|₁ / (K − κ sᵀPs).

Each sign has the prior ½; the other sign of column i adds exp(−Δ_i/2) to its factor, Δ_i what
flipping it alone would cost. log a is uniform over two decades. Effects that can be seen look alike
where small ones are too small to be seen, so this prior has two thirds of the weight, and effects
around zero have the rest (docs/how_sure.md).

**The prior of the columns** (:mod:`.prior`) is part of the score. Independent priors of the
coefficients make a copy of a column cheap: two copies with half the coefficient each cost hardly
more than one. The prior takes that back: log det H − K log κ becomes K log(1 + n/κ), the *volume*
as if columns were not correlated, and a term that depends on the table and is the same for all
supports of one size at one ridge (:class:`~.criterion.Judge`). Columns that nearly repeat others
cost more (*dilution*), and a support whose columns depend on each other has the prior zero and an
infinite score. Correlations are cosines where there is no intercept.

A :class:`~.criterion.Criterion` is this formula with a grid and switches.

**One scorer.** :func:`ridge_scores` computes the formula at a ridge. It needs of a support only its
size and its :class:`RidgeFit`: rss and, for a common size, w, diag P and Ps. There are two ways to
make one: from the spectrum of G_SS (:func:`support_scores`, here), which has all digits, and from a
tableau (:mod:`.updates`), which has all neighbours of a support at once.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..data.determined_directions import Spectrum, on_rows, spectrum
from ..data.problem import Problem
from .criterion import CRITERIA, Criterion, Judge, Ridges
from .prior import spectral_dilution
from .score_settings import SCORE

__all__ = [
    "RidgeFit",
    "least_scores",
    "residual_floor",
    "ridge_scores",
    "scores_by_ridge",
    "scores_of_effects",
    "signs_of",
    "sized_effects",
    "spectral_fit",
    "support_scores",
    "support_spectra",
    "total_score",
    "undiluted_scores",
]


class Effects(NamedTuple):
    """The effects of supports at a ridge, and their best common size."""

    w: np.ndarray
    """H⁻¹b_S, (..., K)."""
    diagonal: np.ndarray
    """The diagonal of P = H⁻¹, (..., K)."""
    sPs: np.ndarray
    """s_i (Ps)_i with s = sign(w), (..., K)."""
    left: np.ndarray
    """K − κ sᵀPs, (...)."""
    a: np.ndarray
    """The best size |w|₁/left, (...)."""
    rss: np.ndarray
    """The residual at that size, (...)."""


class RidgeFit(NamedTuple):
    """Supports fitted at a ridge κ each: all of y that their scores depend on."""

    rss: np.ndarray
    """yᵀy − b_SᵀH⁻¹b_S, (...)."""
    effects: Effects | None
    """None where the criterion has no common size."""


def ridge_scores(
    fit: RidgeFit,
    ridge: Ridges,
    volume: np.ndarray,
    dof: float,
    floor: float,
    criterion: Criterion,
) -> np.ndarray:
    """Return −2 log evidence, with volume, of supports at their ridge; the arguments broadcast.

    Where the effects may be around zero and around a common size, it is the sum of both, each with
    the prior of its ridge. ``volume`` is that of their sizes (:class:`~.criterion.Judge`),
    ``floor`` the smallest residual (:func:`residual_floor`). Dilution is not part of it.
    """
    scores, sized = scores_of_effects(fit, ridge, volume, dof, floor, criterion)
    if sized is None:
        return scores
    with_both = np.abs(scores - sized)
    with_both *= -0.5
    np.exp(with_both, out=with_both)
    with_both += 1.0
    np.minimum(scores, sized, out=scores)
    scores -= 2.0 * np.log(with_both, out=with_both)
    return scores


def scores_of_effects(
    fit: RidgeFit,
    ridge: Ridges,
    volume: np.ndarray,
    dof: float,
    floor: float,
    criterion: Criterion,
) -> tuple[np.ndarray, np.ndarray | None]:
    """Return what :func:`ridge_scores` adds up: around zero, and around a common size or None."""
    scores = dof * np.log(np.maximum(fit.rss, floor))
    if not criterion.counts_volume:
        return scores, None
    scores += volume + ridge.zero_cost
    if fit.effects is None:
        return scores, None
    sized = _common_size(fit.effects, ridge.kappa, dof, floor)
    sized += volume + ridge.size_cost
    return scores, sized


def _common_size(of: Effects, ridge: np.ndarray, dof: float, floor: float) -> np.ndarray:
    """Return ν log(residual) and what size and signs add to it, (...); nothing where K = 0."""
    K, a, residual = of.w.shape[-1], of.a, np.maximum(of.rss, floor)
    step = (ridge * a)[..., None]
    # Flipping the sign of column i alone, at the same a, raises the residual by
    # 4κa (|w_i| + κa (s_i (Ps)_i − P_ii)); where that would lower it, it counts as zero.
    raised = of.sPs - of.diagonal
    raised *= step
    raised += np.abs(of.w)
    raised *= 4.0 * step / residual[..., None]
    np.maximum(raised, 0.0, out=raised)
    # exp(−Δ_i/2) with Δ_i = ν log(1 + raised).
    other_sign = np.log1p(raised, out=raised)
    other_sign *= -0.5 * dof
    np.exp(other_sign, out=other_sign)
    signs = np.sum(np.log1p(other_sign, out=other_sign), axis=-1)
    # The likelihood of a is about Gaussian, with this integral; its share of the prior of log a.
    spread = np.sqrt(2.0 * np.pi * residual / (dof * ridge * of.left))
    prior = SCORE.decades_of_size * a
    share = np.minimum(spread, prior) / np.where(a > 0.0, prior, 1.0)
    share = np.where(a > 0.0, share, 1.0)
    size = 2.0 * K * np.log(2.0) - 2.0 * np.log(share)
    return dof * np.log(residual) + size - 2.0 * signs


def sized_effects(
    w: np.ndarray, diagonal: np.ndarray, Ps: np.ndarray, rss: np.ndarray, ridge: np.ndarray
) -> Effects:
    """Return the effects from w, diag P and P·sign(w), (..., K), with rss and κ (...)."""
    K, sPs = w.shape[-1], signs_of(w) * Ps
    left = _not_zero(K - ridge * np.sum(sPs, axis=-1), K)
    total = np.sum(np.abs(w), axis=-1)
    return Effects(w, diagonal, sPs, left, total / left, rss - ridge * total * total / left)


def _not_zero(left: np.ndarray, K: int) -> np.ndarray:
    return np.maximum(left, SCORE.smallest_share * max(K, 1))


def least_scores(
    rss: np.ndarray, sizes: np.ndarray, judge: Judge, yy: float, dof: float
) -> np.ndarray:
    """Return bounds from below of the scores of supports of one problem at each ridge, (M, R).

    They come from the residuals (M,) and the ``sizes`` (M,), without redundant columns. With a
    ridge the residual is larger, signs and a common size lower the evidence, and so does dilution;
    what is left is a sum over two priors of the effects.
    """
    prior = np.logaddexp(*(-0.5 * cost for cost in judge.ridges[1:]))
    by_size = (judge.volume_of_size - 2.0 * prior[:, None]).T
    return dof * np.log(np.maximum(rss, residual_floor(yy)))[:, None] + by_size[sizes]


def residual_floor(yy: float) -> float:
    """Return the smallest residual that rounding lets us tell from zero; one where y is zero."""
    return SCORE.residual_floor * yy if yy > 0.0 else 1.0


def signs_of(w: np.ndarray) -> np.ndarray:
    """Return the signs of w, ±1; zero has the sign +1."""
    return np.where(w < 0.0, -1.0, 1.0)


def total_score(scores: np.ndarray, axis: int = -1) -> np.ndarray:
    """Return −2 log of the sum of exp(−scores/2) along ``axis``; infinite where all are."""
    lowest = np.min(scores, axis=axis, keepdims=True)
    lowest = np.where(np.isfinite(lowest), lowest, 0.0)
    with np.errstate(divide="ignore"):
        total = np.log(np.sum(np.exp(-0.5 * (scores - lowest)), axis=axis))
    return np.squeeze(lowest, axis) - 2.0 * total


def scores_by_ridge(
    of: Spectrum, yy: float, dof: float, n: float, judge: Judge, n_redundant: int = 0
) -> np.ndarray:
    """Return the scores of supports (M, K) at each κ of the grid, (M, R).

    K ≥ n, columns of zeros and y = 0 all have finite scores, and so have dependent columns without
    dilution. ``n_redundant`` of the columns in every support depend on others that are, and do not
    count.
    """
    volume = judge.volume(of.values.shape[-1] - n_redundant)
    scores = undiluted_scores(of, volume, yy, dof, judge)
    if not judge.is_diluted:
        return scores
    is_dependent = np.sum(of.values == 0.0, axis=-1) > n_redundant
    dilution = np.where(is_dependent, np.inf, spectral_dilution(of.values, n))
    return scores + dilution[:, None]


def undiluted_scores(
    of: Spectrum, volume: np.ndarray, yy: float, dof: float, criterion: Criterion
) -> np.ndarray:
    """Return the scores of supports at each κ without dilution, (M, R).

    ``volume``, (R,) or (M, R), is that of their sizes: there may be columns of zeros that do not
    count.
    """
    floor = residual_floor(yy)
    fit = spectral_fit(of, floor, criterion)
    return ridge_scores(fit, criterion.ridges, volume, dof, floor, criterion)


def spectral_fit(of: Spectrum, floor: float, criterion: Criterion) -> RidgeFit:
    """Return supports fitted at each κ of the grid, fields (M, R), from one decomposition.

    The residual at κ is that of least squares plus what the ridge costs, Σ c²κ/(λ(λ+κ)): a sum of
    positive terms, so that residuals near zero keep their digits and their order.
    """
    ridges, rss = criterion.ridges.kappa, np.maximum(of.rss[..., None], floor)
    if not criterion.counts_volume:
        return RidgeFit(rss, None)
    shrunk = of.values[..., None, :] + ridges[:, None]
    rss = rss + ridges * np.sum(of.taken[..., None, :] / shrunk, axis=-1)
    effects = _spectral_effects(of, shrunk, ridges) if criterion.has_common_size else None
    return RidgeFit(rss, effects)


def _spectral_effects(of: Spectrum, shrunk: np.ndarray, ridges: np.ndarray) -> Effects:
    """Return what :func:`sized_effects` returns, from sums of positive terms, fields (..., R).

    With s̃ = Vᵀs and m_d = κλ_d/(λ_d + κ) the residual at a is rss + Σ m_d (c_d/λ_d − a s̃_d)², and
    K − κ sᵀPs = Σ s̃_d² λ_d/(λ_d + κ). ``shrunk`` is λ + κ, (..., R, K).
    """
    values, vectors = of.values[..., None, :], of.vectors
    transposed = vectors.swapaxes(-1, -2)
    w = (of.along[..., None, :] / shrunk) @ transposed
    diagonal = (1.0 / shrunk) @ (vectors * vectors).swapaxes(-1, -2)
    signs = signs_of(w)
    turned = signs @ vectors
    sPs = signs * ((turned / shrunk) @ transposed)
    kept = values / shrunk
    left = _not_zero(np.sum(turned * turned * kept, axis=-1), values.shape[-1])
    a = np.sum(np.abs(w), axis=-1) / left
    alone = of.along[..., None, :] / np.where(values > 0.0, values, 1.0)
    apart = ridges * np.sum(kept * (alone - a[..., None] * turned) ** 2, axis=-1)
    return Effects(w, diagonal, sPs, left, a, of.rss[..., None] + apart)


def support_spectra(problem: Problem, supports: np.ndarray) -> Spectrum:
    """Return the directions of supports (M, K).

    With rows in memory G_SS comes from the K columns alone; no row of G is formed.
    """
    found = spectrum(problem.products_of(supports), problem.b[supports], problem.yy)
    return on_rows(problem, supports, found)


def support_scores(
    problem: Problem,
    supports: np.ndarray,
    criterion: Criterion = CRITERIA["evidence"],
    n_redundant: int = 0,
) -> np.ndarray:
    """Return the scores (M,) of supports (M, K) of a standardised problem; lower is better.

    A judge must be that of the problem; a criterion becomes it, with nothing that must be
    selected. ``n_redundant`` of the columns in every support depend on others that are.

    Examples
    --------
    >>> import numpy as np
    >>> from projstg._core.data.standard_table import as_tables
    >>> X = np.random.default_rng(0).standard_normal((1, 30, 5))
    >>> problem = as_tables(X, X[..., 1] - X[..., 3]).problem(0)
    >>> scores = support_scores(problem, np.asarray([[0, 1], [1, 3], [3, 4]]))
    >>> int(np.argmin(scores))
    1
    """
    judge = criterion
    if not isinstance(judge, Judge):
        judge = criterion.judge(problem, supports.shape[-1])
    of = support_spectra(problem, supports)
    scores = scores_by_ridge(of, problem.yy, problem.dof, problem.n, judge, n_redundant)
    return total_score(scores)
