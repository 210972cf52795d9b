"""The page of an answer in a browser: nothing cut, nothing tiny, on a desk and on a phone."""

import numpy as np
import pytest
from in_browser import BROWSER, seen_at

from projstg import select
from projstg.tables.show.selection_page import page

pd = pytest.importorskip("pandas")
pytestmark = pytest.mark.skipif(BROWSER is None, reason="no Chromium on this machine")

# What stands in the first card or row, and which texts reach beyond the window.
PROBE = """
function seen() {
  const first = document.querySelector(".cards tbody tr");
  const wide = [...document.querySelectorAll("h1, p, li, pre, dd, .cards td")];
  const style = getComputedStyle(document.querySelector(".drawing text"));
  return {
    isCard: getComputedStyle(first).display === "grid",
    beyond: wide.filter((one) => one.scrollWidth > one.clientWidth + 1).map(said),
    isThemed: style.fill === getComputedStyle(document.body).color,
  };
}
"""


def long_names():
    """An answer with long names without blanks, and large numbers."""
    rng = np.random.default_rng(0)
    names = [f"what_was_spent_in_all_{'x' * 30}_in_the_quarter_{i}_of_a_year" for i in range(12)]
    frame = pd.DataFrame(rng.normal(size=(90, 12)), columns=names)
    target = "income_" * 9
    frame[target] = 1e6 * (frame[names[0]] - 2.0 * frame[names[5]] + rng.normal(size=90))
    return select(frame, target, folds=2, sizes=range(1, 7))


def test_nothing_is_cut_tiny_or_overlapping(tmp_path):
    file = tmp_path / "report.html"
    file.write_text(page(long_names(), "projstg select table.csv"), encoding="utf-8")
    found = seen_at((1280, 390), file, PROBE, tmp_path / "profile")
    for width, seen in found.items():
        assert seen["widths"][0] <= width
        assert [seen[fault] for fault in ("small", "overlap", "outside", "beyond")] == 4 * [[]]
        assert seen["isCard"] == (width == 390)
        assert seen["isThemed"]
