"""Problems of the paper's section 4 for the benchmarks: the same draw for every method.

They are those of ``projstg.datasets``, so a problem's seed depends on (root, setting, repetition)
alone.
"""

import numpy as np
from threadpoolctl import threadpool_limits

from projstg.datasets import make_sparse_regression

# One BLAS thread: the problems are small, and timings are compared.
threadpool_limits(1)


def draw(root, sigma, n, k, repetition, n_features=64, *, snr=None, **setting):
    """X, y and the mask of the true columns of one problem.

    The noise is given by ``sigma``, or, where that is None, by ``snr``, Var(Xβ*)/σ². ``setting`` is
    the design, the signal and their options.
    """
    problem = make_sparse_regression(
        n, n_features, k, noise_std=sigma, snr=snr, root=root, repetition=repetition, **setting
    )
    return problem.X, problem.y, problem.support


def draw_many(root, sigma, n, k, repetitions, n_features=64, start=0, **setting):
    """So many repetitions of a setting, stacked, from ``start`` on."""
    every = range(start, start + repetitions)
    drawn = [draw(root, sigma, n, k, r, n_features, **setting) for r in every]
    X, y, truth = zip(*drawn, strict=True)
    return np.stack(X), np.stack(y), np.stack(truth)


def theory(c, sigma, n, k, n_features=64):
    """λ = C √(2σ² log(D−K) log K / N)."""
    return c * np.sqrt(2.0 * sigma**2 * np.log(n_features - k) * np.log(k) / n)


def recovery(support, truth):
    """Share of problems whose support is exactly the true one."""
    return float(np.mean(np.all(np.asarray(support) == truth, axis=-1)))
