"""Verdicts follow the numbers."""

import pytest
from made_up_runs import (
    LABELS,
    MIDPOINTS,
    against_samples,
    against_sparsity,
    by_gate_samples,
    everything,
    growing,
    row,
    summary_of,
    timed,
)

from projstg.report.claim_stats import curve
from projstg.report.claims import (
    FINDINGS,
    enough_gate_samples,
    fall_with_sparsity,
    fewer_samples,
    gain_at_large_sparsity,
    gap_by_noise,
    more_under_correlation,
    search_reaches_limit,
    vanishing_error,
    verdicts,
)
from projstg.report.samples_needed import samples_needed

BEHIND = MIDPOINTS | {"projected-stg": 70}


MIXED = MIDPOINTS | {"scad": 20}


def noisy_gap(calm, loud):
    """Proj-STG ahead of the one baseline by ``calm`` samples at σ = 0.5, 1.2 ``loud`` at σ = 1."""
    return [
        line
        for noise, gap in ((0.5, calm), (1.0, loud))
        for line in against_samples(
            midpoints={"projected-stg": 40, "omp": 40 + gap}, noises=(noise,)
        )
    ]


def correlated(shift):
    design = {"design": "toeplitz", "options": '{"rho": 0.3}'}
    return [*against_samples(), *against_samples("recovery_correlated", shift=shift, **design)]


def searching(share):
    found = {"optimisation": share, "statistical": 0.0}
    return [row("recovery_vs_samples", "projected-stg-refined", 1 - share, **found)]


@pytest.mark.parametrize(
    ("finding", "lines", "outcome"),
    [
        (fewer_samples("recovery_vs_samples", 1.0), against_samples(), "held"),
        (
            fewer_samples("recovery_vs_samples", 1.0),
            against_samples(midpoints=BEHIND),
            "contradicted",
        ),
        (
            fewer_samples("recovery_vs_samples", 1.0),
            against_samples(midpoints=MIXED),
            "held in part",
        ),
        (
            fewer_samples("recovery_vs_samples", 0.5),
            against_samples(midpoints={"projected-stg": 40, "omp": 40}),
            "not settled",
        ),
        (fewer_samples("recovery_correlated", 1.0), correlated(4.0), "held"),
        (gap_by_noise, noisy_gap(5, 20), "held"),
        (gap_by_noise, noisy_gap(20, 5), "contradicted"),
        (gap_by_noise, noisy_gap(12, 10), "not settled"),
        (fall_with_sparsity, against_sparsity(), "held"),
        (fall_with_sparsity, against_sparsity(slope=1.0), "contradicted"),
        (gain_at_large_sparsity, against_sparsity(), "held"),
        (gain_at_large_sparsity, against_sparsity(midpoints=BEHIND), "contradicted"),
        (enough_gate_samples, by_gate_samples(), "held"),
        (enough_gate_samples, by_gate_samples(cost_of_few=12.0), "contradicted"),
        (more_under_correlation, correlated(8.0), "held"),
        (more_under_correlation, correlated(-8.0), "contradicted"),
        (more_under_correlation, correlated(0.0), "not settled"),
        (vanishing_error, growing(), "held"),
        (vanishing_error, growing(power=0.1), "contradicted"),
        (vanishing_error, growing(power=-0.05), "not settled"),
        (search_reaches_limit, searching(0.001), "held"),
        (search_reaches_limit, searching(0.2), "contradicted"),
    ],
)
def test_verdicts_follow_the_numbers(finding, lines, outcome):
    assert finding(summary_of(lines), LABELS).outcome == outcome


def test_the_words_hold_the_numbers():
    table = summary_of(against_samples(midpoints=MIXED))
    verdict = fewer_samples("recovery_vs_samples", 1.0)(table, LABELS)
    own = samples_needed(curve(table, method="projected-stg", noise_std=1.0))
    scad = samples_needed(curve(table, method="scad", noise_std=1.0))
    assert f"Proj-STG {own};" in verdict.words
    assert f"SCAD {scad}" in verdict.words
    assert "Not so against SCAD." in verdict.words
    assert "indication" not in verdict.words


def test_few_trials_are_said_to_be_few():
    lines = [line | {"n": 4} for line in against_samples()]
    assert "With 4 trials a point" in gap_by_noise(summary_of(lines), LABELS).words


@pytest.mark.parametrize("finding", FINDINGS)
def test_a_finding_without_data_is_silent(finding):
    lines = [line for line in timed() if line["method"] == "omp"]
    assert finding(summary_of(lines), LABELS) is None


def test_a_method_alone_is_compared_with_nobody():
    table = summary_of(against_samples(midpoints={"projected-stg": 33}))
    assert verdicts(table, LABELS) == []


def test_all_findings_speak_when_all_was_run():
    assert len(verdicts(summary_of(everything()), LABELS)) == len(FINDINGS)
