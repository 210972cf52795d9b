"""The answer: which columns, how large, how sure, and how well they predict.

A :class:`Selection` is plain numbers and text. It is saved as JSON, whose schema is described in
``docs/select.md``, and loaded from it; nothing in such a file is ever executed.
"""

from __future__ import annotations

import json
import math
import os
import warnings
from dataclasses import asdict, dataclass, fields
from html import escape
from typing import Any, TypedDict

from ..._extras import extra
from ..._files import file_contents, replacing
from ..._printable import printable, shortened
from ...render.number_text import short_number
from ..prepare.recipe import Averages, Recipe, check_recipe, made_columns
from ..words.notes import Note, TableError
from ..words.question import QuestionKept
from .result_schema import Probability, typed

__all__ = [
    "NAME",
    "SCHEMA",
    "SCHEMA_VERSION",
    "Candidate",
    "Chosen",
    "Selection",
    "file_of_answer",
    "time_spent",
]

NAME = "selection.json"
"""Of the answer in the folder that ``projstg select --out`` writes."""
SCHEMA, SCHEMA_VERSION = "projstg-selection", 1
# An answer of a table with very many columns has some megabytes.
_MOST_BYTES = 2**28


@dataclass(frozen=True)
class Chosen:
    """A column that was chosen."""

    column: str
    coefficient: float
    """Change of the target for one unit of the column, the other chosen columns held."""
    standard_error: float | None
    """Of that coefficient, as if these columns had not been chosen by the data."""
    effect: float
    """Change of the target for one standard deviation of the column."""
    probability: Probability | None
    """That the column belongs to the support, given the data; None where not known."""
    stability: Probability | None
    """Share of the folds in which the column is chosen again; None without folds."""
    gate: float | None
    """E[z]: how far open its gate is. Not a probability."""
    exchangeable_for: tuple[str, ...]
    """Columns that would do as well in its place."""


@dataclass(frozen=True)
class Candidate:
    """A column that was not chosen and came near."""

    column: str
    probability: Probability | None
    stability: Probability | None
    gate: float | None


class Tried(TypedDict):
    """The columns chosen for one size, largest effect first, and how well they predict."""

    k: int
    r2_in_sample: float | None
    r2_out_of_sample: float | None
    columns: list[str]
    r2_adjusted: float | None
    bic: float | None
    """The lower the better; only differences mean something."""
    ebic: float | None
    probability: Probability | None
    """Of this number of columns, where the number was left to the data."""


class SizeProbability(TypedDict):
    """A number of columns, and how likely it is."""

    k: int
    probability: Probability


class Alternative(TypedDict):
    """Another choice, and how likely it is."""

    columns: list[str]
    probability: Probability | None


class Together(TypedDict):
    """Columns that stand for each other, and how likely at least one of them belongs."""

    columns: list[str]
    probability: Probability
    shares: list[Probability]
    weakest_correlation: float


class SmallPart(TypedDict):
    """Small effects of all columns: how much of the variance, and how likely there are any."""

    share: float
    probability: Probability


class FactorPart(TypedDict):
    """A text column, coded by its levels, and how likely at least one of these belongs."""

    column: str
    reference: str | None
    levels: list[str]
    chosen: list[str]
    probability: Probability | None


class FittedRows(TypedDict):
    """The target of some rows, and what the chosen columns say of it."""

    actual: list[float]
    fitted: list[float]


