"""Figures show what the table says, verdicts follow the numbers, the page stands alone."""

import itertools
import json
import os
import re
import shutil
import xml.etree.ElementTree as ET
from html.parser import HTMLParser
from importlib.resources import files

import numpy as np
import pandas as pd
import pytest
from made_up_runs import (
    LABELS,
    MIDPOINTS,
    UNTOLD,
    against_samples,
    against_sparsity,
    among_many,
    by_gate_samples,
    everything,
    growing,
    on_tables,
    row,
    run_of,
    summary_of,
    timed,
)
from matplotlib.markers import MarkerStyle

from projstg.experiments import summary as laboratory
from projstg.experiments.registry import METHODS
from projstg.experiments.runner import run
from projstg.experiments.spec import parse_spec, spec_names
from projstg.experiments.store import Store
from projstg.render.figure_svg import inline_svg, svg_text
from projstg.report import make_report
from projstg.report.captions import ENTRIES, entry_for, in_order
from projstg.report.claim_stats import curve, mean_difference, relation
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
from projstg.report.curves import ranked
from projstg.report.experiment_page import scale_remark, write_report
from projstg.report.figure_specs import METRICS
from projstg.report.figures import draw
from projstg.report.html_tables import headline_table, numbers_table, theory_table
from projstg.report.load_results import prepared, read_run
from projstg.report.method_looks import LIMITS, LOOKS, OURS, RELATIVES, looks, sequence_looks
from projstg.report.panels import panels
from projstg.report.samples_needed import headline, samples_needed
from projstg.report.verdict import AGAINST, HELD

# ---------------------------------------------------------------------------------------- looks


@pytest.mark.parametrize("method", METHODS)
def test_every_method_has_a_look(method):
    assert RELATIVES.get(method, method) in LOOKS
    assert (method in RELATIVES) == METHODS[method].chooses_size


def test_no_two_methods_share_a_colour_or_a_marker():
    drawn = [look for name, look in LOOKS.items() if name not in LIMITS]
    assert len({look.colour for look in drawn}) == len(drawn)
    assert len({look.marker for look in drawn}) == len(drawn)


def lab(colour):
    """A colour as CIE L*a*b*, where ten units are a difference nobody misses."""
    rgb = np.asarray([int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)])
    light = np.where(rgb <= 0.04045, rgb / 12.92, ((rgb + 0.055) / 1.055) ** 2.4)
    xyz = [[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]] @ light
    x, y, z = np.cbrt(xyz / [0.9505, 1.0, 1.089])
    return np.asarray([116 * y - 16, 500 * (x - y), 200 * (y - z)])


def test_any_two_colours_are_told_apart():
    drawn = {name: lab(look.colour) for name, look in LOOKS.items() if name not in LIMITS}
    for one, other in itertools.combinations(drawn, 2):
        assert np.linalg.norm(drawn[one] - drawn[other]) > 15, (one, other)


def test_markers_are_seen_without_their_edges():
    drawn = [look for name, look in LOOKS.items() if name not in LIMITS]
    assert all(MarkerStyle(look.marker).is_filled() for look in drawn)


def test_an_unknown_method_keeps_its_look_whatever_is_beside_it():
    alone = looks(["mine:b", "mine:a"])
    beside = looks(["omp", "mine:a", "lasso", "mine:b"])
    assert alone["mine:b"] == beside["mine:b"] != alone["mine:a"]
    assert not {look.colour for look in alone.values()} & {look.colour for look in LOOKS.values()}


def test_values_of_a_parameter_look_different():
    drawn = sequence_looks([4, 8, 10, 20, 50]).values()
    assert len({look.colour for look in drawn}) == len({look.marker for look in drawn}) == 5


# --------------------------------------------------------------------------------------- panels


def test_every_experiment_of_the_package_has_its_words():
    assert set(spec_names()) <= set(ENTRIES)
    for entry in ENTRIES.values():
        assert entry.metric in METRICS
        assert entry.caption.endswith(".")


