"""``projstg report``: the page of a run."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from .._interrupt import interruptible
from .exit_status import print_line

__all__ = ["make_page", "report_command"]


def report_command(click: Any) -> Any:
    """Return the command."""

    @click.command("report")
    @click.argument(
        "folder", metavar="DIR", type=click.Path(path_type=Path, exists=True, file_okay=False)
    )
    @click.option("--out", type=click.Path(path_type=Path), help="Where to; default: DIR.")
    def command(folder: Path, out: Path | None) -> None:
        """Make the page of a folder that reproduce has filled."""
        print_line(make_page(folder, out))

    return command


def make_page(folder: Path, out: Path | None) -> Path:
    """Write the page of a run and return its path."""
    from ..report import make_report

    with interruptible():
        return make_report(folder, out=out)
