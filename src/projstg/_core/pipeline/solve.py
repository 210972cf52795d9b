"""From tables and what is asked of them to the answers, in the units of the data.

``ProjectedSTG`` is :func:`solve` on one table, ``fit_many`` on many. A column that does not vary,
or may not be selected, must change nothing about the answer. So it is taken out before anything is
fitted or drawn, and put back as one that was not selected. Tables that leave out different columns
are solved separately. Until then scores are in units of the scaled y.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ..arrays.backend import to_numpy
from ..data.standard_table import StandardTable
from ..progress import Report
from ..search.record import RankedSupports
from .auto_size import solve_auto
from .fixed_size import solve as solve_fixed
from .options import Options
from .solution import Solution, joined, parts, restored

__all__ = ["solve"]


def solve(
    table: StandardTable,
    options: Options,
    seeds: Sequence[int],
    report: Report | None = None,
    *,
    selection: str | None = None,
) -> Solution:
    """Return the answer for each table of the batch; problem i draws from seeds[i].

    ``selection`` says how K is chosen from the data; None where it is given, or the gates decide.
    """
    answers, order = [], []
    for part in parts(table, options):
        own = [seeds[i] for i in part.problems]
        if selection is None:
            answer = solve_fixed(part.table, part.options, own, report)
        else:
            each = (
                solve_auto(part.table.part(i), part.options, selection, seed, report)
                for i, seed in enumerate(own)
            )
            answer = joined(list(each))
        answer = _with_scores_in_units(answer, part.table)
        answers.append(restored(answer, part.kept, table.scale.shape[-1]))
        order.append(part.problems)
    return joined(answers, np.argsort(np.concatenate(order)))


def _with_scores_in_units(answer: Solution, table: StandardTable) -> Solution:
    """Return the answer with scores in the units of the data: ν log(rss) changes by a constant."""
    if answer.search is None:
        return answer
    dof, unit = to_numpy(table.problem.degrees_of_freedom), to_numpy(table.y_scale)
    shifts = (2.0 * dof * np.log(unit)).tolist()
    search = [
        own._replace(objective=own.objective + shift, ranked=RankedSupports.none(own.support.size))
        for own, shift in zip(answer.search, shifts, strict=True)
    ]
    return answer._replace(search=search)
