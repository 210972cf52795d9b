"""``projstg list``: the experiments and methods there are, and what each of them lacks."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from .._printable import printable

__all__ = ["list_command"]


def list_command(click: Any) -> Any:
    """Return the command."""

    @click.command("list")
    def command() -> None:
        """List experiments and methods, and what they lack."""
        from ..experiments.registry import method_names
        from ..experiments.spec import spec_names

        sections = {
            "experiments": {name: _about_experiment(name) for name in spec_names()},
            "methods": {printable(name): _about_method(name) for name in method_names()},
        }
        width = max(len(name) for lines in sections.values() for name in lines) + 2
        for title, lines in sections.items():
            print(title)
            for name, about in lines.items():
                print(f"  {name:{width}s}{printable(about)}")

    return command


def _about_experiment(name: str) -> str:
    """Return the title of an experiment and the tables it lacks."""
    from ..experiments.real_data import missing_tables
    from ..experiments.spec import load_spec

    spec = load_spec(name)
    settings = (setting for size in spec.sizes.values() for setting in size.settings)
    return spec.title + _missing(missing_tables(settings, download=False))


def _missing(tables: Iterable[str]) -> str:
    """Return which tables an experiment will fetch, and how to give them instead."""
    names = ", ".join(tables)
    if not names:
        return ""
    return f"; missing: {names} (reproduce fetches, or name their folder in PROJSTG_DATA)"


def _about_method(name: str) -> str:
    """Return the label of a method and the command for what it lacks, or why it is broken.

    A method that another package registers may raise anything; the other methods are listed.
    """
    from ..experiments.messages import one_line
    from ..experiments.registry import available, method

    try:
        found = method(name)
        how = available(found)
    except Exception as error:
        return f"broken: {one_line(error)}"
    return f"{found.label}{'' if how is None else f'; missing: {how}'}"
