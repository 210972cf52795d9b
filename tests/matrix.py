"""The tests with the oldest and the newest libraries the package takes, on every Python here.

``make matrix`` installs each pair into ``.venv-matrix`` and runs the tests there, all but those of
files, pages and processes: the lower bounds of ``pyproject.toml`` on the oldest Python, and the
newest releases on each Python from 3.11 on that the machine has. Everything else is as
``requirements/dev.txt`` pins it. Beside the newest releases the peers are left out, which bound
NumPy from above or have no build for every Python; the tests that need them are skipped.
"""

import argparse
import os
import re
import shutil
import sys
import tomllib
from pathlib import Path

from long_runs import ROOT, failures, last_line, quiet, run_tests

FOLDER = ROOT / ".venv-matrix"
CORE = ("numpy", "scipy", "scikit-learn")
PYTHONS = ("3.11", "3.12", "3.13", "3.14", "3.15")
PEERS = {"abess", "hidimstat", "llvmlite", "numba", "skglm"}
# What pages, files and processes do has little to do with these libraries, and takes long.
LEFT_OUT = (
    "tests/faults",
    "tests/hostile",
    "tests/report/test_experiment_page.py",
    "tests/test_cli.py",
)
SHOW = "import numpy, scipy, sklearn; print(*(m.__version__ for m in (numpy, scipy, sklearn)))"


def interpreters():
    """Return the Pythons that answer by their version, or that pyenv has, oldest first."""
    kept = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv")) / "versions"
    found = {}
    for version in PYTHONS:
        paths = [shutil.which(f"python{version}"), *kept.glob(f"{version}.*/bin/python")]
        for path in filter(None, paths):
            if quiet([path, "-c", "import ensurepip, ssl, venv"]).returncode == 0:
                found.setdefault(version, str(path))
    return found or {"{}.{}".format(*sys.version_info): sys.executable}


def requirements(oldest):
    """Return what is installed: bounds or newest of the core, pins of the rest."""
    about = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    bounds = about["project"]["dependencies"]
    core = [bound.replace(">=", "==") for bound in bounds] if oldest else list(bounds)
    lines = (ROOT / "requirements" / "dev.txt").read_text(encoding="utf-8").splitlines()
    pins = [line for line in lines if line and not line.startswith("#")]
    names = {pin: re.split("[=<>]", pin)[0].lower() for pin in pins}
    left_out = set(CORE) if oldest else PEERS | set(CORE)
    return core + [pin for pin in pins if names[pin] not in left_out]


def tried(version, python, oldest, workers):
    """Install one pair, run the tests and return a line that says how they ended."""
    folder = FOLDER / f"{version}-{'oldest' if oldest else 'newest'}"
    own = str(folder / "bin" / "python")
    title = f"Python {version}, {'oldest' if oldest else 'newest'}"
    install = [own, "-m", "pip", "install", "-qq", "--disable-pip-version-check"]
    for step in (
        [python, "-m", "venv", "--clear", str(folder)],
        [*install, "--only-binary", ":all:", "--upgrade", *requirements(oldest)],
        [*install, "--no-deps", "--no-build-isolation", "-e", str(ROOT)],
    ):
        made = quiet(step)
        if made.returncode:
            said = (made.stderr or made.stdout).strip().splitlines() or ["nothing was said"]
            return False, f"{title}: not installed: {said[-1]}"
    versions = quiet([own, "-c", SHOW]).stdout.strip()
    # The oldest scikit-learn hands pytest an iterator, of which the pinned pytest warns.
    arguments = ["-q", "-m", "not torch", "-W", "ignore::pytest.PytestRemovedIn10Warning"]
    status, lines = run_tests(arguments + [f"--ignore={path}" for path in LEFT_OUT], workers, own)
    said = f"{title} ({versions}): {last_line(lines)}"
    return status == 0, "\n".join([said, *failures(lines)])


def main():
    """Try every pair and say which ran."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--workers", type=int, default=2, help="processes; default 2")
    options = parser.parse_args()
    found = interpreters()
    first = next(iter(found))
    pairs = [(first, True)] + [(version, False) for version in found]
    ended = [tried(version, found[version], oldest, options.workers) for version, oldest in pairs]
    print(*(said for _, said in ended), sep="\n")
    return 0 if all(held for held, _ in ended) else 1


if __name__ == "__main__":
    sys.exit(main())
