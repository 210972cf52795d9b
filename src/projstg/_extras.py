"""Optional packages: imported where they are used; a missing one is named with its command."""

from __future__ import annotations

from importlib import import_module
from types import ModuleType

__all__ = ["MissingExtra", "extra"]


class MissingExtra(ImportError):
    """A package that an optional part needs is not installed."""


def extra(module: str, name: str) -> ModuleType:
    """Return ``module``, which the extra ``name`` installs, or say how to install it.

    Examples
    --------
    >>> extra("math", "plots").tau > 6
    True
    >>> extra("no_such_module", "plots")
    Traceback (most recent call last):
    projstg._extras.MissingExtra: no_such_module is not installed: pip install "projstg[plots]"
    """
    try:
        return import_module(module)
    except ModuleNotFoundError as error:
        missing = error.name or module
        raise MissingExtra(
            f'{missing} is not installed: pip install "projstg[{name}]"', name=missing
        ) from error
