"""``projstg select``: which columns of a table does one of its columns depend on?

``select`` reads, prepares, chooses and answers with a :class:`Selection`. The names are loaded when
they are first used, so that the command line can offer help without waiting for them.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .select_columns import select
    from .selection.result import Selection
    from .words.notes import TableError

__all__ = ["Selection", "TableError", "select"]

_HOME = {"Selection": "selection.result", "TableError": "words.notes", "select": "select_columns"}


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(f"{__name__}.{_HOME[name]}"), name)
    globals()[name] = value
    return value
