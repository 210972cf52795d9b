"""A bar on the terminal that shows how far a run is."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Lock
from typing import Any

from .._extras import extra

__all__ = ["Show", "counted_steps", "progress_bar", "stage"]

# Seconds after which something gets a line: of six stages, one has it before two seconds are over.
_LASTS = 0.3

Show = Callable[[str, int, int | None], None]
"""Called with what is being done, how much of it is done, and how much there is, if known."""


@contextmanager
def progress_bar(wanted: bool | None, *, stays: bool = True) -> Iterator[Show | None]:
    """Give a function that shows the progress, or None; ``wanted`` None: only on a terminal.

    ``stays`` says whether the bar stays on the terminal when all is done. One that does not has
    lines only for what lasts.
    """
    is_seen = sys.stderr is not None and sys.stderr.isatty()
    if not (is_seen if wanted is None else wanted):
        yield None
        return
    console = extra("rich.console", "cli").Console(stderr=True)
    rich = extra("rich.progress", "cli")
    columns = (
        rich.TextColumn("{task.description}"),
        rich.BarColumn(),
        rich.MofNCompleteColumn() if stays else rich.TaskProgressColumn(),
        rich.TimeElapsedColumn(),
        rich.TimeRemainingColumn(),
    )
    kind = rich.Progress if stays else _calm(rich)
    bar, shown = kind(*columns, console=console, transient=not stays), {}

    def show(what: str, done: int, total: int | None) -> None:
        bar.start()  # nothing where it has begun
        if what not in shown:
            shown[what] = bar.add_task(what, total=total)
        bar.update(shown[what], completed=done, total=total)

    try:
        yield show
    finally:
        bar.stop()


def _calm(rich: Any) -> Any:
    """Return a kind of bar that has no lines for what is over at once."""

    class CalmProgress(rich.Progress):
        def get_renderables(self) -> Iterator[Any]:
            yield self.make_tasks_table([task for task in self.tasks if _seconds(task) >= _LASTS])

    return CalmProgress


def _seconds(task: Any) -> float:
    """Return how long a line has been worked on."""
    return task.elapsed if task.finished_time is None else task.finished_time


@contextmanager
def stage(show: Show | None, what: str) -> Iterator[None]:
    """Show that something is being done of which it is not known how far it is."""
    if show is not None:
        show(what, 0, None)
    yield
    if show is not None:
        show(what, 1, 1)


@contextmanager
def counted_steps(show: Show | None, what: str, total: int) -> Iterator[Callable[[], None]]:
    """Give a function to call after each of so many steps, by any thread."""
    done, lock = 0, Lock()

    def step() -> None:
        nonlocal done
        with lock:
            done += 1
            if show is not None:
                show(what, done, total)

    if show is not None:
        show(what, 0, total)
    yield step
