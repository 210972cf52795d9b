"""Scores and projections in fifty digits, by other formulas than the package's."""

from itertools import combinations

import mpmath
import numpy as np

DIGITS = 50


def _matrix(values):
    values = np.atleast_2d(np.asarray(values, dtype=float))
    return mpmath.matrix(values.tolist())


def _ridge_residual(A, y, kappa):
    """min over β of ‖y − Aβ‖² + κ‖β‖², and β."""
    H = A.T * A + kappa * mpmath.eye(A.cols)
    beta = mpmath.lu_solve(H, A.T * y)
    return (y.T * y)[0] - (y.T * A * beta)[0], beta, H


def _common_size(A, y, kappa, dof):
    """What effects around ±a add to the volume: residual, size and signs."""
    _, w, _ = _ridge_residual(A, y, kappa)
    signs = [-1 if value < 0 else 1 for value in w]

    def residual(signs, a):
        shifted = y - a * (A * mpmath.matrix(signs))
        return _ridge_residual(A, shifted, kappa)[0]

    # A parabola in a, through three points.
    low, middle, high = (residual(signs, a) for a in (-1, 0, 1))
    curvature, slope = (low + high) / 2 - middle, (high - low) / 2
    a = -slope / (2 * curvature)
    rss = residual(signs, a)
    flips = [[-s if i == j else s for j, s in enumerate(signs)] for i in range(len(signs))]
    others = [(max(residual(flip, a), rss) / rss) ** (-dof / 2) for flip in flips]
    spread = mpmath.sqrt(2 * mpmath.pi * rss / (dof * curvature))
    share = min(spread / (mpmath.log(100) * a), mpmath.mpf(1)) if a > 0 else mpmath.mpf(1)
    added = 2 * len(signs) * mpmath.log(2) - 2 * mpmath.log(share)
    return dof * mpmath.log(rss) + added - 2 * sum(mpmath.log(1 + other) for other in others)


def exact_score(X, support, y, dof, criterion):
    """−2 log of the evidence over all ridges, and of the prior, of some columns of X (N, D).

    The columns have the same norm, whose square is the number of rows or the sum of weights.
    """
    with mpmath.workdps(DIGITS):
        A, y, dof = _matrix(X[:, list(support)]), _matrix(y).T, mpmath.mpf(float(dof))
        whole = _matrix(X).T * _matrix(X)
        if not criterion.counts_volume:
            return float(dof * mpmath.log(_ridge_residual(A, y, mpmath.mpf(0))[0]))
        total = mpmath.mpf(0)
        for kappa, zero_cost, size_cost in zip(*criterion.ridges, strict=True):
            kappa = mpmath.mpf(float(kappa))
            rss, _, H = _ridge_residual(A, y, kappa)
            volume = mpmath.log(mpmath.det(H)) - A.cols * mpmath.log(kappa)
            volume += _of_columns(H, whole + kappa * mpmath.eye(whole.cols))
            if np.isfinite(zero_cost):
                fit = dof * mpmath.log(rss)
                total += mpmath.exp(-(fit + volume + mpmath.mpf(float(zero_cost))) / 2)
            if np.isfinite(size_cost):
                fit = _common_size(A, y, kappa, dof)
                total += mpmath.exp(-(fit + volume + mpmath.mpf(float(size_cost))) / 2)
        score = -2 * mpmath.log(total)
        if criterion.is_diluted:
            G, soft = A.T * A, mpmath.mpf(0.1)
            R = G / G[0, 0]
            score -= mpmath.log(mpmath.det(R))
            score += mpmath.log(mpmath.det((R + soft * mpmath.eye(A.cols)) / (1 + soft)))
        return float(score)


def _of_columns(H, whole):
    """−2 log of the prior of columns at one κ, from G_SS + κI and G + κI of all columns.

    It is relative to the mean over all supports of the size, which are gone through.
    """
    every = [
        mpmath.det(mpmath.matrix([[whole[i, j] for j in own] for i in own]))
        for own in combinations(range(whole.cols), H.cols)
    ]
    return mpmath.log(mpmath.fsum(every) / len(every)) - mpmath.log(mpmath.det(H))


def exact_projection(X, y, n, ridge):
    """The minimiser of ‖y − Xβ‖² + n Σ ρβ²."""
    with mpmath.workdps(DIGITS):
        A, y = _matrix(X), _matrix(y).T
        H = A.T * A + mpmath.diag([mpmath.mpf(float(n * rho)) for rho in ridge])
        return np.asarray([float(value) for value in mpmath.lu_solve(H, A.T * y)])