@dataclass(frozen=True)
class Selection:
    """What :func:`projstg.select` found; see ``docs/select.md`` for each field."""

    target: str
    chosen: tuple[Chosen, ...]
    intercept: float
    n_samples: int
    n_columns: int
    """Columns of numbers that could have been chosen."""
    r2_in_sample: float | None
    """None where squares of the target are out of range."""
    r2_out_of_sample: float | None
    """On rows left out, over all folds, with a new choice in each; None without folds."""
    r2_folds: tuple[float | None, ...]
    residual_std: float | None
    typical_miss: float | None
    """The root of the mean squared error on rows left out; None without folds."""
    question: QuestionKept
    source: dict
    others: tuple[Candidate, ...]
    path: tuple[Tried, ...]
    """Other sizes, each with its own choice."""
    sizes: tuple[SizeProbability, ...]
    """How likely each size is, where the size was chosen too."""
    probability: Probability | None
    """That exactly these columns are the right ones, given the data."""
    all_belong: Probability | None
    """That all of these columns are among the right ones, whatever others there are."""
    each_belongs: Probability | None
    """That each of these columns, or one that stands for it, is among the right ones."""
    alternatives: tuple[Alternative, ...]
    """The likeliest other choices."""
    groups: tuple[Together, ...]
    """Columns that stand for each other, or one that is sure by itself."""
    factors: tuple[FactorPart, ...]
    """Text columns of which a level is chosen, or may well belong."""
    small_effects: SmallPart | None
    """Many small effects of columns that are not chosen, where the size was chosen too."""
    recipe: Recipe
    """How columns of numbers are made of a table."""
    averages: Averages | None
    """The averaged prediction; None where the columns have no probabilities."""
    rows: FittedRows
    """Of at most a thousand rows, for the picture of the residuals."""
    notes: tuple[Note, ...]
    seconds: dict[str, float]
    """``read``, ``choose``, ``check`` and ``explain``."""
    version: str

    @property
    def columns(self) -> list[str]:
        """The chosen columns, the largest effect first; levels of one text are together."""
        return [one.column for one in self.chosen]

    @property
    def cautions(self) -> list[Note]:
        """The notes on what may make the answer wrong."""
        return [note for note in self.notes if note.is_caution]

    @property
    def remarks(self) -> list[Note]:
        """The other notes."""
        return [note for note in self.notes if not note.is_caution]

    @property
    def table(self) -> Any:
        """A data frame with a row for each chosen column."""
        pandas = extra("pandas", "cli")
        wanted = [each.name for each in fields(Chosen) if each.name != "gate"]
        records = [{name: getattr(one, name) for name in wanted} for one in self.chosen]
        frame = pandas.DataFrame.from_records(records, columns=wanted)
        frame["exchangeable_for"] = [", ".join(one.exchangeable_for) for one in self.chosen]
        unknown = [name for name in wanted if len(frame) and frame[name].isna().all()]
        return frame.drop(columns=unknown)

    def predict(
        self,
        table: Any,
        *,
        averaged: bool = False,
        interval: float | None = None,
        sheet: str | None = None,
    ) -> Any:
        """Predict the target for the rows of another table, prepared as the table was.

        Parameters
        ----------
        table : DataFrame, path, list of paths or array
            Columns are found by name; others are ignored. The chosen ones must be there, or those
            that they are made of.
        averaged : bool, default=False
            Whether to average over all choices that are likely, instead of the chosen columns
            alone; see :meth:`ProjectedSTG.predict`. It needs all columns that could have been
            chosen.
        interval : float or None
            The probability of an interval for each new value of the target, such as 0.9. The
            prediction is then the averaged one, which is in the middle.
        sheet : str or None
            The sheet of an Excel workbook; by default the first that has data.

        Returns
        -------
        predictions : DataFrame
            ``prediction`` and, with an interval, ``lower`` and ``upper``, with the index of the
            table. Rows that lack a number, or have a text that ``select`` has not seen, have NaN,
            and a warning says so; another one says what was filled in.

        Examples
        --------
        >>> from sklearn.datasets import load_diabetes
        >>> from projstg import select
        >>> frame = load_diabetes(as_frame=True, scaled=False).frame
        >>> found = select(frame[:400], "target", k=3)
        >>> found.predict(frame[400:402]).round(1)
             prediction
        400       183.6
        401        88.7
        """
        from ..prepare.recipe_columns import whole_table
        from .prediction import predicted

        read = whole_table(table, self.recipe, sheet)
        found = predicted(self, read, averaged=averaged, interval=interval)
        for line in found.lines:
            warnings.warn(line, stacklevel=2)
        has_index = isinstance(table, extra("pandas", "cli").DataFrame)
        return found.frame.set_axis(table.index) if has_index else found.frame

    @property
    def model(self) -> Any:
        """A fitted pipeline of scikit-learn that takes data frames and predicts.

        Where :meth:`predict` gives NaN, it raises.
        """
        from .recipe_transformer import fitted_pipeline

        coefficients = [one.coefficient for one in self.chosen]
        return fitted_pipeline(self.recipe, self.columns, coefficients, self.intercept)

    def plot(self, ax: Any = None) -> Any:
        """Draw the effects of the chosen columns, with twice their standard errors.

        Parameters
        ----------
        ax : matplotlib Axes or None

        Returns
        -------
        ax : matplotlib Axes
        """
        from .selection_figures import MOST_BARS, draw_effects

        if ax is None:
            size = (6.4, 1.2 + 0.3 * min(max(len(self.chosen), 1), MOST_BARS))
            pyplot = extra("matplotlib.pyplot", "plots")
            ax = pyplot.subplots(figsize=size, layout="constrained")[1]
        draw_effects(self, ax)
        return ax

    def headline(self) -> str:
        """Return the answer in one sentence."""
        from .headline import headline

        return headline(self)

    def __str__(self) -> str:
        lines = [self.headline()]
        for one in self.chosen:
            error = (
                "" if one.standard_error is None else f" ± {short_number(one.standard_error, 2)}"
            )
            lines.append(f"  {shortened(one.column)}  {short_number(one.coefficient)}{error}")
        lines += [f"caution: {printable(note.text)}" for note in self.cautions]
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        notes = "".join(f"<li>{escape(note.text)}</li>" for note in self.notes)
        frame = self.table.to_html(index=False, escape=True, border=0, float_format=short_number)
        table = f'<div style="overflow-x: auto" tabindex="0">{frame}</div>'
        return f"<p>{escape(self.headline())}</p>{table}<ul>{notes}</ul>"

    def as_dict(self) -> dict:
        """Return the answer as what JSON can hold, with the schema's name and version."""
        content = asdict(self)
        content["notes"] = [note._asdict() for note in self.notes]
        return _plain({"schema": SCHEMA, "schema_version": SCHEMA_VERSION, **content})

    @classmethod
    def from_dict(cls, content: dict) -> Selection:
        """Return the answer that :meth:`as_dict` gave."""
        if not isinstance(content, dict) or content.get("schema") != SCHEMA:
            raise TableError(f"this is no selection: its schema is not {SCHEMA!r}.")
        version = content.get("schema_version")
        if version != SCHEMA_VERSION:
            raise TableError(
                f"this selection has schema version {shortened(version)}, and this projstg reads "
                f"version {SCHEMA_VERSION}; use the projstg that wrote it "
                f"({shortened(content.get('version'))})."
            )
        selection: Selection = typed(content, cls)
        selection._check_parts()
        return selection

    def _check_parts(self) -> None:
        """Raise where parts that predictions are made of do not fit together."""
        from .averages import check_averages

        averaged = [] if self.averages is None else self.averages["columns"]
        for columns, where in ((self.columns, "chosen"), (averaged, "averages.columns")):
            if len(set(columns)) < len(columns):
                twice = next(name for name in columns if columns.count(name) > 1)
                raise TableError(
                    f"this is no selection: {where} has the column '{shortened(twice)}' twice."
                )
        if self.averages is not None:
            check_averages(self.averages)
        check_recipe(self.recipe)
        made_columns(self.recipe, [*self.columns, *averaged])

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the answer as JSON; a file of that name is replaced when all is written."""
        text = json.dumps(self.as_dict(), indent=1, ensure_ascii=False, allow_nan=False)
        with replacing(path) as temporary:
            # Half of a character becomes the escape that JSON has for it.
            temporary.write_text(text + "\n", encoding="utf-8", errors="backslashreplace")

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Selection:
        """Read an answer that :meth:`save` wrote, or that is in a folder of ``select --out``."""
        path = file_of_answer(path)
        shown = printable(path)
        try:
            text = file_contents(path, _MOST_BYTES)
        except ValueError as error:
            raise TableError(f"{shown}: {error}.") from None
        try:
            content = json.loads(text)
        except (ValueError, RecursionError) as error:
            raise TableError(f"{shown} is not JSON: {error}") from None
        try:
            return cls.from_dict(content)
        except TableError as error:
            raise TableError(f"{shown}: {error}") from None


def file_of_answer(path: str | os.PathLike[str]) -> str | os.PathLike[str]:
    """Return the path of an answer; of a folder that of its ``selection.json``."""
    if not os.path.isdir(path):
        return path
    inside = os.path.join(path, NAME)
    if not os.path.lexists(inside):
        raise TableError(
            f"{printable(path)} is a folder without {NAME}; give one that select wrote with "
            "--out, or the file."
        )
    return inside


def time_spent(selection: Selection) -> str:
    """Return the seconds of each step, for a line; nothing where they are not known."""
    return ", ".join(f"{name} {value:.2f} s" for name, value in selection.seconds.items())


def _plain(value: Any) -> Any:
    """Return lists, dicts and finite numbers; what is not finite is None."""
    if isinstance(value, dict):
        return {str(key): _plain(inner) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(inner) for inner in value]
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value
