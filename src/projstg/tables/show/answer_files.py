"""The files of an answer: a page, the answer as JSON, and the chosen columns; all or none."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path

from ..._files import replacing_all
from ..._interrupt import interruptible
from ..._printable import printable
from ..prepare.prepared import Prepared
from ..selection.result import NAME, Selection
from ..words.notes import TableError
from .selection_page import page

__all__ = ["formula_safe", "write_answer"]


def write_answer(selection: Selection, data: Prepared | None, out: Path) -> list[Path]:
    """Write the files, all of them or none, and return their paths.

    ``data`` are the numbers of ``selected.csv``; None: that file is not wanted.
    """
    text = page(selection, printable(shlex.join(["projstg", *sys.argv[1:]])))
    names = ["report.html", NAME, *([] if data is None else ["selected.csv"])]
    paths = [out / name for name in names]
    try:
        out.mkdir(parents=True, exist_ok=True)
        with interruptible(), replacing_all(paths) as (report, answer, *chosen):
            report.write_text(text, encoding="utf-8")
            selection.save(answer)
            if data is not None:
                header = [formula_safe(name) for name in (*selection.columns, selection.target)]
                data.write_csv(chosen[0], selection.columns, header)
    except OSError as error:
        raise TableError(
            f"nothing is written to {printable(out)}: {error.strerror or error}."
        ) from None
    return paths


def formula_safe(name: str) -> str:
    """Return a name for the header of a CSV file that no spreadsheet takes for a formula.

    Examples
    --------
    >>> formula_safe("=1+1"), formula_safe(" @a"), formula_safe("a=1")
    ("'=1+1", "' @a", 'a=1')
    """
    begins = name.lstrip()[:1] or " "
    return f"'{name}" if begins in "=+-@＝＋－＠" or name[:1] in "\t\r\n" else name
