"""How likely any of some columns belongs: as a list of all supports says, and what must hold."""

import pickle

import numpy as np
import pandas as pd
import pytest
from made_problems import problem_of
from oracles_posterior import JUDGE, ONLY_3, listed

from projstg import ProjectedSTG


def drawn(n_rows, n_columns, seed=0, noise=2.0):
    """X with near copies, of which y depends on the first three columns."""
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n_rows, n_columns))
    X[:, -1] = X[:, 0] + 0.2 * rng.standard_normal(n_rows)
    return X, X[:, :3] @ [1.0, -1.0, 1.0] + noise * rng.standard_normal(n_rows)


GROUPS = [[0], [4, 7], [0, 7], [1, 3, 5], [0, 1, 2, 3, 4], list(range(8))]


LISTS_OF_GROUPS = [
    [],
    [[0]],
    [[0, 7], [1]],
    [[0, 7], [1, 3], [2]],
    [[0], [1], [2], [3]],
    [[0, 7], [0, 1]],  # one column may serve both
]


@pytest.mark.parametrize("seed", range(3))
def test_it_is_the_sum_over_all_supports_that_have_one_of_each_group(seed):
    X, y = drawn(20, 8, seed)
    model = ProjectedSTG(3).fit(X, y)
    known = listed(problem_of(X, y), JUDGE, ONLY_3)

    def summed(groups):
        of_all = [p for own, p in known.items() if all(set(one) & set(own) for one in groups)]
        return pytest.approx(sum(of_all), abs=1e-8)

    for group in GROUPS:
        assert model.any_belong_probability(group) == summed([group])
    for groups in LISTS_OF_GROUPS:
        assert model.each_belong_probability(groups) == summed(groups)


SHAPES = {"enumerated": (30, 8), "sampled": (40, 30), "not all kept": (60, 80)}


@pytest.mark.parametrize("shape", SHAPES.values(), ids=SHAPES)
def test_of_one_column_it_is_its_own_and_it_grows_with_every_column(shape):
    model = ProjectedSTG().fit(*drawn(*shape))
    inclusion, n_columns = model.inclusion_probability_, shape[1]
    each = [model.any_belong_probability([j]) for j in range(n_columns)]
    np.testing.assert_allclose(each, inclusion, atol=1e-9)
    order = np.random.default_rng(0).permutation(n_columns)
    grown = np.array([model.any_belong_probability(order[:k]) for k in range(n_columns + 1)])
    assert grown[0] == pytest.approx(0.0, abs=1e-12)
    assert np.all(np.diff(grown) >= -1e-12)
    assert np.all(grown[1:] <= np.cumsum(inclusion[order]) + 1e-9)
    assert np.all(grown[1:] >= np.maximum.accumulate(inclusion[order]) - 1e-9)


@pytest.mark.parametrize("shape", SHAPES.values(), ids=SHAPES)
def test_of_single_columns_it_is_that_all_of_them_belong(shape):
    model = ProjectedSTG().fit(*drawn(*shape))
    groups = [[j] for j in model.get_support(indices=True)]
    expected = model.all_belong_probability_
    assert model.each_belong_probability(groups) == pytest.approx(expected, abs=1e-3)
    both = [[0, shape[1] - 1], *groups]
    assert model.each_belong_probability(both) <= model.any_belong_probability(both[0]) + 1e-9


def test_any_column_at_all_belongs_unless_none_does():
    model = ProjectedSTG().fit(*drawn(30, 8, noise=4.0))
    any_at_all = model.any_belong_probability(np.ones(8, dtype=bool))
    assert any_at_all == pytest.approx(1.0 - model.size_probability_[0], abs=1e-9)
    assert any_at_all < 0.999


def test_names_masks_and_a_pickle_say_the_same():
    X, y = drawn(40, 30)
    frame = pd.DataFrame(X, columns=[f"x{j}" for j in range(30)])
    model = ProjectedSTG().fit(frame, y)
    by_name = model.any_belong_probability(["x0", "x29"])
    mask = np.isin(np.arange(30), [0, 29])
    assert model.any_belong_probability(mask) == by_name
    again = pickle.loads(pickle.dumps(model))
    assert again.any_belong_probability([0, 29]) == pytest.approx(by_name, rel=1e-9)


def test_what_it_cannot_answer_is_said_in_one_line():
    X, y = drawn(30, 8)
    with pytest.raises(ValueError, match="there are no probabilities; fit with refine=True"):
        ProjectedSTG(3, probabilities=False).fit(X, y).any_belong_probability([0])
    with pytest.raises(ValueError, match="features has 8; give names, or indices from 0 to 7"):
        ProjectedSTG(3).fit(X, y).any_belong_probability([8])
