"""Columns that stand for each other, more of them than are kept one by one."""

import numpy as np
import pytest
import scipy.sparse

from projstg import ProjectedSTG


def table(n_columns, n_copies, nearness=0.0):
    """X of which the first column has copies, and y depends on it alone."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((60, n_columns))
    X[:, 1:n_copies] = X[:, :1] + nearness * rng.standard_normal((60, n_copies - 1))
    return X, X[:, 0] + 0.5 * rng.standard_normal(60)


@pytest.mark.parametrize("n_columns", [160, 400, 1000])
@pytest.mark.parametrize(("nearness", "size"), [(0.0, 1), (0.02, 1), (0.0, "auto")])
def test_one_of_very_many_copies_belongs(n_columns, nearness, size):
    model = ProjectedSTG(size).fit(*table(n_columns, 150, nearness))
    copies = list(range(150))
    assert model.any_belong_probability(copies) > 0.999
    assert model.each_belong_probability([copies]) > 0.999
    assert model.inclusion_probability_[:150].sum() == pytest.approx(1.0, abs=0.05)
    group = model.credible_groups()[0]
    assert set(group.features) < set(copies)
    assert 130 < len(group.features) < 150
    assert group.probability == pytest.approx(model.any_belong_probability(group.features))


def test_of_a_thousand_copies_inclusions_sum_to_the_expected_size():
    model = ProjectedSTG().fit(*table(2500, 1000))
    expected = model.size_probability_ @ np.arange(model.size_probability_.size)
    assert model.inclusion_probability_.sum() == pytest.approx(expected, abs=1e-9)
    assert expected < 1.5


def test_sparse_and_dense_say_the_same_of_few_rows():
    rng = np.random.default_rng(3)
    X = rng.standard_normal((12, 3000))
    y = X[:, 0] + 0.3 * rng.standard_normal(12)
    one, other = (ProjectedSTG().fit(table, y) for table in (X, scipy.sparse.csr_array(X)))
    assert one.get_support(indices=True).tolist() == other.get_support(indices=True).tolist()
    assert one.support_probability_ == pytest.approx(other.support_probability_, abs=0.05)
    np.testing.assert_allclose(one.size_probability_, other.size_probability_, atol=0.05)
    np.testing.assert_allclose(one.inclusion_probability_, other.inclusion_probability_, atol=0.05)
