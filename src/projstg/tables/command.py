"""``projstg select``: parse, call, print.

Nothing but the standard library is imported until the command runs, so that help comes at once.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Collection
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .._printable import printable
from .notes import Note, TableError
from .question import CRITERIA, LEVELS, MISSING, TableQuestion, named_target

if TYPE_CHECKING:
    from .large_files.pieces import LargeFile
    from .read_table import Read

__all__ = ["as_options", "select_command"]

_HELP = """Say which columns of a table one of its columns depends on.

FILE is CSV, TSV or Parquet, plain or gzipped, or - for standard input; without it the
diabetes table that comes with scikit-learn is used. --always and --never may be given
several times. A text column with a few levels becomes 0/1 columns, named column=level, one
for each level but the most frequent, with which they are compared; dates, identifiers and
constant columns are left out and named.
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
    "--out": "Write report.html and selection.json there.",
    "--csv": "Also write DIR/selected.csv.",
    "--json": "Print the answer as JSON.",
    "--delimiter": "What stands between fields, such as ; or tab; guessed.",
    "--decimal": "The decimal mark; guessed.",
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
        click.Argument(["file"], required=False, type=click.Path(path_type=str)),
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
        option("--out", type=click.Path(path_type=Path), metavar="DIR"),
        option("--csv", "wants_csv", is_flag=True),
        option("--json", "wants_json", is_flag=True),
        option("--delimiter", **mark),
        option("--decimal", **mark),
    ]
    return click.Command("select", callback=_command, params=params, help=_HELP, epilog=_EPILOG)


def _command(**options: Any) -> int:
    """Run the command; errors speak of its options."""
    try:
        return _run(**options)
    except TableError as error:
        raise TableError(as_options(str(error))) from None
    except MemoryError:
        raise TableError("the table does not fit into memory; give a sample of its rows.") from None


def as_options(message: str) -> str:
    """Return a message with arguments of the function written as options of the command.

    Examples
    --------
    >>> as_options('choose missing="drop", levels="all"; never=[…], k=3 or k="auto", target="…"')
    'choose --missing drop, --levels all; --never NAME, -k 3 or --auto, --target NAME'
    """
    message = message.replace('k="auto"', "--auto")
    message = re.sub(r'\b(always|never|target|weights)=(\[…\]|"…")', r"--\1 NAME", message)
    message = re.sub(r'\b(missing|criterion|levels)="([\w-]+)"', r"--\1 \2", message)
    return re.sub(r"\bk=(?=\d)", "-k ", message)


def _run(
    file: str | None,
    delimiter: str | None,
    decimal: str | None,
    out: Path | None,
    wants_csv: bool,
    wants_json: bool,
    **asked: Any,
) -> int:
    """Do what was asked for and return the exit status."""
    _check_options(out, wants_csv, asked["k"], asked["auto"])
    from time import perf_counter

    from ..render.progress_bar import progress_bar
    from .answer_files import write_answer
    from .select_columns import chosen_from, names_of

    start = perf_counter()
    read = _diabetes() if file is None else _read(file, delimiter, decimal)
    if file is None:
        asked["target"] = asked["target"] or "progression"
    question = _question(names_of(read), sizes=out is not None, **asked)
    with progress_bar(None, stays=False) as tell:
        selection, data = chosen_from(read, question, start, tell)
        written = write_answer(selection, data if wants_csv else None, out) if out else []
    if wants_json:
        # In ASCII: names may hold what a terminal cannot show, or would act on.
        print(json.dumps(selection.as_dict(), allow_nan=False))
    else:
        from .terminal import show

        show(selection)
    if written:
        print(f"written: {', '.join(map(printable, written))}", file=sys.stderr)
    return 0


def _check_options(out: Path | None, wants_csv: bool, k: int | None, auto: bool) -> None:
    """Raise where options contradict each other, before anything is read."""
    if k is not None and auto:
        raise TableError(f"-k {k} and --auto contradict each other; give one of them.")
    if wants_csv and out is None:
        raise TableError("--csv writes selected.csv into a folder; add --out DIR.")
    if out is not None and out.exists() and not out.is_dir():
        raise TableError(f"{printable(out)} is a file; give a folder for --out.")


def _read(file: str, delimiter: str | None, decimal: str | None) -> Read | LargeFile:
    from .read_table import read_table

    mark = {"tab": "\t", "\\t": "\t"}.get(delimiter or "", delimiter)
    return read_table(file, delimiter=mark, decimal=decimal)


def _diabetes() -> Read:
    from sklearn.datasets import load_diabetes

    from .read_table import Read, size_of

    frame = load_diabetes(as_frame=True, scaled=False).frame
    frame = frame.rename(columns={"target": "progression"})
    note = Note("embedded", "No file was given; this is scikit-learn's diabetes table.")
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
