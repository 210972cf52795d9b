"""A run that is ended from outside loses nothing that was done, and the next one ends it."""

import random
import signal
from time import monotonic, sleep

from laboratory import (
    N_TASKS,
    children,
    leftovers,
    n_parts,
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

STATUS = {signal.SIGKILL: -signal.SIGKILL, signal.SIGINT: 130, signal.SIGTERM: 130}


def stopped(folder, jobs, signal_number, chance):
    """Stop a run at a random moment; what it said, or None if it was done before."""
    wanted = n_parts(folder) + chance.randrange(1, 8)
    process = start(folder, jobs)
    while n_parts(folder) < min(wanted, N_TASKS) and process.poll() is None:
        sleep(0.001)
    sleep(chance.uniform(0.0, 0.05))
    workers = children(process.pid)
    was_running = process.poll() is None
    process.send_signal(signal_number)
    began = monotonic()
    said, _ = process.communicate(timeout=10)  # the end of its output, which workers share
    assert monotonic() - began < 5.0
    while any(map(runs, workers)):
        assert monotonic() - began < 5.0, "a worker outlives its run"
        sleep(0.01)
    assert process.returncode in ({STATUS[signal_number]} if was_running else {0, 130})
    return said


def test_a_run_stopped_at_any_moment_goes_on_and_ends_the_same(tmp_path):
    for round in range(ROUNDS):
        chance, folder = random.Random(round), tmp_path / f"round-{round}"
        polite = (signal.SIGTERM, signal.SIGINT)[round % 2]
        for jobs, number in enumerate(chance.sample([signal.SIGKILL, polite], 2), start=1):
            said = stopped(folder, jobs, number, chance)
            if "stopped" in said:
                assert said.splitlines()[-1].startswith("projstg: stopped; go on with: projstg")
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
