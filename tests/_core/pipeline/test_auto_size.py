"""K from the data: the answer is that of its K, noise has no columns, and easy truths are found."""

import pickle
from dataclasses import replace
from functools import cache, partial
from itertools import combinations

import numpy as np
import pandas as pd
import pytest
from made_problems import problem_of
from rounding import assert_same_numbers
from sklearn.exceptions import DataDimensionalityWarning

from projstg import Gates, ProjectedSTG, fit_many
from projstg._core.pipeline import auto_size as auto
from projstg._core.pipeline.information_criteria import SELECTIONS
from projstg._core.pipeline.pipeline_settings import PIPELINE
from projstg._core.score.criterion import CRITERIA
from projstg._core.score.evidence import support_scores
from projstg._core.score.prior import size_prior
from projstg.datasets import make_sparse_regression


def draw(seed, n=60, n_features=30, k=3, noise=0.5):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, n_features))
    truth = np.sort(rng.choice(n_features, k, replace=False))
    y = X[:, truth] @ rng.choice([-1.0, 1.0], k) + noise * rng.standard_normal(n)
    return X, y, truth


def chosen(model):
    return model.get_support(indices=True).tolist()


# Data of all kinds, easy and hard, tall and wide.
TABLES = {
    "easy": draw(0),
    "wide": draw(1, n=30, n_features=50, k=3, noise=0.7),
    "hard": draw(2, n=15, n_features=25, k=4, noise=1.0),
    "tall": draw(3, n=200, n_features=10, k=2, noise=2.0),
    "noise": draw(4, n=25, n_features=20, k=1, noise=100.0),
}


@cache
def fitted(table, k="auto", **params):
    """A model of one of the tables above; nobody changes it."""
    X, y, _ = TABLES[table]
    return ProjectedSTG(k, **params).fit(X, y)


@pytest.mark.parametrize("table", TABLES)
@pytest.mark.parametrize("criterion", CRITERIA)
def test_the_answer_is_that_of_its_k(table, criterion):
    found = fitted(table, criterion=criterion)
    k = int(found.support_.sum())
    if k == 0:
        assert np.all(found.coef_ == 0.0)
        assert found.intercept_ == pytest.approx(TABLES[table][1].mean())
        return
    given = fitted(table, k, criterion=criterion)
    np.testing.assert_array_equal(found.support_, given.support_)
    for name in ("coef_", "mu_", "intercept_", "objective_"):
        assert_same_numbers(getattr(found, name), getattr(given, name), name=name)


@pytest.mark.parametrize("criterion", ["common-size", "evidence"])
@pytest.mark.parametrize("table", ["easy", "wide", "tall", "noise"])
def test_the_chosen_size_is_that_of_the_likeliest_support(table, criterion):
    found = fitted(table, criterion=criterion)
    names, probability = found.alternatives_[0]
    assert names == chosen(found)
    assert found.support_probability_ == pytest.approx(probability, rel=1e-3)
    assert probability == max(other for _, other in found.alternatives_)
    assert found.size_probability_.sum() == pytest.approx(1.0)
    mean_size = found.size_probability_ @ np.arange(found.size_probability_.size)
    assert found.inclusion_probability_.sum() == pytest.approx(mean_size)


def likeliest_of_all(X, y, k_max):
    """The best of all supports of all sizes, from a list of them, and its probability.

    The prior of a size is :func:`size_prior`.
    """
    n_features, logs = X.shape[1], {}
    problem = problem_of(X, y)
    for k in range(k_max + 1):
        supports = list(combinations(range(n_features), k))
        indices = np.asarray(supports, dtype=np.int64)
        scores = support_scores(problem, indices, CRITERIA["common-size"])
        choices = len(supports) / np.exp(size_prior(0, k_max, n_features)[k])
        logs |= dict(zip(supports, -0.5 * scores - np.log(choices), strict=True))
    best = max(logs, key=logs.get)
    return list(best), np.exp(logs[best] - np.logaddexp.reduce(list(logs.values())))


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("n", [9, 30])
def test_the_answer_is_the_likeliest_of_all_supports(seed, n):
    X, y, _ = draw(40 + seed, n=n, n_features=7, k=3, noise=1.5)
    found = ProjectedSTG().fit(X, y)
    support, probability = likeliest_of_all(X, y, min(7, n - 3))
    assert chosen(found) == support
    assert found.support_probability_ == pytest.approx(probability, rel=1e-6)
    assert found.accuracy_.method == "enumerated"


