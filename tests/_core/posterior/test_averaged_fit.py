"""Averaged coefficients: those of a list of all supports; counted and drawn supports have them."""

import numpy as np
import pytest
from oracles_posterior import JUDGE, UP_TO_5, counted, draw, judge_of, listed, sampled

from projstg._core.posterior.averaged_fit import Averaging
from projstg._core.posterior.combined import Combined
from projstg._core.posterior.weighted_supports import WeightedSupports
from projstg._core.score.evidence import support_spectra
from projstg._core.score.shrunk import shrunk_coefficients


def of_list(Z, known):
    """Mean, covariance and noise over all supports, one after another."""
    judge = judge_of(Z, JUDGE)
    yy, dof = np.full((1, 1), Z.yy[0]), np.full((1, 1), Z.degrees_of_freedom[0])
    mean, second, variance = np.zeros(8), np.zeros((8, 8)), 0.0
    for support, probability in known.items():
        own = np.asarray(support, dtype=np.int64)
        volume = judge.volume(0, np.full((1, 1), own.size))
        found = shrunk_coefficients(support_spectra(Z, own[None, None]), volume, yy, dof, judge)
        coef, covariance = np.zeros(8), np.zeros((8, 8))
        coef[own] = found.mean[0, 0]
        covariance[np.ix_(own, own)] = found.covariance[0, 0]
        mean += probability * coef
        second += probability * (covariance + np.outer(coef, coef))
        variance += probability * found.variance[0, 0]
    return mean, second - np.outer(mean, mean), variance


def averaging(Z, supports):
    every = np.arange(8)
    return Averaging(every, every, Z.gram, judge_of(Z, JUDGE), supports, 0, None)


def test_over_all_supports_it_is_what_a_list_gives():
    Z = draw(0, noise=2.0)
    known = listed(Z, JUDGE, UP_TO_5)
    every = Combined(counted(Z, known, UP_TO_5, range(len(known)))).supports()
    found = averaging(Z, every).fit()
    mean, covariance, variance = of_list(Z, known)
    np.testing.assert_allclose(found.coef, mean, atol=1e-9)
    np.testing.assert_allclose(found.covariance, covariance, atol=1e-9)
    assert found.variance == pytest.approx(variance)


@pytest.mark.parametrize("n_counted", [1, 20])
def test_counted_and_drawn_supports_give_nearly_the_same(n_counted):
    Z = draw(0, noise=2.0)
    known = listed(Z, JUDGE, UP_TO_5)
    some = counted(Z, known, UP_TO_5, range(n_counted))
    begin = some.masks[np.random.default_rng(0).choice(n_counted, 100, p=some.weights)]
    supports = Combined(some, sampled(Z, UP_TO_5, begin, 200)).supports()
    assert supports.weights.sum() == pytest.approx(1.0)
    assert len(np.unique(supports.masks, axis=0)) == len(supports.masks)
    found = averaging(Z, supports).fit()
    mean, covariance, variance = of_list(Z, known)
    np.testing.assert_allclose(found.coef, mean, atol=0.03)
    np.testing.assert_allclose(found.covariance, covariance, atol=0.03)
    assert found.variance == pytest.approx(variance, rel=0.05)


def test_the_likeliest_supports_have_the_share_asked_for_and_no_more_than_needed():
    every = WeightedSupports(np.eye(4, dtype=bool), np.asarray([0.1, 0.5, 0.1, 0.3]))
    few = every.likeliest(0.75)
    assert np.flatnonzero(few.masks.any(axis=0)).tolist() == [1, 3]
    np.testing.assert_allclose(few.weights, [0.625, 0.375])
    assert len(every.likeliest(1.0).weights) == 4
