"""SCAD and MCP: the path is the library's, its points stationary, and the rules what they say."""

import warnings

import numpy as np
import pytest

from projstg import MCP, SCAD
from projstg.estimators import _folded_concave
from projstg.estimators._folded_concave import penalised_path

datafits = pytest.importorskip("skglm.datafits")
penalties = pytest.importorskip("skglm.penalties")
solvers = pytest.importorskip("skglm.solvers")

PENALTIES = {"scad": (penalties.SCAD, 3.7), "mcp": (penalties.MCPenalty, 3.0)}
ESTIMATORS = [SCAD, MCP]
SHARES = np.geomspace(1.0, 0.02, 16)[1:]


def slope(name, gamma, alpha, t):
    """The derivative of the penalty at t > 0."""
    if name == "mcp":
        return np.maximum(alpha - t / gamma, 0.0)
    return alpha * np.minimum(1.0, np.maximum(gamma - t / alpha, 0.0) / (gamma - 1.0))


def standard_problem(rng, n_rows=20, n_columns=12, k=3, noise=0.5):
    X = rng.normal(size=(n_rows, n_columns))
    y = X[:, :k].sum(axis=1) + noise * rng.normal(size=n_rows)
    return np.asfortranarray(X / np.sqrt(np.mean(X**2, axis=0))), y / np.sqrt(np.mean(y**2))


def problem(seed, n_rows=30, n_columns=15, k=3, noise=0.3):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n_rows, n_columns)) * rng.uniform(0.1, 10.0, size=n_columns)
    scale = np.sqrt(np.mean(X**2, axis=0))
    y = (X[:, 5 : 5 + k] / scale[5 : 5 + k]).sum(axis=1) + noise * rng.normal(size=n_rows)
    return X, y


@pytest.fixture
def tight(monkeypatch):
    """Solve closely: what the acceleration of the descent makes of rounding is within tolerance."""
    monkeypatch.setattr(_folded_concave, "_TOLERANCE", 1e-10)


def test_an_extrapolation_without_digits_is_left_out(tight, rng, monkeypatch):
    X, y = standard_problem(rng)
    expected = penalised_path(X, y, penalties.MCPenalty(1.0, 3.0), SHARES[::3], most=12)
    monkeypatch.setattr(np.linalg, "solve", lambda A, b: 0.0 * b)
    found = penalised_path(X, y, penalties.MCPenalty(1.0, 3.0), SHARES[::3], most=12)
    assert np.allclose(found.coefs, expected.coefs, atol=1e-4)


@pytest.mark.parametrize("name", PENALTIES)
def test_the_path_is_the_library_s(name, tight):
    kind, gamma = PENALTIES[name]
    for seed in range(100):
        X, y = standard_problem(np.random.default_rng(seed))
        shares = SHARES[::3]
        path = penalised_path(X, y, kind(1.0, gamma), shares, most=12)
        alphas = shares * np.max(np.abs(X.T @ y)) / len(y)
        solver = solvers.AndersonCD(tol=1e-10, fit_intercept=False)
        with np.errstate(all="ignore"):  # where its extrapolation has no digits
            _, coefs, _ = solver.path(X, y, datafits.Quadratic(), kind(1.0, gamma), alphas)
        assert np.allclose(path.alphas, alphas)
        assert np.allclose(path.coefs, coefs.T, atol=1e-4)  # the valleys are long


@pytest.mark.parametrize("name", PENALTIES)
def test_every_point_is_stationary(name, rng):
    kind, gamma = PENALTIES[name]
    X, y = standard_problem(rng, 25, 40, 6)
    path = penalised_path(X, y, kind(1.0, gamma), SHARES, most=40)
    assert path.n_nonzero.max() > 6
    for alpha, coef in zip(path.alphas, path.coefs, strict=True):
        push = X.T @ (y - X @ coef) / len(y)
        is_in = coef != 0.0
        wanted = np.sign(coef) * slope(name, gamma, alpha, np.abs(coef))
        assert np.all(np.abs(push[~is_in]) <= alpha + 1e-4)
        assert np.allclose(push[is_in], wanted[is_in], atol=1e-4)


@pytest.mark.parametrize("name", PENALTIES)
def test_an_orthogonal_design_is_thresholded_column_by_column(name, rng):
    kind, gamma = PENALTIES[name]
    X = np.asfortranarray(np.linalg.qr(rng.normal(size=(16, 16)))[0] * 4.0)
    y = rng.normal(size=16)
    grid = np.linspace(-3.0, 3.0, 60_001)
    path = penalised_path(X, y, kind(1.0, gamma), SHARES[:6], most=16)
    for alpha, coef in zip(path.alphas, path.coefs, strict=True):
        steps = np.cumsum(slope(name, gamma, alpha, np.abs(grid[grid >= 0.0])))
        half = np.concatenate([[0.0], steps[:-1]]) * (grid[1] - grid[0])
        penalty = np.concatenate([half[:0:-1], half])
        for own, b in zip(coef, X.T @ y / 16.0, strict=True):
            best = grid[np.argmin(0.5 * (grid - b) ** 2 + penalty)]
            assert own == pytest.approx(best, abs=2e-3)


def test_the_path_ends_where_there_are_too_many(rng):
    X, y = standard_problem(rng, 25, 40, 6)
    whole = penalised_path(X, y, penalties.SCAD(1.0, 3.7), SHARES, most=40)
    short = penalised_path(X, y, penalties.SCAD(1.0, 3.7), SHARES, most=4)
    assert len(short.alphas) == 1 + np.flatnonzero(whole.n_nonzero > 4)[0] < len(whole.alphas)
    assert np.array_equal(short.coefs, whole.coefs[: len(short.coefs)])