def test_figures_on_tables_say_what_is_true_in_them_and_who_chooses_the_size():
    drawn = dict(in_order(summary_of(everything())))
    assert drawn["real_fdr"] is drawn["real_tpr"]
    assert list(drawn).index("real_tpr") == list(drawn).index("real_fdr") + 1
    found = panels(drawn["real_tpr"], ENTRIES["real_tpr"])
    assert [panel.title for panel in found] == [
        "AILERON, planted, N = 200, SNR = 5, exactly K",
        "AILERON, planted, N = 200, SNR = 5, own size",
        "TRIAZINES, planted, N = 120, SNR = 5, exactly K",
        "TRIAZINES, planted, N = 120, SNR = 5, own size",
    ]
    assert set(found[1].table["method"]) == set(UNTOLD)
    nuisance = panels(drawn["real_nuisance"], ENTRIES["real_nuisance"])
    assert nuisance[0].title == "AILERON, nuisance, N = 200, exactly K"


def test_the_legend_tells_those_who_choose_their_size_from_the_others():
    table = summary_of(on_tables())
    (legend,) = draw(ENTRIES["real_fdr"], table, LABELS).legends
    names = [text.get_text() for text in legend.get_texts()]
    assert names.index("exactly K:") == 0
    assert set(names[names.index("own size:") + 1 :]) == {LABELS[name] for name in UNTOLD}


@pytest.mark.parametrize(("lead", "outcome"), [(0.1, HELD), (0.0, HELD), (-0.3, AGAINST)])
def test_equal_is_enough_on_real_tables(lead, outcome):
    (found,) = verdicts(summary_of(on_tables(lead=lead)), LABELS)[:1]
    assert "Figures 6 and 7" in found.finding
    assert found.outcome == outcome
    assert "AILERON" in found.words
    assert "Rand-OMP" in found.words


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


def test_an_experiment_without_an_entry_is_drawn_against_what_varies_most():
    lines = [row("mine", "omp", 0.5, snr=snr, noise_std=None) for snr in (1.0, 2.0, 4.0)]
    assert entry_for("mine", summary_of(lines)).views == ("snr",)


# ----------------------------------------------------------------------------------- thresholds


def curve_of(rates, method="projected-stg", n=100, experiment="recovery_vs_samples"):
    lines = [
        row(experiment, method, rate, n=n, n_samples=10 * (i + 1)) for i, rate in enumerate(rates)
    ]
    return summary_of(lines)


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


def test_the_fewest_samples_are_marked_and_a_gap_is_a_dash():
    lines = against_samples(midpoints={"omp": 50, "stg": 30}, noises=(1.0,))
    lines += against_samples("recovery_correlated", midpoints={"omp": 50}, noises=(1.0,))
    table = headline_table(summary_of(lines), LABELS)
    cells = {cells[0].text: cells[1:] for cells in table.rows}
    assert [cell.is_best for cell in cells["STG"]] == [True, False]
    assert [cell.is_best for cell in cells["OMP"]] == [False, True]
    assert cells["STG"][1].text == "–"


# ------------------------------------------------------------------------------------ comparing


def test_the_mean_difference_by_hand():
    ours, theirs = curve_of([0.2, 0.6, 0.9]), curve_of([0.1, 0.5], "omp")
    found = mean_difference(ours, theirs)
    assert found.value == pytest.approx(0.1)
    shares = [(100 * p + 0.5) / 101 for p in (0.2, 0.6, 0.1, 0.5)]
    assert found.error == pytest.approx(np.sqrt(sum(p * (1 - p) / 100 for p in shares)) / 2)


def test_curves_without_a_common_point_are_not_compared():
    other = curve_of([0.5], "omp").assign(n_samples=7)
    assert mean_difference(curve_of([0.5]), other) is None


@pytest.mark.parametrize(
    ("ours", "theirs", "sign"),
    [
        ([0.1, 0.9, 1.0], [0.1, 0.8, 1.0], 1),
        ([0.1, 0.8, 0.8], [0.1, 0.8, 0.9], -1),
        ([0.7, 0.9, 1.0], [0.1, 0.9, 1.0], 1),  # level at 90 %, ahead before it
        ([0.0, 0.3, 0.5], [0.0, 0.6, 0.8], -1),  # neither gets there
        ([0.50, 0.9, 1.0], [0.51, 0.9, 1.0], 0),
    ],
)
def test_relation(ours, theirs, sign):
    assert relation(curve_of(ours), curve_of(theirs, "omp")) == sign


# ------------------------------------------------------------------------------------- findings

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


# -------------------------------------------------------------------------------------- figures


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


