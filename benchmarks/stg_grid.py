"""How the original STG was given its settings, and what it then recovers.

The ablation: plain and Adam steps, their rate, C in the rule for λ, the number of steps and of
gates sampled in each, on 100 pilot problems in each of two cells (D = 64, K = 10, Gaussian,
coefficients ±1, no intercept, τ = 0.5, μ₀ = 0.5). Rates are for the problem that ``balanced``
makes: y at root mean square one, curvature one. Then the defaults of ``STG`` on six cells of the
paper's figure 1, by C, on 200 problems that were not used to choose settings.

    python benchmarks/stg_grid.py            a quarter of an hour on one core
    python benchmarks/stg_grid.py --quick    seconds: few problems, few steps

Found: plain steps reach a mean rate of 0.62 over the two pilot cells, Adam 0.44, each at its best.
More gates a step change nothing, and C = 0.1 is best. Plain rates of 0.25, 0.5 and 1 come within a
standard error (0.03) of the best after 8000 steps; 0.5 is the default because no step in θ can
overshoot up to there. docs/modes.md has the six cells beside the other modes on the same problems.
"""

import argparse
import time

import numpy as np
from problems import draw_many, recovery, theory

from projstg import STG, Gates
from projstg._core.data.least_squares import largest
from projstg._core.data.standard_table import as_tables
from projstg._core.gates.algorithm1 import numpy_noise
from projstg._core.gates.joint_descent import balanced, joint_descent
from projstg._core.gates.moments import gate_mean, gated_coefficients
from projstg.estimators.gate_options import JOINT
from projstg.estimators.many_fits import fit_together

PILOT_ROOT, ROOT = 777, 20261115
PILOT_CELLS = [(0.5, 35), (1.0, 40)]
CELLS = [(sigma, n) for sigma in (0.5, 1.0) for n in (35, 40, 50)]
RATES = {"fixed": (0.25, 0.5, 1.0, 2.0), "adam": (1e-3, 3e-3, 1e-2, 3e-2)}
SCALES = (0.05, 0.1, 0.2, 0.4, 1.0)
SAMPLES = (1, 5)
STEPS = (1000, 2000, 4000, 8000)
K, TAU = 10, 0.5


def recovered(state, truth):
    """Rate at the K largest |θ clip(μ)|, as the estimator selects."""
    score = np.abs(gated_coefficients(state.mu, state.theta))
    tie = np.abs(state.theta * gate_mean(state.mu, TAU))
    mask = np.zeros_like(truth)
    np.put_along_axis(mask, largest(score, tie, K), True, axis=1)
    return recovery(mask, truth)


def pilot(cell, c, repetitions, optimizer, rate, n_samples, steps):
    """Rates after each number of steps, all from one descent."""
    sigma, n = cell
    X, y, truth = draw_many(PILOT_ROOT, sigma, n, K, repetitions)
    batch = as_tables(X, y, centre=False).batch
    problem, price, _ = balanced(batch, np.full(repetitions, theory(c, sigma, n, K)))
    generators = [np.random.Generator(np.random.SFC64([PILOT_ROOT, r])) for r in range(repetitions)]
    noise = numpy_noise(generators, n_samples, X[:, 0, :])
    state, rates, options = None, [], {"learning_rate": rate, "optimizer": optimizer}
    for more in np.diff([0, *steps]):
        state = joint_descent(problem, price, TAU, noise, state, max_iter=int(more), **options)
        rates.append(recovered(state, truth))
    return rates


def ablation(repetitions, steps):
    print(f"pilot, {repetitions} problems a cell: mean rate over (sigma, N) = {PILOT_CELLS}, by C")
    print("optimizer   rate  L  steps | " + "  ".join(f"C={c:<4}" for c in SCALES) + " | each cell")
    grid = [(rule, rate, m) for m in SAMPLES for rule in RATES for rate in RATES[rule]]
    for optimizer, rate, n_samples in grid:
        setting = (repetitions, optimizer, rate, n_samples, steps)
        cells = [np.transpose([pilot(cell, c, *setting) for c in SCALES]) for cell in PILOT_CELLS]
        for i, n_steps in enumerate(steps):
            mean = "  ".join(f"{value:.3f} " for value in np.mean(cells, axis=0)[i])
            apart = "   ".join(" ".join(f"{value:.2f}" for value in cell[i]) for cell in cells)
            print(
                f"{optimizer:9s} {rate:6g} {n_samples:2d}  {n_steps:5d} | {mean} | {apart}",
                flush=True,
            )


def final(repetitions, max_iter):
    print(f"\n{repetitions} problems a cell, by C; otherwise the defaults of STG: {JOINT}")
    for sigma, n in CELLS:
        X, y, truth = draw_many(ROOT, sigma, n, K, repetitions)
        rates, start = [], time.perf_counter()
        for c in SCALES:
            gates = Gates(alpha_scale=c, noise_std=sigma, max_iter=max_iter)
            model = STG(n_features_to_select=K, gates=gates, fit_intercept=False)
            found = fit_together(model, X, y, random_state=list(range(repetitions)))
            rates.append(recovery(found.support, truth))
        per_fit = (time.perf_counter() - start) / (len(SCALES) * repetitions)
        shown = "  ".join(f"C={c}: {rate:.3f}" for c, rate in zip(SCALES, rates, strict=True))
        print(f"sigma={sigma} N={n}  {shown}  ({1000 * per_fit:.0f} ms a fit)", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="few problems and few steps")
    parser.add_argument("--only", choices=("ablation", "final"), help="one half of it")
    options = parser.parse_args()
    np.seterr(all="ignore")  # a rate too large is part of the grid
    if options.only != "final":
        if options.quick:
            ablation(5, (50, 200))
        else:
            ablation(100, STEPS)
    if options.only != "ablation":
        final(*((5, 200) if options.quick else (200, None)))


if __name__ == "__main__":
    main()
