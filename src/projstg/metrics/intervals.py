"""Rates and means over repetitions, and their intervals."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from scipy.special import ndtri

from .plain_values import plain_value

__all__ = ["Interval", "bootstrap_interval", "success_rate", "wilson_interval"]

# Numbers in memory at once while means are resampled: 16 MB.
_CHUNK = 2_000_000


class Interval(NamedTuple):
    """The two ends of an interval: numbers, or arrays for many at once."""

    low: Any
    high: Any


def success_rate(successes: Any) -> Any:
    """Share of successes along the last axis.

    Examples
    --------
    >>> success_rate([True, False, True, True])
    0.75
    """
    values = _outcomes(successes)
    if not _is_binary(values):
        raise ValueError("successes must be true or false (1 or 0); for other values use np.mean")
    return plain_value(np.mean(values, axis=-1))


def bootstrap_interval(
    values: Any, level: float = 0.9, n_resamples: int = 2000, random_state: Any = 0
) -> Interval:
    """Percentile bootstrap band of the mean along the last axis, as in the paper's figures.

    ``n_resamples`` times the mean of n values drawn with replacement is taken; the ends of the band
    are the quantiles (1 ± level)/2 of these means. Successes, 0 or 1, are resampled as binomial
    counts, which have the same distribution. The band depends on the values alone, not on their
    order nor on the rest of the batch. Where all values are equal its width is zero: see
    :func:`wilson_interval`.

    Parameters
    ----------
    values : array of shape (..., n)
        Outcomes, one per repetition.
    level : float
        Share of the resampled means inside the band.
    n_resamples : int
        How many means are drawn.
    random_state : int, SeedSequence or Generator
        As for :func:`numpy.random.default_rng`.

    Returns
    -------
    interval : Interval
        ``low`` and ``high``, each of shape (...).

    Examples
    --------
    >>> bootstrap_interval([1, 0, 1, 1, 0, 1, 1, 1, 0, 1])
    Interval(low=0.5, high=0.9)
    >>> bootstrap_interval([[1, 1, 1], [0, 0, 0]]).low
    array([1., 0.])
    """
    tails = _tails(level)
    if n_resamples < 1:
        raise ValueError(f"n_resamples={n_resamples!r} will not do; use at least 1, as 2000")
    values = np.sort(_outcomes(values), axis=-1)
    resampled = _binomial_means if _is_binary(values) else _resampled_means
    means = resampled(values, n_resamples, random_state)
    low, high = np.quantile(means, tails, axis=0)
    return Interval(plain_value(low), plain_value(high))


def _binomial_means(values: np.ndarray, n_resamples: int, random_state: Any) -> np.ndarray:
    """Return means of resampled 0/1 values, (n_resamples, ...); equal rates have equal draws."""
    n = values.shape[-1]
    counts, which = np.unique(np.count_nonzero(values, axis=-1), return_inverse=True)
    draws = [
        np.random.default_rng(random_state).binomial(n, count / n, size=n_resamples)
        for count in counts
    ]
    return np.stack(draws, axis=-1)[:, which] / n


def _resampled_means(values: np.ndarray, n_resamples: int, random_state: Any) -> np.ndarray:
    """Return means of resampled values, (n_resamples, ...); all members have the same draws."""
    rng, n = np.random.default_rng(random_state), values.shape[-1]
    flat = values.reshape(-1, n)
    means = np.empty((n_resamples, len(flat)))
    step = max(1, _CHUNK // n)
    for begin in range(0, n_resamples, step):
        n_draws = min(step, n_resamples - begin)
        # how often each value is drawn; the means of all members are then one matrix product
        times = rng.multinomial(n, np.full(n, 1.0 / n), size=n_draws)
        means[begin : begin + n_draws] = times @ flat.T / n
    return means.reshape(n_resamples, *values.shape[:-1])


def wilson_interval(n_success: Any, n: Any, level: float = 0.9) -> Interval:
    r"""Wilson's score interval of a rate, whose width is not zero at the rates 0 and 1.

    It contains the rates p that a normal test does not reject,
    :math:`|\hat p - p| \le z\sqrt{p(1-p)/n}`. For n = 0 it is [0, 1].

    Parameters
    ----------
    n_success, n : int or array
        Successes and trials; arrays broadcast.
    level : float
        Confidence.

    Returns
    -------
    interval : Interval

    Examples
    --------
    >>> low, high = wilson_interval(100, 100)
    >>> round(low, 3), high
    (0.974, 1.0)
    """
    z2 = ndtri(_tails(level)[1]) ** 2
    s, n = np.asarray(n_success, dtype=float), np.asarray(n, dtype=float)
    if not np.all((s >= 0) & (s <= n)):
        raise ValueError(
            f"n_success={n_success!r} of n={n!r} trials; give 0 <= n_success <= n, successes first"
        )
    spread = np.sqrt(z2 * (s * (n - s) / np.maximum(n, 1.0) + z2 / 4.0))
    # the upper end is computed from the failures, so that both ends are exact at 0 and 1
    low, rest = ((count + z2 / 2.0 - spread) / (n + z2) for count in (s, n - s))
    return Interval(plain_value(low), plain_value(1.0 - rest))


def _tails(level: float) -> tuple[float, float]:
    """Return the two probabilities between which the share ``level`` lies."""
    if not 0.0 < level < 1.0:
        raise ValueError(f"level={level!r} will not do; use a number in (0, 1), as 0.9 for 90 %")
    return (1.0 - level) / 2.0, (1.0 + level) / 2.0


def _outcomes(values: Any) -> np.ndarray:
    """Return values of shape (..., n) with n ≥ 1, all finite."""
    values = np.asarray(values, dtype=float)
    if values.ndim == 0 or values.shape[-1] == 0:
        raise ValueError(f"outcomes of shape {values.shape}; give at least one, on the last axis")
    n_bad = np.count_nonzero(~np.isfinite(values))
    if n_bad:
        raise ValueError(f"{n_bad} of {values.size} outcomes are not finite; leave them out first")
    return values


def _is_binary(values: np.ndarray) -> bool:
    return bool(np.all((values == 0.0) | (values == 1.0)))
