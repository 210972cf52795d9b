"""From a table and a question to the answer: read, prepare, choose, check."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from time import perf_counter
from typing import Any

import numpy as np

from .._extras import extra
from .._printable import shortened
from ..render.progress_bar import Show
from ..sources.gather import is_table, source_name
from .answer import answered
from .column_names import distinct
from .design_matrix import prepared_table
from .large_files.pieces import LargeFile
from .large_files.sum_columns import prepared_file
from .notes import TableError
from .prepared import Prepared
from .question import TableQuestion, named_target
from .read_table import Read, read_table, size_of
from .result import Selection

__all__ = ["chosen_from", "names_of", "select"]


def select(
    table: Any,
    target: Any = None,
    k: int | str | None = "auto",
    *,
    always: Iterable[str] = (),
    never: Iterable[str] = (),
    weights: Any = None,
    criterion: str = "common-size",
    missing: str = "error",
    folds: int = 5,
    sizes: bool = False,
    random_state: int = 0,
) -> Selection:
    """Choose the columns of a table that another of its columns, the target, depends on.

    Parameters
    ----------
    table : DataFrame, path, array X, or pair (X, y)
        A data frame; a CSV, TSV or Parquet file, plain or gzipped; or the columns alone, with the
        target beside them, as arrays or frames: ``select(X, y)``.
    target : str or array-like of shape (n_samples,)
        The column to explain, or its values. With a pair (X, y) it may be left out, and otherwise
        names y.
    k : int, "auto" or None, default="auto"
        How many columns to choose. "auto" lets the evidence say; None takes every column whose
        gate is open, without the search.
    always, never : iterable of str
        Columns that must, or must not, be chosen.
    weights : str, array-like or None
        How many rows each row counts for: a column of the table, or the numbers.
    criterion : {"common-size", "evidence", "least-squares"}, default="common-size"
        What makes one choice better than another of the same size; see :class:`ProjectedSTG`.
    missing : {"error", "drop", "mean"}, default="error"
        What to do about missing values: raise and say where they are, leave the rows out, or fill
        in the column's mean.
    folds : int, default=5
        Folds for R² on rows left out and for the stability of the choice; 0 does without.
    sizes : bool, default=False
        Whether to try other numbers of columns too, for ``selection.path``.
    random_state : int, default=0
        The seed of the search's starts and of the folds.

    Returns
    -------
    selection : Selection
        ``selection.table`` is the answer, ``selection.notes`` what was decided on the way.

    Raises
    ------
    TableError
        A ValueError of one line, for a table or a question that has no answer.

    Examples
    --------
    >>> from sklearn.datasets import load_diabetes
    >>> from projstg import select
    >>> X, y = load_diabetes(as_frame=True, scaled=False, return_X_y=True)
    >>> found = select(X, y, k=5)
    >>> sorted(found.columns)
    ['bmi', 'bp', 's3', 's5', 'sex']
    >>> print(f"{found.r2_in_sample:.2f} {found.r2_out_of_sample:.2f}")
    0.51 0.50
    """
    start = perf_counter()
    if _is_response(target):
        table, target = _beside(table, target), None
    read, target, weights = _as_read(table, target, weights)
    question = TableQuestion(
        target=named_target(target, names_of(read)),
        k=k,
        criterion=criterion,
        always=always,
        never=never,
        weights=weights,
        missing=missing,
        folds=folds,
        sizes=sizes,
        random_state=random_state,
    )
    return chosen_from(read, question, start)[0]


def names_of(read: Read | LargeFile) -> Sequence[str]:
    """Return the names of the columns of a table that was read, or is to be read in pieces."""
    return list(read.frame.columns) if isinstance(read, Read) else read.names


def chosen_from(
    read: Read | LargeFile, question: TableQuestion, start: float, show: Show | None = None
) -> tuple[Selection, Prepared]:
    """Return the answer for a table that has been read, and the numbers it was found in.

    ``start`` is when reading began, on the clock of ``perf_counter``. A file that does not fit into
    memory is read here, and ``show`` is told how far that is.
    """
    data: Prepared
    if isinstance(read, Read):
        may_have_thousands = read.facts.get("format") != "text"
        data = prepared_table(read.frame, question, may_have_thousands=may_have_thousands)
        facts, notes = read.facts, read.notes
    else:
        data, facts, notes = prepared_file(read, question, show)
    source = {"name": read.name, **facts}
    seconds = {"read": perf_counter() - start}
    return answered(data, question, source, notes, seconds), data


def _as_read(
    table: Any, target: str | None, weights: Any
) -> tuple[Read | LargeFile, str | None, str | None]:
    """Return the table as if read, with target and weights as names of columns."""
    pandas = extra("pandas", "cli")
    if isinstance(table, tuple):
        table, target = _joined(pandas, table, target)
    if isinstance(table, str | os.PathLike):
        read: Read | LargeFile = read_table(table)
    elif isinstance(table, pandas.DataFrame) or (
        hasattr(table, "to_pandas") and is_table(table, None)
    ):
        table = table if isinstance(table, pandas.DataFrame) else table.to_pandas()
        names, notes = distinct(str(name) for name in table.columns)
        frame = table.reset_index(drop=True).set_axis(names, axis=1)
        read = Read(frame, "data frame", {"format": "frame", **size_of(frame)}, notes)
    else:
        raise TableError(f"give a data frame, a path, or arrays, select(X, y); {_seen(table)}.")
    if weights is None or isinstance(weights, str):
        return read, target, weights
    if not isinstance(read, Read):
        raise TableError(f"{read.name} does not fit into memory; weights must be a column of it.")
    weights = np.asarray(weights, dtype=np.float64)
    if weights.shape != (len(read.frame),):
        raise TableError(f"weights have shape {weights.shape} for {len(read.frame)} rows.")
    name = _free_name("weights", read.frame.columns)
    return read._replace(frame=read.frame.assign(**{name: weights})), target, name


def _is_response(target: Any) -> bool:
    """Return whether the target is given by its values; texts, numbers and tuples are names."""
    return not isinstance(target, str | tuple) and hasattr(target, "__len__")


def _beside(table: Any, y: Any) -> tuple[Any, Any]:
    """Return X and y as a pair, or raise where y has no place."""
    if isinstance(table, tuple):
        raise TableError("y is given twice, in the pair (X, y) and beside it; leave one out.")
    if isinstance(table, str | os.PathLike):
        raise TableError('with a file, target is the name of a column, as in target="price".')
    return table, y


def _joined(pandas: Any, pair: tuple, target: str | None) -> tuple[Any, str]:
    """Return (X, y) as one frame and the name of the target."""
    if len(pair) != 2:
        raise TableError(f"give X and y, select(X, y); a tuple of {len(pair)} was given.")
    X, y = pair
    if not is_table(X, y):
        raise TableError(f"give X and y as arrays or frames; {_seen(X)}.")
    X, values = _named_columns(pandas, X), np.asarray(y)
    if values.shape != (len(X),):
        raise TableError(
            f"y has shape {values.shape} for {len(X)} rows of X; give one value for each row."
        )
    wanted = str(target or getattr(y, "name", None) or "y")
    _check_is_apart(X, values, wanted)
    name = _free_name(wanted, X.columns)
    return pandas.concat([X, pandas.Series(values, name=name)], axis=1), name


def _named_columns(pandas: Any, X: Any) -> Any:
    """Return X as a frame with texts for names; the columns of an array are x0, x1, …"""
    if hasattr(X, "to_pandas"):
        X = X.to_pandas()
    if not isinstance(X, pandas.DataFrame):
        if hasattr(X, "toarray"):
            raise TableError("X is sparse; pass X.toarray(), or use ProjectedSTG().fit(X, y).")
        X = np.asarray(X)
        if X.ndim != 2:
            raise TableError(f"X must have rows and columns; its shape is {X.shape}.")
        X = pandas.DataFrame(X, columns=[f"x{place}" for place in range(X.shape[1])])
    return X.set_axis([str(name) for name in X.columns], axis=1).reset_index(drop=True)


def _check_is_apart(X: Any, values: np.ndarray, name: str) -> None:
    """Raise where y, under its name, is still one of the columns of X."""
    if name in X.columns and np.array_equal(X[name].to_numpy(), values):
        shown = shortened(name)
        raise TableError(
            f"X still has the target '{shown}' in it; leave it out of X, or name it: "
            f"select(X, '{shown}')."
        )


def _seen(given: Any) -> str:
    """Return what was given instead of a table, and what to do with it."""
    if is_table(given, None):
        return f"you gave a {type(given).__name__} alone"
    return f"you gave {source_name(given)}, and ProjectedSTG().fit learns from that"


def _free_name(name: str, names: Iterable[str]) -> str:
    while name in set(names):
        name += "'"
    return name
