"""The stages of a fit, as a callback of scikit-learn that shows them on the terminal."""

from __future__ import annotations

from typing import Any

from ...render.progress_bar import Show

__all__ = ["ShownStages"]

# What a stage is called on the terminal, below what the fit is for.
_SAID = {
    "sizes": "  trying how many",
    "gates": "  proposing columns",
    "search": "  searching",
    "draws": "  sampling",
}


class ShownStages:
    """Shows each stage of a fit, and how far it is."""

    def __init__(self, show: Show) -> None:
        self._show = show

    def setup(self, estimator: Any, context: Any) -> None:
        """Do nothing: a stage is shown when it begins."""

    def teardown(self, estimator: Any, context: Any) -> None:
        """Do nothing."""

    def on_fit_task_begin(self, estimator: Any, context: Any) -> None:
        """Show a stage that begins; one without steps is left out."""
        if context.task_name in _SAID and context.max_subtasks != 0:
            self._show(_SAID[context.task_name], 0, context.max_subtasks)

    def on_fit_task_end(self, estimator: Any, context: Any) -> None:
        """Show how far a stage is after one of its steps, or that it is over."""
        if context.task_name == "step":
            stage = context.parent
            self._show(_SAID[stage.task_name], context.task_id + 1, stage.max_subtasks)
        elif context.task_name in _SAID and context.max_subtasks != 0:
            self._show(_SAID[context.task_name], 1, 1)
