"""Standardised problems from rows, for tests of what comes after standardising."""

from projstg._core.data.batch import centred_rows
from projstg._core.data.standardize import standardized


def batch_of(X, y, weights=None, *, centre=True):
    """Problems X (B, N, D), y (B, N) through their rows, however many these are."""
    return standardized(centred_rows(X, y, weights, centre=centre)[0])[0]


def problem_of(X, y, weights=None, *, centre=True):
    """One problem X (N, D), y (N,); ``.by_sums`` is the same through its sums."""
    weights = None if weights is None else weights[None]
    return batch_of(X[None], y[None], weights, centre=centre).problem(0)
