"""An experiment is a sentence: which problems, which methods, how often.

One TOML file holds it. The shipped ones are called by their names, one's own by its path::

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

Lists in one entry of ``settings`` multiply; entries add up. Fields that vary together stand in
``cases``, a list of tables. A design or a signal with options is a table with a ``name``; measured
tables are designs too (``{ name = "ailerons", truth = "planted" }``). A figure that draws the
trials of another experiment has only a title and ``trials_of``. A key that means nothing is
refused, and the nearest one that does is named.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from difflib import get_close_matches
from importlib.resources import files
from itertools import product
from pathlib import Path
from typing import Any

from ..datasets.settings import canonical_json, problem_setting
from .measured import is_measured, measured_setting

__all__ = ["Entry", "Setting", "Size", "Spec", "load_spec", "parse_spec", "spec_names"]

Setting = dict[str, Any]

_PROBLEM_KEYS = (
    "design",
    "n_samples",
    "n_features",
    "n_informative",
    "signal",
    "positions",
    "noise_std",
    "snr",
)
_ENTRY_KEYS = (*_PROBLEM_KEYS, "cases")
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
_METHOD_KEYS = ("method", "label", "parameters", "estimate")
_RULES = ("per-setting", "per-problem", "default")


@dataclass(frozen=True)
class Entry:
    """A method as an experiment asks for it."""

    method: str
    label: str | None = None
    """What the legend says; None: what the method says of itself."""
    parameters: Mapping[str, Any] = field(default_factory=dict)
    """Parameters of the estimator that differ from those the method sets."""
    estimate: str | None = None
    """The attribute that holds the estimate of β*; None: ``coef_``."""


@dataclass(frozen=True)
class Size:
    """How much of an experiment is run."""

    repetitions: int
    block: int
    """How many repetitions share a task, and so a file of rows."""
    pilots: int
    """How many problems choose the paper's C of a setting."""
    methods: tuple[Entry, ...]
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
    """Whether problems are fitted singly even where many could be at once: for honest times."""
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


def spec_names() -> list[str]:
    """Return the names of the experiments that come with the package."""
    shipped = (item.name for item in files(__package__).joinpath("specs").iterdir())
    return sorted(name.removesuffix(".toml") for name in shipped if name.endswith(".toml"))


def load_spec(name: str | Path) -> Spec:
    """Return an experiment by the name of a shipped one, or by the path of a TOML file.

    Examples
    --------
    >>> load_spec("recovery_vs_samples").size("paper").repetitions
    100
    >>> load_spec("recovery_vs_sample")
    Traceback (most recent call last):
    ValueError: there is no experiment 'recovery_vs_sample'; did you mean 'recovery_vs_samples'?
    One of your own is given by its path, ending in .toml.
    """
    if str(name) in spec_names():
        return parse_spec(
            files(__package__).joinpath("specs", f"{name}.toml").read_text(encoding="utf-8"),
            str(name),
        )
    path = Path(name)
    if path.suffix == ".toml":
        if not path.is_file():
            raise ValueError(f"there is no file {str(path)!r}; check the path of the experiment.")
        return parse_spec(path.read_text(encoding="utf-8"), path.stem)
    raise ValueError(
        f"there is no experiment {str(name)!r}; did you mean {_nearest(str(name), spec_names())}? "
        "One of your own is given by its path, ending in .toml."
    )


def parse_spec(text: str, name: str) -> Spec:
    """Return the experiment that a TOML text describes."""
    try:
        table = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise ValueError(f"{name}.toml is not TOML: {error}") from error
    _refuse_unknown(table, _SPEC_KEYS, name)
    if "trials_of" in table:
        _refuse_unknown(table, ("title", "trials_of"), f"{name}, which has trials_of")
        other = load_spec(table["trials_of"])
        return replace(other, title=str(table.get("title", other.title)))
    shared = _table(table, "problem", name)
    _refuse_unknown(shared, _PROBLEM_KEYS, f"{name}, [problem]")
    methods = _entries(table.get("methods", []), name)
    sizes = {
        size: _size(f"{name}, [sizes.{size}]", values, shared, methods)
        for size, values in _table(table, "sizes", name).items()
    }
    if not sizes:
        raise ValueError(f"{name} has no [sizes.…]; give at least [sizes.smoke] and its settings.")
    settings = (setting for size in sizes.values() for setting in size.settings)
    if table.get("alpha_scale") == "per-setting" and any(map(is_measured, settings)):
        raise ValueError(
            f"{name}: a measured table has no pilot problems for alpha_scale = 'per-setting'; "
            "use 'per-problem', 'default' or a number."
        )
    return Spec(
        name=name,
        title=str(table.get("title", name.replace("_", " "))),
        root=_integer(table.get("root", 0), 0, f"{name}, root"),
        alpha_scale=_rule(table.get("alpha_scale", "default"), name),
        one_at_a_time=_boolean(table.get("one_at_a_time", False), f"{name}, one_at_a_time"),
        sizes=sizes,
        text=text,
    )


