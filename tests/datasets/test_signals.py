"""Signals have the amplitudes and the columns that they name."""

import numpy as np
import pytest
from scipy import stats

from projstg.datasets import (
    POSITIONS,
    SIGNALS,
    make_sparse_regression,
)

AMPLITUDES = {"given": {"amplitudes": [2, -0.5, 1]}}


@pytest.mark.parametrize("positions", POSITIONS)
@pytest.mark.parametrize("signal", SIGNALS)
def test_the_support_is_where_coefficients_are_and_has_k_columns(signal, positions):
    options = AMPLITUDES.get(signal, {})
    for repetition in range(20):
        problem = make_sparse_regression(
            5,
            7,
            3,
            signal=signal,
            positions=positions,
            noise_std=1,
            repetition=repetition,
            **options,
        )
        assert problem.support.dtype == bool
        assert np.array_equal(problem.support, problem.coef != 0)
        assert problem.support.sum() == 3


def coefs(signal, positions="first", n=400, K=3, D=6, **options):
    setting = {"signal": signal, "positions": positions, "noise_std": 1, **options}
    draws = [make_sparse_regression(2, D, K, repetition=i, **setting).coef for i in range(n)]
    return np.asarray(draws)


def test_amplitudes_are_what_their_names_say():
    assert np.array_equal(np.unique(coefs("signs")[:, :3]), [-1, 1])
    assert abs(coefs("signs")[:, :3].mean()) < 5 / np.sqrt(1200)
    assert np.all(coefs("ones", n=5)[:, :3] == 1)
    decaying = coefs("decaying", decay=0.5, n=50)[:, :3]
    assert np.array_equal(np.unique(decaying), [-1, -0.5, -0.25, 0.25, 0.5, 1])
    assert np.all(np.abs(decaying) == [1, 0.5, 0.25])
    assert stats.kstest(coefs("normal")[:, :3].ravel(), "norm").pvalue > 1e-3
    assert np.all(coefs("given", n=5, amplitudes=[2, -0.5, 1])[:, :3] == [2, -0.5, 1])


def test_random_columns_are_uniform_and_amplitudes_land_on_any():
    draws = coefs("given", "random", amplitudes=[1, 2, 3])
    share = [np.mean(draws == amplitude, axis=0) for amplitude in (1, 2, 3)]
    assert np.all(np.abs(np.asarray(share) - 1 / 6) < 5 * np.sqrt(5 / 36 / 400))


def test_other_columns_are_where_their_names_say():
    spread = make_sparse_regression(5, 10, 3, positions="spread", noise_std=1)
    assert np.flatnonzero(spread.support).tolist() == [0, 3, 6]
    runs = coefs("ones", "adjacent") != 0
    starts = np.argmax(runs, axis=1)
    assert set(starts) == {0, 1, 2, 3}
    assert np.all([run[s : s + 3].all() for run, s in zip(runs, starts, strict=True)])
    assert np.all(coefs("ones", "first", n=3) == [1, 1, 1, 0, 0, 0])
