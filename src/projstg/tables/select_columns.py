"""From a table and a question to the answer: read, prepare, choose, check."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from time import perf_counter
from typing import Any

import numpy as np

from .._extras import extra
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
    target: str | None = None,
    k: int | str | None = "auto",
    *,
    always: Iterable[str] = (),
    never: Iterable[str] = (),
    weights: Any = None,
    criterion: str = "common-size",
    missing: str = "error",
    levels: str = "reference",
    folds: int = 5,
    sizes: bool = False,
    random_state: int = 0,
) -> Selection:
    """Choose the columns of a table that another of its columns, the target, depends on.

    Parameters
    ----------
    table : DataFrame, path, or pair (X, y)
        A data frame; a CSV, TSV or Parquet file, plain or gzipped; or the columns and the target
        apart, as arrays or frames.
    target : str
        The column to explain. With (X, y) it may be left out.
    k : int, "auto" or None, default="auto"
        How many columns to choose. "auto" lets the evidence say; None takes every column whose
        gate is open, without the search.
    always, never : iterable of str
        Columns that must, or must not, be chosen; a level of a text column as "column=level".
    weights : str, array-like or None
        How many rows each row counts for: a column of the table, or the numbers.
    criterion : {"common-size", "evidence", "least-squares"}, default="common-size"
        What makes one choice better than another of the same size; see :class:`ProjectedSTG`.
    missing : {"error", "drop", "mean"}, default="error"
        What to do about missing values: raise and say where they are, leave the rows out, or fill
        in the column's mean; in text they are then a level of its own, "(missing)".
    levels : {"reference", "all"}, default="reference"
        Which levels of a text column become columns of zeros and ones: all but the most frequent,
        with which the others are compared, or all where there are more than two.
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
    >>> found = select((X, y), k=5)
    >>> sorted(found.columns)
    ['bmi', 'bp', 's3', 's5', 'sex']
    >>> print(f"{found.r2_in_sample:.2f} {found.r2_out_of_sample:.2f}")
    0.51 0.50
    """
    start = perf_counter()
    read, target, weights = _as_read(table, target, weights)
    question = TableQuestion(
        target=named_target(target, names_of(read)),
        k=k,
        criterion=criterion,
        always=always,
        never=never,
        weights=weights,
        missing=missing,
        levels=levels,
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
        raise TableError(f"a table is a data frame, a path or a pair (X, y); {_seen(table)}.")
    if weights is None or isinstance(weights, str):
        return read, target, weights
    if not isinstance(read, Read):
        raise TableError(f"{read.name} does not fit into memory; weights must be a column of it.")
    weights = np.asarray(weights, dtype=np.float64)
    if weights.shape != (len(read.frame),):
        raise TableError(f"weights have shape {weights.shape} for {len(read.frame)} rows.")
    name = _free_name("weights", read.frame.columns)
    return read._replace(frame=read.frame.assign(**{name: weights})), target, name


def _joined(pandas: Any, pair: tuple, target: str | None) -> tuple[Any, str]:
    """Return (X, y) as one frame and the name of the target."""
    if len(pair) != 2:
        raise TableError(f"give a pair (X, y); a tuple of {len(pair)} was given.")
    X, y = pair
    if not is_table(X, y):
        raise TableError(f"give X and y as arrays or frames; {_seen(X)}.")
    if not isinstance(X, pandas.DataFrame):
        X = np.asarray(X)
        if X.ndim != 2:
            raise TableError(f"X must have rows and columns; its shape is {X.shape}.")
        X = pandas.DataFrame(X, columns=[f"x{place}" for place in range(X.shape[1])])
    values = np.asarray(y)
    if values.shape != (len(X),):
        raise TableError(f"y has shape {values.shape} for {len(X)} rows of X.")
    X = X.set_axis([str(name) for name in X.columns], axis=1).reset_index(drop=True)
    wanted = target or getattr(y, "name", None) or "y"
    name = _free_name(str(wanted), X.columns)
    return pandas.concat([X, pandas.Series(values, name=name)], axis=1), name


def _seen(given: Any) -> str:
    """Return what was given instead of a table, and what to do with it."""
    if is_table(given, None):
        return f"you gave a {type(given).__name__}"
    return f"you gave {source_name(given)}, and ProjectedSTG().fit learns from that"


def _free_name(name: str, names: Iterable[str]) -> str:
    while name in set(names):
        name += "'"
    return name
