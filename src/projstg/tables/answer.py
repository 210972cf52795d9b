"""From a prepared problem to the answer: choose, check, and put together what is known."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from importlib.metadata import PackageNotFoundError, version
from numbers import Integral
from time import perf_counter

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from threadpoolctl import threadpool_limits

from ..estimators.projected_stg import ProjectedSTG
from .design_matrix import Prepared
from .held_out import checked, deviation, r_squared, residual_deviation, weighted_mean
from .result import Candidate, Chosen, Selection
from .size_curve import sizes_around, tried_sizes
from .words import Note, TableError

__all__ = ["CRITERIA", "answered"]

CRITERIA = ("common-size", "evidence", "least-squares")
_MOST_OTHERS, _MOST_ROWS, _MOST_ALTERNATIVES = 20, 1000, 5
# An exchange would do as well if it makes a choice at least so likely, the likeliest being one.
_AS_WELL = 0.2
# Sizes less likely than this are not told.
_UNLIKELY = 1e-3
_FEWEST_ROWS_A_FOLD = 2
# On tables of fewer numbers several threads of BLAS cost more than they bring, up to twentyfold
# where the machine is busy.
_FEW_NUMBERS = 20_000_000


def answered(
    data: Prepared, question: dict, source: dict, notes: Sequence[Note], seconds: dict
) -> Selection:
    """Choose, check and put the answer together.

    ``question`` has ``k``, ``criterion``, ``folds``, ``random_state``, and ``sizes``, whether to
    try other sizes too.
    """
    with threadpool_limits(1 if data.X.size < _FEW_NUMBERS else None, user_api="blas"):
        return _answered(data, question, source, notes, seconds)


def _answered(
    data: Prepared, question: dict, source: dict, notes: Sequence[Note], seconds: dict
) -> Selection:
    k, folds, seed = question["k"], question["folds"], question["random_state"]
    _check_question(data, k, question["criterion"])
    params = {
        "n_features_to_select": k,
        "criterion": question["criterion"],
        "always_select": data.always,
        "random_state": seed,
    }
    clock = _Clock(seconds)
    model, trouble = _fitted(data, params)
    clock.lap("choose")
    check, no_check = _checked(data, params, folds, seed)
    clock.lap("check")
    path, n_chosen = (), int(model.support_.sum())
    if question["sizes"]:
        path = _path(data, params, n_chosen, folds if check else 0)
        clock.lap("sizes")
    predicted = data.X @ model.coef_ + model.intercept_
    return Selection(
        target=data.target,
        chosen=_chosen(data, model, check),
        intercept=float(model.intercept_),
        n_samples=len(data.y),
        n_columns=len(data.names),
        r2_in_sample=r_squared(
            data.y, predicted, data.weights, weighted_mean(data.y, data.weights)
        ),
        r2_out_of_sample=None if check is None else check.r2,
        r2_folds=() if check is None else tuple(check.r2_folds),
        residual_std=residual_deviation(data.y - predicted, data.weights, n_chosen),
        question={**question, "target": data.target},
        source=source,
        others=_others(data, model, check),
        path=path,
        sizes=_size_probabilities(model, k),
        probability=model.support_probability_,
        alternatives=_alternatives(data, model),
        rows=_rows(data.y, predicted, seed),
        notes=(*notes, *data.notes, *trouble, *no_check),
        seconds=clock.seconds,
        version=_version(),
    )


class _Clock:
    """Seconds by what they were spent on."""

    def __init__(self, seconds: dict) -> None:
        self.seconds, self._last = dict(seconds), perf_counter()

    def lap(self, name: str) -> None:
        now = perf_counter()
        self.seconds[name], self._last = now - self._last, now


def _check_question(data: Prepared, k, criterion: str) -> None:
    if criterion not in CRITERIA:
        known = ", ".join(f'"{name}"' for name in CRITERIA)
        raise TableError(f'criterion="{criterion}"; choose one of {known}.')
    if k is None or k == "auto":
        return
    if not isinstance(k, Integral) or isinstance(k, bool) or k < 1:
        raise TableError(f'k={k!r}; give a whole number from 1, or k="auto".')
    n_rows, n_columns = data.X.shape
    most = min(n_columns, n_rows - 2)
    if k > n_columns:
        raise TableError(f"k={k} is more than the {n_columns} columns that can be chosen.")
    if k > most:
        raise TableError(f"k={k} is too many for {n_rows} rows; ask for at most {most}.")
    if k < data.always.sum():
        raise TableError(f"k={k} is less than the {data.always.sum()} columns in always.")


def _fitted(data: Prepared, params: dict) -> tuple[ProjectedSTG, list[Note]]:
    """Return the model; what it warns of becomes a note."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            model = ProjectedSTG(**params).fit(data.X, data.y, data.weights)
        except ValueError as error:
            raise TableError(" ".join(str(error).split())) from None
    trouble = [one for one in caught if issubclass(one.category, ConvergenceWarning)]
    return model, [Note("convergence", str(one.message)) for one in trouble]


