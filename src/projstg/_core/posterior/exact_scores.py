"""Supports of one problem scored one by one, by the compiled kernel or by NumPy."""

from __future__ import annotations

import numpy as np

from ..arrays.backend import to_numpy
from ..data.quadratic import Problem
from ..kernel import library
from ..score.compiled_scores import Scores, scores_compiled
from ..score.criterion import Judge
from ..score.evidence import least_scores, scores_by_ridge, support_spectra, total_score
from ..score.tableau import Field
from ..search.working_set import restricted
from .all_residuals import all_residuals

__all__ = ["ExactScores"]


class ExactScores:
    """The scores of any supports of one problem, a batch of one, by a judge that is given.

    ``always`` and ``never`` are masks (D,); ``n_redundant`` of the columns that must be selected
    depend on others that must be. With more than ``most_columns`` the sums of all columns are not
    formed.
    """

    def __init__(
        self,
        problem: Problem,
        always: np.ndarray,
        never: np.ndarray,
        n_redundant: int,
        most_columns: int,
    ) -> None:
        self._problem, self._masks = problem, (never[None], always[None])
        self._n_redundant = n_redundant
        self._n_columns, self._most_columns = always.size, most_columns
        self._field: Field | None = None

    def total(
        self, supports: np.ndarray, judge: Judge, ridges: np.ndarray | None = None
    ) -> np.ndarray:
        """Return the scores of supports (M, K), over all ridges or those of a mask (R,)."""
        if library.KERNEL is not None:
            return self._compiled(supports, judge if ridges is None else judge.at(ridges)).total
        scores = self.by_ridge(supports, judge)
        return total_score(scores if ridges is None else scores[:, ridges])

    def by_ridge(self, supports: np.ndarray, judge: Judge) -> np.ndarray:
        """Return the scores of supports (M, K) at each ridge, (M, R)."""
        if library.KERNEL is not None:
            return self._compiled(supports, judge).by_ridge
        problem = self._problem
        yy, dof, n = (
            np.broadcast_to(to_numpy(field), (1, len(supports))).astype(float)
            for field in (problem.yy, problem.degrees_of_freedom, problem.n)
        )
        spectra = support_spectra(problem, supports[None])
        return scores_by_ridge(spectra, 0, yy, dof, n, judge, self._n_redundant)[0]

    def bounds(
        self, locked: np.ndarray, open_: np.ndarray, judge: Judge, cost_of_size: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        """Return every set of open columns, and the least cost of its support at each ridge.

        Sets of sizes that are not asked for are left out.
        """
        field, _ = self.field_of(np.arange(self._n_columns))
        yy, dof = float(field.yy[0]), float(field.dof[0])
        sets, residuals = all_residuals(field.G[0], field.b[0], yy, locked, open_)
        sizes = sets.sum(axis=1) + locked.size
        asked = np.isfinite(np.append(cost_of_size, np.full(open_.size, np.inf))[sizes])
        sets, residuals, sizes = sets[asked], residuals[asked], sizes[asked]
        least = least_scores(residuals, sizes - self._n_redundant, judge, yy, dof)
        return sets, least + cost_of_size[sizes, None]

    def field_of(self, supports: np.ndarray) -> tuple[Field, np.ndarray]:
        """Return the sums of the columns of some supports, or of all if these are not too many."""
        if self._n_columns > self._most_columns:
            columns = np.unique(supports)
            return restricted(self._problem, columns[None], *self._masks), columns
        every = np.arange(self._n_columns)
        if self._field is None:
            self._field = restricted(self._problem, every[None], *self._masks)
        return self._field, every

    def _compiled(self, supports: np.ndarray, judge: Judge) -> Scores:
        field, columns = self.field_of(supports)
        places = supports if columns.size == self._n_columns else columns.searchsorted(supports)
        return scores_compiled(self._problem, field, columns, 0, places, judge)
