"""Exact-support recovery of the gates alone, by mode, on the paper's Gaussian design.

    python benchmarks/gates_recovery.py                                the exact modes, seconds
    python benchmarks/gates_recovery.py --modes monte-carlo            Algorithm 1, ten minutes
    python benchmarks/gates_recovery.py --modes monte-carlo --device cuda         a minute

D = 64, K = 10, coefficients ±1, no intercept, 200 problems a cell, λ = C √(2σ² log(D−K) log K / N).
"""

import argparse
import json
import time

from problems import draw_many, recovery, theory

from projstg import Gates, fit_many

MODES = {
    "exact": {},
    "exact-plain": {"warm_up": False},
    "monte-carlo": {"expectation": "monte-carlo"},
    "monte-carlo-fixed": {
        "expectation": "monte-carlo",
        "optimizer": "fixed",
        "learning_rate": 1.0,
    },
}
CELLS = [(sigma, n) for sigma in (0.5, 1.0) for n in (35, 40, 50)]
ROOT = 20261115


def on_device(array, device):
    if device == "numpy":
        return array
    import torch

    return torch.as_tensor(array, device=device)


def rates(name, cells, scales, repetitions, device="numpy"):
    """Rows of (mode, sigma, n, c, rate, seconds)."""
    rows = []
    for sigma, n in cells:
        X, y, truth = draw_many(ROOT, sigma, n, 10, repetitions)
        X, y = on_device(X, device), on_device(y, device)
        for c in scales:
            gates = Gates(alpha=theory(c, sigma, n, 10), **MODES[name])
            start = time.perf_counter()
            fits = fit_many(X, y, 10, refine=False, gates=gates, fit_intercept=False)
            support = fits.support if device == "numpy" else fits.support.cpu().numpy()
            seconds = time.perf_counter() - start
            rows.append((name, sigma, n, c, recovery(support, truth), seconds))
            print("{:18s} sigma={} N={} C={}  {:.3f}  {:6.1f} s".format(*rows[-1]), flush=True)
    return rows


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--modes", nargs="+", choices=MODES, default=["exact", "exact-plain"])
    parser.add_argument("--repetitions", type=int, default=200)
    parser.add_argument("--device", default="numpy", help="numpy, cpu or cuda")
    parser.add_argument("--many", type=int, default=0, help="instead so many problems at N=40")
    parser.add_argument("--json", help="write the rows to this file")
    options = parser.parse_args()
    cells = [(0.5, 40), (1.0, 40)] if options.many else CELLS
    rows = []
    for name in options.modes:
        scales = (0.1, 0.2, 0.4) if name.startswith("exact") else (0.1, 0.2)
        repetitions = options.many or options.repetitions
        rows += rates(name, cells, scales, repetitions, options.device)
    if options.json:
        with open(options.json, "w", encoding="utf-8") as file:
            json.dump(rows, file, indent=1)


if __name__ == "__main__":
    main()
