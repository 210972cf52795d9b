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
import subprocess
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
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


def quiet(command, **options):
    """Run a command and keep what it says."""
    return subprocess.run(command, capture_output=True, text=True, check=False, **options)


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
    command = [own, "-m", "pytest", "-q", "-n", str(workers), "-m", "not torch"]
    # The oldest scikit-learn hands pytest an iterator, of which the pinned pytest warns.
    command += ["-p", "no:cacheprovider", "-W", "ignore::pytest.PytestRemovedIn10Warning"]
    ended = quiet([*command, *(f"--ignore={path}" for path in LEFT_OUT)], cwd=ROOT)
    last = (ended.stdout.strip().splitlines() or ["nothing was said"])[-1]
    failures = [line for line in ended.stdout.splitlines() if line.startswith(("FAILED", "ERROR"))]
    return ended.returncode == 0, "\n".join([f"{title} ({versions}): {last}", *failures])


def main():
    """Try every pair and say which ran."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--workers", type=int, default=2, help="processes; default 2")
    options = parser.parse_args()
    found = interpreters()
    first = next(iter(found))
    pairs = [(first, True)] + [(version, False) for version in found]
    held = True
    for version, oldest in pairs:
        good, line = tried(version, found[version], oldest, options.workers)
        held = held and good
        print(line, flush=True)
    return 0 if held else 1


if __name__ == "__main__":
    sys.exit(main())
