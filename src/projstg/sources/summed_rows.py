"""What sums over rows say: counts, means, inner products and errors; of all rows, or by fold.

Nothing is added here; :mod:`.statistics` gathers the rows.
"""

from __future__ import annotations

from collections.abc import Sequence
from numbers import Integral
from typing import Any, Self

import numpy as np

from .._core.data.centred_sums import CentredSums
from .._did_you_mean import did_you_mean
from .._printable import shortened
from .fold_sums import FoldSums, squared_errors, together

__all__ = ["SummedRows"]


class SummedRows:
    """Sums over rows that have been gathered, and what follows from them."""

    _parts: FoldSums
    """The sums of each fold, one without folds."""
    _n_seen: int
    """All rows that were seen, those that were left out included."""
    n_dropped: int
    feature_names: np.ndarray | None
    target_names: np.ndarray | None

    def _like(self, parts: Sequence[CentredSums | None]) -> Self:
        """Return other sums with the same names."""
        raise NotImplementedError

    @property
    def _any_part(self) -> CentredSums | None:
        return next((part for part in self._parts if part is not None), None)

    @property
    def sums(self) -> CentredSums:
        """All rows together, as the core takes them."""
        return together(self._parts)

    @property
    def n_folds(self) -> int:
        """How many folds the rows are in; 0 where they are together."""
        return len(self._parts) if len(self._parts) > 1 else 0

    @property
    def n_rows(self) -> int:
        """Rows that count: not those of weight zero."""
        return sum(part.n_rows for part in self._parts if part is not None)

    @property
    def n_features(self) -> int:
        """D."""
        known = self._any_part
        return 0 if known is None else known.b.shape[1]

    @property
    def n_targets(self) -> int:
        """T."""
        known = self._any_part
        return 0 if known is None else known.b.shape[0]

    @property
    def weight_sum(self) -> float:
        """Σw."""
        return float(self.sums.n[0])

    @property
    def x_mean(self) -> np.ndarray:
        """Means of the columns, (D,)."""
        return self.sums.x_mean[0]

    @property
    def y_mean(self) -> np.ndarray:
        """Means of the targets, (T,)."""
        return self.sums.y_mean

    @property
    def xx(self) -> np.ndarray:
        """Inner products of columns about their means, (D, D)."""
        return self.sums.G[0]

    @property
    def xy(self) -> np.ndarray:
        """Inner products of columns and targets, (D, T)."""
        return self.sums.b.T

    @property
    def yy(self) -> np.ndarray:
        """Squares of the targets about their means, summed, (T,)."""
        return self.sums.yy

    def fold(self, i: int) -> tuple[Self, Self]:
        """Return the rows outside fold i, merged, and those inside it."""
        if not self.n_folds:
            raise ValueError("there are no folds; ask for them at the start: Statistics(folds=5).")
        place: Any = i
        if not (isinstance(place, Integral) and 0 <= int(place) < self.n_folds):
            raise ValueError(f"there is no fold {shortened(repr(i))}; give 0 … {self.n_folds - 1}.")
        if self._parts[i] is None:
            raise ValueError(
                f"fold {i} has no rows of a positive weight; gather them in fewer folds."
            )
        others = [part for j, part in enumerate(self._parts) if j != i]
        return self._like([together(others)]), self._like([together(self._parts[i : i + 1])])

    def without_folds(self) -> Self:
        """Return the sums over all rows; they are merged here, once."""
        found = self._like([self.sums])
        found._n_seen, found.n_dropped = self._n_seen, self.n_dropped
        return found

    def target(self, which: int | str) -> Self:
        """Return the statistics with one of the targets, by name or number."""
        place = self._target_place(which)
        parts = [None if part is None else part.response(place) for part in self._parts]
        found = self._like(parts)
        found._n_seen, found.n_dropped = self._n_seen, self.n_dropped
        if self.target_names is not None:
            found.target_names = self.target_names[place : place + 1]
        return found

    def columns(self, places: Any) -> Self:
        """Return the statistics of some of the columns, at these places, in this order."""
        own = self._column_places(places)
        found = self._like([None if part is None else part.among(own) for part in self._parts])
        found._n_seen, found.n_dropped = self._n_seen, self.n_dropped
        if self.feature_names is not None:
            found.feature_names = self.feature_names[own]
        return found

    def _column_places(self, places: Any) -> np.ndarray:
        """Return places of columns; a mask stands for those where it is true."""
        given = list(places) if hasattr(places, "__iter__") else [places]
        if len(given) == self.n_features and all(isinstance(one, bool | np.bool_) for one in given):
            return np.flatnonzero(given)
        is_whole = all(isinstance(one, Integral) and not isinstance(one, bool) for one in given)
        D = self.n_features
        if not given or not is_whole or any(not -D <= one < D for one in given):
            raise ValueError(
                f"there are no columns {shortened(repr(places))}; give their numbers, 0 … {D - 1}, "
                "such as [0]."
            )
        return np.asarray(given, dtype=np.int64)

    def _target_place(self, which: Any) -> int:
        if isinstance(which, str):
            names = [] if self.target_names is None else self.target_names.tolist()
            if which not in names:
                hint = did_you_mean(which, names) if names else "targets have no names: give 0, 1 …"
                raise ValueError(f"there is no target '{shortened(which)}'; {hint}")
            return names.index(which)
        if not (isinstance(which, Integral) and 0 <= int(which) < self.n_targets):
            raise ValueError(
                f"there is no target {which!r}; give a name, or 0 … {self.n_targets - 1}."
            )
        return int(which)

    def r_squared(self, coef: Any, intercept: float, mean: float | None = None) -> float:
        """Return R² of a prediction Xβ + β₀ of the one target on these rows.

        ``mean`` is what it is compared with, by default the mean of the target on these rows.
        """
        error, total = self.squared_errors(coef, intercept, mean)
        return 1.0 - error / total if total > 0.0 else float("nan")

    def squared_errors(
        self, coef: Any, intercept: float, mean: float | None = None
    ) -> tuple[float, float]:
        """Return Σ w (y − Xβ − β₀)² and Σ w (y − mean)² of the one target."""
        if self.n_targets != 1:
            raise ValueError(f"there are {self.n_targets} targets; take one of them by target().")
        own = np.asarray(coef, dtype=np.float64)
        if own.shape != (self.n_features,):
            raise ValueError(
                f"coef has shape {own.shape} for {self.n_features} columns; give one number for "
                "each column."
            )
        return squared_errors(self.sums, own, intercept, mean)

    def __repr__(self) -> str:
        folds = f", n_folds={self.n_folds}" if self.n_folds else ""
        return (
            f"Statistics(n_rows={self.n_rows}, n_features={self.n_features}, "
            f"n_targets={self.n_targets}{folds})"
        )
