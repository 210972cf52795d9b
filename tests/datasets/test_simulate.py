"""Problems: signal and noise as asked for, and the same numbers whenever and wherever drawn."""

import json

import numpy as np
import pytest
from scipy import stats

import projstg
from projstg.datasets import (
    DESIGNS,
    SIGNALS,
    canonical_json,
    make_sparse_regression,
)
from projstg.datasets.simulate import response

AMPLITUDES = {"given": {"amplitudes": [2, -0.5, 1]}}


@pytest.mark.parametrize("design", DESIGNS)
def test_y_is_signal_and_noise(design):
    problem = make_sparse_regression(2000, 8, 3, design=design, noise_std=0.7)
    noise = problem.y - problem.X @ problem.coef
    assert problem.noise_std == 0.7
    assert stats.kstest(noise / 0.7, "norm").pvalue > 1e-3
    exact = make_sparse_regression(20, 8, 3, design=design, noise_std=0)
    np.testing.assert_allclose(exact.y, exact.X @ exact.coef, atol=1e-12)


@pytest.mark.parametrize("mean", [0.0, 3.0])
def test_snr_is_the_variance_of_the_drawn_signal_over_that_of_the_noise(mean):
    problem = make_sparse_regression(60, 8, 3, snr=2.5, mean=mean, repetition=4)
    assert np.var(problem.X @ problem.coef) / problem.noise_std**2 == pytest.approx(2.5)
    other = make_sparse_regression(60, 8, 3, snr=2.5, mean=mean, repetition=5)
    assert other.noise_std != problem.noise_std


def test_without_a_signal_y_is_pure_noise():
    problem = make_sparse_regression(500, 8, 0, noise_std=2)
    assert not problem.support.any()
    assert stats.kstest(problem.y / 2, "norm").pvalue > 1e-3


def test_a_planted_response_uses_the_given_rows(rng):
    X, coef = rng.normal(size=(50, 4)), np.asarray([0.0, 2.0, 0.0, -1.0])
    y, sigma = response(np.random.default_rng(1), X, coef, snr=4.0)
    np.testing.assert_allclose(y - X @ coef, sigma * np.random.default_rng(1).normal(size=50))
    assert sigma == pytest.approx(np.std(X @ coef) / 2)


def digest(problem):
    """The numbers of a problem added up, with another weight for each."""
    numbers = np.concatenate([problem.X.ravel(), problem.y, problem.coef, [problem.noise_std]])
    return numbers @ np.cos(np.arange(numbers.size))


DIGESTS = {
    "gaussian": -2.945849330853,
    "bernoulli": -0.586105514921,
    "toeplitz": -9.876062186407,
    "equicorrelated": 5.347716530569,
    "block": -1.250064962292,
    "student": 7.135350188451,
    "heavy": -4.354928062903,
    "orthogonal": 0.660237244110,
}


@pytest.mark.parametrize("design", DESIGNS)
def test_the_same_numbers_on_every_machine(design):
    problem = make_sparse_regression(
        9, 5, 2, design=design, signal="normal", snr=3.0, root=7, repetition=11
    )
    # What the C library takes for a root or a logarithm may differ in the last place.
    assert digest(problem) == pytest.approx(DIGESTS[design], abs=1e-10)


def same(left, right):
    return all(
        np.array_equal(getattr(left, field), getattr(right, field))
        for field in ("X", "y", "coef", "support", "noise_std")
    )


@pytest.mark.parametrize("design", DESIGNS)
def test_a_repetition_is_the_same_alone_and_in_any_order(design):
    def one(repetition):
        return make_sparse_regression(6, 4, 2, design=design, snr=1, repetition=repetition)

    forwards = [one(i) for i in range(4)]
    np.random.seed(1)  # noqa: NPY002 - what others do to the global generator is no matter
    backwards = [one(i) for i in reversed(range(4))]
    for left, right in zip(forwards, reversed(backwards), strict=True):
        assert same(left, right)
    assert len({problem.y.tobytes() for problem in forwards}) == 4
    rows = {problem.X.tobytes() for problem in forwards}
    assert len(rows) == (1 if design == "orthogonal" else 4)


@pytest.mark.parametrize("signal", SIGNALS)
@pytest.mark.parametrize("design", DESIGNS)
def test_the_setting_survives_json_and_gives_the_problem_back(design, signal):
    options = {"truncate": 2} if design in ("student", "heavy") else {}
    options |= AMPLITUDES.get(signal, {})
    problem = make_sparse_regression(
        6, 4, 3, design=design, signal=signal, noise_std=0.5, root=3, repetition=2, **options
    )
    setting = json.loads(canonical_json(problem.setting))
    assert setting == problem.setting
    again = make_sparse_regression(**setting, root=problem.root, repetition=problem.repetition)
    assert same(problem, again)
    assert again.setting == problem.setting


def test_root_setting_and_repetition_all_matter():
    kinds = [
        {},
        {"root": 1},
        {"repetition": 1},
        {"noise_std": 0.6},
        {"signal": "ones"},
        {"positions": "first"},
        {"mean": 1},
    ]
    draws = [make_sparse_regression(6, 4, 2, **({"noise_std": 0.5} | kind)) for kind in kinds]
    rows = {(problem.X - problem.X[0]).tobytes() for problem in draws}
    assert len(rows) == len(kinds)


def test_the_module_is_public():
    assert projstg.datasets.make_sparse_regression is make_sparse_regression
