"""Notes on what may look out of place in an answer, and on what it leaves out."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from .._printable import few_names, shortened
from ..estimators.projected_stg import ProjectedSTG
from ..render.number_text import percent
from .design_matrix import Prepared
from .notes import Note

__all__ = ["explained"]

# Small effects are worth a sentence if they have this share of the variance.
_WORTH_A_NOTE = 0.05
# Columns with this correlation say much the same.
_ALIKE = 0.7


def explained(data: Prepared, model: ProjectedSTG, small: float | None) -> list[Note]:
    """Return notes on columns that are chosen though unlikely, or left out though likely.

    ``small`` is the share of the target's variance that comes from small effects, if it is known.
    """
    found = [*_columns(data, model), *_whole(model)]
    if small is not None and small >= _WORTH_A_NOTE:
        text = (
            f"Beside the columns chosen about {percent(small)} of the variance of "
            f"{shortened(data.target)} comes from many small effects, none of a column that stands "
            "out."
        )
        found.append(Note("small_effects", text))
    return found


def _columns(data: Prepared, model: ProjectedSTG) -> Iterator[Note]:
    inclusion, chosen = model.inclusion_probability_, model.support_
    if inclusion is None:
        return
    for place in np.flatnonzero(((inclusion > 0.5) != chosen) & ~data.always).tolist():
        kind, what = ("unlikely", "chosen") if chosen[place] else ("left_out", "not chosen")
        name, probability = data.names[place], percent(float(inclusion[place]))
        text = f"{shortened(name)} is {what} though it belongs with {probability}: "
        yield Note(kind, text + _reason(data.names, model, place), (name,))


def _reason(names: Sequence[str], model: ProjectedSTG, place: int) -> str:
    """Return why a column is chosen, or not, against its own probability."""
    is_given = model.n_features_to_select != "auto"
    for level in (0.95, 0.5):
        group = next((g for g in model.credible_groups(level) if place in g.features), None)
        if group is None or len(group.features) == 1 or not model.support_[place]:
            continue
        # Where the number is given, columns that have nothing in common exclude each other, too.
        if group.weakest_correlation >= _ALIKE or not is_given:
            others = few_names(names[other] for other in group.features if other != place)
            one = percent(group.probability)
            return f"it stands for {others}, too, and one of them belongs with {one}."
    if is_given:
        return "the number of columns was given."
    if model.criterion == "least-squares":
        return "least squares chooses the columns, not their probabilities."
    return "the columns chosen say the same."


def _whole(model: ProjectedSTG) -> Iterator[Note]:
    """Yield a note where each column is right by itself, but another choice is as a whole."""
    own = model.support_probability_
    by_probability = model.n_features_to_select == "auto" and model.criterion != "least-squares"
    if not model.alternatives_ or own is None or not by_probability:
        return
    likeliest, probability = model.alternatives_[0]
    if list(likeliest) != np.flatnonzero(model.support_).tolist() and probability > own:
        text = (
            f"As a whole another choice is likelier, {percent(probability)} against "
            f"{percent(own)}; those chosen are the columns that are, each by itself, likelier to "
            "belong than not."
        )
        yield Note("not_likeliest", text)
