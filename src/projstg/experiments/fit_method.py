"""One method on some problems of one shape: singly, or all at once where it can.

Timing wraps ``fit`` alone. What goes wrong in a fit is a value: an outcome with a status and a
message; so is a fit that takes longer than ``limits`` allow. Gates are fitted to all problems at
once, on the device where the arrays lie; a method from outside may offer ``fit_many``.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from time import perf_counter
from typing import Any

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from .._core.arrays.backend import to_numpy
from .._extras import extra
from ..estimators.batch import fit_together
from ..estimators.projected_stg import ProjectedSTG
from ..estimators.stg import STG
from .limits import TimeLimit, timed
from .messages import of_error, one_line
from .registry import Known, Method

__all__ = ["Outcome", "fit_all"]

# A compiled method compiles on its first fit in a process, which is not what a time means.
_WARM: set[tuple[str, int]] = set()


@dataclass(frozen=True)
class Outcome:
    """What one fit gave."""

    support: np.ndarray | None
    """A mask, or None after an error."""
    estimate: np.ndarray | None
    """The method's estimate of β*; None where it has none."""
    seconds: float | None
    status: str = "ok"
    message: str = ""
    batch_size: int = 1
    """With how many problems at once it was fitted; the time is then the mean."""
    device: str = "cpu"


def fit_all(
    chosen: Method,
    X: np.ndarray,
    y: np.ndarray,
    known: Sequence[Known],
    *,
    parameters: Mapping[str, Any] | None = None,
    estimate: str | None = None,
    one_at_a_time: bool = False,
    device: str = "cpu",
) -> list[Outcome]:
    """Fit a method to X (B, N, D), y (B, N); ``estimate`` names the attribute it is read from."""
    parameters = dict(parameters or {})
    if not one_at_a_time:
        try:
            with _heard() as heard, timed(len(known)):
                outcomes = _together(chosen, X, y, known, parameters, estimate, device)
            if outcomes is not None:
                return [_with_warnings(outcome, heard) for outcome in outcomes]
        except _FAILURES as error:
            # Which problem it was shows when each is fitted on its own.
            if device != "cpu":
                return [_failed(error) for _ in known]
    return [
        _singly(chosen, rows, target, one, parameters, estimate)
        for rows, target, one in zip(X, y, known, strict=True)
    ]


def _made(chosen: Method, known: Known, parameters: Mapping[str, Any]) -> Any:
    model = chosen.make(known)
    return model.set_params(**parameters) if parameters else model


def _singly(
    chosen: Method,
    X: np.ndarray,
    y: np.ndarray,
    known: Known,
    parameters: Mapping[str, Any],
    estimate: str | None,
) -> Outcome:
    """Fit one problem and time it."""
    try:
        if chosen.needs is not None and (chosen.name, X.ndim) not in _WARM:
            with warnings.catch_warnings(action="ignore"), timed():
                _made(chosen, known, parameters).fit(X, y)
            _WARM.add((chosen.name, X.ndim))
        with _heard() as heard, timed():
            model = _made(chosen, known, parameters)
            start = perf_counter()
            model.fit(X, y)
            seconds = perf_counter() - start
            support = model.get_support()
        found = getattr(model, "coef_", None) if estimate is None else getattr(model, estimate)
        return _with_warnings(_outcome(support, found, X.shape[-1], seconds), heard)
    except _FAILURES as error:
        return _failed(error)


def _outcome(
    support: Any, estimate: Any, n_features: int, seconds: float, batch_size: int = 1
) -> Outcome:
    """Return what a method gave as an outcome, once it has the shape of one."""
    mask = np.asarray(support)
    if mask.shape != (n_features,) or not np.isin(mask, (0, 1)).all():
        raise ValueError(f"get_support() is no mask of the {n_features} columns; return one.")
    coef = None if estimate is None else np.ravel(np.asarray(estimate, dtype=float))
    if coef is not None and coef.shape != mask.shape:
        raise ValueError(f"the estimate has {coef.size} numbers; X has {n_features} columns.")
    return Outcome(mask.astype(bool), coef, seconds, batch_size=batch_size)


def _together(
    chosen: Method,
    X: np.ndarray,
    y: np.ndarray,
    known: Sequence[Known],
    parameters: Mapping[str, Any],
    estimate: str | None,
    device: str,
) -> list[Outcome] | None:
    """Fit all problems at once, or return None where the method cannot."""
    models = [_made(chosen, one, parameters) for one in known]
    if all(type(model) in (ProjectedSTG, STG) for model in models):
        return _gates_together(models, X, y, estimate, device)
    if chosen.fit_many is None or parameters or estimate is not None:
        return None
    start = perf_counter()
    supports, coefs = chosen.fit_many(X, y, list(known))
    seconds = (perf_counter() - start) / len(known)
    found = zip(known, to_numpy(supports), to_numpy(coefs), strict=True)
    return [_outcome(mask, coef, X.shape[-1], seconds, len(known)) for _, mask, coef in found]


def _gates_together(
    models: Sequence[Any], X: np.ndarray, y: np.ndarray, estimate: str | None, device: str
) -> list[Outcome]:
    """Fit gates to all problems at once; those of different parameters (σ, C) in turn."""
    groups: dict[str, list[int]] = {}
    for i, model in enumerate(models):
        told = {key: value for key, value in model.get_params().items() if key != "random_state"}
        groups.setdefault(repr(told), []).append(i)
    outcomes: dict[int, Outcome] = {}
    for members in groups.values():
        model = models[members[0]]
        seeds = [models[i].random_state for i in members]
        rows, target = _on(device, X[members], y[members])
        start = perf_counter()
        fits = fit_together(model, rows, target, random_state=seeds)
        supports = to_numpy(fits.support)  # waits for the device
        seconds = (perf_counter() - start) / len(members)
        name = (estimate or "coef_").removesuffix("_")
        estimates, converged = to_numpy(getattr(fits, name)), to_numpy(fits.converged)
        for place, i in enumerate(members):
            status = "ok" if converged[place] else "unconverged"
            outcomes[i] = Outcome(
                supports[place], estimates[place], seconds, status, "", len(members), device
            )
    return [outcomes[i] for i in range(len(models))]


def _on(device: str, X: np.ndarray, y: np.ndarray) -> tuple[Any, Any]:
    """Return the arrays on a device of torch's, or as they are."""
    if device == "cpu":
        return X, y
    torch = extra("torch", "torch")
    return torch.as_tensor(X, device=device), torch.as_tensor(y, device=device)


@contextmanager
def _heard() -> Iterator[list[warnings.WarningMessage]]:
    with warnings.catch_warnings(record=True) as heard:
        warnings.simplefilter("always")
        yield heard


def _with_warnings(outcome: Outcome, heard: Sequence[warnings.WarningMessage]) -> Outcome:
    """Put what a fit warned of into its outcome."""
    if not heard:
        return outcome
    stopped = any(issubclass(one.category, ConvergenceWarning) for one in heard)
    texts = dict.fromkeys(one_line(one.message) for one in heard)
    return Outcome(
        outcome.support,
        outcome.estimate,
        outcome.seconds,
        "unconverged" if stopped else outcome.status,
        one_line("; ".join(texts)),
        outcome.batch_size,
        outcome.device,
    )


# What ends a fit and nothing else; Ctrl-C ends the run.
_FAILURES = (Exception, TimeLimit, SystemExit)


def _failed(error: BaseException) -> Outcome:
    return Outcome(None, None, None, "error", of_error(error))
