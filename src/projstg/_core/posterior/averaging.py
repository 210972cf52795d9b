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

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from ..._threads import in_threads
from ..data.background import Background, background
from ..data.determined_directions import Spectrum
from ..data.problem import DenseProblem
from ..score.criterion import Judge
from ..score.evidence import support_spectra, total_score, undiluted_scores
from ..score.shrunk import shrunk_coefficients
from .counted import by_size
from .posterior_settings import PosteriorSettings

__all__ = ["AveragedFit", "Averaging", "SmallEffects", "likeliest"]

# Of masks of supports; with fewer a second thread costs more than it saves.
_MANY_NUMBERS = 100_000


class _Part(NamedTuple):
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

    parts: list[_Part]
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

    def _covariance(self, part: _Part) -> np.ndarray:
        A, d = self.directions.loadings, self.directions.shrinkage(part.eta)
        large = -(A[self.members] * d) @ A.T
        large[np.arange(self.members.size), self.members] += 1.0
        small = np.eye(len(A)) - (A * d) @ A.T
        return large.T @ part.covariance @ large + part.variance * part.eta * small

    def _coef(self, part: _Part) -> np.ndarray:
        A = self.directions.loadings
        left = self.directions.along - part.mean @ A[self.members]
        coef = A @ (self.directions.shrinkage(part.eta) * left)
        coef[self.members] += part.mean
        return coef

    def _within(self, part: _Part, Z: np.ndarray) -> np.ndarray:
        A, d = self.directions.loadings, self.directions.shrinkage(part.eta)
        turned = Z @ A
        large = Z[:, self.members] - (turned * d) @ A[self.members].T
        small = np.sum(Z * Z, axis=1) - (turned * turned) @ d
        return (
            np.einsum("ij,ij->i", large @ part.covariance, large) + part.variance * part.eta * small
        )

    def _small(self, part: _Part, M: np.ndarray) -> float:
        """Return what is expected of uᵀGu, with u of some columns alone; M = AᵀA of these."""
        A, d = self.directions.loadings, self.directions.shrinkage(part.eta)
        given = (M * d) @ (self.directions.along - part.mean @ A[self.members])
        of_large = (M * d) @ A[self.members].T
        spread = np.sum(of_large @ part.covariance * of_large)
        own = part.eta * (np.trace(M) - np.sum(M * M * d))
        return float(given @ given + spread + part.variance * own)


class _Metric(NamedTuple):
    """The sums of the columns in any support, in the metric of one background or of none."""

    eta: float
    problem: DenseProblem
    judge: Judge
    cost: float
    """What log |V| and the prior of the background add to every score."""


