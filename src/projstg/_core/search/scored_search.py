r"""A search of several problems: their columns, the criterion, and the scores computed so far."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from typing import NamedTuple

import numpy as np

from ..data.quadratic import Problem
from ..score.criterion import Judge
from ..score.scored_supports import scores_of
from ..score.tableau import Field
from .record import SearchRecord, members_of
from .search_settings import SEARCH, SearchSettings

__all__ = ["Search", "best_members", "exact_scores", "score_all", "score_supports"]


class Search(NamedTuple):
    """The search of B problems for one size; records, generators and n_iter change in place."""

    problem: Problem
    """Over all columns."""
    field: Field
    columns: np.ndarray
    """(B, W): the columns of ``problem`` that are in ``field``, in increasing order."""
    criterion: Judge
    records: Sequence[SearchRecord]
    generators: Sequence[np.random.Generator]
    n_iter: np.ndarray
    settings: SearchSettings = SEARCH


def score_supports(search: Search, problem: np.ndarray, members: np.ndarray) -> np.ndarray:
    """Return the scores of supports (C, K) of problems (C,); each is computed once and kept."""
    members = np.sort(members, axis=1)
    named = np.take_along_axis(search.columns[problem], members, axis=1)
    known = [search.records[i].scores for i in problem.tolist()]
    keys = [row.tobytes() for row in named]
    new: dict[tuple[int, bytes], int] = {}
    for place, (scores, key) in enumerate(zip(known, keys, strict=True)):
        if key not in scores:
            new.setdefault((id(scores), key), place)
    if new:
        chosen = np.fromiter(new.values(), dtype=np.int64)
        found = exact_scores(search, problem[chosen], members[chosen]).tolist()
        for place, score in zip(chosen.tolist(), found, strict=True):
            search.records[problem[place]].add(keys[place], score)
    return np.asarray([scores[key] for scores, key in zip(known, keys, strict=True)])


def exact_scores(search: Search, problem: np.ndarray, members: np.ndarray) -> np.ndarray:
    """Return the scores of supports (C, K), members in increasing order, of problems (C,)."""
    total = np.empty(len(problem))
    for i in np.unique(problem).tolist():
        own, of = problem == i, (search.problem, search.field, search.columns[i])
        total[own] = scores_of(*of, i, members[own], search.criterion).total
    return total


def score_all(search: Search, K: int) -> None:
    """Score every support of K columns that the constraints permit."""
    field = search.field
    n_columns = field.b.shape[1]
    every = np.asarray(list(combinations(range(n_columns), K)))
    holds = np.zeros((len(every), n_columns), dtype=bool)
    np.put_along_axis(holds, every, True, axis=1)
    for i in range(len(search.records)):
        has_excluded = np.any(holds & field.excluded[i], axis=1)
        permitted = every[~has_excluded & np.all(holds | ~field.locked[i], axis=1)]
        score_supports(search, np.full(len(permitted), i), permitted)


def best_members(search: Search, problem: np.ndarray) -> np.ndarray:
    """Return each problem's best support so far, as columns of the field, (C, K)."""
    best = [(search.columns[i], members_of(search.records[i].best)) for i in problem.tolist()]
    places = [np.searchsorted(columns, members) for columns, members in best]
    return np.stack(places) if places else np.empty((0, 0), dtype=np.int64)
