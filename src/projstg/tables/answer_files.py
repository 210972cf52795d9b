"""The files of an answer: a page, the answer as JSON, and the chosen columns; all or none."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path
from typing import Any

from .._extras import extra
from .._files import replacing_all
from .._interrupt import interruptible
from .._printable import printable
from .design_matrix import Prepared
from .notes import TableError
from .result import Selection
from .selection_page import page

__all__ = ["formula_safe", "write_answer"]


def write_answer(selection: Selection, data: Prepared | None, out: Path) -> list[Path]:
    """Write the files, all of them or none, and return their paths.

    ``data`` are the numbers of ``selected.csv``; None: that file is not wanted.
    """
    text = page(selection, printable(shlex.join(["projstg", *sys.argv[1:]])))
    names = ["report.html", "selection.json", *([] if data is None else ["selected.csv"])]
    paths = [out / name for name in names]
    try:
        out.mkdir(parents=True, exist_ok=True)
        with interruptible(), replacing_all(paths) as (report, answer, *chosen):
            report.write_text(text, encoding="utf-8")
            selection.save(answer)
            if data is not None:
                _chosen_columns(selection, data).to_csv(*chosen, index=False)
    except OSError as error:
        raise TableError(
            f"nothing is written to {printable(out)}: {error.strerror or error}."
        ) from None
    return paths


def _chosen_columns(selection: Selection, data: Prepared) -> Any:
    """Return the chosen columns and the target, of the rows used."""
    places = [data.names.index(name) for name in selection.columns]
    values = [*(data.X[:, place] for place in places), data.y]
    names = [formula_safe(name) for name in (*selection.columns, selection.target)]
    frame = extra("pandas", "cli").DataFrame(dict(enumerate(values)))
    return frame.set_axis(names, axis=1)


def formula_safe(name: str) -> str:
    """Return a name for the header of a CSV file that no spreadsheet takes for a formula.

    Examples
    --------
    >>> formula_safe("=1+1"), formula_safe(" @a"), formula_safe("a=1")
    ("'=1+1", "' @a", 'a=1')
    """
    begins = name.lstrip()[:1] or " "
    return f"'{name}" if begins in "=+-@＝＋－＠" or name[:1] in "\t\r\n" else name
