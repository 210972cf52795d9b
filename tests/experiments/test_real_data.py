"""Problems on measured tables: what is drawn, what is true, and what happens without the tables."""

import json
from pathlib import Path

import numpy as np
import pytest

from projstg.datasets import real
from projstg.experiments import real_data as measured
from projstg.experiments.evaluate import evaluated
from projstg.experiments.outcome import Outcome
from projstg.experiments.real_data import (
    TABLES,
    TRUTHS,
    RealTable,
    consensus,
    draw,
    measured_problem,
    measured_setting,
    missing_tables,
)
from projstg.experiments.real_data.distinct_columns import distinct_columns
from projstg.experiments.runner import run
from projstg.experiments.spec import load_spec, parse_spec
from projstg.experiments.store import read_rows
from projstg.experiments.summary import summarize
from projstg.experiments.tune import known_of

SHARED = Path(__file__).parents[3] / "shared" / "data"

SPEC = """
root = 4
methods = ["omp", "projected-stg-refined", "projected-stg-auto"]
[problem]
n_informative = 2
[sizes.smoke]
repetitions = 3
settings = [
    { design = { name = "ailerons", truth = "planted" }, n_samples = 40, snr = 50 },
    { design = { name = "ailerons", truth = "nuisance" }, n_samples = 40 },
    { design = { name = "ailerons", truth = "consensus" }, n_samples = 40 },
    { design = { name = "ailerons", truth = "held-out" }, n_samples = 40 },
]
"""


def small_table():
    """A hundred rows: y follows columns 0 and 3; 1 is constant, 4 copies 2, 7 rarely varies."""
    rng = np.random.default_rng(7)
    X = 5.0 + rng.normal(size=(100, 8))
    X[:, 1] = 2.0
    X[:, 4] = 1.0 - 3.0 * X[:, 2]
    X[:, 7] = 0.0
    X[:2, 7] = 1.0
    return X, 0.001 * (X[:, 0] - X[:, 3] + 0.2 * rng.normal(size=100) + 4.0)


@pytest.fixture(autouse=True)
def no_memory(monkeypatch):
    """What one test loads, another must not see."""
    yield
    measured.loaded.cache_clear()
    consensus.votes.cache_clear()


@pytest.fixture
def table(monkeypatch):
    X, y = small_table()

    def fetch(**options):
        return X, y

    measured.loaded.cache_clear()
    consensus.votes.cache_clear()
    monkeypatch.setitem(TABLES, "ailerons", RealTable(fetch, *X.shape))
    return X, y


@pytest.fixture
def nowhere(monkeypatch, tmp_path):
    """No folder has the tables, and there is no network."""

    def refuse(**options):
        raise OSError("no network")

    measured.loaded.cache_clear()
    monkeypatch.setattr(real, "fetch_openml", refuse)
    monkeypatch.setenv(real.FOLDER_VARIABLE, str(tmp_path / "empty"))


def problem(truth="planted", n_samples=40, K=2, repetition=0, **fields):
    fields |= {"snr": 5.0} if truth == "planted" else {}
    return measured_problem(
        n_samples, K, design="ailerons", truth=truth, repetition=repetition, **fields
    )


# ----------------------------------------------------------------------------------------- columns


def test_constant_and_duplicate_columns_go_and_are_counted(table):
    X, _ = table
    found = distinct_columns(X)
    assert found.kept.tolist() == [0, 2, 3, 5, 6, 7]
    assert found.representative.tolist() == [0, -1, 2, 3, 2, 5, 6, 7]
    assert found.note == "6 of 8 columns kept: 1 constant, 1 duplicate in these rows"
    np.testing.assert_allclose(found.standardized.mean(axis=0), 0.0, atol=1e-12)
    np.testing.assert_allclose(found.standardized.std(axis=0), 1.0)
    np.testing.assert_allclose(found.applied(X), found.standardized, atol=1e-12)
    assert found.representatives(np.array([1, 4, 6])).tolist() == [2, 6]


