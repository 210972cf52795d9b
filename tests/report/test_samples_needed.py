"""The samples a method needs are read from the grid."""

import pytest
from made_up_runs import (
    against_samples,
    curve_of,
    summary_of,
)

from projstg.experiments import summary as laboratory
from projstg.report.method_looks import LIMITS
from projstg.report.samples_needed import headline, samples_needed


@pytest.mark.parametrize(
    ("rates", "at", "words"),
    [
        ([0.1, 0.5, 0.9, 1.0], 30, "30"),
        ([0.95, 0.5, 0.9, 1.0], 30, "30"),  # what is lost again does not count
        ([0.95, 0.91, 0.9, 1.0], 10, "≤ 10"),
        ([0.1, 0.5, 1.0, 0.89], None, "> 40"),
    ],
)
def test_samples_needed(rates, at, words):
    found = samples_needed(curve_of(rates))
    assert found.at == at
    assert str(found) == words


def test_samples_needed_is_what_its_definition_says(rng):
    for _ in range(50):
        rates = rng.uniform(0.8, 1.0, size=6).round(2)
        enough = [10 * (i + 1) for i in range(6) if min(rates[i:]) >= 0.9]
        assert samples_needed(curve_of(rates)).at == (min(enough) if enough else None)


def test_the_band_of_the_samples_needed_contains_it():
    found = samples_needed(curve_of([0.2, 0.86, 0.91, 0.99, 1.0]))
    assert (found.earliest, found.at, found.latest) == (20, 30, 40)
    assert found.band == "20 to 40"


def test_the_laboratory_and_the_page_agree_on_the_samples_needed():
    lines = [line | {"size": "paper", "setting": ""} for line in against_samples()]
    theirs = laboratory.samples_needed(summary_of(lines))
    settings, ours = headline(summary_of(lines))
    assert settings == ["Gaussian, σ = 0.5", "Gaussian, σ = 1"]
    for method, cells in ours.items():
        own = theirs[theirs["method"] == method].sort_values("noise_std")
        assert [cell.at for cell in cells] == list(own["n_samples"])


def test_the_headline_has_the_limits_first_and_then_the_fewest_samples():
    _, found = headline(summary_of(against_samples()))
    assert list(found)[:5] == [*LIMITS, "projected-stg-refined", "projected-stg-refined-evidence"]
    assert list(found)[-1] == "lasso"


def test_a_method_that_ran_only_where_it_is_hard_does_not_sink():
    hard = against_samples("recovery_correlated", midpoints={"omp": 50, "stg": 60}, shift=30)
    easy = against_samples(midpoints={"stg": 60})
    assert list(headline(summary_of([*easy, *hard]))[1]) == ["omp", "stg"]
