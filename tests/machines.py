"""The tests under one changed factor at a time: ``make machines``.

Each run is a run of pytest where one thing differs from ``make test``: the processor that OpenBLAS
takes kernels for, the path of the compiled kernel, NumPy's own vector code, the encoding of text,
blanks in paths, a library that is not there, BLAS threads. A short start of pytest says first what
is really in place (``in_place.py``); where that is not what was asked for, the run is skipped. The
run itself must say the same, or it has failed. What needs another build or other libraries is
tested in a copy of the checkout, which stays as it is.

A run that fails does not stop the others; the exit status is 1 if any failed. Runs are added to
``.machines/runs.jsonl`` with the commit; a run that was stopped goes on with those that are left.

    python tests/machines.py                           all, or those that are left on this commit
    python tests/machines.py haswell two-threads       these, in any case
    python tests/machines.py zen --tests "tests/plots -x"   with these arguments of pytest; not kept
    python tests/machines.py another-core              the Prescott or the Nehalem, not the own one
    python tests/machines.py --table                   the last of each run, as a table
"""

import argparse
import json
import os
import re
import shlex
import shutil
import sys
import sysconfig
import tempfile
import time
from collections import defaultdict
from pathlib import Path
from typing import NamedTuple

from in_place import (
    BLAS,
    ENCODING,
    KERNEL,
    PACKAGE,
    SIMD,
    SKGLM,
    TEMPORARY,
    THREADS,
    TITLE,
    in_place,
)
from long_runs import (
    ROOT,
    add,
    commit,
    counts,
    failures,
    last_line,
    left,
    quiet,
    records,
    run_tests,
)

RECORDS = ROOT / ".machines" / "runs.jsonl"
PROCESSOR = Path("/proc/cpuinfo")
# What a checkout has beside its sources; hidden folders, too.
NOT_COPIED = shutil.ignore_patterns(
    ".*", "*.so", "*.dll", "__pycache__", "dist", "build", "reproduction-*"
)


class Run(NamedTuple):
    """What is changed, and what must be in place then.

    ``{here}`` is a folder of the run's own, and ``{simd}`` the vector code that NumPy would use.
    """

    environment: dict[str, str]
    asked: dict[str, str]
    needs: str = ""
    """Flags of the processor, without which OpenBLAS would end the process."""
    in_a_copy: bool = False
    without: str = ""
    """A library that the copy does not have."""
    folder: str = "here"
    """The name of the run's own folder."""


def _core(name, needs):
    return Run({"OPENBLAS_CORETYPE": name}, {BLAS: f"openblas {name}"}, needs)


def _path(flags, words):
    return Run({"PROJSTG_CFLAGS": flags}, {KERNEL: f"compiled, {words}"}, in_a_copy=True)


def _threads(n):
    return Run({"PROJSTG_TEST_THREADS": n}, {THREADS: n})


ASCII = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
BLANKS = "with two blanks"
RUNS = {
    "one-thread": _threads("1"),
    "two-threads": _threads("2"),
    "prescott": _core("Prescott", "pni"),
    "nehalem": _core("Nehalem", "ssse3 sse4_1 sse4_2"),
    "haswell": _core("Haswell", "avx2 fma"),
    "zen": _core("Zen", "avx2 fma"),
    "skylakex": _core("SkylakeX", "avx2 fma avx512f avx512cd avx512bw avx512dq avx512vl"),
    "kernel-plain": _path("-DPROJSTG_ONE_PATH", "for any processor"),
    "kernel-avx2": _path("-DPROJSTG_NO_AVX512F", "avx2"),
    "kernel-avx512f": _path("", "avx512f"),
    "numpy-plain": Run({"NPY_DISABLE_CPU_FEATURES": "{simd}"}, {SIMD: "baseline"}),
    "ascii": Run(ASCII, {ENCODING: "ascii"}),
    "blanks-in-tmpdir": Run({"TMPDIR": "{here}"}, {TEMPORARY: "{here}"}, folder=BLANKS),
    "blanks-in-path": Run({}, {PACKAGE: "{here}/src/projstg"}, in_a_copy=True, folder=BLANKS),
    "without-skglm": Run({}, {SKGLM: "not installed"}, in_a_copy=True, without="skglm"),
}
# One factor at a time: what the shell has set of the others does not count.
CHANGED = {name for run in RUNS.values() for name in run.environment}


