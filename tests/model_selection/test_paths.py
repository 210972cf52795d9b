"""Paths: what λ_max means, gates along λ against brute force, sizes against single fits."""

import tracemalloc
from itertools import combinations

import numpy as np
import pytest
from made_problems import batch_of
from oracles import exact_moments, explicit_risk, residual_sum
from rounding import assert_same_numbers
from scipy.optimize import minimize_scalar
from sklearn.exceptions import ConvergenceWarning

from projstg import Gates, ProjectedSTG, projected_stg_path
from projstg._core.gates.concave_penalty import gate_penalty
from projstg._core.gates.gate_fit import GateOptions
from projstg._core.gates.gate_path import gate_path, largest_alpha
from projstg._core.gates.moments import gate_moments

TAUS = [0.05, 0.5, 2.0, 20.0]
SHAPES = {"long": (60, 8), "wide": (20, 30)}


@pytest.fixture(params=SHAPES)
def data(request, rng):
    """X and y with three true columns: 1, 4 and 6; neither is centred."""
    X = rng.normal(size=SHAPES[request.param]) + 0.5
    return X, 2.0 * X[:, 1] - X[:, 4] + 1.5 * X[:, 6] + 0.3 * rng.normal(size=len(X)) + 4.0


def problems_of(X, y):
    """Standardised problems, whose means stay."""
    return batch_of(X, y, centre=False)


def drawn(rng, n_problems, n, n_features):
    """A batch of small problems whose columns are correlated."""
    X = rng.normal(size=(n_problems, n, n_features)) + 0.7 * rng.normal(size=(n_problems, n, 1))
    y = X[..., 0] - X[..., 1] + 0.5 * X[..., 2] + rng.normal(size=(n_problems, n))
    return problems_of(X, y)


def best_subset(X, y, alpha):
    """The minimum of ‖y − Xβ‖²/n + λ‖β‖₀, subset by subset."""
    n, d = X.shape
    return min(
        residual_sum(X[:, list(s)], y) / n + alpha * k
        for k in range(d + 1)
        for s in combinations(range(d), k)
    )


# What λ_max means


@pytest.mark.parametrize("tau", [*TAUS, 0.01, 100.0])
def test_no_gate_is_cheaper_than_the_exact_relaxation_of_counting(tau):
    t = np.geomspace(1e-12, 1.0, 400)
    floor = 2.0 * np.sqrt(t) - t
    mu = np.linspace(-8.0 * tau, 1.0 + 8.0 * tau, 2001)
    gates = gate_moments(mu, tau)
    cost = t[:, None] * gates.noise_ratio + gates.open_probability
    assert np.all(cost.min(axis=1) >= floor * (1.0 - 1e-9))
    assert np.all(gate_penalty(tau)(t) >= floor * (1.0 - 1e-6))


@pytest.mark.parametrize("tau", TAUS)
@pytest.mark.parametrize("factor", [0.9, 0.999, 1.001, 1.1])
def test_one_column_is_worth_its_gate_exactly_below_alpha_max(tau, factor, rng):
    problem = problems_of(rng.normal(size=(1, 12, 1)), rng.normal(size=(1, 12)))
    best, penalty = abs(problem.b[0, 0] / problem.n[0]), gate_penalty(tau)
    alpha = factor * largest_alpha(problem)[0]

    def risk(beta):  # less that of the closed gate
        return (beta - best) ** 2 - best**2 + alpha * float(penalty(np.asarray(beta**2 / alpha)))

    grid = np.linspace(1e-6, 1.5, 20_000) * best
    lowest = min(risk(beta) for beta in grid[::10])
    around = minimize_scalar(risk, bounds=(0.9 * best, 1.1 * best), method="bounded").fun
    assert (min(lowest, around) < 0.0) == (factor < 1.0)
    path = gate_path(problem, np.asarray([[alpha]]), GateOptions(tau=tau))
    assert (path.mu[0, 0, 0] > 0.0) == (factor < 1.0)


@pytest.mark.parametrize(
    "tau", [0.05, 0.25, 0.5, 1.0]
)  # for larger τ the corner is too small to see
def test_shut_gates_are_a_local_minimum_down_to_half_of_alpha_max(tau, rng):
    problem = problems_of(rng.normal(size=(1, 12, 1)), rng.normal(size=(1, 12)))
    best, penalty = abs(problem.b[0, 0] / problem.n[0]), gate_penalty(tau)
    step = np.asarray(1e-7 * best)
    for factor, is_minimum in [(0.45, False), (0.55, True)]:
        alpha = factor * largest_alpha(problem)[0]
        change = step**2 - 2.0 * step * best + alpha * penalty(step**2 / alpha)
        assert (change > 0.0) == is_minimum


