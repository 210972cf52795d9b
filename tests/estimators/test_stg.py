"""The original STG: its gradient, its steps, its answers."""

import array_api_strict as strict
import numpy as np
import pytest
from knobs import nested
from made_problems import batch_of
from rounding import assert_same_numbers

from projstg import STG as Selector
from projstg._core.data.batch import Batch
from projstg._core.gates.algorithm1 import numpy_noise, sampled_gradient
from projstg._core.gates.joint_descent import balanced, joint_descent, joint_gradient
from projstg._core.gates.moments import gate_moments, sampled_gate
from projstg._core.gates.risk import joint_risk

TAU = 0.5


def STG(n_features_to_select=None, **params):
    """The one place where these tests make an STG."""
    return Selector(n_features_to_select, **nested(**params))


@pytest.fixture
def batch(full_table):
    """Each design of full rank with three responses, standardised."""
    X, y = full_table
    ys = np.stack([y, y[::-1], np.cos(np.arange(len(y)))])
    return batch_of(np.stack([X] * 3), ys, centre=False)


@pytest.fixture
def place(batch, rng):
    """Coefficients, gates and sampled noise."""
    theta, mu = rng.normal(size=batch.b.shape), rng.normal(0.5, 0.5, size=batch.b.shape)
    return theta, mu, rng.normal(size=(3, 4, batch.b.shape[1]))


def sampled_objective(batch, theta, mu, noise):
    z = sampled_gate(mu[:, None, :], TAU, noise)
    residual = batch.y[:, None, :] - (theta[:, None, :] * z) @ batch.X.transpose(0, 2, 1)
    return np.mean(np.sum(residual**2, axis=-1), axis=1) / batch.n


def finite_difference(function, x, step=1e-6):
    columns = []
    for d in range(x.shape[-1]):
        shift = np.zeros_like(x)
        shift[..., d] = step
        columns.append((function(x + shift) - function(x - shift)) / (2 * step))
    return np.stack(columns, axis=-1)


def test_the_gradient_is_that_of_the_sampled_objective(batch, place):
    theta, mu, noise = place
    in_theta, in_mu = joint_gradient(batch.by_sums, theta, sampled_gate(mu[:, None, :], TAU, noise))
    by_theta = finite_difference(lambda t: sampled_objective(batch, t, mu, noise), theta)
    by_mu = finite_difference(lambda m: sampled_objective(batch, theta, m, noise), mu)
    np.testing.assert_allclose(in_theta, by_theta, rtol=1e-6, atol=1e-7)
    np.testing.assert_allclose(in_mu, by_mu, rtol=1e-6, atol=1e-7)


def test_the_gates_gradient_is_that_of_algorithm_1(batch, place):
    theta, mu, noise = place
    z = sampled_gate(mu[:, None, :], TAU, noise)
    np.testing.assert_array_equal(
        joint_gradient(batch.by_sums, theta, z)[1], sampled_gradient(batch.by_sums, theta, z)
    )


def test_the_exact_risk_and_its_gradient(batch, place):
    theta, mu, _ = place
    alpha = np.asarray([0.0, 0.1, 1.0])
    risk = joint_risk(batch.by_sums, theta, mu, TAU, alpha)

    def direct(theta, mu):
        gates = gate_moments(mu, TAU)
        residual = batch.y - (batch.X @ (theta * gates.mean)[..., None])[..., 0]
        noisy = np.sum(theta**2 * gates.variance * batch.diagonal, axis=-1)
        fit = (np.sum(residual**2, axis=-1) + noisy) / batch.n
        return fit + alpha * np.sum(gates.open_probability, axis=-1)

    np.testing.assert_allclose(risk.value, direct(theta, mu), rtol=1e-12)
    by_mu = finite_difference(lambda m: direct(theta, m), mu)
    np.testing.assert_allclose(risk.gradient, by_mu, rtol=1e-6, atol=1e-7)


def test_the_sampled_gradient_has_the_exact_one_as_its_mean(rng):
    X, y = rng.normal(size=(1, 20, 4)), rng.normal(size=(1, 20))
    problem = batch_of(X, y, centre=False).by_sums
    theta, mu = rng.normal(size=(1, 4)), rng.normal(0.5, 0.5, size=(1, 4))
    z = sampled_gate(mu[:, None, :], TAU, rng.normal(size=(1, 200_000, 4)))
    in_theta, in_mu = joint_gradient(problem, theta, z)

    def risk(theta):
        return joint_risk(problem, theta, mu, TAU, np.zeros(1)).value

    np.testing.assert_allclose(in_theta, finite_difference(risk, theta), atol=0.03)
    exact = joint_risk(problem, theta, mu, TAU, np.zeros(1)).gradient
    np.testing.assert_allclose(in_mu, exact, atol=0.03)


def test_a_balanced_problem_has_unit_response_and_curvature(batch, door):
    alpha = np.asarray([0.1, 0.2, 0.3])
    ready, price, unit = balanced(door(batch), alpha)
    np.testing.assert_allclose(np.linalg.eigvalsh(ready.G)[:, -1], ready.n, rtol=1e-10)
    np.testing.assert_allclose(unit**2, batch.yy / batch.n)
    # The risk is the same function in other units.
    theta = np.ones_like(batch.b)
    before = joint_risk(batch.by_sums, theta * unit[:, None], theta, TAU, alpha).value
    after = joint_risk(ready, theta, theta, TAU, price).value
    np.testing.assert_allclose(before / after, alpha / price, rtol=1e-10)