def _checked(data: Prepared, params: dict, folds: int, seed: int):
    """Return what folds say, or None and a note why they cannot."""
    k = params["n_features_to_select"]
    n_rows = len(data.y)
    fewest = n_rows - -(-n_rows // max(folds, 1)) - 2
    if folds < 2:
        return None, []
    if n_rows < folds * _FEWEST_ROWS_A_FOLD or (isinstance(k, Integral) and k > fewest):
        return None, [Note("unchecked", "Too few rows to leave some out for a check.")]
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return checked(data, params, folds, seed), []
    except ValueError as error:
        reason = " ".join(str(error).split())
        return None, [Note("unchecked", f"Not checked on rows left out: in one fold, {reason}")]


def _path(data: Prepared, params: dict, k: int, folds: int) -> tuple[dict, ...]:
    """Return other sizes with their R²."""
    n_rows, n_columns = data.X.shape
    most = min(n_columns, (n_rows - -(-n_rows // folds) if folds else n_rows) - 2)
    sizes = sizes_around(k, max(int(data.always.sum()), 1), most)
    return tried_sizes(data, params, sizes, folds, k)


def _chosen(data: Prepared, model, check) -> tuple[Chosen, ...]:
    """Return the chosen columns, the largest effect first."""
    probability = model.inclusion_probability_
    rivals = _rivals(model)
    found = []
    for place in np.flatnonzero(model.support_).tolist():
        error = float(model.coef_std_error_[place])
        spread = deviation(data.X[:, place], data.weights)
        found.append(
            Chosen(
                column=data.names[place],
                coefficient=float(model.coef_[place]),
                standard_error=error if np.isfinite(error) else None,
                effect=float(model.coef_[place] * spread),
                probability=_item(probability, place),
                stability=None if check is None else float(check.stability[place]),
                gate=_item(model.gate_mean_, place),
                exchangeable_for=tuple(data.names[other] for other in rivals.get(place, [])),
            )
        )
    return tuple(sorted(found, key=lambda one: -abs(one.effect)))


def _rivals(model) -> dict[int, list[int]]:
    """Return for each chosen column those that would do as well, the surest first.

    They are the columns that fit equally well, and those that a likely other choice has in its
    place and nothing else different.
    """
    found = {place: list(others) for place, others in (model.equivalent_features_ or {}).items()}
    chosen = set(np.flatnonzero(model.support_).tolist())
    others = model.alternatives_ or []
    enough = _AS_WELL * max((probability for _, probability in others), default=0.0)
    for members, probability in others:
        out, entered = chosen - set(members), set(members) - chosen
        if len(out) == len(entered) == 1 and probability >= enough:
            own = found.setdefault(out.pop(), [])
            own += [place for place in entered if place not in own]
    return found


def _alternatives(data: Prepared, model) -> tuple[dict, ...]:
    chosen = np.flatnonzero(model.support_).tolist()
    return tuple(
        {"columns": [data.names[place] for place in members], "probability": probability}
        for members, probability in (model.alternatives_ or [])[: _MOST_ALTERNATIVES + 1]
        if list(members) != chosen
    )[:_MOST_ALTERNATIVES]


def _size_probabilities(model, k) -> tuple[dict, ...]:
    """Return the sizes that are not quite unlikely, where the size was chosen."""
    if k != "auto" or model.size_probability_ is None:
        return ()
    return tuple(
        {"k": size, "probability": float(probability)}
        for size, probability in enumerate(model.size_probability_)
        if probability >= _UNLIKELY
    )


def _item(values, place: int) -> float | None:
    return None if values is None else float(values[place])


def _others(data: Prepared, model, check) -> tuple[Candidate, ...]:
    """Return the columns that came nearest to being chosen."""
    probability = model.inclusion_probability_
    stability = None if check is None else check.stability
    n_columns = len(data.names)
    keys = [np.zeros(n_columns) if a is None else -np.asarray(a) for a in (probability, stability)]
    order = np.lexsort([-model.gate_mean_, keys[1], keys[0]])
    order = [place for place in order.tolist() if not model.support_[place]][:_MOST_OTHERS]
    return tuple(
        Candidate(
            column=data.names[place],
            probability=_item(probability, place),
            stability=_item(stability, place),
            gate=_item(model.gate_mean_, place),
        )
        for place in order
    )


def _rows(y: np.ndarray, predicted: np.ndarray, seed: int) -> dict:
    n_rows = len(y)
    few = np.sort(np.random.default_rng(seed).permutation(n_rows)[:_MOST_ROWS])
    return {"actual": y[few].tolist(), "fitted": predicted[few].tolist()}


def _version() -> str:
    try:
        return version("projstg")
    except PackageNotFoundError:
        return ""
