"""One task computed: draw the problems, fit the method, evaluate, return rows.

A row is one trial: what was run, on which problem, how long it took, what came back and how good
that is. Rows depend on the task alone, except for ``seconds`` and the columns that say where the
task ran. A trial that could not be computed has a row too (:func:`lost_rows`).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from threadpoolctl import threadpool_info, threadpool_limits

from ..datasets.settings import canonical_json
from ..datasets.simulate import SimulatedProblem
from .evaluate import NOT_EVALUATED, evaluated
from .fit_method import fit_all
from .outcome import Outcome
from .real_data import draw
from .registry import Known, method
from .spec import Setting
from .tasks import Rule, Task
from .tune import chosen_by_folds, chosen_on_pilots, known_of, method_seed

__all__ = ["Where", "lost_rows", "run_task", "run_tuning", "setting_columns"]

# The most numbers in X that are drawn and fitted at a time.
_MOST_NUMBERS = 2**24

FIELDS = ("design", "n_samples", "n_features", "n_informative", "signal", "noise_std", "snr")

# Options that are left out where they have these values.
_PLAIN = {"positions": "random", "mean": 0, "basis": "cosine"}


@dataclass(frozen=True)
class Where:
    """The version and the device that make rows."""

    version: str
    commit: str | None
    device: str = "cpu"


def run_task(task: Task, where: Where, alpha_scale: float | None = None) -> list[dict[str, Any]]:
    """Return the rows of a task; ``alpha_scale`` is the C chosen for its setting."""
    with threadpool_limits(1):
        made_by = {
            "version": where.version,
            "commit": where.commit,
            "blas_threads": _blas_threads(),
        }
        return [
            row | made_by
            for problems in _problem_batches(task)
            for row in _rows(task, problems, _known(task, problems, alpha_scale), where.device)
        ]


def lost_rows(task: Task, where: Where, reason: str) -> list[dict[str, Any]]:
    """Return rows of errors for a task that gave none; the problems are not drawn."""
    nothing = Outcome(None, None, None, "error", reason, 1, where.device)
    return [
        {
            **_about(task, repetition, method_seed(task.setting, task.root, repetition)),
            **_outcome_columns(nothing),
            **NOT_EVALUATED,
            "sigma": task.setting.get("noise_std"),
            "criterion": _criterion(task),
            "version": where.version,
            "commit": where.commit,
            "blas_threads": 1,
        }
        for repetition in task.repetitions
    ]


def _criterion(task: Task) -> str:
    """Return the score that tells the failures of the task's method apart."""
    return method(task.method).criterion or "least-squares"


def _rows(
    task: Task, problems: list[SimulatedProblem], known: list[Known], device: str
) -> Iterator[dict[str, Any]]:
    """Yield the rows of some problems of a task."""
    criterion = _criterion(task)
    X = np.stack([problem.X for problem in problems])
    y = np.stack([problem.y for problem in problems])
    outcomes = fit_all(
        method(task.method),
        X,
        y,
        known,
        parameters=task.parameters,
        estimate=task.estimate,
        one_at_a_time=task.one_at_a_time,
        device=device,
    )
    results = evaluated(problems, X, y, outcomes, criterion)
    for problem, one, outcome, result in zip(problems, known, outcomes, results, strict=True):
        yield {
            **_about(task, problem.repetition, one.seed, one.alpha_scale),
            **_outcome_columns(outcome, getattr(problem, "note", "")),
            **result,
            "sigma": problem.noise_std,
            "criterion": criterion,
        }


def run_tuning(setting: Setting, rule: Rule) -> float:
    """Return the C of a setting, with one thread."""
    with threadpool_limits(1):
        return chosen_on_pilots(setting, rule)


def _problem_batches(task: Task) -> Iterator[list[SimulatedProblem]]:
    """Yield the problems of a task in lists of one shape, of at most ``_MOST_NUMBERS`` numbers."""
    numbers = task.setting["n_samples"] * task.setting["n_features"]
    step = max(1, _MOST_NUMBERS // numbers)
    for first in range(task.first, task.last, step):
        shapes: dict[tuple[int, ...], list[SimulatedProblem]] = {}
        for repetition in range(first, min(first + step, task.last)):
            problem = draw(task.setting, task.root, repetition)
            shapes.setdefault(problem.X.shape, []).append(problem)
        yield from shapes.values()  # several for measured tables: the rows drawn decide the columns


def _known(task: Task, problems: list[SimulatedProblem], alpha_scale: float | None) -> list[Known]:
    """Return what the method is told of each problem, with its C."""
    known = [known_of(problem) for problem in problems]
    rule = task.alpha_scale
    if rule is None:
        return known
    if isinstance(rule, float):
        scales = [rule] * len(known)
    elif rule.kind == "per-problem":
        scales = chosen_by_folds(problems, rule)
    elif alpha_scale is None:
        raise ValueError("no C could be chosen for this setting on its pilot problems.")
    else:
        scales = [alpha_scale] * len(known)
    return [replace(one, alpha_scale=C) for one, C in zip(known, scales, strict=True)]


def _about(
    task: Task, repetition: int, seed: int, alpha_scale: float | None = None
) -> dict[str, Any]:
    """Return the columns that say what was run."""
    return {
        "experiment": task.experiment,
        "size": task.size,
        **setting_columns(task.setting),
        "method": task.method,
        "label": task.label,
        "parameters": canonical_json(_parameters(task, alpha_scale)),
        "root": task.root,
        "repetition": repetition,
        "seed": seed,
    }


def setting_columns(setting: Setting) -> dict[str, Any]:
    """Return a setting as columns: its text, its fields, and its options that are not defaults.

    Examples
    --------
    >>> setting = {"design": "toeplitz", "rho": 0.3, "mean": 0, "n_samples": 40, "snr": 2}
    >>> setting_columns(setting)["options"], setting_columns(setting)["noise_std"]
    ('{"rho":0.3}', None)
    """
    options = {
        name: value
        for name, value in setting.items()
        if name not in FIELDS and _PLAIN.get(name, _PLAIN) != value
    }
    fields = {name: setting.get(name) for name in FIELDS}
    return {"setting": canonical_json(setting), **fields, "options": canonical_json(options)}


def _parameters(task: Task, alpha_scale: float | None) -> Mapping[str, Any]:
    """Return what the method was given besides what every method is told."""
    found: dict[str, Any] = dict(task.parameters)
    if alpha_scale is not None:
        rule = task.alpha_scale
        found["alpha_scale"] = alpha_scale
        found["alpha_scale_rule"] = rule.kind if isinstance(rule, Rule) else "given"
        if isinstance(rule, Rule):
            found["alpha_scale_by"] = "projected-stg-exact"
    if task.estimate is not None:
        found["estimate"] = task.estimate
    return found


def _outcome_columns(outcome: Outcome, note: str = "") -> dict[str, Any]:
    """Return the columns that say how a fit went."""
    return {
        "seconds": outcome.seconds,
        "batch_size": outcome.batch_size,
        "device": outcome.device,
        "status": outcome.status,
        "message": "; ".join(text for text in (outcome.message, note) if text),
    }


def _blas_threads() -> int:
    """Return the largest number of threads that a BLAS library may use now."""
    pools = [pool["num_threads"] for pool in threadpool_info() if pool["user_api"] == "blas"]
    return max(pools, default=1)
