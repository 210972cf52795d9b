"""The core is written against the array standard: the strictest library runs it like NumPy."""

import array_api_strict as strict
import numpy as np
import pytest
from made_problems import batch_of
from rounding import assert_same_numbers

from projstg._core.arrays import backend
from projstg._core.data.batch import Batch, centred_rows
from projstg._core.data.centred_sums import CentredSums
from projstg._core.data.standardize import standardized
from projstg._core.gates import moments as gates
from projstg._core.gates.alternate import alternate
from projstg._core.gates.concave_penalty import gate_penalty
from projstg._core.gates.moments import gate_moments
from projstg._core.gates.optimizers import Adam, FixedStep
from projstg._core.gates.projection import dual, hadamard, primal, project
from projstg._core.gates.risk import profiled_risk, residual_sum_of_squares

MU = np.asarray([[-np.inf, -40.0, -1.0, -0.2, 0.0], [0.3, 0.5, 0.9, 30.0, np.inf]])


@pytest.fixture(params=["float32", "float64"])
def dtype(request):
    return request.param


def arrays(value):
    """All floating arrays inside a result, whatever record it is."""
    if hasattr(value, "__dataclass_fields__"):
        value = [getattr(value, name) for name in value.__dataclass_fields__]
    if isinstance(value, tuple | list):
        return [array for part in value for array in arrays(part)]
    return [] if value is None or type(value) in (bool, int, float) else [value]


def assert_same_everywhere(function, dtype, *inputs, rtol=None):
    """Run on NumPy and on the strict library: same numbers, each in its own type and dtype."""
    inputs = [np.asarray(value, dtype=dtype) for value in inputs]
    rtol = rtol or (2e-4 if dtype == "float32" else 1e-9)
    plain = arrays(function(*inputs))
    other = arrays(function(*(strict.asarray(value) for value in inputs)))
    assert plain
    assert len(plain) == len(other)
    for left, right in zip(plain, other, strict=True):
        assert isinstance(right, type(strict.asarray(0.0)))
        assert left.dtype == np.asarray(right).dtype
        if left.dtype.kind == "f":
            assert left.dtype == dtype
        np.testing.assert_allclose(np.asarray(right), left, rtol=rtol, atol=rtol)


def some_rows(shape, seed=3):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=shape)
    return X, 2.0 * X[..., 0] + rng.normal(size=shape[:-1])


SHAPES = [(1, 12, 5), (1, 5, 12), (3, 12, 5), (3, 5, 12)]


@pytest.mark.parametrize("tau", [0.05, 0.5, 2.0])
def test_gates(tau, dtype):
    assert_same_everywhere(lambda mu: gate_moments(mu, tau), dtype, MU)
    for name in ("gate_mean", "open_probability"):
        assert_same_everywhere(lambda mu, name=name: getattr(gates, name)(mu, tau), dtype, MU)
    assert_same_everywhere(gates.deterministic_gate, dtype, MU)
    noise = np.linspace(-1, 1, 5)
    assert_same_everywhere(lambda mu, z: gates.sampled_gate(mu, tau, z), dtype, MU, noise)


@pytest.mark.parametrize("tau", [0.05, 0.5, 2.0])
def test_penalty(tau, dtype):
    penalty = gate_penalty(tau)
    t = np.asarray([[0.0, 1e-30, 1e-19], [1e-10, 0.01, 0.1], [0.2, 5.0, 1e30]])
    for function in (penalty, penalty.noise_ratio, penalty.best_gate):
        assert_same_everywhere(function, dtype, t)


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("centre", [True, False])
def test_statistics(shape, centre, dtype):
    X, y = some_rows(shape)
    weights = np.linspace(0.5, 2.0, shape[-2]) * np.ones(shape[:-1])

    def through_rows(X, y, weights):
        return standardized(centred_rows(X, y, weights, centre=centre)[0])

    def through_sums(X, y, weights):
        first = CentredSums.from_rows(X[..., :3, :], y[..., :3], weights[..., :3])
        rest = CentredSums.from_rows(X[..., 3:, :], y[..., 3:], weights[..., 3:])
        whole = first.merge(rest)
        own, n = whole if centre else whole.about_zero(), whole.n
        return [whole, standardized(Batch.of_sums(own.G, own.b, own.yy, n, n - float(centre)))]

    for function in (through_rows, through_sums):
        assert_same_everywhere(function, dtype, X, y, weights)


@pytest.mark.parametrize("shape", SHAPES)
def test_parts_of_a_batch(shape, dtype):
    X, y = some_rows(shape)
    indices = np.resize(np.asarray([0, 3, 2]), (shape[0], 3))

    def both_kinds(X, y):
        xp = backend.namespace(X)
        rows, columns, chosen = batch_of(X, y), xp.asarray(indices), xp.asarray([shape[0] - 1])
        return [
            [one.rows(columns), one.columns(columns), one.problems(chosen), one.without_rows()]
            for one in (rows, rows.by_sums)
        ]

    assert_same_everywhere(both_kinds, dtype, X, y)


