"""Theorem 1: the projection is the minimiser, by whichever formula and on whatever X."""

from functools import partial

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from made_problems import batch_of, problem_of
from oracles import exact_moments, few_examples, hadamard_formula, ridge_minimiser, theorem_1
from rounding import assert_same_numbers

from projstg._core.data.batch import Batch
from projstg._core.gates.moments import gate_moments
from projstg._core.gates.projection import dual, hadamard, primal, project

TAUS = [0.25, 0.5, 2.0]

SOLVERS = {
    "primal": partial(project, solve=primal),
    "dual": partial(project, solve=dual),
    "chosen from rows": project,
    "chosen from sums": lambda batch, ridge: project(batch.by_sums, ridge),
}


@pytest.fixture(params=SOLVERS)
def solve(request):
    return SOLVERS[request.param]


def solved(solve, problem, ridge):
    """The coefficients of one problem."""
    return solve(Batch.of([problem]), ridge[None])[0]


def expected_loss(X, y, theta, q, v):
    """E‖y − X(θ⊙z)‖² for independent gates."""
    return np.sum((y - X @ (theta * q)) ** 2) + np.sum(theta**2 * v * np.sum(X**2, axis=0))


@pytest.mark.parametrize("tau", TAUS)
def test_projection_minimises_the_expected_loss(problem, solve, tau, rng):
    X, y = problem.X, problem.y
    mu = rng.uniform(-tau, 1 + tau, size=X.shape[1])
    q, v, _ = exact_moments(mu, tau)
    beta = solved(solve, problem, gate_moments(mu, tau).noise_ratio)
    best = theorem_1(X, y, q, v)
    np.testing.assert_allclose(beta, best * q, rtol=1e-8, atol=1e-9)
    loss = expected_loss(X, y, beta / q, q, v)
    for size in (1e-3, 1.0):
        other = beta / q + size * rng.normal(size=(200, beta.size))
        assert loss <= min(expected_loss(X, y, theta, q, v) for theta in other)


@pytest.mark.parametrize("tau", TAUS)
def test_primal_dual_and_the_paper_s_formula_agree(full_problem, tau, rng):
    X, y = full_problem.X, full_problem.y
    mu = rng.uniform(-tau, 1 + tau, size=X.shape[1])
    q, v, _ = exact_moments(mu, tau)
    ridge = v / q**2
    paper = hadamard_formula(X, y, q, v)
    second = np.outer(q, q) + np.diag(v)
    for solve in ("primal", "dual"):
        beta = solved(SOLVERS[solve], full_problem, ridge)
        np.testing.assert_allclose(beta, paper * q, rtol=1e-9, atol=1e-11)
    ours = hadamard(full_problem.G, full_problem.b, second, q)
    np.testing.assert_allclose(ours, paper, rtol=1e-9, atol=1e-11)


def test_sampled_gates_go_through_the_paper_s_formula(full_problem, rng):
    """Fewer draws than columns: jitter makes the solve a ridge, and it stays a number."""
    G, b = full_problem.G, full_problem.b
    draws = rng.uniform(size=(3, b.size))
    second, mean = draws.T @ draws / 3, draws.mean(axis=0)
    jitter = 1e-3
    matrix = G * second
    lifted = matrix + jitter * np.mean(np.diag(matrix)) * np.eye(len(mean))
    expected = np.linalg.solve(lifted, b * mean)
    computed = hadamard(G, b, second, mean, jitter)
    np.testing.assert_allclose(computed, expected, rtol=1e-8, atol=1e-10)


PATTERNS = {
    "all open": lambda d: np.zeros(d),
    "all closed": lambda d: np.full(d, np.inf),
    "open and closed": lambda d: np.where(np.arange(d) % 2 == 0, 0.0, np.inf),
    "open, half open, closed": lambda d: np.asarray([0.0, 0.3, np.inf])[np.arange(d) % 3],
    "over the whole range": lambda d: 10.0 ** np.linspace(-300, 300, d),
    "nearly open": lambda d: np.full(d, 1e-12),
    "nearly closed": lambda d: np.full(d, 1e12),
}


@pytest.mark.parametrize("pattern", PATTERNS)
def test_open_and_closed_gates_give_the_minimum_norm_solution(problem, solve, pattern):
    X, y = problem.X, problem.y
    ridge = PATTERNS[pattern](X.shape[1])
    beta = solved(solve, problem, ridge)
    assert np.all(np.isfinite(beta))
    # Beside columns that depend on each other so small a ridge leaves the oracle no digits.
    best = ridge_minimiser(X, y, np.where(ridge < 1e-11, 0.0, ridge))
    scale = np.sqrt(np.mean(y**2))
    np.testing.assert_allclose(X @ beta, X @ best, atol=1e-6 * scale)
    np.testing.assert_allclose(beta, best, rtol=1e-5, atol=1e-5 * scale)
    assert np.all(np.abs(beta[np.isinf(ridge)]) <= 1e-100)


