"""Verdicts on the two real tables follow the numbers."""

import pytest
from made_up_runs import (
    LABELS,
    on_tables,
    summary_of,
)

from projstg.report.claims import (
    verdicts,
)
from projstg.report.verdict import AGAINST, HELD


@pytest.mark.parametrize(("lead", "outcome"), [(0.1, HELD), (0.0, HELD), (-0.3, AGAINST)])
def test_equal_is_enough_on_real_tables(lead, outcome):
    (found,) = verdicts(summary_of(on_tables(lead=lead)), LABELS)[:1]
    assert "Figures 6 and 7" in found.finding
    assert found.outcome == outcome
    assert "AILERON" in found.words
    assert "Rand-OMP" in found.words
