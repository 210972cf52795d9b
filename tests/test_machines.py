"""``make machines`` counts no run as passed that was not what it was asked to be."""

import json
import os
import subprocess
import sys

import long_runs
import machines
import matrix
import pytest
import soak
from in_place import BLAS, KERNEL, SIMD, THREADS, TITLE, in_place
from machines import RUNS, Run

HASWELL = {BLAS: "openblas Haswell", SIMD: "baseline X86_V3"}
PRESCOTT = HASWELL | {BLAS: "openblas Prescott"}
ALL_PASSED = "=== 3 passed, 1 skipped in 0.10s ==="


@pytest.fixture
def fake_pytest(monkeypatch, tmp_path):
    """Let pytest say what is in place at its short start and in the run, and not run."""
    monkeypatch.setattr(machines, "RECORDS", tmp_path / "kept" / "runs.jsonl")
    monkeypatch.setattr(machines, "PROCESSOR", tmp_path / "cpuinfo")
    flags = "flags\t\t: pni ssse3 sse4_1 sse4_2 avx2 fma\n"
    (tmp_path / "cpuinfo").write_text(flags, encoding="utf-8")

    def made(at_start, in_the_run, ended=ALL_PASSED, status=0):
        lines = [TITLE + json.dumps(in_the_run)] if in_the_run else []
        monkeypatch.setattr(machines, "started", lambda place: (at_start, "nothing was said"))
        monkeypatch.setattr(machines, "run_tests", lambda *_, **__: (status, [*lines, ended]))

    return made


def record(name):
    return machines.record(name, HASWELL, ["tests"], 1)


def main(monkeypatch, *arguments):
    monkeypatch.setattr(sys, "argv", ["machines.py", *arguments])
    return machines.main()


def in_a_new_process(code, **changed):
    command = [sys.executable, "-c", code]
    ended = subprocess.run(
        command, capture_output=True, text=True, check=True, env=os.environ | changed
    )
    return ended.stdout.split()


@pytest.mark.parametrize(
    ("at_start", "in_the_run", "outcome", "said"),
    [
        (HASWELL, HASWELL, "passed", "openblas Haswell"),
        (PRESCOTT, HASWELL, "skipped", "openblas Prescott"),
        (HASWELL, PRESCOTT, "failed", "openblas Prescott"),  # though all tests passed
        (HASWELL, None, "failed", "unknown"),
    ],
)
def test_a_run_has_passed_if_it_is_what_was_asked_for(
    fake_pytest, at_start, in_the_run, outcome, said
):
    fake_pytest(at_start, in_the_run)
    one = record("haswell")
    assert (one["outcome"], one["held"]) == (outcome, outcome != "failed")
    assert one["in_place"] == f"{BLAS}: {said}"
    assert one["counts"] == ({} if outcome == "skipped" else {"passed": 3, "skipped": 1})


def test_a_processor_that_lacks_something_is_not_tried(fake_pytest):
    fake_pytest(HASWELL, HASWELL)
    flags = "processor : 0\nflags\t\t: sse4_2 avx2\nmore : fma\n"
    machines.PROCESSOR.write_text(flags, encoding="utf-8")
    one = record("haswell")
    assert one["outcome"] == "skipped"
    assert one["in_place"] == "the processor is not known to have fma"


def test_where_nothing_is_known_of_the_processor_it_is_not_tried(fake_pytest):
    fake_pytest(HASWELL, HASWELL)
    machines.PROCESSOR.unlink()
    assert record("haswell")["outcome"] == "skipped"


def test_openblas_that_falls_back_without_a_word_is_seen(monkeypatch):
    run = Run({"OPENBLAS_CORETYPE": "Abacus"}, {BLAS: "openblas Abacus"})
    monkeypatch.setitem(machines.RUNS, "abacus", run)
    monkeypatch.setattr(machines, "CHANGED", {"OPENBLAS_CORETYPE"})
    one = record("abacus")
    assert one["outcome"] == "skipped"
    assert one["in_place"].startswith(f"{BLAS}: ")
    assert "abacus" not in one["in_place"].lower()


