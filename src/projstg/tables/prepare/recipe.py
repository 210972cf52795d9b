"""How columns of numbers are made of the columns of a table, and what an averaged prediction needs.

Plain numbers and text, kept in ``selection.json``, so that an answer can be used on other tables.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypedDict

from ..words.notes import TableError

__all__ = ["Averages", "MadeColumn", "Recipe", "known_recipe", "made_column", "recipe_of"]


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
    made: Iterable[MadeColumn], levels: dict[str, list[str]], fills: dict[str, float] | None
) -> Recipe:
    """Return the recipe of some columns of numbers; ``levels`` and ``fills`` may be of more."""
    made = list(made)
    numbers = {one["column"] for one in made if one["level"] is None}
    texts = {one["column"] for one in made if one["level"] is not None}
    return {
        "columns": made,
        "levels": {name: own for name, own in levels.items() if name in texts},
        "fills": fills and {name: fill for name, fill in fills.items() if name in numbers},
    }


def known_recipe(recipe: Recipe | None) -> Recipe:
    """Return the recipe, or raise where there is none."""
    if recipe is None:
        raise TableError(
            "this selection does not say how its columns are made of a table, for an older projstg "
            "wrote it; run select again."
        )
    return recipe
