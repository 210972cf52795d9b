"""Problems of the paper's section 4 for the benchmarks: the same draw for every method.

A problem's seed depends on (root, setting, repetition) alone.
"""

import numpy as np
from threadpoolctl import threadpool_limits

# One BLAS thread: the problems are small, and timings are compared.
threadpool_limits(1)


DESIGNS = ("gaussian", "bernoulli", "toeplitz")
SIGNALS = ("signs", "decaying", "normal")


def design_matrix(rng, design, n, n_features, rho=0.3):
    if design == "bernoulli":
        return rng.choice([-1.0, 1.0], size=(n, n_features))
    X = rng.standard_normal((n, n_features))
    if design == "toeplitz":  # Cov(x_l, x_m) = ρ^|l−m|
        for d in range(1, n_features):
            X[:, d] = rho * X[:, d - 1] + np.sqrt(1.0 - rho * rho) * X[:, d]
    return X


def amplitudes(rng, signal, columns, n_features):
    if signal == "normal":
        return rng.standard_normal(columns.size)
    signs = rng.choice([-1.0, 1.0], size=n_features)[columns]
    return signs * 0.9 ** np.arange(columns.size) if signal == "decaying" else signs


def draw(
    root, sigma, n, k, repetition, n_features=64, *, design="gaussian", signal="signs", **options
):
    """X, y and the mask of the true columns of one problem.

    ``rho`` is the correlation of the Toeplitz design. With ``snr``, Var(Xβ*)/σ², the noise follows
    from it, and ``sigma`` only names the setting.
    """
    snr, rho = options.get("snr"), options.get("rho", 0.3)
    setting = [root, round(1000 * sigma), n, k, n_features, repetition]
    if (design, signal) != ("gaussian", "signs"):
        setting += [DESIGNS.index(design), SIGNALS.index(signal), round(1000 * rho)]
    rng = np.random.default_rng(setting)
    columns = rng.choice(n_features, size=k, replace=False)
    X = design_matrix(rng, design, n, n_features, rho)
    signal_part = X[:, columns] @ amplitudes(rng, signal, columns, n_features)
    noise = sigma if snr is None else np.std(signal_part) / np.sqrt(snr)
    truth = np.zeros(n_features, dtype=bool)
    truth[columns] = True
    return X, signal_part + noise * rng.standard_normal(n), truth


def draw_many(root, sigma, n, k, repetitions, n_features=64, **options):
    """The first so many repetitions of a setting, stacked."""
    drawn = [draw(root, sigma, n, k, r, n_features, **options) for r in range(repetitions)]
    X, y, truth = zip(*drawn, strict=True)
    return np.stack(X), np.stack(y), np.stack(truth)


def theory(c, sigma, n, k, n_features=64):
    """λ = C √(2σ² log(D−K) log K / N)."""
    return c * np.sqrt(2.0 * sigma**2 * np.log(n_features - k) * np.log(k) / n)


def recovery(support, truth):
    """Share of problems whose support is exactly the true one."""
    return float(np.mean(np.all(np.asarray(support) == truth, axis=-1)))
