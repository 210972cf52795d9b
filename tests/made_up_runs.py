"""Summaries of runs that never happened: curves with a known midpoint for every method."""

import json
import math

import pandas as pd

from projstg.experiments.registry import METHODS
from projstg.report.load_results import Run, prepared

LABELS = {name: method.label for name, method in METHODS.items()}

MIDPOINTS = {
    "limit-common-size": 22,
    "limit-evidence": 24,
    "limit-least-squares": 26,
    "projected-stg-refined": 22.5,
    "projected-stg-refined-evidence": 24.5,
    "projected-stg-refined-ls": 26,
    "projected-stg": 33,
    "projected-stg-exact": 35,
    "abess": 36,
    "mcp-top": 37,
    "scad-top": 37,
    "scad": 39,
    "mcp": 40,
    "lasso-path-refit": 42,
    "randomized-omp": 45,
    "stg": 47,
    "lasso-path-first": 48,
    "omp": 50,
    "lasso": 52,
}
N_GRID = tuple(range(10, 101, 5))
K_GRID = tuple(range(1, 26))


def logistic(distance, width=5.0):
    return 1.0 / (1.0 + math.exp(-distance / width))


def row(experiment, method, rate, n=100, **fields):
    """One line of a summary, with bands as wide as ``n`` trials give."""
    spread = 1.645 * math.sqrt(max(rate * (1 - rate), 1e-9) / n)
    successes = round(rate * n)
    band = {"low": max(rate - spread, 0.0), "high": min(rate + spread, 1.0)}
    failing = 0.0 if method.startswith("limit") else 1.0 - rate
    line = {
        "experiment": experiment,
        "design": "gaussian",
        "options": "{}",
        "signal": "signs",
        "n_samples": 40,
        "n_features": 64,
        "n_informative": 10,
        "noise_std": 1.0,
        "snr": None,
        "method": method,
        "label": LABELS.get(method, method),
        "parameters": "{}",
        "n": n,
        "successes": successes,
        "rate": rate,
        "boot_low": band["low"],
        "boot_high": band["high"],
        "wilson_low": band["low"],
        "wilson_high": band["high"],
        "statistical": 0.4 * failing,
        "optimisation": 0.6 * failing,
        "seconds_median": 0.001 * (1 + len(method)),
    }
    for name, value in {
        "estimation_error": 2.0 - 1.9 * rate,
        "true_positive_rate": 0.5 + 0.5 * rate,
        "false_discovery_rate": 0.5 - 0.5 * rate,
    }.items():
        line |= {name: value, f"{name}_low": 0.95 * value, f"{name}_high": 1.05 * value}
    line |= fields
    rate = 0.8 if line["design"] == "heavy" else math.nan
    line |= {"features_per_sample": line["n_features"] / line["n_samples"], "k_lambda": 0.5}
    return line | {"corollary3_rate": rate, "errors": 0}


def against_samples(
    experiment="recovery_vs_samples", *, midpoints=None, shift=0.0, noises=(0.5, 1.0), **fields
):
    """Success rises with N around each method's midpoint, later when there is more noise."""
    return [
        row(
            experiment,
            method,
            logistic(n_samples - middle * (0.8 + 0.4 * noise) - shift, 3.0),
            n_samples=n_samples,
            noise_std=noise,
            **fields,
        )
        for method, middle in (midpoints or MIDPOINTS).items()
        for noise in noises
        for n_samples in N_GRID
    ]


def against_sparsity(*, slope=-1.0, midpoints=None):
    """Success falls (or, with a positive slope, rises) with K."""
    return [
        row(
            "recovery_vs_sparsity",
            method,
            logistic(slope * (k - (45 - middle) / (0.5 + noise) - 2), 2.0),
            n_informative=k,
            noise_std=noise,
        )
        for method, middle in (midpoints or MIDPOINTS).items()
        for noise in (0.5, 1.0)
        for k in K_GRID
    ]


def by_gate_samples(*, cost_of_few=0.0):
    """Success of Proj-STG for several M; ``cost_of_few`` delays the curves of M up to 10."""
    return [
        row(
            "monte_carlo_samples",
            "projected-stg",
            logistic(n_samples - 45 - (6 if m == 4 else cost_of_few * (m <= 10)), 5.0),
            n_samples=n_samples,
            noise_std=noise,
            label=f"M = {m}",
            parameters=json.dumps({"gates__n_gate_samples": m, "alpha_scale": 0.2}),
        )
        for m in (4, 8, 10, 20, 50)
        for noise in (0.5, 1.0)
        for n_samples in range(20, 111, 10)
    ]


CASES = {
    "orthogonal": "{}",
    "gaussian": "{}",
    "toeplitz": '{"mean": 1.0}',
    "heavy": '{"moments": 8, "truncate": 2.0}',
}


