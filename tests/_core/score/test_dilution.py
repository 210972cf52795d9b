"""Costs are those of eigenvalues; forced columns that are redundant do not count."""

from dataclasses import replace

import numpy as np
import pytest
from made_problems import problem_of

from projstg._core.score.criterion import CRITERIA
from projstg._core.score.dilution import dilutions, entering_costs, is_dependent
from projstg._core.score.evidence import support_scores
from projstg._core.score.neighbours import neighbours
from projstg._core.score.tableau import Field

D = 8


def problem(rng, copies=()):
    X = rng.standard_normal((30, D)) @ (np.eye(D) + 0.4)
    for copy, original in copies:
        X[:, copy] = -3.0 * X[:, original]
    return problem_of(X, X[:, 0] - X[:, 1] + rng.standard_normal(30))


def field_of(Z, locked=()):
    return Field.of(Z, np.isin(np.arange(D), locked))


def cost(Z, support):
    """What dilution costs a support, from the eigenvalues of its correlations."""
    A = Z.X[:, list(support)]
    values = np.linalg.eigvalsh(A.T @ A / len(A))
    return np.sum(np.log((values + 0.1) / (1.1 * values)))


@pytest.mark.parametrize("members", [[], [3], [5, 0, 2]])
def test_every_cost_is_that_of_its_support(members, rng):
    Z = problem(rng)
    found = dilutions(field_of(Z), np.asarray([members], dtype=np.int64))
    assert found.present[0] == pytest.approx(cost(Z, members))
    for p in range(len(members)):
        rest = [*members[:p], *members[p + 1 :]]
        assert found.left_out[0, p] == pytest.approx(cost(Z, rest))
        for j in set(range(D)) - set(members):
            assert found.exchanged[0, p, j] == pytest.approx(cost(Z, [*rest, j]))
    for j in set(range(D)) - set(members):
        assert found.added[0, j] == pytest.approx(cost(Z, [*members, j]))
    outside = [j for j in range(D) if j not in members]
    assert not found.in_doubt[..., outside].any()


def test_a_member_of_zeros_does_not_count(rng):
    Z = problem(rng)
    field = field_of(Z)
    G = np.pad(field.G, (0, 1))
    members, none = np.asarray([[2, D, 5, D]]), np.zeros(D + 1, dtype=bool)
    (found, _), (plain, _) = (
        entering_costs(G[own], own, np.diagonal(G), field.n, none)
        for own in (members, members[:, ::2])
    )
    np.testing.assert_allclose(found, plain, atol=1e-12)


@pytest.mark.parametrize("apart", 10.0 ** -np.arange(2.0, 9.0, 0.5))
def test_what_is_not_in_doubt_is_what_the_eigenvalues_say(apart, rng):
    """Near copies enter, are there already, or come for another: never dependent unawares."""
    Z = problem(rng)
    X = Z.X.copy()
    X[:, 7], X[:, 6] = X[:, 0] + apart * X[:, 7], X[:, 1] + 1e-5 * X[:, 6]
    field = field_of(problem_of(X, Z.y))
    for members in ([0, 2], [0, 1, 6], [2, 7], [1, 2, 6, 7]):
        if is_dependent(field, np.asarray(members)):
            continue
        found = dilutions(field, np.asarray([members]))
        for j in set(range(D)) - set(members):
            costs = [*found.exchanged[0, :, j], found.added[0, j]]
            for p, (cost, in_doubt) in enumerate(zip(costs, found.in_doubt[0, :, j], strict=True)):
                own = np.sort([*members[:p], *members[p + 1 :], j])  # the last has all members
                if not in_doubt:
                    assert np.isinf(cost) == is_dependent(field, own)


@pytest.mark.parametrize("name", ["common-size", "evidence"])
def test_dependent_columns_that_must_be_selected_leave_the_odds_as_they_are(name, rng):
    """The eigenvalue that is zero in all supports does not count, in scores and neighbours."""
    Z = problem(rng, copies=[(7, 3), (6, 1)])
    judge, locked = CRITERIA[name], [3, 7]
    field = field_of(Z, locked)
    assert field.redundant.sum() == 1
    plain = replace(judge, is_diluted=False)
    supports = [[0, 2, 3, 7], [1, 2, 3, 7], [1, 3, 6, 7], [3, 7], [3, 4, 7]]

    def dilution(support, n_redundant):
        own = np.asarray([support])
        (one,), (other,) = (support_scores(Z, own, by, n_redundant) for by in (judge, plain))
        return one - other

    assert all(dilution(own, 0) == np.inf for own in supports)
    assert dilution([1, 3, 6, 7], 1) == np.inf  # 6 is a copy of 1
    for own in ([0, 2, 3, 7], [1, 2, 3, 7], [3, 4, 7]):
        A = Z.X[:, own]
        values = np.linalg.eigvalsh(A.T @ A / len(A))[1:]
        expected = np.sum(np.log((values + 0.1) / (1.1 * values)))
        assert dilution(own, 1) == pytest.approx(expected)
    found = neighbours(field, np.asarray([[1, 3, 7]]), judge.judge(Z), resize=True)
    for j in (0, 2, 4, 5, 6):
        expected = support_scores(Z, np.sort([1, 3, 7, j])[None], judge, 1)[0]
        assert found.added[0, j] == pytest.approx(expected, rel=1e-7)
    present = support_scores(Z, np.asarray([[1, 3, 7]]), judge, 1)[0]
    assert found.present[0] == pytest.approx(present)
    assert is_dependent(field, np.asarray([1, 3, 6, 7]))
    assert not is_dependent(field, np.asarray([1, 3, 7]))


@pytest.mark.parametrize("pair", [([0, 3], [2, 3]), ([1, 3], [3, 4]), ([0, 1, 3], [0, 3, 5])])
def test_beside_a_forced_copy_the_odds_are_about_those_without_it(pair, rng):
    """The copy takes half of the coefficient, and does not count otherwise."""
    Z, judge = problem(rng, copies=[(7, 3)]), CRITERIA["evidence"]
    alone = support_scores(Z, np.asarray(pair), judge)
    beside = support_scores(Z, np.asarray([[*own, 7] for own in pair]), judge, 1)
    assert beside[0] - beside[1] == pytest.approx(alone[0] - alone[1], abs=0.3)
