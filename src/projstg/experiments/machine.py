"""What a run was made with: versions, processor, commit, time."""

from __future__ import annotations

import os
import platform
import subprocess
from datetime import UTC, datetime
from functools import cache
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

__all__ = ["about_machine", "commit", "now", "own_version"]

_PACKAGES = (
    "projstg",
    "numpy",
    "scipy",
    "scikit-learn",
    "joblib",
    "pandas",
    "pyarrow",
    "abess",
    "skglm",
    "torch",
)


def now() -> str:
    """Return the time, UTC, to the second."""
    return datetime.now(UTC).isoformat(timespec="seconds")


@cache
def own_version() -> str:
    """Return the version of this package, installed or run from its sources."""
    return str(import_module(__name__.partition(".")[0]).__version__)


@cache
def commit() -> str | None:
    """Return the commit of the checkout this package is run from; None for an installed one."""
    package = Path(__file__).resolve().parents[1]
    checkout = package.parents[1]
    if package.parent.name != "src" or not (checkout / ".git").exists():
        return None
    command = ["git", "-C", str(checkout), "describe", "--always", "--dirty"]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=10, check=True)
    except (OSError, subprocess.SubprocessError):
        return None
    return done.stdout.strip() or None


def about_machine() -> dict[str, Any]:
    """Return versions and machine as values that JSON can hold."""
    return {
        "versions": {name: found for name in _PACKAGES if (found := _version(name)) is not None},
        "machine": {
            "cores": os.cpu_count(),
            "cpu": _processor(),
            "system": f"{platform.system()} {platform.machine()}",
            "python": platform.python_version(),
        },
    }


def _version(name: str) -> str | None:
    try:
        return version(name)
    except PackageNotFoundError:
        return None


def _processor() -> str:
    """Return the name of the processor; on Linux ``platform`` does not know it, but a file does."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return platform.processor()
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.processor()
