"""What a fitted model says of its gates, computed when it is first asked for.

Where a search gave the answer the gates have only begun, and ``fit`` kept what it takes to bring
them to rest: sums over the rows, the options and the seed. Parameters set later change nothing.
"""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.validation import check_is_fitted

from .._core.gates.alternate import Status
from .._core.pipeline.batch_gates import BatchGates, GateAnswer

__all__ = ["GateAttributes", "unfinished"]


class GateAttributes:
    """Attributes of a model whose ``fit`` sets ``_fitted_gates``."""

    _fitted_gates: BatchGates

    @property
    def mu_(self) -> np.ndarray:
        """The gates' locations, (n_features_in_,)."""
        return _answer(self).fit.mu[0]

    @property
    def gate_mean_(self) -> np.ndarray:
        """E[z_d], how far open each gate is, (n_features_in_,)."""
        return _answer(self).fit.mean[0]

    @property
    def gated_coef_(self) -> np.ndarray:
        """The paper's estimate θ ⊙ clip(μ, 0, 1), (n_features_in_,)."""
        return _answer(self).coef[0]

    @property
    def risk_(self) -> float:
        """The objective at these gates."""
        return float(_answer(self).fit.value[0])

    @property
    def n_iter_(self) -> int:
        """Steps the gates took."""
        return int(_answer(self).fit.n_iter[0])


def _answer(model: Any) -> GateAnswer:
    """Return the gates at rest; the first time, with a warning where they are not."""
    check_is_fitted(model)
    gates = model._fitted_gates
    is_first = not gates.is_fitted
    answer = gates.answer()
    text = unfinished(gates) if is_first else None
    if text is not None:
        # The level is that of whoever reads the attribute.
        warnings.warn(text, ConvergenceWarning, stacklevel=3)
    return answer


def unfinished(gates: BatchGates) -> str | None:
    """Return what to say of the gates of one table that did not come to rest."""
    fit, options = gates.answer().fit, gates.options
    status = Status(int(fit.status[0]))
    if status is Status.MAX_ITER:
        return (
            f"the gates still moved by {fit.criterion[0]:.1e} of y's root mean square after "
            f"{int(fit.n_iter[0])} steps; raise max_iter or tol of gates=Gates(…)."
        )
    if status is Status.DIVERGED:
        return (
            f"the descent diverged; lower learning_rate={options.learning_rate} of gates=Gates(…)."
        )
    return None
