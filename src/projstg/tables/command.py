"""``projstg select``: parse, call, print.

Nothing but the standard library is imported until the command runs, so that help comes at once.
"""

from __future__ import annotations

import json
import re
import shlex
import sys
from pathlib import Path
from typing import Any

__all__ = ["as_options", "defused", "select_command"]

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


def select_command(click: Any) -> Any:
    """Return the command for click."""

    @click.command("select", epilog=_EPILOG)
    @click.argument("file", required=False, type=click.Path(path_type=str))
    @click.option("-t", "--target", metavar="NAME", help="The column to explain.")
    @click.option(
        "-k", "k", type=click.IntRange(1), metavar="K", help="How many columns to choose."
    )
    @click.option("--auto", is_flag=True, help="Let the data say how many; the default.")
    @click.option("--out", type=click.Path(path_type=Path), metavar="DIR", help=_OUT)
    @click.option("--csv", "wants_csv", is_flag=True, help="Also write DIR/selected.csv.")
    @click.option("--json", "wants_json", is_flag=True, help="Print the answer as JSON.")
    @click.option(
        "--missing",
        type=click.Choice(["error", "drop", "mean"]),
        default="error",
        show_default=True,
        help="Missing values: stop, leave the rows out, or fill in the column's mean.",
    )
    @click.option("--always", multiple=True, metavar="NAME", help="A column that must be chosen.")
    @click.option("--never", multiple=True, metavar="NAME", help="A column to leave out.")
    @click.option(
        "--weights", metavar="NAME", help="A column that says how many rows a row counts for."
    )
    @click.option(
        "--criterion",
        type=click.Choice(["common-size", "evidence", "least-squares"]),
        default="common-size",
        show_default=True,
        help="What makes one choice better than another.",
    )
    @click.option(
        "--folds",
        type=click.IntRange(min=0),
        metavar="N",
        default=5,
        show_default=True,
        help="Folds to check the choice on rows left out; 0: no check.",
    )
    @click.option(
        "--seed",
        type=click.IntRange(min=0),
        metavar="N",
        default=0,
        show_default=True,
        help="Where the search's starts and the folds come from.",
    )
    @click.option(
        "--delimiter", metavar="MARK", help="What stands between fields, such as ; or tab; guessed."
    )
    @click.option("--decimal", metavar="MARK", help="The decimal mark; guessed.")
    def command(**options: Any) -> int:
        """Say which columns of a table one of its columns depends on.

        FILE is CSV, TSV or Parquet, plain or gzipped, or - for standard input; without it the
        diabetes table that comes with scikit-learn is used. --always and --never may be given
        several times. A text column with a few levels becomes a 0/1 column for each, named
        column=level; dates, identifiers and constant columns are left out and named.
        """
        from .words import TableError

        try:
            return _run(**options)
        except TableError as error:
            raise TableError(as_options(str(error))) from None
        except MemoryError:
            raise TableError(
                "the table does not fit into memory; give a sample of its rows."
            ) from None

    return command


_OUT = "Write report.html and selection.json there."


def as_options(message: str) -> str:
    """Return a message with arguments of the function written as options of the command.

    Examples
    --------
    >>> as_options('choose missing="drop"; never=[…], k=3 or k="auto", target="…"')
    'choose --missing drop; --never NAME, -k 3 or --auto, --target NAME'
    """
    message = message.replace('k="auto"', "--auto")
    message = re.sub(r'\b(always|never|target|weights)=(\[…\]|"…")', r"--\1 NAME", message)
    message = re.sub(r'\b(missing|criterion)="([\w-]+)"', r"--\1 \2", message)
    return re.sub(r"\bk=(?=\d)", "-k ", message)


