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
refused, and the nearest one that does is named. So is more than a folder can hold or a machine can
draw (:class:`Bounds`), which is counted before anything is made of it.
"""

from __future__ import annotations

import math
import re
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from importlib.resources import files
from itertools import product
from pathlib import Path
from typing import Any

from .._did_you_mean import did_you_mean
from ..datasets.settings import canonical_json, problem_setting
from .contents import contents
from .real_data import is_measured, measured_setting

__all__ = [
    "BOUNDS",
    "Bounds",
    "MethodEntry",
    "Setting",
    "Size",
    "Spec",
    "load_spec",
    "parse_spec",
    "spec_names",
]

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
class Bounds:
    """The most that a spec may ask for."""

    bytes: int = 2**18
    """Of its text; the longest shipped one has two thousand."""
    dots: int = 200
    """In a key; the parser's time grows with their square."""
    settings: int = 10_000
    """Of one size; to write out so many takes about a second."""
    parts: int = 100_000
    """Files of rows that one size fills: settings × methods × blocks of repetitions."""
    fits: int = 10_000_000
    """Of one size; at a millisecond each that is three hours."""
    repetitions: int = 1_000_000
    """Repetitions from here on are the pilot problems."""
    pilots: int = 10_000
    """All are in memory at once."""
    numbers: int = 2**28
    """In one X: two gibibytes."""
    root: int = 2**63 - 1
    """The column of the rows that holds it has 64 bits."""


BOUNDS = Bounds()

# What ``fit`` learns ends in an underscore, as in scikit-learn, and begins with a letter.
_LEARNED = re.compile(r"[A-Za-z]\w*_")


@dataclass(frozen=True)
class MethodEntry:
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
    return _loaded(str(name), ())


def _loaded(name: str, seen: tuple[str, ...]) -> Spec:
    """Return an experiment; ``seen`` are those that led to it by ``trials_of``."""
    if name in spec_names():
        shipped = files(__package__).joinpath("specs", f"{name}.toml")
        return _parsed(shipped.read_text(encoding="utf-8"), name, (*seen, name))
    path = Path(name)
    if path.suffix == ".toml":
        try:
            text = contents(path, BOUNDS.bytes).decode("utf-8")
        except FileNotFoundError as error:
            raise ValueError(
                f"there is no file {name!r}; check the path of the experiment."
            ) from error
        except ValueError as error:
            raise ValueError(f"{name!r} is no experiment: {error}.") from error
        return _parsed(text, path.stem, (*seen, name))
    raise ValueError(
        f"there is no experiment {name!r}; {did_you_mean(name, spec_names())} "
        "One of your own is given by its path, ending in .toml."
    )


def parse_spec(text: str, name: str) -> Spec:
    """Return the experiment that a TOML text describes."""
    return _parsed(text, name, (name,))


def _parsed(text: str, name: str, seen: tuple[str, ...]) -> Spec:
    too_deep = f"{name}.toml is nested too deeply; four levels do."
    if any(piece.count(".") > BOUNDS.dots for piece in re.split(r"[=,{\n]", text)):
        raise ValueError(too_deep)
    try:
        return _spec(tomllib.loads(text), text, name, seen)
    except tomllib.TOMLDecodeError as error:
        raise ValueError(f"{name}.toml is not TOML: {error}") from error
    except RecursionError as error:
        raise ValueError(too_deep) from error


def _spec(table: Mapping[str, Any], text: str, name: str, seen: tuple[str, ...]) -> Spec:
    _refuse_unknown(table, _SPEC_KEYS, name)
    title = _string(table.get("title", name.replace("_", " ")), f"{name}, title")
    if "trials_of" in table:
        _refuse_unknown(table, ("title", "trials_of"), f"{name}, which has trials_of")
        other = _string(table["trials_of"], f"{name}, trials_of")
        if other in seen:
            raise ValueError(f"{name}: trials_of = {other!r} comes back to itself; name another.")
        found = _loaded(other, seen)
        return replace(found, title=title) if "title" in table else found
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
        title=title,
        root=_integer(table.get("root", 0), 0, BOUNDS.root, f"{name}, root"),
        alpha_scale=_rule(table.get("alpha_scale", "default"), name),
        one_at_a_time=_boolean(table.get("one_at_a_time", False), f"{name}, one_at_a_time"),
        sizes=sizes,
        text=text,
    )


def _size(
    where: str, values: Any, shared: Mapping[str, Any], methods: tuple[MethodEntry, ...]
) -> Size:
    if not isinstance(values, Mapping):
        raise ValueError(f"{where} is {values!r}; give a table with repetitions and settings.")
    _refuse_unknown(values, _SIZE_KEYS, where)
    if "methods" in values:
        methods = _entries(values["methods"], where)
    if not methods:
        raise ValueError(f"{where} has no methods; give methods = [...] here or at the top.")
    repetitions = _integer(
        values.get("repetitions"), 1, BOUNDS.repetitions, f"{where}, repetitions"
    )
    block = _integer(values.get("block", repetitions), 1, BOUNDS.repetitions, f"{where}, block")
    grids = [
        grid
        for entry in _tables(values.get("settings", []), f"{where}, settings")
        for grid in _grids(shared, entry, where)
    ]
    _refuse_too_many(grids, len(methods), repetitions, block, where)
    settings = [
        _setting(dict(zip(grid, point, strict=True)), where)
        for grid in grids
        for point in product(*grid.values())
    ]
    if not settings:
        raise ValueError(f"{where} has no settings; give [[sizes.….settings]] with n_samples.")
    unique = {canonical_json(setting): setting for setting in settings}
    return Size(
        repetitions=repetitions,
        block=block,
        pilots=_integer(values.get("pilots", 20), 1, BOUNDS.pilots, f"{where}, pilots"),
        methods=methods,
        settings=tuple(unique.values()),
    )


