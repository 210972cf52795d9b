"""The page in a browser: no word on the console, no request, tables that sort, no overflow."""

import pytest
from in_browser import BROWSER, opened, seen_at
from made_up_runs import against_samples, growing, run_of

from projstg.report.experiment_page import write_report

pytestmark = pytest.mark.skipif(BROWSER is None, reason="no Chromium on this machine")

# Clicks headings, as a reader would, and tells the window around it what was seen.
PROBE = """
const column = (table, i) => Array.from(table.tBodies[0].rows, (row) => row.cells[i].innerText);
const shown = (kind) => getComputedStyle(document.querySelector(kind)).display !== "none";
function seen() {
  const found = {};
  const first = document.querySelector("#samples-needed table");
  const [name, , loud] = first.tHead.rows[0].cells;
  found.before = column(first, 0);
  loud.querySelector("button").click();
  found.up = [column(first, 2), loud.getAttribute("aria-sort")];
  loud.querySelector("button").click();
  found.down = [column(first, 2), loud.getAttribute("aria-sort")];
  name.querySelector("button").click();
  found.names = [column(first, 0), loud.getAttribute("aria-sort")];
  found.focusable = Array.from(document.querySelectorAll("th button"), (b) => b.tabIndex === 0);
  found.requests = performance.getEntriesByType("resource").length;
  found.drawings = [shown(".wide"), shown(".narrow")];
  return found;
}
"""
WIDTHS = (1280, 390)


@pytest.fixture(scope="module")
def page(tmp_path_factory):
    lines = [line for line in against_samples() if line["n_samples"] in (30, 40, 50, 60)]
    return write_report(run_of(lines + growing()), tmp_path_factory.mktemp("page"))


@pytest.fixture(scope="module")
def at_widths(page, tmp_path_factory):
    return seen_at(WIDTHS, page, PROBE, tmp_path_factory.mktemp("profile"))


@pytest.fixture(params=WIDTHS)
def seen(request, at_widths):
    return at_widths[request.param] | {"asked": request.param}


def test_the_console_is_silent_and_nothing_is_asked_for(seen):
    assert seen["console"] == []
    assert seen["requests"] == 0


def numbers(cells):
    """The first number of each cell; one that was never reached counts half as much again."""
    heads = [cell.split("\n")[0] for cell in cells]
    return [1.5 * int(h[2:]) if h.startswith(">") else int(h.strip("≤ ")) for h in heads]


def test_a_table_sorts_up_and_down(seen):
    up, down = seen["up"], seen["down"]
    assert (up[1], down[1]) == ("ascending", "descending")
    assert numbers(up[0]) == sorted(numbers(up[0]))
    assert numbers(down[0]) == sorted(numbers(down[0]), reverse=True)
    assert numbers(up[0]) != numbers(down[0])


def test_words_sort_too_and_only_one_heading_says_so(seen):
    names, other = seen["names"]
    assert names == sorted(seen["before"], key=str.casefold)
    assert names != seen["before"]
    assert other is None


def test_the_keyboard_reaches_every_heading(seen):
    assert len(seen["focusable"]) > 10
    assert all(seen["focusable"])


def test_the_page_fits_its_window_and_shows_one_shape_of_each_figure(seen):
    scrolled, window = seen["widths"]
    assert window == seen["asked"]
    assert scrolled <= window
    assert seen["drawings"] == [seen["asked"] > 640, seen["asked"] <= 640]


def test_every_text_can_be_read(seen):
    assert not seen["small"]
    assert not seen["overlap"]
    assert not seen["outside"]


def test_the_reader_of_the_console_hears_a_forbidden_request(page, tmp_path):
    bad = tmp_path / "bad.html"
    image = '<img src="http://localhost:9/none.png" alt=""></body>'
    bad.write_text(page.read_text(encoding="utf-8").replace("</body>", image), encoding="utf-8")
    console = opened(bad, tmp_path / "profile")[1]
    assert any("Content Security Policy" in line for line in console)
