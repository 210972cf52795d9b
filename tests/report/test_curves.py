"""Curves, bands and splits show what the table says."""

import numpy as np
import pytest
from made_up_runs import (
    LABELS,
    against_samples,
    row,
    summary_of,
)

from projstg.report.captions import ENTRIES, entry_for
from projstg.report.claim_stats import curve
from projstg.report.figure_specs import METRICS
from projstg.report.figures import draw
from projstg.report.method_looks import LIMITS, LOOKS


@pytest.fixture(scope="module")
def figure():
    return draw(ENTRIES["recovery_vs_samples"], summary_of(against_samples()), LABELS)


def test_curves_are_the_numbers_of_the_table(figure):
    table = curve(summary_of(against_samples()), method="abess", noise_std=1.0)
    big = next(ax for ax in figure.axes if ax.get_title() == "σ = 1")
    (line,) = [ln for ln in big.lines if ln.get_color() == LOOKS["abess"].colour]
    np.testing.assert_array_equal(line.get_xdata(), table["n_samples"])
    np.testing.assert_array_equal(line.get_ydata(), table["rate"])
    assert line.get_marker() == LOOKS["abess"].marker


def test_each_curve_has_its_band_and_equal_ones_share_it(figure):
    big = next(ax for ax in figure.axes if ax.get_title() == "σ = 1")
    table = curve(summary_of(against_samples()), noise_std=1.0)
    drawn = table[~table["method"].isin(LIMITS)].groupby("method")["boot_low"].agg(tuple)
    assert len(big.collections) == drawn.nunique() < len(drawn)  # two of the curves coincide
    heights = big.collections[0].get_paths()[0].vertices[:, 1]
    ours = curve(table, method="projected-stg-refined")
    assert heights.min() == pytest.approx(ours["boot_low"].min())
    assert heights.max() == pytest.approx(ours["boot_high"].max())


@pytest.mark.parametrize("limit", LIMITS)
def test_a_limit_is_dashed_and_has_no_marker(figure, limit):
    big = next(ax for ax in figure.axes if ax.get_title() == "σ = 1")
    (line,) = [ln for ln in big.lines if ln.get_color() == LOOKS[limit].colour]
    assert line.get_linestyle() == "--"
    assert line.get_marker() in ("", "None")


def test_failures_are_split_below_for_three_methods(figure):
    small = [ax for ax in figure.axes if not ax.get_title().startswith("σ")]
    assert [" ".join(ax.get_title().split()) for ax in small] == 2 * [
        "Proj-STG, refined",
        "Proj-STG",
        "abess",
    ]
    areas = [[path.vertices[:, 1].max() for path in c.get_paths()] for c in small[0].collections]
    np.testing.assert_allclose(areas[-1], 1.0, atol=1e-12)  # the three shares make a whole


@pytest.mark.parametrize("metric", ["tpr", "fdr"])
def test_another_metric_is_one_entry(metric):
    entry = entry_for("real", summary_of([row("real", "omp", 0.5)]))
    lines = [row("real", m, 0.1 * k, n_informative=k) for m in ("omp", "stg") for k in range(1, 9)]
    entry = type(entry)("real", "t", "c", views=("n_informative",), metric=metric)
    figure = draw(entry, summary_of(lines), LABELS)
    assert figure.axes[0].get_ylabel() == METRICS[metric].label
    assert len(figure.axes[0].lines) == 2


def test_a_point_without_an_answer_is_a_gap():
    lines = against_samples(midpoints={"abess": 30, "omp": 40}, noises=(1.0,))
    nothing = dict.fromkeys(
        ["rate", "boot_low", "boot_high", "statistical", "optimisation"], np.nan
    )
    for line in lines:
        if (line["method"], line["n_samples"]) == ("abess", 40):
            line |= nothing | {"n": 0, "errors": 100, "first_error": "MemoryError"}
    figure = draw(ENTRIES["recovery_vs_samples"], summary_of(lines), LABELS)
    own = [ln for ln in figure.axes[-1].lines if ln.get_color() == LOOKS["abess"].colour]
    (crosses,) = [line for line in own if line.get_marker() == "x"]
    (drawn,) = [line for line in own if line.get_marker() == LOOKS["abess"].marker]
    assert list(crosses.get_xdata()) == [40]
    missing = np.isnan(np.asarray(drawn.get_ydata(), dtype=float))
    assert list(np.asarray(drawn.get_xdata())[missing]) == [40]
