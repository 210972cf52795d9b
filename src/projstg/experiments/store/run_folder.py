"""The folder of a run: what is written where, and what is done with files that do not belong there.

One run at a time writes to a folder; part files made elsewhere may be copied in. Every file is
written whole and renamed into place. A link in the place of a file is replaced, never followed; a
link in the place of one of the folders is refused. The folder itself may be reached by a link, and
reading rows follows links.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from ..._files import LEFTOVERS, file_contents, replacing
from ..tasks import Task
from .folder_lock import folder_lock
from .part_file import part_bytes, read_part

__all__ = ["Store", "read_about"]

# No JSON file that a run writes is larger.
_MOST_BYTES = 2**24

# Folders that a run or its report write to.
_FOLDERS = ("parts", "tuning", "specs", "set-aside", "figures", "tables")

_KEPT_OF_RUNS = ("command", "size", "device", "commit", "started", "ended", "seconds", "n_done")


class Store:
    """The folder of a run."""

    def __init__(self, folder: str | Path) -> None:
        self.folder = Path(folder)
        self.parts = self.folder / "parts"
        self.tuning = self.folder / "tuning"
        self.failed: set[str] = set()
        """Keys of the parts in which ``prepare`` found fits that failed."""

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Lock the folder for the block; a second run is refused, and so are linked folders."""
        self.folder.mkdir(parents=True, exist_ok=True)
        self._refuse_links()
        with folder_lock(self.folder):
            yield

    def prepare(self) -> list[str]:
        """Make the folder ready and return a line for each file that was set aside."""
        self._refuse_links()
        for folder in (self.parts, self.tuning, self.folder / "specs"):
            folder.mkdir(parents=True, exist_ok=True)
        for name in ("", *_FOLDERS):
            for leftover in (self.folder / name).glob(LEFTOVERS):  # of a run that was killed
                leftover.unlink(missing_ok=True)
        self.failed.clear()
        found = {path: self._checked_part(path) for path in sorted(self.parts.iterdir())}
        return [self._set_aside(path, why) for path, why in found.items() if why]

    def _refuse_links(self) -> None:
        """Raise where a folder of this one is a link: writing there would change other files."""
        for name in _FOLDERS:
            if (self.folder / name).is_symlink():
                raise ValueError(
                    f"{self.folder / name} is a link; remove it, or choose another folder."
                )

    def _checked_part(self, path: Path) -> str:
        """Return why a file is no part, empty where it is one; note fits that failed."""
        part = read_part(path)
        if isinstance(part, str):
            return part
        if "error" in part["status"].to_pylist():
            self.failed.add(path.stem)
        return ""

    def _set_aside(self, path: Path, reason: str) -> str:
        """Move a file to set-aside/, overwriting nothing, and return a line about it."""
        aside = self.folder / "set-aside"
        aside.mkdir(exist_ok=True)
        target, count = aside / path.name, 1
        while os.path.lexists(target):
            target, count = aside / f"{path.stem}.{count}{path.suffix}", count + 1
        os.replace(path, target)
        return f"{path.name}: {reason}; moved to {target.relative_to(self.folder)}"

    def has(self, task: Task) -> bool:
        """Return whether the rows of a task are there; call ``prepare`` first."""
        return self._path(task.key).exists()

    def has_failed(self, task: Task) -> bool:
        """Return whether a fit of the task failed when it was last run."""
        return task.key in self.failed

    def remove(self, task: Task) -> None:
        """Remove the rows of a task."""
        self._path(task.key).unlink(missing_ok=True)

    def write(self, task: Task, rows: Iterable[Mapping[str, Any]]) -> None:
        """Write the rows of a task, all of them or none."""
        content = part_bytes(task, rows)
        with replacing(self._path(task.key)) as temporary:
            temporary.write_bytes(content)

    def _path(self, key: str) -> Path:
        return self.parts / f"{key}.parquet"

    def tuned(self, key: str) -> float | None:
        """Return the C that was chosen under this key; None: none yet, or not readable."""
        try:
            return float(_read_json(self._tuned_path(key))["alpha_scale"])
        except (OSError, ValueError, KeyError, TypeError):
            return None

    def write_tuned(self, key: str, alpha_scale: float, about: Mapping[str, Any]) -> None:
        """Write the C chosen under this key."""
        _write_text(self._tuned_path(key), _json({"alpha_scale": alpha_scale, **about}))

    def remove_tuned(self, key: str) -> None:
        """Remove the C chosen under this key."""
        self._tuned_path(key).unlink(missing_ok=True)

    def _tuned_path(self, key: str) -> Path:
        return self.tuning / f"{key}.json"

    def write_spec(self, name: str, text: str) -> None:
        """Write the text of an experiment beside its rows."""
        _write_text(self.folder / "specs" / f"{name}.toml", text)

    def write_run(self, about: Mapping[str, Any]) -> None:
        """Write what is known of the run that made or completed the folder."""
        _write_text(self.folder / "run.json", _json(about))

    def earlier_runs(self) -> list[dict[str, Any]]:
        """Return what run.json says of the runs before this one, the latest at the end."""
        last = read_about(self.folder)
        earlier = last.get("earlier", [])
        kept = {name: last[name] for name in _KEPT_OF_RUNS if name in last}
        return [*(earlier if isinstance(earlier, list) else []), *([kept] if kept else [])]


def read_about(folder: str | Path) -> dict[str, Any]:
    """Return what run.json says; an empty dict where it is missing, damaged or something else."""
    try:
        found = _read_json(Path(folder) / "run.json")
    except (OSError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}


def _read_json(path: Path) -> Any:
    try:
        return json.loads(file_contents(path, _MOST_BYTES))
    except RecursionError as error:
        raise ValueError("nested too deeply") from error


def _write_text(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with replacing(path) as temporary:
        temporary.write_text(text, encoding="utf-8")


def _json(value: Mapping[str, Any]) -> str:
    return json.dumps(value, indent=2, sort_keys=True) + "\n"
