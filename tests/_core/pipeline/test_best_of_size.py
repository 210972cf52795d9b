"""The best of K columns: the kernel is the definition, and what it leaves goes step by step."""

from dataclasses import replace

import array_api_strict
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from rounding import assert_same_numbers
from soaking import examples

from projstg import ProjectedSTG
from projstg._core.data.least_squares import least_squares
from projstg._core.data.standard_table import as_tables
from projstg._core.kernel import library
from projstg._core.kernel.twin import definition_of
from projstg._core.pipeline import best_of_size as stage
from projstg._core.pipeline.best_of_size import best_of_size
from projstg._core.pipeline.fixed_size import solve_fixed
from projstg._core.pipeline.gate_problem import gate_problem
from projstg._core.pipeline.options import Options
from projstg._core.score.criterion import CRITERIA

WITH_KERNEL = pytest.mark.skipif(library.KERNEL is None, reason="there is no kernel")


def asked(X, y, K=6, centre=True, **given):
    """Problems, their judges, and their gates; problem i draws from i + 1."""
    tables = as_tables(X, y, centre=centre)
    options = Options(n_selected=K, refine=True, probabilities=False, **given)
    problems = [tables.problem(i) for i in range(len(tables))]
    judges = [CRITERIA[options.criterion].judge(problem, K) for problem in problems]
    return problems, judges, gate_problem(tables, options, range(1, len(tables) + 1))


def easy(B=3, N=40, D=64, K=6, noise=0.3):
    rng = np.random.default_rng(5)
    X = rng.standard_normal((B, N, D))
    return X, X[..., :K].sum(axis=-1) + noise * rng.standard_normal((B, N))


def without_noise_in_the_second():
    """Tables of which sums of squares have no digits of a residual in one."""
    X, y = easy(N=80)
    y[1] = X[1, :, :6].sum(axis=-1)
    return X, y


@st.composite
def tables(draw):
    rng = np.random.default_rng(draw(st.integers(0, 10**6)))
    N, D, K = draw(st.integers(14, 60)), draw(st.integers(24, 60)), draw(st.integers(4, 8))
    shared = draw(st.sampled_from([0.0, 0.5, 0.9]))
    X = np.sqrt(1 - shared) * rng.standard_normal((2, N, D))
    X += np.sqrt(shared) * rng.standard_normal((2, N, 1))
    if draw(st.booleans()):
        X[..., D - 1] = X[..., 0]
    y = X[..., :3].sum(axis=-1) + draw(st.sampled_from([0.1, 1.0])) * rng.standard_normal((2, N))
    return 5.0 * X + 1.0, 3.0 * y - 2.0, K


@WITH_KERNEL
@examples(25)
@given(tables(), st.sampled_from(["common-size", "evidence"]), st.booleans())
def test_the_kernel_finds_the_best(drawn, criterion, centre):
    X, y, K = drawn
    of = asked(X, y, K, centre, criterion=criterion, n_starts=30)
    assert stage._is_for_kernel(*of)
    has_copies = np.all(X[..., 0] == X[..., -1], axis=1)
    for *answers, may_part in zip(
        best_of_size(*of), definition_of(best_of_size)(*of), has_copies, strict=True
    ):
        ours, theirs = (one.search for one in answers)
        # Of two copies either may be taken, and walks part: the best is the same where starts
        # agree.
        if not may_part or min(ours.n_agreeing_starts, theirs.n_agreeing_starts) > 0:
            assert ours.objective == pytest.approx(theirs.objective, abs=1e-4)
        if np.array_equal(*(one.support for one in answers)):
            np.testing.assert_allclose(*(one.coef for one in answers), rtol=1e-7, atol=1e-7)


