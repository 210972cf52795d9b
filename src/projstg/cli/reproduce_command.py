"""``projstg reproduce``: run experiments, then make the page."""

from __future__ import annotations

import os
import shlex
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .._interrupt import INTERRUPTED, interruptible
from ..render.progress_bar import progress_bar
from .exit_status import FAILED_FITS, print_line, refuse
from .report_command import make_page

if TYPE_CHECKING:
    from ..experiments.pool import Workers
    from ..experiments.runner import RunReport

__all__ = ["reproduce_command"]

_GIBIBYTE = 2**30

_EPILOG = """\b
Exit status: 0 all is done; 1 all is done, but some fits failed (raised, took too
long, or their process died); 2 bad input, one line on standard error says why;
130 stopped by Ctrl-C or the signal TERM, and the same command goes on.

A fit that failed is left out of every rate, and shown as an error on the page.
The same command tries it again; --fresh computes everything anew.
"""


@dataclass(frozen=True)
class _Asked:
    """The options of the command."""

    size: str
    methods: str | None
    jobs: int | None
    resume: bool
    time_limit: float | None
    memory_limit: float | None
    backend: str
    scheduler: str | None
    device: str
    progress: bool | None
    wants_page: bool


def reproduce_command(click: Any) -> Any:
    """Return the command."""

    def command(names: tuple[str, ...], out: Path | None, **options: Any) -> int:
        """Reproduce the paper: run its experiments and make the page.

        NAME is an experiment (projstg list) or the path of a TOML file of your own; default: all
        that come with the package. A run that was stopped or killed goes on where it was.
        """
        asked = _Asked(**options)
        return _reproduce(names, out or Path(f"reproduction-{asked.size}"), asked)

    for decorator in reversed(_decorators(click)):
        command = decorator(command)
    return command


def _decorators(click: Any) -> list[Callable[..., Any]]:
    """Return the command, its argument and its options, in the order of the help."""
    option = click.option
    return [
        click.command("reproduce", epilog=_EPILOG),
        click.argument("names", nargs=-1, metavar="[NAME]..."),
        option("--size", default="smoke", show_default=True, help="smoke or paper."),
        option("--methods", help="Names or module:attribute, with commas; default: all."),
        option("--jobs", type=click.IntRange(min=1), help="Processes; default: all cores."),
        option(
            "--out",
            type=click.Path(path_type=Path, file_okay=False),
            help="Folder for rows and page; default: reproduction-SIZE.",
        ),
        option(
            "--resume/--fresh",
            default=True,
            show_default=True,
            help="Keep the rows that are there, or compute them anew.",
        ),
        option(
            "--time-limit",
            type=click.FloatRange(0, 1e6),
            metavar="SECONDS",
            help="Of one fit; 0: none; default: 600.",
        ),
        option(
            "--memory-limit",
            type=click.FloatRange(0.5, 2**20),
            metavar="GIB",
            help="Of one process; default: an equal share of the machine's memory.",
        ),
        option(
            "--backend",
            type=click.Choice(["processes", "dask"]),
            default="processes",
            show_default=True,
            help="Limits are for processes.",
        ),
        option("--scheduler", help="Address of a Dask scheduler; default: a local cluster."),
        option("--device", default="cpu", show_default=True, help="cpu, or cuda for the gates."),
        option(
            "--progress/--no-progress", default=None, help="Show a bar; default: on a terminal."
        ),
        option("--report/--no-report", "wants_page", default=True, help="Make the page."),
    ]


def _reproduce(names: Sequence[str], out: Path, asked: _Asked) -> int:
    """Run experiments, make the page, and return the exit status."""
    from ..experiments.runner import run
    from ..experiments.spec import load_spec, spec_names

    _refuse_unused_options(asked)
    typed = shlex.join(["projstg", *sys.argv[1:]])
    methods = None if asked.methods is None else [m for m in asked.methods.split(",") if m]
    workers = _workers(asked)
    with interruptible(), progress_bar(asked.progress) as show:
        report = run(
            [load_spec(name) for name in names or spec_names()],
            out,
            size=asked.size,
            methods=methods,
            workers=workers,
            fresh=not asked.resume,
            command=typed,
            progress=show,
        )
    _print_report(report, out)
    if report.interrupted:
        again = typed.replace(" --fresh", "")
        return refuse(f"{report.interrupted}; go on with: {again}", INTERRUPTED)
    if asked.wants_page:
        print_line(make_page(out, None))
    return FAILED_FITS if report.n_errors else 0


def _workers(asked: _Asked) -> Workers:
    """Return who does the work; a time limit of 0 is none."""
    from ..experiments.limits import Limits
    from ..experiments.pool import Workers

    memory = None if asked.memory_limit is None else int(asked.memory_limit * _GIBIBYTE)
    seconds = Limits.seconds if asked.time_limit is None else asked.time_limit or None
    jobs = asked.jobs or os.cpu_count() or 1
    return Workers(jobs, asked.backend, asked.scheduler, asked.device, Limits(seconds, memory))


def _refuse_unused_options(asked: _Asked) -> None:
    """Raise for options that would change nothing."""
    if asked.methods is not None and not asked.methods.strip(", "):
        raise ValueError("--methods names none; name some, or leave it out.")
    if asked.scheduler is not None and asked.backend != "dask":
        raise ValueError("--scheduler is for --backend dask; add that, or leave it out.")
    if asked.backend == "dask" and (asked.time_limit, asked.memory_limit) != (None, None):
        raise ValueError(
            "--time-limit and --memory-limit are for --backend processes; leave them out."
        )
    if asked.backend == "processes" and sys.platform == "win32":
        print_line("on Windows one process does all: limits and --jobs do not apply.", sys.stderr)


def _print_report(report: RunReport, out: Path) -> None:
    """Print what was done, left out and set aside."""
    for line in report.set_aside:
        print_line(f"set aside: {line}", sys.stderr)
    for name, how in report.unavailable.items():
        print_line(f"left out: {name}; {how}", sys.stderr)
    if report.n_errors:
        print_line(f"{report.n_errors} fits failed, the first: {report.first_error}", sys.stderr)
    print_line(
        f"{report.n_done} of {report.n_tasks} tasks done in {report.seconds:.0f} s, "
        f"{report.n_found} were there; rows in {out}"
    )
