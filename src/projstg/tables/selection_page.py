"""The answer as one HTML file that needs nothing else, without a script."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from .._extras import extra
from .._printable import few_names, shortened
from ..render.figure_svg import figure_style, inline_svg, svg_text
from ..render.number_text import percent, short_number
from ..render.page_html import page_html
from .column_names import difference
from .result import Selection, known_certainty, time_spent, whole_choice
from .selection_figures import (
    draw_certainty,
    draw_effects,
    draw_gates,
    draw_path,
    draw_residuals,
    draw_sizes,
)

__all__ = ["page"]


class _Picture(NamedTuple):
    name: str
    title: str
    caption: str
    draw: Callable[[Selection, Any], None]
    is_list: bool
    """Whether its height goes with the number of columns."""


_PICTURES = (
    _Picture(
        "effects",
        "The coefficients",
        "What one standard deviation of a column changes, the other chosen columns held. The bars "
        "are two standard errors long on each side, as if the columns had not been chosen by the "
        "data, so they are a little too short.",
        draw_effects,
        True,
    ),
    _Picture(
        "certainty",
        "The stability of the choice",
        "A column that is chosen again on most parts of the rows is a column to rely on. Grey: "
        "columns that were not chosen and came near.",
        draw_certainty,
        True,
    ),
    _Picture(
        "sizes",
        "How many columns",
        "How likely each number of columns is, given the rows; beforehand fewer columns are a "
        "little likelier than many. The columns chosen need not have the likeliest number.",
        draw_sizes,
        False,
    ),
    _Picture(
        "path",
        "Other sizes",
        "R² for other numbers of columns, each chosen anew. Where the curve on rows left out is "
        "flat, fewer columns do as well.",
        draw_path,
        False,
    ),
    _Picture(
        "gates",
        "The gates",
        "How far open the gates of the columns are: the paper's own view of the table. The search "
        "over exchanges decides, so a column with an open gate need not be chosen. This is no "
        "probability.",
        draw_gates,
        True,
    ),
    _Picture(
        "residuals",
        "The residuals",
        "What the chosen columns leave unexplained; at most a thousand rows. A bend or a funnel "
        "says that the target is not a linear function of these columns plus noise of one size.",
        draw_residuals,
        False,
    ),
)


def page(selection: Selection, command: str = "") -> str:
    """Return the text of the page; ``command`` is what made it."""
    return page_html(
        "tables/selection_page.html.j2",
        selection=selection,
        title=f"What {shortened(selection.target)} depends on",
        rows=[_row(one) for one in selection.chosen],
        certainty=_certainty(selection),
        has_rivals=any(one.exchangeable_for for one in selection.chosen),
        pictures=[
            (each, _drawn(selection, each)) for each in _PICTURES if _applies(selection, each)
        ],
        rivals=[
            (percent(one["probability"]), difference(selection.columns, one["columns"]))
            for one in selection.alternatives
        ],
        certainties=[
            (words[0].upper() + words[1:], percent(probability))
            for words, probability in whole_choice(selection)
        ],
        facts=_facts(selection),
        command=command,
    )


def _applies(selection: Selection, picture: _Picture) -> bool:
    if picture.name == "path":
        return len(selection.path) > 1
    if picture.name == "sizes":
        return len(selection.sizes) > 1
    return picture.name != "effects" or bool(selection.chosen)


def _drawn(selection: Selection, picture: _Picture) -> Any:
    """Return a picture as markup."""
    n_bars = len(selection.chosen)
    if picture.name in {"gates", "certainty"}:
        n_bars = min(n_bars + len(selection.others), 20)
    height = (
        1.0 + 0.24 * max(n_bars, 2) if picture.is_list else 2.2 if picture.name == "sizes" else 3.4
    )
    with figure_style():
        figure = extra("matplotlib.figure", "plots").Figure(
            figsize=(7.2, height), layout="constrained"
        )
        picture.draw(selection, figure.add_subplot())
        text = svg_text(figure, picture.name)
    return inline_svg(text, picture.name, picture.title)


def _certainty(selection: Selection) -> dict[str, str]:
    """Return the known kinds of certainty, and what they mean."""
    n_folds = len(selection.r2_folds)
    words = {
        "probability": "The probability is that of belonging to the model, given the rows.",
        "chosen again": f"“Chosen again” is the share of {n_folds} folds that choose the column on "
        "their own.",
    }
    return {name: words[name] for name in known_certainty(selection)}


def _row(one: Any) -> dict:
    return {
        "column": shortened(one.column, 80),
        "whole": one.column,
        "coefficient": short_number(one.coefficient, 5),
        "error": "" if one.standard_error is None else short_number(one.standard_error, 2),
        "effect": short_number(one.effect, 3),
        "probability": percent(one.probability),
        "chosen again": percent(one.stability),
        "rivals": few_names(one.exchangeable_for),
    }


def _facts(selection: Selection) -> list[tuple[str, str]]:
    """Return what is known of the table, the question and the run."""
    source, question = dict(selection.source), dict(selection.question)
    table = {key: value for key, value in source.items() if value not in (None, False, "")}
    asked = {key: value for key, value in question.items() if value not in (None, [], ())}
    merged = {**table, **asked, "intercept": short_number(selection.intercept, 6)}
    merged |= {"time": time_spent(selection), "version": selection.version}
    return [(key.replace("_", " "), _said(value)) for key, value in merged.items()]


def _said(value: Any) -> str:
    if isinstance(value, list | tuple):
        return few_names(value, 20)
    return shortened(
        {"\t": "tab", " ": "blank"}.get(value, value) if isinstance(value, str) else value, 200
    )
