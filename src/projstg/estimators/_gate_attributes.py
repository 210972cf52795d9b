"""The attributes of a fitted model that come from its gates, computed when one is first read.

After a search the gates have taken only their first steps, and ``fit`` has kept what the other
steps need: sums over the rows, the options and the seed. Parameters set later change nothing.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from copy import copy
from typing import Any

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.validation import check_is_fitted

from .._core.gates.alternate import Status
from .._core.pipeline.kept_gates import GateAnswer, GroupGates, in_order
from .._messages import Argument, Message
from ._first_read import FirstRead

__all__ = ["GateAttributes", "kept_gates", "unfinished"]


_NAMES = frozenset({"mu_", "gate_mean_", "gated_coef_", "risk_", "n_iter_"})

_Groups = Sequence[tuple[np.ndarray, GroupGates]]


def kept_gates(groups: _Groups) -> FirstRead[GateAnswer]:
    """Return the gates of all tables, from groups of them with the tables' numbers."""
    sums = FirstRead(_without_rows, groups)
    return FirstRead(in_order, sums, wait=any(group.wait for _, group in groups))


def _without_rows(groups: _Groups) -> _Groups:
    return [(numbers, group.without_rows()) for numbers, group in groups]


class GateAttributes:
    """Attributes of a model whose ``fit`` sets ``_fitted_gates``."""

    _fitted_gates: FirstRead[GateAnswer]

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


def _answer(model: Any) -> GateAnswer:
    """Return the fitted gates; warn the first time, where they did not converge."""
    check_is_fitted(model, "_fitted_gates")
    is_first = _wait(model)
    answer = model._fitted_gates.value()
    text = unfinished(answer) if is_first else None
    if text is not None:
        # The level is that of the code that reads the attribute.
        warnings.warn(text, ConvergenceWarning, stacklevel=3)
    return answer


def unfinished(answer: GateAnswer) -> Message | None:
    """Return the warning for the gates of one table that did not converge, or None."""
    fit, options = answer.fit, answer.options
    status, gates = Status(int(fit.status[0])), Message(Argument("gates", "Gates(…)"), ".")
    if status is Status.MAX_ITER:
        return Message(
            f"the gates still moved by {fit.criterion[0]:.1e} of ",
            Argument("y"),
            f"'s root mean square after {int(fit.n_iter[0])} steps; raise max_iter or tol of ",
            gates,
        )
    if status is Status.DIVERGED:
        rate = options.learning_rate
        return Message(f"the descent diverged; lower learning_rate={rate} of ", gates)
    return None
