"""Sums in a file: plain arrays in an uncompressed .npz, with a version; never a pickle.

A file that is read may come from anybody: what does not have the types and shapes of sums, or could
be the sums of no rows, is refused.
"""

from __future__ import annotations

import os
import sys
import zipfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

import numpy as np

from .._core.data.centred_sums import CentredSums
from .._files import regular_file, replacing
from .._printable import printable, shortened
from .chunks import MISSING
from .possible_sums import can_be_sums

__all__ = ["SavedSums", "load_sums", "save_sums"]

_FORMAT, _VERSION = "projstg-statistics", 2
_SUMS = ("n", "x_mean", "y_mean", "G", "b", "yy")
_MOST_SEED = 2**32 - 1


class _Refused(ValueError):
    """What is wrong with a file, in words of ours."""


class SavedSums(NamedTuple):
    """What a file has."""

    parts: list[CentredSums | None]
    """The sums of each fold, one without folds; None for a fold without rows."""
    n_rows: int
    """All rows that were seen, those that were left out included."""
    n_dropped: int
    seed: int
    missing: str
    """What is done with a row that has a missing value."""
    left_out: dict[str, str]
    """Columns that are not used, and why."""
    feature_names: np.ndarray | None
    target_names: np.ndarray | None


def save_sums(path: str | os.PathLike[str], saved: SavedSums) -> None:
    """Write the file, whole or not at all."""
    parts = [part for part in saved.parts if part is not None]
    counts = (saved.n_rows, saved.n_dropped, sum(part.n_rows for part in parts))
    arrays: dict[str, Any] = {
        "format": np.array(_FORMAT),
        "version": np.array(_VERSION),
        "missing": np.array(saved.missing),
        "left_out": np.array([*saved.left_out.items()], dtype=np.str_).reshape(-1, 2),
        "counts": np.array([*counts, saved.seed, len(saved.parts)]),
    }
    for name in ("feature_names", "target_names"):
        names = getattr(saved, name)
        arrays[name] = np.array([] if names is None else names, dtype=np.str_)
    for place, part in enumerate(saved.parts):
        if part is not None:
            arrays[f"n_rows_{place}"] = np.array(part.n_rows)
            arrays |= {f"{name}_{place}": getattr(part, name) for name in _SUMS}
            none = np.empty((0, part.b.shape[1]), dtype=np.uint64)
            arrays[f"cells_{place}"] = none if part.cells is None else part.cells
    with replacing(path) as temporary, open(temporary, "wb") as file:
        np.savez(file, allow_pickle=False, **arrays)


def load_sums(path: str | os.PathLike[str]) -> SavedSums:
    """Read the file, or raise ValueError with one line that says what is wrong with it."""
    try:
        with regular_file(path) as file:
            return _unpacked(file)
    except FileNotFoundError:
        raise
    except (ValueError, OSError) as error:
        raise ValueError(
            f"{printable(Path(path).name)} holds no Statistics that can be read: "
            f"{printable(error)[:200]}; gather them again, and write them with save()."
        ) from None


def _unpacked(file: BinaryIO) -> SavedSums:
    try:
        with zipfile.ZipFile(file) as packed:
            if any(one.compress_type != zipfile.ZIP_STORED for one in packed.infolist()):
                raise _Refused("it is compressed, as no saved Statistics is")
        file.seek(0)
        with np.load(file, allow_pickle=False) as arrays:
            return _read(arrays)
    except _Refused:
        raise
    except zipfile.BadZipFile:
        raise _Refused("it is damaged, or another kind of file") from None
    except MemoryError:
        raise _Refused("it does not fit into memory") from None
    except Exception:  # anything that NumPy and zipfile raise on a foreign file
        raise _Refused("it is damaged") from None