@dataclass(frozen=True, eq=False)
class Averaging:
    """What an averaged fit is computed from."""

    columns: np.ndarray
    """The columns of the table that the problem has, (D,)."""
    problem: DenseProblem
    always: np.ndarray
    """Which columns are in every support, (D,)."""
    members: np.ndarray
    """The columns that are in any support or selected, (W,), as places in ``columns``."""
    masks: np.ndarray
    """Different supports, over the members, (M, W)."""
    weights: np.ndarray
    """Theirs, (M,), which sum to one."""
    judge: Judge
    n_redundant: int
    """How many columns of every support depend on others that are."""
    strengths: tuple[float, ...]
    """Those of backgrounds; none where columns outside a support have no effect."""
    settings: PosteriorSettings

    def without_rows(self) -> Averaging:
        """Return the same with only the inner products of the columns."""
        return replace(self, problem=self.problem.without_rows())

    def fit(self) -> AveragedFit:
        """Return the averaged coefficients."""
        return self._fit(self.masks, self.weights)

    def small_effects(self, support: np.ndarray) -> SmallEffects | None:
        """Return what is known of small effects beside one support, columns of the table (K,).

        None where they were not looked for, or there is no other column.
        """
        others = ~np.isin(self.columns, support)
        if not (self.strengths and others.any()):
            return None
        mask = np.isin(self.columns[self.members], support)
        return self._fit(mask[None], np.ones(1)).small_effects(others)

    @cached_property
    def _directions(self) -> Background:
        return background(self.problem)

    @cached_property
    def _metrics(self) -> list[_Metric]:
        """That without a background, and that of each."""
        sums = self.problem.subset(self.members).by_sums
        metrics = [_Metric(0.0, sums, self.judge, 0.0)]
        most, none = self.judge.volume_of_size.shape[-1] - 2, 1.0 - self.settings.background
        for strength in self.strengths:
            eta = strength / self.columns.size
            beside = self._directions.problem(eta)
            judge = self.judge.judge(beside, most, self.always)
            odds = self.settings.background / len(self.strengths) / none
            cost = self._directions.log_determinant(eta) - 2.0 * np.log(odds)
            metrics.append(_Metric(eta, beside.subset(self.members).by_sums, judge, cost))
        return metrics

    def _fit(self, masks: np.ndarray, weights: np.ndarray) -> AveragedFit:
        """Return the average over supports (M, W); each has its weight (M,) in all metrics."""
        metrics, each = self._metrics, weights[None]
        run: Callable[..., Iterable[Any]] = in_threads if masks.size > _MANY_NUMBERS else map
        if len(metrics) > 1:
            costs = np.array([*run(lambda metric: self._costs(metric, masks), metrics)])
            with np.errstate(divide="ignore"):
                logs = np.log(weights) - 0.5 * (costs - costs[0])
            each = np.exp(logs - np.max(logs))
            each /= each.sum()
        kept, shares = likeliest(each, self.settings.averaged_share), np.zeros_like(each)
        shares.flat[kept] = each.flat[kept] / each.flat[kept].sum()

        def part(number: int) -> _Part:
            has_share = shares[number] > 0.0
            return self._part(metrics[number], masks[has_share], shares[number, has_share])

        parts = [*run(part, range(len(metrics)))]
        return AveragedFit(parts, self.members, self._directions)

    def _costs(self, metric: _Metric, masks: np.ndarray) -> np.ndarray:
        """Return −2 log evidence of supports (M, W), without dilution, (M,)."""
        costs = np.zeros(len(masks))
        for places, indices in by_size(masks):
            costs[places] = total_score(undiluted_scores(*self._of(metric, indices))) + metric.cost
        return costs

    def _part(self, metric: _Metric, masks: np.ndarray, weights: np.ndarray) -> _Part:
        """Return the mixture of supports (M, W) by their weights."""
        total = weights.sum()
        n_columns, shares = masks.shape[1], weights / max(total, np.finfo(float).tiny)
        mean, second, variance = np.zeros(n_columns), np.zeros((n_columns, n_columns)), 0.0
        for places, indices in by_size(masks):
            coef, share = shrunk_coefficients(*self._of(metric, indices)), shares[places]
            weighted = share[:, None] * coef.mean
            np.add.at(mean, indices, weighted)
            square = share[:, None, None] * coef.covariance
            square += weighted[:, :, None] * coef.mean[:, None, :]
            np.add.at(second, (indices[:, :, None], indices[:, None, :]), square)
            variance += float(share @ coef.variance)
        return _Part(metric.eta, float(total), mean, second - np.outer(mean, mean), variance)

    def _of(
        self, metric: _Metric, indices: np.ndarray
    ) -> tuple[Spectrum, np.ndarray, float, float, Judge]:
        """Return what the evidence of supports (M, K) takes.

        That is yᵀy without a background: the smallest residual is the same beside any.
        """
        spectra = support_spectra(metric.problem, indices)
        volume = metric.judge.volume(indices.shape[1] - self.n_redundant)
        return spectra, volume, self.problem.yy, self.problem.dof, metric.judge


def likeliest(weights: np.ndarray, share: float) -> np.ndarray:
    """Return the places, in all of an array of weights, of the fewest that have this share."""
    flat = weights.ravel()
    order = np.argsort(-flat, kind="stable")
    sums = np.cumsum(flat[order])
    return order[: np.searchsorted(sums, share * sums[-1]) + 1]
