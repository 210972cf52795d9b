"""Columns that say much about y beside the others, against the definitions."""

import numpy as np
import pytest
from made_problems import problem_of

from projstg._core.data import relevance
from projstg._core.data.relevance import association, relevant_columns


def with_factors(seed, n_rows=60, n_columns=600, k=5):
    """Columns with common factors, and y of k of them: X, y and the k columns."""
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n_rows, 4)) @ rng.standard_normal((4, n_columns))
    X = X / 2.0 + rng.standard_normal((n_rows, n_columns))
    truth = rng.choice(n_columns, k, replace=False)
    y = X[:, truth].sum(axis=1) + 0.5 * rng.standard_normal(n_rows)
    problem = problem_of(X, y)
    return problem.X, problem.y, truth


def places(promise, truth):
    """How many columns promise more than each of these."""
    return np.argsort(np.argsort(-promise))[truth]


def test_association_is_generalised_least_squares():
    X, y, _ = with_factors(0, 12, 30)
    V = X @ X.T
    V = np.linalg.inv(V + relevance._SHARE * np.trace(V) / 12 * np.eye(12))
    expected = [(x @ V @ y) ** 2 / (x @ V @ x) for x in X.T]
    np.testing.assert_allclose(association(X, y), expected, rtol=1e-8)


def test_common_factors_hide_a_column_from_its_correlation_but_not_beside_the_others():
    own, alone = [], []
    for seed in range(10):
        X, y, truth = with_factors(seed)
        own += [*places(association(X, y), truth)]
        alone += [*places(np.abs(X.T @ y), truth)]
    assert np.median(own) < 30
    assert np.median(alone) > 2 * np.median(own)


def test_a_step_never_lowers_the_evidence(monkeypatch):
    X, y, _ = with_factors(1, 20, 50)
    power = float(y @ y) / 20
    seen = []

    def listening(V, *of):
        _, log_det = np.linalg.slogdet(V)
        seen.append(log_det + y @ np.linalg.solve(V, y))
        return whitened(V, *of)

    whitened = relevance._whitened
    monkeypatch.setattr(relevance, "_whitened", listening)
    monkeypatch.setattr(relevance, "_LEFT", 1.0)
    monkeypatch.setattr(relevance, "_FIRST", 1.0)
    promise = association(X, y)
    seen.clear()
    assert relevant_columns(X, y, promise).size == 50
    assert len(seen) == relevance._N_STEPS
    assert np.all(np.diff(seen) <= 1e-9)
    assert seen[0] - seen[-1] > 10.0
    assert power > 0.0


def test_relevant_columns_are_those_of_the_truth_where_it_is_clear():
    for seed in range(5):
        X, y, truth = with_factors(seed, 60, 600, 3)
        found = relevant_columns(X, y, association(X, y))
        assert set(truth) == set(found[:3])
        assert found.size == np.unique(found).size == 2 * 60


@pytest.mark.parametrize("what", ["no y", "copies", "a column of zeros"])
def test_awkward_tables_have_an_order(what):
    X, y, _ = with_factors(2, 15, 80)
    if what == "no y":
        y = 0.0 * y
    elif what == "copies":
        X[:, 40:] = X[:, :40]
    else:
        X[:, 7] = 0.0
    with np.errstate(all="raise", under="ignore"):
        found = relevant_columns(X, y, association(X, y))
        assert np.isfinite(association(X, y)).all()
    assert found.size == np.unique(found).size > 0
    if what == "a column of zeros":
        assert 7 not in found[:20]


def test_a_problem_knows_them_where_it_has_rows_and_many_columns():
    X, y, _ = with_factors(3, 15, 80)
    wide, tall = problem_of(X, y), problem_of(X[:, :9], y)
    assert wide.relevant.size == 30
    np.testing.assert_allclose(wide.promise, association(wide.X, wide.y))
    for problem in (wide.by_sums, tall, problem_of(X[:, :50], y)):
        assert problem.relevant.size == 0
    np.testing.assert_allclose(tall.promise, tall.b**2 / tall.diagonal)
    np.testing.assert_allclose(wide.by_sums.promise, wide.b**2 / wide.diagonal)
