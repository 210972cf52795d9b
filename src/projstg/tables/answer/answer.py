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
from ...estimators import CredibleGroup, SmallEffects
from ...estimators.projected_stg import ProjectedSTG
from ...render.progress_bar import Show, stage
from ..prepare.prepared import Prepared, SquaredErrors
from ..prepare.recipe import Averages
from ..selection.averages import averages_of
from ..selection.result import FittedRows, Selection, SmallPart, Tried
from ..selection.stand_ins import stand_ins
from ..words.argument_names import fitting, in_words_of_select
from ..words.notes import Note
from ..words.question import TableQuestion
from .cautions import cautions
from .column_records import (
    alternatives,
    chosen_columns,
    groups_by_name,
    other_columns,
    size_probabilities,
)
from .explained import explained, telling_groups
from .factors import check_levels, factor_parts
from .folds_and_sizes import folds_and_sizes
from .held_out import Checked
from .shown_stages import ShownStages

__all__ = ["answered"]

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
            each_belongs=None,  # until the rest is known
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
    check, path, no_check = folds_and_sizes(data, question, params, model, show)
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
        "chosen": chosen_columns(data, model, check),
        "others": other_columns(data, model, check),
        "r2_out_of_sample": None if check is None else check.r2,
        "r2_folds": () if check is None else tuple(check.r2_folds),
        "typical_miss": None if check is None else float(np.sqrt(check.error / data.weight_sum)),
        "path": found.path,
        "sizes": size_probabilities(model, question.k),
        "probability": model.support_probability_,
        "all_belong": model.all_belong_probability_,
        "alternatives": alternatives(data, model),
        "groups": groups_by_name(data.names, found.groups),
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
        with fitting(data.names):
            model = data.fitted(params, *callbacks)
    return model, [
        Note(kind, in_words_of_select(one.message, data.names))
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
