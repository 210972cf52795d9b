"""From a run to a page: one HTML file that needs nothing else, and its figures and tables as files.

The only script of the page sorts its tables. The same rows give the same page.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from contextlib import nullcontext
from pathlib import Path
from typing import Any, NamedTuple

from .._extras import extra
from .._files import replacing
from ..experiments.store import Store
from ..render.figure_svg import inline_svg, save_png, save_svg, svg_text
from ..render.page_html import package_text, page_html
from .captions import COMMON_DEPARTURES, READING, entry_for, in_order
from .claims import verdicts
from .figure_specs import FigureSpec
from .figures import draw
from .html_tables import HtmlTable, headline_table, numbers_table, theory_table
from .load_results import Run, labels_of, read_run
from .verdict import Verdict

__all__ = ["make_report", "write_report"]

TITLE = "Projected Stochastic Gates: the paper, run again"
MARKS = {"held": "✓", "contradicted": "✗", "held in part": "◐", "not settled": "?"}


class FigureSection(NamedTuple):
    """One figure with its texts and tables."""

    id: str
    entry: FigureSpec
    wide: Any
    narrow: Any
    remark: str
    failed: str
    """Which fits failed and are not drawn; empty: none."""
    trials: str
    theory: HtmlTable | None
    numbers: HtmlTable


def make_report(folder: str | Path, *, out: str | Path | None = None) -> Path:
    """Write the page of a run, with its figures and tables, and return the page's path.

    Parameters
    ----------
    folder : path
        What ``projstg reproduce`` wrote.
    out : path, default=None
        The folder for ``report.html``, ``figures/`` and ``tables/``; None: the run's own.

    Returns
    -------
    page : Path
        ``report.html``, one file that opens anywhere. Refused where a run is writing.
    """
    run, out = read_run(Path(folder)), Path(folder if out is None else out)
    with Store(out).locked() if (out / "parts").is_dir() else nullcontext():
        return write_report(run, out)


def write_report(run: Run, out: Path) -> Path:
    """Write the page of a run that has been read."""
    for name in ("figures", "tables"):
        (out / name).mkdir(parents=True, exist_ok=True)
    parts, found, needed = ([], [], None) if run.summary is None else _contents(run.summary, out)
    page = out / "report.html"
    with replacing(page) as temporary:
        temporary.write_text(_page_text(run, parts, found, needed), encoding="utf-8")
    return page


def _contents(
    summary: Any, out: Path
) -> tuple[list[FigureSection], list[Verdict], HtmlTable | None]:
    """Return what the page shows, and write the pieces beside it.

    Findings and thresholds use only points with answers; figures also show the other points.
    """
    tables = in_order(summary)
    files = file_names([name for name, _ in tables])
    parts = [
        _part(i, *named, file, out)
        for i, (named, file) in enumerate(zip(tables, files, strict=True))
    ]
    answered, labels = summary[summary["n"] > 0], labels_of(summary)
    found, needed = verdicts(answered, labels), headline_table(answered, labels)
    _write_tables(found, needed, out / "tables")
    return parts, found, needed


def file_names(experiments: Sequence[str]) -> list[str]:
    """Return for each experiment a name that is safe as a file's name and as an id, all different.

    Examples
    --------
    >>> file_names(["../my <b>run</b>", "a b", "A-b", "findings"])
    ['my-b-run-b', 'a-b', 'A-b-2', 'findings-2']
    """
    found, taken = [], {"findings", "samples_needed"}  # tables of the page itself
    for name in experiments:
        plain = re.sub(r"[^A-Za-z0-9_]+", "-", name).strip("-") or "experiment"
        others = (plain, *(f"{plain}-{i}" for i in range(2, len(experiments) + 3)))
        # Some file systems do not tell capitals apart.
        found.append(next(one for one in others if one.lower() not in taken))
        taken.add(found[-1].lower())
    return found


def _part(i: int, experiment: str, table: Any, name: str, out: Path) -> FigureSection:
    """Draw one experiment, write its figure and its numbers, and return it for the page."""
    entry, labels = entry_for(experiment, table), labels_of(table)
    figure = draw(entry, table, labels)
    wide = save_svg(figure, out / "figures" / f"{name}.svg")
    save_png(figure, out / "figures" / f"{name}.png")
    narrow = svg_text(draw(entry, table, labels, is_narrow=True), f"{name}-narrow")
    with replacing(out / "tables" / f"{name}.csv") as temporary:
        table.to_csv(temporary, index=False, float_format="%.6g")
    return FigureSection(
        id=f"{name}-{i}",
        entry=entry,
        wide=inline_svg(wide, f"f{i}w", entry.title),
        narrow=inline_svg(narrow, f"f{i}n", entry.title),
        remark=scale_remark(table),
        failed=failed_remark(table, labels),
        trials=_trials(table),
        theory=theory_table(entry, table),
        numbers=numbers_table(entry, table, labels),
    )


def _trials(table: Any) -> str:
    low, high = int(table["n"].min()), int(table["n"].max())
    many = str(low) if low == high else f"{low} to {high}"
    return f", {many} trial{'s' * (high > 1)} a point."


def failed_remark(table: Any, labels: dict[str, str]) -> str:
    """Say which methods failed in a figure, how often, and what the first error was."""
    words = []
    for name, rows in table.groupby("method", sort=True):
        n_errors = int(rows["errors"].sum())
        if n_errors:
            first = rows.loc[rows["errors"] > 0, "first_error"].iloc[0]
            n = n_errors + int(rows["n"].sum())
            words.append(f"{labels.get(name, name)} in {n_errors} of {n} ({first})")
    return f"Fits failed (×) and count in no rate: {'; '.join(words)}." if words else ""


def scale_remark(table: Any) -> str:
    """Say which C the gates used in a figure, and how it was found."""
    found = [json.loads(text or "{}") for text in table["parameters"]]
    found = [one for one in found if "alpha_scale" in one or "alpha_scale_rule" in one]
    if not found:
        return ""
    how = {
        "per-setting": "chosen per setting on pilot problems",
        "per-problem": "chosen for each problem by cross-validation",
    }.get(found[0].get("alpha_scale_rule"), "given")
    scales = sorted({one["alpha_scale"] for one in found if "alpha_scale" in one})
    if not scales:
        return f"The C of λ is {how}."
    span = f"{scales[0]:.2g}" if len(scales) == 1 else f"{scales[0]:.2g} to {scales[-1]:.2g}"
    return f"The C of λ is {how}: {span}."


def _write_tables(found: list[Verdict], needed: HtmlTable | None, folder: Path) -> None:
    """Write the verdicts and the samples needed as CSV files."""
    pd = extra("pandas", "cli")
    with replacing(folder / "findings.csv") as temporary:
        pd.DataFrame(found, columns=Verdict._fields).to_csv(temporary, index=False)
    if needed is not None:
        rows = [[cell.text for cell in row] for row in needed.rows]
        with replacing(folder / "samples_needed.csv") as temporary:
            pd.DataFrame(rows, columns=needed.columns).to_csv(temporary, index=False)


def _page_text(
    run: Run, parts: list[FigureSection], found: list[Verdict], needed: HtmlTable | None
) -> str:
    """Return the page's text."""
    return page_html(
        "report/experiment_page.html.j2",
        script=package_text("report/sort_tables.js"),
        title=TITLE,
        lead=run.lead,
        headline=needed,
        verdicts=found,
        marks=MARKS,
        parts=parts,
        reading=READING if any(part.entry.metric == "recovery" for part in parts) else (),
        departures=COMMON_DEPARTURES,
        command=run.command,
        facts=run.facts,
    )
