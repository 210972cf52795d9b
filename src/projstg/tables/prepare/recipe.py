"""How columns of numbers are made of the columns of a table, and what an averaged prediction needs.

Plain numbers and text, kept in ``selection.json``, so that an answer can be used on other tables.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping
from typing import TypedDict, TypeVar

from ..._printable import few_names
from ..cells.number_marks import SHARES
from ..words.notes import TableError

__all__ = [
    "Averages",
    "MadeColumn",
    "Recipe",
    "check_recipe",
    "made_column",
    "made_columns",
    "part_of",
    "recipe_of",
    "with_decimals",
]

Value = TypeVar("Value")


class MadeColumn(TypedDict):
    """A column of numbers."""

    name: str
    column: str
    """The column of the table that it is made of."""
    level: str | None
    """It is 1 where the text is this, and 0 elsewhere; None: it is that column itself."""


class Recipe(TypedDict):
    """From a table to columns of numbers."""

    columns: list[MadeColumn]
    levels: dict[str, list[str]]
    """All levels of each text column, also those without a column."""
    fills: dict[str, float] | None
    """What stands for a missing value in each column of numbers; None: nothing does."""
    gaps: dict[str, str]
    """The level of missing cells, of each text column in which they have one."""
    shares: dict[str, str]
    """The sign, % or ‰, of each column of numbers that was written with one."""
    decimals: dict[str, str]
    """The decimal mark of each column that had other marks than a decimal point."""


class Averages(TypedDict):
    """The averaged prediction, of columns with these means and scales.

    It is ``target_mean`` + ``target_scale`` · Σ coefficient · (x − mean) / scale.
    """

    columns: list[str]
    means: list[float]
    scales: list[float]
    coefficients: list[float]
    target_mean: float
    target_scale: float
    noise: float
    """The variance of a new response around its mean, in units of ``target_scale``."""
    degrees_of_freedom: float
    covariance: list[list[float]] | None
    """Of the coefficients, the rows up to the diagonal; None where there are too many columns."""


def made_column(name: str, column: str, level: str | None) -> MadeColumn:
    """Return what a column of numbers is made of."""
    return {"name": name, "column": column, "level": level}


def recipe_of(
    made: Iterable[MadeColumn],
    levels: Mapping[str, list[str]],
    fills: Mapping[str, float] | None,
    *,
    gaps: Mapping[str, str],
    shares: Mapping[str, str],
    decimals: Mapping[str, str] | None = None,
) -> Recipe:
    """Return the recipe of some columns of numbers; what else is given may be of more."""
    made = list(made)
    numbers = {one["column"] for one in made if one["level"] is None}
    texts = {one["column"] for one in made if one["level"] is not None}
    return {
        "columns": made,
        "levels": _among(texts, levels),
        "fills": None if fills is None else _among(numbers, fills),
        "gaps": _among(texts, gaps),
        "shares": _among(numbers, shares),
        "decimals": _among(numbers, decimals or {}),
    }


def _among(names: Container[str], own: Mapping[str, Value]) -> dict[str, Value]:
    return {name: one for name, one in own.items() if name in names}


def part_of(recipe: Recipe, names: Iterable[str]) -> Recipe:
    """Return the recipe of some of its columns of numbers."""
    made = [one for one in recipe["columns"] if one["name"] in names]
    return recipe_of(made, **{key: own for key, own in recipe.items() if key != "columns"})  # type: ignore[arg-type]


def with_decimals(recipe: Recipe, decimals: Mapping[str, str]) -> Recipe:
    """Return a recipe that knows the decimal marks of its columns."""
    used = {one["column"] for one in recipe["columns"] if one["level"] is None}
    return {**recipe, "decimals": _among(used, decimals)}


def made_columns(recipe: Recipe, names: Iterable[str]) -> list[MadeColumn]:
    """Return what these columns of numbers are made of, or raise where that is not known."""
    made = {one["name"]: one for one in recipe["columns"]}
    strange = [name for name in names if name not in made]
    if strange:
        raise TableError(f"this is no whole selection: no recipe for {few_names(strange)}.")
    return [made[name] for name in names]


def check_recipe(recipe: Recipe) -> None:
    """Raise where the parts of a recipe do not fit together."""
    levels = {(name, level) for name, own in recipe["levels"].items() for level in own}
    made = {one["name"]: (one["column"], one["level"]) for one in recipe["columns"]}
    lost = [
        name for name, (column, level) in made.items() if level and (column, level) not in levels
    ]
    if lost:
        raise TableError(f"this is no whole selection: no levels for {few_names(lost)}.")
    for field, own, marks in (
        ("decimals", recipe["decimals"], {".", ","}),
        ("shares", recipe["shares"], {"", *SHARES}),
    ):
        strange = set(own.values()) - marks
        if strange:
            raise TableError(
                f"this is no selection: {few_names(sorted(strange))} in recipe.{field} is no mark "
                "of numbers."
            )
