"""Tables of a page hold all numbers."""

from made_up_runs import (
    LABELS,
    against_samples,
    growing,
    summary_of,
)

from projstg.report.captions import ENTRIES
from projstg.report.html_tables import headline_table, numbers_table, theory_table


def test_the_fewest_samples_are_marked_and_a_gap_is_a_dash():
    lines = against_samples(midpoints={"omp": 50, "stg": 30}, noises=(1.0,))
    lines += against_samples("recovery_correlated", midpoints={"omp": 50}, noises=(1.0,))
    table = headline_table(summary_of(lines), LABELS)
    cells = {cells[0].text: cells[1:] for cells in table.rows}
    assert [cell.is_best for cell in cells["STG"]] == [True, False]
    assert [cell.is_best for cell in cells["OMP"]] == [False, True]
    assert cells["STG"][1].text == "–"


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