@pytest.mark.parametrize("kind", ESTIMATORS)
def test_the_exact_rule_takes_the_last_point_with_k(kind):
    n_exact, met = 0, 0
    for seed in range(20):
        X, y = problem(seed, noise=1.0)
        with warnings.catch_warnings(action="ignore"):
            model = kind(4, n_alphas=40).fit(X, y)
        points = np.flatnonzero(np.count_nonzero(model.coef_path_, axis=0) == 4)
        assert model.has_exact_point_ == (points.size > 0)
        if not points.size:
            continue
        n_exact += 1
        assert np.array_equal(model.support_, model.coef_path_[:, points[-1]] != 0.0)
        assert model.alpha_ == model.alphas_[points[-1]]
        first = model.coef_path_[:, points[0]] != 0.0
        met += not np.array_equal(model.support_, first)
    assert n_exact > 10
    assert met > 0  # it makes a difference which


@pytest.mark.parametrize("kind", ESTIMATORS)
def test_the_top_rule_takes_the_best_of_the_k_largest(kind):
    for seed in range(20):
        X, y = problem(seed, noise=2.0)
        model = kind(4, rule="top", n_alphas=40, fit_intercept=False).fit(X, y)
        scale, residuals = np.linalg.norm(X, axis=0), {}
        for coef in model.coef_path_.T:
            if np.count_nonzero(coef) >= 4:
                support = tuple(np.sort(np.argsort(-np.abs(coef) * scale)[:4]).tolist())
                fit = X[:, support] @ np.linalg.lstsq(X[:, support], y)[0]
                residuals[support] = np.sum((y - fit) ** 2)
        assert tuple(model.get_support(indices=True)) == min(residuals, key=residuals.get)


@pytest.mark.parametrize("kind", ESTIMATORS)
def test_without_a_point_of_k_the_fall_back_is_visible(kind):
    X, y = problem(3)
    with pytest.warns(UserWarning, match="no point of the path has exactly 2") as heard:
        model = kind(2, n_alphas=1).fit(X, y)
    assert heard[0].filename == __file__
    assert not model.has_exact_point_
    top = kind(2, n_alphas=1, rule="top").fit(X, y)
    assert np.array_equal(model.support_, top.support_)
    assert top.support_.sum() == 2


@pytest.mark.parametrize("kind", ESTIMATORS)
@pytest.mark.parametrize("rule", ["exact", "top"])
@pytest.mark.parametrize("shape", [(30, 15), (12, 40)])
def test_units_make_no_difference(kind, rule, shape, rng, tight):
    X, y = problem(7, *shape)
    units = 10.0 ** rng.uniform(-3.0, 3.0, size=shape[1])
    one = kind(3, rule=rule).fit(X, y)
    other = kind(3, rule=rule).fit(X * units, 1000.0 * y)
    assert np.array_equal(one.support_, other.support_)
    assert np.allclose(1000.0 * one.coef_, other.coef_ * units)
    assert np.allclose(1000.0 * one.alphas_, other.alphas_)


@pytest.mark.parametrize("kind", ESTIMATORS)
@pytest.mark.parametrize("shape", [(30, 15), (12, 40)])
@pytest.mark.parametrize("fit_intercept", [True, False])
def test_weights_are_repeated_rows(kind, shape, fit_intercept, rng, tight):
    X, y = problem(11, *shape)
    times = rng.integers(0, 4, size=shape[0])
    settings = {"rule": "top", "fit_intercept": fit_intercept, "n_alphas": 20}
    weighted = kind(3, **settings).fit(X, y + 5.0, sample_weight=times)
    repeated = kind(3, **settings).fit(X.repeat(times, axis=0), (y + 5.0).repeat(times))
    assert np.array_equal(weighted.support_, repeated.support_)
    assert np.allclose(weighted.coef_path_, repeated.coef_path_, atol=1e-6)
    assert weighted.intercept_ == pytest.approx(repeated.intercept_)


def test_tall_and_wide_tables_go_the_same_way(tight):
    X, y = problem(2, 24, 24)
    tall = SCAD(3).fit(X, y)
    wide = SCAD(3).fit(np.c_[X, np.ones(24)], y)
    assert np.array_equal(tall.support_, wide.support_[:24])
    assert np.allclose(tall.coef_path_, wide.coef_path_[:24])


def test_no_signal_still_gives_k_columns():
    X, _ = problem(0)
    with pytest.warns(UserWarning, match="no point of the path"):
        model = SCAD(2).fit(X, np.full(30, 3.0))
    assert model.support_.sum() == 2
    assert not model.has_exact_point_
    assert np.allclose(model.predict(X), 3.0)


def test_constant_columns_are_not_selected():
    X, y = problem(1, k=1, noise=0.0)
    X[:, 0] = 4.0
    with warnings.catch_warnings(action="ignore"):
        model = SCAD(14, rule="top").fit(X, y)
    assert model.support_.sum() == 14
    assert not model.support_[0]


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"gamma": 2.0}, "'gamma'.*in the range \\(2.0, inf\\)"),
        ({"rule": "first"}, "'rule'"),
        ({"n_features_to_select": 16}, "more than the 15 columns of X"),
    ],
)
def test_what_cannot_be_is_refused(settings, message):
    with pytest.raises(ValueError, match=message):
        SCAD(**settings).fit(*problem(0))
