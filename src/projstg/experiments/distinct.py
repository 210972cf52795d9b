"""The columns that differ: neither constant nor another one over again."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

__all__ = ["Columns", "distinct_columns"]

# A column repeats another if their correlation is no further than this from one or minus one.
_SAME = 1e-10


@dataclass(frozen=True, eq=False)
class Columns:
    """Which columns of some rows are kept, and these at mean zero and mean square one."""

    kept: np.ndarray
    """By index, in order."""
    stand_in: np.ndarray
    """For every column the kept one that says the same, −1 for a constant, (n_features,)."""
    standardized: np.ndarray
    """The kept columns, (n_rows, n_kept)."""
    mean: np.ndarray
    scale: np.ndarray

    @property
    def note(self) -> str:
        """Say what was dropped."""
        n_constant = int(np.sum(self.stand_in < 0))
        n_repeated = len(self.stand_in) - n_constant - len(self.kept)
        return (
            f"{len(self.kept)} of {len(self.stand_in)} columns kept: {n_constant} constant, "
            f"{n_repeated} duplicate in these rows"
        )

    def standing_for(self, columns: np.ndarray) -> np.ndarray:
        """Return the kept columns that say what the given ones do; constants say nothing."""
        found = np.unique(self.stand_in[columns])
        return found[found >= 0]

    def applied(self, X: np.ndarray) -> np.ndarray:
        """Return the kept columns of other rows on the same scale."""
        return (X[:, self.kept] - self.mean) / self.scale


def distinct_columns(X: np.ndarray) -> Columns:
    """Return the columns of X that vary and are no multiple of an earlier one, shifts aside.

    Examples
    --------
    >>> X = np.array([[1.0, 5.0, 3.0, 0.0], [2.0, 5.0, 1.0, 1.0], [4.0, 5.0, -3.0, 1.0]])
    >>> found = distinct_columns(X)
    >>> found.kept.tolist(), found.stand_in.tolist()
    ([0, 3], [0, -1, 0, 3])
    >>> found.note
    '2 of 4 columns kept: 1 constant, 1 duplicate in these rows'
    """
    mean, scale = np.mean(X, axis=0), np.std(X, axis=0)
    varies = np.ptp(X, axis=0) > 0.0
    Z = (X - mean) / np.where(varies, scale, 1.0)
    alike = np.abs(Z.T @ Z) / len(X) > 1.0 - _SAME
    stand_in = np.full(X.shape[1], -1)
    kept: list[int] = []
    for j in np.flatnonzero(varies):
        earlier = [i for i in kept if alike[i, j]]
        stand_in[j] = earlier[0] if earlier else j
        if not earlier:
            kept.append(int(j))
    return Columns(np.array(kept, dtype=np.intp), stand_in, Z[:, kept], mean[kept], scale[kept])
