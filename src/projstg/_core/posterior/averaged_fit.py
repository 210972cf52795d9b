"""Coefficients averaged over all supports that were counted or drawn, and how far they are known.

Given a support the coefficients are those that the evidence integrates out
(:mod:`..score.shrunk`): shrunk, over all ridges. Over supports they are a mixture by posterior
weight, with zero for a column that is not in a support. Beside a background every column has a
small coefficient, too (:mod:`..data.background`). A new response at x is x·β plus noise, and both
the spread of β, within and between supports, and the noise make up its variance.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..data.background import Background
from ..data.quadratic import GramQuadratic
from ..score.criterion import Judge
from ..score.evidence import support_spectra
from ..score.shrunk import Shrunk, shrunk_coefficients
from .weighted_supports import WeightedSupports

__all__ = ["AveragedFit", "Averaging"]

# Instead of zero under a division.
_TINY = 1e-300


class AveragedFit(NamedTuple):
    """Of W columns, standardised as the problem is."""

    columns: np.ndarray
    """Which columns these are, (W,): all where there may be a background."""
    coef: np.ndarray
    """The mean, (W,)."""
    covariance: np.ndarray
    """(W, W)."""
    variance: float
    """The mean of σ²."""
    background: float
    """The share of y's variance that small effects of all columns are expected to have."""


class Averaging(NamedTuple):
    """What an averaged fit is computed from: the sums of the columns that are in any support."""

    all_columns: np.ndarray
    """The columns of the table that the posterior is of, (D,)."""
    columns: np.ndarray
    """Which of these they are, (W,)."""
    problem: GramQuadratic
    """A batch of one, over these columns."""
    judge: Judge
    supports: WeightedSupports
    """Over these columns."""
    n_redundant: int
    background: Background | None
    """Of all columns."""

    def fit(self) -> AveragedFit:
        """Return the averaged coefficients."""
        every = [_Moments.of(self.columns.size) for _ in self.judge.strengths]
        sizes = self.supports.masks.sum(axis=1)
        for size in np.unique(sizes).tolist():
            own = sizes == size
            weights = self.supports.weights[own]
            indices = np.nonzero(self.supports.masks[own])[1].reshape(weights.size, size)
            found = [self._shrunk(number, indices) for number in range(len(every))]
            costs = np.stack([one.cost for one in found])
            shares = np.exp(-0.5 * (costs - costs.min(axis=0)))
            shares *= weights / shares.sum(axis=0)
            every = [m.with_(i, indices, s) for m, i, s in zip(every, found, shares, strict=True)]
        if self.background is None:
            return _averaged(self.all_columns[self.columns], every, 0.0)
        around = [_around(self.background, e, self.columns, m) for e, m in enumerate(every)]
        noise = sum(
            strength * one.variance
            for strength, one in zip(self.judge.strengths, every, strict=True)
        )
        share = noise * float(self.problem.n[0]) / max(float(self.problem.yy[0]), _TINY)
        return _averaged(self.all_columns, around, min(share, 1.0))

    def _shrunk(self, number: int, indices: np.ndarray) -> Shrunk:
        """Return the coefficients of supports (M, K) beside a background, or none."""
        problem = self.problem
        if number and self.background is not None:
            problem = self.background.problems(self.columns).problems(np.asarray([number]))
        shape = (1, len(indices))
        yy, dof = (
            np.full(shape, float(one[0])) for one in (problem.yy, problem.degrees_of_freedom)
        )
        judge = self.judge.at(self.judge.ridges.background == number)
        volume = judge.volume(0, np.full(shape, indices.shape[1] - self.n_redundant))
        found = shrunk_coefficients(support_spectra(problem, indices[None]), volume, yy, dof, judge)
        return Shrunk(*(field[0] for field in found))


class _Moments(NamedTuple):
    """Sums over supports, by weight."""

    weight: float
    mean: np.ndarray
    """(W,)."""
    second: np.ndarray
    """Of ββᵀ, (W, W)."""
    variance: float
    """Of σ²."""

    @classmethod
    def of(cls, n_columns: int) -> _Moments:
        return cls(0.0, np.zeros(n_columns), np.zeros((n_columns, n_columns)), 0.0)

    def with_(self, found: Shrunk, indices: np.ndarray, weights: np.ndarray) -> _Moments:
        """Return the sums with supports (M, K), weights (M,)."""
        mean, second = self.mean.copy(), self.second.copy()
        weighted = weights[:, None] * found.mean
        np.add.at(mean, indices, weighted)
        square = weights[:, None, None] * found.covariance
        square += weighted[:, :, None] * found.mean[:, None, :]
        np.add.at(second, (indices[:, :, None], indices[:, None, :]), square)
        variance = self.variance + float(weights @ found.variance)
        return _Moments(self.weight + float(weights.sum()), mean, second, variance)


def _around(background: Background, number: int, columns: np.ndarray, of: _Moments) -> _Moments:
    """Return the sums of all columns' coefficients, those of the background included."""
    n_columns = len(background.loadings)
    if not number:
        mean, second = np.zeros(n_columns), np.zeros((n_columns, n_columns))
        mean[columns], second[np.ix_(columns, columns)] = of.mean, of.second
        return of._replace(mean=mean, second=second)
    eta, inverse = background.eta[number], background.shrinkage(number)
    moved = inverse[:, columns]
    alone = eta * (inverse @ (background.loadings @ background.along))  # η(I + ηG)⁻¹b
    turned = moved @ of.mean
    both = np.outer(alone, turned)
    second = moved @ of.second @ moved.T + both + both.T + of.weight * np.outer(alone, alone)
    second += of.variance * eta * inverse
    return of._replace(mean=of.weight * alone + turned, second=second)


def _averaged(columns: np.ndarray, parts: list[_Moments], background: float) -> AveragedFit:
    mean = sum((one.mean for one in parts), np.zeros(columns.size))
    second = sum((one.second for one in parts), np.zeros((columns.size, columns.size)))
    variance = sum(one.variance for one in parts)
    return AveragedFit(columns, mean, second - np.outer(mean, mean), variance, background)
