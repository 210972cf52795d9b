"""Columns that stand for others: cells of one weight, and what is said of them adds up."""

import numpy as np
import pytest

from projstg._core.posterior.represented import Represented, represented


def promised(seed, spread, n_columns):
    """Of all columns; one must be looked at and one never belongs."""
    promise = spread * np.random.default_rng(seed).standard_normal(n_columns)
    promise[[3, 7]] = np.inf, -np.inf
    return promise


SHAPES = [(50, 7), (400, 60), (2000, 300), (40, 200)]


@pytest.mark.parametrize("spread", [0.0, 0.1, 1.0, 5.0, 600.0])
@pytest.mark.parametrize(("n_columns", "size"), SHAPES)
def test_cells_hold_all_columns_and_have_one_weight(n_columns, size, spread):
    promise = promised(0, spread, n_columns)
    found = represented(promise, size)
    W = found.columns.size
    assert W == min(size, n_columns - 1)
    assert np.all(np.diff(found.columns) > 0)
    assert found.cell[found.columns].tolist() == list(range(W))
    assert found.share[7] == 0.0
    assert found.are_themselves(np.asarray([3, 7])).tolist() == [True, False]
    np.testing.assert_allclose(np.bincount(found.cell, found.share, W), 1.0, rtol=1e-9)
    assert np.all(found.times[found.is_alone] == 1.0)
    # Within a cell shares are in proportion to the weights, and the one for all counts so often.
    for place in np.flatnonzero(~found.is_alone)[:20]:
        own = np.flatnonzero((found.cell == place) & (found.share > 0.0))
        weight = np.exp(0.5 * (promise[own] - promise[own].max()))
        np.testing.assert_allclose(found.share[own], weight / weight.sum(), rtol=1e-6, atol=1e-12)
        assert found.times[place] == pytest.approx(1.0 / found.share[found.columns[place]])


def test_a_sum_over_columns_is_that_over_the_ones_that_stand_for_them():
    off = []
    for seed in range(40):
        promise = promised(seed, 1.0, 2000)
        value = np.exp(0.5 * promise) * np.exp(0.5 * np.random.default_rng(seed).random(2000))
        value[[3, 7]] = 0.0
        found = represented(promise, 300)
        off.append((found.times @ value[found.columns]) / value.sum() - 1.0)
    assert np.abs(np.mean(off)) < 0.005
    assert np.std(off) < 0.02


def test_what_is_said_of_a_cell_is_shared():
    found = represented(promised(1, 1.0, 50), 7)
    values = np.random.default_rng(0).random(7)
    spread = found.spread(values)
    assert spread.sum() == pytest.approx(values.sum())
    some = np.random.default_rng(1).random(50) < 0.4
    expected = [found.share[some & (found.cell == place)].sum() for place in range(7)]
    np.testing.assert_allclose(found.fractions(some), expected)
    two = np.flatnonzero(found.cell == found.cell[~found.are_themselves(np.arange(50))][0])[:2]
    assert found.share_of(two) == 0.0  # no support has both
    assert found.share_of(two[:1]) == found.share[two[0]]


def test_within_more_columns_the_others_never_belong():
    found = represented(promised(2, 1.0, 50), 7).within(np.arange(50) * 2, 100)
    assert np.all(found.share[1::2] == 0.0)
    assert found.cell[found.columns].tolist() == list(range(7))
    whole = Represented.every(4)
    assert whole.is_alone.all()
    assert not whole.cost.any()
