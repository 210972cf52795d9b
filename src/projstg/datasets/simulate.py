"""One simulated problem, y = Xβ* + ε, from a setting, a root and a repetition.

A repetition is the same whenever, wherever and in whatever order it is drawn: its generator is
seeded by these three alone. After the generator only elementwise arithmetic in a fixed order is
used, so the numbers do not depend on the BLAS of the machine.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from .designs import DESIGNS
from .settings import check_noise, option_defaults, problem_setting, seed_sequence
from .signals import SIGNALS, sparse_coef

__all__ = ["SimulatedProblem", "make_sparse_regression", "response"]


@dataclass(frozen=True, eq=False)
class SimulatedProblem:
    """A problem and its truth."""

    X: np.ndarray
    """Rows, shape (n_samples, n_features)."""
    y: np.ndarray
    """Xβ* + ε, shape (n_samples,)."""
    coef: np.ndarray
    """β*, shape (n_features,)."""
    support: np.ndarray
    """Where β* is not zero, a mask of shape (n_features,)."""
    noise_std: float
    """σ."""
    setting: dict[str, Any]
    """``make_sparse_regression(**setting, root=root, repetition=repetition)`` is this problem."""
    root: int
    repetition: int


def make_sparse_regression(
    n_samples: int,
    n_features: int = 64,
    n_informative: int = 10,
    *,
    design: str = "gaussian",
    signal: str = "signs",
    positions: str = "random",
    noise_std: float | None = None,
    snr: float | None = None,
    root: int = 0,
    repetition: int = 0,
    **options: Any,
) -> SimulatedProblem:
    r"""Draw a sparse linear regression :math:`y = X\beta^* + \varepsilon` with a known support.

    Parameters
    ----------
    n_samples, n_features, n_informative : int
        N, D and K, the number of non-zero coefficients; K = 0 makes y pure noise.
    design : str
        How rows are drawn, a name in ``DESIGNS``: "gaussian", "bernoulli", "toeplitz" (``rho``),
        "equicorrelated" (``rho``), "block" (``block_size``, ``rho``), "student" (``df``,
        ``truncate``), "heavy" (``moments``, ``tail``, ``truncate``), "orthogonal" (``basis``;
        fixed). All but the last take ``mean``: one number, or one for each column.
    signal : str
        The non-zero coefficients, a name in ``SIGNALS``: "signs", "ones", "decaying" (``decay``),
        "normal", "given" (``amplitudes``).
    positions : str
        Their columns: "random", "spread", "adjacent" or "first".
    noise_std, snr : float
        Exactly one of them: the noise's standard deviation σ, or
        :math:`\mathrm{Var}(X\beta^*)/\sigma^2` of the signal part as drawn.
    root, repetition : int
        With the setting these seed the generator. Settings share no random numbers, so two noise
        levels are two different sets of problems.
    **options
        Options of the design and of the signal, as named above; any other is refused.

    Returns
    -------
    problem : SimulatedProblem

    Examples
    --------
    >>> problem = make_sparse_regression(40, noise_std=0.5, repetition=7)
    >>> problem.X.shape, int(problem.support.sum())
    ((40, 64), 10)
    >>> again = make_sparse_regression(**problem.setting, root=0, repetition=7)
    >>> bool(np.array_equal(again.y, problem.y))
    True
    """
    setting = problem_setting(
        n_samples,
        n_features,
        n_informative,
        design=design,
        signal=signal,
        positions=positions,
        noise_std=noise_std,
        snr=snr,
        **options,
    )
    rng = np.random.default_rng(seed_sequence(setting, root, repetition))
    size, K = (setting["n_samples"], setting["n_features"]), setting["n_informative"]
    coef = sparse_coef(
        rng,
        size[1],
        K,
        signal=signal,
        positions=positions,
        options=_taken_by(SIGNALS[signal], setting),
    )
    X = DESIGNS[design](rng, *size, **_taken_by(DESIGNS[design], setting))
    y, sigma = response(rng, X, coef, noise_std=setting.get("noise_std"), snr=setting.get("snr"))
    return SimulatedProblem(X, y, coef, coef != 0, sigma, setting, int(root), int(repetition))


def _taken_by(function: Any, setting: dict[str, Any]) -> dict[str, Any]:
    """Return the fields of a setting that are options of a design or signal."""
    return {name: setting[name] for name in option_defaults(function) if name in setting}


def response(
    rng: np.random.Generator,
    X: np.ndarray,
    coef: np.ndarray,
    *,
    noise_std: float | None = None,
    snr: float | None = None,
) -> tuple[np.ndarray, float]:
    """Return y = Xβ* + ε with normal noise, (n_samples,), and the noise's standard deviation.

    X is (n_samples, n_features), ``coef`` is β*, (n_features,).

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> y, noise_std = response(rng, np.eye(3), np.array([2.0, 0.0, 0.0]), noise_std=0)
    >>> y.tolist(), noise_std
    ([2.0, 0.0, 0.0], 0.0)
    """
    signal = np.zeros(len(X))
    for j in np.flatnonzero(coef):
        signal += coef[j] * X[:, j]
    given = check_noise(noise_std, snr, int(np.count_nonzero(coef)))
    sigma = given["noise_std"] if "noise_std" in given else _noise_std_at(given["snr"], signal)
    return signal + sigma * rng.standard_normal(len(X)), sigma


def _noise_std_at(snr: float, signal: np.ndarray) -> float:
    """Return σ such that Var(signal)/σ² = snr; the signal is Xβ*, (n_samples,)."""
    variance = _variance(signal)
    if variance == 0:
        raise ValueError(
            f"snr={snr!r} with a signal part that does not vary over the {len(signal)} rows drawn; "
            "use more rows, or give noise_std"
        )
    return math.sqrt(variance / snr)


def _variance(values: np.ndarray) -> float:
    """Return the variance of values (n,); the sums are exact, so their order does not matter."""
    mean = math.fsum(values) / len(values)
    return math.fsum((values - mean) ** 2) / len(values)
