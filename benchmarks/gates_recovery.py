"""Exact-support recovery of the gates alone, by mode, on the paper's Gaussian design.

    python benchmarks/gates_recovery.py                      the exact mode, a minute
    python benchmarks/gates_recovery.py --monte-carlo        Algorithm 1 as well, an hour on a CPU
    python benchmarks/gates_recovery.py --monte-carlo --device cuda    minutes on a GPU

D = 64, K = 10, coefficients ±1, no intercept, 200 problems a cell, λ = C √(2σ² log(D−K) log K / N).
"""

import argparse
import json
import time

from problems import draw_many, recovery, theory

from projstg import fit_many

CELLS = [(sigma, n) for sigma in (0.5, 1.0) for n in (35, 40, 50)]
ROOT = 20261115


def on_device(array, device):
    if device == "numpy":
        return array
    import torch

    return torch.as_tensor(array, device=device)


def rates(mode, cells, scales, repetitions, device="numpy"):
    """Rows of (mode, sigma, n, c, rate, seconds)."""
    rows = []
    for sigma, n in cells:
        X, y, truth = draw_many(ROOT, sigma, n, 10, repetitions)
        X, y = on_device(X, device), on_device(y, device)
        for c in scales:
            start = time.perf_counter()
            fits = fit_many(
                X, y, 10, alpha=theory(c, sigma, n, 10), fit_intercept=False, random_state=0, **mode
            )
            support = fits.support if device == "numpy" else fits.support.cpu().numpy()
            seconds = time.perf_counter() - start
            name = " ".join(str(value) for value in mode.values())
            rows.append((name, sigma, n, c, recovery(support, truth), seconds))
            print("{:38s} sigma={} N={} C={}  {:.3f}  {:6.1f} s".format(*rows[-1]), flush=True)
    return rows


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--repetitions", type=int, default=200)
    parser.add_argument("--monte-carlo", action="store_true")
    parser.add_argument("--device", default="numpy", help="numpy, cpu or cuda")
    parser.add_argument("--many", type=int, default=0, help="also so many problems at N=40")
    parser.add_argument("--json", help="write the rows to this file")
    options = parser.parse_args()
    run = {"cells": CELLS, "repetitions": options.repetitions, "device": options.device}
    common = {"refine": False}
    rows = rates({"expectation": "exact", "warm_up": True} | common, scales=(0.1, 0.2, 0.4), **run)
    rows += rates(
        {"expectation": "exact", "warm_up": False} | common, scales=(0.1, 0.2, 0.4), **run
    )
    if options.monte_carlo:
        rows += rates({"expectation": "monte-carlo"} | common, scales=(0.1, 0.2), **run)
    if options.many:
        run = {"repetitions": options.many, "device": options.device, "scales": (0.1, 0.2)}
        cells = [(0.5, 40), (1.0, 40)]
        rows += rates({"expectation": "monte-carlo"} | common, cells=cells, **run)
    if options.json:
        with open(options.json, "w", encoding="utf-8") as file:
            json.dump(rows, file, indent=1)


if __name__ == "__main__":
    main()
