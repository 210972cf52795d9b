"""Alternation descends, stops at stationary points, and knows when it is done."""

import numpy as np
import pytest
from made_problems import batch_of
from oracles import adam_loop, ridge_minimiser

from projstg._core.data.batch import Batch
from projstg._core.gates import alternate as optimize
from projstg._core.gates.alternate import Status, alternate
from projstg._core.gates.concave_penalty import gate_penalty
from projstg._core.gates.gate_settings import GATES
from projstg._core.gates.moments import gate_mean, gate_moments
from projstg._core.gates.optimizers import Adam, FixedStep
from projstg._core.gates.projection import project
from projstg._core.gates.risk import profiled_risk

TAUS = [0.25, 0.5, 1.0, 2.0]
SHARES = [0.001, 0.03, 0.2]  # λ as a share of the mean square of y


@pytest.fixture(params=TAUS)
def tau(request):
    return request.param


def made(X, y):
    """A batch of standardised problems."""
    return batch_of(X, y, centre=False)


@pytest.fixture
def batch(table):
    """Every design as a batch of three: the problem, and with two other y."""
    X, y = table
    ys = np.stack([y, y[::-1], np.cos(np.arange(len(y)))])
    return made(np.stack([X] * 3), ys)


def price(batch, share):
    return share * batch.yy / batch.n


def penalised(batch, beta, tau, alpha):
    fit = np.mean((batch.y - (batch.X @ beta[..., None])[..., 0]) ** 2, axis=-1)
    return fit + alpha * np.sum(gate_penalty(tau)(beta**2 / alpha[:, None]), axis=-1)


@pytest.mark.parametrize("share", SHARES)
def test_the_risk_never_rises(batch, door, tau, share):
    alpha = price(batch, share)
    values = [alternate(door(batch), alpha, tau, max_iter=k, tol=0.0).value for k in range(1, 15)]
    assert np.all(np.diff(values, axis=0) <= 1e-7 * batch.yy / batch.n)


@pytest.mark.parametrize("share", SHARES)
def test_value_is_the_penalised_risk_and_the_profiled_risk(batch, door, tau, share):
    alpha = price(batch, share)
    optimum = alternate(door(batch), alpha, tau, tol=1e-10, max_iter=3000)
    expected = penalised(batch, optimum.beta, tau, alpha)
    np.testing.assert_allclose(optimum.value, expected, rtol=1e-7)
    profiled = profiled_risk(door(batch), optimum.mu, tau, alpha)
    np.testing.assert_allclose(optimum.value, profiled.value, rtol=1e-5)


@pytest.mark.parametrize("share", SHARES)
def test_the_result_is_stationary(batch, door, tau, share):
    alpha = price(batch, share)
    optimum = alternate(door(batch), alpha, tau, tol=1e-12, max_iter=20_000)
    assert np.all(optimum.status == Status.CONVERGED)
    gradient = profiled_risk(door(batch), optimum.mu, tau, alpha).gradient
    moving = np.isfinite(optimum.mu)
    relative = np.abs(gradient) * tau / alpha[:, None]
    assert np.max(relative[moving], initial=0.0) <= 1e-4


def test_a_huge_price_closes_every_gate(batch, door, tau):
    optimum = alternate(door(batch), price(batch, 100.0), tau, tol=1e-8)
    assert np.all(optimum.status == Status.CONVERGED)
    assert np.max(np.abs(optimum.beta)) <= 1e-5
    assert np.max(gate_mean(optimum.mu, tau)) <= 1e-4
    np.testing.assert_allclose(optimum.value, batch.yy / batch.n, rtol=1e-3)


@pytest.mark.parametrize("share", [0.0, 1e-12])
def test_no_price_opens_every_gate(full_problem, door, tau, share):
    batch = Batch.of([full_problem])
    optimum = alternate(door(batch), price(batch, share), tau)
    assert np.all(optimum.status == Status.CONVERGED)
    assert np.all(optimum.mu == np.inf)
    best = ridge_minimiser(full_problem.X, full_problem.y, np.zeros(full_problem.X.shape[1]))
    unit = np.sqrt(np.mean(full_problem.y**2))
    np.testing.assert_allclose(optimum.beta[0], best, atol=1e-4 * unit)


def test_no_price_is_no_trouble_on_any_design(batch, door):
    optimum = alternate(door(batch), np.zeros(3), 0.5)
    for field in (optimum.beta, optimum.value, optimum.criterion):
        assert np.all(np.isfinite(field))
    zero = np.sum(batch.X**2, axis=-2) == 0
    assert np.all(optimum.beta[zero] == 0)
    assert np.all(optimum.value <= batch.yy / batch.n)


