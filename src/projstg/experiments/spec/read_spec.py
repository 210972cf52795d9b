"""An experiment is one TOML file: which problems, which methods, how often.

An experiment of the package is called by its name, a user's own by its path::

    title = "Recovery against the number of samples"
    root = 1
    methods = ["projected-stg", { method = "abess", label = "best subset" }]

    [problem]                       # what all settings have in common
    design = "gaussian"
    n_features = 64
    n_informative = 10

    [sizes.smoke]
    repetitions = 4
    [[sizes.smoke.settings]]
    n_samples = [30, 60]
    noise_std = [0.5, 1.0]

Lists in one entry of ``settings`` multiply; entries add up. Fields that vary together are written
in ``cases``, a list of tables. A design or a signal with options is a table with a ``name``;
measured tables are designs too (``{ name = "ailerons", truth = "planted" }``). A figure that draws
the trials of another experiment has only a title and ``trials_of``. An unknown key is refused, and
the nearest known one is named. More than :class:`Bounds` allows is refused before it is expanded.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from dataclasses import replace
from importlib.resources import files
from pathlib import Path
from typing import Any

from ..._did_you_mean import did_you_mean
from ..._files import file_contents
from ..real_data import is_measured
from .experiment_spec import Size, Spec
from .method_entry import MethodEntry, method_entries
from .spec_bounds import BOUNDS
from .spec_settings import PROBLEM_KEYS, expanded_settings, refuse_too_many, size_grids
from .spec_values import boolean, integer, positive_number, refuse_unknown, string, table_at

__all__ = ["load_spec", "parse_spec", "spec_names"]

_SPEC_KEYS = (
    "title",
    "trials_of",
    "root",
    "alpha_scale",
    "one_at_a_time",
    "methods",
    "problem",
    "sizes",
)
_SIZE_KEYS = ("repetitions", "block", "pilots", "methods", "settings")
_SCALE_RULES = ("per-setting", "per-problem", "default")
_SPECS = files(__package__.rpartition(".")[0]).joinpath("shipped_specs")


def spec_names() -> list[str]:
    """Return the names of the experiments that come with the package."""
    shipped = (item.name for item in _SPECS.iterdir())
    return sorted(name.removesuffix(".toml") for name in shipped if name.endswith(".toml"))


def load_spec(name: str | Path) -> Spec:
    """Return an experiment of the package by its name, or one's own by the path of a TOML file.

    Examples
    --------
    >>> load_spec("recovery_vs_samples").size("paper").repetitions
    100
    >>> load_spec("recovery_vs_sample")
    Traceback (most recent call last):
    ValueError: there is no experiment 'recovery_vs_sample'; did you mean 'recovery_vs_samples'?
    One of your own is given by its path, ending in .toml.
    """
    return _load(str(name), ())


def parse_spec(text: str, name: str) -> Spec:
    """Return the experiment that a TOML text describes."""
    return _parse(text, name, (name,))


def _load(name: str, seen: tuple[str, ...]) -> Spec:
    """Return an experiment; ``seen`` are those that led to it by ``trials_of``."""
    if name in spec_names():
        text = _SPECS.joinpath(f"{name}.toml").read_text(encoding="utf-8")
        return _parse(text, name, (*seen, name))
    if Path(name).suffix == ".toml":
        return _parse(_file_text(name), Path(name).stem, (*seen, name))
    raise ValueError(
        f"there is no experiment {name!r}; {did_you_mean(name, spec_names())} "
        "One of your own is given by its path, ending in .toml."
    )


def _file_text(path: str) -> str:
    try:
        return file_contents(path, BOUNDS.bytes).decode("utf-8")
    except FileNotFoundError as error:
        raise ValueError(f"there is no file {path!r}; check the path of the experiment.") from error
    except ValueError as error:
        raise ValueError(f"{path!r} is no experiment: {error}.") from error


def _parse(text: str, name: str, seen: tuple[str, ...]) -> Spec:
    too_deep = f"{name}.toml is nested too deeply; four levels do."
    if any(piece.count(".") > BOUNDS.dots for piece in re.split(r"[=,{\n]", text)):
        raise ValueError(too_deep)
    try:
        table = tomllib.loads(text)
        refuse_unknown(table, _SPEC_KEYS, name)
        title = string(table.get("title", name.replace("_", " ")), f"{name}, title")
        if "trials_of" in table:
            found = _trials_of(table, name, seen)
            return replace(found, title=title) if "title" in table else found
        return _spec(table, name, title, text)
    except tomllib.TOMLDecodeError as error:
        raise ValueError(f"{name}.toml is not TOML: {error}") from error
    except RecursionError as error:
        raise ValueError(too_deep) from error


def _trials_of(table: Mapping[str, Any], name: str, seen: tuple[str, ...]) -> Spec:
    """Return the experiment whose trials this one draws."""
    refuse_unknown(table, ("title", "trials_of"), f"{name}, which has trials_of")
    other = string(table["trials_of"], f"{name}, trials_of")
    if other in seen:
        raise ValueError(f"{name}: trials_of = {other!r} comes back to itself; name another.")
    return _load(other, seen)


def _spec(table: Mapping[str, Any], name: str, title: str, text: str) -> Spec:
    """Return the experiment that a TOML table describes."""
    shared = table_at(table, "problem", name)
    refuse_unknown(shared, PROBLEM_KEYS, f"{name}, [problem]")
    methods = method_entries(table.get("methods", []), name)
    sizes = {
        size: _size(f"{name}, [sizes.{size}]", values, shared, methods)
        for size, values in table_at(table, "sizes", name).items()
    }
    if not sizes:
        raise ValueError(f"{name} has no [sizes.…]; give at least [sizes.smoke] and its settings.")
    _refuse_pilots_of_tables(table, sizes, name)
    return Spec(
        name=name,
        title=title,
        root=integer(table.get("root", 0), 0, BOUNDS.root, f"{name}, root"),
        alpha_scale=_scale_rule(table.get("alpha_scale", "default"), name),
        one_at_a_time=boolean(table.get("one_at_a_time", False), f"{name}, one_at_a_time"),
        sizes=sizes,
        text=text,
    )


def _refuse_pilots_of_tables(
    table: Mapping[str, Any], sizes: Mapping[str, Size], name: str
) -> None:
    """Raise where C is to be chosen on pilot problems of a measured table, which has none."""
    settings = (setting for size in sizes.values() for setting in size.settings)
    if table.get("alpha_scale") == "per-setting" and any(map(is_measured, settings)):
        raise ValueError(
            f"{name}: a measured table has no pilot problems for alpha_scale = 'per-setting'; "
            "use 'per-problem', 'default' or a number."
        )


def _size(
    where: str, values: Any, shared: Mapping[str, Any], methods: tuple[MethodEntry, ...]
) -> Size:
    if not isinstance(values, Mapping):
        raise ValueError(f"{where} is {values!r}; give a table with repetitions and settings.")
    refuse_unknown(values, _SIZE_KEYS, where)
    if "methods" in values:
        methods = method_entries(values["methods"], where)
    if not methods:
        raise ValueError(f"{where} has no methods; give methods = [...] here or at the top.")
    repetitions = integer(values.get("repetitions"), 1, BOUNDS.repetitions, f"{where}, repetitions")
    block = integer(values.get("block", repetitions), 1, BOUNDS.repetitions, f"{where}, block")
    grids = size_grids(shared, values.get("settings", []), where)
    refuse_too_many(grids, len(methods), repetitions, block, where)
    settings = expanded_settings(grids, where)
    pilots = integer(values.get("pilots", 20), 1, BOUNDS.pilots, f"{where}, pilots")
    return Size(repetitions, block, pilots, methods, settings)


def _scale_rule(value: Any, where: str) -> str | float:
    if not isinstance(value, str):
        return positive_number(value, f"{where}, alpha_scale")
    if value not in _SCALE_RULES:
        raise ValueError(
            f"{where}: alpha_scale = {value!r}; {did_you_mean(value, _SCALE_RULES)} "
            "A number is possible too."
        )
    return value
