"""A chunk of rows as numbers, checked against the chunks before it."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from typing import Any, NamedTuple, NoReturn

import numpy as np
from scipy.sparse import issparse

from .._printable import counted, shortened
from .as_doubles import (
    check_response,
    has_dates,
    not_numbers,
    rounded_columns,
    rounded_target,
    word_for,
)
from .batches import check_columns

__all__ = [
    "MISSING",
    "Chunk",
    "check_like_others",
    "check_names",
    "checked_chunk",
    "checked_weights",
    "complete_rows",
    "gaps_refused",
]

MISSING = ("error", "drop")
"""What may be done with a row that has a missing value."""
_REAL = "biuf"


class Chunk(NamedTuple):
    """Rows of a table."""

    X: np.ndarray
    """(N, D), numbers of any real type."""
    Y: np.ndarray
    """(N, T)."""
    weights: np.ndarray | None
    """(N,)."""
    feature_names: np.ndarray | None
    """(D,), or None."""
    target_names: np.ndarray | None
    """(T,), or None."""
    part: np.ndarray | None = None
    """The number of the sums to which each row is added, (N,); None: all to the first."""
    rounded: frozenset[str] = frozenset()
    """What a message calls the columns with whole numbers that doubles do not hold."""

    def some(self, rows: np.ndarray) -> Chunk:
        """Return the rows of a mask (N,)."""
        weights, part = (None if one is None else one[rows] for one in (self.weights, self.part))
        return self._replace(X=self.X[rows], Y=self.Y[rows], weights=weights, part=part)


def checked_chunk(X: Any, y: Any, weights: Any, place: str) -> Chunk:
    """Return a chunk of arrays or data frames, or raise; ``place`` is what a message calls it."""
    rows, responses = _numbers(X, f"X of {place}"), _numbers(y, f"y of {place}")
    if rows.ndim != 2:
        raise ValueError(f"X of {place} has shape {rows.shape}; give rows and columns.")
    if responses.ndim not in (1, 2) or len(responses) != len(rows):
        raise ValueError(
            f"y of {place} has shape {responses.shape} for {len(rows)} rows of X; give one number, "
            "or one for each target, a row."
        )
    if not rows.shape[1]:
        raise ValueError(f"X of {place} has no columns.")
    names = (_names_of(X), _names_of(y) if responses.ndim == 2 else _name_of(y))
    for own in names:
        known = [] if own is None else own.tolist()
        check_columns(known, known, place)
    responses = responses[:, None] if responses.ndim == 1 else responses
    rounded = rounded_columns(X) | rounded_target(y)
    if rounded:  # no sum knows their last digits, and so nothing else may
        rows, responses = rows.astype(np.float64), responses.astype(np.float64)
    weights = checked_weights(weights, len(rows), place)
    return Chunk(rows, responses, weights, *names, rounded=rounded)


def _numbers(values: Any, what: str) -> np.ndarray:
    if issparse(values):
        raise TypeError(f"{what} is sparse; use X.toarray(), a chunk at a time.")
    if isinstance(values, np.ma.MaskedArray):
        values = np.ma.filled(values.astype(np.float64), np.nan)
    array = values.to_numpy() if hasattr(values, "to_numpy") else np.asarray(values)
    if array.dtype.kind == "O":  # columns of several types, or of pandas' own
        with suppress(TypeError, ValueError):
            own = {"dtype": np.float64, "na_value": np.nan}
            array = values.to_numpy(**own) if hasattr(values, "iloc") else array.astype(np.float64)
    if array.dtype.kind not in _REAL or has_dates(values):
        if not what.startswith("X "):
            _refuse(array, what)
        raise ValueError(
            not_numbers(values, what, "Statistics.from_arrow")
            or f"{what} has cells that are not real numbers (dtype {array.dtype}); text columns "
            "are coded by Statistics.from_arrow and Statistics.from_parquet."
        )
    return array


def _refuse(array: np.ndarray, what: str) -> NoReturn:
    """Raise for a target, or weights, that are no numbers."""
    if what.startswith("y "):
        check_response(array, what)
    word = word_for(array)
    if word == "dates":
        raise ValueError(f"{what} has dates; make numbers of them, such as days since the first.")
    if word:
        raise ValueError(f"{what} has {word}; give one number a row.")
    raise ValueError(
        f"{what} has cells that are not real numbers (dtype {array.dtype}); give numbers, such as "
        "astype(float) makes of them."
    )


def _names_of(table: Any) -> np.ndarray | None:
    """Return the names of the columns of a data frame, if all are text; None otherwise."""
    columns = getattr(table, "columns", None)
    if columns is None or callable(columns) or not all(isinstance(one, str) for one in columns):
        return None
    return np.asarray(list(columns), dtype=object)


def _name_of(series: Any) -> np.ndarray | None:
    name = getattr(series, "name", None)
    return np.asarray([name], dtype=object) if isinstance(name, str) else None


def checked_weights(weights: Any, n_rows: int, place: str) -> np.ndarray | None:
    """Return weights (N,) in double, or raise; None stays."""
    if weights is None:
        return None
    found = _numbers(weights, f"sample_weight of {place}").astype(np.float64)
    if found.shape != (n_rows,):
        raise ValueError(
            f"sample_weight of {place} has shape {found.shape} for {n_rows} rows; give one a row."
        )
    if np.any(found < 0.0):
        raise ValueError(
            f"sample_weight of {place} has {np.sum(found < 0.0)} negative values; a weight is a "
            "number of rows."
        )
    return found


class _Gaps(NamedTuple):
    """The missing values of a chunk."""

    complete: np.ndarray
    """The mask (N,) of rows without one."""
    counts: dict[str, int]
    """How many each column has, by name or number; those of the target and weights, too."""


def _gaps_of(chunk: Chunk) -> _Gaps:
    """Return what is missing; raise where a number is infinite."""
    sides = {"": chunk.X, "target": chunk.Y, "weights": chunk.weights}
    complete = np.ones(len(chunk.X), dtype=bool)
    counts: dict[str, int] = {}
    for side, values in sides.items():
        if values is None or values.dtype.kind != "f":
            continue
        cells = values.reshape(len(complete), -1)
        if np.isinf(cells).any():
            raise ValueError(
                f"{int(np.isinf(cells).sum())} values are infinite; leave out the rows or the "
                "columns that overflowed."
            )
        gaps = np.isnan(cells)
        complete &= ~gaps.any(axis=1)
        names = chunk.feature_names if chunk.feature_names is not None else range(cells.shape[1])
        for place in np.flatnonzero(gaps.any(axis=0)):
            name = side or str(names[place])
            counts[name] = counts.get(name, 0) + int(gaps[:, place].sum())
    return _Gaps(complete, counts)


def complete_rows(chunk: Chunk, missing: str, place: str) -> np.ndarray:
    """Return the mask of rows without a gap, or raise where gaps are not allowed."""
    try:
        gaps = _gaps_of(chunk)
    except ValueError as error:
        raise ValueError(f"{place}: {error}") from None
    kept = gaps.complete
    if missing == "error" and not kept.all():
        raise ValueError(gaps_refused(place, int((~kept).sum()), kept.size, gaps.counts))
    return kept


def gaps_refused(place: str, n_gaps: int, n_rows: int, counts: Mapping[str, int]) -> str:
    """Return what to say where rows have missing values, so many in each column."""
    return (
        f"{place} has {n_gaps} of {n_rows} rows with a missing value ({counted(counts)}); repair "
        'them, or fit Statistics that leave such rows out, by Statistics(missing="drop") or '
        'Statistics.from_parquet(…, missing="drop"). Nothing of it was added.'
    )


def check_like_others(
    chunk: Chunk,
    shape: tuple[int, int],
    feature_names: np.ndarray | None,
    target_names: np.ndarray | None,
    place: str,
) -> None:
    """Raise where a chunk has other columns or targets than those before it.

    These have so many columns and targets, ``shape``, of these names.
    """
    for found, known, what in zip(
        (chunk.X.shape[1], chunk.Y.shape[1]), shape, ("column", "target"), strict=True
    ):
        if found != known:
            raise ValueError(
                f"{place} has {found} {what}s, and those before it have {known}; give the same "
                f"{what}s in every chunk."
            )
    check_names(feature_names, chunk.feature_names, place, "column")
    check_names(target_names, chunk.target_names, place, "target")


def check_names(known: np.ndarray | None, given: np.ndarray | None, place: str, what: str) -> None:
    """Raise where names differ, or their order; those of an array without names may be any."""
    if known is None or given is None or np.array_equal(known, given):
        return
    if sorted(known) == sorted(given):
        raise ValueError(f"{place} has its {what}s in another order; give them as before.")
    strange = [str(one) for one in given if one not in set(known)]
    lacking = [str(one) for one in known if one not in set(given)]
    raise ValueError(
        f"{place} has the {what} '{shortened((strange or given)[0])}' where those before it have "
        f"'{shortened((lacking or known)[0])}'; give the same {what}s in every chunk."
    )
