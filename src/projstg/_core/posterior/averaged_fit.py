r"""Coefficients that are a mixture, and how far they are known.

A part of the mixture has large effects of some columns, with a mean and a covariance, beside a
background of small effects of all columns, or none (:mod:`..data.background`). A new response at x
is x·β plus noise, and both the spread of β, within and between parts, and the noise make up its
variance.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..data.background import Background

__all__ = ["AveragedFit", "Part"]


class Part(NamedTuple):
    """The large effects beside one background, or none: those of W columns in any support."""

    eta: float
    weight: float
    mean: np.ndarray
    """(W,)."""
    covariance: np.ndarray
    """(W, W)."""
    variance: float
    """The mean of σ²."""


class AveragedFit(NamedTuple):
    """Of V columns, standardised as the problem is."""

    parts: list[Part]
    members: np.ndarray
    """The columns that are in any support, (W,)."""
    directions: Background

    @property
    def coef(self) -> np.ndarray:
        """The mean, (V,)."""
        return np.sum([part.weight * self._coef(part) for part in self.parts], axis=0)

    @property
    def noise(self) -> float:
        """The mean of σ²."""
        return sum(part.weight * part.variance for part in self.parts)

    @property
    def background(self) -> float:
        """The share of yᵀy that is expected to come from small effects."""
        along, rest = self.directions.along, self.directions.rest
        total = sum(part.weight * self._small(part) for part in self.parts)
        return min(total / max(float(along @ along) + rest, np.finfo(float).tiny), 1.0)

    def spread(self, Z: np.ndarray) -> np.ndarray:
        """Return the variance of x·β at each row of Z, (M, V)."""
        known = Z @ self.coef
        spreads = [
            part.weight * (self._within(part, Z) + (Z @ self._coef(part) - known) ** 2)
            for part in self.parts
        ]
        return np.sum(spreads, axis=0)

    def _coef(self, part: Part) -> np.ndarray:
        A = self.directions.loadings
        left = self.directions.along - part.mean @ A[self.members]
        coef = A @ (self.directions.d(part.eta) * left)
        coef[self.members] += part.mean
        return coef

    def _within(self, part: Part, Z: np.ndarray) -> np.ndarray:
        A, d = self.directions.loadings, self.directions.d(part.eta)
        turned = Z @ A
        large = Z[:, self.members] - (turned * d) @ A[self.members].T
        small = np.sum(Z * Z, axis=1) - (turned * turned) @ d
        return (
            np.einsum("ij,ij->i", large @ part.covariance, large) + part.variance * part.eta * small
        )

    def _small(self, part: Part) -> float:
        """Return what is expected of uᵀGu."""
        s, A = self.directions.s(part.eta), self.directions.loadings[self.members]
        mean = s * (self.directions.along - part.mean @ A)
        spread = np.einsum("ij,ij->j", A, part.covariance @ A)
        return float(mean @ mean + (s * s) @ spread + part.variance * s.sum())