@pytest.mark.parametrize(("n", "n_features"), [(30, 20), (25, 60), (100, 10)])
def test_noise_has_no_columns(n, n_features):
    found = []
    for seed in range(4):
        X, _, _ = draw(seed, n, n_features)
        y = np.random.default_rng(100 + seed).standard_normal(n)
        model = ProjectedSTG().fit(X, y)
        found.append(chosen(model))
        if not found[-1]:
            assert model.size_probability_[0] == pytest.approx(model.support_probability_, abs=0.02)
            assert model.all_belong_probability_ == pytest.approx(1.0)
            np.testing.assert_allclose(model.predict(X), y.mean())
    assert found.count([]) >= 3  # one in fifty has some, and is not sure of them


@pytest.mark.parametrize("criterion", CRITERIA)
@pytest.mark.parametrize("k", [1, 2, 4, 7])
def test_easy_problems_have_their_truth(k, criterion):
    for seed in range(2):
        X, y, truth = draw(10 * k + seed, k=k, noise=0.3)
        found = ProjectedSTG(criterion=criterion).fit(X, y)
        assert chosen(found) == truth.tolist()
        assert np.all(found.inclusion_probability_[truth] > 0.9)
        if criterion == "common-size":  # effects of one size, as it expects
            assert found.support_probability_ > 0.5
            assert np.argmax(found.size_probability_) == k


@pytest.mark.parametrize("selection", SELECTIONS)
def test_every_selection_finds_an_easy_truth_and_gives_the_answer_of_its_k(selection):
    truth, found = TABLES["easy"][2], fitted("easy", selection=selection)
    assert set(truth.tolist()) <= set(chosen(found))
    if selection in ("evidence", "ebic"):
        assert chosen(found) == truth.tolist()
    given = fitted("easy", int(found.support_.sum()))
    np.testing.assert_array_equal(found.support_, given.support_)
    assert_same_numbers(found.coef_, given.coef_)
    if selection != "evidence":  # K is as if it had been given, and so are probabilities
        for name in ("support_probability_", "size_probability_"):
            assert_same_numbers(getattr(found, name), getattr(given, name), name=name)


def test_bic_pays_less_for_a_column_than_ebic():
    X, y, _ = draw(5, n=30, n_features=10, k=3, noise=2.0)
    ebic, bic = (ProjectedSTG(selection=name).fit(X, y).support_.sum() for name in ("ebic", "bic"))
    assert ebic < bic


# ------------------------------------------------------------------------------------ limits


@pytest.mark.parametrize("selection", SELECTIONS)
def test_columns_that_must_and_must_not_be_selected(selection):
    X, y, truth = TABLES["easy"]
    others = np.setdiff1d(np.arange(30), truth)
    limits = {"always_select": [int(others[0])], "never_select": [int(truth[0])]}
    found = ProjectedSTG(selection=selection, **limits).fit(X, y)
    assert others[0] in chosen(found)
    assert truth[0] not in chosen(found)
    given = ProjectedSTG(int(found.support_.sum()), **limits).fit(X, y)
    np.testing.assert_array_equal(found.support_, given.support_)
    assert_same_numbers(found.coef_, given.coef_)
    assert found.inclusion_probability_[others[0]] == pytest.approx(1.0)
    assert found.inclusion_probability_[truth[0]] == 0.0
    assert found.size_probability_[0] == 0.0


