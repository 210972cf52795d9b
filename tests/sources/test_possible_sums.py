"""Sums of any rows are possible; numbers that no rows can have are not."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from soaking import count, examples

from projstg import Statistics
from projstg.sources import possible_sums
from projstg.sources.possible_sums import can_be_sums


def rows(rng, n_rows, n_columns, far, drift):
    X = rng.standard_normal((n_rows, n_columns)) + far * rng.standard_normal(n_columns)
    X += drift * np.linspace(0.0, 1.0, n_rows)[:, None] * rng.standard_normal(n_columns)
    X[:, -1] = rng.choice([1.0, -3.0]) * X[:, 0]
    return X * 10.0 ** rng.integers(-5, 6, n_columns)


@examples(60)
@given(st.data())
def test_sums_of_rows_are_possible(data):
    rng = np.random.default_rng(data.draw(st.integers(0, 2**32 - 1)))
    n_rows, n_columns = data.draw(st.sampled_from([2, 3, 20, 400])), data.draw(st.integers(2, 40))
    far = data.draw(st.sampled_from([0.0, 1.0, 1e3, 1e6, 1e9, 1e12]))
    X = rows(rng, n_rows, n_columns, far, data.draw(st.sampled_from([0.0, 1e3, 1e6])))
    y = X @ rng.standard_normal(n_columns)  # without error
    Y = np.column_stack([y, far + rng.standard_normal(n_rows)])
    weights = 10.0 ** rng.uniform(-6, 6, n_rows) if data.draw(st.booleans()) else None
    found = Statistics()
    cuts = sorted(data.draw(st.lists(st.integers(0, n_rows), max_size=20)))
    for own in np.split(np.arange(n_rows), cuts):
        found.update(X[own], Y[own], None if weights is None else weights[own])
    assert can_be_sums(found.sums)
    assert can_be_sums(found.target(1).sums)
    count("problem", "sums of rows are possible")


def sums(n_rows=200, n_columns=6):
    rng = np.random.default_rng(0)
    X = rng.standard_normal((n_rows, n_columns))
    return Statistics().update(X, X[:, 0] + rng.standard_normal(n_rows)).sums


def correlated(part):
    """Each correlation is one that two columns can have, all three are not."""
    G = np.array(part.G)
    size = np.sqrt(np.diagonal(G[0]))
    for i, j, one in ((0, 1, 0.9), (0, 2, 0.9), (1, 2, -0.9)):
        G[0, i, j] = G[0, j, i] = one * size[i] * size[j]
    return replace(part, G=G, b=0.0 * part.b)


def explained(part, share):
    """All products are those of some columns with y, and together they explain so much of it."""
    root = np.linalg.cholesky(part.G[0])
    direction = root @ np.ones(len(root))
    return replace(part, b=direction[None] * np.sqrt(share * part.yy[0] / len(root)))


def test_columns_that_cannot_be_so_correlated():
    assert can_be_sums(sums())
    assert not can_be_sums(correlated(sums()))


@pytest.mark.parametrize(("share", "is_possible"), [(0.99, True), (1.0, True), (1.01, False)])
def test_no_more_is_explained_than_there_is(share, is_possible):
    assert can_be_sums(explained(sums(), share)) is is_possible


def test_every_target_is_looked_at():
    part = explained(sums(), 1.01)
    good = np.array([0.1 * part.b[0], 0.2 * part.b[0]])
    for b, is_possible in ((good, True), (np.array([good[0], part.b[0]]), False)):
        both = replace(part, b=b, yy=np.repeat(part.yy, 2), y_mean=np.repeat(part.y_mean, 2))
        assert can_be_sums(both) is is_possible


def test_few_rows_have_few_directions():
    assert can_be_sums(sums(6))
    assert can_be_sums(replace(sums(), n_rows=7))
    assert not can_be_sums(replace(sums(), n_rows=6))
    cells = np.arange(48, dtype=np.uint64).reshape(8, 6)
    assert can_be_sums(replace(sums(), cells=cells))
    assert not can_be_sums(replace(sums(), cells=cells[np.arange(12) % 6]))  # six different rows


def test_of_very_many_columns_parts_are_looked_at(monkeypatch):
    seen = []
    monkeypatch.setattr(possible_sums, "_MOST_COLUMNS", 4)
    monkeypatch.setattr(
        possible_sums, "_has_root", lambda part: seen.append(np.diagonal(part.G[0])) or True
    )
    part = sums(n_columns=10)
    assert can_be_sums(part)
    assert [len(one) for one in seen] == [4, 3, 3]
    np.testing.assert_array_equal(np.sort(np.concatenate(seen)), np.sort(np.diagonal(part.G[0])))


@pytest.mark.parametrize("name", ["n", "x_mean", "y_mean", "G", "b", "yy"])
@pytest.mark.parametrize("factor", [-1.0, 1e300])
def test_numbers_of_any_size_are_answered(name, factor):
    part = sums()
    found = can_be_sums(replace(part, **{name: factor * getattr(part, name)}))
    if (name, factor) in {("n", -1.0), ("G", -1.0), ("yy", -1.0), ("b", 1e300)}:
        assert not found
