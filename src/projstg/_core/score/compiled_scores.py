"""Exact scores of supports, by the compiled kernel.

:func:`~.evidence.scores_by_ridge` is the definition.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..data.quadratic import Problem
from ..kernel import library
from ..kernel.library import Record
from .compiled import field_record, judge_record, row_record
from .criterion import Judge
from .tableau import Field

__all__ = ["Scores", "scores_compiled"]


class Scores(NamedTuple):
    """Those of C supports; lower is better."""

    total: np.ndarray
    """(C,)."""
    by_ridge: np.ndarray
    """At each ridge of the criterion, (C, R)."""


def scores_compiled(
    problem: Problem, field: Field, columns: np.ndarray, i: int, supports: np.ndarray, judge: Judge
) -> Scores:
    """Return the scores of supports (C, K) of problem i.

    They are columns of the ``field``, in increasing order; ``columns`` (W,) are those of
    ``problem`` that it has.
    """
    of, by = field_record(field, i), judge_record(judge, i)
    rows = row_record(problem, i, columns, fetch=False)
    n_redundant = int(field.redundant[i].sum())
    scores, has_digits = _scores(of, by, rows, n_redundant, supports)
    if not has_digits and rows is None and problem.rows_at is not None:
        # Of a large table only the columns that are used are fetched.
        used = np.unique(supports)
        of = field_record(_among(field, i, used), 0)
        rows = row_record(problem, i, columns[used], fetch=True)
        scores, _ = _scores(of, by, rows, n_redundant, np.searchsorted(used, supports))
    return scores


def _among(field: Field, i: int, columns: np.ndarray) -> Field:
    """Return problem i with some of its columns (W,) alone."""
    G = field.G[i][np.ix_(columns, columns)][None]
    numbers = (one[i : i + 1] for one in (field.yy, field.dof, field.n))
    masks = (one[i][columns][None] for one in (field.excluded, field.locked, field.redundant))
    return Field(G, field.b[i][columns][None], *numbers, *masks)


def _scores(
    of: Record, by: Record, rows: Record | None, n_redundant: int, supports: np.ndarray
) -> tuple[Scores, bool]:
    """Return the scores, and whether sums of squares had digits enough for them."""
    supports = np.ascontiguousarray(supports, dtype=np.int64)
    C, K = supports.shape
    found = Scores(np.empty(C), np.empty((C, by.R)))
    scoring = library.ScoringRecord.of(
        n_redundant=n_redundant, C=C, K=K, supports=supports, **found._asdict()
    )
    has_digits = library.KERNEL.projstg_scores(of, by, rows, scoring)
    if has_digits < 0:
        raise MemoryError(f"no memory for scores of supports of {K} columns")
    return found, bool(has_digits)
