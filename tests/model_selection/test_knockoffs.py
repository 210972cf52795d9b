"""Knockoffs: the forgeries are good, both of a pair are treated alike, losses count false wins."""

import numpy as np
import pytest
from rounding import assert_same_numbers
from sklearn.base import clone
from sklearn.covariance import EmpiricalCovariance
from sklearn.ensemble import RandomForestRegressor
from sklearn.feature_selection import SelectKBest, f_regression
from sklearn.linear_model import Lasso, LassoCV
from sklearn.neighbors import KNeighborsRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from projstg import Gates, KnockoffSelector, ProjectedSTG
from projstg._extras import MissingExtra
from projstg.model_selection.knockoffs import (
    _standardised,
    e_values,
    knockoff_threshold,
    knockoffs,
    largest_e_values,
    paired_difference,
)

pytest.importorskip("hidimstat")


def toeplitz(n_features, rho):
    places = np.arange(n_features)
    return rho ** np.abs(places[:, None] - places)


@pytest.fixture
def data(rng):
    X = rng.multivariate_normal(np.zeros(24), toeplitz(24, 0.5), size=120)
    return X, X[:, ::2] @ rng.choice([-1.0, 1.0], size=12) + rng.normal(size=120)


def drawn(X, covariance=None, n_draws=1):
    columns, who = _standardised(X, np.ptp(X, axis=0) > 0, covariance)
    return columns, list(knockoffs(columns, who, n_draws, np.random.default_rng(5)))


@pytest.mark.parametrize("known", [False, True])
def test_knockoffs_have_the_covariance_of_the_originals(rng, known):
    """Cov[X, X̃] is Σ in both blocks and Σ − diag(s) between them: exchange is not seen."""
    Sigma = toeplitz(5, 0.7)
    X = rng.multivariate_normal(np.zeros(5), Sigma, size=40_000)
    X, (forged,) = drawn(X, Sigma if known else EmpiricalCovariance())
    joint = np.cov(X.T, forged.T)
    np.testing.assert_allclose(joint[5:, 5:], Sigma, atol=0.04)
    between = joint[:5, 5:] - Sigma
    np.testing.assert_allclose(between - np.diag(np.diag(between)), 0.0, atol=0.04)
    assert np.all(np.diag(between) < -0.2)  # and they are no copies


def test_the_units_of_the_columns_make_no_difference(rng, X, y):
    scale = 10.0 ** rng.integers(-2, 3, size=24)
    expected = KnockoffSelector(fdr=0.2).fit(X, y).statistic_
    found = KnockoffSelector(fdr=0.2).fit(X * scale + 7.0, y).statistic_
    np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-7)
    Sigma = toeplitz(24, 0.5)
    expected = KnockoffSelector(covariance=Sigma).fit(X, y).statistic_
    known = KnockoffSelector(covariance=Sigma * np.outer(scale, scale)).fit(X * scale, y)
    np.testing.assert_allclose(known.statistic_, expected, rtol=1e-5, atol=1e-7)


MODELS = {
    "gates": None,
    "search": ProjectedSTG(6, n_starts=4),
    "sampled": ProjectedSTG(6, gates=Gates(expectation="monte-carlo", max_iter=20), refine=False),
    "lasso": LassoCV(alphas=8, cv=3, selection="random"),
    "forest": RandomForestRegressor(n_estimators=5, max_features=0.5),
    "pipeline": make_pipeline(StandardScaler(), Lasso(0.1)),
}


@pytest.mark.parametrize("name", MODELS)
def test_an_exchange_changes_the_sign_and_nothing_else(data, rng, name):
    """To the last digit: the model sees the same table, whichever of a pair is the forgery."""
    X, (forged,) = drawn(data[0])
    swapped = rng.random(24) < 0.5
    importance = KnockoffSelector(MODELS[name])._importance
    one, other = np.where(swapped, forged, X), np.where(swapped, X, forged)
    before = paired_difference(importance, X, forged, data[1], 3)
    after = paired_difference(importance, one, other, data[1], 3)
    np.testing.assert_array_equal(after, np.where(swapped, -before, before))
    assert np.count_nonzero(before) > 3


