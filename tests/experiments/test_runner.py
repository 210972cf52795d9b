"""Runs: the same rows however they are made, nothing lost and nothing twice."""

import json
import os
from dataclasses import replace

import numpy as np
import pytest

from projstg import Gates, ProjectedSTG
from projstg.datasets import make_sparse_regression
from projstg.experiments import runner
from projstg.experiments import tune as tuning
from projstg.experiments.evaluate import scores
from projstg.experiments.fit_method import fit_all
from projstg.experiments.pool import Lost, Workers
from projstg.experiments.registry import Known, method
from projstg.experiments.runner import run
from projstg.experiments.spec import parse_spec
from projstg.experiments.store import TIMINGS, read_rows
from projstg.experiments.tasks import Rule, plan
from projstg.experiments.trial import Where, run_task
from projstg.experiments.tune import GRID, chosen_by_folds, chosen_on_pilots, known_of

SPEC = """
root = 5
alpha_scale = "per-setting"
methods = ["omp", "projected-stg-exact", "projected-stg-refined", "limit-evidence"]
[problem]
n_features = 16
n_informative = 3
noise_std = 1.0
[sizes.smoke]
repetitions = 5
block = 2
pilots = 3
[[sizes.smoke.settings]]
n_samples = [12, 25]
"""


def spec(methods=None, text=SPEC, name="mine"):
    if methods is not None:
        start, end = text.index("methods ="), text.index("[problem]")
        text = text[:start] + f"methods = {_toml(methods)}\n" + text[end:]
    return parse_spec(text, name)


def _toml(value):
    if isinstance(value, list):
        return f"[{', '.join(map(_toml, value))}]"
    if isinstance(value, dict):
        return f"{{ {', '.join(f'{key} = {_toml(each)}' for key, each in value.items())} }}"
    return json.dumps(value)


def contents(folder):
    return read_rows(folder).drop(columns=list(TIMINGS)).to_csv()


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    folder = tmp_path_factory.mktemp("whole")
    report = run([spec()], folder)
    assert (report.n_tasks, report.n_done, report.n_errors) == (24, 24, 0)
    return folder


def test_what_is_there_is_not_done_again(whole):
    before = {path: path.stat().st_mtime_ns for path in (whole / "parts").iterdir()}
    report = run([spec()], whole)
    assert (report.n_done, report.n_found) == (0, 24)
    assert {path: path.stat().st_mtime_ns for path in (whole / "parts").iterdir()} == before
    some = sorted(before)[:3]
    expected = contents(whole)
    some[0].unlink()
    os.truncate(some[1], 100)
    report = run([spec()], whole)
    assert (report.n_done, len(report.set_aside)) == (2, 1)
    assert some[1].name in report.set_aside[0]
    assert contents(whole) == expected
    assert run([spec()], whole, methods=["omp"], fresh=True).n_done == 6
    assert contents(whole) == expected


def test_every_method_sees_the_same_problems(whole):
    rows = read_rows(whole)
    assert len(rows) == 2 * 4 * 5
    for _, group in rows.groupby(["setting", "repetition"]):
        assert len({tuple(truth) for truth in group["truth"]}) == 1
        for column in ("seed", "true_score_evidence", "true_score_least_squares", "sigma"):
            assert group[column].nunique() == 1
    assert rows.groupby("setting")["seed"].nunique().eq(5).all()
    assert set(rows["blas_threads"]) == {1}
    assert set(rows["version"]) == {"0.1.0"}


def test_the_run_says_what_it_was(whole):
    run([spec()], whole, command="projstg reproduce mine")
    run([spec()], whole)
    about = json.loads((whole / "run.json").read_text())
    assert (about["n_tasks"], about["n_done"]) == (24, 0)
    assert about["earlier"][0]["n_done"] == 24
    assert about["earlier"][-1]["command"] == "projstg reproduce mine"
    assert about["size"] == "smoke"
    assert about["roots"] == {"mine": 5}
    assert about["ended"] >= about["started"]
    assert about["machine"]["cores"] >= 1
    assert "numpy" in about["versions"]
    assert parse_spec((whole / "specs" / "mine.toml").read_text(), "mine") == spec()


