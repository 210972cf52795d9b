"""All rows of a folder as one table.

When an experiment was changed and run again, its old files are still there. For each line of the
summary (one method on one setting), take the file written last and the files made in the same way;
ignore the others.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from ..._extras import extra
from ..tasks import line_and_recipe
from .part_file import about_part, read_part

__all__ = ["NoRows", "read_rows"]

_TRIAL = ["experiment", "size", "setting", "method", "label", "root", "repetition"]


class NoRows(ValueError):
    """A folder has no rows."""


def read_rows(folder: str | Path, keys: Iterable[str] | None = None) -> Any:
    """Return all rows of a folder as a pandas table, always in the same order.

    Parameters
    ----------
    folder : path
        What ``projstg reproduce`` wrote; files in it that are not its rows are ignored.
    keys : iterable of str, default=None
        Keys of the tasks wanted; None: all.
    """
    pa = extra("pyarrow", "cli")
    wanted = None if keys is None else set(keys)
    paths = sorted((Path(folder) / "parts").glob("*.parquet"))
    found = (read_part(path) for path in paths if wanted is None or path.stem in wanted)
    tables = _of_last_recipe([part for part in found if not isinstance(part, str)])
    if not tables:
        raise NoRows(f"there are no rows in {folder}; make some with projstg reproduce.")
    table = pa.concat_tables(tables).to_pandas().drop_duplicates(_TRIAL, keep="last")
    return table.sort_values(_TRIAL, kind="stable", ignore_index=True)


def _of_last_recipe(parts: list[Any]) -> list[Any]:
    """Return the tables made in the same way as the newest of their line, oldest first."""
    abouts = [about_part(part) for part in parts]
    order = sorted(range(len(parts)), key=lambda i: (abouts[i]["written"], abouts[i]["key"]))
    made = [line_and_recipe(about["task"]) for about in abouts]
    last = {line: recipe for line, recipe in (made[i] for i in order)}
    kept = [i for i in order if last[made[i][0]] == made[i][1]]
    return [parts[i].replace_schema_metadata(None) for i in kept]
