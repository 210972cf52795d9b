"""Sums that stream and merge, and the two doors to them."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from oracles import few_examples
from rounding import assert_same_numbers

from projstg._core.data.centred_sums import CentredSums
from projstg._core.data.quadratic import GramQuadratic, RowQuadratic
from projstg._core.data.standardize import standardized

FIELDS = ["n_rows", "n", "x_mean", "y_mean", "G", "b", "yy"]


def assert_same(left, right, rtol=1e-12, fields=FIELDS):
    for name in fields:
        expected = np.asarray(getattr(right, name))
        atol = rtol * np.max(np.abs(expected), initial=1.0)
        np.testing.assert_allclose(
            getattr(left, name), expected, rtol=rtol, atol=atol, err_msg=name
        )


def textbook(X, y):
    """The definitions, in two passes."""
    Xc, yc = X - X.mean(axis=0), y - y.mean()
    return CentredSums(
        len(y), float(len(y)), X.mean(axis=0), y.mean(), Xc.T @ Xc, Xc.T @ yc, yc @ yc
    )


def test_statistics_are_the_textbook_sums(table):
    X, y = table
    assert_same(CentredSums.from_rows(X, y), textbook(X, y))


@few_examples
@given(st.data())
def test_any_order_and_chunking_gives_the_whole(data):
    n_rows, n_columns = data.draw(st.integers(2, 40)), data.draw(st.integers(1, 6))
    rng = np.random.default_rng(data.draw(st.integers(0, 1000)))
    X, y = rng.normal(3.0, 2.0, size=(n_rows, n_columns)), rng.normal(size=n_rows)
    weights = rng.uniform(0.1, 3.0, size=n_rows)
    order = np.asarray(data.draw(st.permutations(range(n_rows))))
    cuts = sorted(data.draw(st.sets(st.integers(1, n_rows - 1), max_size=5)))
    parts = np.split(order, cuts)
    whole = CentredSums.from_rows(X, y, weights)
    streamed = CentredSums.from_rows(X[parts[0]], y[parts[0]], weights[parts[0]])
    for part in parts[1:]:
        streamed = streamed.update(X[part], y[part], weights[part])
    assert_same(streamed, whole)
    # a tree of merges, as on a cluster
    pieces = [CentredSums.from_rows(X[p], y[p], weights[p]) for p in parts]
    while len(pieces) > 1:
        pieces = [*pieces[2:], pieces[1].merge(pieces[0])]
    assert_same(pieces[0], whole)


def test_large_means_do_not_cancel(rng):
    X, y = rng.normal(size=(200, 3)), rng.normal(size=200)
    small = CentredSums.from_rows(X, y)
    # an offset of 2³⁰ leaves X with 22 bits, so compare with what X has become
    shift = 2.0**30
    moved_X, moved_y = X + shift, y - shift
    exact = textbook(moved_X - shift, moved_y + shift)
    moved = CentredSums.from_rows(moved_X[:50], moved_y[:50])
    for begin in range(50, 200, 50):
        moved = moved.update(moved_X[begin : begin + 50], moved_y[begin : begin + 50])
    assert_same(moved, exact, 1e-6, ["G", "b", "yy"])
    assert_same(moved, small, 1e-5, ["G", "b", "yy"])


def test_weights_are_repeated_rows(table, rng):
    X, y = table
    weights = rng.integers(1, 4, size=len(y))
    repeated = np.repeat(X, weights, axis=0), np.repeat(y, weights)
    weighted = CentredSums.from_rows(X, y, weights.astype(float))
    assert_same(weighted, CentredSums.from_rows(*repeated), fields=FIELDS[1:])
    for centre in (True, False):
        left = RowQuadratic.from_rows(X, y, weights.astype(float), centre=centre)
        right = RowQuadratic.from_rows(*repeated, centre=centre)
        assert_same(
            left.gram, right.gram, fields=["G", "b", "yy", "n", "degrees_of_freedom", "diagonal"]
        )


def test_a_weight_of_zero_is_a_row_left_out(rng):
    X, y = rng.normal(size=(9, 3)), rng.normal(size=9)
    weights = np.asarray([1.0, 0.0] * 4 + [1.0])
    left = CentredSums.from_rows(X, y, weights)
    assert_same(left, CentredSums.from_rows(X[::2], y[::2]), fields=FIELDS[1:])


def test_a_batch_is_its_members(rng):
    X, y = rng.normal(size=(2, 3, 12, 4)), rng.normal(size=(2, 3, 12))
    weights = rng.uniform(0.5, 2.0, size=(2, 3, 12))
    for w in (None, weights):
        first = CentredSums.from_rows(X[..., :5, :], y[..., :5], None if w is None else w[..., :5])
        batch = first.update(X[..., 5:, :], y[..., 5:], None if w is None else w[..., 5:])
        for i in np.ndindex(2, 3):
            alone = CentredSums.from_rows(X[i], y[i], None if w is None else w[i])
            assert batch.n_rows == 12
            for name in FIELDS[1:]:
                value = getattr(batch, name)[i]
                np.testing.assert_allclose(value, getattr(alone, name), rtol=1e-12, atol=1e-13)


@pytest.mark.parametrize("centre", [True, False])
def test_both_doors_open_on_the_same_problem(table, centre, rng):
    X, y = table
    X = X + 2.0
    weights = rng.uniform(0.5, 2.0, size=len(y))
    for w in (None, weights):
        stream = CentredSums.from_rows(X, y, w).quadratic(centre=centre)
        rows = RowQuadratic.from_rows(X, y, w, centre=centre)
        fields = ["b", "yy", "n", "degrees_of_freedom", "diagonal"]
        assert_same(stream, rows, 1e-11, fields)
        indices = rng.integers(0, X.shape[1], size=3)
        np.testing.assert_allclose(stream.rows(indices), rows.rows(indices), rtol=1e-10, atol=1e-10)
        if not centre:
            raw = np.ones_like(y) if w is None else w
            np.testing.assert_allclose(stream.G, (X.T * raw) @ X, rtol=1e-10, atol=1e-10)
            np.testing.assert_allclose(stream.b, (X.T * raw) @ y, rtol=1e-10, atol=1e-10)
            np.testing.assert_allclose(stream.yy, (raw * y) @ y, rtol=1e-12)


@pytest.mark.parametrize("shape", [(4,), (2, 4), (3, 2, 4)])
@pytest.mark.parametrize("batch", [(), (3,), (3, 2)])
def test_rows_of_a_batch(batch, shape, rng):
    """Rows asked of a batch are each member's; extra axes of indices are many starts."""
    indices = rng.integers(0, 5, size=(*batch, *shape[:-1], 4) if batch else shape)
    X, y = rng.normal(size=(*batch, 8, 5)), rng.normal(size=(*batch, 8))
    problem = RowQuadratic.from_rows(X, y)
    gram_rows = problem.gram.rows(indices)
    assert gram_rows.shape == (*indices.shape, 5)
    for i in np.ndindex(batch):
        np.testing.assert_array_equal(gram_rows[i], problem.gram.G[i][indices[i]])
    np.testing.assert_allclose(problem.rows(indices), gram_rows, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("through", ["rows", "gram"])
def test_standardized_is_free_of_units(table, through, rng):
    X, y = table
    factor = 10.0 ** rng.uniform(-12, 12, size=X.shape[1])

    def solved(X):
        rows = RowQuadratic.from_rows(X, y, centre=False)
        return standardized(rows if through == "rows" else rows.gram)

    (plain, scale), (other, other_scale) = solved(X), solved(X * factor)
    np.testing.assert_allclose(other_scale, scale * factor, rtol=1e-12)
    varies = np.any(X != 0, axis=0)
    assert np.array_equal(scale > 0, varies)
    np.testing.assert_allclose(plain.diagonal, plain.n * varies, rtol=1e-12)
    np.testing.assert_allclose(other.b, plain.b, rtol=1e-9, atol=1e-12)
    everything = np.arange(X.shape[1])
    np.testing.assert_allclose(
        other.rows(everything), plain.rows(everything), rtol=1e-9, atol=1e-11
    )


def test_columns_below_the_tolerance_become_exactly_zero(rng):
    X, y = rng.normal(size=(10, 3)), rng.normal(size=10)
    X[:, 1] *= 1e-9
    for problem in (RowQuadratic.from_rows(X, y), RowQuadratic.from_rows(X, y).gram):
        assert isinstance(problem, GramQuadratic | RowQuadratic)
        made, scale = standardized(problem, np.asarray([1e-12, 1e-12, 1e-12]))
        assert scale[1] == 0
        assert made.b[1] == 0
        assert made.diagonal[1] == 0
        assert np.all(scale[[0, 2]] > 0)


def test_members_of_a_batch_are_taken_and_shared_fields_stay(rng):
    X, y = rng.normal(size=(4, 6, 3)), rng.normal(size=(4, 6))
    rows = RowQuadratic.from_rows(X, y)
    chosen = np.asarray([2, 0])
    for problem in (rows, rows.gram):
        some = problem.problems(chosen)
        assert np.array_equal(some.b, problem.b[chosen])
        assert_same_numbers(some.yy, problem.yy[chosen])
        assert np.array_equal(some.n, problem.n[chosen])
    shared = RowQuadratic(rows.X[:1], rows.y, rows.n[:1], rows.degrees_of_freedom[:1])
    some = shared.problems(chosen)
    assert some.X.shape[0] == 1
    assert np.array_equal(some.b, shared.b[chosen])
