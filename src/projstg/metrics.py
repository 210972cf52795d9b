r"""How good is an answer? Every function takes two supports or two vectors, never an estimator.

A support is a boolean mask of shape (..., n_features), leading axes being many answers at once, or
a sequence of column indices. The truth comes first. Empty sets are no exception but a convention:
whoever selects nothing has made no false discovery (FDR 0), where there is nothing to find all of
it was found (TPR 1), and two empty sets agree (F1 1).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from scipy.special import ndtri

__all__ = [
    "Interval",
    "bootstrap_interval",
    "estimation_error",
    "exact_recovery",
    "excess_residual",
    "f1",
    "failure_kind",
    "false_discovery_rate",
    "hamming",
    "sign_recovery",
    "success_rate",
    "true_positive_rate",
    "wilson_interval",
]

Support = np.ndarray | Sequence[bool] | Sequence[int]
# Numbers held at once while means are resampled.
_CHUNK = 2_000_000


class Interval(NamedTuple):
    """The two ends of an interval: numbers, or arrays for many at once."""

    low: Any
    high: Any


def _plain(value: np.ndarray) -> Any:
    """One answer is a Python number, many are an array."""
    value = np.asarray(value)
    return value.item() if value.ndim == 0 else value


# --- supports -------------------------------------------------------------------------------------


def exact_recovery(support_true: Support, support: Support) -> Any:
    """Whether the two supports are equal.

    Examples
    --------
    >>> exact_recovery([0, 3], [3, 0])
    True
    >>> exact_recovery([True, False], [[True, False], [True, True]])
    array([ True, False])
    """
    truth, found = _masks(support_true, support)
    return _plain(np.all(truth == found, axis=-1))


def true_positive_rate(support_true: Support, support: Support) -> Any:
    """Share of the true columns that were found, TP/(TP+FN); 1 where there are none.

    Examples
    --------
    >>> true_positive_rate([0, 3], [3, 5, 6])
    0.5
    >>> true_positive_rate([], [3, 5, 6])
    1.0
    """
    truth, found = _masks(support_true, support)
    return _share(_size(truth & found), _size(truth), empty=1.0)


def false_discovery_rate(support_true: Support, support: Support) -> Any:
    """Share of the found columns that are not true, FP/(FP+TP); 0 where nothing was found.

    Examples
    --------
    >>> false_discovery_rate([0, 3], [3, 5, 6, 7])
    0.75
    >>> false_discovery_rate([0, 3], [])
    0.0
    """
    truth, found = _masks(support_true, support)
    return _share(_size(found & ~truth), _size(found), empty=0.0)


def f1(support_true: Support, support: Support) -> Any:
    """Twice the columns in common over the columns of both, 2TP/(2TP+FP+FN); 1 if both are empty.

    Examples
    --------
    >>> f1([0, 3], [3, 5])
    0.5
    >>> f1([], [])
    1.0
    """
    truth, found = _masks(support_true, support)
    return _share(2 * _size(truth & found), _size(truth) + _size(found), empty=1.0)


def hamming(support_true: Support, support: Support) -> Any:
    """Number of columns in one support and not in the other.

    Examples
    --------
    >>> hamming([0, 3], [3, 5])
    2
    """
    truth, found = _masks(support_true, support)
    return _plain(_size(truth != found))


def _size(mask: np.ndarray) -> Any:
    return np.count_nonzero(mask, axis=-1)


def _share(part: Any, whole: Any, empty: float) -> Any:
    """Return part/whole, or ``empty`` where the whole is nothing."""
    return _plain(np.where(whole == 0, empty, part / np.maximum(whole, 1)))


def _masks(support_true: Support, support: Support) -> tuple[np.ndarray, np.ndarray]:
    """Return both supports as masks over the same columns, leading axes broadcast."""
    pair = [_as_array(support_true), _as_array(support)]
    widths = {array.shape[-1] for array in pair if array.dtype == bool}
    if len(widths) > 1:
        raise ValueError(
            f"masks of {pair[0].shape[-1]} and {pair[1].shape[-1]} columns; "
            "give both over the same columns"
        )
    if not widths:
        widths = {max(int(array.max(initial=-1)) + 1 for array in pair)}
    truth, found = np.broadcast_arrays(*(_as_mask(array, *widths) for array in pair))
    return truth, found


def _as_array(support: Support) -> np.ndarray:
    """Return a mask (..., D) or indices (K,), whichever was given."""
    array = np.asarray(sorted(support) if isinstance(support, set | frozenset) else support)
    if array.dtype == bool and array.ndim:
        return array
    if array.shape == (0,):
        return np.zeros(0, dtype=np.int64)
    if array.ndim != 1 or array.dtype.kind not in "iu":
        raise ValueError(
            f"a support of dtype {array.dtype} and shape {array.shape}; give a boolean mask "
            "(for coefficients: coef != 0) or a sequence of column indices"
        )
    if array.min() < 0 or len(np.unique(array)) < len(array):
        raise ValueError(
            f"column indices {array.tolist()} are negative or repeated; give each column once, "
            "from 0 on, or a mask as booleans"
        )
    return array


def _as_mask(array: np.ndarray, n_features: int) -> np.ndarray:
    if array.dtype == bool:
        return array
    if array.max(initial=-1) >= n_features:
        raise ValueError(
            f"column index {array.max()} beside a mask of {n_features} columns; "
            f"give indices below {n_features}"
        )
    mask = np.zeros(n_features, dtype=bool)
    mask[array] = True
    return mask


# --- coefficients ---------------------------------------------------------------------------------


def sign_recovery(coef_true: Any, coef: Any) -> Any:
    """Whether every coefficient has the right sign, zeros included.

    Examples
    --------
    >>> sign_recovery([1.0, 0.0, -1.0], [0.2, 0.0, -3.0])
    True
    >>> sign_recovery([1.0, 0.0], [[1.0, 0.1], [2.0, 0.0]])
    array([False,  True])
    """
    truth, found = _vectors(coef_true, coef)
    return _plain(np.all(np.sign(truth) == np.sign(found), axis=-1))


def estimation_error(coef_true: Any, coef: Any) -> Any:
    r"""Euclidean distance :math:`\|\hat\beta - \beta^*\|_2`, which Theorem 2 sends to zero.

    Examples
    --------
    >>> estimation_error([1.0, 0.0, -1.0], [1.0, 3.0, 3.0])
    5.0
    """
    truth, found = _vectors(coef_true, coef)
    return _plain(np.linalg.norm(found - truth, axis=-1))


def excess_residual(X: Any, y: Any, coef_true: Any, coef: Any) -> Any:
    r"""Mean squared residual of ``coef`` less that of the truth.

    .. math:: (\|y - X\hat\beta\|^2 - \|y - X\beta^*\|^2) / N

    Negative where the answer fits the noise; computed from the product of the difference and the
    sum of the two residuals, so that it does not cancel. ``X`` is (..., N, D), ``y`` (..., N).

    Examples
    --------
    >>> excess_residual([[1.0], [1.0]], [1.0, 3.0], [1.0], [2.0])
    -1.0
    """
    truth, found = _vectors(coef_true, coef)
    X, y = np.asarray(X, dtype=float), np.asarray(y, dtype=float)
    if X.ndim < 2 or X.shape[-2:] != (*y.shape[-1:], truth.shape[-1]):
        raise ValueError(
            f"X of shape {X.shape} with y of shape {y.shape} and {truth.shape[-1]} coefficients; "
            "give X with a row for each y and a column for each coefficient"
        )
    difference, total = np.matvec(X, truth - found), 2.0 * y - np.matvec(X, truth + found)
    return _plain(np.mean(difference * total, axis=-1))


def _vectors(coef_true: Any, coef: Any) -> tuple[np.ndarray, np.ndarray]:
    truth, found = np.asarray(coef_true, dtype=float), np.asarray(coef, dtype=float)
    if truth.ndim == 0 or found.ndim == 0 or truth.shape[-1] != found.shape[-1]:
        raise ValueError(
            f"coefficients of shapes {truth.shape} and {found.shape}; "
            "give both over the same columns, on the last axis"
        )
    return truth, found


# --- whose fault ----------------------------------------------------------------------------------


def failure_kind(
    score: Any, true_score: Any, is_exact: Any, *, rtol: float = 1e-10, atol: float = 1e-7
) -> Any:
    """Say why the support was missed: "none", "statistical" or "optimisation".

    Lower scores are better. If what was returned scores no worse than the truth, no search under
    that score would have done better, and the failure is statistical; a tie within
    ``atol + rtol·|true_score|`` counts as such. Otherwise the search missed the truth, and so it
    did if it returned nothing (a score of NaN).

    Parameters
    ----------
    score, true_score : float or array
        Scores of the returned and of the true support, under the same criterion.
    is_exact : bool or array
        Whether the two supports are equal.
    rtol, atol : float
        How near two scores may be to count as equal.

    Returns
    -------
    kind : str, or array of str

    Examples
    --------
    >>> failure_kind(score=3.0, true_score=5.0, is_exact=False)
    'statistical'
    >>> failure_kind([5.0, 5.0, 6.0], 5.0, [True, False, False])
    array(['none', 'statistical', 'optimisation'], dtype='<U12')
    """
    score, true_score = np.asarray(score, dtype=float), np.asarray(true_score, dtype=float)
    is_exact = np.asarray(is_exact, dtype=bool)
    if np.any(np.isnan(true_score) & ~is_exact):
        raise ValueError("true_score is NaN; score the true support under the same criterion")
    # an infinite score (a perfect fit) is equal only to itself
    size = np.where(np.isfinite(true_score), np.abs(true_score), 0.0)
    is_no_worse = score <= true_score + (atol + rtol * size)
    kind = np.where(is_no_worse, "statistical", "optimisation")
    return _plain(np.where(is_exact, "none", kind))


# --- rates and their bands ------------------------------------------------------------------------


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
    return _plain(np.mean(values, axis=-1))


def bootstrap_interval(
    values: Any, level: float = 0.9, n_resamples: int = 2000, random_state: Any = 0
) -> Interval:
    """Percentile bootstrap band of the mean along the last axis, as in the paper's figures.

    The mean of n values drawn with replacement, ``n_resamples`` times, and the quantiles of these
    means that leave (1 − level)/2 on either side. Successes, 0 or 1, are resampled as binomial
    counts, which is the same law. The band depends on the values, not on their order nor on what
    else is in the batch. It has no width where all values are equal: see :func:`wilson_interval`.

    Parameters
    ----------
    values : array of shape (..., n)
        Outcomes, one per repetition.
    level : float
        Share of the resampled means inside the band.
    n_resamples : int
        How many means.
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
    return Interval(_plain(low), _plain(high))


