"""What an answer says of columns, by name: the chosen ones, those near, other choices, groups."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ...estimators import CredibleGroup
from ...estimators.projected_stg import ProjectedSTG
from ..prepare.prepared import Prepared
from ..selection.result import Alternative, Candidate, Chosen, SizeProbability, Together
from .best_of_sizes import known_at
from .factors import levels_together
from .held_out import Checked

__all__ = [
    "alternatives",
    "chosen_columns",
    "groups_by_name",
    "other_columns",
    "size_probabilities",
]

# Of the columns left out so many can be read at a glance; those after them came less near.
_MOST_OTHERS = 20
# They are in order of probability: any choice after them has less than a sixth.
_MOST_ALTERNATIVES = 5
# A rival does as well if the choice with it is at least this likely, relative to the likeliest:
# odds of five to one are weak evidence between two choices.
_AS_WELL = 0.2
# Sizes less likely than this are left out: all shown as "<1 %", they would fill the list.
_UNLIKELY = 1e-3


def chosen_columns(
    data: Prepared, model: ProjectedSTG, check: Checked | None
) -> tuple[Chosen, ...]:
    """Return the chosen columns, the largest effect first; levels of one text are together."""
    probability = model.inclusion_probability_
    rivals, gates = _rivals(model, data.always), _gates(model)
    found = []
    for place in np.flatnonzero(model.support_).tolist():
        error = float(model.coef_std_error_[place])
        found.append(
            Chosen(
                column=data.names[place],
                coefficient=float(model.coef_[place]),
                standard_error=error if np.isfinite(error) else None,
                effect=float(model.coef_[place] * data.deviation(place)),
                probability=known_at(probability, place),
                stability=None if check is None else float(check.stability[place]),
                gate=known_at(gates, place),
                exchangeable_for=tuple(data.names[other] for other in rivals.get(place, [])),
            )
        )
    return levels_together(data, found)


def _rivals(model: ProjectedSTG, always: np.ndarray) -> dict[int, list[int]]:
    """Return for each chosen column its rivals, the columns that would do as well in its place.

    A column that must be chosen (a mask, (D,)) has none.

    They are the columns that fit equally well, and those of likely choices that differ from this
    one in that column alone.
    """
    equivalent = (model.equivalent_features_ or {}).items()
    found = {place: list(others) for place, others in equivalent if not always[place]}
    chosen = set(np.flatnonzero(model.support_).tolist())
    others = model.alternatives_ or []
    enough = _AS_WELL * max((probability for _, probability in others), default=0.0)
    for members, probability in others:
        out, entered = chosen - set(members), set(members) - chosen
        if len(out) == len(entered) == 1 and probability >= enough:
            own = found.setdefault(out.pop(), [])
            own += [place for place in entered if place not in own]
    return found


def alternatives(data: Prepared, model: ProjectedSTG) -> tuple[Alternative, ...]:
    """Return the likeliest other choices."""
    chosen = np.flatnonzero(model.support_).tolist()
    return tuple(
        Alternative(columns=[data.names[place] for place in members], probability=probability)
        for members, probability in (model.alternatives_ or [])[: _MOST_ALTERNATIVES + 1]
        if list(members) != chosen
    )[:_MOST_ALTERNATIVES]


def groups_by_name(names: Sequence[str], groups: Sequence[CredibleGroup]) -> tuple[Together, ...]:
    """Return the columns that stand for each other, by name."""
    return tuple(
        Together(
            columns=[names[place] for place in group.features],
            probability=group.probability,
            shares=group.shares,
            weakest_correlation=group.weakest_correlation,
        )
        for group in groups
    )


def size_probabilities(model: ProjectedSTG, k: int | str | None) -> tuple[SizeProbability, ...]:
    """Return the likely sizes, where the size was chosen from the data."""
    if k != "auto" or model.size_probability_ is None:
        return ()
    return tuple(
        SizeProbability(k=size, probability=float(probability))
        for size, probability in enumerate(model.size_probability_)
        if probability >= _UNLIKELY
    )


def _gates(model: ProjectedSTG) -> Any:
    """Return how far open the gates are, where they decide; elsewhere they would take longer."""
    return model.gate_mean_ if model.n_features_to_select is None else None


def other_columns(
    data: Prepared, model: ProjectedSTG, check: Checked | None
) -> tuple[Candidate, ...]:
    """Return the columns that came nearest to being chosen."""
    probability = model.inclusion_probability_
    stability = None if check is None else check.stability
    n_columns = len(data.names)
    gates = _gates(model)
    known = (gates, stability, probability)
    order = np.lexsort([np.zeros(n_columns) if a is None else -np.asarray(a) for a in known])
    nearest = [place for place in order.tolist() if not model.support_[place]][:_MOST_OTHERS]
    return tuple(
        Candidate(
            column=data.names[place],
            probability=known_at(probability, place),
            stability=known_at(stability, place),
            gate=known_at(gates, place),
        )
        for place in nearest
    )
