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
from .read_table import Read, size_of
from .result import Selection
from .stacked_files import read_tables

__all__ = ["chosen_from", "frame_of_array", "names_of", "select", "table_of"]


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
    folds: int = 5,
    sizes: bool | str | Iterable[int] = False,
    random_state: int = 0,
    sheet: str | None = None,
) -> Selection:
    """Choose the columns of a table that another of its columns, the target, depends on.

    Parameters
    ----------
    table : DataFrame, path, list of paths, or pair (X, y)
        A data frame; a file: CSV, TSV or lines of JSON, plain or gzipped, Parquet, Feather or an
        Excel workbook; several files with the same columns; or the columns and the target apart,
        as arrays or frames.
    target : str
        The column to explain. With (X, y) it may be left out.
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
    sizes : bool, str or iterable of int, default=False
        Other numbers of columns to try, for ``selection.path``: ``"1-10"``, ``[2, 4, 8]``, or True
        for those around the answer.
    random_state : int, default=0
        The seed of the search's starts and of the folds.
    sheet : str or None
        The sheet of an Excel workbook; by default the first that has data.

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
    read, target, weights = _as_read(table, target, weights, sheet)
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
    memory is read here. ``show`` is told how far it is.
    """
    data: Prepared
    if isinstance(read, Read):
        may_have_thousands = "decimal" not in read.facts  # or marks of numbers were seen to
        data = prepared_table(read.frame, question, may_have_thousands=may_have_thousands)
        may = read.may_have_thousands
        data = prepared_table(read.frame, question, may_have_thousands=may)
        facts, notes = read.facts, read.notes
    else:
        data, facts, notes = prepared_file(read, question, show)
    source = {"name": read.name, **facts}
    seconds = {"read": perf_counter() - start}
    return answered(data, question, source, notes, seconds, show), data


def _as_read(
    table: Any, target: str | None, weights: Any, sheet: str | None
) -> tuple[Read | LargeFile, str | None, str | None]:
    """Return the table as if read, with target and weights as names of columns."""
    pandas = extra("pandas", "cli")
    paths = _paths(table)
    if sheet is not None and not paths:
        raise TableError('sheet="…" chooses a sheet of an Excel workbook; give its path.')
    if isinstance(table, tuple) and not paths:
        table, target = _joined(pandas, table, target)
    read = read_tables(paths, sheet=sheet) if paths else table_of(table)
    if weights is None or isinstance(weights, str):
        return read, target, weights
    if not isinstance(read, Read):
        raise TableError(f"{read.name} does not fit into memory; weights must be a column of it.")
    weights = np.asarray(weights, dtype=np.float64)
    if weights.shape != (len(read.frame),):
        raise TableError(f"weights have shape {weights.shape} for {len(read.frame)} rows.")
    name = _free_name("weights", read.frame.columns)
    return read._replace(frame=read.frame.assign(**{name: weights})), target, name


def _paths(table: Any) -> list[str | os.PathLike[str]]:
    """Return the paths that were given for a table, if any."""
    many = table if isinstance(table, list | tuple) else [table]
    return list(many) if all(isinstance(one, str | os.PathLike) for one in many) else []


def table_of(table: Any) -> Read | LargeFile:
    """Return a data frame, or the table at a path, as if read."""
    pandas = extra("pandas", "cli")
    if isinstance(table, str | os.PathLike):
        return read_tables([table])
    if isinstance(table, pandas.DataFrame) or (
        hasattr(table, "to_pandas") and is_table(table, None)
    ):
        table = table if isinstance(table, pandas.DataFrame) else table.to_pandas()
        names, notes = distinct(str(name) for name in table.columns)
        frame = table.reset_index(drop=True).set_axis(names, axis=1)
        return Read(frame, "data frame", {"format": "frame", **size_of(frame)}, notes)
    raise TableError(f"a table is a data frame, a path or a pair (X, y); {_seen(table)}.")


def frame_of_array(X: Any) -> Any:
    """Return an array as a frame with the columns x0, x1, ….

    Examples
    --------
    >>> list(frame_of_array([[1, 2], [3, 4]]).columns)
    ['x0', 'x1']
    """
    X = np.asarray(X)
    if X.ndim != 2:
        raise TableError(f"X must have rows and columns; its shape is {X.shape}.")
    names = [f"x{place}" for place in range(X.shape[1])]
    return extra("pandas", "cli").DataFrame(X, columns=names)


def _joined(pandas: Any, pair: tuple, target: str | None) -> tuple[Any, str]:
    """Return (X, y) as one frame and the name of the target."""
    if len(pair) != 2:
        raise TableError(f"give a pair (X, y); a tuple of {len(pair)} was given.")
    X, y = pair
    if not is_table(X, y):
        raise TableError(f"give X and y as arrays or frames; {_seen(X)}.")
    if not isinstance(X, pandas.DataFrame):
        X = frame_of_array(X)
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