def _binomial_means(values: np.ndarray, n_resamples: int, random_state: Any) -> np.ndarray:
    """Means of resampled 0/1 values, (n_resamples, ...); equal rates have equal draws."""
    n = values.shape[-1]
    counts, which = np.unique(np.count_nonzero(values, axis=-1), return_inverse=True)
    draws = [
        np.random.default_rng(random_state).binomial(n, count / n, size=n_resamples)
        for count in counts
    ]
    return np.stack(draws, axis=-1)[:, which] / n


def _resampled_means(values: np.ndarray, n_resamples: int, random_state: Any) -> np.ndarray:
    """Means of resampled values, (n_resamples, ...); the same rows for every member of a batch."""
    rng, n = np.random.default_rng(random_state), values.shape[-1]
    flat = values.reshape(-1, n)
    means = np.empty((n_resamples, len(flat)))
    step = max(1, _CHUNK // n)
    for begin in range(0, n_resamples, step):
        n_draws = min(step, n_resamples - begin)
        # how often each value is drawn: the means of all members are then one product
        times = rng.multinomial(n, np.full(n, 1.0 / n), size=n_draws)
        means[begin : begin + n_draws] = times @ flat.T / n
    return means.reshape(n_resamples, *values.shape[:-1])


def wilson_interval(n_success: Any, n: Any, level: float = 0.9) -> Interval:
    r"""Wilson's score interval of a rate, which keeps its width at 0 and at 1.

    The rates p that a normal test would not reject, :math:`|\hat p - p| \le z\sqrt{p(1-p)/n}`;
    no trials, no knowledge: the interval is [0, 1] for n = 0.

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
    # the upper end by way of the failures: then both ends are exact where they are 0 and 1
    low, rest = ((count + z2 / 2.0 - spread) / (n + z2) for count in (s, n - s))
    return Interval(_plain(low), _plain(1.0 - rest))


def _tails(level: float) -> tuple[float, float]:
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
