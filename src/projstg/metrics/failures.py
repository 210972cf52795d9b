"""Why a support was missed: the score prefers another one, or the search did not find it."""

from __future__ import annotations

from typing import Any

import numpy as np

from .plain_values import plain_value

__all__ = ["failure_kind"]


def failure_kind(
    score: Any, true_score: Any, is_exact: Any, *, rtol: float = 1e-10, atol: float = 1e-7
) -> Any:
    """Say why the support was missed: "none", "statistical" or "optimisation".

    Lower scores are better. If the answer scores no worse than the truth, a better search under
    this score would not find the truth either: the failure is statistical. A tie within
    ``atol + rtol·|true_score|`` counts as no worse. Otherwise the search missed the truth: the
    failure is one of optimisation. So is an answer without a score (NaN).

    Parameters
    ----------
    score, true_score : float or array
        Scores of the returned and of the true support, under the same criterion.
    is_exact : bool or array
        Whether the two supports are equal.
    rtol, atol : float
        Two scores closer than ``atol + rtol·|true_score|`` count as equal.

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
    # an infinite score (a perfect fit) equals only itself
    size = np.where(np.isfinite(true_score), np.abs(true_score), 0.0)
    is_no_worse = score <= true_score + (atol + rtol * size)
    kind = np.where(is_no_worse, "statistical", "optimisation")
    return plain_value(np.where(is_exact, "none", kind))
