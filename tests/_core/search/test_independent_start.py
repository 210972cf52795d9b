"""From dependent columns to independent ones; a search among copies has an answer."""

import numpy as np
import pytest
from made_problems import problem_of

from projstg._core.score.tableau import Field
from projstg._core.search.best_support import refine
from projstg._core.search.independent_start import independent_support


def copies(rng, n_copies=6, n_other=4):
    """So many copies of one column, and others; y depends on the first and the last."""
    X = rng.standard_normal((40, n_copies + n_other))
    X[:, :n_copies] = X[:, :1] * np.arange(1, n_copies + 1)
    return problem_of(X, X[:, 0] - X[:, -1] + 0.3 * rng.standard_normal(40))


def field_of(Z, locked=(), excluded=()):
    columns = np.arange(Z.b.size)
    field = Field.of(Z, np.isin(columns, locked))
    return field._replace(excluded=np.isin(columns, excluded))


def test_dependent_members_leave_and_the_best_others_enter(rng):
    field = field_of(copies(rng))
    assert independent_support(field, np.asarray([1, 2, 7])).tolist() == [1, 7, 9]
    assert independent_support(field, np.asarray([0, 7, 9])).tolist() == [0, 7, 9]


def test_columns_that_must_and_must_not_be_selected(rng):
    Z = copies(rng)
    found = independent_support(field_of(Z, locked=[4]), np.asarray([1, 4, 7]))
    assert found.tolist() == [4, 7, 9]
    found = independent_support(field_of(Z, excluded=[9]), np.asarray([1, 4, 7]))
    assert 9 not in found.tolist()
    both = independent_support(field_of(Z, locked=[2, 4]), np.asarray([1, 2, 4, 7]))
    assert {2, 4, 7, 9} == set(both.tolist())


def test_a_locked_column_that_is_nearly_a_copy_stays(rng):
    X = rng.standard_normal((40, 7))
    X[:, 1] = X[:, 0] + 1e-5 * X[:, 1]
    X[:, 3] = X[:, 2]
    Z = problem_of(X, rng.standard_normal(40))
    found = independent_support(field_of(Z, locked=[0, 1]), np.asarray([0, 1, 2, 3]))
    assert {0, 1, 2} <= set(found.tolist())
    assert 3 not in found.tolist()


def test_where_there_are_too_few_independent_columns_there_is_none(rng):
    Z = copies(rng, n_copies=8, n_other=1)
    assert independent_support(field_of(Z), np.asarray([0, 1, 8])) is None


@pytest.mark.parametrize("criterion", ["common-size", "evidence"])
def test_among_forty_copies_the_search_finds_independent_columns(criterion, rng):
    Z = copies(rng, n_copies=40, n_other=3)
    for k in (2, 3, 4):
        found = refine(Z, k, generator=np.random.default_rng(0), criterion=criterion)
        assert np.sum(found.support < 40) == 1
        assert found.judge.is_diluted
        assert np.isfinite(found.objective)
    found = refine(Z, 5, generator=np.random.default_rng(0), criterion=criterion)
    assert not found.judge.is_diluted  # four are independent
    assert np.isfinite(found.objective)


def test_where_locked_columns_are_dependent_to_the_last_digit_there_is_none(rng):
    Z = copies(rng, n_copies=3, n_other=4)
    field = field_of(Z)
    locked = np.zeros_like(field.locked)
    locked[:2] = True  # copies, of which none is said to be redundant
    assert independent_support(field._replace(locked=locked), np.asarray([0, 1, 4])) is None
