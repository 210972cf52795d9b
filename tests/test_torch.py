"""Torch tensors go through the same code: on their device, and with NumPy's answers.

torch is imported by a fixture alone, so that without it these tests can still be collected.
"""

import numpy as np
import pytest
from knobs import nested
from oracles import nested_problems

from projstg import fit_many as fit_projected

pytestmark = pytest.mark.torch

SHAPES = {"long": (30, 6), "wide": (12, 20)}
MODES = {"exact": {}, "plain": {"warm_up": False, "tau": 0.3}}
SAMPLED = {"expectation": "monte-carlo", "max_iter": 40, "learning_rate": 0.05}
ARRAYS = ("coef", "intercept", "gated_coef", "gate_mean", "mu", "alpha", "noise_std", "risk")
N_PROBLEMS = 5


def fit_many(*data, **params):
    """The one place where these tests call fit_many."""
    return fit_projected(*data, **nested(**params))


@pytest.fixture(scope="module")
def torch():
    return pytest.importorskip("torch", reason="torch is not installed; see make test-torch")


@pytest.fixture(params=["cpu", "cuda"])
def device(request, torch):
    if request.param == "cuda" and not torch.cuda.is_available():
        pytest.skip("no CUDA device")
    return request.param


@pytest.fixture(params=SHAPES)
def data(request, rng):
    return nested_problems(rng, N_PROBLEMS, *SHAPES[request.param])


@pytest.fixture
def tensors(torch, device):
    """A function that turns arrays into tensors of the device."""
    return lambda *arrays: [torch.as_tensor(array, device=device) for array in arrays]


def host(tensor):
    return tensor.cpu().numpy()


@pytest.mark.parametrize("k", [None, 2])
@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize(
    "params", [{}, {"fit_intercept": False}, {"alpha": 0.1}, {"alpha": 0.0}], ids=str
)
def test_exact_gates_are_numpy_s(data, tensors, k, mode, params):
    params = {"n_features_to_select": k} | MODES[mode] | params
    expected, found = fit_many(*data, **params), fit_many(*tensors(*data), **params)
    np.testing.assert_array_equal(host(found.support), expected.support)
    for name in ARRAYS:
        if getattr(expected, name) is None:
            assert getattr(found, name) is None
            continue
        computed = host(getattr(found, name))
        plain = getattr(expected, name)
        rtol = 1e-6 if name == "mu" else 1e-8  # where a gate is closed, μ is not well determined
        np.testing.assert_allclose(computed, plain, rtol=rtol, atol=1e-8, err_msg=name)
    np.testing.assert_array_equal(host(found.n_iter), expected.n_iter)
    np.testing.assert_array_equal(host(found.converged), expected.converged)


@pytest.mark.parametrize("k", [None, 2])
def test_weights_are_numpy_s(X, y, tensors, k, rng):
    weights = rng.uniform(0.5, 2.0, size=y.shape)
    expected = fit_many(X, y, k, sample_weight=weights)
    X, y, weights = tensors(X, y, weights)
    found = fit_many(X, y, k, sample_weight=weights)
    np.testing.assert_array_equal(host(found.support), expected.support)
    np.testing.assert_allclose(host(found.coef), expected.coef, rtol=1e-8, atol=1e-8)
    np.testing.assert_allclose(host(found.gate_mean), expected.gate_mean, rtol=1e-8, atol=1e-8)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("params", [{}, SAMPLED], ids=["exact", "monte-carlo"])
@pytest.mark.parametrize("k", [None, 2])
def test_tensors_stay_where_and_what_they_are(data, tensors, torch, dtype, params, k):
    X, y = tensors(*(part.astype(dtype) for part in data))
    fits = fit_many(X, y, k, random_state=0, **params)
    for name in (*ARRAYS, "support", "converged", "n_iter"):
        value = getattr(fits, name)
        assert isinstance(value, torch.Tensor), name
        assert value.device == X.device, name
        if name in ARRAYS:
            assert value.dtype == torch.float64, name
    assert fits.support.dtype == fits.converged.dtype == torch.bool
    predicted = fits.predict(X)
    assert (predicted.device, predicted.shape) == (X.device, y.shape)
    assert predicted.dtype == torch.float64
    assert torch.isfinite(predicted).all()
    if k is not None:
        assert (fits.support.sum(axis=1) == k).all()


@pytest.mark.parametrize("k", [2])
def test_single_precision_is_close_to_double(X, y, tensors, k):
    expected = fit_many(X, y, k)
    found = fit_many(*tensors(X.astype(np.float32), y.astype(np.float32)), k)
    np.testing.assert_array_equal(host(found.support), expected.support)
    np.testing.assert_allclose(host(found.coef), expected.coef, rtol=1e-3, atol=1e-3)


def test_sampled_gates_agree_in_distribution(data, tensors):
    n_repeats = 400
    X, y = (np.repeat(part[2:3], n_repeats, axis=0) for part in data)
    gates = {"n_features_to_select": None, "n_gate_samples": 5, "noise_std": 0.5}
    params = SAMPLED | gates | {"random_state": 0}
    left, right = fit_many(X, y, **params).gate_mean, fit_many(*tensors(X, y), **params).gate_mean
    right = host(right)
    error = np.sqrt((np.var(left, axis=0) + np.var(right, axis=0)) / n_repeats)
    assert np.all(error > 0)
    assert np.max(np.abs(np.mean(left, axis=0) - np.mean(right, axis=0)) / error) < 4


def test_one_seed_is_one_answer(data, tensors, torch):
    X, y = tensors(*data)
    first, again, other = (fit_many(X, y, random_state=s, **SAMPLED).mu for s in (1, 1, 2))
    assert torch.equal(first, again)
    assert (first - other).abs().max() > 1e-3


def test_bad_tensors_are_refused_like_arrays(data, tensors):
    X, y = tensors(*data)
    with pytest.raises(ValueError, match="add an axis"):
        fit_many(X[0], y[0])
    with pytest.raises(ValueError, match="is more than the"):
        fit_many(X, y, X.shape[2] + 1)
    X[0, 0, 0] = float("nan")
    with pytest.raises(ValueError, match="NaN"):
        fit_many(X, y)


@pytest.mark.parametrize("refine", [True, False])
def test_constraints_hold_on_the_device(data, tensors, refine):
    options = {"always_select": [3], "never_select": [0], "refine": refine}
    expected = fit_many(*data, 3, **options)
    found = fit_many(*tensors(*data), 3, **options)
    np.testing.assert_array_equal(found.support.cpu().numpy(), expected.support)
    np.testing.assert_allclose(found.gated_coef.cpu().numpy(), expected.gated_coef, atol=1e-8)
    assert bool(found.support[:, 3].all())
    assert not bool(found.support[:, 0].any())
