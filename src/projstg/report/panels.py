"""From the summary of an experiment to panels: one for each value of what else varies.

A setting belongs to the panel's name if it takes several values at one x. A setting that moves with
x (D and K grow with N in ``consistency``) does not. Where an experiment
varies two things in turn (``speed``: D at one N, N at one D), each view fixes the other at
the value with the longest curve.
"""

from __future__ import annotations

import json
from numbers import Real
from typing import Any, NamedTuple

from .figure_specs import SYMBOLS, FigureSpec

__all__ = ["Panel", "panels", "setting_words"]

SETTINGS = (
    "design",
    "options",
    "signal",
    "n_features",
    "n_informative",
    "n_samples",
    "noise_std",
    "snr",
    "size_rule",
)
_DESIGNS = ("orthogonal", "gaussian", "bernoulli", "toeplitz", "equicorrelated", "block", "heavy")

# Words for settings; a setting that is not here is shown as it is written.
_OPTIONS = {
    "rho": "ρ = {}",
    "moments": "q = {} moments",
    "truncate": "‖x‖ ≤ {}√D",
    "decay": "coefficients decaying by {}",
    "mean": "mean {}",
    "truth": "{}",
}
_TABLES = {"ailerons": "AILERON", "triazines": "TRIAZINES"}
_VALUES = {
    "gaussian": "Gaussian",
    "bernoulli": "Bernoulli ±1",
    "toeplitz": "Toeplitz",
    "student": "Student t",
    "heavy": "heavy tails",
    "orthogonal": "fixed orthogonal",
    "signs": "coefficients ±1",
    "decaying": "decaying coefficients",
    **_TABLES,
}


class Panel(NamedTuple):
    """One set of axes."""

    x: str
    """The column on the axis."""
    title: str
    table: Any
    """The rows of the summary that belong here."""
    setting: dict[str, Any]
    """What is special about this panel."""


def _number(value: Any) -> str:
    return f"{value:g}" if isinstance(value, Real) else str(value)


def _options(value: Any) -> dict[str, Any]:
    if isinstance(value, str) and value.startswith("{"):
        return json.loads(value)
    return value if isinstance(value, dict) else {}


def setting_words(setting: dict[str, Any]) -> str:
    """Return a setting as a title says it.

    Examples
    --------
    >>> setting_words({"design": "toeplitz", "options": '{"rho": 0.3}', "noise_std": 0.5})
    'Toeplitz, ρ = 0.3, σ = 0.5'
    """
    words = []
    for column, value in setting.items():
        is_said_by_options = value == "decaying" and "decay" in _options(setting.get("options"))
        is_nominal = column == "n_features" and setting.get("design") in _TABLES
        if value is None or value != value or is_said_by_options or is_nominal:
            continue
        if column == "options":
            words += [
                _OPTIONS.get(name, f"{name} = {{}}").format(_number(option))
                for name, option in sorted(_options(value).items(), reverse=True)
                if (name, option) != ("tail", "student")  # the default
            ]
        elif column in SYMBOLS:
            words.append(f"{SYMBOLS[column]} = {_number(value)}")
        else:
            words.append(_VALUES.get(value, _number(value)))
    return ", ".join(words)


def varying(table: Any, x: str) -> list[str]:
    """Return the settings that take several values at one x."""
    present = [column for column in SETTINGS if column != x and column in table]
    return [c for c in present if table.groupby(x)[c].nunique(dropna=False).max() > 1]


def _at_longest_curve(table: Any, x: str, views: tuple[str, ...]) -> Any:
    """Keep, for each other view, its value with the most points on the axis x."""
    for other in views:
        if other != x:
            longest = table.groupby(other)[x].nunique()
            table = table[table[other] == longest.idxmax()]
    return table


def panels(table: Any, entry: FigureSpec) -> list[Panel]:
    """Return the panels of an experiment, in order of their settings."""
    found = []
    for x in entry.views:
        view = _at_longest_curve(table, x, entry.views)
        columns = [c for c in SETTINGS if c in {*varying(view, x), *entry.named} & set(view)]
        if not columns:
            found.append(Panel(x, _view_title(view, x, entry), view, {}))
            continue
        groups = [
            (dict(zip(columns, values, strict=True)), rows)
            for values, rows in view.groupby(columns, dropna=False)
        ]
        for setting, rows in sorted(groups, key=lambda group: _place(group[0])):
            found.append(Panel(x, setting_words(setting), rows, setting))
    return found


def _place(setting: dict[str, Any]) -> tuple[Any, ...]:
    """Return the key of a panel's place: designs from simple to hard, then options, then size."""
    design, options = setting.get("design"), str(setting.get("options", ""))
    rank = _DESIGNS.index(design) if design in _DESIGNS else len(_DESIGNS)
    others = [value for name, value in setting.items() if name not in ("design", "options")]
    numbers = [value if isinstance(value, Real) and value == value else 0.0 for value in others]
    return rank, str(design), numbers, [str(value) for value in others], len(options), options


def _view_title(view: Any, x: str, entry: FigureSpec) -> str:
    """Name the value at which the other view is fixed, or the noise where there is one view."""
    others = [other for other in entry.views if other != x] or ["noise_std", "snr"]
    return setting_words({name: view[name].iloc[0] for name in others if name != x})
