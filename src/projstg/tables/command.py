"""``projstg select``: parse, call, print.

Nothing but the standard library is imported until the command runs, so that help comes at once.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Callable, Collection
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .._printable import few_names, printable, shortened
from .words.argument_names import as_options
from .words.notes import Note, TableError
from .words.question import CRITERIA, LEVELS, MISSING, TableQuestion, named_target

if TYPE_CHECKING:
    from ..render.progress_bar import Show
    from .files.pieces import LargeFile
    from .files.read_table import Read
    from .prepare.prepared import Prepared
    from .selection.result import Selection

__all__ = ["in_options", "read_files", "select_command"]

_HELP = """Say which columns of a table one of its columns depends on.

FILE is CSV, TSV or lines of JSON, plain or gzipped, Parquet, Feather or an Excel workbook,
or - for standard input; without it the diabetes table that comes with scikit-learn is used.
The rows of several files with the same columns are taken together. --always and --never may
be given several times. A text column with a few levels becomes 0/1 columns, named
column=level, one for each level but the most frequent, with which they are compared; dates,
identifiers and constant columns are left out and named.
"""
_EPILOG = """\b
Examples:
  projstg select                            the diabetes table, to see what comes out
  projstg select data.csv -t price          as many columns as the data support
  projstg select data.csv -t price -k 5 --out answer
  projstg select data.csv -t price --json | jq '.chosen[].column'