def test_noise_with_a_column_that_must_be_there_has_that_one_alone():
    X, _, _ = draw(6)
    y = np.random.default_rng(0).standard_normal(60)
    found = ProjectedSTG(always_select=[11, 4]).fit(X, y)
    assert chosen(found) == [4, 11]
    assert np.argmax(found.size_probability_) == 2


def test_where_no_column_may_enter_none_does():
    X, y, _ = TABLES["easy"]
    found = ProjectedSTG(never_select=list(range(30))).fit(X, y)
    assert chosen(found) == []
    assert found.support_probability_ == 1.0
    assert found.alternatives_ == [([], 1.0)]


# --------------------------------------------------------------------------- the table's edges


@pytest.mark.parametrize(
    ("selection", "intercept"), [("evidence", True), ("evidence", False), ("bic", True)]
)
def test_weights_are_repeated_rows(selection, intercept):
    X, y, _ = draw(7, n=30, n_features=12, k=3, noise=1.0)
    weights = np.random.default_rng(1).integers(1, 4, size=30)
    model = ProjectedSTG(selection=selection, fit_intercept=intercept)
    weighed = pickle.loads(pickle.dumps(model)).fit(X, y, sample_weight=weights)
    often = model.fit(np.repeat(X, weights, axis=0), np.repeat(y, weights))
    np.testing.assert_array_equal(weighed.support_, often.support_)
    np.testing.assert_allclose(weighed.coef_, often.coef_, rtol=1e-9)
    assert weighed.support_probability_ == pytest.approx(often.support_probability_, rel=1e-6)
    np.testing.assert_allclose(
        weighed.inclusion_probability_, often.inclusion_probability_, atol=1e-6
    )


@pytest.mark.parametrize("selection", SELECTIONS)
@pytest.mark.parametrize("n_features", [1, 4, 50])
@pytest.mark.parametrize("target", ["constant", "zero"])
def test_a_y_that_does_not_vary_has_no_columns(selection, n_features, target):
    X, _, _ = draw(8, n_features=n_features, k=1)
    y = np.full(60, 3.0 if target == "constant" else 0.0)
    found = ProjectedSTG(selection=selection).fit(X, y)
    assert np.all(np.abs(found.coef_) < 1e-12)
    np.testing.assert_allclose(found.predict(X), y)
    assert np.all(np.isfinite(found.inclusion_probability_))


@pytest.mark.parametrize("criterion", CRITERIA)
def test_one_column(criterion):
    X, y, _ = draw(9, n_features=1, k=1)
    assert chosen(ProjectedSTG(criterion=criterion).fit(X, y)) == [0]
    noise = np.random.default_rng(3).standard_normal(60)
    assert chosen(ProjectedSTG(criterion=criterion).fit(X, noise)) == []


@pytest.mark.parametrize("n", [2, 3, 4, 5])
@pytest.mark.parametrize("n_features", [1, 3, 12])
def test_a_handful_of_rows(n, n_features):
    X, y, _ = draw(10, n=n, n_features=n_features, k=1)
    for selection in SELECTIONS:
        if n > 3:
            found = ProjectedSTG(selection=selection).fit(X, y)
            assert found.support_.sum() <= n - 3
            assert found.inclusion_probability_.sum() <= n - 3 + 1e-9
        else:
            with pytest.warns(DataDimensionalityWarning, match=f"^{n} rows are too few"):
                found = ProjectedSTG(selection=selection).fit(X, y)
            assert found.support_.sum() == found.n_columns_searched_ == 0
            assert found.support_probability_ is found.inclusion_probability_ is None


@pytest.mark.parametrize("selection", SELECTIONS)
def test_columns_that_do_not_vary_are_not_there(selection):
    X, y, _ = draw(13, n=40, n_features=8, k=3, noise=2.0)
    plain = ProjectedSTG(selection=selection).fit(X, y)
    wider = ProjectedSTG(selection=selection).fit(np.column_stack([np.full((40, 2), 7.0), X]), y)
    np.testing.assert_array_equal(wider.support_[2:], plain.support_)
    assert wider.support_probability_ == pytest.approx(plain.support_probability_, rel=1e-9)
    assert wider.inclusion_probability_[:2].tolist() == [0.0, 0.0]


