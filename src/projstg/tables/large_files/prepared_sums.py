"""A prepared table of which there are sums over the rows, by fold, and a few rows."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from ..._extras import extra
from ...estimators.projected_stg import ProjectedSTG
from ...sources import Statistics
from ..prepare.level_columns import Factor
from ..prepare.prepared import RowResiduals, SomeRows, SquaredErrors
from ..prepare.recipe import Recipe
from ..prepare.sum_folds import SumFolds
from ..prepare.target_facts import TargetValues
from ..words.notes import Note
from .coded_pieces import NumberPiece

__all__ = ["PreparedSums"]

# Sums of squares have some 15 digits; of a difference this small three are left or so.
_FEW_DIGITS = 1e-12


class PreparedSums(NamedTuple):
    """A problem: columns that vary, all numbers finite."""

    statistics: Statistics
    names: list[str]
    target: str
    always: np.ndarray
    """Mask of the columns that must be chosen."""
    notes: list[Note]
    recipe: Recipe
    n_rows: int
    """Rows that are used; each has a positive weight."""
    values: TargetValues
    few: SomeRows
    places: np.ndarray
    """Where the columns are among those of a piece, (D,)."""
    pieces: Callable[[], Iterator[NumberPiece]]
    """Reads the rows again."""
    factors: tuple[Factor, ...] = ()
    """The text columns among the columns."""

    @property
    def n_numbers(self) -> int:
        """Numbers that a fit works on."""
        return self.statistics.n_features**2

    @property
    def weight_sum(self) -> float:
        """Σw, or the number of rows."""
        return self.statistics.weight_sum

    def fitted(self, params: dict, *callbacks: Any) -> ProjectedSTG:
        """Return a model with these parameters, fitted to all rows."""
        model = ProjectedSTG(**params).set_callbacks(*callbacks)
        return model.fit(self.statistics).set_callbacks()

    def errors(self, coef: np.ndarray, intercept: float) -> SquaredErrors:
        """Return those of a prediction on all rows; the mean is their own.

        Where hardly any error is left sums have too few digits for it, and the rows are read again.
        """
        found = SquaredErrors(*self.statistics.squared_errors(coef, intercept))
        if found.error > _FEW_DIGITS * found.total:
            return found
        error = 0.0
        for piece in self.pieces():
            off = self._off(piece, coef, intercept)
            error += float(np.sum(off**2 if piece.weights is None else piece.weights * off**2))
        return found._replace(error=error)

    def _off(self, piece: NumberPiece, coef: np.ndarray, intercept: float) -> np.ndarray:
        return piece.y - piece.X[:, self.places] @ coef - intercept

    def target_values(self) -> TargetValues:
        """Return which values the target has."""
        return self.values

    def correlations(self) -> np.ndarray:
        """Return the correlation of each column with the target, (D,)."""
        sums = self.statistics.sums
        lengths = np.sqrt(np.diagonal(sums.G[0])) * np.sqrt(sums.yy[0])
        return np.divide(sums.b[0], lengths, out=np.zeros_like(lengths), where=lengths > 0.0)

    def residuals(self, coef: np.ndarray, intercept: float) -> Iterator[RowResiduals]:
        """Yield those of all rows; the file is read once more."""
        for piece in self.pieces():
            yield RowResiduals(piece.y, self._off(piece, coef, intercept))

    def deviation(self, place: int) -> float:
        """Return the standard deviation of a column."""
        return float(np.sqrt(self.statistics.xx[place, place] / self.weight_sum))

    def some_rows(self, seed: int) -> SomeRows:
        """Return the rows that were kept: those of the seed of the question."""
        return self.few

    def folds(self, n_folds: int, seed: int) -> SumFolds:
        """Return the rows in the folds that they were put into, with the seed of the question."""
        if n_folds and n_folds != self.statistics.n_folds:
            raise RuntimeError(f"the rows are in {self.statistics.n_folds} folds, not {n_folds}.")
        return SumFolds(self.statistics)

    def write_csv(self, path: Path, columns: list[str], header: list[str]) -> None:
        """Write these columns and the target, of the rows used; the file is read once more."""
        pandas = extra("pandas", "cli")
        places = [self.places[self.names.index(name)] for name in columns]
        with path.open("w", encoding="utf-8", newline="") as file:
            for i, piece in enumerate(self.pieces()):
                values = [*(piece.X[:, place] for place in places), piece.y]
                frame = pandas.DataFrame(dict(enumerate(values))).set_axis(header, axis=1)
                frame.to_csv(file, index=False, header=i == 0)
