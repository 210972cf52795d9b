"""How good an answer is: the support against the truth, and both under each score.

The scores are those the search itself uses, on columns of mean square one and without centring,
lower is better; they tell a *statistical* failure (what was returned scores at least as well as the
truth) from an *optimisation* failure (the truth scores better and was not found). A support of
another size than the truth's scores infinity. A fit that gave none is an *error* and is not judged.

On a measured table whose response was not planted there is no β*, so neither scores nor failures
are told apart; where rows were held out, the residual is theirs, as a share of their variance.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from .._core.data.quadratic import RowQuadratic, standardized
from .._core.score.criterion import CRITERIA, support_scores
from ..datasets.simulate import SimulatedProblem
from ..metrics import (
    estimation_error,
    exact_recovery,
    failure_kind,
    false_discovery_rate,
    sign_recovery,
    true_positive_rate,
)
from .fit_method import Outcome
from .real_data import MeasuredProblem

__all__ = ["UNJUDGED", "judged", "least_squares", "scores"]

_KINDS = ("score", "true_score")


def _column(criterion: str) -> str:
    return criterion.replace("-", "_")


UNJUDGED: dict[str, Any] = {"failure": "error"} | dict.fromkeys(
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
"""What is known of a fit that gave no answer."""


def judged(
    problems: Sequence[SimulatedProblem],
    X: np.ndarray,
    y: np.ndarray,
    outcomes: Sequence[Outcome],
    criterion: str,
) -> list[dict[str, Any]]:
    """Return the columns of the rows that compare each outcome with its problem's truth."""
    truths = [np.flatnonzero(problem.support) for problem in problems]
    found = [
        truth if outcome.support is None else np.flatnonzero(outcome.support)
        for outcome, truth in zip(outcomes, truths, strict=True)
    ]
    is_scored = all(_has_coef(problem) for problem in problems)
    marks = {name: scores(X, y, truths, found, name) for name in CRITERIA} if is_scored else {}
    rows = []
    for i, (problem, outcome) in enumerate(zip(problems, outcomes, strict=True)):
        mark = {name: own[i] for name, own in marks.items()}
        row = {**UNJUDGED, "truth": _named(problem, truths[i])}
        row |= {f"true_score_{_column(name)}": true for name, (true, _) in mark.items()}
        if outcome.support is not None:
            row |= {f"score_{_column(name)}": score for name, (_, score) in mark.items()}
            row |= _compared(problem, outcome, found[i])
            row["failure"] = None
            if is_scored:
                true, score = mark[criterion]
                row["failure"] = failure_kind(score, true, row["exact"])
        rows.append(row)
    return rows


def _has_coef(problem: SimulatedProblem) -> bool:
    return not isinstance(problem, MeasuredProblem) or problem.is_planted


def _named(problem: SimulatedProblem, columns: np.ndarray) -> list[int]:
    """Return columns as rows name them: on a table by their place in it."""
    named = problem.columns[columns] if isinstance(problem, MeasuredProblem) else columns
    return [int(column) for column in named]


def _compared(problem: SimulatedProblem, outcome: Outcome, support: np.ndarray) -> dict[str, Any]:
    """Return what needs no score: the support and the estimate against the truth."""
    refit = least_squares(problem.X, problem.y, support)
    estimate = refit if outcome.estimate is None else outcome.estimate
    chosen = np.zeros_like(estimate)
    chosen[support] = estimate[support]
    mask = np.asarray(outcome.support)
    found: dict[str, Any] = {
        "support": _named(problem, support),
        "residual": _left(problem, refit),
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


def _left(problem: SimulatedProblem, coef: np.ndarray) -> float:
    """Return the mean square that coefficients leave, or 1 − R² on the rows held out."""
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
    """Return each problem's true score and the score of the support found, lower is better."""
    fits = [len(own) == len(truth) for own, truth in zip(supports, truths, strict=True)]
    pairs = [
        (truth, own if fitting else truth)
        for truth, own, fitting in zip(truths, supports, fits, strict=True)
    ]
    problem, _ = standardized(RowQuadratic.from_rows(X, y, centre=False))
    both = support_scores(problem, np.asarray(pairs, dtype=np.intp), CRITERIA[criterion])
    return [
        (float(true), float(own) if fitting else float("inf"))
        for (true, own), fitting in zip(both, fits, strict=True)
    ]


def least_squares(X: np.ndarray, y: np.ndarray, support: np.ndarray) -> np.ndarray:
    """Return least squares on a support, zero elsewhere."""
    coef = np.zeros(X.shape[1])
    if len(support):
        coef[support] = np.linalg.lstsq(X[:, support], y)[0]
    return coef
