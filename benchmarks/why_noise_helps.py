"""Why does Algorithm 1 with few sampled gates recover more supports than its own limit?

    python benchmarks/why_noise_helps.py --json why.json [--device cuda] [--repetitions 400]

Every variant starts from μ = 1/2 on the same problems, by Adam (1e-3, 4000 steps) where nothing
else is said; what differs is where the expectation is sampled, and how steps are taken.
"""

import argparse
import json
import time
from typing import NamedTuple

import numpy as np
from gates_recovery import ROOT, on_device
from problems import draw_many, recovery, theory

from projstg._core.arrays.backend import namespace, to_numpy
from projstg._core.data.batch import centred_rows
from projstg._core.data.least_squares import largest
from projstg._core.data.standardize import standardized
from projstg._core.gates.algorithm1 import (
    numpy_noise,
    projected_theta,
    sampled_gradient,
    torch_noise,
)
from projstg._core.gates.alternate import alternate
from projstg._core.gates.moments import gate_moments, gated_coefficients, open_slope, sampled_gate
from projstg._core.gates.optimizers import Adam
from projstg._core.gates.projection import hadamard, project

TAU = 0.5


def exact_theta(problem, moments):
    return project(problem, moments.noise_ratio, refine=False) / moments.mean


def exact_gradient(problem, theta, moments, extra=None):
    """∇V for L → ∞ at a given θ; ``extra`` replaces θ² in the variance term."""
    fitted = ((theta * moments.mean)[:, None, :] @ problem.G)[:, 0, :]
    pull = -2.0 * theta * moments.mean_slope * (problem.b - fitted) / problem.n[:, None]
    return pull + (theta * theta if extra is None else extra) * moments.variance_slope


def second_moments(moments):
    xp = namespace(moments.mean)
    outer = moments.mean[:, :, None] * moments.mean[:, None, :]
    eye = xp.eye(outer.shape[-1], dtype=outer.dtype, device=outer.device)
    return outer + eye * moments.variance[:, None, :]


def full(problem, mu, z, fresh, moments):
    theta = projected_theta(problem, z)
    return theta, sampled_gradient(problem, theta, fresh)


def only_projection(problem, mu, z, fresh, moments):
    theta = projected_theta(problem, z)
    return theta, exact_gradient(problem, theta, moments)


def only_gradient(problem, mu, z, fresh, moments):
    theta = exact_theta(problem, moments)
    return theta, sampled_gradient(problem, theta, fresh)


def only_second(problem, mu, z, fresh, moments):
    xp = namespace(z)
    second = xp.matrix_transpose(z) @ z / z.shape[1]
    theta = hadamard(problem.G, problem.b, second, moments.mean, 1e-6)
    return theta, exact_gradient(problem, theta, moments)


def only_mean(problem, mu, z, fresh, moments):
    mean = namespace(z).mean(z, axis=1)
    theta = hadamard(problem.G, problem.b, second_moments(moments), mean, 1e-6)
    return theta, exact_gradient(problem, theta, moments)


def same_draws(problem, mu, z, fresh, moments):
    theta = projected_theta(problem, z)
    return theta, sampled_gradient(problem, theta, z)


def none(problem, mu, z, fresh, moments):
    theta = exact_theta(problem, moments)
    return theta, exact_gradient(problem, theta, moments)


SAMPLED = {
    "M and L (the paper)": full,
    "M only (Q and q)": only_projection,
    "Q only": only_second,
    "q only": only_mean,
    "L only (gradient)": only_gradient,
    "M, judged on the same draws": same_draws,
    "nothing (M, L → ∞)": none,
}


class SharedStep(NamedTuple):
    """Steps in proportion to the gradient: one size for all gates, where Adam has one for each."""

    @classmethod
    def at(cls, x):
        return cls()

    def step(self, x, gradient, learning_rate):
        xp = namespace(x)
        size = xp.sqrt(xp.mean(gradient * gradient, axis=-1, keepdims=True)) + 1e-8
        return x - learning_rate * gradient / size, self