def test_the_legend_is_outside_and_has_the_best_first(figure):
    (legend,) = figure.legends
    names = [text.get_text() for text in legend.get_texts()]
    order = ranked(summary_of(against_samples()), ENTRIES["recovery_vs_samples"])
    assert names[: len(order)] == [LABELS[method] for method in order]
    assert order[:6] == [*LIMITS, *OURS[:3]]
    figure.canvas.draw()
    frame = legend.get_window_extent()
    assert all(frame.x0 >= ax.get_window_extent().x1 for ax in figure.axes)
    assert frame.x1 <= figure.bbox.x1


def test_failures_are_split_below_for_three_methods(figure):
    small = [ax for ax in figure.axes if not ax.get_title().startswith("σ")]
    assert [ax.get_title() for ax in small] == 2 * ["Proj-STG, refined", "Proj-STG", "abess"]
    areas = [[path.vertices[:, 1].max() for path in c.get_paths()] for c in small[0].collections]
    np.testing.assert_allclose(areas[-1], 1.0, atol=1e-12)  # the three shares make a whole


@pytest.mark.parametrize("is_narrow", [False, True])
@pytest.mark.parametrize("experiment", ENTRIES)
def test_every_entry_can_be_drawn(experiment, is_narrow):
    table = summary_of(everything())
    table = table[table["experiment"] == (ENTRIES[experiment].trials_of or experiment)]
    figure = draw(ENTRIES[experiment], table, LABELS, is_narrow=is_narrow)
    ET.fromstring(svg_text(figure, experiment))
    inked = figure.get_tightbbox()  # nothing is cut off
    assert min(inked.x0, inked.y0) >= 0.0
    assert inked.x1 <= figure.get_figwidth()
    assert inked.y1 <= figure.get_figheight()


@pytest.mark.parametrize("metric", ["tpr", "fdr"])
def test_another_metric_is_one_entry(metric):
    entry = entry_for("real", summary_of([row("real", "omp", 0.5)]))
    lines = [row("real", m, 0.1 * k, n_informative=k) for m in ("omp", "stg") for k in range(1, 9)]
    entry = type(entry)("real", "t", "c", views=("n_informative",), metric=metric)
    figure = draw(entry, summary_of(lines), LABELS)
    assert figure.axes[0].get_ylabel() == METRICS[metric].label
    assert len(figure.axes[0].lines) == 2


def test_the_same_figure_gives_the_same_bytes():
    table = summary_of(timed())
    texts = {svg_text(draw(ENTRIES["speed"], table, LABELS), "speed") for _ in range(2)}
    assert len(texts) == 1


def test_names_that_matplotlib_would_read_as_something_else():
    names = ["_hidden:make", "cost $ and $ again", "<b>&amp;", "統計", "two\nlines", "x" * 90]
    lines = [row("mine", name, 0.5, n_samples=n) for name in names for n in (10, 20)]
    table = summary_of(lines)
    figure = draw(entry_for("mine", table), table, dict.fromkeys(names) | {n: n for n in names})
    text = svg_text(figure, "mine")
    ET.fromstring(text)
    for piece in ("_hidden:make", "cost $ and $ again", "&lt;b&gt;&amp;amp;", "two lines"):
        assert piece in text


def test_nothing_touches_the_global_state_of_matplotlib():
    sources = [path.read_text() for path in files("projstg.report").iterdir() if path.is_file()]
    assert not any("pyplot" in re.sub(r'"""[\s\S]*?"""', "", source) for source in sources)


# --------------------------------------------------------------------------------------- tables


def test_the_numbers_behind_a_figure_are_all_there():
    table = summary_of(against_samples())
    shown = numbers_table(ENTRIES["recovery_vs_samples"], table, LABELS)
    assert len(shown.rows) == len(table)
    assert shown.columns[:5] == ["Setting", "Method", "N", "Trials", "Probability of success"]
    assert all(len(cells) == len(shown.columns) for cells in shown.rows)


def test_designs_that_agree_share_a_line_of_the_theorems():
    shared = theory_table(ENTRIES["consistency"], summary_of(growing()))
    assert shared.columns == ["N", "D", "K", "D/N", "Kλ", "Corollary 3"]
    assert [cell.text for cell in shared.rows[0]] == ["128", "45", "4", "0.352", "0.5", "0.8"]
    lines = [line | {"k_lambda": len(line["design"])} for line in growing()]
    own = theory_table(ENTRIES["consistency"], summary_of(lines))
    assert own.columns[0] == "Design"
    assert len(own.rows) == 4 * len(shared.rows)