def test_the_importances_are_of_the_right_columns(data):
    """The order of a pair is undone: W is large where the model is told it should be."""
    X, (forged,) = drawn(data[0])
    both = np.hstack([X, forged])

    def importance(table, y):
        return np.asarray([np.argmax(np.all(both.T == column, axis=1)) for column in table.T])

    found = paired_difference(importance, X, forged, data[1])
    np.testing.assert_array_equal(found, np.full(24, -24))


def test_a_copy_has_no_difference(data):
    X, _ = drawn(data[0])
    found = paired_difference(KnockoffSelector(Lasso(0.1))._importance, X, X.copy(), data[1], 0)
    np.testing.assert_array_equal(found, 0.0)


def test_without_effect_a_column_wins_as_often_as_it_loses(rng):
    X = rng.multivariate_normal(np.zeros(30), toeplitz(30, 0.6), size=80)
    signs = []
    for seed in range(25):
        y = rng.normal(size=80)
        selector = KnockoffSelector(Lasso(0.05), covariance=toeplitz(30, 0.6), random_state=seed)
        W = selector.fit(X, y).statistic_
        signs += np.sign(W[W != 0]).tolist()
    assert len(signs) > 300
    assert abs(np.mean(signs)) < 4 / np.sqrt(len(signs))


def smallest_threshold(W, fdr, offset):
    """The definition, by trying every t."""
    for t in sorted(set(np.abs(W))):
        if t > 0 and (offset + sum(W <= -t)) / max(sum(W >= t), 1) <= fdr:
            return t
    return np.inf


@pytest.mark.parametrize("offset", [0, 1])
@pytest.mark.parametrize("fdr", [0.1, 0.25, 0.5])
def test_the_threshold_is_the_smallest_that_will_do(rng, fdr, offset):
    found = []
    for _ in range(60):
        W = np.round(rng.normal(1.0, 1.0, size=30), 1) * (rng.random(30) < 0.8)
        found.append(knockoff_threshold(W, fdr, offset))
        assert found[-1] == smallest_threshold(W, fdr, offset)
    assert np.isfinite(found).any()


def test_zeros_are_never_selected():
    assert knockoff_threshold(np.zeros(5), 0.5) == np.inf
    W = np.append(np.arange(1.0, 31.0), np.zeros(3))
    assert knockoff_threshold(W, 0.1) == 1.0


def test_one_draw_as_e_values_is_one_draw(rng):
    for _ in range(40):
        W = rng.normal(0.7, 1.0, size=(1, 40))
        T = knockoff_threshold(W[0], 0.2)
        found = largest_e_values(e_values(W, np.asarray([T])), 0.2)
        np.testing.assert_array_equal(found, W[0] >= T)


def test_e_values_are_chosen_by_their_definition(rng):
    n_chosen = []
    for _ in range(60):
        e = np.round(rng.exponential(30.0, size=20), -1)
        sizes = [k for k in range(1, 21) if np.sort(e)[-k] >= 20 / (0.4 * k)]
        found = largest_e_values(e, 0.4)
        n_chosen.append(found.sum())
        assert found.sum() == max(sizes, default=0)
        if found.any():
            assert e[found].min() > e[~found].max(initial=-1.0)
    assert len(set(n_chosen)) > 3


def test_draws_are_averaged(data):
    selector = KnockoffSelector(Lasso(0.1), fdr=0.4, n_draws=5).fit(*data)
    W, T = selector.statistic_, selector.threshold_
    assert W.shape == (5, 24)
    assert len(np.unique(W[:, 0])) == 5
    assert T.tolist() == [knockoff_threshold(row, 0.2) for row in W]
    expected = np.zeros(24)
    for row, t in zip(W, T, strict=True):
        expected += 24 * (row >= t) / (1 + sum(row <= -t)) / 5
    np.testing.assert_array_equal(selector.support_, largest_e_values(expected, 0.4))
    assert selector.support_[::2].sum() >= 6


