r"""A search of a problem: its columns, the criterion, and the scores computed so far."""

from __future__ import annotations

from itertools import combinations
from typing import NamedTuple

import numpy as np

from ..data.problem import Problem
from ..score.criterion import Judge
from ..score.scored_supports import scores_of
from ..score.tableau import Field
from .record import SearchRecord
from .search_settings import SEARCH, SearchSettings

__all__ = ["Search", "best_members", "exact_scores", "score_all", "score_supports"]


class Search(NamedTuple):
    """The search for one size; record and generator change in place."""

    problem: Problem
    """Over all columns."""
    field: Field
    columns: np.ndarray
    """The columns of ``problem`` that are in ``field``, (W,), in increasing order."""
    judge: Judge
    record: SearchRecord
    generator: np.random.Generator
    settings: SearchSettings = SEARCH


def score_supports(search: Search, members: np.ndarray) -> np.ndarray:
    """Return the scores of supports (C, K); each is computed once and kept."""
    members, known = np.sort(members, axis=1), search.record.scores
    keys = [row.tobytes() for row in search.columns[members]]
    new: dict[bytes, int] = {}
    for place, key in enumerate(keys):
        if key not in known:
            new.setdefault(key, place)
    if new:
        found = exact_scores(search, members[list(new.values())]).tolist()
        for key, score in zip(new, found, strict=True):
            search.record.add(key, score)
    return np.asarray([known[key] for key in keys])


def exact_scores(search: Search, members: np.ndarray) -> np.ndarray:
    """Return the scores of supports (C, K), members in increasing order."""
    of = (search.problem, search.field, search.columns)
    return scores_of(*of, members, search.judge, search.field.n_redundant).total


def score_all(search: Search, K: int) -> None:
    """Score every support of K columns that the constraints permit."""
    locked = np.flatnonzero(search.field.locked)
    free = np.flatnonzero(~search.field.locked & ~search.field.excluded)
    others = np.asarray([*combinations(free.tolist(), K - locked.size)], dtype=np.int64)
    score_supports(search, np.hstack([np.tile(locked, (len(others), 1)), others]))


def best_members(search: Search) -> np.ndarray:
    """Return the best support so far, as columns of the field, (K,)."""
    return np.searchsorted(search.columns, search.record.best()[0])
