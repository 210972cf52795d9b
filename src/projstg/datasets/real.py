"""The two measured tables of the paper's section 4.2, unchanged.

A table is read from one folder, as ``triazines.csv`` or ``ailerons.csv``; where it is not there, it
is fetched from OpenML by its number and kept in that folder. In both cases its numbers must have
the checksum below, and the result says where they came from.
"""

from __future__ import annotations

import csv
import os
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from time import sleep
from typing import Any

import numpy as np
from sklearn.datasets import fetch_openml, get_data_home
from sklearn.utils import Bunch

from .._extras import extra
from .._files import replacing

__all__ = ["fetch_ailerons", "fetch_triazines"]

FOLDER_VARIABLE = "PROJSTG_DATA"

_ABOUT = """{title}

{shape[0]} rows, {n_inputs} inputs, all numbers; the target is {target!r}. From Luis Torgo's
collection of regression tables (LIACC, Porto); OpenML data_id={data_id}. {remark}
"""


@dataclass(frozen=True)
class _Original:
    """A table and the checksum that identifies it."""

    name: str
    title: str
    data_id: int
    target: str
    shape: tuple[int, int]
    """Rows, and columns with the target."""
    digest: str
    """Checksum of the names, and of the numbers as multiples of 10⁻⁴: none has more digits."""
    remark: str

    @property
    def about(self) -> str:
        """A description of the table."""
        return _ABOUT.format(**self.__dict__, n_inputs=self.shape[1] - 1)


_TRIAZINES = _Original(
    name="triazines",
    title="Triazines: how strongly a molecule inhibits dihydrofolate reductase",
    data_id=206,
    target="activity",
    shape=(186, 61),
    digest="5032e5a0ce8d55041f123bea70a83422d718becf060388f8516e3935d41229a1",
    remark="Two inputs are constant, three groups of inputs are identical, and the rank is 45, so "
    "no linear support is unique.",
)
_AILERONS = _Original(
    name="ailerons",
    title="Ailerons: the control action of an F16 from its state",
    data_id=296,
    target="goal",
    shape=(13750, 41),
    digest="491715a8d784d873de9b6b925bbb05ba988e7eddfa0727194529e5d913bd75f3",
    remark="Training and test rows of the original are not told apart. Seven pairs of inputs have "
    "a correlation above 0.9999, and the rank is 39.",
)


def fetch_triazines(
    *,
    data_home: str | os.PathLike[str] | None = None,
    download_if_missing: bool = True,
    return_X_y: bool = False,
    as_frame: bool = False,
    n_retries: int = 3,
    delay: float = 1.0,
) -> Any:
    """Load the triazines table, 186 rows and 60 inputs (OpenML 206).

    Parameters
    ----------
    data_home : str, path-like or None, default=None
        The folder that has, or will have, ``triazines.csv``. None: the folder that the environment
        variable ``PROJSTG_DATA`` names; without it, that of scikit-learn.
    download_if_missing : bool, default=True
        Whether to ask OpenML where the folder does not have it; False raises OSError instead.
    return_X_y : bool, default=False
        Whether to return only the inputs and the target.
    as_frame : bool, default=False
        Whether to return pandas objects.
    n_retries : int, default=3
        How often OpenML is asked before giving up.
    delay : float, default=1.0
        Seconds between two attempts.

    Returns
    -------
    dataset : Bunch
        ``data`` (186, 60), ``target`` (186,), ``feature_names``, ``target_names``, ``frame`` (None
        unless ``as_frame``), ``DESCR``, and ``source``: where the numbers came from.
    (data, target) : tuple, if ``return_X_y``
    """
    return _fetch(
        _TRIAZINES, data_home, download_if_missing, return_X_y, as_frame, (n_retries, delay)
    )


def fetch_ailerons(
    *,
    data_home: str | os.PathLike[str] | None = None,
    download_if_missing: bool = True,
    return_X_y: bool = False,
    as_frame: bool = False,
    n_retries: int = 3,
    delay: float = 1.0,
) -> Any:
    """Load the ailerons table, 13750 rows and 40 inputs (OpenML 296).

    Parameters and result are those of :func:`fetch_triazines`; ``data`` is (13750, 40), the file is
    ``ailerons.csv``.
    """
    return _fetch(
        _AILERONS, data_home, download_if_missing, return_X_y, as_frame, (n_retries, delay)
    )


