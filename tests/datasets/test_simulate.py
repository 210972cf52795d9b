"""Simulated problems: the right laws, and the same numbers whenever and wherever they are drawn."""

import hashlib
import inspect
import json

import numpy as np
import pytest
from scipy import stats

import projstg
from projstg.datasets import (
    DESIGNS,
    POSITIONS,
    SIGNALS,
    canonical_json,
    make_sparse_regression,
    problem_setting,
    seed_sequence,
    setting_hash,
)
from projstg.datasets.settings import option_defaults
from projstg.datasets.simulate import response

RANDOM_DESIGNS = [name for name, design in DESIGNS.items() if "mean" in option_defaults(design)]
# Light enough tails for second moments to be compared on few rows.
LIGHT = {"student": {"df": 12.0}, "heavy": {"moments": 12.0}}
AMPLITUDES = {"given": {"amplitudes": [2, -0.5, 1]}}


def draw(design, n_samples, n_features, rng, **options):
    return DESIGNS[design](rng, n_samples, n_features, **options)


def assert_covariance(X, expected):
    """Sample moments within five standard errors of zero mean and the expected covariance."""
    products = X[:, :, None] * X[:, None, :]
    error = products.std(axis=0) / np.sqrt(len(X))
    assert np.all(np.abs(products.mean(axis=0) - expected) <= 5 * error + 1e-12)
    assert np.all(np.abs(X.mean(axis=0)) <= 5 / np.sqrt(len(X)))


# --- designs --------------------------------------------------------------------------------------


def test_every_design_but_the_fixed_one_is_random():
    assert set(DESIGNS) - set(RANDOM_DESIGNS) == {"orthogonal"}


@pytest.mark.parametrize("design", ["gaussian", "bernoulli", "student", "heavy"])
def test_independent_designs_have_the_identity_as_covariance(design, rng):
    assert_covariance(draw(design, 20_000, 5, rng, **LIGHT.get(design, {})), np.eye(5))


@pytest.mark.parametrize("rho", [-0.6, 0.0, 0.3, 0.9])
def test_toeplitz_covariance(rho, rng):
    lag = np.abs(np.subtract.outer(np.arange(6), np.arange(6)))
    assert_covariance(draw("toeplitz", 20_000, 6, rng, rho=rho), float(rho) ** lag)


@pytest.mark.parametrize("rho", [0.0, 0.3, 0.9])
def test_equicorrelated_covariance(rho, rng):
    expected = np.full((5, 5), rho) + (1 - rho) * np.eye(5)
    assert_covariance(draw("equicorrelated", 20_000, 5, rng, rho=rho), expected)


@pytest.mark.parametrize(("block_size", "n_features"), [(2, 6), (4, 6), (1, 3), (9, 4)])
def test_block_covariance_also_with_a_short_last_block(block_size, n_features, rng):
    label = np.arange(n_features) // block_size
    expected = 0.6 * np.equal.outer(label, label) + 0.4 * np.eye(n_features)
    X = draw("block", 20_000, n_features, rng, block_size=block_size, rho=0.6)
    assert_covariance(X, expected)


def test_bernoulli_entries_are_plus_or_minus_one(rng):
    assert set(np.unique(draw("bernoulli", 50, 4, rng))) == {-1.0, 1.0}


@pytest.mark.parametrize("df", [2.5, 5.0])
def test_student_entries_have_the_law_of_t_at_variance_one(df, rng):
    X = draw("student", 4000, 5, rng, df=df)
    law = stats.t(df, scale=np.sqrt((df - 2) / df))
    assert law.var() == pytest.approx(1.0)
    assert stats.kstest(X.ravel(), law.cdf).pvalue > 1e-3


def heavy_size(tail, index):
    """The law of |x| written out: its tail and its second moment."""
    if tail == "student":
        law = stats.t(index, scale=np.sqrt((index - 2) / index))
        return lambda t: 2 * law.sf(t), law.var()
    law = stats.lomax(index, scale=np.sqrt((index - 1) * (index - 2) / 2))
    return law.sf, law.moment(2)


