"""The exact scores of supports of a problem over a few hundred of its columns.

:mod:`.evidence` has the formula.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..data.determined_directions import on_rows, spectrum
from ..data.problem import Problem
from ..kernel import library
from ..kernel.library import Record
from ..kernel.twin import answered_by
from .compiled import field_record, judge_record, row_record
from .criterion import Judge
from .evidence import scores_by_ridge, total_score
from .tableau import Field

__all__ = ["Scores", "scores_of"]


class Scores(NamedTuple):
    """Those of C supports; lower is better."""

    total: np.ndarray
    """(C,)."""
    by_ridge: np.ndarray
    """At each ridge of the criterion, (C, R)."""


def _by_kernel(
    problem: Problem,
    field: Field,
    columns: np.ndarray,
    supports: np.ndarray,
    judge: Judge,
    n_redundant: int = 0,
) -> Scores:
    """Return what :func:`scores_of` returns, by the compiled kernel."""
    by, rows = judge_record(judge), row_record(problem, columns, fetch=False)
    scores, has_digits = _scored(field, by, rows, supports, n_redundant)
    if not has_digits and rows is None and problem.has_rows:
        # Of a large table only the columns that are used are fetched.
        used = np.unique(supports)
        rows = row_record(problem, columns[used], fetch=True)
        few = field._replace(
            G=field.G[np.ix_(used, used)],
            b=field.b[used],
            excluded=field.excluded[used],
            locked=field.locked[used],
        )
        scores, _ = _scored(few, by, rows, np.searchsorted(used, supports), n_redundant)
    return scores


def _scored(
    field: Field, by: Record, rows: Record | None, supports: np.ndarray, n_redundant: int
) -> tuple[Scores, bool]:
    """Return the scores, and whether sums of squares had digits enough for them."""
    supports = np.ascontiguousarray(supports, dtype=np.int64)
    C, K = supports.shape
    found = Scores(np.empty(C), np.empty((C, by.R)))
    scoring = library.ScoringRecord.of(
        n_redundant=n_redundant, C=C, K=K, supports=supports, **found._asdict()
    )
    has_digits = library.KERNEL.projstg_scores(field_record(field), by, rows, scoring)
    if has_digits < 0:
        raise MemoryError(f"no memory for scores of supports of {K} columns")
    return found, bool(has_digits)


@answered_by(_by_kernel)
def scores_of(
    problem: Problem,
    field: Field,
    columns: np.ndarray,
    supports: np.ndarray,
    judge: Judge,
    n_redundant: int = 0,
) -> Scores:
    """Return the scores of supports (C, K).

    They are columns of the ``field``, in increasing order; ``columns`` (W,) are those of
    ``problem`` that it has. ``n_redundant`` columns of every support do not count.
    """
    G = field.G[supports[:, :, None], supports[:, None, :]]
    found = on_rows(problem, columns[supports], spectrum(G, field.b[supports], field.yy))
    scores = scores_by_ridge(found, field.yy, field.dof, field.n, judge, n_redundant)
    return Scores(total_score(scores), scores)
