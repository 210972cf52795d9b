"""K columns that the rows cannot tell apart are warned of, and only those."""

import numpy as np
import pytest
from sklearn.exceptions import DataDimensionalityWarning

from projstg import (
    STG,
    Gates,
    ProjectedSTG,
    ProjectedSTGCV,
    Statistics,
    fit_many,
    projected_stg_path,
)
from projstg._core.data.standard_table import as_tables
from projstg.estimators._too_many_columns import too_many_columns

SHAPES = [(12, 5), (6, 12), (9, 9), (7, 8), (30, 12)]


def said(X, k, **options):
    y = np.arange(X.shape[-2], dtype=float) ** 2
    return too_many_columns([(np.arange(1), as_tables(X[None], y[None], **options))], k)


@pytest.mark.parametrize("centre", [True, False])
@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("rank", [1, 2, 4, None])
def test_the_warning_is_about_the_rank(shape, rank, centre, rng):
    X = rng.normal(size=shape)
    if rank is not None:
        X = rng.normal(size=(shape[0], rank)) @ rng.normal(size=(rank, shape[1]))
    rows = X - X.mean(axis=0) if centre else X
    own, freedom = np.linalg.matrix_rank(rows, tol=1e-8), shape[0] - centre
    for k in range(1, shape[1] + 1):
        expected = k >= own and not own == shape[1] < freedom
        text = said(X, k, centre=centre)
        assert (text is not None) == expected, (k, own)
        if text is not None:
            assert ("without error" in text) == (own == freedom)
            assert ("at most" in text) == (own > 1)


def test_all_of_independent_columns_may_be_asked_for(rng):
    X = rng.normal(size=(20, 4))
    assert said(X, 4) is None
    assert "rank of X, 4: any 4" in said(np.column_stack([X, X[:, 0]]), 5)


def test_units_and_columns_that_cannot_be_selected_do_not_matter(rng):
    X = rng.normal(size=(20, 6)) * 10.0 ** np.arange(-9, 9, 3)
    assert said(X, 5) is None
    columns = np.arange(3)
    assert said(X, 3, columns=columns) is None  # all that may be selected
    copies = np.column_stack([X[:, :3], X[:, :3]])
    assert said(copies, 3) is not None
    assert said(copies, 3, columns=columns) is None


def test_rows_that_are_repeated_do_not_add_to_the_rank(rng):
    X = rng.normal(size=(6, 10))
    assert said(np.repeat(X, 4, axis=0), 5) is not None
    assert said(np.repeat(X, 4, axis=0), 4) is None
    weights = np.full((1, 6), 4.0)
    assert said(X, 5, weights=weights) is not None
    assert said(X, 4, weights=weights) is None


def test_many_problems_are_counted(rng):
    X, y = rng.normal(size=(3, 20, 6)), rng.normal(size=(3, 20))
    X[1, :, 3:] = X[1, :, :3]
    with pytest.warns(DataDimensionalityWarning, match="^in 1 of 3 problems n_features_to_sel"):
        fit_many(X, y, 4)


@pytest.mark.parametrize("model", [ProjectedSTG(10), STG(10, gates=Gates(max_iter=50))])
def test_the_warning_is_the_caller_s_and_the_answer_comes(model, rng):
    X, y = rng.normal(size=(10, 64)), rng.normal(size=10)
    model.set_params(fit_intercept=False)
    with pytest.warns(DataDimensionalityWarning, match="on 10 rows .* at most 9, or give") as seen:
        model.fit(X, y)
    assert seen[0].filename == __file__
    assert model.support_.sum() == 10
    with pytest.warns(DataDimensionalityWarning) as seen:
        fit_many(X[None], y[None], 10)
    assert seen[0].filename == __file__


def test_a_path_warns_once_and_cross_validation_of_its_choice_alone(rng):
    X = rng.normal(size=(10, 12))
    y = X[:, 0] + 0.1 * rng.normal(size=10)
    with pytest.warns(DataDimensionalityWarning, match="=12 columns fit any values of y") as seen:
        projected_stg_path(X, y, sizes=[1, 12], refine=False)
    assert len(seen) == 1
    assert seen[0].filename == __file__
    assert ProjectedSTGCV(sizes=[1, 8], cv=5).fit(X, y).n_features_to_select_ == 1


def test_k_from_the_data_and_open_gates_are_not_warned_of(rng):
    X, y = rng.normal(size=(4, 9)), rng.normal(size=4)
    ProjectedSTG().fit(X, y)  # a warning would be an error
    ProjectedSTG(None).fit(X, y)


