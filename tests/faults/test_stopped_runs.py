"""A run that is ended from outside loses nothing that was done, and the next one ends it."""

import random
import signal
from time import monotonic, sleep

from laboratory import (
    N_TASKS,
    children,
    leftovers,
    n_parts,
    needs_processes,
    rows_of,
    runs,
    small,
    start,
    undisturbed,
)
from soaking import ROUNDS, count

from projstg import cli
from projstg.experiments.runner import run
from projstg.experiments.store import Store

SAYS = "projstg: stopped; go on with: projstg"

# Workers must not outlive their run; a busy machine may take its time to end them.
_WATCHDOG = 60.0  # seconds: what takes longer has hung


def statuses(number, is_done):
    """The exit statuses that a run may have: one, unless it was all but done."""
    if number == signal.SIGKILL:
        return {-number, 0} if is_done else {-number}
    return {130, 0, -number} if is_done else {130}


def stopped(folder, jobs, number, chance):
    """Stop a run at a random moment; what it says of that is how to go on."""
    wanted = n_parts(folder) + chance.randrange(1, 8)
    process = start(folder, jobs)
    while n_parts(folder) < min(wanted, N_TASKS) and process.poll() is None:
        sleep(0.001)
    sleep(chance.uniform(0.0, 0.05))
    workers = children(process.pid)
    process.send_signal(number)
    said, _ = process.communicate(timeout=_WATCHDOG)  # the end of its output, which workers share
    end = monotonic() + _WATCHDOG
    while any(map(runs, workers)) and monotonic() < end:
        sleep(0.01)
    assert not any(map(runs, workers)), "a worker outlives its run"
    is_done = n_parts(folder) == N_TASKS
    assert process.returncode in statuses(number, is_done)
    if process.returncode == 130:
        assert is_done or said.splitlines()[-1].startswith(SAYS)
        assert said.splitlines()[-1].startswith("projstg: stopped")


@needs_processes
def test_a_run_stopped_at_any_moment_goes_on_and_ends_the_same(tmp_path):
    for round in range(ROUNDS):
        chance, folder = random.Random(round), tmp_path / f"round-{round}"
        polite = (signal.SIGTERM, signal.SIGINT)[round % 2]
        for jobs, number in enumerate(chance.sample([signal.SIGKILL, polite], 2), start=1):
            stopped(folder, jobs, number, chance)
            count("fault", f"{signal.Signals(number).name}, {jobs} jobs")
        run([small()], folder)
        assert rows_of(folder) == undisturbed()
        assert leftovers(folder) == []


def test_a_second_run_in_one_folder_is_refused_and_changes_nothing(tmp_path, capsys):
    spec = tmp_path / "small.toml"
    spec.write_text(small().text, encoding="utf-8")
    folder = tmp_path / "out"
    run([small()], folder)
    before = {path: path.stat().st_mtime_ns for path in folder.rglob("*")}
    for _ in range(ROUNDS):
        with Store(folder).locked():
            command = ["reproduce", str(spec), "--out", str(folder), "--fresh"]
            assert cli.main(command) == 2
        said = capsys.readouterr().err
        assert "another run is writing" in said
        assert said.count("\n") == 1
        assert {path: path.stat().st_mtime_ns for path in folder.rglob("*")} == before
        count("fault", "two runs")
