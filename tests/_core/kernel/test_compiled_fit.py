"""Tables and whole fits by the compiled kernel, against the same step by step in NumPy."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from rounding import assert_same_numbers
from soaking import examples

from projstg import ProjectedSTG
from projstg._core.data.standard_table import as_table
from projstg._core.kernel import library
from projstg._core.pipeline import fixed_size
from projstg._core.pipeline.compiled_fit import PenaltyAndNoise, answer_small, is_small
from projstg._core.pipeline.options import Options
from projstg._core.score.criterion import CRITERIA

pytestmark = pytest.mark.skipif(library.KERNEL is None, reason="there is no kernel")


def without_kernel(function, *arguments, **options):
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(library, "KERNEL", None)
        return function(*arguments, **options)


@st.composite
def raw_tables(draw):
    """X (B, N, D), y (B, N), weights or None: columns that are constant, copied, far from zero."""
    rng = np.random.default_rng(draw(st.integers(0, 10**6)))
    B, N, D = draw(st.integers(1, 3)), draw(st.integers(2, 40)), draw(st.integers(1, 30))
    X = rng.standard_normal((B, N, D)) * 10.0 ** rng.integers(-9, 9, D)
    X += draw(st.sampled_from([0.0, 1.0, 1e6])) * rng.standard_normal(D)
    y = rng.standard_normal((B, N)) + draw(st.sampled_from([0.0, 1e3]))
    if draw(st.booleans()):
        X[..., 0] = draw(st.sampled_from([0.0, 0.1, -3e8]))
    if draw(st.integers(0, 5)) == 0:
        y[:] = draw(st.sampled_from([0.0, 0.3]))
    weights = None
    if draw(st.booleans()):
        weights = rng.uniform(0.5, 3.0, (B, N))
        weights[:, 2:] *= rng.integers(0, 2, (B, N - 2))
    return X, y, weights


@examples(80)
@given(raw_tables(), st.booleans(), st.booleans())
def test_tables(raw, centre, has_never):
    X, y, weights = raw
    never = np.arange(X.shape[2]) == X.shape[2] - 1 if has_never else None
    found = as_table(X, y, weights, centre=centre, never=never)
    expected = without_kernel(as_table, X, y, weights, centre=centre, never=never)
    np.testing.assert_array_equal(found.varies, expected.varies)
    for name in ("scale", "x_mean", "y_mean", "y_scale"):
        ours, theirs = getattr(found, name), getattr(expected, name)
        np.testing.assert_allclose(ours, theirs, rtol=1e-8, atol=1e-8 * np.abs(theirs).max())
    n = expected.problem.n[:, None]
    np.testing.assert_allclose(found.problem.n, expected.problem.n, rtol=1e-14)
    np.testing.assert_allclose(found.problem.b / n, expected.problem.b / n, atol=1e-6)
    G, H = (one.problem.gram.G / n[..., None] for one in (found, expected))
    np.testing.assert_allclose(G, H, atol=1e-6)


@pytest.mark.parametrize("shape", [(20, 30), (40, 11)])
def test_numbers_out_of_range_have_units_and_change_no_bit_of_other_tables(shape):
    rng = np.random.default_rng(0)
    X, y = rng.standard_normal((2, *shape)), rng.standard_normal((2, shape[0]))
    alone = as_table(X[:1], y[:1])
    X[1, :, 3] *= 1e200
    X[1, :, 4] *= 1e-250
    found, expected = as_table(X, y), without_kernel(as_table, X, y)
    np.testing.assert_allclose(found.scale, expected.scale, rtol=1e-12)
    np.testing.assert_allclose(found.problem.gram.G, expected.problem.gram.G, atol=1e-10)
    np.testing.assert_array_equal(found.scale[0], alone.scale[0])  # the kernel's, one by one
    assert_same_numbers(found.problem.gram.G[0], alone.problem.gram.G[0])


@pytest.mark.parametrize("shape", [(40, 11), (15, 30)])
def test_rows_of_weight_zero_and_other_tables_change_no_bit(shape):
    rng = np.random.default_rng(1)
    X, y = rng.standard_normal((3, *shape)), rng.standard_normal((3, shape[0]))
    weights = np.ones(y.shape)
    weights[:, -2:] = 0.0
    together = as_table(X, y, weights)
    fewer_rows = as_table(X[1:2, :-2], y[1:2, :-2])
    as_many_rows = as_table(X[1:2], y[1:2], weights[1:2])
    for alone in (fewer_rows, as_many_rows):
        for name in ("scale", "x_mean", "y_mean", "y_scale"):
            np.testing.assert_array_equal(getattr(together, name)[1], getattr(alone, name)[0])
    G = together.problem.gram.G[1]
    for alone in (fewer_rows, as_many_rows):  # sums are those of BLAS, not of the kernel
        assert_same_numbers(G, alone.problem.gram.G[0])


def solved(X, y, options, seeds=(3,), **table):
    return fixed_size.solve(as_table(X, y, **table), options, seeds)


def step_by_step(*arguments, **options):
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(fixed_size, "is_small", lambda *_: False)
        return solved(*arguments, **options)


@st.composite
def problems(draw):
    rng = np.random.default_rng(draw(st.integers(0, 10**6)))
    N, D, K = draw(st.integers(14, 60)), draw(st.integers(24, 60)), draw(st.integers(4, 8))
    shared = draw(st.sampled_from([0.0, 0.5, 0.9]))
    X = np.sqrt(1 - shared) * rng.standard_normal((2, N, D))
    X += np.sqrt(shared) * rng.standard_normal((2, N, 1))
    if draw(st.booleans()):
        X[..., D - 1] = X[..., 0]
    y = X[..., :3].sum(axis=-1) + draw(st.sampled_from([0.1, 1.0])) * rng.standard_normal((2, N))
    return 5.0 * X + 1.0, 3.0 * y - 2.0, K


@examples(25)
@given(problems(), st.sampled_from(["common-size", "evidence"]), st.booleans())
def test_a_whole_fit(problem, criterion, centre):
    X, y, K = problem
    options = Options(
        n_selected=K, refine=True, criterion=criterion, probabilities=False, n_starts=30
    )
    assert is_small(as_table(X, y).problem, options)
    found = solved(X, y, options, (3, 4), centre=centre)
    expected = step_by_step(X, y, options, (3, 4), centre=centre)
    np.testing.assert_allclose(found.alpha, expected.alpha, rtol=1e-9)
    np.testing.assert_allclose(found.noise_std, expected.noise_std, rtol=1e-9)
    # Of two copies either may be taken, and walks part: the best is the same where starts agree.
    has_copies = np.all(X[..., 0] == X[..., -1], axis=1)
    agreeing = np.minimum(*(each(one, "n_agreeing_starts") for one in (found, expected)))
    sure = ~has_copies | (agreeing > 0)
    best = each(expected, "objective")[sure]
    np.testing.assert_allclose(each(found, "objective")[sure], best, atol=1e-4)
    same = np.all(each(found, "support") == each(expected, "support"), axis=1)
    np.testing.assert_array_equal(found.support[same], expected.support[same])
    np.testing.assert_allclose(found.coef[same], expected.coef[same], rtol=1e-7, atol=1e-7)
    np.testing.assert_allclose(found.intercept[same], expected.intercept[same], atol=1e-6)
    ours, theirs = (
        np.concatenate([own.judge.volume_of_size for own in one.search])
        for one in (found, expected)
    )
    np.testing.assert_allclose(ours, theirs, atol=1e-8)


def each(solution, name):
    """One field of the search of each problem."""
    return np.asarray([getattr(own, name) for own in solution.search])


def easy(B=3, N=40, D=64, K=6):
    rng = np.random.default_rng(5)
    X = rng.standard_normal((B, N, D))
    return X, X[..., :K].sum(axis=-1) + 0.3 * rng.standard_normal((B, N))


def test_searches_are_the_same_start_by_start():
    X, y = easy()
    options = Options(n_selected=6, refine=True, probabilities=False)
    found, expected = solved(X, y, options, (1, 2, 3)), step_by_step(X, y, options, (1, 2, 3))
    for name in ("support", "n_starts", "n_agreeing_starts", "is_complete"):
        np.testing.assert_array_equal(*(each(one, name) for one in (found, expected)))
    for ours, theirs in zip(found.search, expected.search, strict=True):
        assert ours.judge.is_diluted == theirs.judge.is_diluted
        np.testing.assert_array_equal(ours.ranked.supports, theirs.ranked.supports)
        np.testing.assert_allclose(ours.ranked.scores, theirs.ranked.scores, atol=1e-9)


@pytest.mark.parametrize(
    "given", [{"alpha": 0.3}, {"noise_std": 0.2}, {"alpha_scale": 1.0}, {"n_starts": 3}]
)
def test_what_is_given_is_used(given):
    X, y = easy()
    options = Options(n_selected=6, refine=True, probabilities=False, **given)
    found, expected = solved(X, y, options, (1, 2, 3)), step_by_step(X, y, options, (1, 2, 3))
    np.testing.assert_allclose(found.alpha, expected.alpha, rtol=1e-9)
    np.testing.assert_array_equal(each(found, "n_starts"), each(expected, "n_starts"))
    np.testing.assert_array_equal(found.support, expected.support)


def test_with_twice_as_many_rows_as_columns_the_noise_is_that_of_all_columns():
    X, y = easy(N=150)
    options = Options(n_selected=6, refine=True, probabilities=False)
    found, expected = solved(X, y, options, (1, 2, 3)), step_by_step(X, y, options, (1, 2, 3))
    np.testing.assert_allclose(found.noise_std, expected.noise_std, rtol=1e-9)
    np.testing.assert_array_equal(found.support, expected.support)


def test_a_table_that_lacks_digits_is_solved_step_by_step_beside_others():
    X, y = easy(N=80)
    y[1] = X[1, :, :6].sum(axis=-1)  # no error: sums of squares have no digits of a residual
    options = Options(n_selected=6, refine=True, probabilities=False)
    table = as_table(X, y)
    by_rule = PenaltyAndNoise(*np.full((2, 3), np.nan))
    answered = answer_small(table, options, (1, 2, 3), by_rule, None)
    assert answered.is_done.tolist() == [True, False, True]
    found = solved(X, y, options, (1, 2, 3))
    assert found.support[:, :6].all()
    for i in range(3):
        alone = solved(X[i : i + 1], y[i : i + 1], options, (i + 1,))
        np.testing.assert_array_equal(found.support[i], alone.support[0])
        assert_same_numbers(found.coef[i], alone.coef[0])
        assert_same_numbers(found.search[i].objective, alone.search[0].objective)


def test_tables_beside_one_that_lacks_digits_keep_their_own_lambda():
    X, y = easy(N=80)
    y[1] = X[1, :, :6].sum(axis=-1)
    options = Options(
        n_selected=6, refine=True, probabilities=False, alpha=np.asarray([0.1, 0.2, 0.3])
    )
    found = solved(X, y, options, (1, 2, 3))
    np.testing.assert_allclose(found.alpha, [0.1, 0.2, 0.3])
    assert found.noise_std is None


def test_a_better_support_of_one_table_changes_no_bit_of_another(monkeypatch):
    X, y = easy()
    options = Options(n_selected=6, refine=True, probabilities=False)
    expected = solved(X, y, options, (1, 2, 3))
    real = fixed_size.with_posteriors

    def other_support(table, found, *arguments):
        search, known = real(table, found, *arguments)
        search[1] = search[1]._replace(support=np.arange(10, 16))
        return search, known

    monkeypatch.setattr(fixed_size, "with_posteriors", other_support)
    found = solved(X, y, options, (1, 2, 3))
    assert np.flatnonzero(found.support[1]).tolist() == list(range(10, 16))
    np.testing.assert_array_equal(found.coef[[0, 2]], expected.coef[[0, 2]])


def test_a_judge_that_is_given_is_used():
    X, y = easy(1)
    table = as_table(X, y)
    options = Options(n_selected=6, refine=True, probabilities=False)
    judge = CRITERIA["common-size"].judge(table.problem, 12)
    shifted = replace(judge, volume_of_size=judge.volume_of_size + 100.0)
    one, other = (fixed_size.solve(table, options, [1], judge=by) for by in (judge, shifted))
    assert other.search[0].objective == pytest.approx(one.search[0].objective + 100.0)


def test_what_is_not_small_is_not_for_the_kernel():
    problem = as_table(*easy(1)).problem
    small = Options(n_selected=6, refine=True)
    assert is_small(problem, small)
    for other in (
        {"n_selected": 2},  # few supports: all are scored
        {"always": (3,)},
        {"criterion": "least-squares"},
        {"n_selected": 64},
    ):
        assert not is_small(problem, replace(small, **other))
    assert not is_small(as_table(*easy(1, N=120, D=130)).problem, small)


def test_a_coefficient_out_of_range_is_said_by_name():
    X, y = easy(1)
    X[..., 2] *= 1e85
    with pytest.raises(ValueError, match="the coefficient of 2 is too large or too small"):
        ProjectedSTG(6, probabilities=False).fit(X[0], 1e-250 * y[0])
