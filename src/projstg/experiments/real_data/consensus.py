"""The columns of a whole table that random halves of its rows choose most often.

On each of 25 random halves of all rows, search for the K columns with the smallest residual. The K
columns found most often are the consensus (among equally frequent columns, the earlier ones). The
criterion is least squares, not the evidence, because the truth must not come from the score that
one of the compared methods uses. If two columns nearly repeat each other, some halves take one and
some the other; which of them is in the consensus is then arbitrary.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

import numpy as np

from ...datasets.settings import seed_sequence
from ...estimators.projected_stg import ProjectedSTG
from .distinct_columns import distinct_columns

__all__ = ["agreed_columns", "agreement", "votes"]

Load = Callable[[str], tuple[np.ndarray, np.ndarray]]
"""From the name of a table to its inputs and its target."""

_N_HALVES = 25


def agreed_columns(name: str, n_selected: int, load: Load) -> np.ndarray:
    """Return the consensus of a table as sorted indices of its inputs, (n_selected,)."""
    count = votes(name, n_selected, load)
    return np.sort(np.argsort(-count, kind="stable")[:n_selected])


def agreement(name: str, n_selected: int, load: Load) -> float:
    """Return the share of the halves in which a column of the consensus was chosen, on average."""
    count = votes(name, n_selected, load)
    return float(np.mean(np.sort(count)[-n_selected:])) / _N_HALVES


@cache
def votes(name: str, n_selected: int, load: Load) -> np.ndarray:
    """Return in how many halves each input was chosen, (n_inputs,); cached, so do not change it."""
    X, y = load(name)
    seed = {"consensus": name, "n_informative": n_selected}
    rng = np.random.default_rng(seed_sequence(seed))
    count = np.zeros(X.shape[1], dtype=int)
    for _ in range(_N_HALVES):
        half = rng.permutation(len(y))[: len(y) // 2]
        columns = distinct_columns(X[half])
        model = ProjectedSTG(n_selected, criterion="least-squares", probabilities=False)
        support = model.fit(columns.standardized, y[half]).get_support()
        count[columns.kept[support]] += 1
    return count