def growing(*, power=-0.5):
    """Estimation error along a sequence on which D/N → 0."""
    lines = []
    for design, options in CASES.items():
        for method in ("projected-stg", "projected-stg-refined"):
            for n_samples in (128, 256, 512, 1024, 2048):
                error = 3.0 * n_samples**power * (1.5 if method == "projected-stg" else 1.0)
                band = {"estimation_error_low": 0.9 * error, "estimation_error_high": 1.1 * error}
                features = int(4 * n_samples**0.5)
                lines.append(
                    row(
                        "consistency",
                        method,
                        logistic(n_samples - 200, 60),
                        design=design,
                        options=options,
                        n_samples=n_samples,
                        n_features=features,
                        n_informative=4,
                        noise_std=0.5,
                        estimation_error=error,
                        **band,
                    )
                )
    return lines


def timed():
    """Times against D at one N, and against N at one D."""
    shapes = [(200, d) for d in (50, 100, 200, 500, 1000)] + [(n, 100) for n in (100, 500, 2000)]
    return [
        row("speed", method, 0.9, n_samples=n, n_features=d, seconds_median=1e-8 * base * n * d)
        for base, method in enumerate(("abess", "omp", "mcp-top", "projected-stg-refined"), 1)
        for n, d in shapes
    ]


def among_many():
    """A thousand columns: two designs, two kinds of coefficients, noise given by the SNR."""
    fast = ("lasso", "omp", "scad-top", "mcp-top", "abess", "limit-common-size")
    chosen = {m: MIDPOINTS[m] for m in ("projected-stg-refined", *fast)}
    return [
        line | {"noise_std": None, "snr": 10.0, "n_features": 1000}
        for design, rho in (("gaussian", {}), ("toeplitz", {"rho": 0.7}))
        for signal, decay in (("signs", {}), ("decaying", {"decay": 0.9}))
        for line in against_samples(
            "recovery_high_dimension",
            midpoints=chosen,
            noises=(1.0,),
            shift=10.0 + 10.0 * len(rho) + 10.0 * len(decay),
            design=design,
            signal=signal,
            options=json.dumps({**decay, **rho}),
        )
    ]


TOLD = ("projected-stg", "projected-stg-refined", "lasso", "omp", "randomized-omp", "scad-top")
UNTOLD = ("projected-stg-auto", "abess-ebic")


def on_tables(experiment="real_fdr", truth="planted", *, lead=0.1):
    """TPR and FDR on two tables; Proj-STG finds more than its peers by ``lead``."""
    return [
        row(
            experiment,
            method,
            0.9 - 0.03 * k - (0.0 if method.startswith("projected") else lead),
            design=design,
            options=json.dumps({"truth": truth}),
            n_samples=n_samples,
            n_features=n_features,
            n_informative=k,
            noise_std=None,
            snr=5.0 if truth == "planted" else None,
            held_out_r2=0.05 * k if truth == "held-out" else math.nan,
        )
        for design, n_samples, n_features in (("ailerons", 200, 40), ("triazines", 120, 60))
        for method in TOLD + (() if truth == "held-out" else UNTOLD)
        for k in (1, 4, 8)
    ]


def summary_of(lines):
    """A summary as the page takes it."""
    return prepared(pd.DataFrame(lines))


def run_of(lines, **fields):
    """A run that was read."""
    about = {"facts": [("Machine", "none")], "command": "projstg reproduce", "lead": "Made up."}
    return Run(summary=summary_of(lines), **about | fields)


def everything():
    """All experiments of the laboratory."""
    return [
        *against_samples(),
        *against_sparsity(),
        *against_samples("recovery_bernoulli", design="bernoulli"),
        *against_samples(
            "recovery_correlated", design="toeplitz", options='{"rho": 0.3}', shift=4.0
        ),
        *by_gate_samples(),
        *growing(),
        *among_many(),
        *timed(),
        *on_tables(),
        *on_tables("real_nuisance", "nuisance"),
        *on_tables("real_consensus", "consensus"),
        *on_tables("real_prediction", "held-out"),
    ]


def curve_of(rates, method="projected-stg", n=100, experiment="recovery_vs_samples"):
    """One curve with these rates at N = 10, 20, …"""
    lines = [
        row(experiment, method, rate, n=n, n_samples=10 * (i + 1)) for i, rate in enumerate(rates)
    ]
    return summary_of(lines)


def few(lines, n_samples=(30, 50, 70)):
    """The lines with these numbers of samples."""
    return [line for line in lines if line["n_samples"] in n_samples]


SMALL_SPEC = """
title = "small"
root = 7
methods = ["omp", "lasso", { method = "omp", label = "again", parameters = {} }]
[problem]
n_features = 8
n_informative = 2
noise_std = 0.5
[sizes.smoke]
repetitions = 2
settings = [{ n_samples = [12, 24] }]
[sizes.paper]
repetitions = 3
settings = [{ n_samples = [12, 24, 36] }]
"""
