"""What varies besides the axis makes panels."""

from made_up_runs import (
    against_samples,
    among_many,
    growing,
    summary_of,
    timed,
)

from projstg.report.captions import ENTRIES
from projstg.report.panels import panels


def test_noise_makes_the_panels_of_the_paper():
    found = panels(summary_of(against_samples()), ENTRIES["recovery_vs_samples"])
    assert [panel.title for panel in found] == ["σ = 0.5", "σ = 1"]
    assert all(set(panel.table["n_samples"]) == set(range(10, 101, 5)) for panel in found)


def test_what_grows_with_n_makes_no_panel():
    found = panels(summary_of(growing()), ENTRIES["consistency"])
    assert [panel.title for panel in found] == [
        "fixed orthogonal",
        "Gaussian",
        "Toeplitz, mean 1",
        "heavy tails, ‖x‖ ≤ 2√D, q = 8 moments",
    ]


def test_two_views_hold_the_other_setting():
    against_d, against_n = panels(summary_of(timed()), ENTRIES["speed"])
    assert (against_d.x, against_d.title) == ("n_features", "N = 200")
    assert (against_n.x, against_n.title) == ("n_samples", "D = 100")
    assert set(against_n.table["n_samples"]) == {100, 200, 500, 2000}


def test_designs_and_coefficients_make_panels_with_titles_that_say_so():
    found = panels(summary_of(among_many()), ENTRIES["recovery_high_dimension"])
    assert [panel.title for panel in found] == [
        "Gaussian, coefficients decaying by 0.9",
        "Gaussian, coefficients ±1",
        "Toeplitz, ρ = 0.7, coefficients decaying by 0.9",
        "Toeplitz, ρ = 0.7, coefficients ±1",
    ]


def test_one_panel_still_says_its_noise():
    (panel,) = panels(summary_of(against_samples(noises=(0.5,))), ENTRIES["recovery_vs_samples"])
    assert panel.title == "σ = 0.5"
