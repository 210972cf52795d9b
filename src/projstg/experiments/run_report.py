"""What a run did: a report for the caller, and the record that is written to run.json."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from .machine import about_machine, commit, now
from .pool import Workers
from .spec import Spec
from .tasks import SCHEMA_VERSION

__all__ = ["RunReport", "begin_record", "end_record"]


@dataclass
class RunReport:
    """What a run did."""

    n_tasks: int = 0
    n_found: int = 0
    """Tasks whose rows were there already, none of them an error."""
    n_done: int = 0
    n_errors: int = 0
    """Rows with status "error" among those computed."""
    first_error: str = ""
    set_aside: list[str] = field(default_factory=list)
    unavailable: dict[str, str] = field(default_factory=dict)
    """Methods and tables that were left out, and how to install or get them."""
    seconds: float = 0.0
    interrupted: str = ""
    """Why the run ended early; empty when it did not."""

    def add_rows(self, method: str, rows: Sequence[dict[str, Any]]) -> None:
        """Count one task that is done, and its errors."""
        self.n_done += 1
        errors = [row["message"] for row in rows if row["status"] == "error"]
        if errors and not self.first_error:
            self.first_error = f"{method}: {errors[0]}"
        self.n_errors += len(errors)


def begin_record(
    specs: Sequence[Spec], size: str, workers: Workers, command: str, report: RunReport
) -> dict[str, Any]:
    """Return what is known of a run when it begins."""
    return {
        "command": command,
        "experiments": [spec.name for spec in specs],
        "size": size,
        "roots": {spec.name: spec.root for spec in specs},
        "schema": SCHEMA_VERSION,
        "commit": commit(),
        "device": workers.device,
        "jobs": workers.jobs,
        "backend": workers.backend,
        "time_limit": workers.limits.seconds,
        "blas_threads": 1,
        "unavailable": report.unavailable,
        "started": now(),
        **about_machine(),
    }


def end_record(report: RunReport) -> dict[str, Any]:
    """Return what is known of a run when it ends."""
    return {
        "ended": now(),
        "seconds": report.seconds,
        "n_tasks": report.n_tasks,
        "n_done": report.n_done,
        "interrupted": bool(report.interrupted),
    }
