"""The page in a browser: no word on the console, no request, tables that sort, no overflow."""

import json
import re
import shutil
import subprocess
from html import unescape

import pytest
from made_up_runs import against_samples, growing, run_of

from projstg.report.experiment_page import write_report

BROWSERS = ("chromium", "chromium-browser", "google-chrome", "chrome")
BROWSER = next(filter(None, map(shutil.which, BROWSERS)), None)
FLAGS = """--headless --no-sandbox --disable-gpu --no-first-run --disable-background-networking
--disable-component-update --disable-sync --enable-logging=stderr --virtual-time-budget=10000
--window-size=1400,900 --dump-dom""".split()

pytestmark = pytest.mark.skipif(BROWSER is None, reason="no Chromium on this machine")

# Clicks headings, as a reader would, and tells the window around it what was seen.
PROBE = """<script>
const column = (table, i) => Array.from(table.tBodies[0].rows, (row) => row.cells[i].innerText);
const seen = {};
const first = document.querySelector("#samples-needed table");
const [name, , loud] = first.tHead.rows[0].cells;
seen.before = column(first, 0);
loud.querySelector("button").click();
seen.up = [column(first, 2), loud.getAttribute("aria-sort")];
loud.querySelector("button").click();
seen.down = [column(first, 2), loud.getAttribute("aria-sort")];
name.querySelector("button").click();
seen.names = [column(first, 0), loud.getAttribute("aria-sort")];
seen.focusable = Array.from(document.querySelectorAll("th button"), (b) => b.tabIndex === 0);
seen.requests = performance.getEntriesByType("resource").length;
seen.widths = [document.documentElement.scrollWidth, window.innerWidth];
const shown = (kind) => getComputedStyle(document.querySelector(kind)).display !== "none";
seen.drawings = [shown(".wide"), shown(".narrow")];
parent.postMessage(JSON.stringify(seen), "*");
</script></body>"""

# A browser without a screen is at least 500 pixels wide; a frame in it is as narrow as one likes.
FRAME = """<!DOCTYPE html><body><pre id="seen"></pre><script>
onmessage = (event) => { document.getElementById("seen").textContent = event.data; };
</script><iframe src="probed.html" width="WIDTH" height="900"></iframe></body>"""


def opened(path, folder):
    """Open a file in a browser of its own and return the document and the console's words."""
    done = subprocess.run(
        [BROWSER, *FLAGS, f"--user-data-dir={folder}", path.as_uri()],
        capture_output=True,
        text=True,
        timeout=120,
        check=True,
    )
    return done.stdout, [line for line in done.stderr.splitlines() if "CONSOLE" in line]


@pytest.fixture(scope="module")
def page(tmp_path_factory):
    lines = [line for line in against_samples() if line["n_samples"] in (30, 40, 50, 60)]
    made = write_report(run_of(lines + growing()), tmp_path_factory.mktemp("page"))
    probed = made.with_name("probed.html")
    probed.write_text(made.read_text(encoding="utf-8").replace("</body>", PROBE), encoding="utf-8")
    return probed


@pytest.fixture(scope="module", params=[1200, 390])
def seen(request, page, tmp_path_factory):
    frame = page.with_name(f"frame{request.param}.html")
    frame.write_text(FRAME.replace("WIDTH", str(request.param)), encoding="utf-8")
    document, console = opened(frame, tmp_path_factory.mktemp("profile"))
    found = re.search(r'<pre id="seen">(.+?)</pre>', document, re.DOTALL)
    assert found, f"the page's script did not end: {console}"
    return json.loads(unescape(found.group(1))) | {"console": console, "asked": request.param}


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


def test_the_reader_of_the_console_hears_a_forbidden_request(page, tmp_path):
    bad = tmp_path / "bad.html"
    image = '<img src="http://localhost:9/none.png" alt=""></body>'
    bad.write_text(page.read_text(encoding="utf-8").replace("</body>", image), encoding="utf-8")
    console = opened(bad, tmp_path / "profile")[1]
    assert any("Content Security Policy" in line for line in console)
