"""The paper's C in λ = C·√(2σ² log(D−K) log K / N), chosen as in the paper: by held-out error.

C comes from a grid over [0.1, 10]. For a whole setting, take the C whose refits on the K largest
gates predict new rows best, on pilot problems that are in no figure. A pilot problem has twice the
rows of the setting: the first half is fitted, the second half held out. For one problem, C comes
from five-fold cross-validation on its own rows. Both fit the gates with exact moments, which takes
a thousandth of the time of sampled ones; the same C is used for all methods with gates. Among equal
errors the smaller C is taken. The seeds determine everything here.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from ..datasets.settings import seed_sequence
from ..datasets.simulate import SimulatedProblem, make_sparse_regression
from .fit_method import fit_all
from .refit_coef import refit_coef
from .registry import Known, method
from .spec import Setting
from .tasks import Rule

__all__ = ["GRID", "chosen_by_folds", "chosen_on_pilots", "known_of", "method_seed"]

GRID = tuple(float(f"{c:.4g}") for c in np.geomspace(0.1, 10.0, 9))
"""The values of C that are tried."""

_FIRST_PILOT = 1_000_000  # the first repetition that is a pilot problem
_N_FOLDS = 5


def known_of(problem: SimulatedProblem, n_samples: int | None = None) -> Known:
    """Return what methods may know of a problem; None: fitted on all of its rows."""
    N, D = problem.X.shape
    return Known(
        n_features_to_select=int(problem.setting["n_informative"]),
        noise_std=problem.noise_std,
        n_samples=N if n_samples is None else n_samples,
        n_features=D,
        alpha_scale=None,
        seed=method_seed(problem.setting, problem.root, problem.repetition),
    )


def method_seed(setting: Setting, root: int, repetition: int) -> int:
    """Return the seed that methods are told for a problem."""
    return int(seed_sequence(setting, root, repetition).generate_state(1)[0])


def chosen_on_pilots(setting: Setting, rule: Rule) -> float:
    """Return the C with the smallest held-out error over the pilot problems of a setting."""
    n_samples = setting["n_samples"]
    doubled = {**setting, "n_samples": 2 * n_samples}
    pilots = [
        make_sparse_regression(**doubled, root=rule.root, repetition=_FIRST_PILOT + i)
        for i in range(rule.n_pilots)
    ]
    X, y = np.stack([pilot.X for pilot in pilots]), np.stack([pilot.y for pilot in pilots])
    known = [known_of(pilot, n_samples) for pilot in pilots]
    train, test = np.arange(n_samples), np.arange(n_samples, 2 * n_samples)
    errors = [np.mean(_held_out_errors(X, y, known, train, test, C)) for C in rule.grid]
    return rule.grid[_best(np.array(errors))]


def chosen_by_folds(problems: Sequence[SimulatedProblem], rule: Rule) -> list[float]:
    """Return for each problem the C with the smallest held-out error over folds of its rows."""
    X = np.stack([problem.X for problem in problems])
    y = np.stack([problem.y for problem in problems])
    N = X.shape[1]
    errors = np.zeros((len(rule.grid), len(problems)))
    for test in np.array_split(np.arange(N), min(_N_FOLDS, N)):
        train = np.setdiff1d(np.arange(N), test)
        known = [known_of(problem, len(train)) for problem in problems]
        for place, C in enumerate(rule.grid):
            errors[place] += len(test) * _held_out_errors(X, y, known, train, test, C)
    return [rule.grid[_best(own)] for own in errors.T]


def _best(errors: np.ndarray) -> int:
    """Return the index of the smallest error (n_grid,); raise where every fit failed."""
    if not np.isfinite(errors).any():
        raise ValueError("no C could be chosen: the gates failed for every one of them.")
    return int(np.nanargmin(errors))


def _held_out_errors(
    X: np.ndarray,
    y: np.ndarray,
    known: Sequence[Known],
    train: np.ndarray,
    test: np.ndarray,
    C: float,
) -> np.ndarray:
    """Return for each problem the mean squared error on the rows ``test`` of a fit on ``train``.

    X is (B, N, D), y (B, N), the result (B,); infinite where the fit failed.
    """
    told = [replace(one, alpha_scale=C) for one in known]
    outcomes = fit_all(method("projected-stg-exact"), X[:, train], y[:, train], told)
    errors = np.full(len(known), np.inf)
    for i, outcome in enumerate(outcomes):
        if outcome.support is not None:
            columns = np.flatnonzero(outcome.support)
            coef = refit_coef(X[i, train], y[i, train], columns)
            errors[i] = np.mean((y[i, test] - X[i, test] @ coef) ** 2)
    return errors
