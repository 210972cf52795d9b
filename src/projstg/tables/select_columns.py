"""From a table and a question to the answer: read, prepare, choose, check."""

from __future__ import annotations

from collections.abc import Iterable
from time import perf_counter
from typing import Any, Literal

from .._printable import shortened
from ..render.progress_bar import Show
from .answer.answer import answered
from .files.given_table import as_read, beside, is_response
from .files.pieces import LargeFile
from .files.read_table import Read
from .large_files.sum_columns import prepared_file
from .prepare.design_matrix import prepared_table
from .prepare.prepared import Prepared
from .prepare.recipe import with_decimals
from .selection.result import Selection
from .words.notes import TableError
from .words.question import TableQuestion, named_target

__all__ = ["chosen_from", "select"]


def select(
    table: Any,
    target: Any = None,
    k: int | Literal["auto"] | None = "auto",
    *,
    always: Iterable[str] = (),
    never: Iterable[str] = (),
    weights: Any = None,
    criterion: Literal["common-size", "evidence", "least-squares"] = "common-size",
    missing: Literal["error", "drop", "mean"] = "error",
    levels: Literal["reference", "all"] = "reference",
    folds: int = 5,
    sizes: bool | str | Iterable[int] = False,
    random_state: int = 0,
    sheet: str | None = None,
) -> Selection:
    """Choose the columns of a table that another of its columns, the target, depends on.

    Parameters
    ----------
    table : DataFrame, path, list of paths, array X, or pair (X, y)
        A data frame; a file: CSV, TSV or lines of JSON, plain or gzipped, Parquet, Feather or an
        Excel workbook; several files with the same columns; or the columns alone, with the target
        beside them, as arrays or frames: ``select(X, y)``.
    target : str or array-like of shape (n_samples,)
        The column to explain, or its values. With a pair (X, y) it may be left out, and otherwise
        names y.
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
    >>> found = select(X, y, k=5)
    >>> sorted(found.columns)
    ['bmi', 'bp', 's3', 's5', 'sex']
    >>> print(f"{found.r2_in_sample:.2f} {found.r2_out_of_sample:.2f}")
    0.51 0.50
    """
    start = perf_counter()
    if is_response(target):
        table, target = beside(table, target), None
    read, target, weights = as_read(table, target, weights, sheet)
    question = TableQuestion(
        target=named_target(target, read.names),
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


def chosen_from(
    read: Read | LargeFile, question: TableQuestion, start: float, show: Show | None = None
) -> tuple[Selection, Prepared]:
    """Return the answer for a table that has been read, and the numbers it was found in.

    ``start`` is when reading began, on the clock of ``perf_counter``. A file that does not fit into
    memory is read here. ``show`` is told how far it is.
    """
    data: Prepared
    if isinstance(read, Read):
        _check_saved(read, question.target)
        may = read.may_have_thousands
        rows = prepared_table(read.frame, question, may_have_thousands=may)
        facts, notes = dict(read.facts), read.notes
        recipe = with_decimals(rows.recipe, facts.pop("decimals", {}))
        data = rows._replace(files=read.files, recipe=recipe)
    else:
        sums, facts, notes = prepared_file(read, question, show)
        data = sums._replace(recipe=with_decimals(sums.recipe, facts.pop("decimals", {})))
    source = {"name": read.name, **facts}
    seconds = {"read": perf_counter() - start}
    return answered(data, question, source, notes, seconds, show), data


def _check_saved(read: Read, target: str) -> None:
    """Raise where the target is empty because its formulas have no saved values."""
    if any(note.kind == "formulas" and target in note.columns for note in read.notes):
        raise TableError(
            f"the target '{shortened(target)}' has formulas without saved values; open the "
            "workbook in Excel and save it."
        )
