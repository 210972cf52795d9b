"""Slow and obvious: scores from their definition, and the best of all supports."""

from itertools import combinations

import numpy as np

RIDGES_OF_SIZES = 10.0 ** np.arange(-6.0, 4.25, 0.5)
RIDGES = [10.0 ** (k / 2) for k in range(-12, 5)]


def volume(X, support, kappa):
    """−2 log of the volume of the coefficients' prior, and of the prior of columns at this κ.

    The latter is relative to the mean over all supports of the size, which are gone through.
    """
    n, K = len(X), len(support)
    H = X.T @ X + kappa * np.eye(X.shape[1])

    def log_det(own):
        return np.linalg.slogdet(H[np.ix_(own, own)])[1]

    every = [log_det(list(own)) for own in combinations(range(X.shape[1]), K)]
    mean = np.logaddexp.reduce(every) - np.log(len(every)) - K * np.log(n + kappa)
    columns = mean - log_det(list(support)) + K * np.log(n + kappa)
    return log_det(list(support)) - K * np.log(kappa) + columns


def log_evidence(X, y, support, kappa, dof):
    """−2 log evidence at one κ, from its formula; X with columns of mean square one."""
    A = X[:, list(support)]
    H = A.T @ A + kappa * np.eye(A.shape[1])
    rss = y @ y - y @ A @ np.linalg.solve(H, A.T @ y)
    return dof * np.log(rss) + volume(X, support, kappa)


def dilution(X, support):
    """−log of the prior of columns that nearly repeat each other."""
    A = X[:, list(support)]
    R, soft = A.T @ A / len(X), 0.1 * np.eye(A.shape[1])
    one = A.shape[1] * np.log(1.1)
    return np.linalg.slogdet(R + soft)[1] - np.linalg.slogdet(R)[1] - one


def log_mean(values):
    """The logarithm of the mean of exp(−values/2)."""
    return np.logaddexp.reduce(-0.5 * np.asarray(values)) - np.log(len(values))


def evidence_score(X, y, support, dof):
    values = [log_evidence(X, y, support, kappa, dof) for kappa in RIDGES]
    return -2.0 * log_mean(values) + dilution(X, support)


def least_squares_score(X, y, support, dof):
    A = X[:, list(support)]
    residual = y - A @ np.linalg.lstsq(A, y)[0]
    return dof * np.log(residual @ residual)


def common_size_score(X, y, support, dof):
    """Effects around ±a, with two thirds of the weight, or around zero.

    Around ±a: the residual by least squares on explicit rows, signs flipped one by one. The prior
    N(sa, σ²/κ) of the effects is K further rows √κ(β − sa), and a is one more column.
    """
    A = X[:, list(support)]
    K = A.shape[1]
    if K == 0:
        return dof * np.log(y @ y)
    values = []
    for kappa in RIDGES_OF_SIZES:
        H = A.T @ A + kappa * np.eye(K)
        signs = np.sign(np.linalg.solve(H, A.T @ y))

        def residual(signs, a=None, kappa=kappa):
            rows = np.vstack([A, np.sqrt(kappa) * np.eye(K)])
            size = np.concatenate([np.zeros(len(y)), -np.sqrt(kappa) * signs])
            target = np.concatenate([y, np.zeros(K)])
            if a is None:
                joint = np.column_stack([rows, size])
                beta = np.linalg.lstsq(joint, target)[0]
                return np.sum((target - joint @ beta) ** 2), beta[-1]
            target = target - a * size
            return np.sum((target - rows @ np.linalg.lstsq(rows, target)[0]) ** 2), a

        rss, a = residual(signs)
        flips = [residual(signs * np.where(np.arange(K) == i, -1, 1), a)[0] for i in range(K)]
        others = [np.exp(-0.5 * dof * np.log(max(flip, rss) / rss)) for flip in flips]
        # d²residual/da² / 2, from three points of a parabola.
        curvature = (residual(signs, a + 1.0)[0] + residual(signs, a - 1.0)[0]) / 2.0 - rss
        share = np.sqrt(2.0 * np.pi * rss / (dof * curvature)) / (np.log(100.0) * a)
        score = dof * np.log(rss) + volume(X, support, kappa)
        score += 2.0 * K * np.log(2.0) - 2.0 * np.sum(np.log1p(others))
        values.append(score - 2.0 * np.log(min(share, 1.0)))
    around_zero = [log_evidence(X, y, support, kappa, dof) for kappa in RIDGES]
    both = np.logaddexp(np.log(2.0) + log_mean(values), log_mean(around_zero)) - np.log(3.0)
    return -2.0 * both + dilution(X, support)


SCORES = {
    "common-size": common_size_score,
    "evidence": evidence_score,
    "least-squares": least_squares_score,
}


def all_supports(n_columns, size):
    return np.asarray(list(combinations(range(n_columns), size)))