@pytest.mark.parametrize("moments", [2, 4, 4.5])
@pytest.mark.parametrize("tail", ["student", "pareto"])
def test_heavy_entries_have_the_moments_asked_for_and_variance_one(tail, moments, rng):
    X = draw("heavy", 4000, 5, rng, moments=moments, tail=tail)
    exceeds, variance = heavy_size(tail, moments + 0.1)
    assert variance == pytest.approx(1.0)
    assert stats.kstest(np.abs(X).ravel(), lambda t: 1 - exceeds(t)).pvalue > 1e-3
    assert stats.binomtest(int(np.sum(X > 0)), X.size).pvalue > 1e-3
    # far out the tail falls by 10^-(moments + 0.1) from t to 10t: no moment of a higher order
    fall = np.log10(exceeds(1e3) / exceeds(1e4))
    assert fall == pytest.approx(moments + 0.1, rel=0.01)


@pytest.mark.parametrize("design", ["student", "heavy"])
@pytest.mark.parametrize("mean", [0.0, 0.7])
def test_truncation_shortens_long_rows_and_leaves_the_others(design, mean):
    alpha, options = 1.2, {"mean": mean}
    whole = draw(design, 2000, 6, np.random.default_rng(3), **options)
    X = draw(design, 2000, 6, np.random.default_rng(3), truncate=alpha, **options)
    radius, length = alpha * np.sqrt(6), np.linalg.norm(whole, axis=1)
    is_long = length > radius
    assert 0 < is_long.sum() < 1500
    assert np.array_equal(X[~is_long], whole[~is_long])
    np.testing.assert_allclose(np.linalg.norm(X[is_long], axis=1), radius, rtol=1e-12)
    direction = whole[is_long] / length[is_long, None]
    np.testing.assert_allclose(X[is_long] / radius, direction, rtol=1e-12)


@pytest.mark.parametrize("design", RANDOM_DESIGNS)
@pytest.mark.parametrize("mean", [1.5, [0.0, -1.0, 2.0]])
def test_the_mean_moves_every_random_design(design, mean):
    centred = draw(design, 30, 3, np.random.default_rng(5))
    moved = draw(design, 30, 3, np.random.default_rng(5), mean=mean)
    np.testing.assert_allclose(moved - centred, np.broadcast_to(mean, (30, 3)), atol=1e-12)


@pytest.mark.parametrize("basis", ["cosine", "hadamard"])
@pytest.mark.parametrize("shape", [(16, 16), (16, 5), (64, 63), (1, 1), (512, 200)])
def test_long_orthogonal_designs_have_gram_n(basis, shape):
    N, D = shape
    X = DESIGNS["orthogonal"](None, N, D, basis=basis)
    assert X.shape == shape
    np.testing.assert_allclose(X.T @ X / N, np.eye(D), rtol=0, atol=1e-12)
    if N > D:
        np.testing.assert_allclose(X.mean(axis=0), 0.0, atol=1e-13)


@pytest.mark.parametrize("shape", [(37, 11), (101, 101), (900, 7)])
def test_the_cosine_basis_needs_no_power_of_two(shape):
    N, D = shape
    X = DESIGNS["orthogonal"](None, N, D)
    np.testing.assert_allclose(X.T @ X / N, np.eye(D), rtol=0, atol=1e-12)
    angle = np.pi * (2 * np.arange(N)[:, None] + 1) * np.arange(1, min(D, N - 1) + 1) / (2 * N)
    np.testing.assert_allclose(X[:, : N - 1], np.sqrt(2) * np.cos(angle), atol=1e-12)


@pytest.mark.parametrize("basis", ["cosine", "hadamard"])
@pytest.mark.parametrize("shape", [(40, 64), (20, 64), (5, 32), (1, 4)])
def test_wide_orthogonal_designs_have_orthogonal_rows_and_unlike_columns(basis, shape):
    N, D = shape
    X = DESIGNS["orthogonal"](None, N, D, basis=basis)
    assert X.shape == shape
    np.testing.assert_allclose(X @ X.T / D, np.eye(N), rtol=0, atol=1e-12)
    columns = X / np.linalg.norm(X, axis=0)
    cosines = np.abs(columns.T @ columns)[np.triu_indices(D, 1)]
    if N >= 20:  # the first rows of the basis would give 0.93 and more, Gaussian rows 0.72
        assert np.max(cosines) < 0.65


