"""Problems fitted together are problems fitted one by one."""

from dataclasses import replace

import numpy as np
import pytest
from small_experiment import SPEC, spec

from projstg.datasets import make_sparse_regression
from projstg.experiments import fit_method as module
from projstg.experiments.fit_method import fit_all
from projstg.experiments.registry import Method, method
from projstg.experiments.runner import run
from projstg.experiments.spec import parse_spec
from projstg.experiments.store import read_rows
from projstg.experiments.tasks import plan
from projstg.experiments.trial import Where, run_task
from projstg.experiments.tune import GRID, known_of


def test_problems_at_once_are_problems_one_by_one():
    names = ["projected-stg", "projected-stg-exact", "projected-stg-refined", "stg"]
    few = {"gates__max_iter": 30}
    for name in names:
        entry = {"method": name, "parameters": few if name != "projected-stg-refined" else {}}
        text = SPEC.replace('"per-setting"', "0.5")
        task = replace(
            next(iter(plan(parse_spec(text, "mine"), "smoke", GRID))),
            method=entry["method"],
            parameters=entry["parameters"],
            alpha_scale=0.5,
            estimate="gated_coef_",
        )
        where = Where("0", None)
        together, singly = run_task(task, where), run_task(replace(task, one_at_a_time=True), where)
        assert [row["batch_size"] for row in together] == [2, 2]
        assert [row["batch_size"] for row in singly] == [1, 1]
        for one, other in zip(together, singly, strict=True):
            assert one["support"] == other["support"]
            assert one["status"] == other["status"] == "ok"
            assert one["estimation_error"] == pytest.approx(other["estimation_error"], rel=1e-9)


@pytest.mark.parametrize("name", ["projected-stg-exact", "projected-stg-refined", "stg"])
@pytest.mark.parametrize("one_at_a_time", [False, True])
def test_as_many_columns_as_rows_are_noted_in_the_row_and_nowhere_else(name, one_at_a_time):
    problems = [make_sparse_regression(6, 12, 6, noise_std=1.0, repetition=r) for r in range(2)]
    X, y = np.stack([p.X for p in problems]), np.stack([p.y for p in problems])
    few = {"gates__max_iter": 30} if name == "stg" else {}
    known = [known_of(p) for p in problems]
    found = fit_all(method(name), X, y, known, parameters=few, one_at_a_time=one_at_a_time)
    for outcome in found:  # a warning that is not caught is an error here
        assert outcome.status == "ok"
        assert outcome.support.sum() == 6
        assert "fit any values of y on 6 rows without error" in outcome.message


@pytest.mark.torch
def test_fitting_on_a_device_gives_the_same_kind_of_rows():
    pytest.importorskip("torch")
    task = next(t for t in plan(spec(), "smoke", GRID) if t.method == "projected-stg-exact")
    here, there = (run_task(task, Where("0", None, device), 0.5) for device in ("cpu", "cpu:0"))
    assert [row["device"] for row in there] == ["cpu:0"] * 2
    assert [row["support"] for row in there] == [row["support"] for row in here]
    assert [row["score_evidence"] for row in there] == [row["score_evidence"] for row in here]


def test_fits_alone_are_timed_without_what_comes_before_and_after(monkeypatch):
    now = 0.0

    def takes(seconds):
        nonlocal now
        now += seconds

    class Slow:
        def __init__(self):
            takes(10.0)

        def fit(self, X, y):
            takes(3.0)

        def get_support(self):
            takes(100.0)
            return np.arange(12) < 3

    monkeypatch.setattr(module, "perf_counter", lambda: now)
    problem = make_sparse_regression(20, 12, 3, noise_std=1.0)
    slow = Method("own-slow", "slow", lambda known: Slow())
    X, y = np.stack([problem.X] * 2), np.stack([problem.y] * 2)
    for outcome in fit_all(slow, X, y, [known_of(problem)] * 2):
        assert outcome.seconds == 3.0
        assert (outcome.batch_size, outcome.device, outcome.status) == (1, "cpu", "ok")


def test_an_estimate_that_the_method_does_not_have_is_an_error(tmp_path):
    text = SPEC.replace('"omp"', '{ method = "omp", estimate = "gated_coef_" }')
    report = run([parse_spec(text, "mine")], tmp_path, methods=["omp"])
    assert report.n_errors == len(read_rows(tmp_path)) == 10
    assert "gated_coef_" in report.first_error
