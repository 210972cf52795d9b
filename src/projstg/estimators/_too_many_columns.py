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

from collections.abc import Sequence

import numpy as np

from .._core.arrays.backend import Array, namespace, to_numpy
from .._core.data.batch import Batch
from .._core.data.problem import Problem
from .._core.data.standard_table import StandardTables
from .._core.data.table_rank import rank_up_to
from .._messages import Argument, Message

__all__ = ["too_few_rows", "too_many_columns"]

# Up to so many columns the search has formed XᵀX already.
_FEW_COLUMNS = 300
# So many columns are enough for a lower bound of the rank; all columns of a wide table take long.
_MOST_COLUMNS = 1000
# So many tables at once.
_BLOCK = 64


def too_many_columns(groups: Sequence[tuple[np.ndarray, StandardTables]], k: int) -> Message | None:
    """Return a sentence about the tables for which K columns are too many, or None.

    It is about the first of them, by the numbers of the tables in each group.
    """
    found: dict[int, Message] = {}
    for numbers, tables in groups:
        for i in np.flatnonzero(_least_rank(tables) <= k).tolist():
            said = _one_table(tables.problem(i), k)
            if said is not None:
                found[int(numbers[i])] = said
    if not found:
        return None
    n_tables = sum(len(numbers) for numbers, _ in groups)
    return Message(_where(len(found), n_tables), found[min(found)])


def too_few_rows(n_rows: Sequence[float], n_tables: int, n_always: int) -> Message | None:
    """Return a sentence about tables, of ``n_tables``, that have too few rows to choose K, or None.

    ``n_rows`` are those of these tables.
    """
    if not n_rows:
        return None
    return Message(
        f"{_where(len(n_rows), n_tables)}{int(n_rows[0] + 1e-6)} rows are too few, or too much "
        "alike, to say which columns belong: none is selected",
        *((" beside those in ", Argument("always_select")) if n_always else ()),
        ", and no probability is known; give more rows.",
    )


def _where(n_found: int, n_tables: int) -> str:
    return f"in {n_found} of {n_tables} problems " if n_tables > 1 else ""


def _one_table(problem: Problem, k: int) -> Message | None:
    freedom, n_varying = int(problem.dof + 1e-6), int(np.sum(problem.diagonal > 0.0))
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
    n_rows = int(problem.n + 1e-6)
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


def _products(X: Array) -> Array:
    """Return XXᵀ, or XᵀX where that is smaller: the other has the same eigenvalues, and zeros."""
    Xt = namespace(X).matrix_transpose(X)
    return X @ Xt if X.shape[-2] < X.shape[-1] else Xt @ X


def _least_rank(tables: StandardTables) -> np.ndarray:
    """Return a lower bound of the rank of X, (B,): (tr XᵀX)² / ‖XᵀX‖²."""
    batch, step = tables.batch, -(-tables.columns.size // _MOST_COLUMNS)
    if batch is None:
        some = np.arange(0, tables.columns.size, step)
        batch, step = Batch.of([tables.problem(0).subset(some)]), 1
    xp, X, n = namespace(batch.b), batch.X, batch.b.shape[0]
    if X is None or (n <= _BLOCK and X.shape[-1] <= _FEW_COLUMNS):
        square, step = _squares(batch.G), 1
    else:  # blocks of tables stay in the cache
        blocks = (X[i : min(i + _BLOCK, n), :, ::step] for i in range(0, n, _BLOCK))
        square = xp.concat([_squares(_products(block)) for block in blocks])
    trace = xp.sum(batch.diagonal[:, ::step], axis=-1)
    bound = trace * trace / xp.where(square > 0.0, square, xp.ones_like(square))
    return to_numpy(xp.floor(bound * (1.0 - 1e-9)))
