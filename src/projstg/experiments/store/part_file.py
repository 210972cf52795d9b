"""One file of rows: Parquet with what made it, and a checksum of all its bytes.

The metadata names the task that made the rows and the time of writing. It also holds the SHA-256 of
the file, computed with zeros in the place of the checksum. One changed bit is noticed before any
value of the file is used.
"""

from __future__ import annotations

import hashlib
import io
import json
from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path
from time import time_ns
from typing import Any

from ..._extras import extra
from ..._files import file_contents
from ...datasets.settings import setting_hash
from ..tasks import SCHEMA_VERSION, Task

__all__ = ["COLUMNS", "TIMINGS", "about_part", "part_bytes", "read_part", "with_checksum"]

COLUMNS = {
    "experiment": "string",
    "size": "string",
    "setting": "string",
    "design": "string",
    "n_samples": "int64",
    "n_features": "int64",
    "n_informative": "int64",
    "signal": "string",
    "noise_std": "double",
    "snr": "double",
    "options": "string",
    "method": "string",
    "label": "string",
    "parameters": "string",
    "root": "int64",
    "repetition": "int64",
    "seed": "int64",
    "sigma": "double",
    "seconds": "double",
    "batch_size": "int64",
    "device": "string",
    "status": "string",
    "message": "string",
    "support": "list",
    "truth": "list",
    "exact": "bool",
    "true_positive_rate": "double",
    "false_discovery_rate": "double",
    "sign_recovery": "bool",
    "estimation_error": "double",
    "residual": "double",
    "score_common_size": "double",
    "score_evidence": "double",
    "score_least_squares": "double",
    "true_score_common_size": "double",
    "true_score_evidence": "double",
    "true_score_least_squares": "double",
    "criterion": "string",
    "failure": "string",
    "version": "string",
    "commit": "string",
    "blas_threads": "int64",
}
"""The columns of a row and their types."""

TIMINGS = ("seconds",)
"""Columns in which two runs of one task may differ."""

_METADATA = b"projstg"
_CHECKSUM, _ZEROS = b"projstg-sha256:", b"0" * 64

# No file of rows that a run writes is larger.
_MOST_BYTES = 2**28


def part_bytes(task: Task, rows: Iterable[Mapping[str, Any]]) -> bytes:
    """Return the file that holds the rows of a task."""
    pa, parquet = extra("pyarrow", "cli"), extra("pyarrow.parquet", "cli")
    about = {"key": task.key, "task": task.identity, "written": time_ns()}
    metadata = {_METADATA: json.dumps(about).encode(), b"sha256": _CHECKSUM + _ZEROS}
    schema = _schema().with_metadata(metadata)
    table = pa.Table.from_pylist([dict(row) for row in rows], schema=schema)
    buffer = io.BytesIO()
    parquet.write_table(table, buffer)
    return with_checksum(buffer.getvalue())


def read_part(path: Path) -> Any:
    """Return the rows of a file as an Arrow table, or a text that says why it cannot be used."""
    if path.suffix != ".parquet":
        return "not a Parquet file"
    pa, parquet = extra("pyarrow", "cli"), extra("pyarrow.parquet", "cli")
    try:
        content = file_contents(path, _MOST_BYTES)
        if _CHECKSUM not in content:
            return "no rows of this laboratory, or of an earlier version"
        if with_checksum(content) != content:
            return "damaged: its checksum is that of another content"
        table = parquet.ParquetFile(pa.BufferReader(content)).read()
        about = about_part(table)
        key, schema = setting_hash(about["task"]), about["task"]["schema"]
        if not isinstance(about["written"], int):
            raise ValueError("it does not say when it was written")
    except Exception as error:  # anything that the reader raises on a foreign file
        return f"not readable ({error if isinstance(error, ValueError) else type(error).__name__})"
    if not path.stem == key == about["key"]:
        return "its name is not the key of what it holds"
    if schema != SCHEMA_VERSION:
        return f"its rows are of schema {schema}, not {SCHEMA_VERSION}"
    if not table.schema.equals(_schema()):
        return f"its columns are not those of schema {SCHEMA_VERSION}"
    return table


def about_part(table: Any) -> dict[str, Any]:
    """Return what a file says of itself: the key, the task, and when it was written."""
    return dict(json.loads(table.schema.metadata[_METADATA]))


def with_checksum(content: bytes) -> bytes:
    """Return the content of a file with its checksum filled in, whatever stood there before."""
    place = content.rindex(_CHECKSUM) + len(_CHECKSUM)
    before, after = content[:place], content[place + len(_ZEROS) :]
    digest = hashlib.sha256(before + _ZEROS + after).hexdigest()
    return before + digest.encode() + after


@cache
def _schema() -> Any:
    pa = extra("pyarrow", "cli")
    types = {
        "string": pa.string(),
        "int64": pa.int64(),
        "double": pa.float64(),
        "bool": pa.bool_(),
        "list": pa.list_(pa.int64()),
    }
    return pa.schema([(name, types[kind]) for name, kind in COLUMNS.items()])
