"""Problems of the paper's section 4 for the benchmarks: the same draw for every method.

A problem's seed depends on (root, setting, repetition) alone.
"""

import os

# One BLAS thread, before NumPy is imported: the problems are small, and timings are compared.
for _name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(_name, "1")

import numpy as np  # noqa: E402


def draw(root, sigma, n, k, repetition, n_features=64):
    """X, y and the mask of the true columns of one Gaussian problem with coefficients ±1."""
    setting = [root, round(1000 * sigma), n, k, n_features, repetition]
    rng = np.random.default_rng(setting)
    truth = np.zeros(n_features, dtype=bool)
    truth[rng.choice(n_features, size=k, replace=False)] = True
    X = rng.standard_normal((n, n_features))
    beta = np.where(truth, rng.choice([-1.0, 1.0], size=n_features), 0.0)
    return X, X @ beta + sigma * rng.standard_normal(n), truth


def draw_many(root, sigma, n, k, repetitions, n_features=64):
    """The first so many repetitions of a setting, stacked."""
    drawn = [draw(root, sigma, n, k, r, n_features) for r in range(repetitions)]
    X, y, truth = zip(*drawn, strict=True)
    return np.stack(X), np.stack(y), np.stack(truth)


def theory(c, sigma, n, k, n_features=64):
    """λ = C √(2σ² log(D−K) log K / N)."""
    return c * np.sqrt(2.0 * sigma**2 * np.log(n_features - k) * np.log(k) / n)


def recovery(support, truth):
    """Share of problems whose support is exactly the true one."""
    return float(np.mean(np.all(np.asarray(support) == truth, axis=-1)))