def test_nearly_the_same_is_not_the_same(rng):
    x = rng.normal(size=200)
    near = x + 1e-3 * rng.normal(size=200)
    assert distinct_columns(np.column_stack([x, near])).kept.tolist() == [0, 1]
    assert distinct_columns(np.column_stack([x, -2.0 * x + 1e6])).kept.tolist() == [0]


# ---------------------------------------------------------------------------------------- problems


@pytest.mark.parametrize("truth", TRUTHS)
def test_a_problem_is_named_by_root_setting_and_repetition(table, truth):
    one, again, other = (problem(truth, repetition=i) for i in (1, 1, 2))
    assert one.X.tobytes() == again.X.tobytes()
    assert one.y.tobytes() == again.y.tobytes()
    assert one.y.tobytes() != other.y.tobytes()
    assert draw(one.setting, 0, 1).y.tobytes() == one.y.tobytes()
    assert json.loads(json.dumps(one.setting)) == one.setting


def test_columns_that_do_not_vary_in_the_rows_drawn_go(table):
    n_kept = {problem(repetition=i).X.shape[1] for i in range(30)}
    assert n_kept == {5, 6}  # the last column varies only where one of two rows is drawn


def test_planted_coefficients_make_the_response(table):
    found = problem(n_samples=100, K=3)
    assert found.is_planted
    assert np.sort(np.abs(found.coef)).tolist() == [0, 0, 0, 1, 1, 1]
    assert found.support.tolist() == (found.coef != 0).tolist()
    signal = found.X @ found.coef
    assert np.var(signal) / found.noise_std**2 == pytest.approx(5.0)
    assert np.std(found.y - signal) == pytest.approx(found.noise_std, rel=0.3)
    assert found.columns.tolist() == [0, 2, 3, 5, 6, 7]


def test_nuisance_columns_are_the_originals_in_another_order(table):
    found = problem("nuisance")
    places = np.argsort(found.columns)  # the originals in the table's order, then the copies
    half = len(places) // 2
    originals, copies = found.X[:, places[:half]], found.X[:, places[half:]]
    np.testing.assert_allclose(np.sort(originals, axis=0), np.sort(copies, axis=0))
    np.testing.assert_allclose(originals.T @ originals, copies.T @ copies)
    assert not np.allclose(originals, copies)
    assert found.support[places].tolist() == [True] * half + [False] * half
    assert np.unique(np.diff(found.columns[places].reshape(2, half), axis=0)).tolist() == [8]
    assert known_of(found).n_features_to_select == 2
    assert np.isnan(found.coef).all()


@pytest.mark.parametrize("truth", ["nuisance", "consensus"])
def test_the_place_of_a_column_does_not_tell_whether_it_is_true(table, truth):
    first = [problem(truth, repetition=i).support[0] for i in range(60)]
    share = 0.5 if truth == "nuisance" else 2 / 5.5
    assert np.mean(first) == pytest.approx(share, abs=0.2)


def test_the_noise_of_a_measured_response_is_estimated(table):
    found = problem("nuisance", n_samples=100)
    scale = np.std(table[1])
    assert found.noise_std == pytest.approx(0.001 * 0.2 / scale, rel=0.2)
    assert np.mean(found.y) == pytest.approx(0.0, abs=1e-12)
    assert np.std(found.y) == pytest.approx(1.0)


def test_the_consensus_is_what_halves_agree_on(table):
    found = problem("consensus")
    assert sorted(found.columns[found.support]) == [0, 3]
    assert consensus.agreement("ailerons", 2, measured.loaded) == 1.0
    assert found.note.endswith("100% of the votes agree")
    more = consensus.votes("ailerons", 3, measured.loaded)
    assert more[[0, 3]].tolist() == [25, 25]
    assert more.sum() == 75
    assert more[[1, 4]].tolist() == [0, 0]  # neither a constant nor a copy is chosen