\b
Exit status: 0 answered; 2 the file or the question has no answer, one line on
standard error says why; 130 stopped by Ctrl-C.
"""


_OPTION_HELP = {
    "--target": "The column to explain.",
    "-k": "How many columns to choose.",
    "--auto": "Let the data say how many; the default.",
    "--missing": "Missing values: stop, leave the rows out, or fill in the column's mean "
    "(in text, a level of its own).",
    "--levels": "Text: compare levels with the most frequent one, or a column for all.",
    "--always": "A column that must be chosen.",
    "--never": "A column to leave out.",
    "--weights": "A column that says how many rows a row counts for.",
    "--criterion": "What makes one choice better than another.",
    "--folds": "Folds to check the choice on rows left out; 0: no check.",
    "--seed": "The seed of the search's starts and of the folds.",
    "--sizes": "Show the best columns of every size, such as 1-10.",
    "--out": "Write report.html and selection.json there.",
    "--csv": "Also write DIR/selected.csv.",
    "--json": "Print the answer as JSON.",
    "--quiet": "No progress on the terminal.",
    "--delimiter": "What stands between fields, such as ; or tab; guessed.",
    "--decimal": "The decimal mark; guessed.",
    "--sheet": "The sheet of an Excel workbook; the first that has data.",
}


def select_command(click: Any) -> Any:
    """Return the command for click."""

    def option(name: str, *others: str, **how: Any) -> Any:
        return click.Option([name, *others], help=_OPTION_HELP[name], **how)

    def with_default(name: str, default: Any, kind: Any, **how: Any) -> Any:
        return option(name, type=kind, default=default, show_default=True, **how)

    name, mark, number = ({"metavar": word} for word in ("NAME", "MARK", "N"))
    whole = click.IntRange(min=0)
    params = [
        click.Argument(["files"], nargs=-1, metavar="[FILE]...", type=click.Path(path_type=str)),
        option("--target", "-t", **name),
        option("-k", "k", type=click.IntRange(1), metavar="K"),
        option("--auto", is_flag=True),
        with_default("--missing", TableQuestion.missing, click.Choice(MISSING)),
        with_default("--levels", TableQuestion.levels, click.Choice(LEVELS)),
        option("--always", multiple=True, **name),
        option("--never", multiple=True, **name),
        option("--weights", **name),
        with_default("--criterion", TableQuestion.criterion, click.Choice(CRITERIA)),
        with_default("--folds", TableQuestion.folds, whole, **number),
        with_default("--seed", TableQuestion.random_state, whole, **number),
        option("--sizes", metavar="A-B"),
        option("--out", type=click.Path(), callback=_folder, metavar="DIR"),
        option("--csv", "wants_csv", is_flag=True),
        option("--json", "wants_json", is_flag=True),
        option("--quiet", "-q", is_flag=True),
        option("--delimiter", **mark),
        option("--decimal", **mark),
        option("--sheet", **name),
    ]
    return click.Command("select", callback=_command, params=params, help=_HELP, epilog=_EPILOG)


def _folder(context: Any, option: Any, path: str | None) -> Path | None:
    """Return a path; the empty one would be the folder where the command is run."""
    if path == "":
        raise TableError('--out "" names no folder; give one, such as --out answer.')
    return None if path is None else Path(path)


def _command(**options: Any) -> int:
    """Run the command."""
    return in_options(_run, **options)


def in_options(run: Callable[..., int], **options: Any) -> int:
    """Run a command; errors speak of its options."""
    try:
        return run(**options)
    except TableError as error:
        raise TableError(as_options(error.args[0])) from None
    except MemoryError:
        raise TableError("the table does not fit into memory; give a sample of its rows.") from None


def _with_options(selection: Selection) -> Selection:
    """Return an answer whose notes speak of options."""
    notes = tuple(note._replace(text=as_options(note.text)) for note in selection.notes)
    return replace(selection, notes=notes)


def _run(
    files: tuple[str, ...],
    out: Path | None,
    wants_csv: bool,
    wants_json: bool,
    quiet: bool,
    **asked: Any,
) -> int:
    """Do what was asked for and return the exit status."""
    _check_options(out, wants_csv, asked["k"], asked["auto"], asked["sizes"])
    from ..render.progress_bar import progress_bar

    with progress_bar(False if quiet else None, stays=False) as tell:
        selection, data = _answer(files, tell, has_page=out is not None, **asked)
        written = _written(selection, data if wants_csv else None, out, tell)
    if wants_json:
        # In ASCII: names may hold what a terminal cannot show, or would act on.
        print(json.dumps(selection.as_dict(), allow_nan=False))
    else:
        from .show.terminal import show

        show(selection)
    if written and not quiet:
        print(f"written: {', '.join(map(printable, written))}", file=sys.stderr)
    return 0


def _answer(
    files: tuple[str, ...],
    tell: Show | None,
    *,
    has_page: bool,
    delimiter: str | None,
    decimal: str | None,
    sheet: str | None,
    sizes: str | None,
    **asked: Any,
) -> tuple[Selection, Prepared]:
    """Read the table and choose; ``has_page`` asks for other numbers of columns, too."""
    from time import perf_counter

    from ..render.progress_bar import stage

    start = perf_counter()
    with stage(tell, f"reading {few_names(files, 2) if files else 'the diabetes table'}"):
        from .select_columns import chosen_from

        how = {"decimal": decimal, "sheet": sheet}
        read = read_files(files, delimiter=delimiter, **how) if files else _diabetes()
    if not files:
        asked["target"] = asked["target"] or "progression"
    wanted = has_page if sizes is None else sizes
    question = _question(read.names, sizes=wanted, **asked)
    selection, data = chosen_from(read, question, start, tell)
    return _with_options(selection), data


def _written(
    selection: Selection, data: Prepared | None, out: Path | None, tell: Show | None
) -> list[Path]:
    """Write the files of the answer, where a folder is given, and return their paths."""
    if out is None:
        return []
    from ..render.progress_bar import stage
    from .show.answer_files import write_answer

    with stage(tell, "writing the page"):
        return write_answer(selection, data, out)


def _check_options(
    out: Path | None, wants_csv: bool, k: int | None, auto: bool, sizes: str | None
) -> None:
    """Raise where options contradict each other, before anything is read."""
    if k is not None and auto:
        raise TableError(f"-k {k} and --auto contradict each other; give one of them.")
    if sizes is not None and not re.fullmatch(r" *[0-9][0-9 ,-]*", sizes):
        shown = f'"{shortened(sizes)}"' if not sizes.strip() else shortened(sizes)
        raise TableError(f"--sizes {shown}; give whole numbers, as 1-10 or 2,4,8.")
    if wants_csv and out is None:
        raise TableError("--csv writes selected.csv into a folder; add --out DIR.")
    if out is not None and out.exists() and not out.is_dir():
        raise TableError(f"{printable(out)} is a file; give a folder for --out.")


def read_files(files: tuple[str, ...], *, delimiter: str | None, **how: Any) -> Read | LargeFile:
    """Return the table in files; a delimiter may be written as a word."""
    from .files.stacked_files import read_tables

    mark = {"tab": "\t", "\\t": "\t"}.get(delimiter or "", delimiter)
    return read_tables(files, delimiter=mark, **how)


def _diabetes() -> Read:
    from sklearn.datasets import load_diabetes

    from .files.read_table import Read, size_of

    frame = load_diabetes(as_frame=True, scaled=False).frame
    frame = frame.rename(columns={"target": "progression"})
    text = (
        "No file was given: this is scikit-learn's diabetes table, 442 patients, ten measurements "
        "and the progression of the disease after a year. For a table of yours type "
        "projstg select FILE --target NAME; --out DIR adds a page."
    )
    note = Note("embedded", text)
    return Read(frame, "diabetes", {"format": "embedded", **size_of(frame)}, [note])


def _question(
    names: Collection[str],
    *,
    target: str | None,
    k: int | None,
    auto: bool,
    always: tuple[str, ...],
    never: tuple[str, ...],
    seed: int,
    **others: Any,
) -> TableQuestion:
    """Return the question that options ask; ``others`` have the names of its fields."""
    return TableQuestion(
        target=named_target(target, names),
        k="auto" if k is None else k,
        always=_split(always, set(names)),
        never=_split(never, set(names)),
        random_state=seed,
        **others,
    )


def _split(given: tuple[str, ...], names: set[str]) -> tuple[str, ...]:
    """Return names; ``a,b`` is two of them where it is not the name of one."""
    found = []
    for name in given:
        parts = [part.strip() for part in name.split(",")]
        found += [name] if name in names or not set(parts) & names else parts
    return tuple(found)