def test_a_figure_says_which_scale_was_used():
    lines = [
        row("e", "stg", 0.5, parameters=json.dumps({"alpha_scale": c, "alpha_scale_rule": rule}))
        for c, rule in ((0.1, "per-setting"), (0.31623, "per-setting"))
    ]
    remark = scale_remark(summary_of(lines))
    assert remark == "The C of λ is chosen per setting on pilot problems: 0.1 to 0.32."
    assert scale_remark(summary_of([row("e", "omp", 0.5)])) == ""


# ----------------------------------------------------------------------------------------- page


class Reader(HTMLParser):
    """Collects ids, addresses, table headings and the text of a page."""

    def __init__(self, text):
        super().__init__()
        self.ids, self.links, self.tags, self.texts = [], [], [], []
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        found = dict(attributes)
        self.tags.append(tag)
        self.ids += [found["id"]] if "id" in found else []
        self.links += [found[name] for name in ("href", "src", "xlink:href") if name in found]

    def handle_data(self, data):
        self.texts.append(data)


def few(lines, n_samples=(30, 50, 70)):
    return [line for line in lines if line["n_samples"] in n_samples]


@pytest.fixture(scope="module")
def page(tmp_path_factory):
    lines = few(against_samples()) + growing() + timed()
    path = write_report(run_of(lines), tmp_path_factory.mktemp("page"))
    return path, path.read_text(encoding="utf-8")


def test_ids_are_unique_and_links_stay_in_the_file(page):
    found = Reader(page[1])
    assert len(found.ids) == len(set(found.ids)) > 100
    assert found.links
    assert all(link.startswith("#") and link[1:] in found.ids for link in found.links)


def test_references_inside_drawings_resolve(page):
    found = Reader(page[1])
    assert set(re.findall(r"url\(#([^)]+)\)", page[1])) <= set(found.ids)


def test_no_address_outside_the_file_but_the_names_of_namespaces(page):
    outside = set(re.findall(r"https?://[^\s\"'<>]+", page[1]))
    assert outside <= {"http://www.w3.org/2000/svg", "http://www.w3.org/1999/xlink"}


def test_the_page_has_what_it_should(page):
    text = " ".join(Reader(page[1]).texts).replace("\u00a0", " ")
    for words in (
        "Samples needed for 90 % recovery",
        "The paper’s findings, held against this run",
        "What differs from the paper, and why",
        "The numbers behind the figure",
        "How this page was made",
        "projstg reproduce",
        "The paper’s Figure 1.",
    ):
        assert words in text


def test_pieces_lie_beside_the_page(page):
    folder = page[0].parent
    for name in ("recovery_vs_samples", "consistency", "speed"):
        assert (folder / "figures" / f"{name}.png").read_bytes().startswith(b"\x89PNG")
        ET.fromstring((folder / "figures" / f"{name}.svg").read_text(encoding="utf-8"))
    written = pd.read_csv(folder / "tables" / "recovery_vs_samples.csv")
    assert len(written) == len(few(against_samples()))
    assert list(pd.read_csv(folder / "tables" / "findings.csv"))[:2] == ["finding", "outcome"]
    assert "Method" in pd.read_csv(folder / "tables" / "samples_needed.csv")


def test_the_same_rows_give_the_same_page(tmp_path):
    lines = few(against_samples(midpoints={"omp": 50, "stg": 40}))
    texts = {write_report(run_of(lines), tmp_path / name).read_text() for name in "ab"}
    assert len(texts) == 1


HOSTILE = "<script>alert('x')</script>&\"<img src=x>"


def test_names_are_escaped_everywhere(tmp_path):
    lines = [row(HOSTILE, HOSTILE, 0.5, n_samples=n, design=HOSTILE) for n in (10, 20)]
    facts = [(HOSTILE, HOSTILE)]
    made = run_of(lines, facts=facts, command=HOSTILE, lead=HOSTILE)
    path = write_report(made, tmp_path)
    found = Reader(path.read_text(encoding="utf-8"))
    assert found.tags.count("script") == 1
    assert "img" not in found.tags
    assert sum(HOSTILE in text for text in found.texts) >= 5
    assert [p.parent.name for p in tmp_path.rglob("*.svg")] == ["figures"]


def test_a_drawing_says_what_it_is():
    text = svg_text(draw(ENTRIES["speed"], summary_of(timed()), LABELS), "speed")
    assert inline_svg(text, "f0", 'a "title"').startswith(
        '<svg role="img" aria-label="a &#34;title&#34;"'
    )


