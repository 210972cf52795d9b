"""From a prepared problem to the answer: choose, check, and put together what is known."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import replace
from importlib.metadata import PackageNotFoundError, version
from time import perf_counter
from typing import Any, NamedTuple

import numpy as np
from sklearn.exceptions import ConvergenceWarning, DataDimensionalityWarning
from threadpoolctl import threadpool_limits

from ..._printable import few_names
from ..._threads import in_threads
from ...estimators import CredibleGroup, SmallEffects
from ...estimators.projected_stg import ProjectedSTG
from ...render.progress_bar import Show, counted_steps, stage
from ..prepare.prepared import Prepared, SquaredErrors
from ..prepare.recipe import Averages
from ..selection.averages import averages_of
from ..selection.result import (
    Alternative,
    Candidate,
    Chosen,
    FittedRows,
    Selection,
    SizeProbability,
    SmallPart,
    Together,
    Tried,
)
from ..selection.stand_ins import stand_ins
from ..words.fit_words import in_words_of_select
from ..words.notes import Note, TableError
from ..words.question import TableQuestion
from .best_of_sizes import known_at, sizes_around, tried, with_size
from .cautions import cautions
from .explained import explained, telling_groups
from .factors import check_levels, factor_parts, levels_together, most_together
from .held_out import Checked, checked
from .shown_stages import ShownStages

__all__ = ["answered"]

# Of the columns left out so many can be read at a glance; those after them came less near.
_MOST_OTHERS = 20
# They are in order of probability: any choice after them has less than a sixth.
_MOST_ALTERNATIVES = 5
# A rival does as well if the choice with it is at least this likely, relative to the likeliest:
# odds of five to one are weak evidence between two choices.
_AS_WELL = 0.2
# Sizes less likely than this are left out: all shown as "<1 %", they would fill the list.
_UNLIKELY = 1e-3
# With one row in a fold R² in that fold has no meaning.
_FEWEST_ROWS_A_FOLD = 2
# What a fit may warn of, and the kind of note that says so.
_NOTED = {ConvergenceWarning: "convergence", DataDimensionalityWarning: "rank"}
# Below this many numbers one BLAS thread is faster, up to twentyfold on a busy machine.
_FEW_NUMBERS = 20_000_000


class _Found(NamedTuple):
    """What was computed for an answer."""

    model: ProjectedSTG
    check: Checked | None
    """What the folds say; None where there were none."""
    path: tuple[Tried, ...]
    groups: list[CredibleGroup]
    small: SmallEffects | None
    averages: Averages | None
    errors: SquaredErrors
    """On all rows."""
    notes: list[Note]


def answered(
    data: Prepared,
    question: TableQuestion,
    source: dict,
    notes: Sequence[Note],
    seconds: dict,
    show: Show | None = None,
) -> Selection:
    """Choose, check and put the answer together.

    ``source`` is what is known of the table, ``notes`` and ``seconds`` are those of reading it;
    ``show`` is told how far it is.
    """
    question.check_size(data.n_rows, len(data.names), int(data.always.sum()))
    check_levels(data, question)
    clock = _Clock(seconds)
    with threadpool_limits(1 if data.n_numbers < _FEW_NUMBERS else None, user_api="blas"):
        found = _found(data, question, clock, show)
        coef, intercept = found.model.coef_, float(found.model.intercept_)
        errors = found.errors
        selection = Selection(
            **_said_of_columns(data, question, found),
            target=data.target,
            intercept=intercept,
            n_samples=data.n_rows,
            n_columns=len(data.names),
            r2_in_sample=errors.r_squared if np.isfinite(errors.r_squared) else None,
            residual_std=_residual_deviation(
                errors.error, data.weight_sum, int(found.model.support_.sum())
            ),
            question=question.as_dict(),
            source=source,
            rows=_rows(data, coef, intercept, question.random_state),
            recipe=data.recipe,
            averages=found.averages,
            notes=_cautions_first([*notes, *data.notes, *found.notes]),
            seconds=clock.seconds,
            version=_version(),
        )
        return replace(selection, each_belongs=_each_belongs(selection, data, found.model))


def _each_belongs(selection: Selection, data: Prepared, model: ProjectedSTG) -> float | None:
    """Return how likely each chosen column belongs, or one that stands for it."""
    if selection.all_belong is None:
        return None
    groups, places = stand_ins(selection), {name: i for i, name in enumerate(data.names)}
    columns = (groups[name]["columns"] if name in groups else [name] for name in selection.columns)
    return model.each_belong_probability([[places[name] for name in own] for own in columns])


def _found(data: Prepared, question: TableQuestion, clock: _Clock, show: Show | None) -> _Found:
    """Fit to all rows, then to folds and for other sizes where that is asked for."""
    params = {
        "n_features_to_select": question.k,
        "criterion": question.criterion,
        "always_select": data.always,
        "random_state": question.random_state,
    }
    with stage(show, "choosing the columns"):
        model, trouble = _fitted(data, params, show)
    clock.lap("choose")
    check, path, no_check = _checked(data, question, params, model, show)
    clock.lap("check")
    errors = data.errors(model.coef_, float(model.intercept_))
    with stage(show, "how sure it is"):
        groups = [] if model.alternatives_ is None else telling_groups(model)
        small = None if model.alternatives_ is None else model.small_effects()
        notes = [*trouble, *_tied(data, model), *explained(data, model, groups, small), *no_check]
        averages = averages_of(model, data.names)
    with stage(show, "what may be wrong"):
        notes += cautions(data, model, errors.r_squared, check, params)
    clock.lap("explain")
    return _Found(model, check, path, groups, small, averages, errors, notes)


def _cautions_first(notes: Sequence[Note]) -> tuple[Note, ...]:
    return tuple(sorted(notes, key=lambda note: not note.is_caution))


def _said_of_columns(data: Prepared, question: TableQuestion, found: _Found) -> dict[str, Any]:
    """Return the fields of the answer that say which columns, how sure, and which else."""
    model, check, small = found.model, found.check, found.small
    return {
        "chosen": _chosen(data, model, check),
        "others": _others(data, model, check),
        "r2_out_of_sample": None if check is None else check.r2,
        "r2_folds": () if check is None else tuple(check.r2_folds),
        "typical_miss": None if check is None else float(np.sqrt(check.error / data.weight_sum)),
        "path": found.path,
        "sizes": _size_probabilities(model, question.k),
        "probability": model.support_probability_,
        "all_belong": model.all_belong_probability_,
        "alternatives": _alternatives(data, model),
        "groups": _groups(data.names, found.groups),
        "factors": factor_parts(data, model),
        "small_effects": small and SmallPart(share=small.share, probability=small.probability),
    }


class _Clock:
    """Measures the seconds of each step."""

    def __init__(self, seconds: dict) -> None:
        self.seconds, self._last = dict(seconds), perf_counter()

    def lap(self, name: str) -> None:
        now = perf_counter()
        self.seconds[name], self._last = now - self._last, now


def _fitted(data: Prepared, params: dict, show: Show | None) -> tuple[ProjectedSTG, list[Note]]:
    """Return the model; what it warns of becomes a note."""
    callbacks = [] if show is None else [ShownStages(show)]
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            model = data.fitted(params, *callbacks)
        except ValueError as error:
            raise TableError(in_words_of_select(error)) from None
    return model, [
        Note(kind, in_words_of_select(one.message))
        for one in caught
        for category, kind in _NOTED.items()
        if issubclass(one.category, category)
    ]


def _tied(data: Prepared, model: ProjectedSTG) -> list[Note]:
    """Return a note on chosen columns that depend on each other, such as a column and its copy."""
    chosen = np.flatnonzero(model.support_)
    names = tuple(data.names[i] for i in chosen if not np.isfinite(model.coef_std_error_[i]))
    has_rows_left = data.n_rows > chosen.size + 1  # without them no error is known at all
    if not names or not has_rows_left:
        return []
    text = (
        "No standard error: these columns depend on each other, so that only their sum is known: "
        f"{few_names(names)}."
    )
    return [Note("tied", text, names)]


def _checked(
    data: Prepared,
    question: TableQuestion,
    params: dict,
    model: ProjectedSTG,
    show: Show | None,
) -> tuple[Checked | None, tuple[Tried, ...], list[Note]]:
    """Return what the folds say, or None and a note that says why not; and other sizes."""
    n_folds, notes = _fold_count(data, question)
    sizes = _sizes(data, question, int(model.support_.sum()), n_folds)
    if not n_folds and not sizes:
        return None, (), notes
    folds = data.folds(n_folds, question.random_state)
    asked = [params, *(with_size(params, k) for k in sizes)]
    what = "checking on rows left out" if n_folds else "other numbers of columns"
    with counted_steps(show, what, n_folds * len(asked) + len(sizes)) as step:
        said = checked(folds, n_folds, asked, step) if n_folds else [None] * len(asked)
        first, *others = (None if isinstance(one, ValueError) else one for one in said)
        whole, known = folds.whole(), _sizes_known(model)

        def of_size(given: tuple[dict, Checked | None]) -> Tried:
            found = tried(data, whole, *given, known)
            step()
            return found

        given = zip(asked[1:], others, strict=True)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            path = in_threads(of_size, given) if folds.are_small else list(map(of_size, given))
    if isinstance(said[0], ValueError):
        text = f"Not checked on rows left out: in one fold, {in_words_of_select(said[0])}"
        notes = [*notes, Note("unchecked", text)]
    return first, tuple(path), notes


def _fold_count(data: Prepared, question: TableQuestion) -> tuple[int, list[Note]]:
    """Return how many folds there are; 0 and a note where there are too few rows for them."""
    folds, n_rows = question.folds, data.n_rows
    if folds < 2:
        return 0, []
    n_training, why = _training_rows(n_rows, folds), ""
    if n_rows < folds * _FEWEST_ROWS_A_FOLD:
        why = (
            f"{folds} folds of {n_rows} rows leave fewer than {_FEWEST_ROWS_A_FOLD} rows each; "
            f"give at most folds={n_rows // _FEWEST_ROWS_A_FOLD}."
        )
    elif question.has_size and question.k > n_training - 2:
        why = (
            f"k={question.k} is too many for the {n_training} rows that {folds} folds of {n_rows} "
            f"rows leave to choose from; ask for at most {n_training - 2}."
        )
    return (0, [Note("unchecked", f"Not checked on rows left out: {why}")]) if why else (folds, [])


def _training_rows(n_rows: int, folds: int) -> int:
    """Return the rows that remain when the largest fold is left out."""
    return n_rows - -(-n_rows // folds)


def _sizes(data: Prepared, question: TableQuestion, k: int, folds: int) -> list[int]:
    """Return the sizes to try."""
    if not question.sizes:
        return []
    least = max(int(data.always.sum()), 1)
    n_rows = _training_rows(data.n_rows, folds) if folds else data.n_rows
    most = min(most_together(data), n_rows - 2)
    if question.sizes is True:
        return sizes_around(k, least, most) if most >= least else []
    found = [size for size in question.sizes if least <= size <= most]
    if not found:
        asked = f"{min(question.sizes)} to {max(question.sizes)}"
        raise TableError(f"sizes={asked!r}; there can be {least} to {most} columns here.")
    return found


def _sizes_known(model: ProjectedSTG) -> Any:
    """Return the probability of each number of columns, where they were compared."""
    return model.size_probability_ if model.n_features_to_select == "auto" else None


def _chosen(data: Prepared, model: ProjectedSTG, check: Checked | None) -> tuple[Chosen, ...]:
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


def _alternatives(data: Prepared, model: ProjectedSTG) -> tuple[Alternative, ...]:
    chosen = np.flatnonzero(model.support_).tolist()
    return tuple(
        Alternative(columns=[data.names[place] for place in members], probability=probability)
        for members, probability in (model.alternatives_ or [])[: _MOST_ALTERNATIVES + 1]
        if list(members) != chosen
    )[:_MOST_ALTERNATIVES]


def _groups(names: Sequence[str], groups: Sequence[CredibleGroup]) -> tuple[Together, ...]:
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


def _size_probabilities(model: ProjectedSTG, k: int | str | None) -> tuple[SizeProbability, ...]:
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


def _others(data: Prepared, model: ProjectedSTG, check: Checked | None) -> tuple[Candidate, ...]:
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


def _residual_deviation(error: float, weight_sum: float, n_columns: int) -> float | None:
    """Return the residual standard deviation beside an intercept; None where no rows are left."""
    freedom = weight_sum - n_columns - 1.0
    return float(np.sqrt(error / freedom)) if freedom > 0.0 else None


def _rows(data: Prepared, coef: np.ndarray, intercept: float, seed: int) -> FittedRows:
    few = data.some_rows(seed)
    return {"actual": few.y.tolist(), "fitted": (few.X @ coef + intercept).tolist()}


def _version() -> str:
    try:
        return version("projstg")
    except PackageNotFoundError:
        return ""
