"""The answer as one HTML file that needs nothing else, without a script."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from ..._extras import extra
from ..._printable import few_names, shortened
from ...render.figure_svg import figure_style, inline_svg, svg_text, themed
from ...render.number_text import chance, minus_sign, r_squared, short_number
from ...render.page_html import page_html
from ..selection.grades import IN_PLACE, Graded, graded, left_out
from ..selection.headline import headline
from ..selection.origins import has_choice
from ..selection.result import Candidate, Selection, Tried, time_spent
from ..selection.selection_figures import MOST_BARS, draw_effects, draw_path, draw_residuals
from ..selection.stand_ins import whole_choice
from ..words.column_names import difference
from .size_board import board_columns, scores

__all__ = ["page"]


_WIDE, _NARROW = 7.2, 3.7
"""Inches: for a desk, and for a phone, on which the text of the wide picture would be tiny."""
_LONGEST_NAMES = {_WIDE: 32, _NARROW: 18}
_MOST_NEAR = 10


class _Picture(NamedTuple):
    name: str
    title: str
    caption: str
    draw: Callable[..., None]


_PICTURES = (
    _Picture(
        "effects",
        "The coefficients",
        "What one standard deviation of a column changes, the other chosen columns held. The bars "
        "are two standard errors long on each side, as if the columns had not been chosen by the "
        "data, so they are a little too short.",
        draw_effects,
    ),
    _Picture(
        "path",
        "How many columns it takes",
        "R² for other numbers of columns, each chosen anew. Where the curve on rows left out is "
        "flat, fewer columns do as well.",
        draw_path,
    ),
    _Picture(
        "residuals",
        "What is left unexplained",
        "Each point is a row, at most a thousand of them. A bend or a funnel says that the target "
        "is not a linear function of these columns plus noise of one size.",
        draw_residuals,
    ),
)
_APPLIES: dict[str, Callable[[Selection], bool]] = {
    "effects": lambda selection: bool(selection.chosen),
    "path": lambda selection: len(selection.path) > 1,
    "residuals": lambda selection: bool(selection.chosen),
}


def page(selection: Selection, command: str = "") -> str:
    """Return the text of the page; ``command`` is what made it."""
    return page_html(
        "tables/show/selection_page.html.j2",
        selection=selection,
        title=f"What {shortened(selection.target)} depends on",
        sentence=headline(selection),
        r2_in_sample=minus_sign(r_squared(selection.r2_in_sample, 3)),
        r2_out_of_sample=minus_sign(r_squared(selection.r2_out_of_sample, 3)),
        rows=[_row(one) for one in graded(selection)],
        has_choice=has_choice(selection),
        left_out=left_out(selection),
        near=[_near(one) for one in selection.others[:_MOST_NEAR]],
        n_folds=len(selection.r2_folds),
        typical_miss=_rough(selection.typical_miss),
        most_bars=MOST_BARS,
        notes=[note for note in selection.remarks if note.kind not in IN_PLACE],
        pictures=[
            (each, _drawn(selection, each, _WIDE), _drawn(selection, each, _NARROW))
            for each in _PICTURES
            if _APPLIES[each.name](selection)
        ],
        rivals=[
            (chance(one["probability"]), difference(selection.columns, one["columns"]))
            for one in selection.alternatives
        ],
        certainties=[
            (words[0].upper() + words[1:], chance(probability))
            for words, probability in whole_choice(selection)
        ],
        counts=_counts(selection),
        sizes=[_size(one) for one in selection.path],
        squares=board_columns(selection),
        facts=_facts(selection),
        command=command,
    )


def _drawn(selection: Selection, picture: _Picture, width: float) -> Any:
    """Return a picture as markup, so many inches wide."""
    height = (
        1.0 + 0.24 * max(len(selection.chosen[:MOST_BARS]), 2) if picture.name == "effects" else 3.2
    )
    name = picture.name if width == _WIDE else f"{picture.name}-narrow"
    with figure_style():
        figure = extra("matplotlib.figure", "plots").Figure(
            figsize=(width, height), layout="constrained"
        )
        picture.draw(selection, figure.add_subplot(), longest=_LONGEST_NAMES[width])
        text = svg_text(figure, name)
    return inline_svg(themed(text), name, picture.title)


def _row(one: Graded) -> dict:
    """Return what the page shows of a chosen column, or of a text column above its levels."""
    column = one.column
    return {
        "grade": one.grade,
        "column": shortened(one.name, 80),
        "whole": one.name,
        "is_level": one.is_level,
        "or": few_names(one.stands_for, 3) if one.stands_for else "",
        "coefficient": "" if column is None else minus_sign(short_number(column.coefficient, 5)),
        "error": _rough(None if column is None else column.standard_error),
        "effect": "" if column is None else minus_sign(short_number(column.effect, 3)),
        "probability": one.probability,
        "stability": None if column is None else column.stability,
        "remark": one.remark,
    }


def _rough(value: float | None) -> str:
    return "" if value is None else short_number(value, 2)


def _near(one: Candidate) -> dict:
    """Return what the page shows of a column that was not chosen."""
    return {
        "column": shortened(one.column, 80),
        "probability": one.probability,
        "stability": one.stability,
    }


def _counts(selection: Selection) -> list[tuple[int, float]]:
    """Return the likely numbers of columns."""
    return [(one["k"], one["probability"]) for one in selection.sizes if one["probability"] > 0.005]


def _size(one: Tried) -> dict:
    """Return what the page shows of the best columns of one size."""
    return {
        "k": one["k"],
        "numbers": [minus_sign(text) for text in scores(one)],
        "probability": one["probability"],
        "columns": one["columns"],
    }


def _facts(selection: Selection) -> list[tuple[str, str]]:
    """Return what is known of the table, the question and the run."""
    source, question = dict(selection.source), dict(selection.question)
    table = {key: value for key, value in source.items() if value not in (None, False, "")}
    asked = {key: value for key, value in question.items() if value not in (None, [], ())}
    merged = {**table, **asked, "intercept": minus_sign(short_number(selection.intercept, 6))}
    merged |= {"time": time_spent(selection), "version": selection.version}
    return [(key.replace("_", " "), _said(value)) for key, value in merged.items()]


def _said(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, list | tuple):
        return few_names(value, 20)
    return shortened(
        {"\t": "tab", " ": "blank"}.get(value, value) if isinstance(value, str) else value, 200
    )
