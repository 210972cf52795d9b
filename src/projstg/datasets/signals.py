"""Signals: the non-zero coefficients of β*, and their columns.

A signal is a function of a generator and K that returns K non-zero amplitudes, (K,). A placement is
a function of a generator, D and K that returns K distinct columns, (K,). The k-th amplitude goes to
the k-th column. Random columns are in random order; the others are in the order of their indices.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from ._checks import check_number, choose

__all__ = ["POSITIONS", "SIGNALS", "sparse_coef"]


def signs(rng: np.random.Generator, n_informative: int) -> np.ndarray:
    """Amplitudes −1 or 1 with equal odds, as in the paper.

    Examples
    --------
    >>> np.abs(signs(np.random.default_rng(0), 3)).tolist()
    [1.0, 1.0, 1.0]
    """
    return 2.0 * rng.integers(0, 2, size=n_informative) - 1.0


def ones(rng: np.random.Generator, n_informative: int) -> np.ndarray:
    """All amplitudes 1.

    Examples
    --------
    >>> ones(None, 3).tolist()
    [1.0, 1.0, 1.0]
    """
    return np.ones(n_informative)


def decaying(rng: np.random.Generator, n_informative: int, *, decay: float = 0.8) -> np.ndarray:
    """Magnitudes 1, decay, decay², … with random signs.

    Examples
    --------
    >>> np.abs(decaying(np.random.default_rng(0), 3, decay=0.5)).tolist()
    [1.0, 0.5, 0.25]
    """
    decay = check_number("decay", decay, 0.0, 1.0)
    magnitude = np.cumprod(np.append(1.0, np.full(n_informative, decay)))[:n_informative]
    return signs(rng, n_informative) * magnitude


def normal(rng: np.random.Generator, n_informative: int) -> np.ndarray:
    """Standard normal amplitudes; some of them are too small to be found.

    Examples
    --------
    >>> normal(np.random.default_rng(0), 3).shape
    (3,)
    """
    return rng.standard_normal(n_informative)


def given(
    rng: np.random.Generator, n_informative: int, *, amplitudes: Sequence[float]
) -> np.ndarray:
    """The amplitudes as given, with their signs.

    Examples
    --------
    >>> given(None, 2, amplitudes=[3, -0.5]).tolist()
    [3.0, -0.5]
    """
    values = np.asarray(amplitudes, dtype=float)
    if values.shape != (n_informative,):
        raise ValueError(
            f"amplitudes has shape {values.shape} and n_informative={n_informative}; "
            f"give {n_informative} amplitudes, or n_informative={values.size}"
        )
    if not np.all(values):
        raise ValueError(
            f"amplitudes={values.tolist()} has a zero, which is no signal; leave it out and "
            f"pass n_informative={np.count_nonzero(values)}"
        )
    return values


def random(rng: np.random.Generator, n_features: int, n_informative: int) -> np.ndarray:
    """K columns drawn without replacement, in random order.

    Examples
    --------
    >>> sorted(random(np.random.default_rng(0), 3, 3).tolist())
    [0, 1, 2]
    """
    return rng.permutation(n_features)[:n_informative]


def spread(rng: np.random.Generator, n_features: int, n_informative: int) -> np.ndarray:
    """K columns at distances as equal as possible, beginning with the first.

    Examples
    --------
    >>> spread(None, 10, 3).tolist()
    [0, 3, 6]
    """
    return np.arange(n_informative) * n_features // max(n_informative, 1)


def adjacent(rng: np.random.Generator, n_features: int, n_informative: int) -> np.ndarray:
    """K neighbouring columns, beginning with a random one.

    Examples
    --------
    >>> np.diff(adjacent(np.random.default_rng(0), 10, 3)).tolist()
    [1, 1]
    """
    return rng.integers(0, n_features - n_informative + 1) + np.arange(n_informative)


def first(rng: np.random.Generator, n_features: int, n_informative: int) -> np.ndarray:
    """The first K columns; with signal "ones" the design of Hastie, Tibshirani and Tibshirani.

    Examples
    --------
    >>> first(None, 10, 3).tolist()
    [0, 1, 2]
    """
    return np.arange(n_informative)


SIGNALS: dict[str, Callable[..., np.ndarray]] = {
    "signs": signs,
    "ones": ones,
    "decaying": decaying,
    "normal": normal,
    "given": given,
}

POSITIONS: dict[str, Callable[..., np.ndarray]] = {
    "random": random,
    "spread": spread,
    "adjacent": adjacent,
    "first": first,
}


def sparse_coef(
    rng: np.random.Generator,
    n_features: int,
    n_informative: int,
    *,
    signal: str = "signs",
    positions: str = "random",
    options: Mapping[str, Any] | None = None,
) -> np.ndarray:
    """Return β* of shape (n_features,) with ``n_informative`` entries that are not zero.

    Examples
    --------
    >>> sparse_coef(None, 4, 2, signal="ones", positions="first").tolist()
    [1.0, 1.0, 0.0, 0.0]
    """
    amplitudes = choose("signal", signal, SIGNALS)
    columns = choose("positions", positions, POSITIONS)
    coef = np.zeros(n_features)
    place = columns(rng, n_features, n_informative)
    coef[place] = amplitudes(rng, n_informative, **(options or {}))
    return coef