def test_hadamard_entries_are_signs_and_other_sizes_are_refused():
    assert set(np.unique(DESIGNS["orthogonal"](None, 16, 7, basis="hadamard"))) == {-1.0, 1.0}
    with pytest.raises(ValueError, match=r"12 as the larger .* power of two.*basis='cosine'"):
        DESIGNS["orthogonal"](None, 12, 7, basis="hadamard")


# --- signals --------------------------------------------------------------------------------------


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


# --- noise ----------------------------------------------------------------------------------------


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


# --- one draw, one name ---------------------------------------------------------------------------


def digest(problem):
    """SHA-256 of the numbers of a problem rounded to 12 digits, beginning."""
    numbers = np.concatenate([problem.X.ravel(), problem.y, problem.coef, [problem.noise_std]])
    rounded = np.round(numbers, 12) + 0.0  # no negative zeros
    return hashlib.sha256(rounded.astype("<f8").tobytes()).hexdigest()[:16]


DIGESTS = {
    "gaussian": "de2bd7965e3f3598",
    "bernoulli": "62e2283db30be60d",
    "toeplitz": "e84cb7176b7f2352",
    "equicorrelated": "ba44973c453be5b4",
    "block": "9586eb3562d549ad",
    "student": "4ab5276fe43689e5",
    "heavy": "0f1061ccc8853e4c",
    "orthogonal": "e0d60fd72e8c42e2",
}


@pytest.mark.parametrize("design", DESIGNS)
def test_the_same_bytes_on_every_machine(design):
    problem = make_sparse_regression(
        9, 5, 2, design=design, signal="normal", snr=3.0, root=7, repetition=11
    )
    assert digest(problem) == DIGESTS[design]


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


def test_the_generator_is_the_documented_one():
    setting = problem_setting(3, 2, 0, noise_std=1)
    text = canonical_json(setting).encode()
    words = np.frombuffer(hashlib.sha256(text).digest(), dtype=">u4").tolist()
    seed = np.random.SeedSequence([5, *words, 9])
    assert np.array_equal(seed_sequence(setting, 5, 9).generate_state(4), seed.generate_state(4))
    rng = np.random.default_rng(seed)
    problem = make_sparse_regression(3, 2, 0, noise_std=1, root=5, repetition=9)
    rng.permutation(2)
    assert np.array_equal(problem.X, rng.standard_normal((3, 2)))


PAPER = {"n_samples": 40, "noise_std": 1, "design": "toeplitz"}


def test_the_hash_of_a_setting_does_not_change():
    setting = problem_setting(**PAPER)
    assert canonical_json(setting) == (
        '{"design":"toeplitz","mean":0,"n_features":64,"n_informative":10,"n_samples":40,'
        '"noise_std":1,"positions":"random","rho":0.3,"signal":"signs"}'
    )
    assert setting_hash(setting) == (
        "96ed681fabe7af4d7ebe1db4438030df724d4ca18aa68ad63a7184421a2d67f4"
    )


@pytest.mark.parametrize(
    "spelling",
    [
        dict(reversed(PAPER.items())),
        PAPER | {"n_samples": 40.0, "noise_std": 1.0},
        PAPER | {"n_samples": np.int32(40), "noise_std": np.float32(1)},
        PAPER | {"rho": 0.3, "n_features": 64, "positions": "random", "snr": None},
        PAPER | {"mean": -0.0},
        PAPER | {"design": np.str_("toeplitz")},
    ],
)
def test_one_setting_has_one_spelling(spelling):
    setting = problem_setting(**spelling)
    assert setting_hash(setting) == setting_hash(problem_setting(**PAPER))
    assert {type(value) for value in setting.values()} <= {int, float, str}
    assert same(make_sparse_regression(**spelling), make_sparse_regression(**PAPER))


def test_a_raw_dict_is_hashed_whatever_its_order_and_spelling():
    left = {"a": 40, "b": [1, 2.5], "c": {"y": 1, "x": 0.1}}
    right = {"c": {"x": 0.1, "y": 1.0}, "b": (np.float64(1), 2.5), "a": 40.0}
    assert setting_hash(left) == setting_hash(right)
    assert setting_hash(left) != setting_hash(left | {"a": 41})
    assert setting_hash({"a": True}) != setting_hash({"a": 1})


