"""Slow and obvious: probabilities of supports from a list of all of them."""

from itertools import combinations

import numpy as np

from projstg._core.data.quadratic import RowQuadratic
from projstg._core.data.standardize import standardized
from projstg._core.posterior.chain import Chains
from projstg._core.posterior.counted import Counted
from projstg._core.score.criterion import CRITERIA
from projstg._core.score.evidence import support_scores
from projstg._core.score.prior import costs_of_sizes
from projstg._core.search.working_set import restricted

D = 8
JUDGE = CRITERIA["common-size"]
JUDGES = [name for name, criterion in CRITERIA.items() if criterion.counts_volume]
ONLY_3 = np.where(np.arange(4) == 3, 0.0, -np.inf)
UP_TO_5 = np.full(6, -np.log(6.0))
UNEVEN = np.log([0.1, 0.4, 0.3, 0.2])
PRIORS = {"K = 3": ONLY_3, "up to 5": UP_TO_5, "uneven": UNEVEN}
LIMITS = {"free": ((), ()), "bound": ((2,), (0, 6))}


def draw(seed, n_rows=16, n_columns=D, noise=1.0):
    """A problem in which y depends on the first three columns."""
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((1, n_rows, n_columns))
    y = X[..., :3] @ [1.0, -1.0, 1.0] + noise * rng.standard_normal((1, n_rows))
    return standardized(RowQuadratic.from_rows(X, y))[0]


def masks(always, never, n_columns=D):
    """The two masks of constraints."""
    return np.isin(np.arange(n_columns), always), np.isin(np.arange(n_columns), never)


def field_of(Z, always=(), never=()):
    """All columns of a problem, as a search sees them."""
    locked, excluded = masks(always, never, Z.b.shape[1])
    columns = np.arange(Z.b.shape[1])[None]
    return restricted(Z, columns, excluded[None], locked[None])


def judge_of(Z, criterion, always=()):
    """The criterion for one problem."""
    return criterion.judge(Z, always=masks(always, (), Z.b.shape[1])[0])


def listed(Z, criterion, prior, always=(), never=()):
    """Probabilities of all supports, from a list of them."""
    found, judge = {}, judge_of(Z, criterion, always)
    for size in np.flatnonzero(np.isfinite(prior)):
        own = [
            support
            for support in combinations(range(Z.b.shape[1]), size)
            if set(always) <= set(support) and not set(never) & set(support)
        ]
        if own:
            scores = support_scores(Z, np.asarray(own, dtype=np.int64)[None], judge)[0]
            for support, score in zip(own, scores, strict=True):
                found[support] = -0.5 * score + prior[size] - np.log(len(own))
    logs = np.asarray(list(found.values()))
    return dict(zip(found, np.exp(logs - np.logaddexp.reduce(logs)), strict=True))


def summed(known, n_columns, n_sizes):
    """Inclusion and sizes from the probabilities of all supports."""
    inclusion, sizes = np.zeros(n_columns), np.zeros(n_sizes)
    for support, probability in known.items():
        inclusion[list(support)] += probability
        sizes[len(support)] += probability
    return inclusion, sizes


def holding(known, columns):
    """The probability that all of the columns are in the support."""
    return sum(p for support, p in known.items() if set(columns) <= set(support))


def counted(Z, known, prior, chosen):
    """Some of the supports that are listed, by their places from the likeliest on."""
    order = sorted(known, key=known.get, reverse=True)
    costs = costs_of_sizes(prior, 8, 0)
    supports = [np.asarray(order[i], dtype=np.int64) for i in chosen]
    mask = np.stack([np.isin(np.arange(8), own) for own in supports])
    scores = [support_scores(Z, own[None, None], JUDGE)[0, 0] + costs[own.size] for own in supports]
    return Counted(mask, np.asarray(scores))


def sampled(Z, prior, begin, n_steps, seed=0):
    """Steps of chains that have forgotten where they began."""
    field, costs = field_of(Z), costs_of_sizes(prior, 8, 0)
    chains = Chains(field, JUDGE.judge(Z), costs, begin, np.ones(8), np.random.default_rng(seed))
    chains.run(20)
    return chains.run(n_steps)