Grid = dict[str, list[Any]]


def _grids(shared: Mapping[str, Any], entry: Mapping[str, Any], where: str) -> list[Grid]:
    """Return the lists of one entry whose product are its settings, for each of its cases."""
    _refuse_unknown(entry, _ENTRY_KEYS, f"{where}, settings")
    cases = _tables(entry.get("cases", [{}]), f"{where}, cases")
    single = {key: value for key, value in {**shared, **entry}.items() if key != "cases"}
    for case in cases:
        _refuse_unknown(case, _PROBLEM_KEYS, f"{where}, cases")
    return [{key: _as_list(each) for key, each in {**single, **case}.items()} for case in cases]


def _refuse_too_many(
    grids: Sequence[Grid], n_methods: int, repetitions: int, block: int, where: str
) -> None:
    """Count what a size asks for, without writing it out."""
    n_settings = sum(math.prod(map(len, grid.values())) for grid in grids)
    counts = {
        "settings": n_settings,
        "parts": n_settings * n_methods * -(-repetitions // block),
        "fits": n_settings * n_methods * repetitions,
    }
    for name, count in counts.items():
        most = getattr(BOUNDS, name)
        if count > most:
            raise ValueError(f"{where} asks for {count} {name}; {most} are the most.")


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
        setting = measured_setting(**fields) if is_measured(fields) else problem_setting(**fields)
    except (TypeError, ValueError) as error:
        raise ValueError(f"{where}: {error}") from error
    numbers = setting["n_samples"] * setting["n_features"]
    if numbers > BOUNDS.numbers:
        raise ValueError(
            f"{where}: n_samples × n_features is {numbers}; {BOUNDS.numbers} are the most."
        )
    return setting


def _entries(values: Any, where: str) -> tuple[MethodEntry, ...]:
    if not isinstance(values, list):
        raise ValueError(f"{where}: methods = {values!r}; give a list of names or tables.")
    return tuple(_entry(value, where) for value in values)


def _entry(value: Any, where: str) -> MethodEntry:
    if isinstance(value, str):
        return MethodEntry(value)
    if not isinstance(value, Mapping) or "method" not in value:
        raise ValueError(f'{where}: {value!r} names no method; write {{ method = "…" }}.')
    where = f"{where}, methods"
    _refuse_unknown(value, _METHOD_KEYS, where)
    parameters = dict(_table(value, "parameters", where))
    canonical_json(parameters)  # they are part of a key, and refused here if they cannot be
    return MethodEntry(
        method=_string(value["method"], f"{where}, method"),
        label=None if "label" not in value else _string(value["label"], f"{where}, label"),
        parameters=parameters,
        estimate=_estimate(value.get("estimate"), where),
    )


def _estimate(value: Any, where: str) -> str | None:
    if value is None or (isinstance(value, str) and _LEARNED.fullmatch(value)):
        return value
    raise ValueError(f"{where}: estimate = {value!r}; name what fit learns, such as 'gated_coef_'.")


def _rule(value: Any, where: str) -> str | float:
    if isinstance(value, str):
        if value not in _RULES:
            raise ValueError(
                f"{where}: alpha_scale = {value!r}; {did_you_mean(value, _RULES)} "
                "A number is possible too."
            )
        return value
    return _number(value, f"{where}, alpha_scale")


def _refuse_unknown(table: Mapping[str, Any], known: Iterable[str], where: str) -> None:
    for key in table:
        if key not in known:
            raise ValueError(f"{where}: there is no key {key!r}; {did_you_mean(key, known)}")


def _as_list(value: Any) -> list[Any]:
    if isinstance(value, list):
        return value
    return [value]


def _table(table: Mapping[str, Any], key: str, where: str) -> Mapping[str, Any]:
    value = table.get(key, {})
    if not isinstance(value, Mapping):
        raise ValueError(f"{where}: {key} = {value!r}; give a table.")
    return value


def _tables(value: Any, where: str) -> list[Mapping[str, Any]]:
    if not isinstance(value, list) or not all(isinstance(each, Mapping) for each in value):
        raise ValueError(f"{where} = {value!r}; give a list of tables.")
    return value


def _string(value: Any, where: str) -> str:
    if not isinstance(value, str):
        raise ValueError(f"{where} = {value!r}; give a text in quotes.")
    return value


def _integer(value: Any, least: int, most: int, where: str) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= most:
        raise ValueError(f"{where} is {value!r}; give a whole number from {least} to {most}.")
    return value


def _number(value: Any, where: str) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 < value < 1e300:
        raise ValueError(f"{where} is {value!r}; give a positive number.")
    return float(value)


def _boolean(value: Any, where: str) -> bool:
    if not isinstance(value, bool):
        raise ValueError(f"{where} is {value!r}; give true or false.")
    return value