def test_more_columns_than_are_looked_at():
    X, y, truth = draw(11, n=60, n_features=700, k=4)
    found = ProjectedSTG().fit(X, y)
    assert chosen(found) == truth.tolist()
    assert found.support_probability_ > 0.9
    assert found.inclusion_probability_.shape == (700,)
    others = np.setdiff1d(np.arange(700), truth)
    assert np.all((found.inclusion_probability_ > 0.0) & (found.inclusion_probability_ <= 1.0))
    assert np.max(found.inclusion_probability_[others]) < 0.1


def test_a_hard_table_with_many_columns_is_finite():
    X, y, _ = draw(12, n=25, n_features=700, k=8, noise=1.0)
    for k in ("auto", 8):
        found = ProjectedSTG(k).fit(X, y)
        assert 0.0 <= found.support_probability_ <= 1.0
        assert sum(probability for _, probability in found.alternatives_) <= 1.0 + 1e-9
        assert np.all((found.inclusion_probability_ >= 0) & (found.inclusion_probability_ <= 1))


# ----------------------------------------------------------------------------- dependent columns


@pytest.mark.parametrize("decision", ["likeliest", "median"])
@pytest.mark.parametrize("n_features", [8, 30])
def test_of_two_copies_one_is_selected_and_each_has_half(n_features, decision):
    X, y, truth = draw(15, n=60, n_features=n_features, k=2)
    X = np.column_stack([X, 3.0 * X[:, truth[0]] - 1.0])
    found = ProjectedSTG(decision=decision).fit(X, y)
    assert chosen(found) == truth.tolist()
    np.testing.assert_allclose(found.inclusion_probability_[[truth[0], -1]], 0.5, atol=0.03)
    assert found.inclusion_probability_[truth[1]] == pytest.approx(1.0, abs=0.01)
    assert np.all(np.isfinite(found.coef_std_error_))


@pytest.mark.parametrize("criterion", ["common-size", "evidence"])
def test_all_levels_of_a_factor_are_never_selected_together(criterion):
    rng = np.random.default_rng(16)
    level = rng.integers(0, 4, size=200)
    X = np.column_stack([np.eye(4)[level], rng.standard_normal((200, 12))])
    y = np.asarray([0.0, 1.0, 2.5, 4.0])[level] + X[:, 5] + 0.5 * rng.standard_normal(200)
    found = ProjectedSTG(criterion=criterion).fit(X, y)
    assert 2 <= found.support_[:4].sum() <= 3
    assert np.all(np.isfinite(found.coef_std_error_))


def test_columns_that_must_be_selected_may_depend_on_each_other():
    X, y, truth = draw(17, n=60, n_features=14, k=3)
    X = np.column_stack([X, -X[:, truth[0]], 2.0 * X[:, truth[1]]])
    found = ProjectedSTG(always_select=[int(truth[0]), 14]).fit(X, y)
    assert chosen(found) == [*truth.tolist(), 14]
    np.testing.assert_allclose(found.inclusion_probability_[[truth[1], 15]], 0.5, atol=0.03)
    np.testing.assert_allclose(found.inclusion_probability_[[truth[0], 14]], 1.0)


def test_columns_that_must_be_selected_and_depend_leave_room_for_all_others(rng):
    X = rng.standard_normal((60, 5))
    X[:, 1] = X[:, 0]
    y = X[:, 0] + X[:, 2] + X[:, 3] + X[:, 4] + 0.1 * rng.standard_normal(60)
    assert chosen(ProjectedSTG(always_select=[0, 1]).fit(X, y)) == [0, 1, 2, 3, 4]


