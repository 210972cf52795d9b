"""A problem is its X and y: by rows or by sums, alone or in a batch, and without its rows."""

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from made_problems import batch_of
from rounding import assert_same_numbers

from projstg._core.data.batch import Batch
from projstg._core.data.standard_table import as_tables

FIELDS = ("b", "yy", "n", "dof", "diagonal")
SHAPES = {"wide": (7, 20), "long": (20, 7)}


@pytest.fixture(params=SHAPES)
def batch(request, rng):
    """Three problems through rows."""
    shape = SHAPES[request.param]
    X = rng.normal(size=(3, *shape)) * rng.lognormal(size=shape[1])
    return batch_of(X, rng.normal(size=(3, shape[0])))


def assert_same(found, expected):
    for name in (*FIELDS, "G"):
        assert_same_numbers(getattr(found, name), getattr(expected, name), name=name)
    assert (found.X is None) == (expected.X is None)
    assert_same_numbers(found.X, expected.X)


def test_inner_products_are_those_of_x(batch, door):
    rows = batch.problem(0)
    problem, G = door(rows), rows.X.T @ rows.X
    assert_same_numbers(problem.G, G)
    assert_same_numbers(problem.diagonal, np.diagonal(G))
    columns, every = np.asarray([5, 0, 3]), np.arange(len(G))
    assert_same_numbers(problem.rows(columns), G[columns])
    for places, block in problem.row_blocks(columns):
        assert_same_numbers(block, G[columns][:, places])
    for some in (columns, every):
        assert_same_numbers(problem.products(some), G[np.ix_(some, some)])
    supports = np.asarray([[5, 0, 3], [1, 2, 6]])
    expected = [G[np.ix_(support, support)] for support in supports]
    assert_same_numbers(problem.products_of(supports), expected)


def test_a_subset_is_the_problem_of_its_columns(batch, door):
    rows, columns = batch.problem(0), np.asarray([5, 0, 3])
    problem, X = door(rows), rows.X[:, columns]
    few = problem.subset(columns)
    assert (few.yy, few.n, few.dof) == (rows.yy, rows.n, rows.dof)
    assert_same_numbers(few.b, X.T @ rows.y)
    assert_same_numbers(few.diagonal, np.sum(X**2, axis=0))
    assert_same_numbers(few.G, X.T @ X)
    assert problem.has_rows == few.has_rows == (problem is rows)
    if problem.has_rows:
        for found in (few.rows_of(np.arange(3)), problem.rows_of(columns)):
            np.testing.assert_array_equal(found[0], X)
            np.testing.assert_array_equal(found[1], rows.y)


def test_a_batch_is_its_problems(batch, door):
    batch = door(batch)
    problems = [batch.problem(i) for i in range(3)]
    again = Batch.of(problems)
    for name in (*FIELDS, "X", "y", "G"):
        np.testing.assert_array_equal(getattr(again, name), getattr(batch, name), err_msg=name)
    for i, problem in enumerate(problems):
        assert_same(problem, again.problem(i))
        assert type(problem.yy) is type(problem.n) is type(problem.dof) is float
    assert np.shares_memory(Batch.of(problems[:1]).b, problems[0].b)


def test_columns_of_a_batch_are_those_of_each_problem(batch, door):
    batch, indices = door(batch), np.asarray([[5, 0, 3], [1, 2, 6], [4, 3, 2]])
    rows, few = batch.rows(indices), batch.columns(indices)
    for i in range(3):
        assert_same_numbers(rows[i], batch.problem(i).rows(indices[i]))
        assert_same(few.problem(i), batch.problem(i).subset(indices[i]))


@pytest.mark.parametrize("chosen", [[2, 0], [1, 2]])
def test_some_problems_of_a_batch_are_themselves(batch, door, chosen):
    batch = door(batch)
    some = batch.problems(np.asarray(chosen))
    for i, place in enumerate(chosen):
        assert_same(some.problem(i), batch.problem(place))
    assert np.shares_memory(some.b, batch.b) == (chosen == [1, 2])  # those follow each other


@pytest.mark.parametrize("one_of", [lambda batch: batch, lambda batch: batch.problem(0)])
def test_without_rows_nothing_but_rows_is_missing(batch, door, one_of):
    problem = one_of(door(batch))
    kept = problem.without_rows()
    for name in FIELDS:
        np.testing.assert_allclose(getattr(kept, name), getattr(problem, name), err_msg=name)
    np.testing.assert_allclose(kept.G, problem.G, atol=1e-10)
    assert kept.without_rows() is kept
    assert (kept.X is None) == (problem.X is None)
    if kept.X is not None:
        n_rows, n_columns = problem.X.shape[-2:]
        assert kept.X.shape[-2] <= min(n_rows, n_columns + 1)
        for sign in (-1.0, 1.0):
            apart = kept.X[..., :, None, :] - sign * problem.X[..., None, :, :]
            assert np.min(np.abs(apart).max(axis=-1)) > 1e-3


def assert_rows_of(problem, columns, expected):
    """The rows at some columns have the inner products of a problem."""
    Z, target = problem.rows_of(columns)
    assert_same_numbers(Z.T @ Z, expected.G)
    assert_same_numbers(Z.T @ target, expected.b)
    assert target @ target == pytest.approx(expected.yy)


@pytest.mark.parametrize("weighted", [False, True])
def test_sums_know_the_rows_that_they_came_from(weighted, rng):
    X, y = rng.normal(size=(1, 30, 6)), rng.normal(size=(1, 30))
    X[0, 20:] = X[0, :10]
    weights = rng.integers(0, 3, size=(1, 30)).astype(float) if weighted else None
    tables = as_tables(X, y, weights, columns=np.asarray([0, 2, 3, 5]))
    problem, columns = tables.problem(0), np.asarray([3, 0, 1])
    assert problem.X is None
    few = problem.subset(columns)
    for one, places in ((problem, columns), (few, np.arange(3))):
        assert_rows_of(one, places, few)
    counts = np.ones(30) if weights is None else weights[0]
    n_different = len(np.unique(X[0, counts > 0.0][:, [0, 2, 3, 5]], axis=0))
    assert problem.has_more_rows(n_different - 1)
    assert not problem.has_more_rows(n_different)
    assert not problem.without_source().has_rows
    assert not problem.without_rows().has_rows


def test_an_owned_problem_has_rows_that_nobody_else_can_change(rng):
    X, y = rng.normal(size=(1, 30, 6)), rng.normal(size=(1, 30))
    problem, columns = as_tables(X, y).problem(0), np.asarray([3, 0, 1])
    owned, few = problem.owned(), problem.subset(columns)
    X[:] = 0.0
    assert_rows_of(owned, columns, few)


def test_threads_share_the_rows_of_a_table():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((1, 3000, 20))
    for _ in range(5):
        problem, columns = as_tables(X, X[..., 0]).problem(0), np.arange(3)
        with ThreadPoolExecutor(4) as pool:
            found = [Z for Z, _ in pool.map(problem.rows_of, [columns] * 8)]
        assert all(np.array_equal(one, found[0]) for one in found)
