"""False discoveries and power of knockoffs, with our statistic and with the lasso's.

    python benchmarks/fdr.py                    100 problems a design, some CPU minutes
    python benchmarks/fdr.py --hidimstat 100    hidimstat on all of them too, an hour

D = 100, K = 25 coefficients ±1, σ = 5, N = 300 (each coefficient is 3.5 standard errors from zero),
Gaussian rows, independent or Toeplitz ρ = 0.5; the covariance is estimated. All methods see the
same problems:

    projstg    KnockoffSelector(): differences of gated coefficients, averaged over λ and τ
    lasso      KnockoffSelector(LassoCV()): the same knockoffs, differences of lasso coefficients
    hidimstat  ModelXKnockoff(), all defaults: its own knockoffs, differences of lasso coefficients

A line is right if its FDR is at most q plus two standard errors. The statistic was chosen on
problems of another root.
"""

import argparse
import time
import warnings

import numpy as np
from problems import draw
from sklearn.linear_model import LassoCV

from projstg import KnockoffSelector
from projstg.model_selection.knockoffs import knockoff_threshold

DESIGNS = {"gaussian": {"design": "gaussian"}, "toeplitz": {"design": "toeplitz", "rho": 0.5}}
LEVELS = (0.1, 0.2)
ROOT = 20261116


def by_statistic(estimator):
    def supports(X, y, seed):
        W = KnockoffSelector(estimator, random_state=seed).fit(X, y).statistic_[0]
        return [knockoff_threshold(W, q) <= W for q in LEVELS]

    return supports


def by_hidimstat(X, y, seed):
    from hidimstat import ModelXKnockoff

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = ModelXKnockoff(random_state=seed)
        model.fit_importance(X, y)
    return [model.fdr_selection(q) for q in LEVELS]


METHODS = {
    "projstg": by_statistic(None),
    "lasso": by_statistic(LassoCV(cv=5, alphas=50, max_iter=20_000)),
    "hidimstat": by_hidimstat,
}


def trial(method, X, y, truth, seed):
    """False discovery proportion and power at each level, and seconds."""
    start = time.perf_counter()
    supports = METHODS[method](X, y, seed)
    seconds = time.perf_counter() - start
    shares = [(np.sum(s & ~truth) / max(s.sum(), 1), np.mean(s[truth])) for s in supports]
    return [*np.ravel(shares), seconds]


def report(design, method, rows, beside):
    """Print a line per level; power also as a difference on the problems that both were given."""
    rows = np.asarray(rows)
    error = rows.std(axis=0, ddof=1) / np.sqrt(len(rows))
    gain = np.asarray(beside)[: len(rows)] - rows
    gain_error = gain.std(axis=0, ddof=1) / np.sqrt(len(rows))
    for i, q in enumerate(LEVELS):
        fdr, power = 2 * i, 2 * i + 1
        verdict = "ok" if rows[:, fdr].mean() <= q + 2 * error[fdr] else "OVER"
        print(
            f"{design:9s} q={q} {method:10s} n={len(rows):<4d}"
            f"FDR {rows[:, fdr].mean():.3f} ± {error[fdr]:.3f} {verdict:4s}  "
            f"power {rows[:, power].mean():.3f} ± {error[power]:.3f}  "
            f"projstg less this {gain[:, power].mean():+.3f} ± {gain_error[power]:.3f}  "
            f"{np.median(rows[:, -1]):7.2f} s",
            flush=True,
        )


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--repetitions", type=int, default=100)
    parser.add_argument("--hidimstat", type=int, default=12, help="problems given to hidimstat")
    options = parser.parse_args()
    for design, setting in DESIGNS.items():
        found = {}
        for method in METHODS:
            n = min(options.repetitions, options.hidimstat if method == "hidimstat" else np.inf)
            problems = ((r, *draw(ROOT, 5.0, 300, 25, r, 100, **setting)) for r in range(int(n)))
            found[method] = [trial(method, X, y, truth, r) for r, X, y, truth in problems]
            if found[method]:
                report(design, method, found[method], found["projstg"])


if __name__ == "__main__":
    main()
