"""What an answer says of text columns: their levels together, and whether any of them belongs."""

from __future__ import annotations

from collections.abc import Sequence

from ..._messages import Argument, Message
from ..._printable import few_names, shortened
from ...estimators.projected_stg import ProjectedSTG
from ..prepare.level_columns import Factor
from ..prepare.prepared import Prepared
from ..selection.result import Chosen, FactorPart
from ..words.notes import TableError
from ..words.question import TableQuestion

__all__ = ["check_levels", "factor_parts", "levels_together", "most_together"]

# Text columns of which no level is chosen are named from this probability on.
_WORTH_NAMING = 0.05


def check_levels(data: Prepared, question: TableQuestion) -> None:
    """Raise where all levels of a text would have to be chosen: with the intercept they depend."""
    complete = [one for one in data.factors if one.is_complete]
    for one in complete:
        if data.always[list(one.places.values())].all():
            name = shortened(one.column)
            said = (
                f" has every level of {name}, and the last of them says nothing new; name {name} "
                "as a whole."
            )
            raise TableError(Message(Argument("always"), said))
    most = most_together(data)
    if question.has_size and question.k > most:
        said = (
            f" is more than the {most} columns that can be chosen together: the last level of "
            f"{few_names(one.column for one in complete)} says nothing new."
        )
        raise TableError(Message(Argument("k", question.k), said))


def most_together(data: Prepared) -> int:
    """Return how many columns can be chosen without all levels of a text among them."""
    return len(data.names) - sum(one.is_complete for one in data.factors)


def factor_parts(data: Prepared, model: ProjectedSTG) -> tuple[FactorPart, ...]:
    """Return the text columns of which a level is chosen, or may well belong; the likeliest first.

    That one of the levels belongs may be sure where it is not clear which.
    """
    parts = [_part(factor, model) for factor in data.factors]
    named = [one for one in parts if one["chosen"] or (one["probability"] or 0.0) >= _WORTH_NAMING]
    return tuple(sorted(named, key=lambda one: (not one["chosen"], -(one["probability"] or 0.0))))


def _part(factor: Factor, model: ProjectedSTG) -> FactorPart:
    places = list(factor.places.values())
    has_probabilities = model.inclusion_probability_ is not None
    return FactorPart(
        column=factor.column,
        reference=factor.reference,
        levels=list(factor.places),
        chosen=[level for level, place in factor.places.items() if model.support_[place]],
        probability=model.any_belong_probability(places) if has_probabilities else None,
    )


def levels_together(data: Prepared, chosen: Sequence[Chosen]) -> tuple[Chosen, ...]:
    """Return the columns, the largest effect first, and after each the other levels of its text."""
    text_of = {
        data.names[place]: one.column for one in data.factors for place in one.places.values()
    }
    largest: dict[str, float] = {}

    def own(one: Chosen) -> str:  # the column of the table
        return text_of.get(one.column, one.column)

    for one in chosen:
        largest[own(one)] = max(largest.get(own(one), 0.0), abs(one.effect))
    return tuple(sorted(chosen, key=lambda one: (-largest[own(one)], own(one), -abs(one.effect))))
