"""Rows on disk: one Parquet file per task, named by its key, written whole and renamed into place.

There is no other record of what has been done, so there is nothing that a killed run could leave
half said. Each file carries the SHA-256 of all its bytes, so that a single bit that changed on the
way is noticed before anything in it is believed. A folder holds::

    parts/KEY.parquet      the rows of one task
    tuning/KEY.json        the C chosen for one setting
    set-aside/             files found in parts/ that are not what their name says
    specs/NAME.toml        the experiments that were asked for
    run.json               versions, machine, command, times of the last run

One run at a time writes to a folder; part files made elsewhere may be copied in. Links are
replaced by what is written under their name, never followed. Files of an earlier schema are set
aside, for their rows mean something else. When an experiment was changed and run again, of each
line (a method on a setting) only the parts count that were made as the one written last was.
"""

from __future__ import annotations

import hashlib
import io
import json
import os
import stat
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from time import time_ns
from typing import Any

from .._extras import extra
from .._files import LEFTOVERS, replacing
from ..datasets.settings import setting_hash
from .contents import contents
from .tasks import SCHEMA_VERSION, Task, line_and_recipe

__all__ = ["COLUMNS", "TIMINGS", "NoRows", "Store", "read_about", "read_rows"]

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

# The digest of a file stands in its own metadata; it is taken with zeros in its place.
_SEAL, _BLANK = b"projstg-sha256:", b"0" * 64

# More bytes than these are not what this laboratory writes.
_MOST_OF_PART, _MOST_OF_JSON = 2**28, 2**24

_TRIAL = ["experiment", "size", "setting", "method", "label", "root", "repetition"]

_KEPT_OF_RUNS = ("command", "size", "device", "commit", "started", "ended", "seconds", "n_done")


class NoRows(ValueError):
    """A folder has none."""


