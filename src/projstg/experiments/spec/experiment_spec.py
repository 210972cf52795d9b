"""One experiment, read and checked: its methods, its settings and its sizes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from .method_entry import MethodEntry
from .spec_settings import Setting

__all__ = ["Size", "Spec"]


@dataclass(frozen=True)
class Size:
    """How much of an experiment is run."""

    repetitions: int
    block: int
    """How many repetitions one task has; a task fills one file of rows."""
    pilots: int
    """How many pilot problems choose the paper's C of a setting."""
    methods: tuple[MethodEntry, ...]
    settings: tuple[Setting, ...]


@dataclass(frozen=True)
class Spec:
    """One experiment."""

    name: str
    title: str
    root: int
    """The root of all its seeds."""
    alpha_scale: str | float
    """The paper's C: "per-setting", "per-problem", "default" (each method's own), or a number."""
    one_at_a_time: bool
    """Whether every problem is fitted alone, also where many could be at once: for fair times."""
    sizes: Mapping[str, Size]
    text: str
    """The TOML it was read from."""

    def size(self, name: str) -> Size:
        """Return one of the sizes."""
        if name not in self.sizes:
            raise ValueError(
                f"{self.name} has no size {name!r}; there are {', '.join(sorted(self.sizes))}."
            )
        return self.sizes[name]