def _size(where: str, values: Any, shared: Mapping[str, Any], methods: tuple[Entry, ...]) -> Size:
    if not isinstance(values, Mapping):
        raise ValueError(f"{where} is {values!r}; give a table with repetitions and settings.")
    _refuse_unknown(values, _SIZE_KEYS, where)
    if "methods" in values:
        methods = _entries(values["methods"], where)
    if not methods:
        raise ValueError(f"{where} has no methods; give methods = [...] here or at the top.")
    repetitions = _integer(values.get("repetitions"), 1, f"{where}, repetitions")
    settings = [
        setting
        for entry in values.get("settings", [])
        for setting in _expanded({**shared, **entry}, entry, where)
    ]
    if not settings:
        raise ValueError(f"{where} has no settings; give [[sizes.….settings]] with n_samples.")
    unique = {canonical_json(setting): setting for setting in settings}
    return Size(
        repetitions=repetitions,
        block=_integer(values.get("block", repetitions), 1, f"{where}, block"),
        pilots=_integer(values.get("pilots", 20), 1, f"{where}, pilots"),
        methods=methods,
        settings=tuple(unique.values()),
    )


def _expanded(merged: Mapping[str, Any], entry: Mapping[str, Any], where: str) -> Iterator[Setting]:
    """Yield the settings of one entry: the product of its lists."""
    _refuse_unknown(entry, _ENTRY_KEYS, f"{where}, settings")
    cases = merged.get("cases", [{}])
    single = {key: value for key, value in merged.items() if key != "cases"}
    for case in cases:
        _refuse_unknown(case, _PROBLEM_KEYS, f"{where}, cases")
        axes = {key: _as_list(value) for key, value in {**single, **case}.items()}
        for values in product(*axes.values()):
            yield _setting(dict(zip(axes, values, strict=True)), where)


def _setting(values: Mapping[str, Any], where: str) -> Setting:
    """Return one setting, defaults filled in and the options of its parts beside its fields."""
    fields: Setting = {}
    for key, value in values.items():
        if not isinstance(value, Mapping):
            fields[key] = value
        elif key in ("design", "signal") and "name" in value:
            fields |= {option: each for option, each in value.items() if option != "name"}
            fields[key] = value["name"]
        else:
            raise ValueError(f'{where}: {key} = {dict(value)}; write {{ name = "…", … }}.')
    if "n_samples" not in fields:
        raise ValueError(f"{where}: a setting has no n_samples; give n_samples = [...].")
    try:
        return measured_setting(**fields) if is_measured(fields) else problem_setting(**fields)
    except (TypeError, ValueError) as error:
        raise ValueError(f"{where}: {error}") from error


def _entries(values: Any, where: str) -> tuple[Entry, ...]:
    if not isinstance(values, list):
        raise ValueError(f"{where}: methods = {values!r}; give a list of names or tables.")
    return tuple(_entry(value, where) for value in values)


def _entry(value: Any, where: str) -> Entry:
    if isinstance(value, str):
        return Entry(value)
    if not isinstance(value, Mapping) or "method" not in value:
        raise ValueError(f'{where}: {value!r} names no method; write {{ method = "…" }}.')
    _refuse_unknown(value, _METHOD_KEYS, f"{where}, methods")
    return Entry(**{**value, "parameters": dict(_table(value, "parameters", where))})


def _rule(value: Any, where: str) -> str | float:
    if isinstance(value, str):
        if value not in _RULES:
            raise ValueError(
                f"{where}: alpha_scale = {value!r}; did you mean {_nearest(value, _RULES)}? "
                "A number is possible too."
            )
        return value
    return _number(value, f"{where}, alpha_scale")


def _refuse_unknown(table: Mapping[str, Any], known: Iterable[str], where: str) -> None:
    for key in table:
        if key not in known:
            raise ValueError(
                f"{where}: there is no key {key!r}; did you mean {_nearest(key, known)}?"
            )


def _nearest(word: str, known: Iterable[str]) -> str:
    return repr(get_close_matches(word, list(known), n=1, cutoff=0.0)[0])


def _as_list(value: Any) -> list[Any]:
    if isinstance(value, list):
        return value
    return [value]


def _table(table: Mapping[str, Any], key: str, where: str) -> Mapping[str, Any]:
    value = table.get(key, {})
    if not isinstance(value, Mapping):
        raise ValueError(f"{where}: {key} = {value!r}; give a table.")
    return value


def _integer(value: Any, least: int, where: str) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or value < least:
        raise ValueError(f"{where} is {value!r}; give a whole number, {least} or more.")
    return value


def _number(value: Any, where: str) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 < value < 1e300:
        raise ValueError(f"{where} is {value!r}; give a positive number.")
    return float(value)


def _boolean(value: Any, where: str) -> bool:
    if not isinstance(value, bool):
        raise ValueError(f"{where} is {value!r}; give true or false.")
    return value