def test_y_of_zero_is_settled_at_once(batch, door):
    empty = Batch.of_rows(batch.X, 0.0 * batch.y, batch.n, batch.dof)
    optimum = alternate(door(empty), np.full(3, 0.1), 0.5)
    assert np.all(optimum.status == Status.CONVERGED)
    assert np.all(optimum.n_iter == 1)
    assert np.all(optimum.beta == 0)
    assert np.all(optimum.mu == -np.inf)
    assert np.all(optimum.value == 0)


def test_running_out_of_rounds_is_a_status(batch, door):
    optimum = alternate(door(batch), price(batch, 0.03), 0.5, max_iter=1, tol=0.0)
    unfinished = optimum.criterion > 0
    assert np.any(unfinished)
    assert np.all(optimum.status[unfinished] == Status.MAX_ITER)
    assert np.all(optimum.n_iter == 1)


def test_gates_that_run_away_have_converged(door, tau, rng):
    X = np.linalg.qr(rng.normal(size=(40, 6)))[0] * np.sqrt(40)
    beta = np.asarray([3.0, -3.0, 3.0, 0.02, 0.0, -0.02])
    batch = made(X[None], (X @ beta)[None])
    optimum = alternate(door(batch), np.asarray([0.3]), tau, tol=1e-6)
    assert optimum.status[0] == Status.CONVERGED
    assert optimum.n_iter[0] <= 30
    assert np.array_equal(optimum.mu[0] == np.inf, beta**2 > 1)
    assert np.max(gate_mean(optimum.mu[0, 3:], tau)) <= 1e-3
    np.testing.assert_allclose(optimum.beta[0, :3], beta[:3], rtol=1e-7)


def test_an_orthogonal_design_splits_into_columns(door, tau, rng):
    X = np.linalg.qr(rng.normal(size=(20, 5)))[0]
    y = X @ np.asarray([4.0, -2.0, 1.0, 0.5, 0.1]) + 0.1 * rng.normal(size=20)
    alpha = np.asarray([0.03])
    options = {"tol": 1e-11, "max_iter": 10_000}
    whole = alternate(door(made(X[None], y[None])), alpha, tau, **options)
    for d in range(5):
        part = alternate(door(made(X[None, :, [d]], y[None])), alpha, tau, **options)
        assert whole.beta[0, d] == pytest.approx(part.beta[0, 0], abs=1e-8)


def test_units_and_order_of_the_columns_do_not_matter(table, door, rng):
    X, y = table
    factor, order = 10.0 ** rng.uniform(-9, 9, X.shape[1]), rng.permutation(X.shape[1])
    plain, scaled = made(X[None], y[None]), made((X * factor)[None], y[None])
    moved = made(X[None][:, :, order], y[None])
    alpha = price(plain, 0.03)
    results = [alternate(door(p), alpha, 0.5, tol=1e-9) for p in (plain, scaled, moved)]
    unit = np.sqrt(np.mean(y**2))
    np.testing.assert_allclose(results[1].beta, results[0].beta, atol=1e-6 * unit)
    np.testing.assert_allclose(results[2].beta, results[0].beta[:, order], atol=1e-6 * unit)


@pytest.mark.parametrize("shape", [(15, 6), (6, 15)])
def test_a_batch_is_its_members(shape, door, rng):
    X, y = rng.normal(size=(5, *shape)), rng.normal(size=(5, shape[0]))
    y[:3] += 3.0 * X[:3, :, 0]
    batch = made(X, y)
    alpha = np.asarray([0.001, 0.02, 0.1, 0.5, 50.0])
    together = alternate(door(batch), alpha, 0.5)
    assert len(set(together.n_iter.tolist())) > 2  # members leave at different times
    for i in range(5):
        alone = alternate(door(made(X[i : i + 1], y[i : i + 1])), alpha[i : i + 1], 0.5)
        for name, field in alone._asdict().items():
            # Each of many steps passes on what rounding has changed, and may enlarge it.
            np.testing.assert_allclose(
                getattr(together, name)[i], field[0], rtol=1e-5, atol=1e-6, err_msg=name
            )


