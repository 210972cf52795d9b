"""The residual of every support at once, against least squares on each."""

import numpy as np
import pytest

from projstg._core.data.standard_table import as_tables
from projstg._core.posterior.all_residuals import all_residuals
from projstg._core.score.criterion import CRITERIA
from projstg._core.score.evidence import least_scores, support_scores


def table(seed, n_rows=30, n_columns=6):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n_rows, n_columns))
    return X, X[:, 0] - X[:, 1] + rng.standard_normal(n_rows)


def residual(X, y):
    return float(np.sum((y - X @ np.linalg.lstsq(X, y)[0]) ** 2)) if X.shape[1] else float(y @ y)


@pytest.mark.parametrize("locked", [[], [2], [1, 4]])
def test_they_are_those_of_least_squares(locked):
    X, y = table(0)
    open_ = np.setdiff1d([0, 1, 2, 3, 5], locked)
    of = (X.T @ X, X.T @ y, float(y @ y), np.asarray(locked, dtype=int), open_)
    masks, bounds = all_residuals(*of)
    assert masks.shape == (2**open_.size, open_.size)
    assert len(np.unique(masks, axis=0)) == 2**open_.size
    for mask, least in zip(masks, bounds, strict=True):
        exact = residual(X[:, np.union1d(locked, open_[mask]).astype(int)], y)
        assert least <= exact
        assert least == pytest.approx(exact, abs=2e-7 * (y @ y))


def test_of_dependent_columns_nothing_is_said():
    X, y = table(1)
    X[:, 5] = X[:, 0] + X[:, 1]
    masks, least = all_residuals(X.T @ X, X.T @ y, float(y @ y), np.arange(0), np.arange(6))
    is_dependent = masks[:, [0, 1, 5]].all(axis=1)
    assert not least[is_dependent].any()
    assert (least[~is_dependent] > 0.0).all()


@pytest.mark.parametrize("name", ["common-size", "evidence"])
@pytest.mark.parametrize("seed", range(4))
def test_no_score_is_below_its_bound(name, seed):
    X, y = table(seed, n_rows=[8, 12, 40, 200][seed])
    Z = as_tables(X[None], y[None]).problem(0)
    judge = CRITERIA[name].judge(Z)
    masks, least = all_residuals(Z.G, Z.b, Z.yy, np.arange(0), np.arange(6))
    bounds = least_scores(least, masks.sum(axis=1), judge, Z.yy, Z.dof)
    at_each = [judge.at(np.asarray([r])) for r in range(judge.ridges.kappa.size)]
    for mask, bound in zip(masks, bounds, strict=True):
        support = np.flatnonzero(mask)[None]
        scores = [support_scores(Z, support, own)[0] for own in at_each]
        assert np.all(np.asarray(scores) >= bound - 1e-9)