TOO_FEW = "rows are too few, or too much alike, to say which columns belong: none is selected"


def unknown(X, y, *rest, **options):
    """Fit where nothing can be compared; nothing is chosen, and nothing said to be known."""
    with pytest.warns(DataDimensionalityWarning, match=TOO_FEW) as seen:
        model = ProjectedSTG(**options).fit(X, y, *rest)
    assert seen[0].filename == __file__
    assert model.support_probability_ is model.all_belong_probability_ is None
    assert model.inclusion_probability_ is model.size_probability_ is model.alternatives_ is None
    return model, str(seen[0].message)


@pytest.mark.parametrize("n_columns", [1, 2, 20])
@pytest.mark.parametrize(("n_rows", "centre"), [(2, True), (3, True), (2, False)])
def test_too_few_rows_to_choose_from_are_told_by_rows_weights_and_sums(
    n_rows, centre, n_columns, rng
):
    X, y, options = rng.normal(size=(n_rows, n_columns)), rng.normal(size=n_rows), {}
    options["fit_intercept"] = centre
    for fitted in (
        unknown(X, y, **options),
        unknown(X, y, np.full(n_rows, 2.5 / n_rows), **options),
        unknown(Statistics().update(X, y), None, **options),
    ):
        assert not fitted[0].support_.any()
    more = np.concatenate([X, rng.normal(size=(1, n_columns))])
    if n_rows == 3 or not centre:  # with one row more there is a choice
        found = ProjectedSTG(**options).fit(more, np.append(y, 1.0))
        assert 0.0 < found.support_probability_ < 1.0


@pytest.mark.parametrize("selection", ["evidence", "ebic", "bic", "gic"])
@pytest.mark.parametrize("criterion", ["common-size", "least-squares"])
def test_copies_of_a_few_rows_are_no_choice_by_any_rule(criterion, selection, rng):
    X, y = np.tile(rng.normal(size=(3, 5)), (4, 1)), np.tile(rng.normal(size=3), 4)
    unknown(X, y, criterion=criterion, selection=selection)
    unknown(X[:3], y[:3], np.full(3, 4.0), criterion=criterion, selection=selection)


@pytest.mark.parametrize("n_forced", [1, 2, 3, 4])
def test_columns_beside_those_that_must_be_selected_need_rows_too(n_forced, rng):
    X, y = rng.normal(size=(8, 6)), rng.normal(size=8)
    few, forced = n_forced + 3, list(range(n_forced))
    found, text = unknown(X[:few], y[:few], always_select=forced)
    assert found.get_support(indices=True).tolist() == forced
    assert "none is selected beside those in always_select" in text
    more = ProjectedSTG(always_select=forced).fit(X[: few + 1], y[: few + 1])
    assert more.support_probability_ < 1.0


def test_information_criteria_need_three_rows_for_a_column(rng):
    X, y = rng.normal(size=(7, 5)), rng.normal(size=7)
    unknown(X, y, always_select=[0, 1], selection="ebic")
    assert ProjectedSTG(always_select=[0, 1]).fit(X, y).support_probability_ < 1.0


def test_what_leaves_no_choice_for_another_reason_is_not_told_of(rng):
    X, y = rng.normal(size=(9, 3)), rng.normal(size=9)
    assert ProjectedSTG().fit(np.ones((3, 3)), y[:3]).support_probability_ == 1.0
    copies = np.column_stack([X[:, 0], 2.0 * X[:, 0]])
    assert ProjectedSTG(always_select=[0]).fit(copies, y).support_probability_ == 1.0
    assert ProjectedSTG(always_select=[0, 1, 2]).fit(X, y).support_probability_ == 1.0


def test_of_many_problems_those_with_too_few_rows_have_no_probability(rng):
    X, y, weights = rng.normal(size=(3, 6, 4)), rng.normal(size=(3, 6)), np.ones((3, 6))
    weights[1] = 0.5
    X[1, :, 0] = 1.0  # a table with other columns is prepared apart
    with pytest.warns(DataDimensionalityWarning, match=f"^in 1 of 3 problems 3 {TOO_FEW}"):
        found = fit_many(X, y, sample_weight=weights)
    assert np.isnan(found.support_probability).tolist() == [False, True, False]
    assert np.isnan(found.all_belong_probability).tolist() == [False, True, False]
    assert np.isnan(found.inclusion_probability).all(axis=1).tolist() == [False, True, False]
