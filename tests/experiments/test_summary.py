"""Rows to lines, on rows written by hand."""

import json
import math

import numpy as np
import pandas as pd
import pytest

from projstg.experiments.store import COLUMNS
from projstg.experiments.summary import samples_needed, summarize, theorem_columns
from projstg.metrics import bootstrap_interval, wilson_interval


def row(method="omp", repetition=0, **fields):
    base = dict.fromkeys(COLUMNS)
    base |= {"experiment": "e", "size": "smoke", "setting": "{}", "design": "gaussian"}
    base |= {"n_samples": 30, "n_features": 20, "n_informative": 3, "signal": "signs"}
    base |= {"noise_std": 1.0, "snr": math.nan, "options": "{}", "label": method.upper()}
    base |= {"method": method, "parameters": "{}", "repetition": repetition, "sigma": 1.0}
    base |= {"seconds": 0.5, "batch_size": 1, "device": "cpu", "status": "ok", "exact": True}
    base |= {"failure": "none", "estimation_error": 1.0, "true_positive_rate": 1.0}
    base |= {"false_discovery_rate": 0.0, "score_evidence": 0.0, "true_score_evidence": 0.0}
    base |= {"score_least_squares": 0.0, "true_score_least_squares": 0.0}
    base |= {"score_common_size": 0.0, "true_score_common_size": 0.0}
    return base | fields


def only(table):
    assert len(table) == 1
    return table.iloc[0]


def test_rates_and_bands_are_those_of_the_metrics():
    hits = [True, False, True, True, False]
    kinds = ["none", "statistical", "none", "none", "optimisation"]
    errors = [0.1, 2.0, 0.2, 0.4, 3.0]
    rows = pd.DataFrame(
        [
            row(repetition=i, exact=hit, failure=kind, estimation_error=error, seconds=i + 1.0)
            for i, (hit, kind, error) in enumerate(zip(hits, kinds, errors, strict=True))
        ]
    )
    line = only(summarize(rows))
    assert (line["n"], line["successes"], line["rate"]) == (5, 3, 0.6)
    assert (line["boot_low"], line["boot_high"]) == pytest.approx(bootstrap_interval(hits))
    assert (line["wilson_low"], line["wilson_high"]) == pytest.approx(wilson_interval(3, 5))
    assert (line["statistical"], line["optimisation"]) == (0.2, 0.2)
    assert line["estimation_error"] == pytest.approx(np.mean(errors))
    band = pytest.approx(bootstrap_interval(errors))
    assert (line["estimation_error_low"], line["estimation_error_high"]) == band
    assert line["seconds_median"] == 3.0
    assert line["seconds_low"] < 3.0 < line["seconds_high"]


def test_a_line_does_not_depend_on_the_others():
    rng = np.random.default_rng(0)
    rows = pd.DataFrame(
        [
            row(method, i, exact=bool(rng.integers(2)), estimation_error=rng.random(), **rates)
            for method, n in (("omp", 6), ("lasso", 6), ("abess", 9))
            for i in range(n)
            for rates in [{"true_positive_rate": rng.integers(4) / 3}]
        ]
    )
    together = summarize(rows).set_index("method")
    for method, group in rows.groupby("method"):
        alone = only(summarize(group)).drop("method")
        pd.testing.assert_series_equal(together.loc[method], alone, check_names=False)


def failed(method="omp", repetition=1, **fields):
    nothing = dict.fromkeys(["exact", "seconds", "estimation_error", "true_positive_rate"])
    nothing |= dict.fromkeys(["false_discovery_rate", "score_evidence", "score_common_size"])
    said = {"failure": "error", "status": "error", "message": f"RuntimeError: {repetition}"}
    return row(method, repetition, **nothing | said | fields)


def test_an_error_is_counted_apart_and_in_nothing_else():
    rows = [row(failure="optimisation", exact=False), failed(), failed(repetition=2)]
    line = only(summarize(pd.DataFrame(rows)))
    assert (line["n"], line["rate"], line["optimisation"]) == (1, 0.0, 1.0)
    assert (line["errors"], line["first_error"]) == (2, "RuntimeError: 1")
    assert line["estimation_error"] == 1.0
    assert line["seconds_median"] == 0.5


def test_of_errors_alone_nothing_is_known_but_their_number():
    line = only(summarize(pd.DataFrame([failed(), failed(repetition=2)])))
    assert (line["n"], line["successes"], line["errors"]) == (0, 0, 2)
    for name in ("rate", "boot_low", "boot_high", "statistical", "optimisation", "seconds_median"):
        assert math.isnan(line[name])
    for name in ("estimation_error", "true_positive_rate", "false_discovery_rate"):
        assert math.isnan(line[name])


def test_a_limit_is_of_the_problems_that_were_searched():
    rows = [row("omp", i, score_evidence=-1.0) for i in range(3)]
    rows += [row("limit-evidence"), failed("limit-evidence"), failed("limit-evidence", 2)]
    limit = summarize(pd.DataFrame(rows)).iloc[0]
    assert (limit["method"], limit["n"], limit["errors"]) == ("limit-evidence", 1, 2)


