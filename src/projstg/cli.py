"""The command line: parse, call one function, print.

Only click is imported to show help; everything else when a command runs. A command is one function
that takes click and returns a ``click.Command``; adding it to ``COMMANDS`` puts it on the line.
What a user can get wrong ends in one line on standard error and the exit status 2, never in a
traceback; a run in which some fits failed ends in 1, one that was stopped, by Ctrl-C or by the
signal TERM, in 130. Control characters in names and messages, and characters that the terminal
cannot show, are escaped.
"""

from __future__ import annotations

import errno
import os
import shlex
import sys
from collections.abc import Callable, Iterable, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from ._extras import MissingExtra, extra
from ._interrupt import INTERRUPTED, interruptible
from ._printable import printable
from .tables.command import select_command

__all__ = ["COMMANDS", "main"]

FAILED_FITS, BAD_INPUT = 1, 2

_GIBIBYTE = 2**30

_EPILOG = """\b
Exit status: 0 all is done; 1 all is done, but some fits failed (raised, took too
long, or their process died); 2 bad input, one line on standard error says why;
130 stopped by Ctrl-C or the signal TERM, and the same command goes on.

A fit that failed is left out of every rate, and shown as an error on the page.
The same command tries it again; --fresh computes everything anew.
"""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit status."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")
    try:
        status = _status(sys.argv[1:] if arguments is None else list(arguments))
    except KeyboardInterrupt:
        status = _refused("stopped", INTERRUPTED)
    try:
        if sys.stdout is not None:
            sys.stdout.flush()  # while what goes wrong can still be said
    except OSError as error:
        _give_up_output()
        status = status or _refused(f"standard output cannot be written to: {error.strerror}.")
    return status


def _status(arguments: list[str]) -> int:
    try:
        click = extra("click", "cli")
    except MissingExtra as error:
        return _refused(error)
    try:
        status = _group(click).main(arguments, prog_name="projstg", standalone_mode=False)
    except click.exceptions.NoArgsIsHelpError as error:
        print(error.format_message())
        return 0
    except click.ClickException as error:
        return _refused(error.format_message())
    except click.Abort:
        raise KeyboardInterrupt from None
    except SystemExit:  # so click and rich end where nobody reads what is printed
        return _refused(f"standard output cannot be written to: {os.strerror(errno.EPIPE)}.")
    except (ValueError, TypeError, ImportError, OSError) as error:
        if os.environ.get("PROJSTG_TRACEBACK"):
            raise
        return _refused(error)
    return status if isinstance(status, int) else 0


def _refused(why: object, status: int = BAD_INPUT) -> int:
    with suppress(OSError):  # standard error may be full, too
        _say(f"projstg: {why}", sys.stderr)
    return status


def _say(text: object, file: Any = None) -> None:
    """Print one line, whatever the names in it hold."""
    print(printable(text), file=file)


def _give_up_output() -> None:
    """Send what is left for standard output nowhere, or Python would try once more at its end."""
    with suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _group(click: Any) -> Any:
    @click.group(context_settings={"help_option_names": ["-h", "--help"]})
    @click.version_option(package_name="projstg", prog_name="projstg")
    def group() -> None:
        """Which columns of X does y really depend on?"""

    for command in COMMANDS:
        group.add_command(command(click))
    return group


def _reproduce(click: Any) -> Any:
    @click.command("reproduce", epilog=_EPILOG)
    @click.argument("names", nargs=-1, metavar="[NAME]...")
    @click.option("--size", default="smoke", show_default=True, help="smoke or paper.")
    @click.option("--methods", help="Names or module:attribute, with commas; default: all.")
    @click.option("--jobs", type=click.IntRange(min=1), help="Processes; default: all cores.")
    @click.option(
        "--out",
        type=click.Path(path_type=Path, file_okay=False),
        help="Folder for rows and page; default: reproduction-SIZE.",
    )
    @click.option(
        "--resume/--fresh",
        default=True,
        show_default=True,
        help="Keep the rows that are there, or compute them anew.",
    )
    @click.option(
        "--time-limit",
        type=click.FloatRange(0, 1e6),
        metavar="SECONDS",
        help="Of one fit; 0: none; default: 600.",
    )
    @click.option(
        "--memory-limit",
        type=click.FloatRange(0.5, 2**20),
        metavar="GIB",
        help="Of one process; default: its share of the machine's.",
    )
    @click.option(
        "--backend",
        type=click.Choice(["processes", "dask"]),
        default="processes",
        show_default=True,
        help="Limits are for processes.",
    )
    @click.option("--scheduler", help="Address of a Dask scheduler; default: a local cluster.")
    @click.option("--device", default="cpu", show_default=True, help="cpu, or cuda for the gates.")
    @click.option(
        "--progress/--no-progress", default=None, help="Show a bar; default: on a terminal."
    )
    @click.option("--report/--no-report", "wants_page", default=True, help="Make the page.")
    def command(names: tuple[str, ...], out: Path | None, **options: Any) -> int:
        """Reproduce the paper: run its experiments and make the page.

        NAME is an experiment (projstg list) or the path of a TOML file of your own; default: all
        that come with the package. A run that was stopped or killed goes on where it was.
        """
        return _run(names, out or Path(f"reproduction-{options['size']}"), **options)

    return command