# ---------------------------------------------------------------------------- ways to the answer


def test_alternatives_go_by_the_names_of_the_columns():
    X, y, _ = TABLES["wide"]
    frame = pd.DataFrame(X, columns=[f"x{i}" for i in range(50)])
    by_name, by_index = ProjectedSTG().fit(frame, y), fitted("wide")
    for (names, one), (indices, other) in zip(
        by_name.alternatives_, by_index.alternatives_, strict=True
    ):
        assert names == [f"x{i}" for i in indices]
        assert one == pytest.approx(other)
    assert by_name.alternatives_[0][0] == by_name.get_feature_names_out().tolist()


@pytest.mark.parametrize("selection", ["evidence", "gic"])
def test_many_are_many_alone(selection):
    problems = [draw(20 + i, n=30, n_features=12, k=i, noise=0.5)[:2] for i in range(3)]
    X, y = (np.stack(parts) for parts in zip(*problems, strict=True))
    many = fit_many(X, y, selection=selection, random_state=5)
    for i, seed in enumerate(many.seeds):
        alone = ProjectedSTG(selection=selection, random_state=seed).fit(X[i], y[i])
        np.testing.assert_array_equal(many.support[i], alone.support_)
        assert_same_numbers(many.coef[i], alone.coef_)
        np.testing.assert_allclose(many.mu[i], alone.mu_)
        assert many.objective[i] == pytest.approx(alone.objective_, rel=1e-9)
        assert many.n_starts[i] == alone.n_starts_
        assert many.support_probability[i] == pytest.approx(alone.support_probability_)
        np.testing.assert_allclose(many.inclusion_probability[i], alone.inclusion_probability_)
        assert many.all_belong_probability[i] == pytest.approx(alone.all_belong_probability_)
    if selection == "evidence":
        assert many.support.sum(axis=1).tolist() == [0, 1, 2]


def test_many_with_no_search_and_with_the_noise_given():
    problems = [draw(30 + i, n=30, n_features=12, k=2, noise=0.5)[:2] for i in range(2)]
    X, y = (np.stack(parts) for parts in zip(*problems, strict=True))
    for params in ({"n_features_to_select": None}, {"gates": Gates(alpha=0.05)}):
        many = fit_many(X, y, random_state=5, **params)
        for i, seed in enumerate(many.seeds):
            alone = ProjectedSTG(random_state=seed, **params).fit(X[i], y[i])
            np.testing.assert_array_equal(many.support[i], alone.support_)
            assert (many.objective is None) == (alone.objective_ is None)
            assert (many.noise_std is None) == (alone.noise_std_ is None)


def test_the_answer_and_its_probabilities_survive_a_pickle():
    X, found = TABLES["wide"][0], fitted("wide")
    there = pickle.loads(pickle.dumps(found))
    assert there.alternatives_ == found.alternatives_
    np.testing.assert_array_equal(there.size_probability_, found.size_probability_)
    np.testing.assert_array_equal(there.predict(X), found.predict(X))


def test_the_same_table_has_the_same_answer_and_probabilities():
    X, y, _ = TABLES["hard"]
    one, other = fitted("hard"), ProjectedSTG().fit(X, y)
    assert one.alternatives_ == other.alternatives_
    np.testing.assert_array_equal(one.inclusion_probability_, other.inclusion_probability_)


def test_the_unit_of_y_and_of_the_columns_changes_no_probability():
    (X, y, _), plain = TABLES["wide"], fitted("wide")
    units = 10.0 ** np.random.default_rng(0).integers(-5, 5, size=50)
    other = ProjectedSTG().fit(X * units, 1e6 * y)
    np.testing.assert_array_equal(plain.support_, other.support_)
    assert plain.support_probability_ == pytest.approx(other.support_probability_, rel=1e-6)


