"""Notes on what may look out of place in an answer, and on what it leaves out."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from ..._messages import Argument, Message
from ..._printable import few_names, shortened
from ...estimators import CredibleGroup, SmallEffects
from ...estimators.projected_stg import ProjectedSTG
from ...render.number_text import chance
from ..prepare.prepared import Prepared
from ..words.notes import Note

__all__ = ["explained", "telling_groups"]

# Small effects are worth a sentence if they have this share of the variance, and are this likely:
# where rows are few the share is what was assumed beforehand.
_WORTH_A_NOTE, _LIKELY = 0.05, 0.9
# With fewer columns than this nobody speaks of many effects.
_MANY = 10
# Columns with this correlation say much the same.
_ALIKE = 0.7


def telling_groups(model: ProjectedSTG, level: float = 0.95) -> list[CredibleGroup]:
    """Return the groups of columns of which one belongs, for they stand for each other.

    Where the number of columns is given, columns that have nothing in common exclude each other,
    too: that one of them belongs says nothing.
    """
    groups = model.credible_groups(level)
    if model.n_features_to_select == "auto":
        return groups
    return [one for one in groups if one.weakest_correlation >= _ALIKE or len(one.features) == 1]


def explained(
    data: Prepared,
    model: ProjectedSTG,
    groups: Sequence[CredibleGroup],
    small: SmallEffects | None,
) -> list[Note]:
    """Return notes on columns that are chosen though unlikely, or left out though likely.

    Also on small effects, and on a search that did not settle. ``groups`` are those that reports
    show.
    """
    return [*_unsettled(model), *_columns(data, model, groups), *_small(data, model, small)]


def _unsettled(model: ProjectedSTG) -> Iterator[Note]:
    if model.accuracy_ is None or not model.accuracy_.is_doubtful:
        return
    said: list[str | Argument] = [
        "The search did not settle: another seed may give another answer. Compare ",
        Argument("random_state", 1 + int(model.random_state or 0)),  # type: ignore[arg-type]
    ]
    if model.n_features_to_select == "auto":
        said += [", or say how many columns belong, such as ", Argument("k", 3)]
    yield Note("unsettled", Message(*said, "; more rows help most."))


def _columns(
    data: Prepared, model: ProjectedSTG, groups: Sequence[CredibleGroup]
) -> Iterator[Note]:
    inclusion, chosen = model.inclusion_probability_, model.support_
    if inclusion is None:
        return
    likely = inclusion > 0.5
    unlikely = np.flatnonzero(chosen & ~likely & ~data.always).tolist()
    in_groups = {place for group in groups for place in group.features}
    if not in_groups.issuperset(unlikely):
        groups = [*groups, *telling_groups(model, 0.5)]
    reasons: dict[str, list[int]] = {}
    for place in unlikely:
        reasons.setdefault(_why_chosen(data.names, model, place, groups), []).append(place)
    for why, places in reasons.items():
        yield _odd("unlikely", "chosen", data.names, inclusion, places, why)
    left_out = np.flatnonzero(likely & ~chosen).tolist()
    if left_out:
        why = _rule(model) or "not in the choice that is the likeliest as a whole"
        yield _odd("left_out", "left out", data.names, inclusion, left_out, why)


def _odd(
    kind: str,
    what: str,
    names: Sequence[str],
    inclusion: np.ndarray,
    places: Sequence[int],
    why: str,
) -> Note:
    columns = tuple(names[place] for place in places)
    if len(places) == 1:
        (place,) = places
        of_one = f"is {what} though its probability is {chance(float(inclusion[place]))}"
        return Note(kind, f"{shortened(columns[0])} {of_one}: {why}.", columns, why)
    likelier = "likelier to belong than not"
    against = f"not {likelier}" if kind == "unlikely" else likelier
    return Note(kind, f"{few_names(columns)} are {what} though {against}: {why}.", columns, why)


def _why_chosen(
    names: Sequence[str], model: ProjectedSTG, place: int, groups: Sequence[CredibleGroup]
) -> str:
    """Return why a column is chosen that is not likelier to belong than not."""
    for group in groups:
        if place in group.features and len(group.features) > 1:
            others = [names[other] for other in group.features if other != place]
            rivals = f"{'one of ' * (len(others) > 1)}{few_names(others)}"
            return f"it or {rivals} belongs with {chance(group.probability)}"
    return _rule(model) or "part of the choice that is the likeliest as a whole"


def _rule(model: ProjectedSTG) -> str:
    """Return what decides, where it is not the probabilities of the columns."""
    if model.n_features_to_select != "auto":
        return "the number of columns was given"
    if model.criterion == "least-squares":
        return "least squares chooses the columns, not their probabilities"
    return ""


def _small(data: Prepared, model: ProjectedSTG, known: SmallEffects | None) -> Iterator[Note]:
    if known is None or len(data.names) < _MANY:
        return
    if known.share >= _WORTH_A_NOTE and known.probability >= _LIKELY:
        beside = "Beside the columns chosen about" if model.support_.any() else "About"
        text = (
            f"{beside} {chance(known.share)} of the variance of {shortened(data.target)} comes "
            "from many small effects, each too small to tell which column has it."
        )
        yield Note("small_effects", text)