class Place(NamedTuple):
    """Where a run is made: the interpreter, the folder, the environment."""

    python: str
    cwd: Path
    env: dict[str, str]


class Ended(NamedTuple):
    """How a run ended: "passed", "failed" or "skipped", what was in place, the lines of pytest."""

    outcome: str
    there: str
    lines: list[str]


def checkout():
    """Return the checkout, with nothing changed."""
    env = {name: value for name, value in os.environ.items() if name not in CHANGED}
    return Place(sys.executable, ROOT, env)


def found_in(lines):
    """Return what the header of pytest says is in place; nothing where pytest did not start."""
    said = [line.removeprefix(TITLE) for line in lines if line.startswith(TITLE)]
    return json.loads(said[0]) if said else {}


def started(place):
    """Start pytest without a test, and return what is in place, and how it ended."""
    command = [place.python, "-m", "pytest", "--collect-only", "-p", "no:cacheprovider"]
    ended = quiet([*command, "tests/in_place.py"], cwd=place.cwd, env=place.env)
    lines = [*ended.stdout.splitlines(), *ended.stderr.splitlines()]
    killed = f"ended by signal {-ended.returncode}" if ended.returncode < 0 else ""
    return found_in(lines), killed or last_line(lines)


def lacking(needs):
    """Return which flags the processor is not known to have."""
    text = PROCESSOR.read_text(encoding="utf-8") if PROCESSOR.exists() else ""
    flags = re.search(r"^flags\s*:(.*)$", text, re.MULTILINE)
    return [one for one in needs.split() if not flags or one not in flags[1].split()]


def linked_environment(folder, without=""):
    """Make an environment of links to all libraries here but one, and return its interpreter."""
    quiet([sys.executable, "-m", "venv", "--without-pip", str(folder)])
    paths = {"base": str(folder), "platbase": str(folder)}
    libraries = Path(sysconfig.get_path("purelib", vars=paths))
    for path in Path(sysconfig.get_path("purelib")).iterdir():
        name = re.split(r"[-.]", path.name.lstrip("_"))[0]
        if name not in ("projstg", "pycache__", without):
            (libraries / path.name).symlink_to(path)
    return str(Path(sysconfig.get_path("scripts", vars=paths)) / "python")


def copied(folder, without, env):
    """Copy the checkout and install it there, with a kernel of its own."""
    shutil.copytree(ROOT, folder, ignore=NOT_COPIED)
    place = Place(linked_environment(folder / ".venv", without), folder, env)
    install = [place.python, "-m", "pip", "install", "-qq", "--disable-pip-version-check"]
    quiet([*install, "--no-deps", "--no-build-isolation", "-e", "."], cwd=folder, env=env)
    return place


def amiss(asked, found):
    """Return what is in place instead of what was asked for; nothing where it is as asked.

    Examples
    --------
    >>> amiss({"kernel": "compiled, avx2"}, {"kernel": "compiled, avx512f", "encoding": "utf-8"})
    'kernel: compiled, avx512f'
    """
    return ", ".join(f"{key}: {found[key]}" for key in asked if found[key] != asked[key])


