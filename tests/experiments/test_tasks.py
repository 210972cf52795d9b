"""Tasks: one for each setting, method and block, with a key that does not change."""

import pytest
from small_experiment import SPEC, spec

from projstg.experiments import runner
from projstg.experiments.runner import run
from projstg.experiments.spec import parse_spec
from projstg.experiments.tasks import plan
from projstg.experiments.tune import GRID


def test_named_methods_keep_their_variants():
    text = SPEC.replace('"omp"', '{ method = "omp", label = "mine" }')
    tasks = runner._planned([parse_spec(text, "m")], "smoke", ["omp", "lasso"])
    assert {(task.method, task.label) for task in tasks} == {("omp", "mine"), ("lasso", "LASSO")}


def test_entries_that_differ_have_names_that_differ(tmp_path):
    pairs = [{"method": "stg"}, {"method": "stg", "estimate": "gated_coef_"}]
    labels = [task.label for task in plan(spec(pairs), "smoke", GRID)]
    assert len(set(labels)) == 2
    same = [{"method": "stg", "label": "it", "parameters": {"tau": tau}} for tau in (0.4, 0.5)]
    with pytest.raises(ValueError, match="mine: two entries are called 'it'; give each a label"):
        run([spec(same)], tmp_path / "out")
    assert not (tmp_path / "out").exists()
    assert len(list(plan(spec(["omp", "omp"]), "smoke", GRID))) == 12


KEY = "2ad8dd4c7ba077491beca40b9f60b7a0e59b7feefd90300a552aa6a90a6e777a"


def test_the_key_of_a_task_does_not_change(monkeypatch):
    """A run that an earlier commit began goes on: its parts are found by their keys."""
    monkeypatch.setattr("projstg.experiments.tasks.own_version", lambda: "0.1.0")
    first = next(plan(spec(), "smoke", GRID))
    assert first.key == KEY