def test_a_limit_whose_searches_all_failed_is_a_line_without_a_rate():
    rows = [row("omp"), failed("limit-evidence"), failed("limit-evidence", 2)]
    limit = summarize(pd.DataFrame(rows)).iloc[0]
    assert (limit["method"], limit["n"], limit["errors"]) == ("limit-evidence", 0, 2)
    assert math.isnan(limit["rate"])
    alone = only(summarize(pd.DataFrame(rows[1:])))
    assert (alone["n"], alone["first_error"]) == (0, "RuntimeError: 1")


def test_a_table_has_its_columns_whatever_was_run():
    nothing_to_tell = row("limit-evidence", n_samples=3)
    tables = [summarize(pd.DataFrame([one])) for one in (row(), nothing_to_tell)]
    assert [len(table) for table in tables] == [1, 0]
    assert list(tables[0].columns) == list(tables[1].columns)


def test_settings_and_variants_stay_apart():
    rows = [row(label=label, noise_std=s) for label in ("M = 4", "M = 8") for s in (0.5, 1.0)]
    rows.append(row(label="M = 4", noise_std=math.nan, snr=2.0))
    assert len(summarize(pd.DataFrame(rows))) == 5


def test_parameters_that_differ_between_trials_are_left_out():
    rows = [
        row(repetition=i, parameters=json.dumps({"alpha_scale": c, "tau": 0.5}))
        for i, c in enumerate((0.1, 0.2))
    ]
    assert json.loads(only(summarize(pd.DataFrame(rows)))["parameters"]) == {"tau": 0.5}


def test_the_limit_counts_every_support_that_anybody_found():
    """Problem 0: one beats the truth. 1: the truth is best. 2: a tie. 3: not searched."""
    better = {0: -1.0, 1: 1.0, 2: 1e-9, 3: -5.0}
    rows = [row(repetition=i, score_evidence=score) for i, score in better.items()]
    rows += [row("limit-evidence", repetition=i, exact=False, score_evidence=2.0) for i in range(3)]
    table = summarize(pd.DataFrame(rows))
    assert list(table["method"]) == ["limit-evidence", "omp"]  # and no limit by least squares
    limit = table.iloc[0]
    assert (limit["n"], limit["successes"]) == (3, 2)
    assert math.isnan(limit["statistical"])


def test_the_theorems_quantities():
    line = {"n_samples": 400, "n_features": 23, "n_informative": 4, "sigma": 0.5}
    text = {"options": '{"moments": 6}', "parameters": '{"alpha_scale": 2.0}'}
    found = theorem_columns(line | text)
    assert found["features_per_sample"] == 23 / 400
    expected = 4 * 2.0 * math.sqrt(2 * 0.25 * math.log(19) * math.log(4) / 400)
    assert found["k_lambda"] == pytest.approx(expected)
    rate = math.log(math.log(23)) ** 2 * (23 / 400) ** (1 / 2 - 2 / 6)
    assert found["corollary3_rate"] == pytest.approx(rate)
    without = theorem_columns(line | {"options": "{}", "parameters": "{}"})
    assert math.isnan(without["k_lambda"])
    assert math.isnan(without["corollary3_rate"])


@pytest.mark.parametrize(
    ("rates", "first", "crossing"),
    [
        ([0.0, 0.5, 0.9, 1.0], 30, 30.0),
        ([0.0, 0.8, 1.0, 1.0], 30, 25.0),
        ([0.95, 0.8, 1.0, 1.0], 30, 25.0),  # from there on, not merely once
        ([0.9, 1.0, 1.0, 1.0], 10, 10.0),
        ([0.0, 0.9, 1.0, 0.89], math.nan, math.nan),
    ],
)
def test_samples_needed(rates, first, crossing):
    table = pd.DataFrame(
        [{**row(), "n_samples": n, "rate": r} for n, r in zip((10, 20, 30, 40), rates, strict=True)]
    ).sample(frac=1, random_state=0)
    line = only(samples_needed(table))
    assert line["n_samples"] == pytest.approx(first, nan_ok=True)
    assert line["interpolated"] == pytest.approx(crossing, nan_ok=True)


def test_r2_of_rows_held_out_is_a_median():
    left = [0.2, 0.3, 0.4, 0.5, 5000.0]
    rows = [
        row(repetition=i, residual=value, options='{"truth":"held-out"}')
        for i, value in enumerate(left)
    ]
    line = only(summarize(pd.DataFrame(rows)))
    assert line["held_out_r2"] == pytest.approx(0.6)
    assert line["held_out_r2_low"] < 0.6 < line["held_out_r2_high"] <= 0.8
    assert math.isnan(only(summarize(pd.DataFrame([row(residual=0.2)])))["held_out_r2"])


def test_without_judgement_there_are_no_shares_of_failures():
    line = only(summarize(pd.DataFrame([row(failure=None, exact=False)])))
    assert math.isnan(line["statistical"])
    assert math.isnan(line["optimisation"])