def test_alpha_max_is_the_most_one_column_takes_off_the_residual(X, y):
    centred, left = X - X.mean(axis=0), y - y.mean()
    taken = [np.sum(left**2) - residual_sum(column[:, None], left) for column in centred.T]
    path = projected_stg_path(X, y, n_alphas=2)
    assert path.alpha_max == pytest.approx(max(taken) / len(y), rel=1e-10)
    assert path.alphas[0] == path.alpha_max


@pytest.mark.parametrize("shape", SHAPES.values())
def test_just_below_alpha_max_something_opens_and_just_above_nothing_does_by_itself(shape, rng):
    X = rng.normal(size=(6, *shape))
    problem = problems_of(X, X[..., 0] + X[..., 3] + rng.normal(size=X.shape[:2]))
    for factor, opens in [(0.999, True), (1.001, False)]:
        path = gate_path(problem, factor * largest_alpha(problem)[:, None], GateOptions())
        np.testing.assert_array_equal((path.mu > 0.0).any(axis=(1, 2)), opens)


# Gates along λ


@pytest.mark.parametrize("tau", TAUS)
def test_an_orthogonal_design_is_thresholded_hard(tau, rng):
    X = np.linalg.qr(rng.normal(size=(40, 12)))[0][None]
    problem = problems_of(X, rng.normal(size=(1, 40)))
    alphas = largest_alpha(problem)[:, None] * np.geomspace(1.01, 1e-3, 15)
    path = gate_path(problem, alphas, GateOptions(tau=tau))
    coef = problem.b / problem.n[:, None]
    kept = np.where(coef[:, None] ** 2 > alphas[..., None], coef[:, None], 0.0)
    np.testing.assert_array_equal(path.mu > 0.0, kept != 0.0)
    np.testing.assert_allclose(path.beta, kept, atol=1e-7)


def test_the_default_grid_of_an_orthogonal_design_opens_one_gate_after_another(rng):
    X = np.linalg.qr(rng.normal(size=(40, 12)))[0]
    path = projected_stg_path(X, rng.normal(size=40), n_alphas=60, fit_intercept=False)
    assert path.sizes[0] == 0  # at λ_max itself one gate costs what it brings
    assert path.sizes[1] == 1
    assert np.all(np.diff(path.support_path_.astype(int), axis=0) >= 0)


@pytest.mark.parametrize("n", [30, 4])
def test_the_risk_has_the_minimum_of_best_subsets_and_the_path_finds_it(n, rng):
    problem = drawn(rng, 8, n, 5)
    alphas = largest_alpha(problem)[:, None] * np.geomspace(1.0, 1e-2, 12)
    path = gate_path(problem, alphas, GateOptions(tol=1e-8))
    best = np.asarray(
        [
            [best_subset(X, y, alpha) for alpha in row]
            for X, y, row in zip(problem.X, problem.y, alphas, strict=True)
        ]
    )
    assert np.all(path.value >= best * (1.0 - 1e-6))
    assert np.mean(path.value <= best * (1.0 + 1e-3)) >= (0.9 if n == 30 else 0.7)


def test_no_single_gate_is_worth_moving(rng, door):
    rows = drawn(rng, 4, 25, 15)
    alphas = largest_alpha(rows)[:, None] * np.geomspace(1.0, 1e-2, 8)
    path = gate_path(door(rows), alphas, GateOptions())
    for i, point in np.ndindex(alphas.shape):
        beta, mu, alpha = path.beta[i, point], path.mu[i, point], alphas[i, point]
        left = rows.y[i] - rows.X[i] @ beta
        for d, column in enumerate(rows.X[i].T):
            alone = column @ (left + column * beta[d]) / (column @ column)
            if mu[d] == np.inf:
                assert alone**2 >= alpha * (1.0 - 1e-3)
            else:
                assert alone**2 <= alpha * (1.0 + 1e-3)


