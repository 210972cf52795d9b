"""What a notebook shows of a fitted selector: its answer as a small table."""

from __future__ import annotations

from html import escape
from typing import Any

import numpy as np

from .._printable import shortened

__all__ = ["answer_html"]

# At most so many chosen columns are listed, with at most so many letters; the others are counted.
_MOST_ROWS, _LONGEST = 50, 80


def answer_html(model: Any) -> str:
    """Return the chosen columns with coefficients and, where known, errors and probabilities."""
    chosen = np.flatnonzero(model.support_)
    names = getattr(model, "feature_names_in_", None)
    columns = {
        "column": [str(j) if names is None else shortened(names[j], _LONGEST) for j in chosen],
        "coefficient": _numbers(model.coef_, chosen),
        "standard error": _numbers(getattr(model, "coef_std_error_", None), chosen),
        "inclusion probability": _numbers(
            getattr(model, "inclusion_probability_", None), chosen, ".2f"
        ),
    }
    shown = {head: cells for head, cells in columns.items() if cells is not None}
    caption = f"{type(model).__name__}: {chosen.size} of {model.support_.size} columns"
    caption += _certainty(model, chosen.size)
    accuracy = getattr(model, "accuracy_", None)
    if accuracy is not None and accuracy.is_doubtful:
        caption += "; the search did not settle: try other values of random_state"
    head = "".join(f"<th>{name}</th>" for name in shown)
    return (
        '<div style="overflow-x: auto" tabindex="0">'
        '<table class="projstg-answer"><caption style="text-align: left">'
        f"{escape(caption)}</caption><thead><tr>{head}</tr></thead>"
        f"{_body(shown, chosen.size)}</table></div>"
    )


def _certainty(model: Any, n_chosen: int) -> str:
    """Return how sure the choice is as a whole; with K given, or none chosen, as "exactly"."""
    exactly = getattr(model, "support_probability_", None)
    if exactly is None:
        return ""
    if n_chosen == 0:
        return f", none belongs with probability {exactly:.2f}"
    if np.count_nonzero(model.size_probability_) == 1:
        return f", exactly these with probability {exactly:.2f}"
    together = model.all_belong_probability_
    return f", all belong with probability {together:.2f}, exactly these with {exactly:.2f}"


def _numbers(values: Any, chosen: np.ndarray, form: str = ".4g") -> list[str] | None:
    return None if values is None else [format(float(values[j]), form) for j in chosen]


def _body(shown: dict[str, list[str]], n_chosen: int) -> str:
    rows = [
        "".join(f"<td>{escape(cell)}</td>" for cell in cells)
        for cells in list(zip(*shown.values(), strict=True))[:_MOST_ROWS]
    ]
    if n_chosen > _MOST_ROWS:
        rows.append(f'<td colspan="{len(shown)}">… and {n_chosen - _MOST_ROWS} more</td>')
    return f"<tbody>{''.join(f'<tr>{row}</tr>' for row in rows)}</tbody>"
