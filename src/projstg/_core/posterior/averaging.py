r"""Coefficients averaged over all supports that were counted or drawn.

Given a support the coefficients are those that the evidence integrates out
(:mod:`..score.shrunk`): shrunk, over all ridges. Over supports they are a mixture by posterior
weight, with zero for a column that is not in a support.

Which columns belong is asked as if all others had no effect at all. In many real tables they have
some, each too small to tell which, and together they help to predict. So for prediction each
support is also seen beside backgrounds of several strengths (:mod:`..data.background`). Its weight
becomes that of its evidence beside any of them or none, and each has its share of that.

A part of that mixture has large effects of the supports' columns, with a mean and a covariance,
beside one background or none. A new response at x is x·β plus noise, and both the spread of β,
within and between parts, and the noise make up its variance.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any, NamedTuple

import numpy as np

from ..data.background import Background, background
from ..data.problem import DenseProblem
from ..score.criterion import Judge
from ..score.evidence import support_spectra, total_score, undiluted_scores
from ..score.shrunk import Shrunk, shrunk_coefficients
from .posterior_settings import PosteriorSettings
from .weighted_supports import WeightedSupports, likeliest

__all__ = ["AveragedFit", "Averaging", "SmallEffects", "Worlds"]


Run = Callable[[Callable[[int], Any], Iterable[int]], list[Any]]
"""Calls a function with each number, and returns what it returns."""


def _one_by_one(function: Callable[[int], Any], numbers: Iterable[int]) -> list[Any]:
    return [function(number) for number in numbers]


class _Moments(NamedTuple):
    """The large effects beside one background, or none: those of W columns in any support."""

    eta: float
    weight: float
    mean: np.ndarray
    """(W,)."""
    covariance: np.ndarray
    """(W, W)."""
    variance: float
    """The mean of σ²."""


class SmallEffects(NamedTuple):
    """What is known of small effects of all columns but those of a support."""

    share: float
    """The share of y's variance that is expected to come from them."""
    probability: float
    """That there are any. Beforehand it is one half."""


class AveragedFit(NamedTuple):
    """Of D columns, standardised as the problem is."""

    parts: list[_Moments]
    members: np.ndarray
    """The columns that are in any support, (W,)."""
    directions: Background

    @property
    def coef(self) -> np.ndarray:
        """The mean, (D,)."""
        return np.sum([part.weight * self._coef(part) for part in self.parts], axis=0)

    @property
    def noise(self) -> float:
        """The mean of σ²."""
        return sum(part.weight * part.variance for part in self.parts)

    def small_effects(self, of: np.ndarray) -> SmallEffects:
        """Return what is known of small effects of some columns, a mask (D,)."""
        yy = float(self.directions.along @ self.directions.along) + self.directions.rest
        A = self.directions.loadings[of]
        M = A.T @ A
        total = sum(part.weight * self._small(part, M) for part in self.parts)
        some = float(np.sum([part.weight for part in self.parts if part.eta]))
        return SmallEffects(min(total / yy, 1.0) if yy else 0.0, min(some, 1.0))

    def spread(self, Z: np.ndarray) -> np.ndarray:
        """Return the variance of x·β at each row of Z, (M, D)."""
        known = Z @ self.coef
        spreads = [
            part.weight * (self._within(part, Z) + (Z @ self._coef(part) - known) ** 2)
            for part in self.parts
        ]
        return np.sum(spreads, axis=0)

    def covariance(self) -> np.ndarray:
        """Return the covariance of β, (D, D): the variance at a row z is z·Cz, as in ``spread``."""
        known = self.coef
        parts = [
            part.weight * (self._covariance(part) + np.outer(off, off))
            for part in self.parts
            for off in [self._coef(part) - known]
        ]
        return np.sum(parts, axis=0)

    def _covariance(self, part: _Moments) -> np.ndarray:
        A, d = self.directions.loadings, self.directions.shrinkage(part.eta)
        large = -(A[self.members] * d) @ A.T
        large[np.arange(self.members.size), self.members] += 1.0
        small = np.eye(len(A)) - (A * d) @ A.T
        return large.T @ part.covariance @ large + part.variance * part.eta * small

    def _coef(self, part: _Moments) -> np.ndarray:
        A = self.directions.loadings
        left = self.directions.along - part.mean @ A[self.members]
        coef = A @ (self.directions.shrinkage(part.eta) * left)
        coef[self.members] += part.mean
        return coef

    def _within(self, part: _Moments, Z: np.ndarray) -> np.ndarray:
        A, d = self.directions.loadings, self.directions.shrinkage(part.eta)
        turned = Z @ A
        large = Z[:, self.members] - (turned * d) @ A[self.members].T
        small = np.sum(Z * Z, axis=1) - (turned * turned) @ d
        return (
            np.einsum("ij,ij->i", large @ part.covariance, large) + part.variance * part.eta * small
        )

    def _small(self, part: _Moments, M: np.ndarray) -> float:
        """Return what is expected of uᵀGu, with u of some columns alone; M = AᵀA of these."""
        A, d = self.directions.loadings, self.directions.shrinkage(part.eta)
        given = (M * d) @ (self.directions.along - part.mean @ A[self.members])
        of_large = (M * d) @ A[self.members].T
        spread = np.sum(of_large @ part.covariance * of_large)
        own = part.eta * (np.trace(M) - np.sum(M * M * d))
        return float(given @ given + spread + part.variance * own)