def test_options_of_designs_and_signals_never_share_a_name():
    core = {*inspect.signature(make_sparse_regression).parameters}
    for design in DESIGNS.values():
        for signal in SIGNALS.values():
            assert not set(option_defaults(design)) & set(option_defaults(signal))
            assert not core & {*option_defaults(design), *option_defaults(signal)}


def test_large_d_needs_no_covariance_matrix():
    problem = make_sparse_regression(3, 50_000, 5, design="block", noise_std=1)
    assert problem.X.shape == (3, 50_000)


# --- refusals -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"design": "gausian"}, "design='gausian' is not known; did you mean 'gaussian'"),
        ({"design": None}, "design=None is not known; use one of 'gaussian', 'bernoulli'"),
        ({"signal": "sings"}, "did you mean 'signs'"),
        ({"positions": "random "}, "did you mean 'random'"),
        ({"design": "toeplitz", "roh": 0.2}, "no option 'roh'; did you mean 'rho'"),
        ({"rho": 0.2}, "design='gaussian' with signal='signs' has no option 'rho'; use one of 'me"),
        ({"design": "orthogonal", "mean": 1}, "no option 'mean'; use one of 'basis'"),
        ({"noise_std": None}, "noise_std=None and snr=None: give exactly one"),
        ({"snr": 2}, "noise_std=0.5 and snr=2: give exactly one"),
        ({"n_informative": 0, "noise_std": None, "snr": 2}, "no signal .* give noise_std"),
        ({"n_samples": 1, "noise_std": None, "snr": 2}, "does not vary over the 1 rows"),
        ({"noise_std": None, "snr": 0}, r"snr=0 will not do; use a number in \(0, inf\)"),
        ({"noise_std": -1}, r"noise_std=-1 will not do; use a number in \[0, inf\)"),
        ({"noise_std": "1"}, "noise_std='1' will not do"),
        ({"noise_std": float("nan")}, "noise_std=nan will not do"),
        ({"n_samples": 0}, "n_samples=0 will not do; use a whole number, at least 1"),
        ({"n_samples": 2.5}, "n_samples=2.5 will not do"),
        ({"n_samples": True}, "n_samples=True will not do"),
        ({"n_features": "8"}, "n_features='8' will not do"),
        ({"n_informative": 9}, "n_informative=9 will not do; use a whole number, from 0 to 8"),
        ({"root": -1}, "root=-1 will not do"),
        ({"repetition": 0.5}, "repetition=0.5 will not do"),
        ({"design": "toeplitz", "rho": 1}, r"rho=1 will not do; use a number in \(-1, 1\)"),
        ({"design": "equicorrelated", "rho": -0.1}, r"use a number in \[0, 1\)"),
        ({"design": "block", "block_size": 0}, "block_size=0 will not do"),
        ({"design": "student", "df": 2}, r"df=2 will not do; use a number in \(2, inf\)"),
        ({"design": "student", "truncate": 0}, "truncate=0 will not do"),
        ({"design": "heavy", "moments": 1}, r"moments=1 will not do; use a number in \[2, inf\)"),
        ({"design": "heavy", "tail": "paretto"}, "did you mean 'pareto'"),
        ({"design": "orthogonal", "basis": "cos"}, "did you mean 'cosine'|use one of 'cosine'"),
        ({"mean": [1, 2]}, r"mean has shape \(2,\); use one number, or a list of 8"),
        ({"mean": float("inf")}, "inf cannot be part of a setting"),
        ({"mean": object()}, "cannot be part of a setting"),
        ({"signal": "decaying", "decay": 1.5}, "decay=1.5 will not do"),
        ({"signal": "given"}, r"signal='given' needs amplitudes; give amplitudes=\[...\]"),
        ({"signal": "given", "amplitudes": [1, 2]}, "give 3 amplitudes, or n_informative=2"),
        ({"signal": "given", "amplitudes": [1, 0, 2]}, "has a zero.*n_informative=2"),
    ],
)
def test_mistakes_are_refused_with_what_to_type(change, message):
    usual = {"n_samples": 10, "n_features": 8, "n_informative": 3, "noise_std": 0.5}
    with pytest.raises(ValueError, match=message):
        make_sparse_regression(**(usual | change))


def test_the_module_is_public():
    assert projstg.datasets.make_sparse_regression is make_sparse_regression
