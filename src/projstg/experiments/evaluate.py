"""How good an answer is: the support against the truth, and the score of both.

The scores are the criteria of the search, on columns of mean square one and without centring; lower
is better. They tell two failures apart: *statistical*, the answer scores at least as well as the
truth; *optimisation*, the truth scores better and was not found. A support whose size is not
that of the truth scores infinity. A fit that gave no answer is an *error* and has no scores.

On a measured table with the measured response β* is not known: there are no scores and no kinds of
failure. Where rows were held out, the residual is the mean squared error on these rows divided by
the variance of y there.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from .._core.data.batch import centred_rows
from .._core.data.standardize import standardized
from .._core.score.criterion import CRITERIA
from .._core.score.evidence import support_scores
from ..datasets.simulate import SimulatedProblem
from ..metrics import (
    estimation_error,
    exact_recovery,
    failure_kind,
    false_discovery_rate,
    sign_recovery,
    true_positive_rate,
)
from .outcome import Outcome
from .real_data import MeasuredProblem
from .refit_coef import refit_coef

__all__ = ["NOT_EVALUATED", "evaluated", "scores"]

_KINDS = ("score", "true_score")


def _column(criterion: str) -> str:
    """Return a criterion as the names of columns spell it."""
    return criterion.replace("-", "_")


NOT_EVALUATED: dict[str, Any] = {"failure": "error"} | dict.fromkeys(
    (
        "truth",
        "support",
        "exact",
        "true_positive_rate",
        "false_discovery_rate",
        "sign_recovery",
        "estimation_error",
        "residual",
        *(f"{kind}_{_column(name)}" for name in CRITERIA for kind in _KINDS),
    )
)
"""The columns of a fit that gave no answer."""


def evaluated(
    problems: Sequence[SimulatedProblem],
    X: np.ndarray,
    y: np.ndarray,
    outcomes: Sequence[Outcome],
    criterion: str,
) -> list[dict[str, Any]]:
    """Return, for each problem, the columns of its row that compare the outcome with the truth.

    X is (B, N, D) and y (B, N), the problems stacked; ``criterion`` decides the kind of failure.
    """
    truths = [np.flatnonzero(problem.support) for problem in problems]
    found = [
        truth if outcome.support is None else np.flatnonzero(outcome.support)
        for outcome, truth in zip(outcomes, truths, strict=True)
    ]
    has_scores = all(_has_coef(problem) for problem in problems)
    pairs = {name: scores(X, y, truths, found, name) for name in CRITERIA} if has_scores else {}
    rows = []
    for i, (problem, outcome) in enumerate(zip(problems, outcomes, strict=True)):
        own = {name: pair[i] for name, pair in pairs.items()}
        row = {**NOT_EVALUATED, "truth": _named(problem, truths[i])}
        row |= {f"true_score_{_column(name)}": true for name, (true, _) in own.items()}
        if outcome.support is not None:
            row |= {f"score_{_column(name)}": score for name, (_, score) in own.items()}
            row |= _compared(problem, outcome, found[i])
            row["failure"] = _failure(own, criterion, row["exact"])
        rows.append(row)
    return rows


def _failure(own: dict[str, tuple[float, float]], criterion: str, is_exact: Any) -> str | None:
    """Return the kind of failure under a criterion; None where there are no scores."""
    if not own:
        return None
    true, score = own[criterion]
    return str(failure_kind(score, true, is_exact))


def _has_coef(problem: SimulatedProblem) -> bool:
    return not isinstance(problem, MeasuredProblem) or problem.is_planted


def _named(problem: SimulatedProblem, columns: np.ndarray) -> list[int]:
    """Return the indices to store in a result; on a measured table, those of its inputs."""
    named = problem.columns[columns] if isinstance(problem, MeasuredProblem) else columns
    return [int(column) for column in named]


def _compared(problem: SimulatedProblem, outcome: Outcome, support: np.ndarray) -> dict[str, Any]:
    """Return the columns that need no score: support and estimate against the truth.

    ``support`` has the indices of the selected columns, (n_selected,).
    """
    refit = refit_coef(problem.X, problem.y, support)
    estimate = refit if outcome.estimate is None else outcome.estimate
    chosen = np.zeros_like(estimate)
    chosen[support] = estimate[support]
    mask = np.asarray(outcome.support)
    found: dict[str, Any] = {
        "support": _named(problem, support),
        "residual": _mean_square_residual(problem, refit),
    }
    if problem.support.any() or _has_coef(problem):
        found |= {
            "exact": bool(exact_recovery(problem.support, mask)),
            "true_positive_rate": float(true_positive_rate(problem.support, mask)),
            "false_discovery_rate": float(false_discovery_rate(problem.support, mask)),
        }
    if _has_coef(problem):
        found |= {
            "sign_recovery": bool(sign_recovery(problem.coef, chosen)),
            "estimation_error": float(estimation_error(problem.coef, estimate)),
        }
    return found


def _mean_square_residual(problem: SimulatedProblem, coef: np.ndarray) -> float:
    """Return the mean squared residual of ``coef`` (n_features,), or 1 − R² on held-out rows."""
    if isinstance(problem, MeasuredProblem) and problem.held_out is not None:
        X, y = problem.held_out
        return float(np.mean((y - X @ coef) ** 2) / np.var(y))
    return float(np.mean((problem.y - problem.X @ coef) ** 2))


def scores(
    X: np.ndarray,
    y: np.ndarray,
    truths: Sequence[np.ndarray],
    supports: Sequence[np.ndarray],
    criterion: str,
) -> list[tuple[float, float]]:
    """Return for each problem the score of the truth and of the support found; lower is better.

    X is (B, N, D) and y (B, N); ``truths`` and ``supports`` are B arrays of column indices. All
    truths have one size; a support of another size scores infinity.
    """
    is_comparable = [len(own) == len(truth) for own, truth in zip(supports, truths, strict=True)]
    pairs = [
        (truth, own if comparable else truth)
        for truth, own, comparable in zip(truths, supports, is_comparable, strict=True)
    ]
    batch, judge = standardized(centred_rows(X, y, centre=False)[0])[0], CRITERIA[criterion]
    both = [support_scores(batch.problem(i), np.stack(own), judge) for i, own in enumerate(pairs)]
    return [
        (float(true), float(own) if comparable else float("inf"))
        for (true, own), comparable in zip(both, is_comparable, strict=True)
    ]
