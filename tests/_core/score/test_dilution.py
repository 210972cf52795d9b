"""Pivots are ratios of determinants; forced columns that are redundant do not count."""

import numpy as np
import pytest

from projstg._core.data.quadratic import RowQuadratic
from projstg._core.data.standardize import standardized
from projstg._core.score.criterion import CRITERIA, support_scores
from projstg._core.score.dilution import dilutions, entering_pivots, is_dependent, pivots
from projstg._core.score.neighbours import neighbours
from projstg._core.search.working_set import restricted

D = 8


def problem(rng, copies=()):
    X = rng.standard_normal((1, 30, D)) @ (np.eye(D) + 0.4)
    for copy, original in copies:
        X[..., copy] = -3.0 * X[..., original]
    y = X[..., 0] - X[..., 1] + rng.standard_normal((1, 30))
    return standardized(RowQuadratic.from_rows(X, y))[0]


def field_of(Z, locked=()):
    mask = np.isin(np.arange(D), locked)[None]
    return restricted(Z, np.arange(D)[None], np.zeros((1, D), dtype=bool), mask)


def log_det(Z, support):
    A = Z.X[0][:, list(support)]
    return np.linalg.slogdet(A.T @ A / len(A))[1]


@pytest.mark.parametrize("members", [[], [3], [5, 0, 2]])
def test_every_pivot_is_a_ratio_of_determinants(members, rng):
    Z = problem(rng)
    found = pivots(field_of(Z), np.zeros(1, int), np.asarray([members], dtype=np.int64))
    now = log_det(Z, members)
    assert found.now[0] == pytest.approx(now)
    for p in range(len(members)):
        rest = [*members[:p], *members[p + 1 :]]
        assert np.log(found.left_out[0, p]) == pytest.approx(log_det(Z, rest) - now)
        for j in set(range(D)) - set(members):
            change = log_det(Z, [*rest, j]) - now
            assert np.log(found.exchanged[0, p, j]) == pytest.approx(change)
    for j in set(range(D)) - set(members):
        assert np.log(found.added[0, j]) == pytest.approx(log_det(Z, [*members, j]) - now)


def test_a_member_of_zeros_does_not_count(rng):
    Z = problem(rng)
    field = field_of(Z)
    G = np.pad(field.G, ((0, 0), (0, 1), (0, 1)))
    diagonal, members = np.diagonal(G, axis1=1, axis2=2), np.asarray([[2, D, 5, D]])
    found = entering_pivots(G[0][members], members, diagonal, field.n)
    plain = entering_pivots(G[0][members[:, ::2]], members[:, ::2], diagonal, field.n)
    np.testing.assert_allclose(found, plain, atol=1e-14)


def test_what_is_rounding_and_what_is_not_clear():
    costs, in_doubt = dilutions(np.asarray([0.0, 1e-14, 1e-12, 1e-10, 1e-8, 0.5]))
    assert np.isinf(costs).tolist() == [True, True, False, False, False, False]
    assert in_doubt.tolist() == [False, False, True, True, False, False]
    assert costs[-1] == pytest.approx(np.log(2.0))


@pytest.mark.parametrize("name", ["common-size", "evidence"])
def test_dependent_columns_that_must_be_selected_leave_the_odds_as_they_are(name, rng):
    """|R_SS|/|R_AA| without the redundant one, for the exact score and for all neighbours."""
    Z = problem(rng, copies=[(7, 3), (6, 1)])
    judge, locked = CRITERIA[name], [3, 7]
    field = field_of(Z, locked)
    assert field.redundant.sum() == 1
    plain = judge._replace(is_diluted=False)
    supports = [[0, 2, 3, 7], [1, 2, 3, 7], [1, 3, 6, 7], [3, 7], [3, 4, 7]]

    def dilution(support, n_redundant):
        own = np.asarray(support)[None, None]
        one = support_scores(Z, own, judge, n_redundant)[0, 0]
        return one - support_scores(Z, own, plain)[0, 0]

    assert all(dilution(own, 0) == np.inf for own in supports)
    assert dilution([1, 3, 6, 7], 1) == np.inf  # 6 is a copy of 1
    base = dilution([3, 7], 1) + log_det(Z, [3])
    for own in ([0, 2, 3, 7], [1, 2, 3, 7], [3, 4, 7]):
        assert dilution(own, 1) + log_det(Z, own[:-1]) == pytest.approx(base)
    found = neighbours(field, np.zeros(1, int), np.asarray([[1, 3, 7]]), judge, resize=True)
    for j in (0, 2, 4, 5, 6):
        expected = support_scores(Z, np.sort([1, 3, 7, j])[None, None], judge, 1)[0, 0]
        shift = found.present[0] - support_scores(Z, np.asarray([[[1, 3, 7]]]), judge, 1)[0, 0]
        assert found.added[0, j] - shift == pytest.approx(expected, rel=1e-7)
    assert is_dependent(field, 0, np.asarray([1, 3, 6, 7]))
    assert not is_dependent(field, 0, np.asarray([1, 3, 7]))
