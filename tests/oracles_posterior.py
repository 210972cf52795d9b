"""Slow and obvious: probabilities of supports from a list of all of them."""

from itertools import combinations

import numpy as np
from made_problems import problem_of

from projstg._core.data.problem import DenseProblem
from projstg._core.posterior.chain import Chains
from projstg._core.posterior.counted import Counted
from projstg._core.posterior.joint import joint_of
from projstg._core.score.criterion import CRITERIA
from projstg._core.score.evidence import support_scores
from projstg._core.score.prior import costs_of_sizes
from projstg._core.score.tableau import Field

D = 8
JUDGE = CRITERIA["common-size"]
JUDGES = [name for name, criterion in CRITERIA.items() if criterion.counts_volume]
ONLY_3 = np.where(np.arange(4) == 3, 0.0, -np.inf)
UP_TO_5 = np.full(6, -np.log(6.0))
UNEVEN = np.log([0.1, 0.4, 0.3, 0.2])
PRIORS = {"K = 3": ONLY_3, "up to 5": UP_TO_5, "uneven": UNEVEN}
# Columns that must be selected, and columns of zeros, which cannot be.
LIMITS = {"free": ((), ()), "bound": ((2,), (0, 6))}


def draw(seed, n_rows=16, n_columns=D, noise=1.0, zeros=()):
    """A problem in which y depends on the first three columns."""
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n_rows, n_columns))
    y = X[:, :3] @ [1.0, -1.0, 1.0] + noise * rng.standard_normal(n_rows)
    X[:, list(zeros)] = 0.0
    return problem_of(X, y)


def with_columns(Z, X):
    """The same y with other columns."""
    return DenseProblem.of_rows(X, Z.y, Z.n, Z.dof)


def mask_of(columns, n_columns=D):
    """The mask of some columns."""
    return np.isin(np.arange(n_columns), columns)


def field_of(Z, always=()):
    """All columns of a problem, as a search sees them."""
    return Field.of(Z, mask_of(always, Z.b.size))


def judge_of(Z, criterion, always=()):
    """The criterion for one problem."""
    return criterion.judge(Z, always=mask_of(always, Z.b.size))


def costs_of(Z, prior, always=()):
    """What the sizes of its supports cost."""
    return costs_of_sizes(prior, int(np.sum(Z.diagonal > 0.0)), len(always))


def listed(Z, criterion, prior, always=()):
    """Probabilities of all supports, from a list of them."""
    found, judge = {}, judge_of(Z, criterion, always)
    for size in np.flatnonzero(np.isfinite(prior)):
        own = [
            support
            for support in combinations(np.flatnonzero(Z.diagonal).tolist(), size)
            if set(always) <= set(support)
        ]
        if own:
            scores = support_scores(Z, np.asarray(own, dtype=np.int64), judge)
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


def joint_of_list(known, n_columns):
    """The joint posterior of all columns, from the probabilities of all supports."""
    masks = np.stack([mask_of(list(own), n_columns) for own in known])
    shares = np.zeros((len(masks), n_columns + 1))
    shares[:, -1] = 1.0
    return joint_of(np.arange(n_columns), masks, shares, np.asarray(list(known.values())))


def counted(Z, known, prior, chosen):
    """Some of the supports that are listed, by their places from the likeliest on."""
    order, costs = sorted(known, key=known.get, reverse=True), costs_of(Z, prior)
    supports = [np.asarray(order[i], dtype=np.int64) for i in chosen]
    scores = [support_scores(Z, own[None], JUDGE)[0] + costs[own.size] for own in supports]
    return Counted(np.stack([mask_of(own) for own in supports]), np.asarray(scores))


def sampled(Z, prior, begin, n_steps, seed=0):
    """Steps of chains that have forgotten where they began."""
    of = (field_of(Z), JUDGE.judge(Z), costs_of(Z, prior), begin, np.ones(D))
    chains = Chains(*of, np.random.default_rng(seed))
    chains.run(20)
    return chains.run(n_steps)
