"""``projstg predict``: an answer of ``projstg select`` used on another table.

Nothing but the standard library is imported until the command runs, so that help comes at once.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .._printable import amount, printable
from .command import in_options, read_files
from .words.argument_names import as_options
from .words.column_names import free_name
from .words.notes import TableError

if TYPE_CHECKING:
    from .files.read_table import Read
    from .selection.result import Selection

__all__ = ["predict_command"]

_HELP = """Predict the target for the rows of another table.

SELECTION is the folder that projstg select --out wrote, its selection.json, or what --json
printed. TABLE is CSV, TSV or lines of JSON, plain or gzipped, Parquet, Feather or an Excel
workbook, or - for standard input; the rows of several files with the same columns are taken
together. Columns are found by name, in any order; others do not matter. Where there is the
target, too, a line on standard error says how good the predictions are.
"""
_EPILOG = """\b
Examples:
  projstg select old.csv -t price --out answer
  projstg predict answer new.csv                             prints the predictions
  projstg predict answer new.csv --out priced.csv --interval 0.9

\b
Exit status: 0 predicted; 2 the files do not fit together or cannot be read or written,
one line on standard error says why; 130 stopped by Ctrl-C.
"""
_OPTION_HELP = {
    "--out": "Write the rows of TABLE with the predictions there, as CSV (.csv or .csv.gz).",
    "--averaged": "Average over all likely choices of columns; needs all columns.",
    "--interval": "Also say where a new value lies with this probability, such as 0.9; averaged.",
    "--delimiter": "What stands between fields, such as ; or tab; guessed.",
    "--decimal": "The decimal mark; guessed.",
    "--sheet": "The sheet of an Excel workbook; the first that has data.",
}
# Ends of names of files that are no CSV.
_OTHER_KINDS = {".arrow", ".feather", ".json", ".jsonl", ".ndjson", ".ods", ".parquet", ".xls"}
_OTHER_KINDS |= {".bz2", ".tsv", ".xlsm", ".xlsx", ".xz", ".zip", ".zst"}


def predict_command(click: Any) -> Any:
    """Return the command for click."""

    def option(name: str, **how: Any) -> Any:
        return click.Option([name], help=_OPTION_HELP[name], **how)

    level = click.FloatRange(0.0, 1.0, min_open=True, max_open=True)
    params = [
        click.Argument(["selection"], type=click.Path(path_type=Path)),
        click.Argument(
            ["tables"], nargs=-1, required=True, metavar="TABLE...", type=click.Path(path_type=str)
        ),
        option("--out", type=click.Path(path_type=Path), metavar="FILE"),
        option("--averaged", is_flag=True),
        option("--interval", type=level, metavar="P"),
        option("--delimiter", metavar="MARK"),
        option("--decimal", metavar="MARK"),
        option("--sheet", metavar="NAME"),
    ]
    callback = partial(in_options, _run)
    return click.Command("predict", callback=callback, params=params, help=_HELP, epilog=_EPILOG)


def _run(
    selection: Path,
    tables: tuple[str, ...],
    out: Path | None,
    averaged: bool,
    interval: float | None,
    **how: Any,
) -> int:
    """Do what was asked for and return the exit status."""
    from .prepare.recipe_columns import in_memory, known_cells
    from .selection.prediction import predicted
    from .selection.result import file_of_answer

    selection = Path(file_of_answer(selection))
    if out is not None:
        _check_out(out, [selection, *map(Path, tables)])
    answer = _loaded(selection)
    known = known_cells(answer.recipe)
    read = in_memory(read_files(tables, keeps_cells=out is not None, **known, **how))
    found = predicted(answer, read, averaged=averaged, interval=interval)
    # All that is said is known before the first line is printed.
    said = [as_options(line) for line in (*(note.text for note in read.notes), *found.lines)]
    said += _quality(answer, read, found.frame["prediction"].to_numpy())
    if out is None:
        # A line of one column without a value would be blank.
        print(found.frame.to_csv(index=False, na_rep="NA"), end="")
    else:
        _write(read, found.frame, out)
        said.append(f"written: {out}")
    for line in said:
        print(printable(line), file=sys.stderr)
    return 0


def _check_out(out: Path, given: Sequence[Path]) -> None:
    """Raise where the predictions would take the place of what was given, or are no such file."""
    for path in given:
        # Those of os.path are false for names that no file can have.
        if os.path.exists(path) and os.path.exists(out) and os.path.samefile(path, out):
            raise TableError(
                f"--out {printable(out)} would replace a file that is read; give another name."
            )
    if out.suffix.lower() in _OTHER_KINDS:
        raise TableError(
            f"--out writes CSV, and {printable(out.name)} would be another kind of file; give a "
            "name that ends in .csv or .csv.gz."
        )


def _loaded(path: Path) -> Selection:
    from .selection.result import Selection

    try:
        return Selection.load(path)
    except OSError as error:
        raise TableError(f"{printable(path)} cannot be read: {error.strerror}.") from None


def _quality(answer: Selection, read: Read, prediction: Any) -> list[str]:
    """Return R², where the table has the target."""
    from ..render.number_text import r_squared
    from .selection.prediction import known_r_squared

    known = known_r_squared(answer, read, prediction)
    if known is None:
        return []
    return [f"R² on {amount(known[1], 'row')} of {read.name}: {r_squared(known[0], 3)}"]


def _write(read: Read, predictions: Any, out: Path) -> None:
    """Write the rows that were read and the predictions, whole or not at all."""
    from .._extras import extra
    from .._files import replacing
    from .._interrupt import interruptible
    from .show.answer_files import formula_safe

    names = [*read.frame.columns]
    for name in predictions.columns:
        names.append(free_name(name, names))
    rows = read.frame if read.written is None else read.written
    whole = extra("pandas", "cli").concat([rows, predictions], axis=1)
    try:
        with interruptible(), replacing(out) as temporary:
            header = [formula_safe(str(name)) for name in names]
            how = "gzip" if out.suffix.lower() == ".gz" else None
            whole.set_axis(header, axis=1).to_csv(temporary, index=False, compression=how)
    except OSError as error:
        raise TableError(
            f"nothing is written to {printable(out)}: {error.strerror or error}."
        ) from None