def test_values_are_the_risk_at_the_gates_returned(rng):
    problem = drawn(rng, 1, 25, 8)
    alphas = largest_alpha(problem)[:, None] * np.geomspace(0.5, 0.02, 3)
    path = gate_path(problem, alphas, GateOptions(tol=1e-9))
    for point, alpha in enumerate(alphas[0]):
        finite = np.clip(path.mu[0, point], -20.0, 20.0)
        moments = exact_moments(finite, 0.5)
        is_known = moments[0] > 1e-30
        theta = np.where(is_known, path.beta[0, point] / np.where(is_known, moments[0], 1.0), 0.0)
        risk = explicit_risk(problem.X[0], problem.y[0], theta, *moments, alpha)
        assert path.value[0, point] == pytest.approx(risk, rel=1e-5)


def test_the_path_is_never_worse_than_either_sweep_and_mostly_better_than_single_fits(rng):
    X = rng.normal(size=(40, 64))
    y = X[:, :10] @ rng.choice([-1.0, 1.0], size=10) + 0.5 * rng.normal(size=40)
    path = projected_stg_path(X, y)
    down = [projected_stg_path(X, y, path.alphas[: i + 1]) for i in range(0, 30, 6)]
    for i, part in zip(range(0, 30, 6), down, strict=True):
        assert path.objective_path_[i] <= part.objective_path_[i] * (1.0 + 1e-9)
    single = [ProjectedSTG(None, gates=Gates(alpha=alpha)).fit(X, y).risk_ for alpha in path.alphas]
    assert np.mean(path.objective_path_ <= np.asarray(single) * (1.0 + 1e-6)) > 0.6
    assert path.objective_path_.mean() < np.mean(single)


def test_a_batch_gives_what_its_members_give_alone(rng, door):
    problem = drawn(rng, 5, 20, 30)
    alphas = largest_alpha(problem)[:, None] * np.geomspace(1.0, 1e-2, 6)
    together = gate_path(door(problem), alphas, GateOptions())
    for i in range(5):
        own = np.asarray([i])
        alone = gate_path(door(problem).problems(own), alphas[own], GateOptions())
        for field, other in zip(together, alone, strict=True):
            assert_same_numbers(field[own], other)


# The public function


def test_points_are_open_gates_and_least_squares_on_them(X, y):
    path = projected_stg_path(X, y, n_alphas=8)
    assert path.over == "alpha"
    assert np.all(np.diff(path.alphas) < 0)
    assert path.alphas[-1] == pytest.approx(1e-3 * path.alpha_max)
    for i, mask in enumerate(path.support_path_):
        assert path.sizes[i] == mask.sum()
        np.testing.assert_array_equal(mask, path.gated_coef_path_[i] != 0)
        design = np.column_stack([np.ones(len(y)), X[:, mask]])
        coef = np.linalg.lstsq(design, y)[0]
        np.testing.assert_allclose(path.coef_path_[i, mask], coef[1:], rtol=1e-6)
        np.testing.assert_allclose(path.predict(X)[i], design @ coef, rtol=1e-6)
    assert any(np.flatnonzero(mask).tolist() == [1, 4, 6] for mask in path.support_path_)


def test_units_and_weights(X, y, rng):
    plain = projected_stg_path(X, y, n_alphas=6)
    scaled = projected_stg_path(X * np.geomspace(1e-3, 1e3, X.shape[1]), 100.0 * y, n_alphas=6)
    np.testing.assert_array_equal(scaled.support_path_, plain.support_path_)
    np.testing.assert_allclose(scaled.alphas, 1e4 * plain.alphas)
    np.testing.assert_allclose(scaled.objective_path_, 1e4 * plain.objective_path_, rtol=1e-6)
    weights = rng.integers(0, 3, size=len(y))
    weighted = projected_stg_path(X, y, n_alphas=6, sample_weight=weights)
    repeated = projected_stg_path(X.repeat(weights, axis=0), y.repeat(weights), n_alphas=6)
    np.testing.assert_allclose(weighted.coef_path_, repeated.coef_path_, atol=1e-8)
    np.testing.assert_allclose(weighted.objective_path_, repeated.objective_path_, rtol=1e-6)


@pytest.mark.parametrize("over", [{"n_alphas": 3}, {"sizes": 2}])
def test_names_and_standard_deviations_are_kept(X, y, over):
    names = [f"column {i}" for i in range(X.shape[1])]
    plain = projected_stg_path(X, y, **over)
    assert plain.feature_names_in_ is None
    np.testing.assert_allclose(plain.feature_std_, X.std(axis=0))
    for library in ("pandas", "polars"):
        frame = pytest.importorskip(library).DataFrame(dict(zip(names, X.T, strict=True)))
        path = projected_stg_path(frame, y, **over)
        assert path.feature_names_in_.tolist() == names
        assert_same_numbers(path.coef_path_, plain.coef_path_)


