"""How far a fit is: what its stages report, for whoever listens.

A fit goes through some of the ``STAGES``, in this order. A stage reports when it begins, and after
each of its steps. Where nobody listens the function is None, and nothing else is different: the
answer is the same number for number.
"""

from __future__ import annotations

from collections.abc import Callable

__all__ = ["STAGES", "Report", "steps_of"]

STAGES = ("sizes", "gates", "search", "draws")
"""Sizes that are tried, steps of the gates, working sets that are searched, runs of the chains."""

Report = Callable[[str, int, int | None], bool]
"""Called with a stage, how many of its steps are done, and how many there may be, None where that
is not known. Returns whether to stop there: gates and draws, which can end at any step, do, and
sizes are not searched thoroughly then where none is clear."""


def steps_of(report: Report | None, stage: str, most: int | None) -> Callable[[], bool]:
    """Report that a stage begins, and return what to call after each step: it reports that, too."""
    if report is None:
        return _go_on
    n_done = 0

    def step() -> bool:
        nonlocal n_done
        n_done += 1
        return report(stage, n_done, most)

    report(stage, 0, most)
    return step


def _go_on() -> bool:
    return False