def ended(run, here, own, arguments, workers):
    """Make a run in a folder of its own; ``own`` is what is in place in the checkout."""
    if lacks := lacking(run.needs):
        return Ended("skipped", f"the processor is not known to have {' '.join(lacks)}", [])
    simd = own[SIMD].removeprefix("baseline").strip()
    changed = {name: value.format(here=here, simd=simd) for name, value in run.environment.items()}
    place = checkout()
    place.env.update(changed)
    if run.in_a_copy:
        place = copied(here, run.without, place.env)
    else:
        here.mkdir()
    asked = {key: value.format(here=here) for key, value in run.asked.items()}
    found, said = started(place)
    if not found:
        return Ended("failed", f"pytest did not start: {said}", [])
    if instead := amiss(asked, found):
        return Ended("skipped", instead, [])
    # Also where an argument is -q the header is said.
    arguments = ["--dist", "worksteal", *arguments, "--verbosity=0"]
    status, lines = run_tests(arguments, workers, *place)
    instead = amiss(asked, found_in(lines) or dict.fromkeys(asked, "unknown"))
    as_asked = ", ".join(f"{key}: {value}" for key, value in asked.items())
    return Ended("failed" if status or instead else "passed", instead or as_asked, lines)


def record(name, own, arguments, workers):
    """Make a run, and return what is to be kept of it."""
    start = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="projstg-", ignore_cleanup_errors=True) as folder:
        here = Path(folder).resolve() / RUNS[name].folder
        outcome, there, lines = ended(RUNS[name], here, own, arguments, workers)
    return {
        "commit": commit(),
        "stage": name,
        "seconds": round(time.monotonic() - start),
        "held": outcome != "failed",
        "outcome": outcome,
        "in_place": there.replace(folder, "…"),
        "counts": counts(lines),
        "failures": failures(lines),
    }


def table(done):
    """The last of each run, as Markdown."""
    last = {one["stage"]: one for one in done}
    lines = ["| run | in place | outcome | passed | failed | skipped | seconds |"]
    lines += ["| --- | --- | --- | ---: | ---: | ---: | ---: |"]
    for one in (last[name] for name in RUNS if name in last):
        n = defaultdict(int, one["counts"])
        tests = f"{n['passed']} | {n['failed'] + n['error'] + n['errors']} | {n['skipped']}"
        said = f"{one['stage']} | {one['in_place']} | {one['outcome']}"
        lines.append(f"| {said} | {tests} | {one['seconds']} |")
    commits = dict.fromkeys(one["commit"] for one in last.values())
    return "\n".join([*lines, "", f"Runs on {', '.join(commits)}."])


def main():
    """Make the runs that are asked for, or that are left, and say what ran."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("runs", nargs="*", help=f"{', '.join(RUNS)}, another-core; default all")
    parser.add_argument("--tests", default="", help="arguments of pytest; such a run is not kept")
    parser.add_argument("--table", action="store_true", help="only print the last of each run")
    parser.add_argument("--workers", type=int, default=2, help="processes; default 2")
    options = parser.parse_args()
    if unknown := set(options.runs) - {*RUNS, "another-core"}:
        parser.error(f"no run {', '.join(unknown)}; there are {', '.join(RUNS)}, another-core")
    if options.table:
        print(table(records(RECORDS)))
        return 0
    try:
        return run_all(options)
    except KeyboardInterrupt:
        print("\nStopped; make machines goes on with the runs that are left.", file=sys.stderr)
        return 130


def run_all(options):
    """Make the runs one after the other, and return the exit status."""
    own = in_place()
    another = "nehalem" if own[BLAS] == "openblas Prescott" else "prescott"
    names = [another if name == "another-core" else name for name in options.runs]
    names = names or left(records(RECORDS), RUNS)
    done = []
    for number, name in enumerate(names, 1):
        print(f"\n[{number}/{len(names)}] {name}", flush=True)
        arguments = shlex.split(options.tests)
        one = record(name, own, ["-m", "not torch", *arguments], options.workers)
        done.append(one)
        if not arguments:
            add(RECORDS, one)
        print(f"{name} {one['outcome']} after {one['seconds']} s; {one['in_place']}", flush=True)
    failed = [f"{one['stage']}: {line}" for one in done for line in one["failures"]]
    print(f"\n{table(done)}", *failed, sep="\n")
    return 0 if all(one["held"] for one in done) else 1


if __name__ == "__main__":
    sys.exit(main())
