"""The tasks of an experiment: pieces that can be computed anywhere and in any order.

A task is one setting, one method and a block of repetitions. Its key is a hash of everything that
determines its rows, timings aside. The machine is no part of the key: rows computed on another
machine, or on a GPU, have the same key.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from ..datasets.settings import setting_hash
from .machine import own_version
from .registry import Method, method
from .spec import MethodEntry, Setting, Spec

__all__ = ["SCHEMA_VERSION", "Rule", "Task", "line_and_recipe", "plan"]

SCHEMA_VERSION = 2
"""Increased when the columns of rows, or their meaning, change."""

_LINE = ("experiment", "size", "setting", "method", "label", "root")


@dataclass(frozen=True)
class Rule:
    """How the paper's C of a setting is chosen, and on how many pilot problems."""

    kind: str
    """"per-setting" or "per-problem"."""
    grid: tuple[float, ...]
    n_pilots: int
    root: int

    def asdict(self) -> dict[str, Any]:
        """Return the rule as values that JSON can hold."""
        return {
            "rule": self.kind,
            "grid": list(self.grid),
            "pilots": self.n_pilots,
            "by": "projected-stg-exact",
        }


@dataclass(frozen=True)
class Task:
    """One setting, one method, a block of repetitions."""

    experiment: str
    size: str
    setting: Setting
    method: str
    label: str
    parameters: Mapping[str, Any]
    estimate: str | None
    alpha_scale: Rule | float | None
    """The paper's C, or how it is found; None: the method's own default."""
    root: int
    first: int
    last: int
    """Repetitions first, …, last − 1."""
    one_at_a_time: bool

    @cached_property
    def identity(self) -> dict[str, Any]:
        """Everything that determines the rows."""
        scale = self.alpha_scale
        return {
            "experiment": self.experiment,
            "size": self.size,
            "setting": self.setting,
            "method": self.method,
            "label": self.label,
            "parameters": dict(self.parameters),
            "estimate": self.estimate,
            "alpha_scale": scale.asdict() if isinstance(scale, Rule) else scale,
            "root": self.root,
            "repetitions": [self.first, self.last],
            "one_at_a_time": self.one_at_a_time,
            "schema": SCHEMA_VERSION,
            "version": own_version(),
        }

    @cached_property
    def key(self) -> str:
        """The hash that names the task and its file."""
        return setting_hash(self.identity)

    @property
    def repetitions(self) -> range:
        """The repetitions of this block."""
        return range(self.first, self.last)


def line_and_recipe(identity: Mapping[str, Any]) -> tuple[str, str]:
    """Return two hashes of a task: its line in the summary, and how its rows are made.

    Tasks that differ in their repetitions alone have the same line and the same recipe.
    """
    line = {name: identity[name] for name in _LINE}
    recipe = {name: value for name, value in identity.items() if name != "repetitions"}
    return setting_hash(line), setting_hash(recipe)


def plan(
    spec: Spec, size: str, grid: Sequence[float], entries: Sequence[MethodEntry] | None = None
) -> Iterator[Task]:
    """Yield the tasks of an experiment; ``grid`` are the values of C, ``entries`` its methods."""
    chosen = spec.size(size)
    entries = chosen.methods if entries is None else entries
    _refuse_same_label(entries, spec.name)
    for setting in chosen.settings:
        for entry in entries:
            named = method(entry.method)
            for first in range(0, chosen.repetitions, chosen.block):
                yield Task(
                    experiment=spec.name,
                    size=size,
                    setting=setting,
                    method=entry.method,
                    label=_label(entry, named),
                    parameters=entry.parameters,
                    estimate=entry.estimate,
                    alpha_scale=_alpha_scale(spec, named, entry, grid, chosen.pilots),
                    root=spec.root,
                    first=first,
                    last=min(first + chosen.block, chosen.repetitions),
                    one_at_a_time=spec.one_at_a_time,
                )


def _refuse_same_label(entries: Sequence[MethodEntry], where: str) -> None:
    """Raise where two different entries have the same method and label: their rows would mix."""
    known: dict[tuple[str, str], MethodEntry] = {}
    for entry in entries:
        label = _label(entry, method(entry.method))
        first = known.setdefault((entry.method, label), entry)
        if (first.parameters, first.estimate) != (entry.parameters, entry.estimate):
            raise ValueError(
                f"{where}: two entries are called {label!r}; give each a label of its own."
            )


def _label(entry: MethodEntry, named: Method) -> str:
    """Return the name in the legend: the label, or the method's name and its parameters."""
    if entry.label is not None:
        return entry.label
    given = sorted(entry.parameters.items())
    words = [f"{key.rpartition('__')[2]} = {value}" for key, value in given]
    if entry.estimate is not None:
        words.append(f"estimate = {entry.estimate}")
    return ", ".join([named.label, *words])


def _alpha_scale(
    spec: Spec, named: Method, entry: MethodEntry, grid: Sequence[float], n_pilots: int
) -> Rule | float | None:
    """Return the C of a task, or how it is found; None: the method's own default."""
    if not named.tunes_alpha_scale or spec.alpha_scale == "default":
        return None
    if "gates__alpha_scale" in entry.parameters:
        return None
    if isinstance(spec.alpha_scale, float):
        return spec.alpha_scale
    return Rule(spec.alpha_scale, tuple(grid), n_pilots, spec.root)