# ---------------------------------------------------------------------------- from a real folder

SPEC = """
title = "small"
root = 7
methods = ["omp", "lasso", { method = "omp", label = "again", parameters = {} }]
[problem]
n_features = 8
n_informative = 2
noise_std = 0.5
[sizes.smoke]
repetitions = 2
settings = [{ n_samples = [12, 24] }]
[sizes.paper]
repetitions = 3
settings = [{ n_samples = [12, 24, 36] }]
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    where = tmp_path_factory.mktemp("run")
    spec = parse_spec(SPEC, "small")
    for size in ("paper", "smoke"):
        assert run([spec], where, size=size, command="projstg reproduce small").n_errors == 0
    return where


def test_a_run_becomes_a_page(folder, tmp_path):
    path = make_report(folder, out=tmp_path / "made")
    assert path == tmp_path / "made" / "report.html"
    text = " ".join(Reader(path.read_text(encoding="utf-8")).texts)
    assert "projstg reproduce small" in text
    assert "small 7; the draws" in text
    assert not (folder / "report.html").exists()
    assert make_report(folder) == folder / "report.html"


def test_the_size_of_the_last_run_is_shown(folder):
    found = read_run(folder)
    assert set(found.summary["size"]) == {"smoke"}
    assert "size “smoke”" in found.lead


@pytest.mark.parametrize("text", [None, "{", "[]"])
def test_a_folder_without_a_readable_record_of_the_run(folder, tmp_path, text):
    (tmp_path / "parts").mkdir()
    for part in (folder / "parts").glob("*.parquet"):
        (tmp_path / "parts" / part.name).write_bytes(part.read_bytes())
    if text is not None:
        (tmp_path / "run.json").write_text(text)
    found = read_run(tmp_path)
    assert set(found.summary["size"]) == {"paper"}  # the size with most rows
    assert "Machine" not in dict(found.facts)
    assert found.command == ""


@pytest.mark.parametrize(
    "about",
    [
        '"text"',
        "[" * 100_000,
        json.dumps({"machine": 3, "versions": "x", "unavailable": ["y"], "size": ["smoke"]}),
        json.dumps({"seconds": "long", "started": 5, "jobs": {}, "command": None, "earlier": 7}),
        json.dumps({"seconds": 10**400, "started": "now"}),
        json.dumps({"seconds": float("nan"), "started": "now"}),
    ],
)
def test_a_foreign_record_of_the_run_is_not_believed(folder, tmp_path, about):
    shutil.copytree(folder / "parts", tmp_path / "parts")
    (tmp_path / "run.json").write_text(about)
    assert set(read_run(tmp_path).summary["size"]) == {"paper"}
    run([parse_spec(SPEC, "small")], tmp_path, size="paper")
    assert json.loads((tmp_path / "run.json").read_text())["n_tasks"] == 9


def test_no_page_is_written_where_a_run_is_at_work(folder, tmp_path):
    inside, outside = tmp_path / "run", tmp_path / "elsewhere"
    shutil.copytree(folder / "parts", inside / "parts")
    with Store(inside).locked():
        with pytest.raises(ValueError, match=r"another run is writing to .*; wait for it"):
            make_report(inside)
        assert not (inside / "report.html").exists()
        assert make_report(inside, out=outside).exists()
    assert not (outside / ".lock").exists()
    assert make_report(inside).exists()


def test_a_pipe_in_a_folder_keeps_nobody_waiting(folder, tmp_path):
    shutil.copytree(folder / "parts", tmp_path / "parts")
    for name in ("run.json", "parts/pipe.parquet"):
        os.mkfifo(tmp_path / name)
    assert set(read_run(tmp_path).summary["size"]) == {"paper"}


def test_links_among_the_pieces_are_replaced_and_not_followed(folder, tmp_path):
    out, outside = tmp_path / "out", tmp_path / "outside"
    outside.write_text("precious")
    names = ["report.html", "figures/small.svg", "figures/small.png"]
    names += [f"tables/{name}.csv" for name in ("small", "findings", "samples_needed")]
    for name in names:
        (out / name).parent.mkdir(parents=True, exist_ok=True)
        (out / name).symlink_to(outside)
    make_report(folder, out=out)
    assert outside.read_text() == "precious"
    assert not any((out / name).is_symlink() for name in names)


def test_variants_of_a_method_get_names_of_their_own(folder):
    found = set(read_run(folder).summary["method"])
    assert found == {"omp", "lasso", "omp: again"}


def test_variants_drawn_by_a_parameter_keep_their_name():
    found = prepared(pd.DataFrame(by_gate_samples()))
    assert set(found["method"]) == {"projected-stg"}
    assert set(found["n_gate_samples"]) == {4, 8, 10, 20, 50}


def test_a_folder_of_something_else_is_refused_with_what_to_do(tmp_path):
    with pytest.raises(ValueError, match="projstg reproduce"):
        make_report(tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_a_run_without_rows_has_a_page_that_says_so(tmp_path):
    run([parse_spec(SPEC, "small")], tmp_path, methods=["own_methods:missing"])
    text = " ".join(Reader(make_report(tmp_path).read_text(encoding="utf-8")).texts)
    assert "There are no rows in this folder" in text
    assert 'own_methods:missing: pip install "projstg[peers]"' in text


# ------------------------------------------------------------------------------- fits that failed


def failing(tmp_path, methods):
    """The page and the summary of a run with methods that fail on some problems, or on all."""
    report = run([parse_spec(SPEC, "small")], tmp_path, methods=methods)
    assert report.n_errors > 0
    return Reader(make_report(tmp_path).read_text(encoding="utf-8")), read_run(tmp_path).summary


def test_fits_that_failed_are_said_to_have_and_drawn_as_no_success(tmp_path):
    names = ["own_methods:broken", "own_methods:Moody", "omp"]
    page, summary = failing(tmp_path, names)
    text = " ".join(page.texts)
    assert "Fits failed (×) and count in no rate" in text
    assert "broken in 4 of 4 (RuntimeError: always)" in text
    assert "broken in 4 (RuntimeError: always); " in dict(read_run(tmp_path).facts)[
        "Fits that failed"
    ].replace("own_methods:", "")
    broken = curve(summary, method="own_methods:broken")
    assert (list(broken["n"]), list(broken["errors"])) == ([0, 0], [2, 2])
    shown = numbers_table(entry_for("small", summary), summary, {})
    place = shown.columns.index("Errors")
    cells = {cells[shown.columns.index("Method")].text: cells for cells in shown.rows}
    assert cells["own_methods:broken"][place].text == "2"
    assert cells["own_methods:broken"][shown.columns.index("Probability of success")].text == "–"
    ax = draw(entry_for("small", summary), summary, {}).axes[0]
    colour = looks(summary["method"])["own_methods:broken"].colour
    (crosses,) = [line for line in ax.lines if line.get_color() == colour]
    assert (crosses.get_marker(), list(crosses.get_xdata())) == ("x", [12, 24])
    (legend,) = draw(entry_for("small", summary), summary, {}).legends
    assert "own_methods:broken" in [words.get_text() for words in legend.get_texts()]


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


def test_a_page_of_errors_alone(tmp_path):
    page, summary = failing(tmp_path, ["own_methods:broken"])
    text = " ".join(page.texts)
    assert "broken in 4 of 4 (RuntimeError: always)" in text
    assert "90\u00a0% recovery" not in text
    assert set(summary["n"]) == {0}


@pytest.mark.parametrize("experiment", ["speed", "real_fdr", "consistency"])
def test_an_entry_can_be_drawn_where_all_fits_failed(experiment):
    lines = [
        line | dict.fromkeys(MEASURED, np.nan) | {"n": 0, "errors": 3, "first_error": "E: x"}
        if line["method"] in ("omp", "projected-stg")
        else line
        for line in everything()
        if line["experiment"] == (ENTRIES[experiment].trials_of or experiment)
    ]
    table = summary_of(lines)
    ET.fromstring(svg_text(draw(ENTRIES[experiment], table, LABELS), experiment))
    answered = table[table["n"] > 0]
    verdicts(answered, LABELS)
    headline_table(answered, LABELS)


MEASURED = [
    name for metric in METRICS.values() for name in (metric.column, metric.low, metric.high)
]


def test_looks_of_all_names_at_once_are_told_apart():
    names = [*MIDPOINTS, *(f"mine:{i}" for i in range(12))]
    found = looks(names)
    pairs = {(look.colour, look.marker, str(look.line)) for look in found.values()}
    assert len(pairs) == len(names)
    for one, other in itertools.combinations(MIDPOINTS, 2):
        assert found[one] != found[other]
