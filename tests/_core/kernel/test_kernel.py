"""Every function of the compiled kernel against its NumPy definition, on random problems."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from kernel_builds import built
from made_problems import batch_of, problem_of
from rounding import assert_same_numbers
from soaking import examples

from projstg import ProjectedSTG
from projstg._core.data.batch import Batch
from projstg._core.data.column_spectrum import ColumnProducts
from projstg._core.data.standard_table import as_tables
from projstg._core.gates.alternate import warm_up_coefficients
from projstg._core.greedy.matching_pursuit import (
    forward_selection,
    largest_correlation,
    matching_pursuits,
)
from projstg._core.kernel import library
from projstg._core.kernel.twin import definition_of
from projstg._core.posterior.chain import Chains
from projstg._core.posterior.compiled_chain import CompiledChains
from projstg._core.posterior.posterior_settings import POSTERIOR
from projstg._core.score.criterion import CRITERIA
from projstg._core.score.evidence import support_scores
from projstg._core.score.neighbours import neighbours
from projstg._core.score.prior import _means, costs_of_sizes, size_prior
from projstg._core.score.scored_supports import scores_of
from projstg._core.score.tableau import Field
from projstg._core.search.best_support import refine

pytestmark = pytest.mark.skipif(library.KERNEL is None, reason="there is no kernel")


def without_kernel(function, *arguments, **options):
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(library, "KERNEL", None)
        return function(*arguments, **options)


@st.composite
def problems(draw):
    """A standardised problem: with or without noise, correlations, copies and empty columns."""
    rng = np.random.default_rng(draw(st.integers(0, 10**6)))
    n_rows, n_columns = draw(st.integers(4, 40)), draw(st.integers(2, 30))
    shared = draw(st.sampled_from([0.0, 0.5, 0.95]))
    X = np.sqrt(1 - shared) * rng.standard_normal((n_rows, n_columns))
    X += np.sqrt(shared) * rng.standard_normal((n_rows, 1))
    if draw(st.booleans()):
        X[:, -1] = X[:, 0]
    if draw(st.integers(0, 9)) == 0:
        X[:, n_columns // 2] = 0.0
    y = X[:, : min(3, n_columns)] @ rng.choice([-2.0, -1.0, 0.5, 1.0], min(3, n_columns))
    y += draw(st.sampled_from([0.05, 0.5, 3.0])) * rng.standard_normal(n_rows)
    problem = problem_of(X, y)
    return (problem if draw(st.booleans()) else problem.by_sums), rng


def most_members(problem):
    """How large a support may be: from sums alone a residual of nothing is rounding."""
    most = problem.b.size
    return most if problem.has_rows else min(most, max(int(problem.n) - 3, 1))


def a_field(problem, locked=(), excluded=()):
    columns = np.arange(problem.b.size)
    field = Field.of(problem, np.isin(columns, locked))
    return field._replace(excluded=field.excluded | np.isin(columns, excluded)), columns


def same(found, expected, atol=1e-3):
    """Equal, infinities too. Near copies may cost that many digits (``SCORE.rounding``)."""
    np.testing.assert_array_equal(np.isfinite(found), np.isfinite(expected))
    finite = np.isfinite(expected)
    np.testing.assert_allclose(found[finite], expected[finite], rtol=1e-9, atol=atol)


@examples(60)
@given(problems(), st.booleans(), st.data())
def test_greedy_pursuits(drawn, by_gain, data):
    batch = Batch.of([drawn[0]])
    n_steps = data.draw(st.integers(1, drawn[0].b.size))

    def found():
        if by_gain:
            return forward_selection(batch, n_steps)
        return matching_pursuits(batch, n_steps, 1, largest_correlation)

    compiled, expected = found(), without_kernel(found)
    if by_gain:  # of two copies either may be taken
        rss = (one.rss(batch.yy) for one in (compiled, expected))
        np.testing.assert_allclose(*rss, rtol=1e-6, atol=1e-6)
        return
    np.testing.assert_array_equal(compiled.counts, expected.counts)
    if np.array_equal(compiled.order, expected.order):
        np.testing.assert_allclose(compiled.coef, expected.coef, rtol=1e-5, atol=1e-5)


def test_greedy_pursuits_take_the_same_columns(rng):
    X = rng.standard_normal((3, 30, 50))
    y = X[..., :5].sum(axis=-1) + 0.5 * rng.standard_normal((3, 30))
    batch = batch_of(X, y)
    for one in (batch, batch.by_sums):
        for found in (
            lambda one=one: forward_selection(one, 20).order,
            lambda one=one: matching_pursuits(one, 20, 1, largest_correlation).order,
        ):
            np.testing.assert_array_equal(found(), without_kernel(found))


@examples(60)
@given(problems(), st.sampled_from(sorted(CRITERIA)), st.data())
def test_exact_scores(drawn, name, data):
    problem, rng = drawn
    field, columns = a_field(problem)
    K = data.draw(st.integers(0, most_members(problem)))
    supports = np.sort(np.stack([rng.permutation(columns)[:K] for _ in range(8)]), axis=1)
    judge = CRITERIA[name].judge(problem, K)
    found = scores_of(problem, field, columns, supports, judge)
    same(found.total, support_scores(problem, supports, judge), atol=1e-5)


@examples(60)
@given(problems(), st.sampled_from(["common-size", "evidence"]), st.booleans(), st.data())
def test_scores_of_neighbours(drawn, name, resize, data):
    problem, rng = drawn
    n_rows, n_columns = int(problem.n), problem.b.size
    K = data.draw(st.integers(0, min(n_columns, n_rows - 3)))
    order = rng.permutation(n_columns)
    field, _ = a_field(problem, locked=order[: K // 3], excluded=order[K : K + 1])
    judge, members = CRITERIA[name].judge(problem, K + 1), np.sort(order[:K])[None]
    if not np.isfinite(support_scores(problem, members, judge)).all():
        return  # around dependent columns nothing is said
    expected = definition_of(neighbours)(field, members, judge, resize=resize)
    found = neighbours(field, members, judge, resize=resize)
    if not (found.has_enough_digits[0] and expected.has_enough_digits[0]):
        return  # the caller scores them one by one; beside copies rounding decides which
    same(found.present, expected.present)
    for part, other in zip(found[2:4], expected[2:4], strict=True):
        same(part, other)
    both = np.isfinite(found.exchanged) & np.isfinite(expected.exchanged)
    same(found.exchanged[both], expected.exchanged[both])
    if not judge.has_common_size:  # where only the best are scored, ties may fall on either side
        same(found.exchanged, expected.exchanged)


@pytest.mark.parametrize("name", ["common-size", "evidence"])
def test_scores_of_neighbours_have_nine_digits_where_columns_are_not_copies(name, rng):
    X = rng.standard_normal((40, 30))
    problem = problem_of(X, X[:, :5].sum(axis=1) + rng.standard_normal(40))
    field, _ = a_field(problem)
    judge = CRITERIA[name].judge(problem, 8)
    members = np.asarray([[0, 1, 2, 3, 9], [4, 5, 6, 7, 8]])
    expected = definition_of(neighbours)(field, members, judge, resize=True)
    found = neighbours(field, members, judge, resize=True)
    for part, other in zip(found[:4], expected[:4], strict=True):
        same(part, other, atol=1e-9)


@examples(25)
@given(problems(), st.sampled_from(sorted(CRITERIA)), st.data())
def test_searches(drawn, name, data):
    problem, rng = drawn
    n_columns = problem.b.size
    # With more members every support fits, and where a walk goes is rounding.
    most = min(int(np.sum(problem.diagonal > 0.0)), max(int(problem.n) - 3, 1))
    K = data.draw(st.integers(1, most))
    always = np.isin(np.arange(n_columns), rng.permutation(n_columns)[: K // 4])

    def found():
        options = {"generator": np.random.default_rng(1), "criterion": name, "always": always}
        return refine(problem, K, **options)

    compiled, expected = found(), without_kernel(found)
    assert compiled.judge.is_diluted == expected.judge.is_diluted
    # Of two copies either may be taken, and walks part: the best is the same where starts agree.
    G, one, other = problem.G, compiled.n_agreeing_starts, expected.n_agreeing_starts
    if not np.isclose(G[0, -1], G[0, 0]) or min(one, other) > 0:
        same(*(np.full(1, one.objective) for one in (compiled, expected)))


def test_a_search_finds_the_same_supports_with_the_same_draws(rng):
    X = rng.standard_normal((3, 25, 40))
    y = X[..., :6].sum(axis=-1) + 0.7 * rng.standard_normal((3, 25))
    batch = batch_of(X, y)

    def found(seed):
        draws = {"generator": np.random.default_rng(seed), "criterion": "common-size"}
        return refine(batch.problem(seed), 6, **draws)

    for seed in range(3):
        compiled, expected = found(seed), without_kernel(found, seed)
        assert compiled.support.tolist() == expected.support.tolist()
        assert compiled.n_iter == expected.n_iter
        assert compiled.ranked.supports.tolist() == expected.ranked.supports.tolist()
        scores = (compiled.ranked.scores, expected.ranked.scores)
        np.testing.assert_allclose(*scores, rtol=0, atol=1e-9)


@pytest.mark.parametrize("sizes", ["free", "given"])
@pytest.mark.parametrize("name", ["common-size", "evidence"])
@pytest.mark.parametrize("cost_of_column", [None, -np.linspace(0.0, 6.0, 20)])
def test_chains_make_the_same_steps(sizes, name, cost_of_column):
    rng = np.random.default_rng(3)
    X = rng.standard_normal((30, 20))
    X[:, 7] = X[:, 2] + 0.1 * rng.standard_normal(30)
    problem = problem_of(X, X[:, :3].sum(axis=1) + 2.0 * rng.standard_normal(30))
    field, _ = a_field(problem, locked=[1], excluded=[5])
    prior = size_prior(1, 6, 20)
    if sizes == "given":
        prior = np.where(np.arange(7) == 4, 0.0, -np.inf)
    masks = np.zeros((5, 20), dtype=bool)
    masks[:, [1, 2, 9, 11]] = True
    begin = (
        field,
        CRITERIA[name].judge(problem, 6),
        costs_of_sizes(prior, 19, 1),
        masks,
        np.linspace(0.1, 1.0, 20),
    )
    samples = []
    for kind in (CompiledChains, Chains):
        chains = kind(*begin, np.random.default_rng(8), POSTERIOR, cost_of_column)
        chains.run(7)
        chains.cool_down(9)
        samples.append((chains.run(23), chains.visited))
    (found, been), (expected, visited) = samples
    for part, other in zip(found, expected, strict=True):
        np.testing.assert_allclose(part, other, rtol=1e-9, atol=1e-12)
    np.testing.assert_array_equal(been.masks, visited.masks)
    np.testing.assert_allclose(been.costs, visited.costs, rtol=0, atol=1e-9)


@examples(60)
@given(
    st.integers(0, 10**6), st.integers(1, 60), st.integers(1, 60), st.sampled_from([3, 20, 80, 200])
)
def test_means_of_determinants(seed, n_rows, n_columns, most):
    rng = np.random.default_rng(seed)
    values = rng.gamma(0.3, size=(2, min(n_rows, n_columns)))
    values[1, -1] = 0.0
    turns = np.linalg.qr(rng.standard_normal((2, *values.shape[1:] * 2)))[0]
    matrices = n_rows * (turns * values[:, None, :]) @ turns.swapaxes(1, 2)
    of = [ColumnProducts(0.5 * (own + own.T), n_columns, np.zeros(0)) for own in matrices]
    # Beside smaller κ the rounding of an eigenvalue of zero would count.
    by = (np.full(2, float(n_rows)), 10.0 ** np.arange(-3.0, 5.0), most)
    for found, expected in zip(_means(of, *by), without_kernel(_means, of, *by), strict=True):
        np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-9)


@examples(40)
@given(problems(), st.sampled_from([0.0, 0.02, 0.5]), st.sampled_from([0.2, 0.5, 1.0]))
def test_first_steps_of_gates(drawn, alpha, tau):
    of = (Batch.of([drawn[0]]), np.full(1, alpha), tau)
    expected = without_kernel(warm_up_coefficients, *of)
    np.testing.assert_allclose(warm_up_coefficients(*of), expected, rtol=0, atol=1e-7)


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
def test_tables(raw, centre, is_some):
    D = raw[0].shape[2]
    options = {"centre": centre, "columns": np.arange(max(D - 1, 1)) if is_some else None}
    found, expected = as_tables(*raw, **options), without_kernel(as_tables, *raw, **options)
    np.testing.assert_array_equal(found.varies, expected.varies)
    for ours, theirs in zip(found.units, expected.units, strict=True):
        np.testing.assert_allclose(ours, theirs, rtol=1e-8, atol=1e-8 * np.abs(theirs).max())
    ours, theirs = found.batch, expected.batch
    n = theirs.n[:, None]
    np.testing.assert_allclose(ours.n, theirs.n, rtol=1e-14)
    np.testing.assert_allclose(ours.b / n, theirs.b / n, atol=1e-6)
    np.testing.assert_allclose(ours.G / n[..., None], theirs.G / n[..., None], atol=1e-6)


@pytest.mark.parametrize("shape", [(20, 30), (40, 11)])
def test_numbers_out_of_range_have_units_and_change_no_bit_of_other_tables(shape, rng):
    X, y = rng.standard_normal((2, *shape)), rng.standard_normal((2, shape[0]))
    alone = as_tables(X[:1], y[:1])
    X[1, :, 3] *= 1e200
    X[1, :, 4] *= 1e-250
    found, expected = as_tables(X, y), without_kernel(as_tables, X, y)
    np.testing.assert_allclose(found.units.scale, expected.units.scale, rtol=1e-12)
    np.testing.assert_allclose(found.batch.G, expected.batch.G, atol=1e-10)
    # The kernel's, one by one.
    np.testing.assert_array_equal(found.units.scale[0], alone.units.scale[0])
    assert_same_numbers(found.batch.G[0], alone.batch.G[0])


@pytest.mark.parametrize("shape", [(40, 11), (15, 30)])
def test_rows_of_weight_zero_and_other_tables_change_no_bit(shape, rng):
    X, y = rng.standard_normal((3, *shape)), rng.standard_normal((3, shape[0]))
    weights = np.ones(y.shape)
    weights[:, -2:] = 0.0
    together = as_tables(X, y, weights)
    fewer_rows = as_tables(X[1:2, :-2], y[1:2, :-2])
    as_many_rows = as_tables(X[1:2], y[1:2], weights[1:2])
    for alone in (fewer_rows, as_many_rows):
        for ours, theirs in zip(together.units[2:], alone.units[2:], strict=True):
            np.testing.assert_array_equal(ours[1], theirs[0])
        # Sums are those of BLAS, not of the kernel.
        assert_same_numbers(together.batch.G[1], alone.batch.G[0])


@pytest.fixture(scope="module")
def plain_library(tmp_path_factory):
    """The kernel for any processor, without the paths for certain ones."""
    return built(tmp_path_factory.mktemp("kernel"), "-DPROJSTG_ONE_PATH")


@pytest.mark.parametrize("options", [{}, {"n_features_to_select": 4}])
@pytest.mark.parametrize("shape", [(30, 40), (100, 9)])
def test_every_processor_gives_the_same_digits(options, shape, plain_library, monkeypatch):
    rng = np.random.default_rng(3)
    X = rng.standard_normal(shape)
    y = X[:, :4].sum(axis=1) + 0.8 * rng.standard_normal(shape[0])
    here = ProjectedSTG(**options).fit(X, y)
    monkeypatch.setattr(library, "KERNEL", plain_library)
    there = ProjectedSTG(**options).fit(X, y)
    assert here.objective_ == there.objective_
    assert here.alternatives_ == there.alternatives_
    np.testing.assert_array_equal(here.inclusion_probability_, there.inclusion_probability_)


@pytest.mark.parametrize("options", [{}, {"n_features_to_select": 4}])
def test_a_fit_is_the_same(options, rng):
    X = rng.standard_normal((40, 24))
    y = X[:, :4] @ [1.0, -1.0, 0.5, 0.5] + rng.standard_normal(40)
    found = ProjectedSTG(**options).fit(X, y)
    expected = without_kernel(ProjectedSTG(**options).fit, X, y)
    assert found.support_.tolist() == expected.support_.tolist()
    for name in ("inclusion_probability_", "size_probability_", "coef_", "objective_"):
        one, other = getattr(found, name), getattr(expected, name)
        np.testing.assert_allclose(one, other, rtol=1e-9, atol=1e-9)


def test_numbers_that_decide_nothing_are_at_the_edges_of_what_floats_can_say():
    X = np.random.default_rng(0).standard_normal((30, 15))
    for scale in (1e-150, 1e150):
        model = ProjectedSTG(2).fit(X * scale, X[:, 3] - X[:, 4])
        assert model.get_support(indices=True).tolist() == [3, 4]


@pytest.mark.parametrize("name", CRITERIA)
@pytest.mark.parametrize("n_different", [1, 2, 4])
def test_many_copies_of_few_columns(name, n_different):
    rng = np.random.default_rng(n_different)
    X = rng.standard_normal((40, n_different))[:, np.arange(35) % n_different]
    problem = problem_of(X, X[:, 0] + rng.standard_normal(40))
    field, columns = a_field(problem)
    judge = replace(CRITERIA[name], is_diluted=False).judge(problem, 35)
    for K in range(2, 36):
        supports = np.stack([np.sort(rng.permutation(35)[:K]) for _ in range(4)])
        found = scores_of(problem, field, columns, supports, judge)
        same(found.total, support_scores(problem, supports, judge), atol=1e-6)


def test_forced_columns_that_depend_on_others_are_left_to_numpy():
    rng = np.random.default_rng(23)
    X = rng.standard_normal((30, 24))
    X[:, 0] = 0.0
    problem = problem_of(X, X[:, 1:7].sum(axis=1) + rng.standard_normal(30))
    always = np.arange(24) < 2

    def found(seed):
        options = {"criterion": "evidence", "n_starts": 1, "always": always}
        return refine(problem, 6, generator=np.random.default_rng(seed), **options)

    for seed in range(8):
        expected = without_kernel(found, seed)
        np.testing.assert_allclose(found(seed).objective, expected.objective, atol=1e-8)


def test_rows_of_a_large_table_are_fetched_only_where_they_are_needed():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((700, 320))
    y = X[:, :3].sum(axis=1) + 1e-4 * rng.standard_normal(700)
    model = ProjectedSTG(3, probabilities=False).fit(X, y)
    assert model.get_support(indices=True).tolist() == [0, 1, 2]
    expected = without_kernel(ProjectedSTG(3, probabilities=False).fit, X, y)
    assert model.objective_ == pytest.approx(expected.objective_, rel=1e-9)
