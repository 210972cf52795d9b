r"""Coefficients averaged over all supports that were counted or drawn.

Given a support the coefficients are those that the evidence integrates out
(:mod:`..score.shrunk`): shrunk, over all ridges. Over supports they are a mixture by posterior
weight, with zero for a column that is not in a support.

Which columns belong is asked as if all others had no effect at all. In many real tables they have
some, each too small to tell which, and together they help to predict. So for prediction each
support is also seen beside backgrounds of several strengths (:mod:`..data.background`). Its weight
becomes that of its evidence beside any of them or none, and each has its share of that.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from ..data.background import Background, background
from ..data.quadratic import GramQuadratic, Problem
from ..score.criterion import Judge
from ..score.evidence import support_spectra, total_score, undiluted_scores
from ..score.shrunk import Shrunk, shrunk_coefficients
from .averaged_fit import AveragedFit, Part
from .posterior_settings import PosteriorSettings
from .weighted_supports import WeightedSupports

__all__ = ["Averaging"]


class Averaging(NamedTuple):
    """What an averaged fit is computed from."""

    columns: np.ndarray
    """The columns of the table that the problem has, (V,)."""
    problem: Problem
    """A batch of one."""
    always: np.ndarray
    """Which columns are in every support, (V,)."""
    members: np.ndarray
    """The columns that are in any support or selected, (W,), as places in ``columns``."""
    supports: WeightedSupports
    """Over the members."""
    judge: Judge
    n_redundant: int
    """How many columns of every support depend on others that are."""
    strengths: tuple[float, ...]
    """Those of backgrounds; none where columns outside a support have no effect."""
    settings: PosteriorSettings

    def fit(self) -> AveragedFit:
        """Return the averaged coefficients."""
        directions = background(self.problem)
        worlds = list(self._worlds(directions))
        weights = self._weights(worlds)
        supports = WeightedSupports(self.supports.masks, weights.sum(axis=0))
        kept = supports.likeliest(self.settings.averaged_share)
        weights = weights[:, kept] / np.sum(weights[:, kept])
        few = supports.masks[kept]
        parts = [world.part(few, own) for world, own in zip(worlds, weights, strict=True)]
        return AveragedFit(parts, self.members, directions)

    def given(self, support: np.ndarray) -> AveragedFit:
        """Return the coefficients of one support alone, columns of the table (K,)."""
        mask = np.isin(self.columns[self.members], support)
        return self._replace(supports=WeightedSupports(mask[None], np.ones(1))).fit()

    def _worlds(self, directions: Background) -> Iterator[_World]:
        """Yield what is known without a background, and beside each."""
        few = self.problem.columns(self.members[None]).gram
        yield _World(0.0, few, self.judge, self.n_redundant, 0.0)
        most, none = self.judge.volume_of_size.shape[-1] - 2, 1.0 - self.settings.background
        for strength in self.strengths:
            eta = strength / self.columns.size
            beside = directions.problem(eta)
            judge = self.judge.judge(beside, most, self.always)
            odds = self.settings.background / len(self.strengths) / none
            cost = directions.log_determinant(eta) - 2.0 * np.log(odds)
            few = beside.columns(self.members[None]).gram
            yield _World(eta, few, judge, self.n_redundant, cost)

    def _weights(self, worlds: list[_World]) -> np.ndarray:
        """Return the weight of each support in each world, (E, M)."""
        costs = np.zeros((len(worlds), len(self.supports.weights)))
        for number, world in enumerate(worlds):
            for own, indices in _by_size(self.supports.masks):
                costs[number, own] = world.costs(indices)
        with np.errstate(divide="ignore"):
            logs = np.log(self.supports.weights) - 0.5 * (costs - costs[0])
        weights = np.exp(logs - np.max(logs))
        return np.asarray(weights / weights.sum())


class _World(NamedTuple):
    """The members' sums beside one background, or without."""

    eta: float
    problem: GramQuadratic
    judge: Judge
    n_redundant: int
    cost: float
    """What log |V| and the prior of the background add to every score."""

    def costs(self, indices: np.ndarray) -> np.ndarray:
        """Return −2 log evidence of supports (M, K), without dilution, (M,)."""
        yy, dof, volume = self._numbers(indices)
        spectra = support_spectra(self.problem, indices[None])
        scores = undiluted_scores(spectra, volume, yy, dof, self.judge)
        return np.asarray(total_score(scores)[0] + self.cost)

    def part(self, masks: np.ndarray, weights: np.ndarray) -> Part:
        """Return the mixture of supports (M, W) by their weights."""
        total = weights.sum()
        n_columns, shares = masks.shape[1], weights / max(total, np.finfo(float).tiny)
        mean, second, variance = np.zeros(n_columns), np.zeros((n_columns, n_columns)), 0.0
        for own, indices in _by_size(masks):
            found, share = self._coefficients(indices), shares[own]
            weighted = share[:, None] * found.mean[0]
            np.add.at(mean, indices, weighted)
            square = share[:, None, None] * found.covariance[0]
            square += weighted[:, :, None] * found.mean[0][:, None, :]
            np.add.at(second, (indices[:, :, None], indices[:, None, :]), square)
            variance += float(share @ found.variance[0])
        return Part(self.eta, float(total), mean, second - np.outer(mean, mean), variance)

    def _coefficients(self, indices: np.ndarray) -> Shrunk:
        yy, dof, volume = self._numbers(indices)
        spectra = support_spectra(self.problem, indices[None])
        return shrunk_coefficients(spectra, volume, yy, dof, self.judge)

    def _numbers(self, indices: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return yᵀy and ν, (1, M), and the volume of supports (M, K), (1, M, R)."""
        shape = (1, len(indices))
        yy, dof = (
            np.full(shape, float(one[0]))
            for one in (self.problem.yy, self.problem.degrees_of_freedom)
        )
        return yy, dof, self.judge.volume(0, np.full(shape, indices.shape[1] - self.n_redundant))


def _by_size(masks: np.ndarray) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Yield which supports have one size, and their members, (M', K)."""
    sizes = masks.sum(axis=1)
    for size in np.unique(sizes).tolist():
        own = np.flatnonzero(sizes == size)
        yield own, np.nonzero(masks[own])[1].reshape(own.size, size)
