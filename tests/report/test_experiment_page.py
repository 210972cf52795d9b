"""The page stands alone, has all pieces, and says what failed."""

import json
import re
import shutil
import xml.etree.ElementTree as ET

import pandas as pd
import pytest
from made_up_runs import (
    SMALL_SPEC,
    against_samples,
    few,
    growing,
    row,
    run_of,
    summary_of,
    timed,
)
from page_reader import Reader

from projstg.experiments.runner import run
from projstg.experiments.spec import parse_spec
from projstg.experiments.store import Store
from projstg.report import make_report
from projstg.report.captions import entry_for
from projstg.report.claim_stats import curve
from projstg.report.experiment_page import scale_remark, write_report
from projstg.report.figures import draw
from projstg.report.html_tables import numbers_table
from projstg.report.load_results import read_run
from projstg.report.method_looks import looks


def test_a_figure_says_which_scale_was_used():
    lines = [
        row("e", "stg", 0.5, parameters=json.dumps({"alpha_scale": c, "alpha_scale_rule": rule}))
        for c, rule in ((0.1, "per-setting"), (0.31623, "per-setting"))
    ]
    remark = scale_remark(summary_of(lines))
    assert remark == "The C of λ is chosen per setting on pilot problems: 0.1 to 0.32."
    assert scale_remark(summary_of([row("e", "omp", 0.5)])) == ""


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
    texts = {
        write_report(run_of(lines), tmp_path / name).read_text(encoding="utf-8") for name in "ab"
    }
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


def test_a_run_becomes_a_page(folder, tmp_path):
    path = make_report(folder, out=tmp_path / "made")
    assert path == tmp_path / "made" / "report.html"
    text = " ".join(Reader(path.read_text(encoding="utf-8")).texts)
    assert "projstg reproduce small" in text
    assert "small 7; the draws" in text
    assert not (folder / "report.html").exists()
    assert make_report(folder) == folder / "report.html"


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


def test_links_among_the_pieces_are_replaced_and_not_followed(folder, tmp_path):
    out, outside = tmp_path / "out", tmp_path / "outside"
    outside.write_text("precious", encoding="utf-8")
    names = ["report.html", "figures/small.svg", "figures/small.png"]
    names += [f"tables/{name}.csv" for name in ("small", "findings", "samples_needed")]
    for name in names:
        (out / name).parent.mkdir(parents=True, exist_ok=True)
        (out / name).symlink_to(outside)
    make_report(folder, out=out)
    assert outside.read_text(encoding="utf-8") == "precious"
    assert not any((out / name).is_symlink() for name in names)


def test_a_folder_of_something_else_is_refused_with_what_to_do(tmp_path):
    with pytest.raises(ValueError, match="projstg reproduce"):
        make_report(tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_a_run_without_rows_has_a_page_that_says_so(tmp_path):
    run([parse_spec(SMALL_SPEC, "small")], tmp_path, methods=["own_methods:missing"])
    text = " ".join(Reader(make_report(tmp_path).read_text(encoding="utf-8")).texts)
    assert "There are no rows in this folder" in text
    assert 'own_methods:missing: pip install "projstg[peers]"' in text


def failing(tmp_path, methods):
    """The page and the summary of a run with methods that fail on some problems, or on all."""
    report = run([parse_spec(SMALL_SPEC, "small")], tmp_path, methods=methods)
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


def test_a_page_of_errors_alone(tmp_path):
    page, summary = failing(tmp_path, ["own_methods:broken"])
    text = " ".join(page.texts)
    assert "broken in 4 of 4 (RuntimeError: always)" in text
    assert "90\u00a0% recovery" not in text
    assert set(summary["n"]) == {0}
