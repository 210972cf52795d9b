"""The attributes of a fitted model that come from its gates, computed when one is first read.

After a search the gates have taken only their first steps, and ``fit`` has kept what the other
steps need: sums over the rows, the options and the seed. Parameters set later change nothing.
"""

from __future__ import annotations

import warnings
from copy import copy
from typing import Any

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.validation import check_is_fitted

from .._core.gates.alternate import Status
from .._core.gates.gate_fit import GateFit, GateOptions
from .._core.pipeline.gate_problem import GateProblem
from .._core.pipeline.kept_gates import Groups, in_order, without_rows
from .._messages import Argument, Message
from ._first_read import FirstRead

__all__ = ["GateAttributes", "kept_gates", "unfinished"]


_NAMES = frozenset({"mu_", "gate_mean_", "gated_coef_", "risk_", "n_iter_"})


def kept_gates(groups: Groups) -> FirstRead[GateFit]:
    """Return the gates of all tables, from groups of them with the tables' numbers."""
    wait = any(isinstance(one, GateProblem) for _, one in groups)
    return FirstRead(in_order, FirstRead(without_rows, groups), wait=wait)


class GateAttributes:
    """Attributes of a model whose ``fit`` sets ``_fitted_gates``."""

    _fitted_gates: FirstRead[GateFit]

    @property
    def mu_(self) -> np.ndarray:
        """The gates' locations, (n_features_in_,)."""
        return _answer(self).mu[0]

    @property
    def gate_mean_(self) -> np.ndarray:
        """E[z_d], how far open each gate is, (n_features_in_,)."""
        return _answer(self).mean[0]

    @property
    def gated_coef_(self) -> np.ndarray:
        """The paper's estimate θ ⊙ clip(μ, 0, 1), (n_features_in_,)."""
        return _answer(self).coef[0]

    @property
    def risk_(self) -> float:
        """The objective at these gates."""
        return float(_answer(self).value[0])

    @property
    def n_iter_(self) -> int:
        """Steps the gates took."""
        return int(_answer(self).n_iter[0])

    def __dir__(self) -> list[str]:
        # scikit-learn reads every attribute to see whether it is there, and reading fits gates.
        if not _wait(self):
            return list(super().__dir__())
        return [name for name in object.__dir__(self) if name in _NAMES or hasattr(self, name)]

    def _get_fitted_attr_html(self, doc_link: str = "") -> Any:
        """Return scikit-learn's list of what was learned, without gates that are not fitted yet."""
        shown = copy(self)
        if _wait(self):
            del shown._fitted_gates
        return super(GateAttributes, shown)._get_fitted_attr_html(doc_link)  # type: ignore[misc]


def _wait(model: Any) -> bool:
    return "_fitted_gates" in vars(model) and not model._fitted_gates.is_read


def _answer(model: Any) -> GateFit:
    """Return the fitted gates; warn the first time, where they did not converge."""
    check_is_fitted(model, "_fitted_gates")
    is_first = _wait(model)
    fit = model._fitted_gates.value()
    text = _still_moving(fit) if is_first else None  # gates that wait are exact: none diverges
    if text is not None:
        # The level is that of the code that reads the attribute.
        warnings.warn(text, ConvergenceWarning, stacklevel=3)
    return fit


def unfinished(fit: GateFit, options: GateOptions) -> Message | None:
    """Return the warning for the gates of one table that did not converge, or None."""
    if Status(int(fit.status[0])) is not Status.DIVERGED:
        return _still_moving(fit)
    rate = f"the descent diverged; lower learning_rate={options.learning_rate} of "
    return Message(rate, Argument("gates", "Gates(…)"), ".")


def _still_moving(fit: GateFit) -> Message | None:
    if Status(int(fit.status[0])) is not Status.MAX_ITER:
        return None
    return Message(
        f"the gates still moved by {fit.criterion[0]:.1e} of ",
        Argument("y"),
        f"'s root mean square after {int(fit.n_iter[0])} steps; raise max_iter or tol of ",
        Argument("gates", "Gates(…)"),
        ".",
    )