def _run(
    names: Sequence[str],
    out: Path,
    *,
    size: str,
    methods: str | None,
    jobs: int | None,
    resume: bool,
    time_limit: float | None,
    memory_limit: float | None,
    backend: str,
    scheduler: str | None,
    device: str,
    progress: bool | None,
    wants_page: bool,
) -> int:
    """Do what ``reproduce`` was asked for."""
    from .experiments.limits import Limits
    from .experiments.pool import Workers
    from .experiments.runner import run
    from .experiments.spec import load_spec, spec_names

    _refuse_idle(methods, time_limit, memory_limit, backend, scheduler)
    command = shlex.join(["projstg", *sys.argv[1:]])
    memory = None if memory_limit is None else int(memory_limit * _GIBIBYTE)
    limits = Limits(memory=memory) if time_limit is None else Limits(time_limit or None, memory)
    with interruptible(), _bar(progress) as show:
        report = run(
            [load_spec(name) for name in names or spec_names()],
            out,
            size=size,
            methods=None if methods is None else [name for name in methods.split(",") if name],
            workers=Workers(jobs or os.cpu_count() or 1, backend, scheduler, device, limits),
            fresh=not resume,
            command=command,
            progress=show,
        )
    _tell(report, out)
    if report.interrupted:
        again = command.replace(" --fresh", "")
        return _refused(f"{report.interrupted}; go on with: {again}", INTERRUPTED)
    if wants_page:
        _say(_page(out, None))
    return FAILED_FITS if report.n_errors else 0


def _refuse_idle(
    methods: str | None,
    time_limit: float | None,
    memory_limit: float | None,
    backend: str,
    scheduler: str | None,
) -> None:
    """Refuse options that would change nothing."""
    if methods is not None and not methods.strip(", "):
        raise ValueError("--methods names none; name some, or leave it out.")
    if scheduler is not None and backend != "dask":
        raise ValueError("--scheduler is for --backend dask; add that, or leave it out.")
    if backend == "dask" and (time_limit, memory_limit) != (None, None):
        raise ValueError(
            "--time-limit and --memory-limit are for --backend processes; leave them out."
        )
    if backend == "processes" and sys.platform == "win32":
        _say("on Windows one process does all: limits and --jobs do not apply.", sys.stderr)


def _tell(report: Any, out: Path) -> None:
    """Say what was done, left out and set aside."""
    for line in report.set_aside:
        _say(f"set aside: {line}", sys.stderr)
    for name, how in report.unavailable.items():
        _say(f"left out: {name}; {how}", sys.stderr)
    if report.n_errors:
        _say(f"{report.n_errors} fits failed, the first: {report.first_error}", sys.stderr)
    _say(
        f"{report.n_done} of {report.n_tasks} tasks done in {report.seconds:.0f} s, "
        f"{report.n_found} were there; rows in {out}"
    )


@contextmanager
def _bar(wanted: bool | None) -> Any:
    """Give a function that shows how far things are, or None off a terminal."""
    if not (sys.stderr.isatty() if wanted is None else wanted):
        yield None
        return
    console = extra("rich.console", "cli").Console(stderr=True)
    rich = extra("rich.progress", "cli")
    columns = (
        rich.TextColumn("{task.description}"),
        rich.BarColumn(),
        rich.MofNCompleteColumn(),
        rich.TimeElapsedColumn(),
        rich.TimeRemainingColumn(),
    )
    with rich.Progress(*columns, console=console) as bar:
        shown: dict[str, Any] = {}

        def show(what: str, done: int, total: int) -> None:
            if what not in shown:
                shown[what] = bar.add_task(what, total=total)
            bar.update(shown[what], completed=done)

        yield show


def _report(click: Any) -> Any:
    @click.command("report")
    @click.argument(
        "folder", metavar="DIR", type=click.Path(path_type=Path, exists=True, file_okay=False)
    )
    @click.option("--out", type=click.Path(path_type=Path), help="Where to; default: DIR.")
    def command(folder: Path, out: Path | None) -> None:
        """Make the page of a folder that reproduce has filled."""
        _say(_page(folder, out))

    return command


def _page(folder: Path, out: Path | None) -> Path:
    from .report import make_report

    with interruptible():
        return make_report(folder, out=out)


def _list(click: Any) -> Any:
    @click.command("list")
    def command() -> None:
        """List experiments and methods, and what they lack."""
        from .experiments.real_data import missing_tables
        from .experiments.registry import available, method, method_names
        from .experiments.spec import load_spec, spec_names

        width = max(map(len, [*spec_names(), *method_names()])) + 2
        print("experiments")
        for name in spec_names():
            spec = load_spec(name)
            settings = (setting for size in spec.sizes.values() for setting in size.settings)
            lacking = missing_tables(settings, download=False)
            print(f"  {name:{width}s}{spec.title}{_absent(lacking)}")
        print("methods")
        for name in method_names():
            found = method(name)
            how = available(found)
            print(f"  {name:{width}s}{found.label}{'' if how is None else f'; missing: {how}'}")

    return command


def _absent(tables: Iterable[str]) -> str:
    """Say which tables an experiment will fetch, and how it need not."""
    names = ", ".join(tables)
    if not names:
        return ""
    return f"; missing: {names} (reproduce fetches, or name their folder in PROJSTG_DATA)"


COMMANDS: list[Callable[[Any], Any]] = [select_command, _reproduce, _report, _list]
"""What the command line can do."""
