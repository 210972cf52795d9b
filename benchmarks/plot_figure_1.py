"""Draw docs/figure_1.png: Figure 1 of the paper, few curves, each with its name at its end.

    python benchmarks/plot_figure_1.py

The numbers are those of docs/reproduction, where the page has all methods. Beyond 60 rows most
curves are at one. SCAD is drawn by the better of its two rules, "top".
"""

import argparse
from pathlib import Path

import pandas as pd

from projstg.render.figure_svg import figure_style, save_png
from projstg.report.captions import entry_for
from projstg.report.curves import draw_curves
from projstg.report.method_looks import looks
from projstg.report.panels import panels

DOCS = Path(__file__).resolve().parents[1] / "docs"
EXPERIMENT, MOST_ROWS = "recovery_vs_samples", 60
NAMES = {
    "limit-common-size": "the limit",
    "projected-stg-refined": "projstg",
    "scad-top": "SCAD",
    "abess": "abess",
    "projected-stg": "the paper's algorithm",
    "lasso": "lasso",
}
LINE = 0.052  # the height of a line of text, as a share of the axis


def shown():
    """The rows of the summary that are drawn."""
    table = pd.read_csv(DOCS / "reproduction" / "tables" / f"{EXPERIMENT}.csv")
    return table[table["method"].isin(NAMES) & (table["n_samples"] <= MOST_ROWS)]


def drawn(table):
    """The figure: a panel for each σ; the names are beside the last."""
    from matplotlib.figure import Figure

    entry, styles = entry_for(EXPERIMENT, table), looks(NAMES)
    figure = Figure(figsize=(9.4, 3.5))
    places = figure.subplots(1, 2, sharey=True)
    figure.subplots_adjust(left=0.065, right=0.828, bottom=0.14, top=0.92, wspace=0.07)
    for ax, panel in zip(places, panels(table, entry), strict=True):
        draw_curves(ax, panel, entry, styles)
        ax.set_title(panel.title)
        ax.set_xlim(9, MOST_ROWS + 0.5)
    places[0].set_ylabel("Exactly the right columns found")
    for name, at, height in line_ends(panel.table):
        place = {"xytext": (MOST_ROWS + 1.8, height), "va": "center", "annotation_clip": False}
        weight = "bold" if name == "projected-stg-refined" else "normal"
        last = (MOST_ROWS, at)
        places[1].annotate(NAMES[name], last, color=styles[name].colour, weight=weight, **place)
    return figure


def line_ends(table):
    """(method, the height of its last point, the height of its name), from the lowest up."""
    last = table[table["n_samples"] == MOST_ROWS].set_index("method")["rate"]
    height = -1.0
    # Those that end within a few hundredths of each other are named in the order of NAMES.
    for name in sorted(reversed(NAMES), key=lambda name: round(last[name], 1)):
        height = max(last[name], height + LINE)
        yield name, last[name], height


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.parse_args()
    with figure_style():
        save_png(drawn(shown()), DOCS / "figure_1.png")


if __name__ == "__main__":
    main()
