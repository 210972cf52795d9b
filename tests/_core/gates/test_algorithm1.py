"""Algorithm 1 is the paper's, line by line, and tends to the exact risk as the draws grow."""

import numpy as np
import pytest
from made_problems import batch_of
from oracles import (
    algorithm_1,
    finite_differences,
    sampled_objective,
    sampled_projection,
)

from projstg._core.gates.algorithm1 import (
    algorithm1,
    numpy_noise,
    projected_theta,
    sampled_gradient,
)
from projstg._core.gates.gate_settings import GATES
from projstg._core.gates.moments import gate_moments, open_slope, sampled_gate
from projstg._core.gates.projection import project
from projstg._core.gates.risk import profiled_risk

TAU, ALPHA = 0.5, np.asarray([0.1])


@pytest.fixture(params=["long", "wide"])
def problem(request, rng):
    """One standardised problem as a batch of one."""
    shape = (25, 4) if request.param == "long" else (5, 7)
    X = rng.normal(size=shape)
    y = X[:, 0] - 0.5 * X[:, 1] + 0.3 * rng.normal(size=shape[0])
    return batch_of(X[None], y[None], centre=False)


def run(problem, epochs, n_projection, rule="adam", rate=0.05, **options):
    source = iter(epochs)
    return algorithm1(
        problem,
        ALPHA,
        TAU,
        lambda: next(source)[None],
        n_projection_samples=n_projection,
        learning_rate=rate,
        max_iter=len(epochs),
        optimizer=rule,
        **options,
    )


def gates_at(problem, rng, n_draws, n_batch=1):
    """Somewhere to look: μ and the noise of some draws."""
    d = problem.X.shape[-1]
    return rng.uniform(-0.3, 1.3, size=(1, d)), rng.standard_normal((n_batch, n_draws, d))


@pytest.mark.parametrize("n_draws", [1, 2, 20])
def test_lines_1_and_2_are_the_projection_of_the_draws(problem, n_draws, rng):
    mu, noise = gates_at(problem, rng, n_draws)
    found = projected_theta(problem, sampled_gate(mu[:, None, :], TAU, noise))[0]
    X, y = problem.X[0], problem.y[0]
    expected = sampled_projection(X, y, mu[0], TAU, noise[0], GATES.jitter)
    np.testing.assert_allclose(found, expected, rtol=1e-6, atol=1e-8 * np.max(np.abs(expected)))


@pytest.mark.parametrize("n_draws", [1, 2, 20])
def test_lines_3_to_10_are_the_gradient_of_the_objective_at_fixed_theta(problem, n_draws, rng):
    mu, noise = gates_at(problem, rng, n_draws)
    theta = rng.normal(size=mu.shape)
    found = sampled_gradient(problem, theta, sampled_gate(mu[:, None, :], TAU, noise))
    found = found + ALPHA[:, None] * open_slope(mu, TAU)

    def objective(point):
        X, y = problem.X[0], problem.y[0]
        return sampled_objective(X, y, theta[0], point, TAU, ALPHA[0], noise[0])

    np.testing.assert_allclose(found[0], finite_differences(objective, mu[0], 1e-6), atol=1e-7)


@pytest.mark.parametrize("rule", ["adam", "fixed"])
@pytest.mark.parametrize("samples", [(8, 8), (12, 3)])
def test_the_whole_is_the_obvious_loop(problem, rule, samples, rng):
    epochs = rng.standard_normal((8, sum(samples), problem.X.shape[-1]))
    found_mu, found_theta, n_iter = run(problem, epochs, samples[0], rule)
    X, y = problem.X[0], problem.y[0]
    mu, theta = algorithm_1(X, y, ALPHA[0], TAU, epochs, samples[0], 0.05, rule, GATES.jitter)
    assert np.max(np.abs(found_mu - 0.5)) > 0.02
    np.testing.assert_allclose(found_mu[0], mu, atol=1e-6)
    np.testing.assert_allclose(found_theta[0], theta, rtol=1e-4, atol=1e-4)
    assert n_iter == 8


def test_whoever_watches_may_stop_it(problem, rng):
    epochs, seen = rng.standard_normal((9, 10, problem.X.shape[-1])), []

    def watch(stage, done, most):
        seen.append((stage, done, most))
        return done == 3

    mu, _, n_iter = run(problem, epochs, 5, report=watch)
    assert seen == [("gates", done, 9) for done in range(4)]
    assert n_iter == 3
    np.testing.assert_array_equal(mu, run(problem, epochs[:3], 5)[0])


@pytest.mark.parametrize("n_problems", [1, 3])
@pytest.mark.parametrize("size", [(3, 2), (40, 600)])
def test_noise_is_each_generator_s_own_stream(n_problems, size):
    seeds = range(7, 7 + n_problems)
    n_draws, n_columns = size
    generators = [np.random.default_rng(seed) for seed in seeds]
    draw = numpy_noise(generators, n_draws, np.empty((n_problems, n_columns)))
    found = np.stack([draw().copy() for _ in range(5)], axis=1)
    for seed, stream in zip(seeds, found, strict=True):
        expected = np.random.default_rng(seed).standard_normal((5, *size))
        np.testing.assert_array_equal(stream, expected)


N_REPEATS = 60
DRAWS = 2 ** np.arange(8, 14)


def exact_theta(problem, mu):
    gates = gate_moments(mu, TAU)
    return project(problem, gates.noise_ratio) / gates.mean


def exact_gradient(problem, mu):
    risk = profiled_risk(problem, mu, TAU, ALPHA)
    return risk.gradient - ALPHA[:, None] * open_slope(mu, TAU)


def theta_of(problem, mu, z):
    return projected_theta(problem, z)


def gradient_at_the_exact_theta(problem, mu, z):
    theta = np.broadcast_to(exact_theta(problem, mu), (z.shape[0], mu.shape[-1]))
    return sampled_gradient(problem, theta, z)


def gradient_of_both_halves(problem, mu, z):
    half = z.shape[1] // 2
    return sampled_gradient(problem, projected_theta(problem, z[:, :half]), z[:, half:])


LIMITS = {
    "theta": (theta_of, exact_theta),
    "gradient": (gradient_at_the_exact_theta, exact_gradient),
    "both": (gradient_of_both_halves, exact_gradient),
}


@pytest.mark.parametrize("name", LIMITS)
def test_sampling_tends_to_the_exact_at_the_root_of_the_draws(problem, name, rng):
    sampled, exact = LIMITS[name]
    mu = gates_at(problem, rng, 1)[0]
    mu = np.clip(mu, 0.2, 1.0)
    goal = exact(problem, mu)
    errors = []
    for n_draws in DRAWS:
        noise = rng.standard_normal((N_REPEATS, n_draws, mu.shape[-1]))
        found = sampled(problem, mu, sampled_gate(mu[:, None, :], TAU, noise))
        errors.append(np.sqrt(np.mean((found - goal) ** 2)))
    slope = np.polyfit(np.log(DRAWS), np.log(errors), 1)[0]
    assert -0.65 < slope < -0.35
    assert errors[-1] < 0.1 * np.max(np.abs(goal))
