"""A method by its name: from the package, from an entry point, or as "module:attribute"."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from importlib import import_module, invalidate_caches
from importlib.metadata import EntryPoint, entry_points
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType
from typing import Any

from ..._did_you_mean import did_you_mean
from .method_record import Method
from .shipped_methods import METHODS

__all__ = ["GROUP", "available", "method", "method_names"]

GROUP = "projstg.methods"
"""The group of entry points by which other packages register methods."""

# The modules that each extra installs.
_MODULES = {"peers": ("abess", "skglm"), "fdr": ("hidimstat",), "torch": ("torch",)}


def method(name: str) -> Method:
    """Return a method by its name, or by "module:attribute" from outside the package.

    The attribute is a :class:`Method` or a function from :class:`Known` to a selector. The module
    is installed or lies in the current directory.

    Examples
    --------
    >>> method("omp").label
    'OMP'
    >>> method("lassso")
    Traceback (most recent call last):
    ValueError: there is no method 'lassso'; did you mean 'lasso'? Methods of your own are named
    'module:attribute'.
    """
    if name in METHODS:
        return METHODS[name]
    if ":" in name:
        return _from_outside(name)
    for entry in _registered():
        if entry.name == name:
            return _as_method(_loaded(entry), name, entry.name)
    raise ValueError(
        f"there is no method {name!r}; {did_you_mean(name, method_names())} Methods of your own "
        "are named 'module:attribute'."
    )


def method_names() -> list[str]:
    """Return the names of all methods, those that other packages register included."""
    others = (entry.name for entry in _registered())
    return list(dict.fromkeys([*METHODS, *others]))


def available(method: Method) -> str | None:
    """Return None if the method can be run, else the command that installs what is missing."""
    if method.needs is None:
        return None
    wanted = method.modules or _MODULES.get(method.needs, ())
    if all(find_spec(module) is not None for module in wanted):
        return None
    return f'pip install "projstg[{method.needs}]"'


def _registered() -> Sequence[EntryPoint]:
    return sorted(entry_points(group=GROUP), key=lambda entry: entry.name)


def _loaded(entry: EntryPoint) -> Any:
    """Return what an entry point names."""
    try:
        return entry.load()
    except (Exception, SystemExit) as error:
        raise ValueError(
            f"{entry.name!r}: its entry point {entry.value!r} cannot be loaded "
            f"({type(error).__name__}: {error}); repair or remove the package that has it."
        ) from error


def _from_outside(name: str) -> Method:
    """Return the method that "module:attribute" names."""
    module_name, _, attribute = name.partition(":")
    module = _imported(module_name, name)
    if not hasattr(module, attribute):
        hint = did_you_mean(attribute, [one for one in dir(module) if not one.startswith("_")])
        raise ValueError(f"{name!r}: module {module_name!r} has no {attribute!r}; {hint}")
    return _as_method(getattr(module, attribute), name, attribute)


def _imported(module_name: str, name: str) -> ModuleType:
    """Return a module, also from the current directory; ``name`` is for the message."""
    here = str(Path.cwd())
    if here not in sys.path:
        sys.path.append(here)  # at the end, so that it shadows no installed module
    invalidate_caches()
    try:
        return import_module(module_name)
    except ModuleNotFoundError as error:
        if error.name is None or not module_name.startswith(error.name):
            raise  # the module was found; one that it imports was not
        raise ValueError(
            f"{name!r}: no module {module_name!r} is installed or in {here}; use "
            "'module:attribute', the module without .py."
        ) from error
    except (Exception, SystemExit) as error:
        raise ValueError(
            f"{name!r}: module {module_name!r} cannot be imported "
            f"({type(error).__name__}: {error}); repair it first."
        ) from error


def _as_method(found: Any, name: str, label: str) -> Method:
    """Return what was found outside as a method; it may not have the name of a shipped one."""
    if not isinstance(found, Method):
        if not callable(found):
            raise TypeError(
                f"{name!r} is of type {type(found).__name__}; give a function of one argument "
                "(projstg.experiments.registry.Known) that returns a selector, or a Method."
            )
        return Method(name, label, found)
    if found.name in METHODS:
        raise ValueError(f"{name!r} calls itself {found.name!r}, which is taken; rename it.")
    return found
