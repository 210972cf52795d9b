"""Averaged coefficients: those of a list of all supports, beside backgrounds written out."""

from dataclasses import replace

import numpy as np
import pytest
from oracles_posterior import (
    JUDGE,
    UP_TO_5,
    counted,
    draw,
    judge_of,
    listed,
    mask_of,
    sampled,
    with_columns,
)

from projstg._core.posterior.averaging import Averaging, likeliest
from projstg._core.posterior.combined import Combined
from projstg._core.posterior.posterior_settings import POSTERIOR
from projstg._core.score.criterion import CRITERIA
from projstg._core.score.evidence import support_spectra
from projstg._core.score.shrunk import shrunk_coefficients

SETTINGS = replace(POSTERIOR, averaged_share=1.0, background=0.4)


def averaging(Z, supports, criterion=JUDGE, strengths=()):
    every, none = np.arange(8), np.zeros(8, dtype=bool)
    judge = judge_of(Z, criterion)
    return Averaging(every, Z, none, every, *supports, judge, 0, strengths, SETTINGS)


def of_list(Z, known):
    """Mean, covariance and noise over all supports, one after another."""
    judge = judge_of(Z, JUDGE)
    mean, second, variance = np.zeros(8), np.zeros((8, 8)), 0.0
    for support, probability in known.items():
        own = np.asarray(support, dtype=np.int64)
        of = (judge.volume(own.size), Z.yy, Z.dof, judge)
        found = shrunk_coefficients(support_spectra(Z, own[None]), *of)
        coef, covariance = np.zeros(8), np.zeros((8, 8))
        coef[own] = found.mean[0]
        covariance[np.ix_(own, own)] = found.covariance[0]
        mean += probability * coef
        second += probability * (covariance + np.outer(coef, coef))
        variance += probability * found.variance[0]
    return mean, second - np.outer(mean, mean), variance


def assert_same(found, mean, covariance, variance, atol):
    """The averaged fit has this mean, covariance and noise."""
    Z = np.random.default_rng(5).standard_normal((40, 8))
    np.testing.assert_allclose(found.coef, mean, atol=atol)
    np.testing.assert_allclose(
        found.spread(Z), np.einsum("ij,jk,ik->i", Z, covariance, Z), atol=10 * atol
    )
    assert found.noise == pytest.approx(variance, rel=max(atol, 1e-6))


def test_over_all_supports_it_is_what_a_list_gives():
    Z = draw(0, noise=2.0)
    known = listed(Z, JUDGE, UP_TO_5)
    every = Combined(counted(Z, known, UP_TO_5, range(len(known)))).supports()
    found = averaging(Z, every).fit()
    assert_same(found, *of_list(Z, known), atol=1e-9)
    assert found.small_effects(np.ones(8, dtype=bool)) == (0.0, 0.0)


@pytest.mark.parametrize("n_counted", [1, 20])
def test_counted_and_drawn_supports_give_nearly_the_same(n_counted):
    Z = draw(0, noise=2.0)
    known = listed(Z, JUDGE, UP_TO_5)
    some = counted(Z, known, UP_TO_5, range(n_counted))
    begin = some.masks[np.random.default_rng(0).choice(n_counted, 100, p=some.weights)]
    masks, weights = Combined(some, sampled(Z, UP_TO_5, begin, 200)).supports()
    assert weights.sum() == pytest.approx(1.0)
    assert len(np.unique(masks, axis=0)) == len(masks)
    assert_same(averaging(Z, (masks, weights)).fit(), *of_list(Z, known), atol=0.05)


def beside(Z, criterion, own, eta):
    """Of a support beside a background: evidence, mean, second moment, noise, and that of u.

    One Gaussian prior after another, with the covariance of y written out; effects are around zero.
    """
    X, y, dof = Z.X, Z.y, Z.dof
    V = np.eye(len(y)) + eta * X @ X.T
    root = np.linalg.cholesky(np.linalg.inv(V)).T
    whitened = with_columns(replace(Z, y=root @ y), root @ X)
    volumes = criterion.judge(whitened, 8).volume(len(own))
    logs, means, squares, variances, smalls = [], [], [], [], []
    for r, kappa in enumerate(criterion.ridges.kappa):
        # Large and small effects side by side: 16 coefficients.
        prior = np.diag(np.append(mask_of(own) / kappa, np.full(8, eta)))
        XX = np.column_stack([X, X])
        covariance = np.eye(len(y)) + XX @ prior @ XX.T
        gain = prior @ XX.T @ np.linalg.inv(covariance)
        sigma2 = y @ np.linalg.solve(covariance, y) / (dof - 2.0)
        mean = gain @ y
        square = sigma2 * (prior - gain @ XX @ prior) + np.outer(mean, mean)
        both = np.column_stack([np.eye(8), np.eye(8)])
        means.append(both @ mean)
        squares.append(both @ square @ both.T)
        variances.append(sigma2)
        smalls.append(square[8:, 8:])
        score = dof * np.log(sigma2) + volumes[r] + np.linalg.slogdet(V)[1]
        logs.append(-0.5 * (score + criterion.ridges.zero_cost[r]))
    total = np.logaddexp.reduce(logs)
    weights = np.exp(np.asarray(logs) - total)
    return total, *(np.tensordot(weights, part, 1) for part in (means, squares, variances, smalls))


def test_backgrounds_have_the_shares_of_their_evidence():
    Z, criterion, strengths = draw(0, noise=2.0), CRITERIA["evidence"], (0.5, 3.0)
    masks = np.stack([mask_of(own) for own in ((), (0,), (1, 4), (0, 1, 2))])
    weights, logs, parts = np.asarray([0.1, 0.4, 0.3, 0.2]), [], []
    for mask, weight in zip(masks, weights, strict=True):
        own = np.flatnonzero(mask)
        alone = beside(Z, criterion, own, 0.0)[0]
        for strength, share in ((0.0, 0.6), (0.5, 0.2), (3.0, 0.2)):
            evidence, *moments = beside(Z, criterion, own, strength / 8)
            logs.append(np.log(weight * share) + evidence - alone)
            parts.append(moments)
    shares = np.exp(np.asarray(logs) - np.logaddexp.reduce(logs))
    mean, square, variance, small = (
        sum(share * part for share, part in zip(shares, every, strict=True))
        for every in zip(*parts, strict=True)
    )
    found = averaging(Z, (masks, weights), criterion, strengths).fit()
    assert_same(found, mean, square - np.outer(mean, mean), variance, atol=1e-7)
    none, X = shares.reshape(4, 3)[:, 0].sum(), Z.X
    for of in (np.arange(8) >= 0, np.arange(8) >= 3, np.arange(8) == 5):
        effects = found.small_effects(of)
        expected = np.trace(X[:, of].T @ X[:, of] @ small[np.ix_(of, of)])
        assert effects.share == pytest.approx(expected / Z.yy)
        assert 0.001 < effects.share < 0.9
        assert effects.probability == pytest.approx(1.0 - none)


def test_the_likeliest_supports_have_the_share_asked_for_and_no_more_than_needed():
    every = np.asarray([[0.1, 0.5], [0.1, 0.3]])
    assert likeliest(every, 0.75).tolist() == [1, 3]
    assert sorted(likeliest(every, 1.0)) == [0, 1, 2, 3]
