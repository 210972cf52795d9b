"""Coefficients given a support: one ridge and one prior at a time, written out."""

from dataclasses import replace

import numpy as np
import pytest
from oracles_posterior import draw, judge_of
from sklearn.linear_model import Ridge

from projstg._core.score.criterion import CRITERIA, Ridges
from projstg._core.score.evidence import support_spectra, total_score, undiluted_scores
from projstg._core.score.shrunk import shrunk_coefficients

SUPPORTS = np.asarray([[0, 1, 2], [1, 4, 6], [2, 3, 7]])


def answer(Z, judge, supports=SUPPORTS):
    """The coefficients, and the scores, of supports."""
    of = (support_spectra(Z, supports), judge.volume(supports.shape[1]), Z.yy, Z.dof, judge)
    return shrunk_coefficients(*of), undiluted_scores(*of)


def alone(judge, r, *, is_sized):
    """The judge with one ridge and one prior of the effects."""
    few = judge.at(np.asarray([r]))
    nothing, all_of_it = np.full(1, np.inf), np.zeros(1)
    zero, size = (nothing, all_of_it) if is_sized else (all_of_it, nothing)
    return replace(few, ridges=Ridges(few.ridges.kappa, zero, size))


@pytest.mark.parametrize("kappa", [1e-4, 1.0, 30.0])
def test_around_zero_at_one_ridge_it_is_ridge_regression(kappa):
    Z = draw(0, noise=2.0)
    grid = Ridges(np.asarray([kappa]), np.zeros(1), np.full(1, np.inf))
    found, _ = answer(Z, judge_of(Z, replace(CRITERIA["evidence"], ridges=grid)))
    X, y = Z.X, Z.y
    for place, own in enumerate(SUPPORTS):
        model = Ridge(alpha=kappa, fit_intercept=False, tol=1e-12).fit(X[:, own], y)
        np.testing.assert_allclose(found.mean[place], model.coef_, rtol=1e-8)
        H = X[:, own].T @ X[:, own] + kappa * np.eye(3)
        residual = y @ y - y @ X[:, own] @ model.coef_
        sigma2 = residual / (Z.dof - 2.0)
        assert found.variance[place] == pytest.approx(sigma2)
        np.testing.assert_allclose(found.covariance[place], sigma2 * np.linalg.inv(H), rtol=1e-7)


def test_around_a_common_size_it_is_ridge_regression_of_what_that_size_leaves():
    Z = draw(1, noise=2.0)
    judge = judge_of(Z, CRITERIA["common-size"])
    X, y = Z.X, Z.y
    for r in (4, 12, 18):
        found, _ = answer(Z, alone(judge, r, is_sized=True))
        kappa = judge.ridges.kappa[r]
        for place, own in enumerate(SUPPORTS):
            signs = np.sign(Ridge(alpha=kappa, fit_intercept=False).fit(X[:, own], y).coef_)

            def fitted(size, own=own, signs=signs, kappa=kappa):
                left = y - X[:, own] @ (size * signs)
                apart = np.linalg.solve(
                    X[:, own].T @ X[:, own] + kappa * np.eye(3), X[:, own].T @ left
                )
                return left @ left - left @ X[:, own] @ apart, size * signs + apart

            sizes = np.linspace(0.0, 3.0, 3001)  # the best size of all
            best = sizes[np.argmin([fitted(size)[0] for size in sizes])]
            np.testing.assert_allclose(found.mean[place], fitted(best)[1], atol=2e-3)


@pytest.mark.parametrize("name", ["evidence", "common-size"])
def test_over_all_ridges_it_is_the_mixture_by_evidence(name):
    Z = draw(2, noise=1.5)
    judge = judge_of(Z, CRITERIA[name])
    found, _ = answer(Z, judge)
    parts, costs = [], []
    for is_sized, own in ((False, judge.ridges.zero_cost), (True, judge.ridges.size_cost)):
        for r in np.flatnonzero(np.isfinite(own)):
            fitted, scores = answer(Z, alone(judge, int(r), is_sized=is_sized))
            parts.append(fitted)
            costs.append(scores[:, 0] + own[r])
    shares = np.exp(-0.5 * (np.asarray(costs) - total_score(np.asarray(costs), axis=0)))
    np.testing.assert_allclose(shares.sum(axis=0), 1.0)
    means = np.stack([one.mean for one in parts])
    mean = np.einsum("pm,pmk->mk", shares, means)
    apart = means - mean
    spread = np.einsum("pm,pmi,pmj->mij", shares, apart, apart)
    spread += np.einsum("pm,pmij->mij", shares, np.stack([one.covariance for one in parts]))
    np.testing.assert_allclose(found.mean, mean, atol=1e-9)
    np.testing.assert_allclose(found.covariance, spread, atol=1e-9)
    variance = np.einsum("pm,pm->m", shares, np.stack([one.variance for one in parts]))
    np.testing.assert_allclose(found.variance, variance)


def test_the_empty_support_has_no_coefficients_and_the_variance_of_y():
    Z = draw(3)
    found, _ = answer(Z, judge_of(Z, CRITERIA["common-size"]), np.empty((1, 0), dtype=np.int64))
    assert found.mean.shape == (1, 0)
    assert found.variance[0] == pytest.approx(Z.yy / (Z.dof - 2.0))
