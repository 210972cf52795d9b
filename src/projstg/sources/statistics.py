"""Sums over rows, gathered in one pass: all that a fit needs of a table with few columns.

A pass over any number of rows leaves (n, Σw, x̄, ȳ, XᵀX, Xᵀy, yᵀy) about the means: D² numbers,
whatever N is. Chunks of rows, files and workers of a cluster merge without a loss of digits
(:mod:`.._core.data.centred_sums`).

For a check on rows left out, each row goes into one of a few folds and the sums are kept by fold:
those of a training set are the merged sums of the other folds. Taking a fold away from the whole
would cancel.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from copy import copy
from functools import partial
from numbers import Integral
from typing import Any, Self

import numpy as np

from .._core.data.centred_sums import CentredSums
from .._core.data.shared_sums import are_in_range
from .._did_you_mean import did_you_mean
from .arrow import CodedColumns
from .as_doubles import warn_of_rounded
from .batches import Batches, arrow_batches, is_dataset
from .chunks import (
    MISSING,
    Chunk,
    check_like_others,
    check_names,
    checked_chunk,
    complete_rows,
    gaps_refused,
)
from .dask_blocks import dask_sums, lacking_columns_named, one_blas_thread
from .dask_text import FrameColumns, frame_columns
from .fold_sums import (
    FoldSums,
    are_numbers,
    merged_folds,
    sums_by_fold,
    together,
)
from .folds import fold_of_rows
from .parquet_folder import parquet_batches
from .saved_sums import SavedSums, load_sums, save_sums
from .summed_rows import SummedRows

__all__ = ["MISSING", "MOST_COLUMNS", "Statistics"]

_MOST_FOLDS = 1000
# Their inner products take 3 GB.
MOST_COLUMNS = 20_000


class Statistics(SummedRows):
    """Sums over rows (x, y), with weights: counts, means, and inner products about the means.

    They can be gathered in chunks (:meth:`update`), merged (``+``, ``sum``), saved, and fitted:
    ``ProjectedSTG().fit(statistics)`` gives what it gives for the rows themselves. Copies of a row,
    and its weight, are one different row: where these are few their cells are kept as hashes, for
    as many columns as there are different rows fit anything.

    Parameters
    ----------
    folds : int, default=0
        Into so many folds the rows are put at random, each by its number in the stream, and the
        sums are kept by fold, for checks on rows left out. 0 keeps them together.
    missing : {"error", "drop"}, default="error"
        What to do with a row that has a missing value (NaN). Those of a column that is left out
        cost no row.
    random_state : int, default=0
        The seed of the folds.

    Attributes
    ----------
    n_rows : int
        Rows that count, and ``n_dropped``: those left out for a missing value.
    weight_sum : float
        Σw; the number of rows where there are no weights.
    x_mean, y_mean : ndarray of shape (D,) and (T,)
    xx, xy, yy : ndarray of shape (D, D), (D, T) and (T,)
        Inner products of columns and targets, about their means.
    feature_names, target_names : ndarray of str, or None
    left_out : dict
        Columns of a source that cannot be selected, and why.

    Examples
    --------
    >>> import numpy as np
    >>> from projstg import ProjectedSTG, Statistics
    >>> rng = np.random.default_rng(0)
    >>> statistics = Statistics()
    >>> for _ in range(10):
    ...     X = rng.standard_normal((1000, 20))
    ...     _ = statistics.update(X, X[:, 3] - X[:, 17] + rng.standard_normal(1000))
    >>> statistics
    Statistics(n_rows=10000, n_features=20, n_targets=1)
    >>> ProjectedSTG().fit(statistics).get_support(indices=True)
    array([ 3, 17])
    """

    def __init__(self, *, folds: Any = 0, missing: str = "error", random_state: Any = 0) -> None:
        is_count = isinstance(folds, Integral) and not isinstance(folds, bool)
        if not (is_count and (folds == 0 or 2 <= folds <= _MOST_FOLDS)):
            raise ValueError(
                f"folds={folds!r}; give a whole number from 2 to {_MOST_FOLDS}, or 0 for none."
            )
        if missing not in MISSING:
            raise ValueError(f"missing={missing!r}; {did_you_mean(str(missing), MISSING)}")
        if not (isinstance(random_state, Integral) and 0 <= int(random_state) < 2**32):
            raise ValueError(
                f"random_state={random_state!r}; give a whole number from 0 to 2**32 - 1."
            )
        self._missing: str = missing
        self._seed: int = int(random_state)
        self._parts: FoldSums = [None] * max(int(folds), 1)
        self.n_dropped: int = 0
        self._n_seen: int = 0
        self._n_chunks: int = 0
        self._first: int = 0
        self._rounded: frozenset[str] = frozenset()
        self.left_out: dict[str, str] = {}
        self.feature_names: np.ndarray | None = None
        self.target_names: np.ndarray | None = None

    @classmethod
    def from_arrays(cls, chunks: Iterable[Sequence[Any]], **params: Any) -> Self:
        """Return the statistics of chunks (X, y) or (X, y, sample_weight): arrays or data frames.

        Parameters
        ----------
        chunks : iterable of tuples
            X of shape (n, D) and y of shape (n,), or (n, T) for several targets.
        **params
            Those of :class:`Statistics`.
        """
        found = cls(**params)
        for chunk in chunks:
            if not isinstance(chunk, tuple | list) or len(chunk) not in (2, 3):
                raise ValueError(
                    f"chunk {found._n_chunks + 1} is a {type(chunk).__name__}; give tuples (X, y) "
                    "or (X, y, sample_weight)."
                )
            found.update(*chunk)
        if not found._n_chunks:
            raise ValueError("there are no chunks; give at least one.")
        return found

    @classmethod
    def from_arrow(
        cls,
        source: Any,
        target: str,
        *,
        columns: Sequence[str] | None = None,
        weights: str | None = None,
        **params: Any,
    ) -> Self:
        """Return the statistics of anything that speaks the Arrow stream protocol, read once.

        Parameters
        ----------
        source : pyarrow table, reader or dataset; pandas, Polars, DuckDB, Ibis
            Anything with ``__arrow_c_stream__``.
        target : str
        columns : list of str or None
            Those that may be selected; None for all. Text becomes columns of 0 and 1, one for each
            level. Dates and text of more than 20 levels are left out, ``left_out`` says which.
        weights : str or None
            A column that says how many rows each row counts for.
        **params
            Those of :class:`Statistics`.
        """
        read = partial(arrow_batches, source)
        coded = CodedColumns(target, columns, weights, again=read if is_dataset(source) else None)
        return cls(**params)._read(read(coded.wanted()), coded)

    @classmethod
    def from_parquet(
        cls,
        path: str | os.PathLike[str],
        target: str,
        *,
        columns: Sequence[str] | None = None,
        weights: str | None = None,
        **params: Any,
    ) -> Self:
        """Return the statistics of a Parquet file, or of all files of a folder, read once.

        Parameters are those of :meth:`from_arrow`. Folders named ``year=2026`` are a column. Text
        that has gaps is read twice.
        """
        read = partial(parquet_batches, path)
        coded = CodedColumns(target, columns, weights, again=read)
        return cls(**params)._read(read(coded.wanted()), coded)

    @classmethod
    def from_dask(cls, X: Any, y: Any, sample_weight: Any = None, **params: Any) -> Self:
        """Return the statistics of a Dask array or data frame; sums are made on the workers.

        Parameters
        ----------
        X : dask array of shape (n, D), or data frame
            Text is coded as by :meth:`from_arrow`; its levels take a pass of their own.
        y : dask array or series, or the name of a column of the data frame
        sample_weight : likewise, or None
        **params
            Those of :class:`Statistics`.
        """
        cls(**params)  # raises here, not on a worker
        with lacking_columns_named(X):
            columns = frame_columns(X, y, sample_weight)
            found = dask_sums(X, y, sample_weight, partial(_of_block, cls, params, columns))
        found._check_any()
        return found

    def _read(self, batches: Batches, coded: CodedColumns) -> Self:
        """Add all batches of a source, and raise where none of its rows counts."""
        self._add_coded(batches, coded)
        self._check_any()
        return self

    def _check_any(self) -> None:
        """Raise where no row of a source counts, and warn of digits that are lost."""
        if self._any_part is None:
            dropped = f": all {self.n_dropped} have a missing value" if self.n_dropped else ""
            raise ValueError(f"the source has no rows that count{dropped}.")
        warn_of_rounded(self._rounded, stacklevel=4)

    def _add_coded(self, batches: Batches, coded: CodedColumns) -> None:
        n_folds = len(self._parts)
        for place, batch in batches:
            chunk = coded.chunk(batch, place)
            n_sets = len(coded.gap_sets)
            coded.gap_sets.check_room(n_folds * max(chunk.X.shape[1], 1) ** 2, place)
            self._parts += [None] * (n_folds * n_sets - len(self._parts))
            if self._any_part is not None:
                self._widen(chunk)
            self._add(chunk, place, n_sets)
        self._parts, gaps, n_dropped = coded.gap_sets.settled(self._parts, coded.used_texts())
        self.n_dropped += n_dropped
        if n_dropped and self._missing == "error":
            n_rows = self.n_rows + n_dropped
            raise ValueError(gaps_refused("the source", n_dropped, n_rows, gaps))
        self.left_out = coded.left_out
        if self._any_part is not None:
            # Of a row that was dropped for a gap elsewhere a level may be left that nobody has.
            is_met = together(self._parts).x_mean[0] != 0.0
            self._take(coded.order(None if coded.is_shared else is_met))

    def _widen(self, chunk: Chunk) -> None:
        """Make room for columns that were zero in all rows before."""
        n_new = chunk.X.shape[1] - self.n_features
        if n_new > 0:
            self._parts = [None if part is None else part.widened(n_new) for part in self._parts]
            self.feature_names = chunk.feature_names

    def _take(self, places: Sequence[int]) -> None:
        """Keep some of the columns, in this order."""
        if not places:
            left_out = ", ".join(f"{name} ({why})" for name, why in self.left_out.items())
            said = f", for these are left out: {left_out[:300]}" if left_out else ""
            raise ValueError(f"there is no column beside the target that could be selected{said}.")
        own = np.asarray(places)
        self._parts = [None if part is None else part.among(own) for part in self._parts]
        if self.feature_names is not None:
            self.feature_names = self.feature_names[own]

    def update(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Add rows; where something is wrong with them nothing is added.

        Parameters
        ----------
        X : array or data frame of shape (n, D)
        y : array, series or data frame of shape (n,) or (n, T)
        sample_weight : array of shape (n,) or None
            A row of weight k counts as k rows.

        Returns
        -------
        self : Statistics
        """
        place, before = f"chunk {self._n_chunks + 1}", self._rounded
        self._add(checked_chunk(X, y, sample_weight, place), place)
        warn_of_rounded(self._rounded - before, stacklevel=2)
        return self

    def _add(self, chunk: Chunk, place: str, n_sets: int = 1) -> None:
        """Add a chunk; ``place`` is what a message calls it.

        There are sums for so many sets of gaps (:mod:`.gap_sets`), each by fold.
        """
        if self._any_part is not None:
            shape = (self.n_features, self.n_targets)
            check_like_others(chunk, shape, self.feature_names, self.target_names, place)
        n_rows, n_dropped, n_parts = len(chunk.X), 0, len(self._parts)
        if chunk.X.shape[1] > MOST_COLUMNS:
            raise ValueError(
                f"{place} has {chunk.X.shape[1]} columns, and sums are kept of {MOST_COLUMNS} at "
                "the most; pass fewer columns, or all rows at once as an array."
            )
        if not n_rows:
            self._n_chunks += 1
            return
        n_folds = n_parts // n_sets
        if n_folds > 1:
            folds = fold_of_rows(self._first + self._n_seen, n_rows, n_folds, self._seed)
            sets = 0 if chunk.part is None else chunk.part
            chunk = chunk._replace(part=n_folds * sets + folds)
        if chunk.weights is not None:
            chunk = chunk.some(chunk.weights != 0.0)
        added = sums_by_fold(chunk, n_parts)
        if not are_numbers(added):
            kept = complete_rows(chunk, self._missing, place)
            n_dropped, chunk = int(np.sum(~kept)), chunk.some(kept)
            added = sums_by_fold(chunk, n_parts)
        parts = merged_folds(self._parts, added)
        is_in_range = not any(added) or are_in_range(chunk.X, chunk.Y, together(added))
        if not (is_in_range and are_numbers(parts)):
            raise ValueError(
                f"squares of numbers in {place} are too large or too small for a number; divide "
                "these columns by constants. Nothing of it was added."
            )
        self._keep_names(chunk)
        self._parts, self._rounded = parts, self._rounded | chunk.rounded
        self._n_seen, self.n_dropped = self._n_seen + n_rows, self.n_dropped + n_dropped
        self._n_chunks += 1

    def _keep_names(self, chunk: Chunk) -> None:
        """Take the names of the first chunk that counts, and where it had none, later ones."""
        is_first = self._any_part is None
        if is_first or self.feature_names is None:
            self.feature_names = chunk.feature_names
        if is_first or self.target_names is None:
            self.target_names = chunk.target_names

    def _like(self, parts: Sequence[CentredSums | None]) -> Self:
        found = type(self)(missing=self._missing, random_state=self._seed)
        found._parts = list(parts)
        found._n_seen = sum(part.n_rows for part in parts if part is not None)
        found._n_chunks = 1
        found.feature_names, found.target_names = self.feature_names, self.target_names
        found.left_out = dict(self.left_out)
        return found

    def __add__(self, other: Any) -> Statistics:
        if not isinstance(other, Statistics):
            return NotImplemented
        mine, theirs = self._any_part, other._any_part
        if len(self._parts) != len(other._parts):
            raise ValueError(
                f"one has {self.n_folds} folds, the other {other.n_folds}; gather both with the "
                "same folds=."
            )
        if mine is not None and theirs is not None:
            if mine.b.shape != theirs.b.shape:
                raise ValueError(
                    f"one has {mine.b.shape[1]} columns and {mine.b.shape[0]} targets, the other "
                    f"{theirs.b.shape[1]} and {theirs.b.shape[0]}; give the same columns to both."
                )
            for pair, what in (
                ((self.feature_names, other.feature_names), "column"),
                ((self.target_names, other.target_names), "target"),
            ):
                check_names(*pair, "the second", what)
        both = merged_folds(self._parts, other._parts)
        if not are_numbers(both):
            raise ValueError("squares of both together overflow; divide columns by constants.")
        found = (self if mine is not None else other)._like(both)
        found._n_seen = self._n_seen + other._n_seen
        found.n_dropped = self.n_dropped + other.n_dropped
        found._n_chunks = self._n_chunks + other._n_chunks
        if found.feature_names is None:
            found.feature_names = other.feature_names
        if found.target_names is None:
            found.target_names = other.target_names
        found.left_out = self.left_out | other.left_out
        found._rounded = self._rounded | other._rounded
        return found

    def __radd__(self, other: Any) -> Statistics:
        # What sum() begins with. A copy: rows that are added to the sum are not added to its parts.
        return copy(self) if isinstance(other, Integral) and other == 0 else NotImplemented

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write them to a file of plain arrays (.npz), whole or not at all."""
        if self._any_part is None:
            raise ValueError("there are no rows yet; nothing is saved.")
        counts = (self._n_seen, self.n_dropped, self._seed)
        names = (self.feature_names, self.target_names)
        save_sums(path, SavedSums(self._parts, *counts, self._missing, self.left_out, *names))

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Self:
        """Read what :meth:`save` has written; a damaged or forged file raises ValueError."""
        saved = load_sums(path)
        found = cls(random_state=saved.seed, missing=saved.missing)
        found.left_out = saved.left_out
        found._parts, found._n_seen, found.n_dropped = saved.parts, saved.n_rows, saved.n_dropped
        found._n_chunks = 1
        found.feature_names, found.target_names = saved.feature_names, saved.target_names
        return found


def _of_block(
    kind: type[Statistics],
    params: dict,
    columns: FrameColumns | None,
    X: Any,
    y: Any,
    weights: Any,
    first: int,
    place: str,
) -> Statistics:
    """Return the statistics of one block of rows; the first has the number ``first``."""
    found = kind(**params)
    found._first = first
    with one_blas_thread():
        if columns is None:
            found._add(checked_chunk(X, y, weights, place), place)
        else:
            found._add_coded(columns.batches(X, y, weights, place), columns.coded())
    return found