class Store:
    """The folder of a run."""

    def __init__(self, folder: str | Path) -> None:
        self.folder = Path(folder)
        self.parts = self.folder / "parts"
        self.tuning = self.folder / "tuning"
        self.failed: set[str] = set()
        """Keys of the parts in which ``prepare`` found fits that failed."""

    def prepare(self) -> list[str]:
        """Make the folder ready and return a line for each file that was set aside."""
        for folder in (self.parts, self.tuning, self.folder / "specs"):
            folder.mkdir(parents=True, exist_ok=True)
        for name in ("", "parts", "tuning", "specs", "figures", "tables"):
            for leftover in (self.folder / name).glob(LEFTOVERS):  # of a run that was killed
                leftover.unlink(missing_ok=True)
        self.failed.clear()
        return [
            self._set_aside(path, found)
            for path in sorted(self.parts.iterdir())
            if isinstance(found := self._looked_at(path), str)
        ]

    def _looked_at(self, path: Path) -> Any:
        part = _part(path)
        if not isinstance(part, str) and "error" in part["status"].to_pylist():
            self.failed.add(path.stem)
        return part

    def has(self, task: Task) -> bool:
        """Return whether the rows of a task are there; ``prepare`` has seen to what is not."""
        return self._path(task.key).exists()

    def has_failed(self, task: Task) -> bool:
        """Return whether a fit of the task failed when it was last run."""
        return task.key in self.failed

    def forget(self, task: Task) -> None:
        """Remove the rows of a task."""
        self._path(task.key).unlink(missing_ok=True)

    def write(self, task: Task, rows: Iterable[Mapping[str, Any]]) -> None:
        """Put the rows of a task in place, all of them or none."""
        pa, parquet = extra("pyarrow", "cli"), extra("pyarrow.parquet", "cli")
        told = {"key": task.key, "task": task.identity, "written": time_ns()}
        about = json.dumps(told).encode()
        schema = _schema().with_metadata({_METADATA: about, b"sha256": _SEAL + _BLANK})
        table = pa.Table.from_pylist([dict(row) for row in rows], schema=schema)
        buffer = io.BytesIO()
        parquet.write_table(table, buffer)
        with replacing(self._path(task.key)) as temporary:
            temporary.write_bytes(_sealed(buffer.getvalue()))

    def tuned(self, key: str) -> float | None:
        """Return the C that was chosen under this key; None: none yet, or not readable."""
        try:
            return float(_read_json(self.tuning / f"{key}.json")["alpha_scale"])
        except (OSError, ValueError, KeyError, TypeError):
            return None

    def write_tuned(self, key: str, alpha_scale: float, about: Mapping[str, Any]) -> None:
        """Keep the C chosen under this key."""
        self._write_text(self.tuning / f"{key}.json", _json({"alpha_scale": alpha_scale, **about}))

    def forget_tuned(self, key: str) -> None:
        """Remove the C chosen under this key."""
        (self.tuning / f"{key}.json").unlink(missing_ok=True)

    def write_spec(self, name: str, text: str) -> None:
        """Keep the experiment itself beside its rows."""
        self._write_text(self.folder / "specs" / f"{name}.toml", text)

    def write_run(self, about: Mapping[str, Any]) -> None:
        """Say what run made or completed the folder."""
        self._write_text(self.folder / "run.json", _json(about))

    def earlier_runs(self) -> list[dict[str, Any]]:
        """Return what run.json says of the runs before this one, the last one last."""
        last = read_about(self.folder)
        earlier = last.get("earlier", [])
        told = {name: last[name] for name in _KEPT_OF_RUNS if name in last}
        return [*(earlier if isinstance(earlier, list) else []), *([told] if told else [])]

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Hold the folder; a second run is refused. A killed run holds nothing."""
        self.folder.mkdir(parents=True, exist_ok=True)
        with _opened_lock(self.folder / ".lock") as handle:
            try:
                import fcntl
            except ImportError:  # Windows: nothing is held
                yield
                return
            try:
                fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError as error:
                raise ValueError(
                    f"another run is writing to {self.folder}; wait for it, or choose another "
                    "folder with --out."
                ) from error
            yield

    def _path(self, key: str) -> Path:
        return self.parts / f"{key}.parquet"

    def _set_aside(self, path: Path, reason: str) -> str:
        """Move a file out of the way, over nothing, and say so."""
        aside = self.folder / "set-aside"
        aside.mkdir(exist_ok=True)
        target, count = aside / path.name, 1
        while os.path.lexists(target):
            target, count = aside / f"{path.stem}.{count}{path.suffix}", count + 1
        os.replace(path, target)
        return f"{path.name}: {reason}; moved to {target.relative_to(self.folder)}"

    def _write_text(self, path: Path, text: str) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        with replacing(path) as temporary:
            temporary.write_text(text, encoding="utf-8")


def _opened_lock(path: Path) -> Any:
    """Return the file that is locked, opened; a link or a pipe in its place is refused."""
    flags = os.O_RDWR | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
    try:
        handle = os.open(path, flags, 0o644)
    except OSError as error:
        if not path.is_symlink():
            raise
        raise ValueError(f"{path} is a link; remove it, or choose another folder.") from error
    file = open(handle, "r+b", buffering=0)
    if not stat.S_ISREG(os.fstat(handle).st_mode):
        file.close()
        raise ValueError(f"{path} is not a regular file; remove it, or choose another folder.")
    return file


def read_rows(folder: str | Path, keys: Iterable[str] | None = None) -> Any:
    """Return all rows of a folder as a pandas table, in one order whatever made them.

    Parameters
    ----------
    folder : path
        What ``projstg reproduce`` wrote; files in it that are not its rows are passed over.
    keys : of the tasks wanted; None: all
    """
    pa = extra("pyarrow", "cli")
    wanted = None if keys is None else set(keys)
    paths = sorted((Path(folder) / "parts").glob("*.parquet"))
    found = (_part(path) for path in paths if wanted is None or path.stem in wanted)
    tables = _of_last_recipe([part for part in found if not isinstance(part, str)])
    if not tables:
        raise NoRows(f"there are no rows in {folder}; make some with projstg reproduce.")
    table = pa.concat_tables(tables).to_pandas().drop_duplicates(_TRIAL, keep="last")
    return table.sort_values(_TRIAL, kind="stable", ignore_index=True)


def _of_last_recipe(parts: list[Any]) -> list[Any]:
    """Return the tables made as the last of their line was, in the order they were written."""
    abouts = [json.loads(part.schema.metadata[_METADATA]) for part in parts]
    order = sorted(range(len(parts)), key=lambda i: (abouts[i]["written"], abouts[i]["key"]))
    made = [line_and_recipe(about["task"]) for about in abouts]
    last = {line: recipe for line, recipe in (made[i] for i in order)}
    kept = [i for i in order if last[made[i][0]] == made[i][1]]
    return [parts[i].replace_schema_metadata(None) for i in kept]


def _part(path: Path) -> Any:
    """Return the rows of a file in parts/, or a text that says why they cannot be used."""
    if path.suffix != ".parquet":
        return "not a Parquet file"
    pa, parquet = extra("pyarrow", "cli"), extra("pyarrow.parquet", "cli")
    try:
        content = contents(path, _MOST_OF_PART)
        if _SEAL not in content:
            return "no rows of this laboratory, or of an earlier version"
        if _sealed(content) != content:
            return "damaged: its checksum is that of another content"
        table = parquet.ParquetFile(pa.BufferReader(content)).read()
        about = json.loads(table.schema.metadata[_METADATA])
        key, schema = setting_hash(about["task"]), about["task"]["schema"]
        if not isinstance(about["written"], int):
            raise ValueError("it does not say when it was written")
    except Exception as error:  # whatever a foreign file makes the reader say
        return f"not readable ({error if isinstance(error, ValueError) else type(error).__name__})"
    if not path.stem == key == about["key"]:
        return "its name is not the key of what it holds"
    if schema != SCHEMA_VERSION:
        return f"its rows are of schema {schema}, not {SCHEMA_VERSION}"
    if not table.schema.equals(_schema()):
        return f"its columns are not those of schema {SCHEMA_VERSION}"
    return table


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


def _sealed(content: bytes) -> bytes:
    """Return a file's content with the digest of all of it in its place, whatever stood there."""
    place = content.rindex(_SEAL) + len(_SEAL)
    before, after = content[:place], content[place + len(_BLANK) :]
    digest = hashlib.sha256(before + _BLANK + after).hexdigest()
    return before + digest.encode() + after


def read_about(folder: str | Path) -> dict[str, Any]:
    """Return what run.json says; nothing where it is missing, damaged or something else."""
    try:
        found = _read_json(Path(folder) / "run.json")
    except (OSError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}


def _read_json(path: Path) -> Any:
    try:
        return json.loads(contents(path, _MOST_OF_JSON))
    except RecursionError as error:
        raise ValueError("nested too deeply") from error


def _json(value: Mapping[str, Any]) -> str:
    return json.dumps(value, indent=2, sort_keys=True) + "\n"
