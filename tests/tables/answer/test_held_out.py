"""Folds: predictions of rows left out, and choices made again."""

import numpy as np
import pytest
from preparing import prepared_frame

from projstg import ProjectedSTG
from projstg.sources.folds import fold_of_rows
from projstg.tables.answer.held_out import checked

pd = pytest.importorskip("pandas")


@pytest.mark.parametrize("weighted", [False, True])
def test_folds_are_what_a_loop_over_them_gives(frame, weighted):
    data = prepared_frame(frame.assign(w=1.0 + np.arange(60) % 2), "y", weights="w")
    data = data if weighted else data._replace(weights=None)
    params = {"n_features_to_select": 2, "random_state": 0}
    (found,) = checked(data.folds(7, 3), 7, [params])
    fold = fold_of_rows(0, 60, 7, 3)
    predicted, mean = np.empty(60), np.empty(60)
    w = np.ones(60) if data.weights is None else data.weights
    for test in (np.flatnonzero(fold == i) for i in range(7)):
        train = np.setdiff1d(np.arange(60), test)
        model = ProjectedSTG(**params).fit(data.X[train], data.y[train], w[train])
        predicted[test] = model.predict(data.X[test])
        mean[test] = np.average(data.y[train], weights=w[train])
    expected = 1 - np.sum(w * (data.y - predicted) ** 2) / np.sum(w * (data.y - mean) ** 2)
    assert found.r2 == pytest.approx(expected, rel=1e-9)
    assert found.stability[[1, 5]].tolist() == [1.0, 1.0]
    assert len(found.r2_folds) == 7