def test_many_prices_share_one_design(full_problem, door):
    batch = Batch.of([full_problem])
    rows = (batch.X, batch.y, batch.n, batch.dof)
    shared = Batch.of_rows(*(np.broadcast_to(one, (3, *one.shape[1:])) for one in rows))
    alpha = np.asarray(SHARES) * full_problem.yy / full_problem.n
    together = alternate(door(shared), alpha, 0.5)
    assert len(set(together.n_iter.tolist())) > 1
    for i in range(3):
        alone = alternate(door(batch), alpha[i : i + 1], 0.5)
        np.testing.assert_allclose(together.beta[i], alone.beta[0], rtol=1e-5, atol=1e-6)


def test_a_warm_start_has_little_left_to_do(batch, door, tau):
    alpha = price(batch, 0.03)
    cold = alternate(door(batch), alpha, tau, tol=1e-8, max_iter=5000)
    warm = alternate(door(batch), alpha, tau, start=cold.beta, tol=1e-6)
    assert np.all(warm.n_iter <= 2)
    assert np.max(cold.n_iter) > 1
    unit = np.sqrt(batch.yy / batch.n)[:, None]
    assert np.max(np.abs(warm.beta - cold.beta) / unit) <= 1e-6


def test_common_steps_follow_the_exact_gradient(batch, door):
    alpha = price(batch, 0.03)
    tau, size, mu = 0.5, 0.3, np.full_like(batch.b, 0.5)
    for _ in range(4):
        gradient = profiled_risk(door(batch), mu, tau, alpha).gradient
        mu = mu - size * gradient / np.sqrt(np.mean(gradient**2, axis=-1, keepdims=True))
    expected = project(door(batch), gate_moments(mu, tau).noise_ratio)
    found = optimize.common_steps(door(batch), alpha, optimize.gate_penalty(tau), 4, size)
    unit = np.sqrt(batch.yy / batch.n)[:, None]
    np.testing.assert_allclose(found / unit, expected / unit, atol=1e-5)


def test_a_warm_start_is_where_the_warm_up_ends(batch, door):
    alpha = price(batch, 0.03)
    penalty = optimize.gate_penalty(0.5)
    steps = GATES.warm_up_steps, GATES.warm_up_size
    start = optimize.common_steps(door(batch), alpha, penalty, *steps)
    by_hand = alternate(door(batch), alpha, 0.5, start=start)
    np.testing.assert_array_equal(alternate(door(batch), alpha, 0.5, warm_up=True).mu, by_hand.mu)


def test_whoever_watches_may_stop_it(batch, door):
    alpha, seen = price(batch, 0.03), []

    def watch(stage, done, most):
        seen.append(done)
        return done == 2

    stopped = alternate(door(batch), alpha, 0.5, tol=0.0, report=watch)
    assert seen == list(range(len(seen)))
    moving = stopped.criterion > 0
    assert np.all(stopped.status[moving] == Status.STOPPED)
    assert np.all(stopped.n_iter <= 2)
    two = alternate(door(batch), alpha, 0.5, tol=0.0, max_iter=2)
    np.testing.assert_array_equal(stopped.beta, two.beta)


def quadratic_gradient(x):
    return [2.0 * (x[0] - 1.0), 20.0 * x[1], 0.0 * x[2], np.sin(x[3])]


@pytest.mark.parametrize("rate", [1e-3, 0.1])
def test_adam_is_the_textbook_loop(rate):
    x = np.asarray([3.0, -2.0, 1.0, 0.5])
    expected = adam_loop(quadratic_gradient, x, rate, 50)
    state = Adam.at(x)
    for _ in range(50):
        x, state = state.step(x, np.asarray(quadratic_gradient(x)), rate)
    np.testing.assert_allclose(x, expected, rtol=1e-12)
    assert state.n_steps == 50


def test_adam_walks_a_batch_as_its_members(rng):
    start = rng.normal(size=(3, 4))
    x, state = start, Adam.at(start)
    for _ in range(10):
        x, state = state.step(x, x**3, 0.05)
    for i in range(3):
        alone = adam_loop(lambda z: [v**3 for v in z], start[i], 0.05, 10)
        np.testing.assert_allclose(x[i], alone, rtol=1e-12)


def test_a_fixed_step_follows_the_gradient():
    x = np.asarray([1.0, -2.0])
    moved, state = FixedStep.at(x).step(x, np.asarray([0.5, 4.0]), 0.1)
    np.testing.assert_array_equal(moved, [1.0 - 0.1 * 0.5, -2.0 - 0.1 * 4.0])
    assert state == FixedStep.at(x)
