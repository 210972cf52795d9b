"""One method fitted to some problems of one shape: one by one, or all at once where it can.

The time is that of ``fit`` and of reading the estimate. A fit that fails, or that takes longer than
``limits`` allow, does not raise: it gives an outcome with a status and a message. The
gates of the package are fitted to all problems at once; a method from outside may offer
``fit_many``.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from time import perf_counter
from typing import Any

import numpy as np

from .._core.arrays.backend import to_numpy
from .batched_gates import are_gates, fit_gates
from .limits import TimeLimit, limited
from .outcome import Outcome, checked_outcome, failed_outcome, recorded_warnings, with_warnings
from .registry import Known, Method

__all__ = ["fit_all"]

# Methods that were fitted once in this process: the first fit may compile, which is not timed.
_COMPILED: set[tuple[str, int]] = set()

# These exceptions end one fit only; Ctrl-C ends the run.
_FAILURES = (Exception, TimeLimit, SystemExit)


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
    """Fit a method to B problems and return their outcomes.

    Parameters
    ----------
    chosen : Method
    X : ndarray of shape (B, N, D)
    y : ndarray of shape (B, N)
    known : sequence of B Known
        What the method is told of each problem.
    parameters : mapping, default=None
        Parameters of the estimator that differ from those the method sets.
    estimate : str, default=None
        The attribute that holds the estimate of β*; None: ``coef_``.
    one_at_a_time : bool, default=False
        Whether to fit every problem alone, also where the method could fit them together.
    device : str, default="cpu"
        Where gates are fitted, "cpu" or a device of torch.
    """
    parameters = dict(parameters or {})
    if not one_at_a_time:
        try:
            with recorded_warnings() as recorded, limited(len(known)):
                outcomes = _fit_together(chosen, X, y, known, parameters, estimate, device)
            if outcomes is not None:
                return [with_warnings(outcome, recorded) for outcome in outcomes]
        except _FAILURES as error:
            # On the CPU every problem is then fitted alone, which shows the one that failed.
            if device != "cpu":
                return [failed_outcome(error) for _ in known]
    return [
        _fit_one(chosen, rows, target, one, parameters, estimate)
        for rows, target, one in zip(X, y, known, strict=True)
    ]


def _made(chosen: Method, known: Known, parameters: Mapping[str, Any]) -> Any:
    """Return the method's selector with the parameters set."""
    model = chosen.make(known)
    return model.set_params(**parameters) if parameters else model


def _fit_one(
    chosen: Method,
    X: np.ndarray,
    y: np.ndarray,
    known: Known,
    parameters: Mapping[str, Any],
    estimate: str | None,
) -> Outcome:
    """Fit one problem, X (N, D) and y (N,), and time it."""
    try:
        _compile(chosen, X, y, known, parameters)
        with recorded_warnings() as recorded, limited():
            model = _made(chosen, known, parameters)
            start = perf_counter()
            model.fit(X, y)
            found = getattr(model, "coef_", None) if estimate is None else getattr(model, estimate)
            seconds = perf_counter() - start
            support = model.get_support()
        return with_warnings(checked_outcome(support, found, X.shape[-1], seconds), recorded)
    except _FAILURES as error:
        return failed_outcome(error)


def _compile(
    chosen: Method, X: np.ndarray, y: np.ndarray, known: Known, parameters: Mapping[str, Any]
) -> None:
    """Fit a method of another library once in this process, so that compiling is not timed."""
    if chosen.needs is None or (chosen.name, X.ndim) in _COMPILED:
        return
    with warnings.catch_warnings(action="ignore"), limited():
        _made(chosen, known, parameters).fit(X, y)
    _COMPILED.add((chosen.name, X.ndim))


def _fit_together(
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
    if are_gates(models):
        return fit_gates(models, X, y, estimate, device)
    if chosen.fit_many is None or parameters or estimate is not None:
        return None
    start = perf_counter()
    supports, coefs = chosen.fit_many(X, y, list(known))
    seconds = (perf_counter() - start) / len(known)
    found = zip(known, to_numpy(supports), to_numpy(coefs), strict=True)
    return [
        checked_outcome(mask, coef, X.shape[-1], seconds, len(known)) for _, mask, coef in found
    ]
