"""What scikit-learn's callbacks hear of a fit: a task for the fit, its stages, and their steps."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

__all__ = ["FitTasks"]


class FitTasks:
    """Tells the callbacks of an estimator what the stages of its fit report.

    The fit is a task with a subtask for each of ``stages``, in this order, and a stage has a
    subtask for each step, up to the most that it said first. A stage that comes again, for
    another size, stays the task that it is, and is heard of when it is further than before; one
    that is over stays so. One that is left out is a task without steps. Every task that begins
    also ends, in a fit that raises, too.

    A step is told when it is done, since only then it is known that there was one.
    """

    def __init__(self, estimator: Any, stages: Sequence[str], X: Any, y: Any) -> None:
        self._estimator, self._stages, self._data = estimator, stages, {"X": X, "y": y}
        self._fit = estimator._init_callback_context(max_subtasks=len(stages))
        self._fit.call_on_fit_task_begin(estimator=estimator, **self._data)
        self._stage: Any = None
        self._place, self._n_done = -1, 0

    def __call__(self, stage: str, done: int, most: int | None) -> bool:
        """Tell how far a stage is, and return whether a callback asks to stop there."""
        place, stop = self._stages.index(stage), False
        while self._place < place:
            self._end_stage()
            self._place += 1
            self._begin_stage(most if self._place == place else 0)
        if self._place > place:
            return False
        for _ in range(self._n_done, done):
            if self._n_done == self._stage.max_subtasks:
                break
            step = self._stage.subcontext(task_name="step")
            step.call_on_fit_task_begin(estimator=self._estimator)
            stop |= step.call_on_fit_task_end(estimator=self._estimator)
            self._n_done += 1
        return stop

    def end(self) -> None:
        """Tell that the fit is over."""
        self._end_stage()
        self._fit.call_on_fit_task_end(estimator=self._estimator, **self._data)

    def _begin_stage(self, most: int | None) -> None:
        name, self._n_done = self._stages[self._place], 0
        self._stage = self._fit.subcontext(task_name=name, max_subtasks=most)
        self._stage.call_on_fit_task_begin(estimator=self._estimator)

    def _end_stage(self) -> None:
        if self._stage is not None:
            self._stage.call_on_fit_task_end(estimator=self._estimator)
            self._stage = None
