r"""Least squares under a folded concave penalty: a path of points, and K columns from it.

SCAD and MCP rise like the LASSO's penalty from zero and are flat for large coefficients, which are
therefore not shrunken. With columns at mean square one a point of the path is a local minimum of

.. math:: \|y - X\beta\|^2 / (2n) + \sum_d p_{\lambda,\gamma}(|\beta_d|),

found by skglm's coordinate descent, started at the point before it. The path begins at the λ at
which all coefficients are zero, and λ falls. The number of non-zeros rises above K, often comes
back to K once the penalty is flat at the true coefficients, and rises again where columns of noise
enter. Two rules take K columns from a path:

* "exact": the last point with exactly K non-zeros, the one with the least shrinkage. Often several
  points before it have K too, but their coefficients are still those of the LASSO: the last point
  recovers 0.87 of the supports, the first 0.08 (SCAD, γ = 3, D = 64, K = 10, n = 40, σ = 0.5), and
  another point is hardly ever right where the last is wrong. Where no point has exactly K, the rule
  has failed: it warns, and the answer is that of "top".
* "top": at each point with at least K non-zeros the K largest, and of these supports the one whose
  least squares has the smallest residual. It recovers 0.94 of the same supports. (The first such
  point alone recovers 0.01, also because of the shrinkage.)

``benchmarks/peers.py --only points`` makes these numbers.
"""

from __future__ import annotations

import warnings
from numbers import Integral, Real
from typing import Any, NamedTuple

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from .._compat import Interval, StrOptions
from .._core.arrays.backend import quiet
from .._core.data.frame import in_range
from .._core.data.least_squares import largest, least_squares
from .._core.data.problem import Problem
from .._core.data.standard_table import StandardTables, as_tables
from .._core.progress import Report
from .._core.score.criterion import CRITERIA
from .._core.score.evidence import support_scores
from .._extras import extra
from ._base import TableSelector
from ._validation import batch_of_one, check_coefficients, check_range, size_or_tenth

# The path ends beyond 2K plus so many non-zeros; no exact support of K was ever seen after that.
_OVERSHOOT = 5
# Coordinate descent: how far from stationary a point may be, with y at root mean square one.
_TOLERANCE, _MOST_ROUNDS, _MOST_EPOCHS = 1e-4, 50, 1000


class Path(NamedTuple):
    """Points of the path, the largest λ first, for standardised columns and y."""

    alphas: np.ndarray
    coefs: np.ndarray
    """(n_alphas, n_features)."""
    violations: np.ndarray
    """How far each point is from stationary."""

    @property
    def n_nonzero(self) -> np.ndarray:
        """The number of non-zero coefficients at each point."""
        return np.count_nonzero(self.coefs, axis=1)


class FoldedConcaveSelector(TableSelector):
    """A selector by a folded concave penalty: a subclass names it in ``_penalty``."""

    _parameter_constraints = {  # noqa: RUF012 - scikit-learn's convention
        "n_features_to_select": [Interval(Integral, 1, None, closed="left"), None],
        "rule": [StrOptions({"exact", "top"})],
        "n_alphas": [Interval(Integral, 1, None, closed="left")],
        "eps": [Interval(Real, 0, 1, closed="neither")],
        "fit_intercept": ["boolean"],
    }

    def _learn(
        self,
        request: Any,
        X: np.ndarray,
        y: np.ndarray,
        weights: np.ndarray | None,
        report: Report | None,
    ) -> None:
        penalty = self._penalty()
        tables = as_tables(*batch_of_one(X, y, weights), centre=self.fit_intercept)
        check_range(tables.units.y_scale)
        names = getattr(self, "feature_names_in_", None)
        k = size_or_tenth(self.n_features_to_select, tables.varies[0], names)
        standard = standard_rows(tables, X, y, weights)
        path = penalised_path(*standard, penalty, self._shares(), most=2 * k + _OVERSHOOT)
        self._store(tables, path, *chosen(tables.problem(0), path, k, self.rule))

    def _penalty(self) -> Any:
        """Return the penalty, one of skglm's."""
        raise NotImplementedError

    def _shares(self) -> np.ndarray:
        """Return the λ of the path as parts of the largest."""
        return np.geomspace(1.0, self.eps, self.n_alphas + 1)[1:]

    def _store(self, tables: StandardTables, path: Path, support: np.ndarray, point: int) -> None:
        frame = tables.frame(0)
        self.support_ = frame.mask(support)
        self.coef_ = frame.coef(support, least_squares(tables.problem(0), support))
        check_coefficients(self.coef_, getattr(self, "feature_names_in_", None))
        self.intercept_ = float(frame.intercept(self.coef_))
        self.alphas_ = path.alphas * frame.y_scale
        self.coef_path_ = in_range(path.coefs, frame.scale, frame.y_scale).T
        self.alpha_ = float(self.alphas_[point])
        self.has_exact_point_ = bool(path.n_nonzero[point] == support.size)
        # The level of the warnings is that of the caller of fit.
        if self.rule == "exact" and not self.has_exact_point_:
            warnings.warn(
                f"no point of the path has exactly {support.size} non-zero coefficients; "
                "the selected columns are those of rule='top'. A finer path (larger n_alphas) may "
                "have such a point.",
                stacklevel=6,
            )
        if path.violations[point] > _TOLERANCE:
            warnings.warn(
                f"the point of the path with lambda={self.alpha_:.3g} is "
                f"{path.violations[point]:.1e} from stationary; raise eps, which ends the "
                "path sooner.",
                ConvergenceWarning,
                stacklevel=6,
            )


