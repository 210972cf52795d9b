"""What one fit gave: a support, an estimate, a time, or the message of what went wrong."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from .messages import error_message, one_line

__all__ = ["Outcome", "checked_outcome", "failed_outcome", "recorded_warnings", "with_warnings"]


@dataclass(frozen=True)
class Outcome:
    """What one fit gave."""

    support: np.ndarray | None
    """A mask of the columns, (n_features,); None after an error."""
    estimate: np.ndarray | None
    """The method's estimate of β*, (n_features,); None where it has none."""
    seconds: float | None
    status: str = "ok"
    """"ok", "unconverged" or "error"."""
    message: str = ""
    batch_size: int = 1
    """How many problems were fitted at once; ``seconds`` is then their mean."""
    device: str = "cpu"


def checked_outcome(
    support: Any, estimate: Any, n_features: int, seconds: float, batch_size: int = 1
) -> Outcome:
    """Return what a method gave as an outcome; raise where the shape is wrong."""
    mask = np.asarray(support)
    if mask.shape != (n_features,) or not np.isin(mask, (0, 1)).all():
        raise ValueError(f"get_support() is no mask of the {n_features} columns; return one.")
    coef = None if estimate is None else np.ravel(np.asarray(estimate, dtype=float))
    if coef is not None and coef.shape != mask.shape:
        raise ValueError(f"the estimate has {coef.size} numbers; X has {n_features} columns.")
    return Outcome(mask.astype(bool), coef, seconds, batch_size=batch_size)


def failed_outcome(error: BaseException) -> Outcome:
    """Return the outcome of a fit that raised."""
    return Outcome(None, None, None, "error", error_message(error))


@contextmanager
def recorded_warnings() -> Iterator[list[warnings.WarningMessage]]:
    """Give a list that collects the warnings of the block."""
    with warnings.catch_warnings(record=True) as recorded:
        warnings.simplefilter("always")
        yield recorded


def with_warnings(outcome: Outcome, recorded: Sequence[warnings.WarningMessage]) -> Outcome:
    """Return the outcome with the warnings of its fit as its message."""
    if not recorded:
        return outcome
    is_unconverged = any(issubclass(one.category, ConvergenceWarning) for one in recorded)
    texts = dict.fromkeys(one_line(one.message) for one in recorded)
    return replace(
        outcome,
        status="unconverged" if is_unconverged else outcome.status,
        message=one_line("; ".join(texts)),
    )