def test_methods_from_outside_fail_alone(tmp_path):
    names = ["own_methods:Moody", "own_methods:marginal", "own_methods:missing", "own_methods:many"]
    report = run([spec(names)], tmp_path)
    rows = read_rows(tmp_path)
    assert set(report.unavailable) == {"own_methods:missing"}
    assert 'pip install "projstg[peers]"' in report.unavailable["own_methods:missing"]
    moody = rows[rows["method"] == "own_methods:Moody"].set_index(["setting", "repetition"])
    for (_, repetition), row in moody.iterrows():
        problem = make_sparse_regression(**json.loads(row.name[0]), root=5, repetition=repetition)
        kind = "error" if problem.y[0] > 1 else "unconverged" if problem.y[0] < -1 else "ok"
        assert row["status"] == kind
    assert set(moody["status"]) == {"error", "unconverged", "ok"}
    failed = moody[moody["status"] == "error"]
    assert set(failed["message"]) == {"RuntimeError: a bad day"}
    assert report.n_errors == len(failed)
    assert set(failed["failure"]) == {"error"}
    for column in ("exact", "sign_recovery", "true_positive_rate", "residual", "score_evidence"):
        assert failed[column].isna().all()
        assert moody[moody["status"] != "error"][column].notna().all()
    many = rows[rows["method"] == "own_methods:many"].set_index(["setting", "repetition"])
    assert set(many["batch_size"]) == {1, 2}  # five repetitions in blocks of two
    answered = moody[moody["status"] != "error"]
    for key, row in answered.iterrows():
        assert list(row["support"]) == list(many.loc[key, "support"])


def test_what_failed_is_tried_again_and_nothing_else(tmp_path):
    names = ["own_methods:Moody", "omp"]
    first = run([spec(names)], tmp_path)
    expected = contents(tmp_path)
    parts = {path: path.stat().st_mtime_ns for path in (tmp_path / "parts").iterdir()}
    again = run([spec(names)], tmp_path)
    changed = [path for path in parts if path.stat().st_mtime_ns != parts[path]]
    assert 0 < again.n_done == len(changed) < first.n_done
    assert again.n_errors == first.n_errors
    assert contents(tmp_path) == expected


def test_an_estimate_that_the_method_does_not_have_is_an_error(tmp_path):
    text = SPEC.replace('"omp"', '{ method = "omp", estimate = "gated_coef_" }')
    report = run([parse_spec(text, "mine")], tmp_path, methods=["omp"])
    assert report.n_errors == len(read_rows(tmp_path)) == 10
    assert "gated_coef_" in report.first_error


def test_a_problem_that_cannot_be_drawn_is_an_error(tmp_path):
    design = 'design = { name = "gaussian", mean = [1.0] }'
    text = SPEC.replace("noise_std = 1.0", f"noise_std = 1.0\n{design}")
    report = run([spec(["omp"], text)], tmp_path)
    rows = read_rows(tmp_path)
    assert report.n_errors == len(rows) == 10
    assert set(rows["failure"]) == {"error"}
    assert rows["seed"].nunique() == 10
    assert "mean" in report.first_error


def test_where_no_c_can_be_chosen_the_rows_say_so(tmp_path, monkeypatch):
    monkeypatch.setattr(tuning, "_held_out_errors", lambda X, y, *_: np.full(len(X), np.inf))
    report = run([spec(["projected-stg-exact", "omp"])], tmp_path)
    rows = read_rows(tmp_path).groupby("method")["status"].agg(set)
    assert (rows["omp"], rows["projected-stg-exact"]) == ({"ok"}, {"error"})
    assert "no C could be chosen" in report.first_error
    assert list((tmp_path / "tuning").iterdir()) == []


