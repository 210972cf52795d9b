"""A method as an experiment asks for it: its name, or a table with a label and parameters."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from ...datasets.settings import canonical_json
from .spec_values import refuse_unknown, string, table_at

__all__ = ["MethodEntry", "method_entries"]

_METHOD_KEYS = ("method", "label", "parameters", "estimate")

# What ``fit`` learns starts with a letter and ends in an underscore, as in scikit-learn.
_LEARNED = re.compile(r"[A-Za-z]\w*_")


@dataclass(frozen=True)
class MethodEntry:
    """A method as an experiment asks for it."""

    method: str
    label: str | None = None
    """Its name in the legend; None: the label of the method itself."""
    parameters: Mapping[str, Any] = field(default_factory=dict)
    """Parameters of the estimator that differ from those the method sets."""
    estimate: str | None = None
    """The attribute that holds the estimate of β*; None: ``coef_``."""


def method_entries(values: Any, where: str) -> tuple[MethodEntry, ...]:
    """Return the entries of a list ``methods = [...]``.

    Examples
    --------
    >>> method_entries(["omp", {"method": "lasso", "label": "mine"}], "spec")[1].label
    'mine'
    """
    if not isinstance(values, list):
        raise ValueError(f"{where}: methods = {values!r}; give a list of names or tables.")
    return tuple(_entry(value, where) for value in values)


def _entry(value: Any, where: str) -> MethodEntry:
    if isinstance(value, str):
        return MethodEntry(value)
    if not isinstance(value, Mapping) or "method" not in value:
        raise ValueError(f'{where}: {value!r} names no method; write {{ method = "…" }}.')
    where = f"{where}, methods"
    refuse_unknown(value, _METHOD_KEYS, where)
    parameters = dict(table_at(value, "parameters", where))
    canonical_json(parameters)  # they are part of a task's key: raises where JSON cannot hold them
    return MethodEntry(
        method=string(value["method"], f"{where}, method"),
        label=None if "label" not in value else string(value["label"], f"{where}, label"),
        parameters=parameters,
        estimate=_estimate(value.get("estimate"), where),
    )


def _estimate(value: Any, where: str) -> str | None:
    if value is None or (isinstance(value, str) and _LEARNED.fullmatch(value)):
        return value
    raise ValueError(f"{where}: estimate = {value!r}; name what fit learns, such as 'gated_coef_'.")
