"""A support one column away, by an update, is what that support is computed afresh."""

import numpy as np
import pytest
from made_problems import problem_of

from projstg._core.score.criterion import CRITERIA
from projstg._core.score.tableau import Field, Tableau, exchange, tableau
from projstg._core.score.updates import added, exchanged, left_out, present

D = 7
CRITERION = CRITERIA["common-size"]
RIDGES = np.asarray([1e-3, 0.5, 30.0])


@pytest.fixture(params=[12, 4])
def field(request, rng):
    X = rng.standard_normal((request.param, D))
    y = X[:, 0] - X[:, 1] + 0.5 * rng.standard_normal(request.param)
    return Field.of(problem_of(X, y), np.zeros(D, dtype=bool))


def at_ridges(field, members):
    """The tableaux of one support at all ridges."""
    return tableau(field, np.tile(np.asarray(members, int), (RIDGES.size, 1)), RIDGES)


def fit_of(field, members):
    return present(at_ridges(field, members), RIDGES, CRITERION)


def same(found, place, expected):
    """Whether the fits at a place of the update are those of a support."""
    rss = found.rss[(slice(None), *place)]
    np.testing.assert_allclose(rss, expected.rss, rtol=1e-9, atol=1e-9)
    for one, other in zip(found.effects, expected.effects, strict=True):
        np.testing.assert_allclose(one[(slice(None), *place)], other, rtol=1e-8, atol=1e-9)


@pytest.mark.parametrize("members", [[3], [3, 0, 5]])
def test_every_update_is_the_fit_of_its_support(field, members):
    state, now, K = at_ridges(field, members), fit_of(field, members), len(members)
    outside = [j for j in range(D) if j not in members]
    more = added(state, RIDGES, has_effects=True)
    less = left_out(state, now, RIDGES)
    for j in outside:
        same(more, (j,), fit_of(field, [*members, j]))
    for p in range(K):
        same(less, (p,), fit_of(field, [*members[:p], *members[p + 1 :]]))
        pairs = np.tile(outside, (RIDGES.size, 1))
        moved = exchanged(state, now, RIDGES, np.full_like(pairs, p), pairs)
        for place, j in enumerate(outside):
            same(moved, (place,), fit_of(field, [*members[:p], j, *members[p + 1 :]]))


def test_without_a_common_size_the_residual_is_the_same(field):
    state, members = at_ridges(field, [3, 0, 5]), np.asarray([[2, 6]] * RIDGES.size)
    places = np.zeros_like(members)
    whole = present(state, RIDGES, CRITERION)
    plain = present(state, RIDGES, CRITERIA["evidence"])
    pairs = [
        [added(state, RIDGES, has_effects=has) for has in (True, False)],
        [left_out(state, now, RIDGES) for now in (whole, plain)],
        [exchanged(state, now, RIDGES, places, members) for now in (whole, plain)],
    ]
    for one, other in pairs:
        assert other.effects is None
        np.testing.assert_array_equal(one.rss, other.rss)


@pytest.mark.parametrize("p", [0, 1, 2])
def test_an_exchange_of_a_tableau_is_the_tableau_of_the_exchange(field, p):
    members, moved = [3, 0, 5], [3, 0, 5]
    moved[p] = 2
    state = exchange(
        field,
        Tableau(*(one.copy() for one in at_ridges(field, members))),
        np.tile(members, (RIDGES.size, 1)),
        np.full(RIDGES.size, p),
        np.full(RIDGES.size, 2),
    )
    for found, expected in zip(state, at_ridges(field, moved), strict=True):
        np.testing.assert_allclose(found, expected, rtol=1e-7, atol=1e-7)
