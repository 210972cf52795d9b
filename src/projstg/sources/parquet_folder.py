"""A Parquet file, or all files of a folder, in batches.

Folders named ``year=2026`` within it are columns of the files below them, as Hive, Spark and DuckDB
write them: numbers where all values are whole numbers, text otherwise.
"""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import unquote

from .._extras import extra
from .._files import regular_file
from .._printable import few_names, printable
from .batches import BATCH_ROWS, Batches, check_columns, guarded, unreadable

__all__ = ["parquet_batches"]

# What the writers of such folders put for a missing value.
_MISSING = "__HIVE_DEFAULT_PARTITION__"
# Of a Parquet file, and of one that is encrypted.
_BEGINS = (b"PAR1", b"PARE")
_WHOLE = re.compile(r"-?\d{1,15}")


class _File(NamedTuple):
    """A file, and what the names of its folders say."""

    path: Path
    values: dict[str, str]

    @property
    def name(self) -> str:
        """What a message calls it."""
        folders = [f"{key}={value}" for key, value in self.values.items()]
        return printable("/".join([*folders, self.path.name]))


def parquet_batches(path: str | os.PathLike[str], wanted: Sequence[str] | None) -> Batches:
    """Yield the batches of a Parquet file, or of all files in a folder, in the order of names."""
    parquet = extra("pyarrow.parquet", "cli")
    files = _files(Path(path))
    kinds = _kinds(files)
    for file in files:
        _check_is_parquet(file)
        try:
            opened = parquet.ParquetFile(file.path, memory_map=False, pre_buffer=False)
        except (OSError, ValueError) as error:
            raise ValueError(unreadable(file.name, error)) from None
        with opened:
            own = opened.schema_arrow.names
            # A column that the file has, too, is read from the file.
            added = {key: kind for key, kind in kinds.items() if key not in own}
            check_columns(wanted, [*own, *added], file.name)
            some = None if wanted is None else [name for name in wanted if name in own] or None
            for batch in guarded(opened.iter_batches(BATCH_ROWS, columns=some), file.name):
                yield file.name, _with_values(batch, file.values, added)


def _check_is_parquet(file: _File) -> None:
    """Raise where there is another kind of file, which other functions read."""
    try:
        with regular_file(file.path) as opened:
            begins = opened.read(len(_BEGINS[0]))
    except (OSError, ValueError) as error:
        raise ValueError(unreadable(file.name, error)) from None
    if begins not in _BEGINS:
        raise ValueError(
            f"{file.name} is no Parquet file; read it first, as by pandas.read_csv, and pass the "
            "table, or use projstg.select, which reads files of many kinds."
        )


def _files(path: Path) -> list[_File]:
    if not path.is_dir():
        path.stat()  # raises where there is none
        return [_File(path, {})]
    found = [(one, one.relative_to(path).parts) for one in path.rglob("*.parquet")]
    # Names that begin so are of files that are being written, or of notes of the writer.
    kept = [(one, parts) for one, parts in found if not any(p[0] in "._" for p in parts)]
    files = sorted(pair for pair in kept if pair[0].is_file())
    if not files:
        raise ValueError(f"the folder {printable(path.name)} has no files named *.parquet.")
    return [_File(one, _values(parts[:-1])) for one, parts in files]


def _values(folders: Sequence[str]) -> dict[str, str]:
    """Return what folders named key=value say.

    Examples
    --------
    >>> _values(["year=2026", "old", "city=New%20York"])
    {'year': '2026', 'city': 'New York'}
    """
    pairs = [folder.partition("=") for folder in folders]
    return {unquote(key): unquote(value) for key, is_pair, value in pairs if key and is_pair}


def _kinds(files: Sequence[_File]) -> dict[str, Any]:
    """Return the columns that folders name, each with its type, or raise where they differ."""
    pyarrow = extra("pyarrow", "cli")
    keys = list(files[0].values)
    for file in files:
        if list(file.values) != keys:
            where = few_names(file.values) if file.values else "none"
            raise ValueError(
                f"{file.name} is in folders that name the columns {where}, and what came before "
                f"it {few_names(keys) if keys else 'none'}; give all files the same."
            )
    kinds = {}
    for key in keys:
        known = {file.values[key] for file in files} - {_MISSING}
        is_whole = all(_WHOLE.fullmatch(value) for value in known)
        kinds[key] = pyarrow.int64() if is_whole else pyarrow.string()
    return kinds


def _with_values(batch: Any, values: dict[str, str], kinds: dict[str, Any]) -> Any:
    """Return a batch with a column for each of the folders."""
    if not kinds:
        return batch
    pyarrow = extra("pyarrow", "cli")
    columns, fields = list(batch.columns), list(batch.schema)
    for key, kind in kinds.items():
        text = pyarrow.scalar(None if values[key] == _MISSING else values[key], pyarrow.string())
        columns.append(pyarrow.repeat(text.cast(kind), batch.num_rows))
        fields.append(pyarrow.field(key, kind))
    schema = pyarrow.schema(fields, metadata=batch.schema.metadata)
    return pyarrow.RecordBatch.from_arrays(columns, schema=schema)