def _read(arrays: Mapping[str, np.ndarray]) -> SavedSums:
    if "format" not in arrays or str(_texts(arrays, "format")) != _FORMAT:
        raise _Refused("it was not written by Statistics.save")
    (version,) = _whole(arrays, "version", 1)
    if version != _VERSION:
        raise _Refused(
            f"it has version {version} of the format, and this projstg reads version {_VERSION}"
        )
    n_rows, n_dropped, n_counted, seed, n_parts = _whole(arrays, "counts", 5)
    if not 1 <= n_parts <= 1000 or min(n_rows, n_dropped, seed) < 0 or seed > _MOST_SEED:
        raise _Refused("its counts are out of range")
    if not 0 < n_counted <= n_rows - n_dropped:  # the others have a weight of zero
        raise _Refused("its numbers of rows do not add up")
    parts = [_part(arrays, place) for place in range(n_parts)]
    _check_parts([part for part in parts if part is not None], n_counted)
    first = next(part for part in parts if part is not None)
    names = (
        _names(arrays, "feature_names", first.x_mean.shape[1]),
        _names(arrays, "target_names", first.y_mean.shape[0]),
    )
    left_out, missing = _texts(arrays, "left_out"), str(_texts(arrays, "missing"))
    if left_out.ndim != 2 or left_out.shape[1] != 2:
        raise _Refused("'left_out' are not names and reasons")
    if missing not in MISSING:
        raise _Refused(f"'missing' is '{shortened(missing)}'")
    said = {str(name): str(why) for name, why in left_out}
    return SavedSums(parts, n_rows, n_dropped, seed, missing, said, *names)


def _part(arrays: Mapping[str, np.ndarray], place: int) -> CentredSums | None:
    if f"n_{place}" not in arrays:
        return None
    fields = {name: _known(arrays, f"{name}_{place}") for name in _SUMS}
    for name, values in fields.items():
        if values.dtype != np.float64 or not np.isfinite(values).all():
            raise _Refused(f"'{name}' has other than finite numbers")
    (n_rows,) = _whole(arrays, f"n_rows_{place}", 1)
    cells = _known(arrays, f"cells_{place}")
    is_of_rows = cells.ndim == 2 and cells.shape[1:] == fields["x_mean"].shape[1:]
    if cells.dtype != np.uint64 or not is_of_rows or len(cells) > n_rows:
        raise _Refused("'cells' are not those of its rows")
    return CentredSums(n_rows, **fields, cells=cells if len(cells) else None)


def _check_parts(parts: Sequence[CentredSums], n_rows: int) -> None:
    """Raise where these are not the sums of so many rows."""
    if sum(part.n_rows for part in parts) != n_rows:
        raise _Refused("its folds do not have all of its rows")
    T, D = parts[0].b.shape if parts[0].b.ndim == 2 else (0, 0)
    for part in parts:
        shapes = [getattr(part, name).shape for name in _SUMS]
        if shapes != [(1,), (1, D), (T,), (1, D, D), (T, D), (T,)] or not T * D:
            raise _Refused("its arrays do not have the shapes of sums")
        if not can_be_sums(part):
            raise _Refused("its numbers can be the sums of no rows")


def _names(arrays: Mapping[str, np.ndarray], key: str, size: int) -> np.ndarray | None:
    names = _texts(arrays, key)
    if names.shape not in {(size,), (0,)}:
        raise _Refused(f"'{key}' are not names of its columns")
    if len(set(names.tolist())) < names.size:
        raise _Refused(f"'{key}' has a name twice")
    return names.astype(object) if names.size else None


def _known(arrays: Mapping[str, np.ndarray], key: str) -> np.ndarray:
    if key not in arrays:
        raise _Refused(f"it has no '{key}'")
    return arrays[key]


def _whole(arrays: Mapping[str, np.ndarray], key: str, size: int) -> list[int]:
    """Return so many whole numbers; others are not rounded."""
    values = _known(arrays, key)
    if values.dtype.kind != "i" or values.size != size or values.ndim > 1:
        raise _Refused(f"'{key}' has other than whole numbers")
    return [int(one) for one in values.ravel()]


def _texts(arrays: Mapping[str, np.ndarray], key: str) -> np.ndarray:
    """Return an array of text; one of bytes that are no characters would break Python's str."""
    values = _known(arrays, key)
    code = np.dtype(np.uint32).newbyteorder(values.dtype.byteorder)
    is_text = values.dtype.kind == "U"
    if not is_text or np.any(np.frombuffer(values.tobytes(), dtype=code) > sys.maxunicode):
        raise _Refused(f"'{key}' has other than text")
    return values
