"""The profiled risk is the paper's, its gradient is its gradient, and it hides a penalty."""

from types import SimpleNamespace

import numpy as np
import pytest
from made_problems import batch_of, problem_of
from oracles import (
    exact_moments,
    explicit_risk,
    finite_differences,
    minimum_near,
    theorem_1,
)
from rounding import assert_same_numbers

from projstg._core.data.batch import Batch
from projstg._core.gates.concave_penalty import gate_penalty
from projstg._core.gates.moments import gate_moments
from projstg._core.gates.projection import project
from projstg._core.gates.risk import profiled_risk, residual_sum_of_squares

TAUS = [0.25, 0.5, 2.0]


@pytest.fixture(params=TAUS)
def tau(request):
    return request.param


def some_gates(problem, tau, rng):
    return rng.uniform(-1.5 * tau, 1 + 1.5 * tau, size=problem.X.shape[1])


def made(X, y):
    return problem_of(X, y, centre=False)


def risk_of(problem, mu, tau, alpha):
    """The profiled risk of one problem, and the coefficients that it is at."""
    batch = Batch.of([problem])
    risk = profiled_risk(batch, mu[None], tau, np.asarray([alpha]))
    beta = project(batch, gate_moments(mu[None], tau).noise_ratio)
    return SimpleNamespace(value=risk.value[0], gradient=risk.gradient[0], beta=beta[0])


def test_value_is_the_explicit_risk_at_the_best_coefficients(problem, door, tau, rng):
    mu = some_gates(problem, tau, rng)
    q, v, share = exact_moments(mu, tau)
    theta = theorem_1(problem.X, problem.y, q, v)
    expected = explicit_risk(problem.X, problem.y, theta, q, v, share, 0.3)
    computed = risk_of(door(problem), mu, tau, 0.3)
    assert computed.value == pytest.approx(expected, rel=1e-9)
    np.testing.assert_allclose(computed.beta, theta * q, rtol=1e-8, atol=1e-9)


def test_gradient_equals_finite_differences(problem, door, tau, rng):
    mu, alpha, seen = some_gates(problem, tau, rng), 0.3, door(problem)
    computed = risk_of(seen, mu, tau, alpha).gradient
    numeric = finite_differences(lambda m: risk_of(seen, m, tau, alpha).value, mu, 1e-3 * tau)
    np.testing.assert_allclose(computed, numeric, rtol=1e-6, atol=1e-8)


def test_gates_at_the_ends_leave_the_risk_a_number(problem, door, tau):
    d = problem.X.shape[1]
    for ends in ([-np.inf], [np.inf], [-np.inf, np.inf], [-1e3, 0.5, 1e3], [-30.0, 40.0]):
        mu = np.resize(np.asarray(ends), d)
        risk = risk_of(door(problem), mu, tau, 0.3)
        assert np.isfinite(risk.value)
        assert np.all(np.isfinite(risk.gradient))
        assert np.all(np.abs(risk.gradient[np.abs(mu) > 100]) <= 1e-290)
    open_risk = risk_of(door(problem), np.full(d, np.inf), tau, 0.3).value
    best = np.linalg.lstsq(problem.X, problem.y)[0]
    residual = np.mean((problem.y - problem.X @ best) ** 2)
    scale = np.mean(problem.y**2)
    assert open_risk == pytest.approx(residual + 0.3 * d, abs=1e-6 * scale)
    closed_risk = risk_of(door(problem), np.full(d, -np.inf), tau, 0.3).value
    assert closed_risk == pytest.approx(scale)


def test_units_and_order_of_the_columns_do_not_matter(table, door, tau, rng):
    X, y = table
    d = X.shape[1]
    mu, alpha = rng.uniform(-tau, 1 + tau, size=d), 0.3
    plain = risk_of(door(made(X, y)), mu, tau, alpha)
    scaled = risk_of(door(made(X * 10.0 ** rng.uniform(-9, 9, d), y)), mu, tau, alpha)
    order = rng.permutation(d)
    moved = risk_of(door(made(X[:, order], y)), mu[order], tau, alpha)
    for name in ("value", "gradient", "beta"):
        expected = getattr(plain, name)
        np.testing.assert_allclose(getattr(scaled, name), expected, rtol=1e-9, atol=1e-11)
        expected = expected if name == "value" else expected[order]
        np.testing.assert_allclose(getattr(moved, name), expected, rtol=1e-9, atol=1e-11)