def test_held_out_rows_are_others_on_the_same_scale(table):
    _, y = table
    found = problem("held-out", n_samples=50)
    X_test, y_test = found.held_out
    assert not found.support.any()
    assert X_test.shape == found.X.shape
    together = np.concatenate([found.y, y_test])
    order = np.argsort(together)
    np.testing.assert_allclose(  # each row of the table once, shifted and scaled
        np.diff(together[order]) / np.ptp(together), np.diff(np.sort(y)) / np.ptp(y), atol=1e-9
    )


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"truth": "plantd", "snr": 1}, "did you mean 'planted'"),
        ({"truth": "nuisance", "snr": 1}, "leave out snr=1"),
        ({"truth": "planted"}, "give exactly one of them"),
        ({"snr": 1, "n_features": 12}, "leave it out"),
        ({"snr": 1, "rho": 0.3}, "no option 'rho'"),
        ({"snr": 1, "n_samples": 187}, "from 3 to 186"),
        ({"truth": "held-out", "n_samples": 94}, "from 3 to 93"),
        ({"snr": 1, "signal": "sign"}, "did you mean 'signs'"),
    ],
)
def test_what_makes_no_problem_is_refused(fields, message):
    with pytest.raises(ValueError, match=message):
        measured_setting(**{"n_samples": 50, "design": "triazines", **fields})


def test_too_few_columns_are_named(table):
    with pytest.raises(ValueError, match=r"only [56] columns differ in the 40 rows"):
        problem(K=7)


# --------------------------------------------------------------------------------------- judgement


def outcome(problem, columns):
    return Outcome(np.isin(np.arange(problem.X.shape[1]), columns), None, 0.0)


def judge(problem, columns):
    stacked = problem.X[None], problem.y[None]
    return evaluated([problem], *stacked, [outcome(problem, columns)], "least-squares")[0]


def test_a_row_names_columns_by_their_place_in_the_table(table):
    found = problem("consensus")
    row = judge(found, np.flatnonzero(found.support))
    assert row["truth"] == row["support"]
    assert sorted(row["support"]) == [0, 3]
    assert row["exact"] is True


def test_without_coefficients_there_are_no_failures(table):
    nuisance = problem("nuisance")
    one_of_each = [np.flatnonzero(nuisance.support)[0], np.flatnonzero(~nuisance.support)[0]]
    row = judge(nuisance, one_of_each)
    n_true = nuisance.support.sum()
    assert (row["true_positive_rate"], row["false_discovery_rate"]) == (1 / n_true, 0.5)
    assert row["failure"] is None
    assert row["estimation_error"] is None
    assert row["true_score_evidence"] is None
    row = judge(problem("held-out"), [0])
    assert row["true_positive_rate"] is row["false_discovery_rate"] is None


def test_the_residual_of_held_out_rows_is_one_less_r2(table):
    from sklearn.linear_model import LinearRegression

    found = problem("held-out", n_samples=50)
    model = LinearRegression(fit_intercept=False).fit(found.X[:, [0, 2]], found.y)
    X_test, y_test = found.held_out
    row = judge(found, [0, 2])
    assert 1.0 - row["residual"] == pytest.approx(model.score(X_test[:, [0, 2]], y_test))


# -------------------------------------------------------------------------------------------- runs


def test_a_run_has_a_row_for_every_trial_and_a_line_for_every_truth(table, tmp_path):
    report = run([parse_spec(SPEC, "mine")], tmp_path)
    assert (report.n_done, report.n_errors) == (12, 0)
    rows = read_rows(tmp_path)
    assert len(rows) == 36
    assert rows["message"].str.contains("of 8 columns kept").all()
    for _, group in rows.groupby(["setting", "repetition"]):
        assert group["truth"].map(tuple).nunique() == group["seed"].nunique() == 1
    lines = summarize(rows).set_index(["options", "method"])
    planted = lines.loc[('{"truth":"planted"}', "projected-stg-refined")]
    assert planted["true_positive_rate"] == 1.0
    assert planted["optimisation"] == 0.0
    assert np.isnan(planted["held_out_r2"])
    held = lines.loc[('{"truth":"held-out"}', "projected-stg-refined")]
    assert 0.8 < held["held_out_r2_low"] <= held["held_out_r2"] < 1.0
    nuisance = lines.loc[('{"truth":"nuisance"}', "projected-stg-refined")]
    assert np.isnan(nuisance["optimisation"])
    assert nuisance["false_discovery_rate"] == 0.0