def _fetch(
    original: _Original,
    data_home: str | os.PathLike[str] | None,
    download_if_missing: bool,
    return_X_y: bool,
    as_frame: bool,
    attempts: tuple[int, float],
) -> Any:
    """Return a table from the folder or from OpenML; ``attempts`` is (n_retries, delay)."""
    folder = Path(data_home or os.environ.get(FOLDER_VARIABLE) or get_data_home())
    path = folder / f"{original.name}.csv"
    if path.exists():
        names, values = _read(path)
        source = str(path)
    elif download_if_missing:
        names, values = _download(original, path, *attempts)
        source = f"OpenML data_id={original.data_id}"
    else:
        raise OSError(
            f"{path} is not there and download_if_missing is False; set {FOLDER_VARIABLE} to a "
            "folder that has it, or allow the download."
        )
    _check(original, names, values, source)
    if not path.exists():
        source += _kept(path, names, values)
    return _bunch(original, names, values, source, return_X_y, as_frame)


def _read(path: Path) -> tuple[list[str], np.ndarray]:
    """Return names and numbers (n_rows, n_columns) of a CSV file."""
    with path.open(newline="", encoding="utf-8") as file:
        names = next(csv.reader(file))
        return names, np.loadtxt(file, delimiter=",", ndmin=2)


def _download(
    original: _Original, path: Path, n_retries: int, delay: float
) -> tuple[list[str], np.ndarray]:
    """Return names and numbers (n_rows, n_columns) from OpenML, the target last."""
    for attempt in range(n_retries):
        try:
            found = fetch_openml(
                data_id=original.data_id,
                target_column=original.target,
                as_frame=False,
                parser="liac-arff",
                cache=False,
                n_retries=1,
            )
        except OSError as error:  # URLError is one
            if attempt + 1 < n_retries:
                sleep(delay)
                continue
            raise OSError(
                f"OpenML could not be reached for {original.name} ({error}); put "
                f"{path.name} (the table of OpenML data_id={original.data_id} as CSV) into "
                f"{path.parent}, or set {FOLDER_VARIABLE} to a folder that has it."
            ) from error
        values = np.column_stack([found.data, found.target]).astype(np.float64)
        return [*found.feature_names, original.target], values
    raise ValueError(f"n_retries={n_retries}; give at least 1.")


def _digest(names: list[str], values: np.ndarray) -> str:
    """Return the checksum of a table, the same for every correct parser of its decimals."""
    units = np.rint(values * 1e4).astype("<i8")
    return sha256(",".join(names).encode() + units.tobytes()).hexdigest()


def _check(original: _Original, names: list[str], values: np.ndarray, source: str) -> None:
    """Raise where the numbers are not those of the table."""
    if values.shape == original.shape and _digest(names, values) == original.digest:
        return
    raise ValueError(
        f"{source} is not the {original.name} table: {values.shape[0]} rows and {values.shape[1]} "
        f"columns with checksum {_digest(names, values)[:12]}, where {original.shape[0]} and "
        f"{original.shape[1]} with {original.digest[:12]} are expected; remove it and fetch again."
    )


def _kept(path: Path, names: list[str], values: np.ndarray) -> str:
    """Keep a copy, and return where; empty if the folder cannot be written to."""
    header = ",".join(names)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with replacing(path) as temporary:
            np.savetxt(temporary, values, fmt="%s", delimiter=",", header=header, comments="")
    except OSError:
        return ""
    return f", kept as {path}"


def _bunch(
    original: _Original,
    names: list[str],
    values: np.ndarray,
    source: str,
    return_X_y: bool,
    as_frame: bool,
) -> Any:
    """Return a table (n_rows, n_columns), the target last, as scikit-learn's loaders do."""
    X: Any = values[:, :-1]
    y: Any = values[:, -1]
    frame = None
    if as_frame:
        frame = extra("pandas", "cli").DataFrame(values, columns=names)
        X, y = frame[names[:-1]], frame[original.target]
    if return_X_y:
        return X, y
    return Bunch(
        data=X,
        target=y,
        frame=frame,
        feature_names=names[:-1],
        target_names=[original.target],
        DESCR=original.about,
        source=source,
    )
