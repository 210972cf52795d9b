"""C is the one with the smallest held-out error, and the rows say which it was."""

import json
from dataclasses import replace

import numpy as np
import pytest
from small_experiment import SPEC, spec

from projstg import Gates, ProjectedSTG
from projstg.datasets import make_sparse_regression
from projstg.experiments import tune as tuning
from projstg.experiments.registry import Known
from projstg.experiments.runner import run
from projstg.experiments.store import read_rows
from projstg.experiments.tasks import Rule
from projstg.experiments.tune import GRID, chosen_by_folds, chosen_on_pilots, known_of


def refit_error(X, y, fit, test, C, problem):
    gates = Gates(alpha_scale=C, noise_std=1.0)
    model = ProjectedSTG(3, gates=gates, refine=False, fit_intercept=False)
    columns = model.fit(X[fit], y[fit]).get_support(indices=True)
    coef = np.linalg.lstsq(X[fit][:, columns], y[fit])[0]
    return np.mean((y[test] - X[test][:, columns] @ coef) ** 2)


def test_where_no_c_can_be_chosen_the_rows_say_so(tmp_path, monkeypatch):
    monkeypatch.setattr(tuning, "_held_out_errors", lambda X, y, *_: np.full(len(X), np.inf))
    report = run([spec(["projected-stg-exact", "omp"])], tmp_path)
    rows = read_rows(tmp_path).groupby("method")["status"].agg(set)
    assert (rows["omp"], rows["projected-stg-exact"]) == ({"ok"}, {"error"})
    assert "no C could be chosen" in report.first_error
    assert list((tmp_path / "tuning").iterdir()) == []


def test_c_is_the_one_that_predicts_pilots_best():
    grid = (0.1, 1.0, 10.0)
    for n_samples in (10, 14, 20):
        setting = spec().size("smoke").settings[0] | {"n_samples": n_samples}
        rule = Rule("per-setting", grid, 6, 5)
        errors = np.zeros(3)
        for i in range(6):
            doubled = setting | {"n_samples": 2 * n_samples}
            pilot = make_sparse_regression(**doubled, root=5, repetition=1_000_000 + i)
            fit, test = slice(None, n_samples), slice(n_samples, None)
            errors += [refit_error(pilot.X, pilot.y, fit, test, C, pilot) for C in grid]
        assert chosen_on_pilots(setting, rule) == grid[np.argmin(errors)]


def test_c_of_one_problem_is_by_its_own_folds():
    grid = (0.1, 1.0, 10.0)
    setting = spec().size("smoke").settings[0] | {"n_samples": 17}
    problems = [make_sparse_regression(**setting, root=5, repetition=r) for r in range(4)]
    expected = []
    for problem in problems:
        errors = np.zeros(3)
        for test in np.array_split(np.arange(17), 5):
            fit = np.setdiff1d(np.arange(17), test)
            errors += [
                len(test) * refit_error(problem.X, problem.y, fit, test, C, problem) for C in grid
            ]
        expected.append(grid[np.argmin(errors)])
    assert chosen_by_folds(problems, Rule("per-problem", grid, 1, 5)) == expected


def test_the_grid_is_the_papers():
    assert (min(GRID), max(GRID)) == (0.1, 10.0)
    assert np.allclose(np.diff(np.log(GRID)), np.log(100) / 8, atol=1e-3)


@pytest.mark.parametrize("rule", ['"per-setting"', '"per-problem"', "0.3", '"default"'])
def test_rows_say_which_c_was_used(rule, tmp_path):
    text = SPEC.replace('"per-setting"', rule)
    run([spec(["projected-stg-exact", "omp"], text)], tmp_path)
    rows = read_rows(tmp_path)
    found = [json.loads(text) for text in rows.loc[rows["method"] != "omp", "parameters"]]
    assert set(rows.loc[rows["method"] == "omp", "parameters"]) == {"{}"}
    if rule == '"default"':
        assert found == [{}] * 10
        return
    values = {one["alpha_scale"] for one in found}
    assert values == {0.3} if rule == "0.3" else values <= set(GRID)
    kinds = {one["alpha_scale_rule"] for one in found}
    assert kinds == {"given" if rule == "0.3" else rule.strip('"')}


def test_a_method_cannot_learn_the_truth():
    problem = make_sparse_regression(20, 12, 3, noise_std=1.0)
    assert known_of(problem) == Known(3, 1.0, 20, 12, None, known_of(problem).seed)
    assert known_of(problem).seed != known_of(replace(problem, repetition=1)).seed


def test_fresh_chooses_c_anew(tmp_path):
    mine = spec(["projected-stg-exact"])
    run([mine], tmp_path)
    chosen = {path: path.read_text(encoding="utf-8") for path in (tmp_path / "tuning").iterdir()}
    for path, text in chosen.items():
        other = 10.0 if json.loads(text)["alpha_scale"] != 10.0 else 0.1
        path.write_text(json.dumps(json.loads(text) | {"alpha_scale": other}), encoding="utf-8")
    run([mine], tmp_path, fresh=True)
    assert {path: path.read_text(encoding="utf-8") for path in chosen} == chosen