def test_without_the_tables_the_other_experiments_run(nowhere, tmp_path):
    simulated = SPEC[: SPEC.index("settings")] + "settings = [{ n_samples = 20, noise_std = 1.0 }]"
    specs = [parse_spec(SPEC, "mine"), parse_spec(simulated, "simulated")]
    report = run(specs, tmp_path)
    assert set(report.unavailable) == {"ailerons"}
    assert "ailerons.csv" in report.unavailable["ailerons"]
    assert real.FOLDER_VARIABLE in report.unavailable["ailerons"]
    assert set(read_rows(tmp_path)["experiment"]) == {"simulated"}
    about = json.loads((tmp_path / "run.json").read_text(encoding="utf-8"))
    assert set(about["unavailable"]) == {"ailerons"}


def test_the_list_says_which_tables_are_missing(nowhere, capsys):
    from projstg import cli

    assert cli.main(["list"]) == 0
    (line,) = [one for one in capsys.readouterr().out.splitlines() if "  real_tpr " in one]
    assert "missing: ailerons, triazines" in line
    assert "PROJSTG_DATA" in line
    settings = load_spec("real_fdr").size("smoke").settings
    assert set(missing_tables(settings, download=False)) == {"ailerons", "triazines"}


def test_a_figure_may_draw_the_trials_of_another():
    fdr, tpr = load_spec("real_fdr"), load_spec("real_tpr")
    assert (tpr.name, tpr.sizes) == (fdr.name, fdr.sizes)
    assert tpr.title.startswith("True positive rate")
    with pytest.raises(ValueError, match="there is no key 'root'"):
        parse_spec('trials_of = "real_fdr"\nroot = 3', "mine")


def test_an_experiment_asked_for_twice_is_run_once(table, tmp_path):
    spec = parse_spec(SPEC, "mine")
    assert run([spec, spec], tmp_path, methods=["omp"]).n_tasks == 4


def test_a_table_has_no_pilots():
    with pytest.raises(ValueError, match="no pilot problems"):
        parse_spec('alpha_scale = "per-setting"\n' + SPEC, "mine")


@pytest.mark.skipif(not (SHARED / "triazines.csv").exists(), reason="the tables are not at hand")
def test_the_tables_are_as_the_page_says(monkeypatch):
    monkeypatch.setenv(real.FOLDER_VARIABLE, str(SHARED))
    measured.loaded.cache_clear()
    assert missing_tables([{"design": name} for name in TABLES]) == {}
    whole = {name: distinct_columns(measured.loaded(name)[0]) for name in TABLES}
    assert len(whole["ailerons"].kept) == 40
    assert whole["triazines"].note == "54 of 60 columns kept: 2 constant, 4 duplicate in these rows"
    drawn = {
        name: [measured_problem(n, 3, design=name, snr=5.0, repetition=i).X for i in range(100)]
        for name, n in (("ailerons", 200), ("triazines", 120))
    }
    widths = {name: np.median([X.shape[1] for X in found]) for name, found in drawn.items()}
    assert widths == {"ailerons": 26, "triazines": 52}
    ranks = [np.linalg.matrix_rank(X) for X in drawn["triazines"]]
    assert np.median(ranks) == 41
    alike = [np.sum(np.triu(np.abs(np.corrcoef(X.T)), 1) > 0.99) for X in drawn["ailerons"]]
    assert np.median(alike) == 21
    shares = [consensus.agreement("triazines", k, measured.loaded) for k in (1, 4)]
    assert max(shares) < 0.6