def test_the_path_of_sums_has_names_and_deviations_too(X, y):
    names = [f"column {i}" for i in range(X.shape[1])]
    pandas, pyarrow = pytest.importorskip("pandas"), pytest.importorskip("pyarrow")
    table = pyarrow.Table.from_pandas(pandas.DataFrame(X, columns=names).assign(y=y))
    path = projected_stg_path(table, "y", n_alphas=3)
    assert path.feature_names_in_.tolist() == names
    np.testing.assert_allclose(path.feature_std_, X.std(axis=0))
    through_zero = projected_stg_path(X, y, n_alphas=3, fit_intercept=False)
    np.testing.assert_allclose(through_zero.feature_std_, np.sqrt((X**2).mean(axis=0)))


def test_given_alphas_are_sorted_and_never_select_is_heeded(X, y):
    path = projected_stg_path(X, y, [0.01, 1.0, 0.1], never_select=[4])
    assert path.alphas.tolist() == [1.0, 0.1, 0.01]
    assert not path.support_path_[:, 4].any()
    assert path.support_path_.any()


def test_a_response_that_does_not_vary_has_an_empty_path(data):
    path = projected_stg_path(data[0], np.full(len(data[1]), 3.0), n_alphas=4)
    assert not path.support_path_.any()
    np.testing.assert_allclose(path.intercept_path_, 3.0)


@pytest.mark.parametrize("params", [{}, {"refine": False}, {"criterion": "least-squares"}])
def test_each_size_is_the_single_fit(X, y, params):
    path = projected_stg_path(X, y, sizes=[4, 1, 3], **params)
    assert path.over == "size"
    assert path.sizes.tolist() == [1, 3, 4]
    for i, k in enumerate(path.sizes):
        single = ProjectedSTG(int(k), **params).fit(X, y)
        np.testing.assert_array_equal(path.support_path_[i], single.support_)
        for name in ("coef", "gate_mean", "gated_coef", "intercept"):
            found = getattr(path, f"{name}_path_")[i]
            assert_same_numbers(found, getattr(single, f"{name}_"), name=name)
        assert_same_numbers(path.alphas[i], single.alpha_)
        assert_same_numbers(path.objective_path_[i], single.objective_ or single.risk_)


@pytest.mark.parametrize("sizes", [5_000_000, range(1, 5_000_000)])
def test_sizes_beyond_any_table_are_refused_before_a_list_of_them_is_made(sizes):
    tracemalloc.start()
    try:
        with pytest.raises(ValueError, match="at most 1000000 of them"):
            projected_stg_path(np.eye(5), np.arange(5.0), sizes=sizes)
        assert tracemalloc.get_traced_memory()[1] < 100_000_000
    finally:
        tracemalloc.stop()


def test_one_number_of_sizes_stands_for_all_up_to_it(data):
    assert projected_stg_path(*data, sizes=3).sizes.tolist() == [1, 2, 3]


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"sizes": [0, 1]}, ValueError, "from 1 on"),
        ({"sizes": []}, ValueError, "whole numbers"),
        ({"sizes": [100]}, ValueError, "more than the"),
        ({"sizes": 2, "alphas": [1.0]}, ValueError, "both given"),
        ({"alphas": [1.0, 0.0]}, ValueError, "positive numbers"),
        ({"alphas": []}, ValueError, "positive numbers"),
        ({"n_alphas": 0}, ValueError, "from 1 on"),
        ({"refine": False}, TypeError, "refine has no meaning along λ"),
        ({"gates": Gates(tau=-1.0)}, ValueError, "tau"),
        ({"gates": Gates(alpha=1.0)}, TypeError, "gates__alpha has no meaning along λ"),
        ({"gates": 3}, ValueError, "'gates' parameter of ProjectedSTG must be an instance of"),
    ],
)
def test_mistakes_are_told(data, arguments, error, message):
    with pytest.raises(error, match=message):
        projected_stg_path(*data, **arguments)


def test_gates_that_still_move_are_told(data):
    with pytest.warns(ConvergenceWarning, match="raise max_iter or tol"):
        projected_stg_path(*data, n_alphas=5, gates=Gates(max_iter=1))
