"""With a background the posterior is that of a list of all supports, with V written out."""

from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest
from oracles_posterior import draw, masks

from projstg._core.posterior.posterior_settings import POSTERIOR
from projstg._core.posterior.probabilities import Beliefs
from projstg._core.score.criterion import CRITERIA
from projstg._core.score.prior import costs_of_sizes, spectral_dilution
from projstg._core.search.best_support import refine

STRENGTHS, WEIGHT = (0.5, 3.0), 0.4
PRIOR = np.log([0.1, 0.4, 0.3, 0.2])


def beliefs(Z, criterion):
    always, never = masks((), (), Z.b.shape[1])
    return Beliefs(Z, criterion, PRIOR, always=always, never=never)


def searched(Z, size):
    generators = [np.random.default_rng(0)]
    return refine(Z, size, generators=generators, criterion="evidence").optima[0]


def listed(Z, criterion):
    """Probabilities of all supports of up to three columns, one ridge and background at a time."""
    X, y, n = Z.X[0], Z.y[0], Z.n[0]
    dof, n_columns = Z.degrees_of_freedom[0], Z.b.shape[1]
    costs, logs = costs_of_sizes(PRIOR, n_columns, 0), {}
    supports = [own for k in range(4) for own in combinations(range(n_columns), k)]
    for strength, share in zip(
        (0.0, *STRENGTHS), (1 - WEIGHT, WEIGHT / 2, WEIGHT / 2), strict=True
    ):
        V = np.eye(len(y)) + strength / n_columns * X @ X.T
        beside = np.linalg.solve(V, np.column_stack([X, y]))
        G, b, yy = X.T @ beside[:, :-1], X.T @ beside[:, -1], y @ beside[:, -1]
        for kappa, cost in zip(criterion.ridges.kappa, criterion.ridges.zero_cost, strict=True):
            volumes = {
                own: np.linalg.det(np.eye(len(own)) + G[np.ix_(own, own)] / kappa)
                for own in supports
            }
            for own in supports:
                H = G[np.ix_(own, own)] + kappa * np.eye(len(own))
                rss = yy - b[list(own)] @ np.linalg.solve(H, b[list(own)])
                mean = np.mean([v for other, v in volumes.items() if len(other) == len(own)])
                R = X[:, own].T @ X[:, own]
                score = dof * np.log(rss) + np.log(mean) + np.linalg.slogdet(V)[1] + cost
                score += spectral_dilution(np.linalg.eigvalsh(R), n) - 2.0 * np.log(share)
                log = -0.5 * (score + costs[len(own)])
                logs[own] = np.logaddexp(logs.get(own, -np.inf), log)
    total = np.logaddexp.reduce(list(logs.values()))
    return {own: np.exp(log - total) for own, log in logs.items()}


@pytest.fixture(scope="module")
def known():
    Z = draw(0, n_rows=20, n_columns=7, noise=2.0)
    return Z, listed(Z, CRITERIA["evidence"])


def test_all_supports_scored_are_those_of_the_list(known):
    Z, expected = known
    found = beliefs(Z, CRITERIA["evidence"].with_background(STRENGTHS, WEIGHT))
    found.enumerate()
    for mask, weight in zip(found.counted.masks, found.counted.weights, strict=True):
        assert weight == pytest.approx(expected[tuple(np.flatnonzero(mask))], rel=1e-6, abs=1e-12)


def test_counted_and_drawn_supports_are_near_the_list(known):
    Z, expected = known
    found = beliefs(Z, CRITERIA["evidence"].with_background(STRENGTHS, WEIGHT))
    found.count([searched(Z, size) for size in (1, 2)])
    found.sample(0)
    about = found.about(found.likeliest)
    inclusion = sum(p * np.isin(np.arange(7), own) for own, p in expected.items())
    assert about.accuracy.method == "sampled"
    np.testing.assert_allclose(about.inclusion, inclusion, atol=0.03)
    best = max(expected, key=expected.get)
    assert tuple(found.likeliest) == best
    assert about.exactly == pytest.approx(expected[best], abs=0.02)
    sizes = [sum(p for own, p in expected.items() if len(own) == k) for k in range(4)]
    np.testing.assert_allclose(about.sizes, sizes, atol=0.03)


def test_without_a_background_scores_are_those_of_a_search(known):
    Z, _ = known
    plain = beliefs(Z, CRITERIA["common-size"])
    beside = beliefs(Z, CRITERIA["common-size"].with_background(STRENGTHS, WEIGHT))
    for own in ([], [0], [0, 1, 2]):
        support = np.asarray(own, dtype=np.int64)
        assert beside.plain_score(support) == pytest.approx(plain.score(support), rel=1e-9)
        assert plain.plain_score(support) == pytest.approx(plain.score(support), rel=1e-9)
        assert beside.score(support) != pytest.approx(plain.score(support), rel=1e-6)


def coefficients_of(Z, criterion, own):
    """Mean and covariance of all coefficients given a support: one Gaussian prior after another."""
    X, y, dof, n_columns = Z.X[0], Z.y[0], Z.degrees_of_freedom[0], Z.b.shape[1]
    logs, means, squares, variances = [], [], [], []
    volumes = criterion.judge(Z, 3).volume(0, np.asarray(len(own)))
    for number, strength in enumerate((0.0, *STRENGTHS)):
        for r in np.flatnonzero(criterion.ridges.background == number):
            eta, kappa = strength / n_columns, criterion.ridges.kappa[r]
            prior = np.diag(eta + np.isin(np.arange(n_columns), own) / kappa)
            small = np.eye(len(y)) + X @ prior @ X.T
            gain = prior @ X.T @ np.linalg.inv(small)
            sigma2 = y @ np.linalg.solve(small, y) / (dof - 2.0)
            mean = gain @ y
            means.append(mean)
            variances.append(sigma2)
            squares.append(sigma2 * (prior - gain @ X @ prior) + np.outer(mean, mean))
            V = np.eye(len(y)) + eta * X @ X.T
            score = dof * np.log(sigma2) + volumes[r] + np.linalg.slogdet(V)[1]
            logs.append(-0.5 * (score + criterion.ridges.zero_cost[r]))
    weights = np.exp(logs - np.logaddexp.reduce(logs))
    return tuple(np.tensordot(weights, part, axes=1) for part in (means, squares, variances))


def test_averaged_coefficients_have_the_background_in_them(known):
    Z, expected = known
    criterion = CRITERIA["evidence"].with_background(STRENGTHS, WEIGHT)
    found = beliefs(Z, criterion)
    found.settings = replace(POSTERIOR, averaged_share=1.0)
    found.enumerate()
    fit = found.about(found.likeliest).averaging.fit()
    mean, square, variance = np.zeros(7), np.zeros((7, 7)), 0.0
    for own, probability in expected.items():
        parts = coefficients_of(Z, criterion, own)
        mean, square, variance = (
            total + probability * part
            for total, part in zip((mean, square, variance), parts, strict=True)
        )
    np.testing.assert_array_equal(fit.columns, np.arange(7))
    np.testing.assert_allclose(fit.coef, mean, rtol=1e-6, atol=1e-8)
    covariance = square - np.outer(mean, mean)
    np.testing.assert_allclose(fit.covariance, covariance, rtol=1e-5, atol=1e-7)
    assert fit.variance == pytest.approx(variance)
    assert 0.0 < fit.background < 1.0
    plain = beliefs(Z, CRITERIA["evidence"])
    plain.enumerate()
    assert plain.about(plain.likeliest).averaging.fit().background == 0.0