def test_a_support_of_the_wrong_size_is_judged(tmp_path):
    run([spec(["own_methods:wrong_size"])], tmp_path)
    rows = read_rows(tmp_path)
    assert not rows["exact"].any()
    assert np.isinf(rows["score_evidence"]).all()
    assert set(rows["failure"]) == {"optimisation"}
    assert rows["residual"].gt(0).all()


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
        assert "fit any y on 6 rows without error" in outcome.message


@pytest.mark.torch
def test_fitting_on_a_device_gives_the_same_kind_of_rows():
    pytest.importorskip("torch")
    task = next(t for t in plan(spec(), "smoke", GRID) if t.method == "projected-stg-exact")
    here, there = (run_task(task, Where("0", None, device), 0.5) for device in ("cpu", "cpu:0"))
    assert [row["device"] for row in there] == ["cpu:0"] * 2
    assert [row["support"] for row in there] == [row["support"] for row in here]
    assert [row["score_evidence"] for row in there] == [row["score_evidence"] for row in here]


def plain_scores(X, y, support):
    """Both scores by their formulas."""
    n = len(y)
    Z = (X / np.sqrt(np.mean(X**2, axis=0)))[:, support]
    G, b = Z.T @ Z, Z.T @ y
    evidences = []
    for kappa in 10.0 ** np.arange(-6, 2.5, 0.5):
        H = G + kappa * np.eye(len(support))
        rss = y @ y - b @ np.linalg.solve(H, b)
        volume = np.linalg.slogdet(H)[1] - len(support) * np.log(kappa)
        evidences.append(-(n * np.log(rss) + volume) / 2)
    residual = y - Z @ np.linalg.lstsq(Z, y)[0]
    return -2 * np.log(np.mean(np.exp(evidences))), n * np.log(residual @ residual)


def test_scores_are_the_formulas(rng):
    problems = [make_sparse_regression(20, 12, 3, noise_std=1.0, repetition=r) for r in range(3)]
    X, y = np.stack([p.X for p in problems]), np.stack([p.y for p in problems])
    truths = [np.flatnonzero(p.support) for p in problems]
    found = [np.array([0, 4, 7]), truths[1], np.array([1, 2])]
    for place, criterion in enumerate(("evidence", "least-squares")):
        for i, (true, own) in enumerate(scores(X, y, truths, found, criterion)):
            assert true == pytest.approx(plain_scores(X[i], y[i], truths[i])[place])
            expected = plain_scores(X[i], y[i], found[i])[place] if i < 2 else np.inf
            assert own == pytest.approx(expected)


def refit_error(X, y, fit, test, C, problem):
    gates = Gates(alpha_scale=C, noise_std=1.0)
    model = ProjectedSTG(3, gates=gates, refine=False, fit_intercept=False)
    columns = model.fit(X[fit], y[fit]).get_support(indices=True)
    coef = np.linalg.lstsq(X[fit][:, columns], y[fit])[0]
    return np.mean((y[test] - X[test][:, columns] @ coef) ** 2)


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


def test_named_methods_keep_their_variants():
    text = SPEC.replace('"omp"', '{ method = "omp", label = "mine" }')
    tasks = runner._planned([parse_spec(text, "m")], "smoke", ["omp", "lasso"])
    assert {(task.method, task.label) for task in tasks} == {("omp", "mine"), ("lasso", "LASSO")}


def test_ctrl_c_keeps_what_is_done(whole, tmp_path):
    def stop(what, done, total):
        if what == "fitting" and done == 4:
            raise KeyboardInterrupt

    report = run([spec()], tmp_path, progress=stop)
    assert report.interrupted
    assert report.n_done == len(list((tmp_path / "parts").iterdir())) == 4
    report = run([spec()], tmp_path)
    assert (report.n_found, report.n_done) == (4, 20)
    assert contents(tmp_path) == contents(whole)