def test_an_orthogonal_design_splits_into_columns(tau, door, rng):
    X = np.linalg.qr(rng.normal(size=(12, 4)))[0]
    y = rng.normal(size=12)
    mu, alpha = rng.uniform(-tau, 1 + tau, size=4), 0.1
    whole = risk_of(door(made(X, y)), mu, tau, alpha)
    parts = [risk_of(door(made(X[:, [d]], y)), mu[[d]], tau, alpha) for d in range(4)]
    rest = np.mean(y**2)
    assert whole.value - rest == pytest.approx(sum(part.value - rest for part in parts))
    for name in ("gradient", "beta"):
        np.testing.assert_allclose(
            getattr(whole, name), [getattr(part, name)[0] for part in parts], rtol=1e-10
        )


def test_a_batch_is_its_members(door, tau, rng):
    X, y = rng.normal(size=(3, 12, 5)), rng.normal(size=(3, 12))
    batch = door(batch_of(X, y, centre=False))
    mu, alpha = rng.uniform(-tau, 1 + tau, size=(3, 5)), np.asarray([0.1, 0.0, 2.0])
    together = profiled_risk(batch, mu, tau, alpha)
    for i in range(3):
        alone = risk_of(door(made(X[i], y[i])), mu[i], tau, alpha[i])
        for name in ("value", "gradient"):
            assert_same_numbers(getattr(together, name)[i], getattr(alone, name), name=name)


def test_residuals_come_from_dot_products(problem, door, rng):
    for ridge in (rng.uniform(0.01, 2.0, size=problem.X.shape[1]), np.resize([0.3, np.inf], 1)):
        ridge = np.resize(ridge, problem.X.shape[1])
        best = np.linalg.lstsq(
            np.vstack([problem.X, np.diag(np.sqrt(problem.n * np.minimum(ridge, 1e200)))]),
            np.append(problem.y, np.zeros(ridge.size)),
        )[0]
        expected = np.sum((problem.y - problem.X @ best) ** 2)
        batch = Batch.of([door(problem)])
        computed = residual_sum_of_squares(batch, ridge[None], best[None])
        assert computed[0] == pytest.approx(expected, rel=1e-8)


def penalised(problem, beta, penalty, alpha):
    """‖y − Xβ‖²/n + λ Σ g(β²/λ): the risk with the gates minimised out."""
    fit = np.sum((problem.y - problem.X @ beta) ** 2) / problem.n
    return fit + alpha * np.sum(penalty(beta**2 / alpha))


@pytest.mark.parametrize("alpha", [0.003, 0.1, 1.0])
def test_minimum_over_the_gates_is_the_penalised_minimum_in_one_column(tau, alpha, rng):
    problem = made(rng.normal(size=(10, 1)), rng.normal(size=10))
    mu = np.concatenate([np.linspace(-9 * tau, 1 + 6 * tau, 4001), [-np.inf, np.inf]])[:, None]
    over_gates = np.min(profiled_risk(Batch.of([problem]), mu, tau, np.asarray([alpha])).value)
    beta = np.linspace(-2.0, 2.0, 40_001)
    fit = (problem.yy - 2 * beta * problem.b + problem.n * beta**2) / problem.n
    over_beta = np.min(fit + alpha * gate_penalty(tau)(beta**2 / alpha))
    assert over_gates == pytest.approx(over_beta, rel=1e-5)


@pytest.mark.parametrize("alpha", [0.02, 0.2])
def test_minimum_over_the_gates_is_the_penalised_minimum_in_two_columns(tau, alpha, rng):
    X = rng.normal(size=(12, 2)) @ np.asarray([[1.0, 0.6], [0.0, 0.8]])
    problem = made(X, X @ np.asarray([0.9, -0.5]) + 0.3 * rng.normal(size=12))
    axis = np.concatenate([np.linspace(-6 * tau, 1 + 3 * tau, 70), [-np.inf, np.inf]])
    mu = np.stack(np.meshgrid(axis, axis), axis=-1).reshape(-1, 2)
    values = profiled_risk(Batch.of([problem.by_sums]), mu, tau, np.asarray([alpha])).value
    best = mu[np.argmin(values)]
    ends = np.isinf(best)

    def over_finite_gates(inner):
        point = np.where(ends, best, inner)
        return float(risk_of(problem.by_sums, point, tau, alpha).value)

    start = np.where(ends, 0.0, best)
    over_gates = min(np.min(values), minimum_near(over_finite_gates, start))
    penalty = gate_penalty(tau)
    starts = [(0.0, 0.0), (1.0, 0.0), (0.0, -0.5), (0.9, -0.5)]
    over_beta = min(
        minimum_near(lambda beta: penalised(problem, beta, penalty, alpha), start)
        for start in starts
    )
    assert over_gates == pytest.approx(over_beta, rel=1e-5)
