"""The settings of one size: the products of lists in a TOML table, counted before they are made.

Within an entry of ``settings`` lists multiply; entries add up. ``cases`` is a list of tables whose
fields vary together.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from itertools import product
from typing import Any

from ...datasets.settings import canonical_json, problem_setting
from ..real_data import is_measured, measured_setting
from .spec_bounds import BOUNDS
from .spec_values import as_list, refuse_unknown, tables

__all__ = ["PROBLEM_KEYS", "Grid", "Setting", "expanded_settings", "refuse_too_many", "size_grids"]

Setting = dict[str, Any]
"""What fixes a problem, the seed aside."""

Grid = dict[str, list[Any]]
"""Field -> its values; the settings are the product of all lists."""

PROBLEM_KEYS = (
    "design",
    "n_samples",
    "n_features",
    "n_informative",
    "signal",
    "positions",
    "noise_std",
    "snr",
)
_ENTRY_KEYS = (*PROBLEM_KEYS, "cases")


def size_grids(shared: Mapping[str, Any], entries: Any, where: str) -> list[Grid]:
    """Return the grids of a size; ``shared`` has the fields that all of them have."""
    return [
        grid
        for entry in tables(entries, f"{where}, settings")
        for grid in _entry_grids(shared, entry, where)
    ]


def _entry_grids(shared: Mapping[str, Any], entry: Mapping[str, Any], where: str) -> list[Grid]:
    """Return one grid for each case of an entry; an entry without cases has one."""
    refuse_unknown(entry, _ENTRY_KEYS, f"{where}, settings")
    cases = tables(entry.get("cases", [{}]), f"{where}, cases")
    single = {key: value for key, value in {**shared, **entry}.items() if key != "cases"}
    for case in cases:
        refuse_unknown(case, PROBLEM_KEYS, f"{where}, cases")
    return [{key: as_list(each) for key, each in {**single, **case}.items()} for case in cases]


def refuse_too_many(
    grids: Sequence[Grid], n_methods: int, repetitions: int, block: int, where: str
) -> None:
    """Raise where a size asks for more than :class:`Bounds` allows; nothing is expanded."""
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


def expanded_settings(grids: Sequence[Grid], where: str) -> tuple[Setting, ...]:
    """Return the settings of all grids, each once, in the order they are written."""
    settings = [
        _setting(dict(zip(grid, point, strict=True)), where)
        for grid in grids
        for point in product(*grid.values())
    ]
    if not settings:
        raise ValueError(f"{where} has no settings; give [[sizes.….settings]] with n_samples.")
    return tuple({canonical_json(setting): setting for setting in settings}.values())


def _setting(values: Mapping[str, Any], where: str) -> Setting:
    """Return one setting with its defaults; the options of design and signal become fields."""
    fields = _flat_fields(values, where)
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


def _flat_fields(values: Mapping[str, Any], where: str) -> Setting:
    """Return the fields with ``{ name = "…", option = … }`` written as two fields."""
    fields: Setting = {}
    for key, value in values.items():
        if not isinstance(value, Mapping):
            fields[key] = value
        elif key in ("design", "signal") and "name" in value:
            fields |= {option: each for option, each in value.items() if option != "name"}
            fields[key] = value["name"]
        else:
            raise ValueError(f'{where}: {key} = {dict(value)}; write {{ name = "…", … }}.')
    return fields