def standard_rows(
    tables: StandardTables, X: np.ndarray, y: np.ndarray, weights: np.ndarray | None
) -> tuple[np.ndarray, np.ndarray]:
    """Return rows and target, standardised, whose squares have means: weights are in the rows."""
    problem, frame, n_rows = tables.problem(0), tables.frame(0), y.size
    rows, target = problem.X, problem.y
    if rows is None or target is None:  # a tall table is sums by now
        unit = np.where(frame.scale > 0.0, frame.scale, np.inf)
        root = np.ones(n_rows) if weights is None else np.sqrt(weights)
        rows = (X - frame.x_mean) / unit * root[:, None]
        target = (y - frame.y_mean) / frame.y_scale * root
    share = np.sqrt(n_rows / problem.n)  # skglm divides by rows, not by their weights
    return np.asfortranarray(rows * share), target * share


def penalised_path(
    X: np.ndarray, y: np.ndarray, penalty: Any, shares: np.ndarray, most: int
) -> Path:
    """Return points at these parts of the largest λ, ending where more than ``most`` are non-zero.

    Each point starts from the one before. The solver's private ``_solve`` is called, because its
    public ``solve`` would compile a copy of the penalty for every λ: twice the time of the path.
    """
    compiled_clone = extra("skglm.utils.jit_compilation", "peers").compiled_clone
    datafit = compiled_clone(extra("skglm.datafits", "peers").Quadratic())
    penalty = compiled_clone(penalty)
    solver = extra("skglm.solvers", "peers").AndersonCD(
        tol=_TOLERANCE, max_iter=_MOST_ROUNDS, max_epochs=_MOST_EPOCHS, fit_intercept=False
    )
    coef, fit = np.zeros(X.shape[1]), np.zeros(X.shape[0])
    alphas, coefs, violations = shares * (np.max(np.abs(X.T @ y)) / X.shape[0]), [], []
    for alpha in alphas:
        penalty.alpha = alpha
        with quiet():  # skglm may divide by zero to extrapolate, and then stays where it is
            coef, _, violation = solver._solve(X, y, datafit, penalty, coef, fit)  # both in place
        coefs.append(coef.copy())
        violations.append(violation)
        if np.count_nonzero(coef) > most:
            break
    return Path(alphas[: len(coefs)], np.asarray(coefs), np.asarray(violations))


def chosen(problem: Problem, path: Path, k: int, rule: str) -> tuple[np.ndarray, int]:
    """Return K columns and their point of the path; "top" where there is none for "exact"."""
    exact = np.flatnonzero(path.n_nonzero == k)
    if rule == "exact" and exact.size:
        return np.flatnonzero(path.coefs[exact[-1]]), int(exact[-1])
    points = np.flatnonzero(path.n_nonzero >= k)
    if not points.size:  # y is a sum of fewer columns: the last point, then the closest to y
        points = np.asarray([len(path.coefs) - 1])
    score = np.where(problem.diagonal > 0.0, np.abs(path.coefs[points]), -1.0)
    tie = np.broadcast_to(np.abs(problem.b), score.shape)
    supports, first = np.unique(largest(score, tie, k), axis=0, return_index=True)
    residual = support_scores(problem, supports, CRITERIA["least-squares"])
    best = int(np.argmin(residual))
    return supports[best], int(points[first[best]])