def _run(
    file: str | None,
    target: str | None,
    k: int | None,
    auto: bool,
    out: Path | None,
    wants_csv: bool,
    wants_json: bool,
    delimiter: str | None,
    decimal: str | None,
    **options: Any,
) -> int:
    """Do what was asked for and return the exit status."""
    from .words import TableError, printable

    if k is not None and auto:
        raise TableError(f"-k {k} and --auto contradict each other; give one of them.")
    if wants_csv and out is None:
        raise TableError("--csv writes selected.csv into a folder; add --out DIR.")
    if out is not None and out.exists() and not out.is_dir():
        raise TableError(f"{printable(out)} is a file; give a folder for --out.")
    from time import perf_counter

    from .select_columns import chosen_from

    start = perf_counter()
    read, target = _table(file, target, delimiter, decimal)
    names = set(read.frame.columns)
    question = {
        "k": "auto" if k is None else k,
        "criterion": options["criterion"],
        "always": _split(options["always"], names),
        "never": _split(options["never"], names),
        "weights": options["weights"],
        "missing": options["missing"],
        "folds": options["folds"],
        "sizes": out is not None,
        "random_state": options["seed"],
    }
    selection, data = chosen_from(read, target, question, start)
    written = [] if out is None else _write(selection, data if wants_csv else None, out)
    if wants_json:
        # In ASCII, for names may hold what a terminal cannot show, or would act on.
        print(json.dumps(selection.as_dict(), allow_nan=False))
    else:
        from .terminal import show

        show(selection)
    if written:
        print(f"written: {', '.join(map(printable, written))}", file=sys.stderr)
    return 0


def _table(file: str | None, target: str | None, delimiter: str | None, decimal: str | None):
    """Return the table as read, and the target."""
    from .read_table import Read, read_table
    from .words import Note

    if file is not None:
        mark = {"tab": "\t", "\\t": "\t"}.get(delimiter or "", delimiter)
        return read_table(file, delimiter=mark, decimal=decimal), target
    from sklearn.datasets import load_diabetes

    frame = load_diabetes(as_frame=True, scaled=False).frame
    frame = frame.rename(columns={"target": "progression"})
    note = Note("embedded", "No file was given; this is scikit-learn's diabetes table.")
    facts = {"format": "embedded", "n_rows": len(frame), "n_columns": frame.shape[1]}
    return Read(frame, "diabetes", facts, [note]), target or "progression"


def _split(given: tuple[str, ...], names: set[str]) -> list[str]:
    """Return names; ``a,b`` is two of them where it is not the name of one."""
    found = []
    for name in given:
        parts = [part.strip() for part in name.split(",")]
        found += [name] if name in names or not set(parts) & names else parts
    return found


def _write(selection: Any, data: Any, out: Path) -> list[Path]:
    """Write the files, all of them or none, and return their paths."""
    from .._files import replacing_all
    from .._interrupt import interruptible
    from .selection_page import page
    from .words import TableError, printable

    text = page(selection, printable(shlex.join(["projstg", *sys.argv[1:]])))
    names = ["report.html", "selection.json", *([] if data is None else ["selected.csv"])]
    paths = [out / name for name in names]
    try:
        out.mkdir(parents=True, exist_ok=True)
        with interruptible(), replacing_all(paths) as (report, answer, *chosen):
            report.write_text(text, encoding="utf-8")
            selection.save(answer)
            for path in chosen:
                _chosen_columns(selection, data).to_csv(path, index=False)
    except OSError as error:
        raise TableError(
            f"nothing is written to {printable(out)}: {error.strerror or error}."
        ) from None
    return paths


def _chosen_columns(selection: Any, data: Any) -> Any:
    """Return the chosen columns and the target, of the rows used."""
    from .._extras import extra

    places = [data.names.index(name) for name in selection.columns]
    values = [*(data.X[:, place] for place in places), data.y]
    names = [defused(name) for name in (*selection.columns, selection.target)]
    frame = extra("pandas", "cli").DataFrame(dict(enumerate(values)))
    return frame.set_axis(names, axis=1)


def defused(name: str) -> str:
    """Return a name for the header of a CSV file, that no spreadsheet takes for a formula.

    Examples
    --------
    >>> defused("=1+1"), defused(" @a"), defused("a=1")
    ("'=1+1", "' @a", 'a=1')
    """
    begins = name.lstrip()[:1] or " "
    return f"'{name}" if begins in "=+-@＝＋－＠" or name[:1] in "\t\r\n" else name
