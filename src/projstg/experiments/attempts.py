"""Calls that were lost are tried again.

A call is lost when it raises or its process dies. When all other calls are done it is tried once
more: alone, or, if it only took too long, with others of that kind. A task that is lost twice is
computed one repetition at a time, and a repetition that is lost again gets a row that says so.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from .pool import Call, Lost, Pool
from .tasks import Task
from .trial import Where, lost_rows, run_task

__all__ = ["answers_with_retry", "rows_of_tasks"]


def answers_with_retry(calls: Sequence[Call], answers: Pool) -> Iterator[tuple[str, Any]]:
    """Do calls; at the end, do every lost call once more.

    Lost calls that only took too long come first and run several at once. The others then run one
    at a time, so that no other call disturbs them.
    """
    lost: dict[str, Lost] = {}
    for key, answer in answers(calls, False):
        if isinstance(answer, Lost):
            lost[key] = answer
        else:
            yield key, answer
    for is_late in (True, False):
        again = [call for call in calls if call[0] in lost and lost[call[0]].is_late == is_late]
        yield from answers(again, not is_late)


def rows_of_tasks(
    tasks: Sequence[tuple[Task, float | None]], where: Where, answers: Pool
) -> Iterator[tuple[str, list[dict[str, Any]]]]:
    """Yield the key and the rows of every task; those lost twice come last.

    Each task comes with the C of its setting; None: it needs none, or none could be chosen.
    """
    calls = [_task_call(task.key, task, where, scale) for task, scale in tasks]
    lost: dict[str, Lost] = {}
    for key, rows in answers_with_retry(calls, answers):
        if isinstance(rows, Lost):
            lost[key] = rows
        else:
            yield key, rows
    for task, scale in tasks:
        if task.key in lost:
            yield task.key, _rows_by_repetition(task, scale, where, answers, lost[task.key])


def _rows_by_repetition(
    task: Task, scale: float | None, where: Where, answers: Pool, lost: Lost
) -> list[dict[str, Any]]:
    """Return the rows of a task, each repetition computed by a call of its own."""
    pieces = {str(r): replace(task, first=r, last=r + 1) for r in task.repetitions}
    calls = (_task_call(name, piece, where, scale) for name, piece in pieces.items())
    found = {
        name: lost_rows(pieces[name], where, rows.reason) if isinstance(rows, Lost) else rows
        for name, rows in answers(calls, not lost.is_late)
    }
    return [row for name in pieces for row in found[name]]


def _task_call(name: str, task: Task, where: Where, scale: float | None) -> Call:
    return name, run_task, (task, where, scale)
