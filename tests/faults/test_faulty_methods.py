"""A method that raises, hangs, leaks or ends its process fails alone, and its rows say how.

Meanwhile a worker is killed from outside, which costs no row at all.
"""

import os
import signal
from itertools import count as integers
from random import Random

from faulty_methods import KINDS
from laboratory import children, needs_processes, rows_of
from soaking import ROUNDS, count

from projstg.experiments.limits import Limits
from projstg.experiments.pool import Workers
from projstg.experiments.runner import run
from projstg.experiments.spec import parse_spec
from projstg.experiments.store import read_rows
from projstg.experiments.tune import method_seed

PLAIN = "faulty_methods:Plain"  # without fault, and without an import that takes time
SECONDS = 3.0  # what answers takes milliseconds, also where others keep the machine busy
LIMITS = Limits(seconds=SECONDS, memory=2**30, grace=0.5)

SAYS = {
    "Raises": r"RuntimeError: a \x1b[31mbad\x07 day",
    "Quits": "SystemExit: enough",
    "Hangs": f"TimeLimit: no answer within {SECONDS:g} s",
    "Leaks": "MemoryError",
    "Short": "ValueError: get_support() is no mask of the 12 columns; return one.",
    "exits": "the worker process died: exit status 3",
    "segfaults": "the worker process died: Fatal Python error: Segmentation fault",
    "stuck": f"TimeLimit: no answer within {SECONDS:g} s, and none to a signal",
    "fine": "",
}


def experiment(name, methods, repetitions, root=0):
    text = f"""
        root = {root}
        methods = {[*methods, PLAIN]}
        [problem]
        n_features = 12
        n_informative = 3
        noise_std = 1.0
        [sizes.smoke]
        repetitions = {repetitions}
        settings = [{{ n_samples = 20 }}]
    """
    return parse_spec(text, name)


def root_with_every_kind(least):
    """A root whose four problems are one for each way to end a process."""
    setting = experiment("fatal", [], 4).size("smoke").settings[0]
    for root in integers(least):
        if {method_seed(setting, root, r) % 4 for r in range(4)} == set(range(4)):
            return root
    raise AssertionError


def killer(chance):
    """What kills a worker, busy or not, once rows have begun to come."""
    moment = chance.randrange(1, 5)

    def kill(what, done, total):
        if what == "fitting" and done == moment:
            os.kill(chance.choice(children(os.getpid())), signal.SIGKILL)
            count("fault", "worker killed")

    return kill


@needs_processes
def test_each_fails_alone_and_says_how(tmp_path):
    for round in range(ROUNDS):
        folder = tmp_path / f"round-{round}"
        names = ["Raises", "Quits", "Hangs", "Leaks", "Short"]
        faulty = experiment("faulty", [f"faulty_methods:{name}" for name in names], 1)
        fatal = experiment("fatal", ["faulty_methods:Fatal"], 4, root_with_every_kind(1000 * round))
        workers = Workers(jobs=2, limits=LIMITS)
        report = run([faulty, fatal], folder, workers=workers, progress=killer(Random(round)))
        rows = read_rows(folder)
        for row in rows[rows["method"] != PLAIN].to_dict("records"):
            name = row["method"].partition(":")[2]
            kind = KINDS[row["seed"] % 4] if name == "Fatal" else name
            assert row["message"].startswith(SAYS[kind]), kind
            assert row["status"] == ("ok" if kind == "fine" else "error")
            assert row["failure"] == "error" or kind == "fine"
            if kind != "fine":
                count("fault", f"method: {kind.lower()}")
        assert report.n_errors == len(names) + len(KINDS) - 1

        run([experiment("faulty", [], 1), experiment("fatal", [], 4, fatal.root)], folder / "alone")
        assert rows_of(folder, PLAIN) == rows_of(folder / "alone")
