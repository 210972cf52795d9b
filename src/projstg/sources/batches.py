"""Arrow tables, streams and datasets in batches, read once.

Anything that speaks the Arrow stream protocol (``__arrow_c_stream__``) comes in here: pyarrow,
pandas, Polars, DuckDB, Ibis.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

from .._did_you_mean import did_you_mean
from .._extras import extra
from .._printable import printable, shortened
from .as_doubles import columns_of

__all__ = [
    "BATCH_ROWS",
    "Batches",
    "arrow_batches",
    "check_columns",
    "guarded",
    "is_dataset",
    "unreadable",
]

BATCH_ROWS = 16_384
"""Rows of a batch: of a hundred columns it has 13 MB."""

# What pandas, Polars and pyarrow raise of cells that Arrow does not have.
_NOT_ARROW = (ValueError, TypeError, OverflowError, NotImplementedError)
Batches = Iterator[tuple[str, Any]]
"""What a message calls a batch, and the batch."""


def is_dataset(source: Any) -> bool:
    """Return whether this is a pyarrow.dataset, which can be read as often as is wanted."""
    return hasattr(source, "scanner")


def arrow_batches(source: Any, wanted: Sequence[str] | None) -> Batches:
    """Yield the batches of a dataset, or of anything with ``__arrow_c_stream__``."""
    if is_dataset(source):  # little is read ahead
        options = {"batch_size": BATCH_ROWS, "batch_readahead": 2, "fragment_readahead": 1}
        check_columns(wanted, source.schema.names, "the dataset")
        reader = source.scanner(columns=wanted and list(wanted), **options).to_reader()
    elif hasattr(source, "__arrow_c_stream__"):
        if wanted is not None and hasattr(source, "iloc"):  # pandas makes Arrow of all columns
            check_columns(wanted, list(source.columns), "the table")
            source = source[[name for name in source.columns if name in set(wanted)]]
        reader = _stream(source)
    else:
        raise TypeError(
            f"a {type(source).__name__} is no Arrow source; pass a table, a reader or a dataset "
            "(anything with __arrow_c_stream__), or use Statistics.from_arrays."
        )
    check_columns(wanted, reader.schema.names, "the table")
    for number, batch in enumerate(guarded(reader, "the stream"), start=1):
        for first in range(0, max(batch.num_rows, 1), BATCH_ROWS):
            yield f"batch {number}", batch.slice(first, BATCH_ROWS)


def _stream(source: Any) -> Any:
    """Return a reader of a frame or a table, or raise one line that names the column."""
    read = extra("pyarrow", "cli").RecordBatchReader.from_stream
    try:
        return read(source)
    except _NOT_ARROW as error:
        for name, column in columns_of(source):
            try:
                read(column.to_frame())
            except _NOT_ARROW as own:
                said = unreadable(f"column '{shortened(name)}'", _first_of(own))
                instead = "make numbers or text of it, or leave it out"
                raise ValueError(f"{said}; {instead}.") from None
        raise ValueError(unreadable("the table", _first_of(error))) from None


def _first_of(error: Exception) -> object:
    """Return what an error says; Arrow's may have a second sentence, on the conversion."""
    return error.args[0] if len(error.args) == 2 else error


def guarded(batches: Any, name: str) -> Iterator[Any]:
    """Yield batches; what goes wrong while they are read is one line."""
    iterator = iter(batches)
    while True:
        try:
            batch = next(iterator)
        except StopIteration:
            return
        except (OSError, ValueError) as error:
            raise ValueError(unreadable(name, error)) from None
        yield batch


def unreadable(name: str, error: object) -> str:
    """Return the line that says so."""
    return f"{name} cannot be read: {printable(error)[:200]}"


def check_columns(wanted: Sequence[str] | None, names: Sequence[str], where: str) -> None:
    """Raise unless each of the wanted columns is there once."""
    counts = Counter(names)
    for name in [] if wanted is None else wanted:
        if counts[name] != 1:
            what = "has more than one column" if counts[name] else "has no column"
            hint = "" if counts[name] else f"; {did_you_mean(name, names)}"
            raise ValueError(f"{where} {what} '{shortened(name)}'{hint}")
