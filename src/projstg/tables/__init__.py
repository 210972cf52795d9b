"""``projstg select``: which columns of a table does one of its columns depend on?

``select`` reads, prepares, chooses and answers with a :class:`Selection`. The names are loaded when
they are first used, so that the command line can offer help without waiting for them.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .notes import TableError
    from .result import Selection
    from .select_columns import select

__all__ = ["Selection", "TableError", "select"]

_HOME = {"Selection": "result", "TableError": "notes", "select": "select_columns"}


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(f"{__name__}.{_HOME[name]}"), name)
    globals()[name] = value
    return value