def test_a_run_that_does_not_start_has_failed_and_the_next_one_is_made(
    fake_pytest, monkeypatch, capsys
):
    start = machines.started
    fake_pytest(HASWELL, HASWELL)
    fake = machines.started
    broken = Run({"PYTHONHOME": "/no/such/folder"}, {})
    monkeypatch.setattr(machines, "RUNS", {"broken": broken, "fine": Run({}, {})})
    monkeypatch.setattr(
        machines, "started", lambda place: (start if "PYTHONHOME" in place.env else fake)(place)
    )
    assert main(monkeypatch) == 1
    said = capsys.readouterr().out
    assert "broken failed" in said
    assert "pytest did not start: " in said
    assert "fine passed" in said
    assert [one["stage"] for one in long_runs.records(machines.RECORDS)] == ["broken", "fine"]


@pytest.mark.parametrize(("own", "name"), [(HASWELL, "prescott"), (PRESCOTT, "nehalem")])
def test_another_core_is_not_the_own_one(fake_pytest, monkeypatch, capsys, own, name):
    fake_pytest(own, own)
    monkeypatch.setattr(machines, "in_place", lambda: own)
    assert main(monkeypatch, "another-core", "--tests", "tests/plots") == 0
    assert f"[1/1] {name}\n" in capsys.readouterr().out
    assert not machines.RECORDS.exists()  # a few of the tests are no run


def test_a_name_that_there_is_not_is_refused(monkeypatch, capsys):
    with pytest.raises(SystemExit):
        main(monkeypatch, "haswel")
    assert "no run haswel; there are one-thread, two-threads, " in capsys.readouterr().err


def test_the_table_has_the_last_of_each_run(fake_pytest):
    fake_pytest(HASWELL, HASWELL, "=== 2 failed, 1 passed in 0.10s ===", status=1)
    first, second = record("haswell"), record("zen")
    fake_pytest(HASWELL, HASWELL)
    rows = machines.table([first, second, record("haswell")]).splitlines()[2:4]
    assert rows[0].startswith(f"| haswell | {BLAS}: openblas Haswell | passed | 3 | 0 | 1 | ")
    assert rows[1].startswith(f"| zen | {BLAS}: openblas Haswell | skipped | 0 | 0 | 0 | ")


@pytest.mark.skipif(sys.platform == "win32", reason="links need a right there")
def test_an_environment_of_links_lacks_one_library(tmp_path):
    python = machines.linked_environment(tmp_path / "with a blank", "skglm")
    code = "import numpy, sys, importlib.util as u\nprint(sys.prefix, *map(u.find_spec, %r))"
    command = [python, "-c", code % (["skglm", "projstg"],)]
    ended = subprocess.run(command, capture_output=True, text=True, check=True, cwd=tmp_path)
    assert ended.stdout.strip() == f"{tmp_path / 'with a blank'} None None"


def test_runs_ask_for_what_the_header_says():
    assert {key for run in RUNS.values() for key in run.asked} == set(in_place())
    assert RUNS["kernel-avx2"].asked == {KERNEL: "compiled, avx2"}


def test_runs_that_are_left(monkeypatch):
    monkeypatch.setattr(long_runs, "commit", lambda: "new")

    def left(*done):
        ended = [{"commit": c, "stage": stage, "held": held} for c, stage, held in done]
        return long_runs.left(ended, ["a", "b"])

    old, a, b = ("old", "a", True), ("new", "a", True), ("new", "b", True)
    assert left(old) == ["a", "b"]
    assert left(old, a) == ["b"]
    assert left(("new", "a", False)) == ["a", "b"]
    assert left(a, ("new", "a", False), b) == ["a"]
    assert left(a, b) == ["a", "b"]
    assert left(a, b, b) == ["a"]
    monkeypatch.setattr(long_runs, "commit", lambda: "new-dirty")
    assert left(("new-dirty", "a", True)) == ["a", "b"]


def test_long_runs_name_files_that_exist():
    named = [path for paths, *_ in soak.STAGES.values() for path in paths]
    named += matrix.LEFT_OUT
    assert [path for path in named if not (long_runs.ROOT / path).exists()] == []


def test_tests_have_one_blas_thread_or_as_many_as_are_asked_for():
    asked = os.environ.get("PROJSTG_TEST_THREADS", "1")
    assert in_place()[THREADS] in (asked, "unknown")
    code = "import in_place; print(in_place.in_place()[in_place.THREADS])"
    assert in_a_new_process(code, PYTHONPATH=str(long_runs.ROOT / "tests"))[0] in (asked, "unknown")