def descend(
    problem,
    alpha,
    step,
    noise,
    *,
    n_projection,
    learning_rate=1e-3,
    max_iter=4000,
    rule=Adam,
    shake=0.0,
):
    mu = namespace(problem.b).full_like(problem.b, 0.5)
    state, theta = rule.at(mu), mu
    for _ in range(max_iter):
        draws = noise()
        z = sampled_gate(mu[:, None, :], TAU, draws)
        moments = gate_moments(mu, TAU)
        theta, gradient = step(problem, mu, z[:, :n_projection], z[:, n_projection:], moments)
        gradient = gradient + alpha[:, None] * open_slope(mu, TAU)
        if shake:
            xp = namespace(mu)
            size = xp.sqrt(xp.mean(gradient * gradient, axis=-1, keepdims=True))
            gradient = gradient + shake * size * draws[:, 0, :]
        mu, state = state.step(mu, gradient, learning_rate)
    return mu, theta


def source(problem, n_draws, repetition_seed=1):
    shape = problem.b.shape
    if isinstance(problem.b, np.ndarray):
        seeds = np.random.SeedSequence(repetition_seed).generate_state(shape[0])
        generators = [np.random.Generator(np.random.SFC64(seed)) for seed in seeds]
        return numpy_noise(generators, n_draws, problem.b)
    return torch_noise(problem.b, n_draws, repetition_seed)


def chosen(problem, mu, theta, k):
    xp = namespace(mu)
    q = gate_moments(mu, TAU).mean
    support = largest(xp.abs(gated_coefficients(mu, theta)), xp.abs(theta * q), k)
    mask = np.zeros(mu.shape, dtype=bool)
    np.put_along_axis(mask, to_numpy(support), True, axis=1)
    return mask


def cell(sigma, n, c, repetitions, device, k=10):
    X, y, truth = draw_many(ROOT, sigma, n, k, repetitions)
    rows, *_ = centred_rows(on_device(X, device), on_device(y, device), centre=False)
    problem = standardized(rows)[0].by_sums
    xp = namespace(problem.b)
    alpha = xp.full_like(problem.yy, float(theory(c, sigma, n, k)))

    def report(name, mu, theta, start):
        rate = recovery(chosen(problem, mu, theta, k), truth)
        seconds = time.perf_counter() - start
        print(f"sigma={sigma} N={n} C={c}  {name:32s} {rate:.3f}  {seconds:6.1f} s", flush=True)
        return {"sigma": sigma, "n": n, "c": c, "variant": name, "rate": rate}

    for name, step in SAMPLED.items():
        start = time.perf_counter()
        mu, theta = descend(problem, alpha, step, source(problem, 40), n_projection=20)
        yield report(name, mu, theta, start)
    for m in (4, 8, 50, 200):
        start = time.perf_counter()
        mu, theta = descend(problem, alpha, full, source(problem, 2 * m), n_projection=m)
        yield report(f"M = L = {m}", mu, theta, start)
    exact = {"n_projection": 1}
    for name, options in {
        "nothing, step 1e-2 × 400": {"learning_rate": 1e-2, "max_iter": 400},
        "white noise on ∇, size 1": {"shake": 1.0},
        "white noise on ∇, size 3": {"shake": 3.0},
        "nothing, one step size for all": {"rule": SharedStep},
    }.items():
        start = time.perf_counter()
        mu, theta = descend(problem, alpha, none, source(problem, 2), **exact, **options)
        yield report(name, mu, theta, start)
    start = time.perf_counter()
    mu, theta = descend(problem, alpha, full, source(problem, 40), n_projection=20, rule=SharedStep)
    yield report("M and L, one step size for all", mu, theta, start)
    wide = alternate(problem, alpha, 8.0).beta
    for name, options in {
        "alternation": {},
        "alternation from gates of τ = 8": {"start": wide},
        "alternation after six such steps": {"warm_up": True},
    }.items():
        start = time.perf_counter()
        end = alternate(problem, alpha, TAU, **options)
        q = gate_moments(end.mu, TAU).mean
        theta = end.beta / xp.where(q > 0.0, q, xp.ones_like(q))
        yield report(name, end.mu, theta, start)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--repetitions", type=int, default=400)
    parser.add_argument("--device", default="numpy")
    parser.add_argument("--json")
    options = parser.parse_args()
    rows = []
    for sigma, n, c in ((0.5, 35, 0.1), (1.0, 40, 0.2)):  # C at its best in the table by C
        rows += list(cell(sigma, n, c, options.repetitions, options.device))
    if options.json:
        with open(options.json, "w", encoding="utf-8") as file:
            json.dump(rows, file, indent=1, ensure_ascii=False)


if __name__ == "__main__":
    main()
