"""Coefficients averaged over all supports that were counted or drawn, and how far they are known.

Given a support the coefficients are those that the evidence integrates out
(:mod:`..score.shrunk`): shrunk, over all ridges. Over supports they are a mixture by posterior
weight, with zero for a column that is not in a support. A new response at x is x·β plus noise, and
both the spread of β, within and between supports, and the noise make up its variance.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..data.quadratic import GramQuadratic
from ..score.criterion import Judge
from ..score.evidence import support_spectra
from ..score.shrunk import shrunk_coefficients
from .weighted_supports import WeightedSupports

__all__ = ["AveragedFit", "Averaging"]


class AveragedFit(NamedTuple):
    """Of W columns, standardised as the problem is."""

    coef: np.ndarray
    """The mean, (W,)."""
    covariance: np.ndarray
    """(W, W)."""
    variance: float
    """The mean of σ²."""


class Averaging(NamedTuple):
    """What an averaged fit is computed from: the sums of the columns that are in any support."""

    columns: np.ndarray
    """Which columns these are, (W,)."""
    problem: GramQuadratic
    """A batch of one, over these columns."""
    judge: Judge
    supports: WeightedSupports
    """Over these columns."""
    n_redundant: int

    def fit(self) -> AveragedFit:
        """Return the averaged coefficients."""
        n_columns = self.columns.size
        mean, second = np.zeros(n_columns), np.zeros((n_columns, n_columns))
        sizes, variance = self.supports.masks.sum(axis=1), 0.0
        for size in np.unique(sizes).tolist():
            own = sizes == size
            weights = self.supports.weights[own]
            indices = np.nonzero(self.supports.masks[own])[1].reshape(weights.size, size)
            yy, dof = (
                np.full((1, weights.size), float(one[0]))
                for one in (self.problem.yy, self.problem.degrees_of_freedom)
            )
            volume = self.judge.volume(0, np.full(yy.shape, size - self.n_redundant))
            spectra = support_spectra(self.problem, indices[None])
            found = shrunk_coefficients(spectra, volume, yy, dof, self.judge)
            coef, weighted = found.mean[0], weights[:, None] * found.mean[0]
            np.add.at(mean, indices, weighted)
            square = weights[:, None, None] * found.covariance[0]
            square += weighted[:, :, None] * coef[:, None, :]
            np.add.at(second, (indices[:, :, None], indices[:, None, :]), square)
            variance += float(weights @ found.variance[0])
        return AveragedFit(mean, second - np.outer(mean, mean), variance)
