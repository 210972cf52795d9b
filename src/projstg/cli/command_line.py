"""The command ``projstg``: its sub-commands, and how their errors are reported."""

from __future__ import annotations

import errno
import os
import sys
from collections.abc import Callable, Sequence
from typing import Any

from .._extras import MissingExtra, extra
from .._interrupt import INTERRUPTED
from ..tables.command import select_command
from ..tables.predict_command import predict_command
from ..versions import kernel_in_words
from .exit_status import discard_output, refuse
from .list_command import list_command
from .report_command import report_command
from .reproduce_command import reproduce_command

__all__ = ["COMMANDS", "main"]

COMMANDS: list[Callable[[Any], Any]] = [
    select_command,
    predict_command,
    reproduce_command,
    report_command,
    list_command,
]
"""What the command line can do."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit status."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")
    try:
        status = _status(sys.argv[1:] if arguments is None else list(arguments))
    except KeyboardInterrupt:
        status = refuse("stopped", INTERRUPTED)
    try:
        if sys.stdout is not None:
            sys.stdout.flush()  # an error here can still be reported; at exit it could not
    except OSError as error:
        discard_output()
        status = status or refuse(f"standard output cannot be written to: {error.strerror}.")
    return status


def _status(arguments: list[str]) -> int:
    """Run a command and return its exit status; errors become one line."""
    try:
        click = extra("click", "cli")
    except MissingExtra as error:
        return refuse(error)
    try:
        status = _group(click).main(arguments, prog_name="projstg", standalone_mode=False)
    except click.exceptions.NoArgsIsHelpError as error:
        print(error.format_message())
        return 0
    except click.ClickException as error:
        return refuse(error.format_message())
    except click.Abort:
        raise KeyboardInterrupt from None
    except SystemExit:  # click and rich raise it where the reader of a pipe is gone
        return refuse(f"standard output cannot be written to: {os.strerror(errno.EPIPE)}.")
    except (ValueError, TypeError, ImportError, OSError) as error:
        if os.environ.get("PROJSTG_TRACEBACK"):
            raise
        return refuse(error)
    return status if isinstance(status, int) else 0


def _group(click: Any) -> Any:
    @click.group(context_settings={"help_option_names": ["-h", "--help"]})
    @click.version_option(
        package_name="projstg",
        prog_name="projstg",
        message=f"%(prog)s, version %(version)s (kernel: {kernel_in_words()})",
    )
    def group() -> None:
        """Which columns of X does y really depend on?"""

    for command in COMMANDS:
        group.add_command(command(click))
    return group