@WITH_KERNEL
@pytest.mark.parametrize("N", [25, 80, 150])
@pytest.mark.parametrize("options", [{}, {"alpha": 3.0}, {"n_starts": 3}])
def test_the_kernel_searches_as_the_definition_start_by_start(options, N, monkeypatch):
    of = asked(*easy(N=N, noise=2.0), **options)  # hard: another λ or seed finds other supports
    expected_answers = definition_of(best_of_size)(*of)
    monkeypatch.setattr(stage, "definition_of", None)  # nothing is left to it
    for found, expected in zip(best_of_size(*of), expected_answers, strict=True):
        ours, theirs = found.search, expected.search
        np.testing.assert_array_equal(found.support, expected.support)
        for name in ("n_starts", "n_agreeing_starts", "is_complete"):
            assert getattr(ours, name) == getattr(theirs, name)
        assert ours.judge.is_diluted == theirs.judge.is_diluted
        np.testing.assert_array_equal(ours.ranked.supports, theirs.ranked.supports)
        np.testing.assert_allclose(ours.ranked.scores, theirs.ranked.scores, atol=1e-9)


@pytest.mark.parametrize("data", [easy, without_noise_in_the_second])
def test_several_problems_are_one_after_another(data):
    problems, judges, gates = asked(*data())
    for i, found in enumerate(best_of_size(problems, judges, gates)):
        (alone,) = best_of_size(problems[i : i + 1], judges[i : i + 1], gates.alone(i))
        np.testing.assert_array_equal(found.support, alone.support)
        assert_same_numbers(found.coef, alone.coef)
        assert_same_numbers(found.search.objective, alone.search.objective)


@WITH_KERNEL
def test_a_problem_that_lacks_digits_is_left_to_the_definition_with_its_own_lambda(monkeypatch):
    problems, judges, gates = asked(
        *without_noise_in_the_second(), alpha=np.asarray([0.1, 0.2, 0.3])
    )
    left = []

    def listening(function):
        def answer(*of):
            left.append(of[:3])
            return definition_of(function)(*of)

        return answer

    monkeypatch.setattr(stage, "definition_of", listening)
    found = best_of_size(problems, judges, gates)
    (((problem,), (judge,), own),) = left
    assert problem is problems[1]
    assert judge is judges[1]
    assert (own.alpha, own.seeds) == (gates.alpha[1], gates.seeds[1:2])
    for problem, answer in zip(problems, found, strict=True):
        assert answer.support.tolist() == list(range(6))
        assert_same_numbers(answer.coef, least_squares(problem, answer.support))


def test_a_judge_that_is_given_is_used():
    table = as_tables(*easy(1))
    options = Options(n_selected=6, refine=True, probabilities=False)
    judge = CRITERIA["common-size"].judge(table.problem(0), 12)
    shifted = replace(judge, volume_of_size=judge.volume_of_size + 100.0)
    one, other = (solve_fixed(table, options, [1], judge=by).answers[0] for by in (judge, shifted))
    assert other.search.objective == pytest.approx(one.search.objective + 100.0)


@pytest.mark.parametrize(
    "options",
    [{"K": 2}, {"K": 64}, {"always": (3,)}, {"criterion": "least-squares"}],
    ids=["few supports: all are scored", "all columns", "forced columns", "no volume"],
)
def test_other_questions_are_not_for_the_kernel(options):
    assert stage._is_for_kernel(*asked(*easy(1)))
    assert not stage._is_for_kernel(*asked(*easy(1), **options))


def test_other_problems_are_not_for_the_kernel():
    X, y = easy(1)
    zero = np.where(np.arange(64) == 3, 0.0, X)
    of_another_library = [array_api_strict.asarray(one) for one in (X, y)]
    for other in (easy(1, N=120, D=130), (zero, y), of_another_library):
        assert not stage._is_for_kernel(*asked(*other))


def test_a_coefficient_out_of_range_is_said_by_name():
    X, y = easy(1)
    X[..., 2] *= 1e85
    with pytest.raises(ValueError, match="the coefficient of 2 is too large or too small"):
        ProjectedSTG(6, probabilities=False).fit(X[0], 1e-250 * y[0])
