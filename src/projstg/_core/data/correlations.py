"""How correlated the columns of a table are, as a whole: the eigenvalues of their correlations."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

__all__ = ["Correlations", "among", "eigenvalues"]

# An average over pairs and larger sets of columns is known well enough from so many of them, and
# their decomposition takes a few hundredths of a second.
_MOST = 500


class Correlations(NamedTuple):
    """The eigenvalues of the correlations of each problem's columns."""

    values: np.ndarray
    """(B, M), in decreasing order."""
    n_columns: np.ndarray
    """(B,): how many columns they are of; the eigenvalues after these are of columns of zeros."""


def among(n_columns: int) -> np.ndarray | None:
    """Return which of many columns are looked at; None for all."""
    if n_columns <= _MOST:
        return None
    return np.sort(np.random.default_rng(0).choice(n_columns, _MOST, replace=False))


def eigenvalues(G: np.ndarray, n: np.ndarray) -> Correlations:
    """Return those of standardised problems, from G (B, M, M) and n (B,); all may share one G."""
    values = np.linalg.eigvalsh(G / n[: len(G), None, None])[..., ::-1]
    varies = np.diagonal(G, axis1=-2, axis2=-1) > 0.0
    return Correlations(np.maximum(values, 0.0), np.sum(varies, axis=-1))
