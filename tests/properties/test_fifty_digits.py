"""Scores, tables of exchanges and projections against the same in fifty digits."""

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from oracles import exact_gate
from oracles_exact import exact_projection, exact_score
from soaking import count, examples

from projstg._core.data.batch import Batch
from projstg._core.data.standard_table import as_tables
from projstg._core.gates.moments import gate_moments
from projstg._core.gates.projection import project
from projstg._core.score.criterion import CRITERIA
from projstg._core.score.evidence import support_scores
from projstg._core.score.neighbours import neighbours
from projstg._core.score.tableau import Field


def drawn(seed, n, d, apart=None, noise=0.5):
    """A standardised problem; the second column is a near copy of the first."""
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, d))
    if apart is not None:
        X[:, 1] = X[:, 0] + apart * X[:, 1]
    y = X[:, : (d + 1) // 2].sum(axis=1) + noise * rng.standard_normal(n)
    return as_tables(X[None], y[None]).problem(0)


@examples(12)
@given(
    st.integers(0, 2**32 - 1),
    st.sampled_from(sorted(CRITERIA)),
    st.integers(1, 4),
    st.sampled_from([None, 1e-1, 1e-3, 1e-5]),
    st.sampled_from([1.0, 1e-2, 1e-4]),
)
def test_scores(seed, name, k, apart, noise):
    count("problem", "fifty digits: scores")
    k = max(k, 2) if apart is not None else k
    problem = drawn(seed, 9, 5, apart, noise)
    X, y = problem.rows_of(np.arange(5))
    roots = np.linalg.svd(X[:, :k], compute_uv=False)
    if roots[-1] < 3e-6 * roots[0]:  # not determined, by the rule for rank
        return
    (found,) = support_scores(problem, np.arange(k)[None], CRITERIA[name])
    expected = exact_score(X, range(k), y, problem.dof, CRITERIA[name])
    assert found == pytest.approx(expected, rel=1e-8, abs=1e-6)


@examples(4)
@given(st.integers(0, 2**32 - 1), st.sampled_from(sorted(CRITERIA)), st.integers(1, 2))
@example(1724, "least-squares", 2)
def test_tables_around_a_support(seed, name, k):
    count("problem", "fifty digits: exchanged, added, left out")
    problem = drawn(seed, 9, 5)
    judge, (X, y) = CRITERIA[name].judge(problem), problem.rows_of(np.arange(5))
    field = Field.of(problem, np.zeros(5, dtype=bool))
    has_volume, dof = judge.counts_volume, problem.dof
    around = neighbours(field, np.arange(k)[None], judge, resize=has_volume)

    def exact(members):
        return exact_score(X, members, y, dof, judge)

    def close_to(score):
        # n log(rss) may be near zero: what counts is the residual, to eight digits.
        return pytest.approx(score, rel=1e-7, abs=1e-8 * dof)

    assert around.present[0] == close_to(exact(range(k)))
    place, other = seed % k, k + seed % (5 - k)
    swapped = [j for j in range(k) if j != place] + [other]
    assert around.exchanged[0, place, other] == close_to(exact(swapped))
    if has_volume:
        assert around.added[0, other] == close_to(exact([*range(k), other]))
    if has_volume and k > 1:
        left = [j for j in range(k) if j != place]
        assert around.left_out[0, place] == close_to(exact(left))


@examples(12)
@given(
    st.integers(0, 2**32 - 1),
    st.sampled_from([(9, 4), (4, 6)]),
    st.lists(st.floats(-6, 6), min_size=6, max_size=6),
)
def test_projections(seed, shape, powers):
    count("problem", "fifty digits: projections")
    problem = drawn(seed, *shape)
    ridge = 10.0 ** np.asarray(powers[: shape[1]])
    X, y = problem.rows_of(np.arange(shape[1]))
    expected = exact_projection(X, y, problem.n, ridge)
    (found,) = project(Batch.of([problem]), ridge[None])
    np.testing.assert_allclose(found, expected, rtol=1e-7, atol=1e-9 * np.max(np.abs(expected)))


@examples(4)
@given(st.floats(-3, 4), st.sampled_from([0.1, 0.5, 1.0]))
def test_gates(mu, tau):
    count("problem", "fifty digits: gates")
    found, expected = gate_moments(np.asarray(mu), tau), exact_gate(mu, tau)
    assert found.mean == pytest.approx(float(expected.mean), rel=1e-11)
    assert found.variance == pytest.approx(float(expected.variance), rel=1e-11)