def test_the_posterior_counts_what_the_full_search_has_found(monkeypatch):
    begun = []

    def listening(count, known, found):
        begun.append([one.supports for one in found])
        return count(known, found)

    for name in ("counted_around", "with_more"):
        monkeypatch.setattr(auto, name, partial(listening, getattr(auto, name)))
    X, y, _ = draw(14, k=4)  # four are not on the ladder
    found = ProjectedSTG().fit(X, y)
    assert not [supports for supports in begun[0] if supports.shape[1] == 4]
    assert begun[1][0][0].tolist() == chosen(found)
    assert len(begun) == 2


def test_information_criteria_take_so_many_starts_as_they_may(monkeypatch):
    asked = []

    class Listening(auto.QuickSearch):
        def __call__(self, k, n_starts):
            found = super().__call__(k, n_starts)
            asked.append(found.n_starts)
            return found

    monkeypatch.setattr(auto, "QuickSearch", Listening)
    X, y, _ = TABLES["easy"]
    ProjectedSTG(selection="ebic", n_starts=3).fit(X, y)
    assert max(asked) == 3


def test_chains_that_come_to_a_far_likelier_support_begin_again(monkeypatch):
    whole = auto.ladder
    data = make_sparse_regression(50, 100, 12, noise_std=0.3, repetition=2)
    expected = ProjectedSTG().fit(data.X, data.y).support_probability_

    def short(*asked):
        found = whole(*asked)
        return found._replace(found=found.found[:3])

    monkeypatch.setattr(auto, "ladder", short)
    model = ProjectedSTG().fit(data.X, data.y)
    np.testing.assert_array_equal(model.support_, data.support)
    assert model.support_probability_ == pytest.approx(expected, abs=0.02)
    assert model.accuracy_.is_accurate


def test_chains_begin_again_where_a_later_search_finds_a_likelier_support():
    data = make_sparse_regression(100, 1000, 20, noise_std=0.5, repetition=2)
    model = ProjectedSTG().fit(data.X, data.y)
    np.testing.assert_array_equal(model.support_, data.support)
    assert model.support_probability_ > 0.99
    assert model.accuracy_.is_accurate


@pytest.mark.parametrize(
    ("most", "named", "size"), [(1, [3, 2, 2], 2), (2, [3, 2, 5, 5], 5), (4, [3, 2, 3, 3], 3)]
)
def test_a_posterior_that_names_another_size_each_time_is_followed_so_often(
    most, named, size, monkeypatch
):
    X, y, _ = TABLES["easy"]
    monkeypatch.setattr(auto, "PIPELINE", replace(PIPELINE, most_proposals=most))
    asked, more = [], auto.with_more

    def listening(known, found):
        asked.append(1)
        return more(known, found)

    fickle = property(lambda self: np.arange(named[min(len(asked), len(named) - 1)]))
    monkeypatch.setattr(auto.Posterior, "likeliest", fickle)
    monkeypatch.setattr(auto, "with_more", listening)
    monkeypatch.setattr(auto, "drawn", lambda known, *_: known)  # nothing new turns up
    found = fit_many(X[None], y[None], random_state=[0])
    np.testing.assert_array_equal(found.support[0], ProjectedSTG(size).fit(X, y).support_)
    assert len(asked) == len(set(named[:most]))  # each size it named was solved once, up to most


def test_the_likeliest_support_is_the_answer_where_sizes_climb():
    rng = np.random.default_rng(9)
    n, d = int(rng.integers(8, 60)), int(rng.integers(14, 45))
    X = rng.standard_normal((n, d))
    X[:, 1] = X[:, 0] + 0.1 * rng.standard_normal(n)
    X[:, 2] = X[:, 0]
    beta = rng.standard_normal(d) * (rng.random(d) < 0.4)
    found = ProjectedSTG().fit(X, X @ beta + rng.choice([0.1, 1]) * rng.standard_normal(n))
    best, probability = found.alternatives_[0]
    assert chosen(found) == best
    assert found.support_probability_ == pytest.approx(probability, rel=1e-6)