class Averaging(NamedTuple):
    """What an averaged fit is computed from."""

    columns: np.ndarray
    """The columns of the table that the problem has, (D,)."""
    problem: DenseProblem
    always: np.ndarray
    """Which columns are in every support, (D,)."""
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

    def without_rows(self) -> Averaging:
        """Return the same with only the inner products of the columns."""
        return self._replace(problem=self.problem.without_rows())

    def worlds(self) -> Worlds:
        """Return the problem beside every background, which all questions share."""
        directions = background(self.problem)
        return Worlds(self, directions, list(self._beside(directions)))

    def _beside(self, directions: Background) -> Iterator[_World]:
        """Yield what is known without a background, and beside each."""
        few, yy = self.problem.subset(self.members).by_sums, self.problem.yy
        yield _World(0.0, few, yy, self.judge, self.n_redundant, 0.0)
        most, none = self.judge.volume_of_size.shape[-1] - 2, 1.0 - self.settings.background
        for strength in self.strengths:
            eta = strength / self.columns.size
            beside = directions.problem(eta)
            judge = self.judge.judge(beside, most, self.always)
            odds = self.settings.background / len(self.strengths) / none
            cost = directions.log_determinant(eta) - 2.0 * np.log(odds)
            few = beside.subset(self.members).by_sums
            yield _World(eta, few, yy, judge, self.n_redundant, cost)


class Worlds(NamedTuple):
    """A problem without a background, and beside each."""

    asked: Averaging
    directions: Background
    each: list[_World]

    def fit(self, run: Run = _one_by_one) -> AveragedFit:
        """Return the averaged coefficients; ``run`` may have its calls side by side."""
        return self._fit(self.asked.supports, run)

    def small_effects(self, support: np.ndarray) -> SmallEffects | None:
        """Return what is known of small effects beside one support, columns of the table (K,).

        None where they were not looked for, or there is no other column.
        """
        columns, members = self.asked.columns, self.asked.members
        others = ~np.isin(columns, support)
        if not (self.asked.strengths and others.any()):
            return None
        mask = np.isin(columns[members], support)
        alone = WeightedSupports(mask[None], np.ones(1))
        return self._fit(alone, _one_by_one).small_effects(others)

    def _fit(self, supports: WeightedSupports, run: Run) -> AveragedFit:
        every = self._weights(supports, run)
        weights, kept = np.zeros_like(every), likeliest(every, self.asked.settings.averaged_share)
        weights.flat[kept] = every.flat[kept] / every.flat[kept].sum()

        def part(number: int) -> _Moments:
            own = weights[number]
            return self.each[number].part(supports.masks[own > 0.0], own[own > 0.0])

        parts = run(part, range(len(self.each)))
        return AveragedFit(parts, self.asked.members, self.directions)

    def _weights(self, supports: WeightedSupports, run: Run) -> np.ndarray:
        """Return the weight of each support in each world, (1 + strengths, M)."""
        if len(self.each) == 1:
            return supports.weights[None]

        def costs_in(number: int) -> np.ndarray:
            found = np.zeros(len(supports.weights))
            for own, indices in _by_size(supports.masks):
                found[own] = self.each[number].costs(indices)
            return found

        costs = np.array(run(costs_in, range(len(self.each))))
        with np.errstate(divide="ignore"):
            logs = np.log(supports.weights) - 0.5 * (costs - costs[0])
        weights = np.exp(logs - np.max(logs))
        return np.asarray(weights / weights.sum())


class _World(NamedTuple):
    """The members' sums beside one background, or without."""

    eta: float
    problem: DenseProblem
    yy: float
    """yᵀy without a background: the smallest residual is the same beside any."""
    judge: Judge
    n_redundant: int
    cost: float
    """What log |V| and the prior of the background add to every score."""

    def costs(self, indices: np.ndarray) -> np.ndarray:
        """Return −2 log evidence of supports (M, K), without dilution, (M,)."""
        spectra = support_spectra(self.problem, indices)
        scores = undiluted_scores(spectra, *self._numbers(indices), self.judge)
        return np.asarray(total_score(scores) + self.cost)

    def part(self, masks: np.ndarray, weights: np.ndarray) -> _Moments:
        """Return the mixture of supports (M, W) by their weights."""
        total = weights.sum()
        n_columns, shares = masks.shape[1], weights / max(total, np.finfo(float).tiny)
        mean, second, variance = np.zeros(n_columns), np.zeros((n_columns, n_columns)), 0.0
        for own, indices in _by_size(masks):
            found, share = self._coefficients(indices), shares[own]
            weighted = share[:, None] * found.mean
            np.add.at(mean, indices, weighted)
            square = share[:, None, None] * found.covariance
            square += weighted[:, :, None] * found.mean[:, None, :]
            np.add.at(second, (indices[:, :, None], indices[:, None, :]), square)
            variance += float(share @ found.variance)
        return _Moments(self.eta, float(total), mean, second - np.outer(mean, mean), variance)

    def _coefficients(self, indices: np.ndarray) -> Shrunk:
        spectra = support_spectra(self.problem, indices)
        return shrunk_coefficients(spectra, *self._numbers(indices), self.judge)

    def _numbers(self, indices: np.ndarray) -> tuple[np.ndarray, float, float]:
        """Return the volume of supports (M, K), (R,), with yᵀy and ν."""
        volume = self.judge.volume(indices.shape[1] - self.n_redundant)
        return volume, self.yy, self.problem.dof


def _by_size(masks: np.ndarray) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Yield which supports have one size, and their members, (M', K)."""
    sizes = masks.sum(axis=1)
    for size in np.unique(sizes).tolist():
        own = np.flatnonzero(sizes == size)
        yield own, np.nonzero(masks[own])[1].reshape(own.size, size)
