"""The columns of a table that are neither constant nor a repetition of an earlier one."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

__all__ = ["DistinctColumns", "distinct_columns"]

# A column repeats another if the absolute value of their correlation exceeds one minus this.
_SAME = 1e-10


@dataclass(frozen=True, eq=False)
class DistinctColumns:
    """Which columns are kept on some rows, and these with mean zero and mean square one."""

    kept: np.ndarray
    """Their indices, sorted, (n_kept,)."""
    representative: np.ndarray
    """For every column the kept one that it repeats, −1 for a constant, (n_features,)."""
    standardized: np.ndarray
    """The kept columns, (n_rows, n_kept)."""
    mean: np.ndarray
    """Means of the kept columns, (n_kept,)."""
    scale: np.ndarray
    """Standard deviations of the kept columns, (n_kept,)."""

    @property
    def note(self) -> str:
        """What was dropped, in words."""
        n_constant = int(np.sum(self.representative < 0))
        n_repeated = len(self.representative) - n_constant - len(self.kept)
        return (
            f"{len(self.kept)} of {len(self.representative)} columns kept: {n_constant} constant, "
            f"{n_repeated} duplicate in these rows"
        )

    def representatives(self, columns: np.ndarray) -> np.ndarray:
        """Return the kept columns that the given ones are or repeat; constants have none."""
        found = np.unique(self.representative[columns])
        return found[found >= 0]

    def applied(self, X: np.ndarray) -> np.ndarray:
        """Return the kept columns of other rows X (n_rows, n_features) on the same scale."""
        return (X[:, self.kept] - self.mean) / self.scale


def distinct_columns(X: np.ndarray) -> DistinctColumns:
    """Return the columns of X (n_rows, n_features) that vary and repeat no earlier one.

    One column repeats another if it is a multiple of it, up to a shift.

    Examples
    --------
    >>> X = np.array([[1.0, 5.0, 3.0, 0.0], [2.0, 5.0, 1.0, 1.0], [4.0, 5.0, -3.0, 1.0]])
    >>> found = distinct_columns(X)
    >>> found.kept.tolist(), found.representative.tolist()
    ([0, 3], [0, -1, 0, 3])
    >>> found.note
    '2 of 4 columns kept: 1 constant, 1 duplicate in these rows'
    """
    mean, scale = np.mean(X, axis=0), np.std(X, axis=0)
    varies = np.ptp(X, axis=0) > 0.0
    Z = (X - mean) / np.where(varies, scale, 1.0)
    alike = np.abs(Z.T @ Z) / len(X) > 1.0 - _SAME
    representative = np.full(X.shape[1], -1)
    kept: list[int] = []
    for j in np.flatnonzero(varies):
        earlier = [i for i in kept if alike[i, j]]
        representative[j] = earlier[0] if earlier else j
        if not earlier:
            kept.append(int(j))
    return DistinctColumns(
        np.array(kept, dtype=np.intp), representative, Z[:, kept], mean[kept], scale[kept]
    )
