"""The exact scores of supports of one problem; :mod:`.evidence` has the formula."""

from __future__ import annotations

import numpy as np

from ..data.determined_directions import on_rows, spectrum
from ..data.quadratic import Problem
from ..kernel.twin import answered_by
from .compiled_scores import Scores, scores_compiled
from .criterion import Judge
from .evidence import scores_by_ridge, total_score
from .tableau import Field

__all__ = ["Scores", "scores_of"]


@answered_by(scores_compiled)
def scores_of(
    problem: Problem, field: Field, columns: np.ndarray, i: int, supports: np.ndarray, judge: Judge
) -> Scores:
    """Return the scores of supports (C, K) of problem i.

    They are columns of the ``field``, in increasing order; ``columns`` (W,) are those of
    ``problem`` that it has.
    """
    which = np.full(len(supports), i)
    G = field.G[i][supports[:, :, None], supports[:, None, :]]
    yy, dof, n = (one[which] for one in (field.yy, field.dof, field.n))
    found = spectrum(G, field.b[i][supports], yy)
    found = on_rows(problem, which, columns[supports], found)
    n_redundant = np.full(len(supports), int(field.redundant[i].sum()))
    scores = scores_by_ridge(found, which, yy, dof, n, judge, n_redundant)
    return Scores(total_score(scores), scores)