def test_single_fits_are_timed_alone():
    problem = make_sparse_regression(20, 12, 3, noise_std=1.0)
    (outcome,) = fit_all(method("omp"), problem.X[None], problem.y[None], [known_of(problem)])
    assert 0 < outcome.seconds < 1
    assert (outcome.batch_size, outcome.device, outcome.status) == (1, "cpu", "ok")


def test_an_unknown_backend_is_refused(tmp_path):
    with pytest.raises(ValueError, match="no backend 'ray'"):
        run([spec(["omp"])], tmp_path, workers=Workers(backend="ray"))


def test_a_dask_cluster_makes_the_same_rows(whole, tmp_path):
    distributed = pytest.importorskip("distributed")
    with distributed.LocalCluster(
        n_workers=1, threads_per_worker=1, processes=False, dashboard_address=None
    ) as cluster:
        workers = Workers(backend="dask", scheduler=cluster.scheduler_address)
        report = run([spec()], tmp_path, workers=workers)
    assert report.n_done == 24
    assert contents(tmp_path) == contents(whole)


def test_entries_that_differ_have_names_that_differ(tmp_path):
    pairs = [{"method": "stg"}, {"method": "stg", "estimate": "gated_coef_"}]
    labels = [task.label for task in plan(spec(pairs), "smoke", GRID)]
    assert len(set(labels)) == 2
    same = [{"method": "stg", "label": "it", "parameters": {"tau": tau}} for tau in (0.4, 0.5)]
    with pytest.raises(ValueError, match="mine: two entries are called 'it'; give each a label"):
        run([spec(same)], tmp_path / "out")
    assert not (tmp_path / "out").exists()
    assert len(list(plan(spec(["omp", "omp"]), "smoke", GRID))) == 12


def test_one_name_for_two_experiments_is_refused(tmp_path):
    two = [spec(["omp"]), spec(["lasso"])]
    with pytest.raises(ValueError, match="two experiments are called 'mine'; rename one file"):
        run(two, tmp_path / "out")
    assert not (tmp_path / "out").exists()
    shared = replace(two[0], title="the same trials")
    assert run([two[0], shared], tmp_path / "out").n_tasks == 6


def test_fresh_chooses_c_anew(tmp_path):
    mine = spec(["projected-stg-exact"])
    run([mine], tmp_path)
    chosen = {path: path.read_text() for path in (tmp_path / "tuning").iterdir()}
    for path, text in chosen.items():
        other = 10.0 if json.loads(text)["alpha_scale"] != 10.0 else 0.1
        path.write_text(json.dumps(json.loads(text) | {"alpha_scale": other}))
    run([mine], tmp_path, fresh=True)
    assert {path: path.read_text() for path in chosen} == chosen


@pytest.mark.parametrize("reason", ["the worker process died", "TimeLimit: no answer"])
def test_a_lost_block_is_tried_whole_then_in_pieces(reason):
    """The first attempt at each task is lost; of one task the second as well."""
    tasks = [task for task in plan(spec(["own_methods:many"]), "smoke", GRID) if task.last == 2]
    seen, alone = {}, []

    def answers(calls, one_at_a_time):
        for name, function, args in calls:
            seen[name] = seen.get(name, 0) + 1
            alone.append(one_at_a_time)
            lost = name in (tasks[0].key, tasks[1].key) and seen[name] <= 1 + (name == tasks[0].key)
            yield name, Lost(reason) if lost else function(*args)

    rows = dict(runner._rows_of(tasks, {}, Where("0", None), answers))
    sizes = {key: [row["batch_size"] for row in found] for key, found in rows.items()}
    assert sizes == {tasks[0].key: [1, 1], tasks[1].key: [2, 2]}
    assert alone == [False] * 2 + [not reason.startswith("TimeLimit")] * 4