def test_a_zero_column_gets_no_coefficient(problem, solve):
    zero = ~np.any(problem.X != 0, axis=0)
    for ridge in (0.0, 0.3, np.inf):
        beta = solved(solve, problem, np.full(problem.X.shape[1], ridge))
        assert np.all(beta[zero] == 0)


def test_duplicate_columns_share_their_coefficient(rng, solve):
    X = rng.normal(size=(20, 4))[:, [0, 1, 2, 0, 3]]
    problem = problem_of(X, rng.normal(size=20))
    for ridge in (0.0, 0.3):
        beta = solved(solve, problem, np.full(5, ridge))
        assert beta[0] == pytest.approx(beta[3], rel=1e-6)


@pytest.mark.parametrize("angle", [1e-1, 1e-2, 1e-3])
def test_nearly_collinear_columns_are_told_apart(angle, solve, rng):
    X = rng.normal(size=(40, 6))
    X[:, 1] = X[:, 0] + angle * X[:, 1]
    y = (X[:, 0] - X[:, 1]) / angle + 0.1 * rng.normal(size=40)
    problem = problem_of(X, y)
    fitted = problem.X @ solved(solve, problem, np.zeros(6))
    best = problem.X @ ridge_minimiser(problem.X, problem.y, np.zeros(6))
    np.testing.assert_allclose(fitted, best, atol=1e-6 * np.max(np.abs(y)))


def test_y_of_zero_gives_coefficients_of_zero(problem, solve):
    empty = problem_of(problem.X, 0.0 * problem.y, centre=False)
    for ridge in (0.0, 0.3, np.inf):
        assert np.all(solved(solve, empty, np.full(problem.X.shape[1], ridge)) == 0)


@pytest.mark.parametrize("shape", [(12, 5), (5, 12)])
@pytest.mark.parametrize("smallest", [0.1, 0.0])
def test_a_batch_is_its_members(solve, shape, smallest, rng):
    """Also when only some of the members have open gates."""
    X, y = rng.normal(size=(4, *shape)), rng.normal(size=(4, shape[0]))
    batch = batch_of(X, y)
    ridge = rng.uniform(0.1, 2.0, size=(4, shape[1]))
    ridge[1:3, :2] = smallest
    together = solve(batch, ridge)
    for i in range(4):
        assert_same_numbers(together[i], solved(solve, problem_of(X[i], y[i]), ridge[i]))
        one = batch.problems(np.asarray([i]))
        assert_same_numbers(together[i], solve(one, ridge[i : i + 1])[0])


@few_examples
@given(
    st.integers(1, 12),
    st.integers(1, 12),
    st.integers(1, 12),
    st.integers(0, 1000),
    st.lists(st.sampled_from([0.0, 1e-9, 0.1, 3.0, 1e9, np.inf]), min_size=12, max_size=12),
)
def test_any_shape_rank_and_gates(n_rows, n_columns, rank, seed, ridges):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n_rows, rank)) @ rng.normal(size=(rank, n_columns))
    problem = problem_of(X, rng.normal(size=n_rows), centre=False)
    ridge = np.asarray(ridges[:n_columns])
    best = ridge_minimiser(problem.X, problem.y, np.where(ridge < 1e-8, 0.0, ridge))
    for solver in SOLVERS.values():
        beta = solved(solver, problem, ridge)
        assert np.all(np.isfinite(beta))
        fitted, expected = problem.X @ beta, problem.X @ best
        np.testing.assert_allclose(fitted, expected, atol=1e-3 * np.linalg.norm(problem.y))


def test_a_matrix_that_rounding_left_indefinite_has_a_solution(rng):
    X = rng.standard_normal((2, 12, 4))
    batch = batch_of(X, X.sum(axis=-1), centre=False)
    # The second problem's third column is the first less what rounding took off its square.
    spoiled = batch.G.copy()
    spoiled[1, 2], spoiled[1, :, 2] = spoiled[1, 0], spoiled[1, :, 0]
    spoiled[1, 2, 2] = (1.0 - 1e-6) * spoiled[1, 0, 0]
    assert np.linalg.eigvalsh(spoiled[1])[0] < -1e-8 * 12
    sums = Batch.of_sums(spoiled, batch.b, batch.yy, batch.n, batch.dof)
    for refine in (True, False):
        solve = partial(project, solve=primal, refine=refine)
        found = solve(sums, np.zeros((2, 4)))
        assert np.all(np.isfinite(found))
        assert_same_numbers(found[0], solve(batch, np.zeros((2, 4)))[0])