def descended(problem, alpha, seeds, optimizer, calls=(30,)):
    generators = [np.random.default_rng(seed) for seed in seeds]
    noise = numpy_noise(generators, 3, problem.b)
    state, options = None, {"learning_rate": 0.1, "optimizer": optimizer}
    for n_steps in calls:
        state = joint_descent(problem, alpha, TAU, noise, state, max_iter=n_steps, **options)
    return state


@pytest.mark.parametrize("optimizer", ["fixed", "adam"])
def test_a_batch_is_its_members(batch, optimizer):
    problem, alpha, _ = balanced(batch, np.asarray([0.01, 0.02, 0.05]))
    together = descended(problem, alpha, [5, 6, 7], optimizer)
    for i in range(3):
        member = problem.problems(np.asarray([i]))
        alone = descended(member, alpha[i : i + 1], [5 + i], optimizer)
        assert_same_numbers(together.mu[i], alone.mu[0])
        assert_same_numbers(together.theta[i], alone.theta[0])


@pytest.mark.parametrize("optimizer", ["fixed", "adam"])
def test_a_descent_goes_on_where_it_stopped(batch, optimizer):
    problem, alpha, _ = balanced(batch, np.asarray([0.01, 0.02, 0.05]))
    whole = descended(problem, alpha, [5, 6, 7], optimizer)
    parts = descended(problem, alpha, [5, 6, 7], optimizer, calls=(10, 20))
    np.testing.assert_array_equal(whole.mu, parts.mu)
    assert whole.n_iter == parts.n_iter == 30


@pytest.fixture
def easy(rng):
    X = rng.normal(size=(60, 20))
    return X, 3.0 + X[:, [2, 7, 11]] @ [2.0, -1.0, 1.5] + 0.1 * rng.normal(size=60)


@pytest.mark.parametrize("settings", [{}, {"optimizer": "adam", "learning_rate": 0.01}])
def test_an_easy_support_is_found(easy, settings):
    X, y = easy
    model = STG(n_features_to_select=3, max_iter=2000, random_state=0, **settings).fit(X, y)
    assert model.get_support(indices=True).tolist() == [2, 7, 11]
    np.testing.assert_allclose(model.coef_[[2, 7, 11]], [2.0, -1.0, 1.5], atol=0.1)
    assert model.intercept_ == pytest.approx(3.0, abs=0.1)
    assert np.all(model.gate_mean_[model.support_] > 0.9)
    np.testing.assert_allclose(model.gated_coef_, model.coef_, atol=0.15)
    assert model.n_iter_ == 2000


def test_open_gates_are_the_support_where_the_number_is_not_given(easy):
    model = STG(random_state=0).fit(*easy)
    assert model.get_support(indices=True).tolist() == [2, 7, 11]
    np.testing.assert_array_equal(model.support_, model.mu_ > 0.0)


def test_the_same_seed_gives_the_same_fit(easy):
    fits = [STG(3, max_iter=100, random_state=seed).fit(*easy) for seed in (1, 1, 2)]
    np.testing.assert_array_equal(fits[0].mu_, fits[1].mu_)
    assert np.any(fits[0].mu_ != fits[2].mu_)


@pytest.mark.parametrize("optimizer", ["fixed", "adam"])
def test_units_make_no_difference(easy, optimizer):
    X, y = easy
    model = STG(3, max_iter=200, optimizer=optimizer, learning_rate=0.01, random_state=0)
    one = model.fit(X, y).mu_
    scales = 2.0 ** np.arange(-10, 10)
    other = model.fit(X * scales, 1024.0 * y).mu_
    np.testing.assert_allclose(one, other, rtol=1e-6, atol=1e-8)


def test_plain_steps_are_stable_where_columns_are_nearly_one(rng):
    X = rng.normal(size=(40, 1)) + 0.01 * rng.normal(size=(40, 30))
    model = STG(2, max_iter=500, random_state=0).fit(X, X[:, 3] + 0.1 * rng.normal(size=40))
    assert np.all(np.isfinite(model.gated_coef_))
    assert np.max(np.abs(model.gated_coef_)) < 10.0
    assert model.risk_ < np.var(X[:, 3])


def test_a_huge_price_shuts_every_gate(easy):
    model = STG(alpha=1e4, max_iter=500, random_state=0).fit(*easy)
    assert not model.support_.any()
    assert np.all(model.gate_mean_ < 0.01)


def test_the_strictest_array_library_takes_the_same_steps(batch, place):
    _, _, noise = place

    def end(as_array):
        fields = (batch.X, batch.y, batch.n, batch.dof)
        problem = Batch.of_rows(*(as_array(field) for field in fields))
        alpha = as_array([0.01, 0.02, 0.05])
        ready, price, _ = balanced(problem, alpha)
        state = joint_descent(
            ready,
            price,
            TAU,
            lambda: as_array(noise),
            learning_rate=0.01,
            max_iter=5,
        )
        return state.theta, state.mu, *joint_risk(ready, state.theta, state.mu, TAU, price)

    for ours, theirs in zip(end(np.asarray), end(strict.asarray), strict=True):
        np.testing.assert_allclose(ours, np.asarray(theirs), rtol=1e-9, atol=1e-12)