@pytest.mark.parametrize("shape", SHAPES)
def test_a_problem_of_a_batch_comes_to_the_host(shape):
    X, y = some_rows(shape)
    plain, other = (batch_of(xp.asarray(X), xp.asarray(y)) for xp in (np, strict))
    for one, expected in ((other, plain), (other.by_sums, plain.by_sums)):
        found, expected = one.problem(0), expected.problem(0)
        for name in ("b", "yy", "n", "dof", "diagonal", "X", "y", "sums"):
            assert type(getattr(found, name)) is type(getattr(expected, name))
            assert_same_numbers(getattr(found, name), getattr(expected, name), name=name)


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("smallest", [0.2, 0.0])
def test_projection(shape, smallest, dtype):
    X, y = some_rows(shape)
    ridge = np.resize(np.asarray([smallest, 0.5, 3.0, np.inf, 1.0]), (shape[0], shape[-1]))

    def all_ways(X, y, ridge):
        problem = batch_of(X, y)
        betas = [project(problem, ridge, solve=solve) for solve in (primal, dual, None)]
        return [*betas, residual_sum_of_squares(problem, ridge, betas[0])]

    assert_same_everywhere(all_ways, dtype, X, y, ridge, rtol=2e-3 if dtype == "float32" else None)


def test_the_paper_s_formula(dtype):
    X, y = some_rows((2, 12, 4))
    q, v = np.linspace(0.2, 0.9, 4), np.linspace(0.1, 0.2, 4)
    second = np.outer(q, q) + np.diag(v)

    def paper(X, y, second, q):
        problem = centred_rows(X, y)[0]
        return hadamard(problem.G, problem.b, second, q, 1e-3)

    assert_same_everywhere(paper, dtype, X, y, second, q)


@pytest.mark.parametrize("shape", SHAPES)
def test_risk(shape, door, dtype):
    X, y = some_rows(shape)
    mu = np.resize(np.asarray([-0.5, 0.0, 0.5, 1.0, 2.0]), (shape[0], shape[-1]))

    def risk(X, y, mu, alpha):
        return profiled_risk(door(batch_of(X, y)), mu, 0.5, alpha)

    alpha = np.full(shape[0], 0.2)
    assert_same_everywhere(risk, dtype, X, y, mu, alpha, rtol=2e-3 if dtype == "float32" else None)


@pytest.mark.parametrize("shape", SHAPES[2:])
@pytest.mark.parametrize("warm_up", [False, True])
def test_alternation(shape, door, warm_up, dtype):
    X, y = some_rows(shape)

    def settle(X, y, alpha):
        options = {"tol": 1e-3, "max_iter": 200, "warm_up": warm_up}
        optimum = alternate(door(batch_of(X, y)), alpha, 0.5, **options)
        return [optimum.beta, optimum.value, optimum.status, optimum.n_iter, optimum.mu > 0.5]

    def as_numbers(*inputs):
        beta, value, status, n_iter, is_open = settle(*inputs)
        xp = backend.namespace(beta)
        return [beta, value, status, n_iter, xp.astype(is_open, beta.dtype)]

    alpha = np.asarray([0.02, 0.2, 30.0])
    rtol = 5e-3 if dtype == "float32" else 1e-6  # rounds amplify rounding
    assert_same_everywhere(as_numbers, dtype, X, y, alpha, rtol=rtol)


def test_alternation_of_one_precision_is_that_of_the_other():
    X, y = some_rows((3, 30, 5))
    results = []
    for dtype in ("float32", "float64"):
        problem = batch_of(X.astype(dtype), y.astype(dtype))
        results.append(alternate(problem, np.asarray([0.02, 0.2, 30.0], dtype=dtype), 0.5))
    assert results[0].mu.dtype == results[0].criterion.dtype == np.float32
    np.testing.assert_allclose(results[0].beta, results[1].beta, atol=1e-3)
    np.testing.assert_allclose(results[0].value, results[1].value, rtol=1e-3)


@pytest.mark.parametrize("rule", [Adam, FixedStep])
def test_gradient_steps(rule, dtype):
    def walk(x):
        state = rule.at(x)
        for _ in range(5):
            x, state = state.step(x, 2.0 * x, 0.05)
        return x

    assert_same_everywhere(walk, dtype, np.asarray([3.0, -1.0, 0.0]))


@pytest.mark.parametrize("batch", [(), (3,), (2, 3)])
def test_positive_solves_and_factors(batch, dtype):
    rng = np.random.default_rng(0)
    root = rng.normal(size=(*batch, 6, 4))
    A, rhs = np.swapaxes(root, -1, -2) @ root, rng.normal(size=(*batch, 4))
    expected = np.linalg.solve(A, rhs[..., None])[..., 0]

    def solve(A, rhs):
        factor = backend.cholesky(A)
        return [backend.cholesky_solve(factor, rhs), backend.solve_positive(A + 0.0, rhs)]

    assert_same_everywhere(solve, dtype, A, rhs, rtol=1e-2 if dtype == "float32" else None)
    for x in solve(A.astype(dtype), rhs.astype(dtype)):
        np.testing.assert_allclose(x, expected, rtol=1e-2 if dtype == "float32" else 1e-9)


@pytest.mark.parametrize("xp", [np, strict])
def test_a_solve_says_where_it_did_not_work(xp):
    A = np.stack([np.eye(3), -np.eye(3), 4 * np.eye(3)])
    factor = np.asarray(backend.cholesky(xp.asarray(A, copy=True)))
    x = np.asarray(backend.solve_positive(xp.asarray(A, copy=True), xp.asarray(np.ones((3, 3)))))
    for found in (np.tril(factor).sum(axis=(1, 2)), x.sum(axis=1)):
        assert np.isnan(found).tolist() == [False, True, False]
    np.testing.assert_allclose(x[2], 0.25)
    lower = np.tril(factor[2])
    np.testing.assert_allclose(lower @ lower.T, A[2])
