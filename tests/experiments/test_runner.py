"""Runs: the same rows however they are made, nothing lost and nothing twice."""

import json
import os
from dataclasses import replace

import pytest
from small_experiment import SPEC, contents, spec

from projstg.datasets import make_sparse_regression
from projstg.experiments.pool import Workers
from projstg.experiments.runner import run
from projstg.experiments.spec import parse_spec
from projstg.experiments.store import read_rows


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
    about = json.loads((whole / "run.json").read_text(encoding="utf-8"))
    assert (about["n_tasks"], about["n_done"]) == (24, 0)
    assert about["earlier"][0]["n_done"] == 24
    assert about["earlier"][-1]["command"] == "projstg reproduce mine"
    assert about["size"] == "smoke"
    assert about["roots"] == {"mine": 5}
    assert about["ended"] >= about["started"]
    assert about["machine"]["cores"] >= 1
    assert "numpy" in about["versions"]
    assert parse_spec((whole / "specs" / "mine.toml").read_text(encoding="utf-8"), "mine") == spec()


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


def test_a_problem_that_cannot_be_drawn_is_an_error(tmp_path):
    design = 'design = { name = "gaussian", mean = [1.0] }'
    text = SPEC.replace("noise_std = 1.0", f"noise_std = 1.0\n{design}")
    report = run([spec(["omp"], text)], tmp_path)
    rows = read_rows(tmp_path)
    assert report.n_errors == len(rows) == 10
    assert set(rows["failure"]) == {"error"}
    assert rows["seed"].nunique() == 10
    assert "mean" in report.first_error


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


def test_an_unknown_backend_is_refused(tmp_path):
    with pytest.raises(ValueError, match="no backend 'ray'"):
        run([spec(["omp"])], tmp_path, workers=Workers(backend="ray"))


def test_a_dask_cluster_makes_the_same_rows(whole, tmp_path):
    distributed = pytest.importorskip("distributed")
    with distributed.LocalCluster(
        n_workers=1, threads_per_worker=1, processes=False, dashboard_address=":0"
    ) as cluster:
        workers = Workers(backend="dask", scheduler=cluster.scheduler_address)
        report = run([spec()], tmp_path, workers=workers)
    assert report.n_done == 24
    assert contents(tmp_path) == contents(whole)


def test_one_name_for_two_experiments_is_refused(tmp_path):
    two = [spec(["omp"]), spec(["lasso"])]
    with pytest.raises(ValueError, match="two experiments are called 'mine'; rename one file"):
        run(two, tmp_path / "out")
    assert not (tmp_path / "out").exists()
    shared = replace(two[0], title="the same trials")
    assert run([two[0], shared], tmp_path / "out").n_tasks == 6