def test_the_effects_are_found(data):
    selector = KnockoffSelector(fdr=0.2).fit(*data)
    chosen = selector.get_support()
    assert chosen[::2].sum() >= 9
    assert chosen[1::2].sum() <= 4
    np.testing.assert_array_equal(chosen, selector.statistic_[0] >= selector.threshold_[0])
    assert selector.transform(data[0]).shape == (120, chosen.sum())
    other = clone(selector).set_params(random_state=1).fit(*data)
    assert np.any(other.statistic_ != selector.statistic_)


def test_importances_are_where_one_says(data):
    plain = KnockoffSelector(Lasso(0.1)).fit(*data).statistic_
    for getter in ("coef_", lambda model: -model.coef_):
        found = KnockoffSelector(Lasso(0.1), importance_getter=getter).fit(*data)
        np.testing.assert_array_equal(found.statistic_, plain)
    gates = ProjectedSTG(None, refine=False)
    one, other = (KnockoffSelector(gates, importance_getter=g) for g in ("gate_mean_", "coef_"))
    assert np.any(one.fit(*data).statistic_ != other.fit(*data).statistic_)


def test_a_getter_without_an_estimator_is_told(data):
    with pytest.raises(ValueError, match="importance_getter='coef_' is for an estimator of yours"):
        KnockoffSelector(importance_getter="coef_").fit(*data)


def test_constant_columns_are_never_selected(data):
    X = np.insert(data[0], 3, 4.0, axis=1)
    plain = KnockoffSelector(Lasso(0.1)).fit(*data)
    found = KnockoffSelector(Lasso(0.1)).fit(X, data[1])
    assert_same_numbers(np.delete(found.statistic_, 3, axis=1), plain.statistic_)
    assert not found.support_[3]
    Sigma = np.insert(np.insert(toeplitz(24, 0.5), 3, 0.0, axis=0), 3, 0.0, axis=1)
    assert not KnockoffSelector(Lasso(0.1), covariance=Sigma).fit(X, data[1]).support_[3]
    nothing = KnockoffSelector().fit(np.ones((10, 3)), np.arange(10.0))
    assert not nothing.support_.any()


def test_noise_is_not_that_of_a_table_with_the_same_seed():
    X = np.random.default_rng(0).standard_normal((50, 8))
    y = np.random.default_rng(1).standard_normal(50)
    kept = {}

    class Spy(Lasso):
        def fit(self, table, y):
            kept["table"] = table
            return super().fit(table, y)

    KnockoffSelector(Spy(0.1), random_state=0).fit(X, y)
    between = np.corrcoef(kept["table"].T)[:8, 8:]
    assert np.max(np.abs(between)) < 0.9


def test_mistakes_say_what_to_type(data):
    with pytest.raises(ValueError, match="n_draws=1"):
        KnockoffSelector(offset=0, n_draws=2).fit(*data)
    with pytest.raises(ValueError, match=r"\(3, 3\), but X has 24"):
        KnockoffSelector(covariance=np.eye(3)).fit(*data)
    with pytest.raises(TypeError, match="coef_ or feature_importances_"):
        KnockoffSelector(KNeighborsRegressor()).fit(*data)
    with pytest.raises(TypeError, match="Lasso has no weight_"):
        KnockoffSelector(Lasso(), importance_getter="weight_").fit(*data)
    with pytest.raises(ValueError, match="finite importances for the 48"):
        KnockoffSelector(ProjectedSTG(3), importance_getter="mu_").fit(*data)
    with pytest.raises(ValueError, match="2 finite importances for the 48"):
        KnockoffSelector(make_pipeline(SelectKBest(f_regression, k=2), Lasso())).fit(*data)


def test_without_hidimstat_it_says_what_to_install(data, monkeypatch):
    from projstg import _extras

    def missing(name):
        raise ModuleNotFoundError(f"No module named {name!r}", name="hidimstat")

    monkeypatch.setattr(_extras, "import_module", missing)
    with pytest.raises(MissingExtra, match=r'pip install "projstg\[fdr\]"'):
        KnockoffSelector().fit(*data)
