r"""Are K columns too many for the rows? Then the choice among them says nothing.

Once K reaches the rank of X, any K independent columns fit as well as all columns do, and where the
rank is that of the rows they fit any y without error. So K should be below the rank, unless all
columns are wanted and they are independent.

Two steps find out whether the rank is above K. With λ_d the eigenvalues
of XᵀX the rank is at least (Σλ_d)²/Σλ_d², by Cauchy and Schwarz: two sums over a matrix, and enough
on most tables. Otherwise the rank is computed (``_core/data/table_rank.py``).

With K from the data the core finds out itself, and says so by the number of columns it went among.
"""

from __future__ import annotations

import numpy as np

from .._core.arrays.backend import Array, namespace, to_numpy
from .._core.data.quadratic import Problem, RowQuadratic, WideQuadratic, on_host
from .._core.data.standard_table import StandardTable
from .._core.data.table_rank import rank_up_to
from .._messages import Argument, Message

__all__ = ["too_few_rows", "too_many_columns"]

# Up to so many columns the search has formed XᵀX already.
_FEW_COLUMNS = 300
# So many columns are enough for a lower bound of the rank; all columns of a wide table take long.
_MOST_COLUMNS = 1000
# So many tables at once.
_BLOCK = 64


def too_many_columns(table: StandardTable, k: int | None) -> Message | None:
    """Return a sentence about the tables of a batch for which K columns are too many, or None."""
    if k is None:
        return None
    suspects = np.flatnonzero(to_numpy(_least_rank(table.problem)) <= k)
    if not suspects.size:
        return None
    problem, varies = on_host(table.problem), to_numpy(table.varies)
    found = []
    for i in suspects.tolist():
        said = _one_table(problem.problems(np.asarray([i])), int(varies[i].sum()), k)
        found += [] if said is None else [said]
    return Message(_where(len(found), len(varies)), found[0]) if found else None


def too_few_rows(table: StandardTable, n_columns: np.ndarray, n_always: int) -> Message | None:
    """Return a sentence about the tables of a batch whose rows are too few to choose K, or None.

    ``n_columns``, (B,), says among how many columns the choice went: none in these.
    """
    few = np.flatnonzero(n_columns == 0)
    if not few.size:
        return None
    n_rows = int(float(table.problem.n[few[0]]) + 1e-6)
    return Message(
        f"{_where(few.size, n_columns.size)}{n_rows} rows are too few, or too much alike, to say "
        "which columns belong: none is selected",
        *((" beside those in ", Argument("always_select")) if n_always else ()),
        ", and no probability is known; give more rows.",
    )


def _where(n_found: int, n_tables: int) -> str:
    return f"in {n_found} of {n_tables} problems " if n_tables > 1 else ""


def _one_table(problem: Problem, n_varying: int, k: int) -> Message | None:
    freedom = int(float(problem.degrees_of_freedom[0]) + 1e-6)
    rank = min(rank_up_to(problem, k + 1), freedom)
    if rank > k or (rank == n_varying < freedom):
        return None
    asked = Argument("n_features_to_select", k)
    fewer = f"ask for at most {rank - 1}" if rank > 1 else "give more rows"
    if rank < freedom:
        return Message(
            asked,
            " is not below the rank of ",
            Argument("X"),
            f", {rank}: any {rank} independent columns fit as well, and which are chosen says "
            f"nothing; {fewer}.",
        )
    n_rows = int(float(problem.n[0]) + 1e-6)
    more = ", or give more rows" if rank > 1 else ""
    return Message(
        asked,
        " columns fit any values of ",
        Argument("y"),
        f" on {n_rows} rows without error, and which are chosen says nothing; {fewer}{more}.",
    )


def _squares(G: Array) -> Array:
    """Return the sum of the squares of each matrix (B, M, M), (B,)."""
    if isinstance(G, np.ndarray):
        return np.einsum("bij,bij->b", G, G)  # nothing as large as G is made
    return namespace(G).sum(G * G, axis=(-2, -1))


def _least_rank(problem: Problem) -> Array:
    """Return a lower bound of the rank of X, (B,): (tr XᵀX)² / ‖XᵀX‖²."""
    xp = namespace(problem.b)
    if isinstance(problem, WideQuadratic):
        step = -(-problem.b.shape[-1] // _MOST_COLUMNS)
        problem = problem.columns(np.arange(0, problem.b.shape[-1], step)[None])
    if isinstance(problem, RowQuadratic) and problem.X.shape[-1] > _FEW_COLUMNS:
        step = -(-problem.X.shape[-1] // _MOST_COLUMNS)
        X, trace = problem.X[:, :, ::step], xp.sum(problem.diagonal[:, ::step], axis=-1)
        # XXᵀ has the same eigenvalues as XᵀX, and zeros; blocks of tables stay in the cache.
        n = X.shape[0]
        blocks = (X[i : min(i + _BLOCK, n), ...] for i in range(0, n, _BLOCK))
        square = xp.concat([_squares(block @ xp.matrix_transpose(block)) for block in blocks])
    else:
        square, trace = _squares(problem.gram.G), xp.sum(problem.diagonal, axis=-1)
    bound = trace * trace / xp.where(square > 0.0, square, xp.ones_like(square))
    return xp.floor(bound * (1.0 - 1e-9))
