"""Sums that stream and merge, and the two doors to them."""

from functools import reduce
from itertools import starmap

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from oracles import few_examples

from projstg._core.data.batch import Batch, centred_rows
from projstg._core.data.centred_sums import CentredSums
from projstg._core.data.standardize import standardized

FIELDS = ["n_rows", "n", "x_mean", "y_mean", "G", "b", "yy"]


def assert_same(left, right, rtol=1e-12, fields=FIELDS):
    for name in fields:
        expected = np.asarray(getattr(right, name))
        atol = rtol * np.max(np.abs(expected), initial=1.0)
        np.testing.assert_allclose(
            getattr(left, name), expected, rtol=rtol, atol=atol, err_msg=name
        )


def alone(*arrays):
    """Arrays of one table as those of a batch of one."""
    return [None if one is None else one[None] for one in arrays]


def sums_of(X, y, weights=None):
    return CentredSums.from_rows(*alone(X, y, weights))


def textbook(X, y):
    """The definitions, in two passes."""
    Xc, yc = X - X.mean(axis=0), y - y.mean()
    moments = (np.float64(len(y)), X.mean(axis=0), y.mean(), Xc.T @ Xc, Xc.T @ yc, yc @ yc)
    return CentredSums(len(y), *alone(*moments))


def test_statistics_are_the_textbook_sums(table):
    X, y = table
    assert_same(sums_of(X, y), textbook(X, y))


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
    whole = sums_of(X, y, weights)
    pieces = [sums_of(X[p], y[p], weights[p]) for p in parts]
    assert_same(reduce(CentredSums.merge, pieces), whole)
    # a tree of merges, as on a cluster
    while len(pieces) > 1:
        pieces = [*pieces[2:], pieces[1].merge(pieces[0])]
    assert_same(pieces[0], whole)


def test_large_means_do_not_cancel(rng):
    X, y = rng.normal(size=(200, 3)), rng.normal(size=200)
    small = sums_of(X, y)
    # an offset of 2³⁰ leaves X with 22 bits, so compare with what X has become
    shift = 2.0**30
    moved_X, moved_y = X + shift, y - shift
    exact = textbook(moved_X - shift, moved_y + shift)
    parts = zip(np.split(moved_X, 4), np.split(moved_y, 4), strict=True)
    moved = reduce(CentredSums.merge, starmap(sums_of, parts))
    assert_same(moved, exact, 1e-6, ["G", "b", "yy"])
    assert_same(moved, small, 1e-5, ["G", "b", "yy"])


def test_weights_are_repeated_rows(table, rng):
    X, y = table
    weights = rng.integers(1, 4, size=len(y))
    repeated = np.repeat(X, weights, axis=0), np.repeat(y, weights)
    weighted = sums_of(X, y, weights.astype(float))
    assert_same(weighted, sums_of(*repeated), fields=FIELDS[1:])
    for centre in (True, False):
        left = centred_rows(*alone(X, y, weights.astype(float)), centre=centre)[0]
        right = centred_rows(*alone(*repeated), centre=centre)[0]
        assert_same(left, right, fields=["G", "b", "yy", "n", "dof", "diagonal"])


def test_a_weight_of_zero_is_a_row_left_out(rng):
    X, y = rng.normal(size=(9, 3)), rng.normal(size=9)
    weights = np.asarray([1.0, 0.0] * 4 + [1.0])
    left = sums_of(X, y, weights)
    assert_same(left, sums_of(X[::2], y[::2]), fields=FIELDS[1:])


def test_a_batch_is_its_members(rng):
    X, y = rng.normal(size=(3, 12, 4)), rng.normal(size=(3, 12))
    weights = rng.uniform(0.5, 2.0, size=(3, 12))
    for w in (None, weights):
        first, rest = (
            CentredSums.from_rows(X[:, own], y[:, own], None if w is None else w[:, own])
            for own in (slice(5), slice(5, None))
        )
        batch = first.merge(rest)
        assert batch.n_rows == 12
        for i in range(3):
            member = sums_of(X[i], y[i], None if w is None else w[i])
            for name in FIELDS[1:]:
                value, expected = getattr(batch, name)[i], getattr(member, name)[0]
                np.testing.assert_allclose(value, expected, rtol=1e-12, atol=1e-13)


@pytest.mark.parametrize("centre", [True, False])
def test_both_doors_open_on_the_same_problem(table, centre, rng):
    X, y = table
    X = X + 2.0
    weights = rng.uniform(0.5, 2.0, size=len(y))
    for w in (None, weights):
        sums = sums_of(X, y, w) if centre else sums_of(X, y, w).about_zero()
        stream = Batch.of_sums(sums.G, sums.b, sums.yy, sums.n, sums.n - centre)
        rows = centred_rows(*alone(X, y, w), centre=centre)[0]
        assert_same(stream, rows, 1e-11, ["b", "yy", "n", "dof", "diagonal"])
        indices = rng.integers(0, X.shape[1], size=(1, 3))
        np.testing.assert_allclose(stream.rows(indices), rows.rows(indices), rtol=1e-10, atol=1e-10)
        if not centre:
            raw = np.ones_like(y) if w is None else w
            np.testing.assert_allclose(stream.G[0], (X.T * raw) @ X, rtol=1e-10, atol=1e-10)
            np.testing.assert_allclose(stream.b[0], (X.T * raw) @ y, rtol=1e-10, atol=1e-10)
            np.testing.assert_allclose(stream.yy[0], (raw * y) @ y, rtol=1e-12)


def test_standardized_is_free_of_units(table, door, rng):
    X, y = table
    factor = 10.0 ** rng.uniform(-12, 12, size=X.shape[1])

    def solved(X):
        return standardized(door(centred_rows(X[None], y[None], centre=False)[0]))

    (plain, scale), (other, other_scale) = solved(X), solved(X * factor)
    np.testing.assert_allclose(other_scale, scale * factor, rtol=1e-12)
    varies = np.any(X != 0, axis=0)
    assert np.array_equal(scale[0] > 0, varies)
    np.testing.assert_allclose(plain.diagonal[0], plain.n * varies, rtol=1e-12)
    np.testing.assert_allclose(other.b, plain.b, rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(other.G, plain.G, rtol=1e-9, atol=1e-11)


def test_columns_below_the_tolerance_become_exactly_zero(door, rng):
    X, y = rng.normal(size=(10, 3)), rng.normal(size=10)
    X[:, 1] *= 1e-9
    problem = door(centred_rows(X[None], y[None])[0])
    made, scale = standardized(problem, np.asarray([1e-12, 1e-12, 1e-12]))
    assert scale[0, 1] == 0
    assert made.b[0, 1] == 0
    assert made.diagonal[0, 1] == 0
    assert np.all(scale[0, [0, 2]] > 0)
