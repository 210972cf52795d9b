"""One setting has one text, one hash and one generator; mistakes are refused."""

import hashlib
import inspect

import numpy as np
import pytest

from projstg.datasets import (
    DESIGNS,
    SIGNALS,
    canonical_json,
    make_sparse_regression,
    problem_setting,
    seed_sequence,
    setting_hash,
)
from projstg.datasets.settings import option_defaults

PAPER = {"n_samples": 40, "noise_std": 1, "design": "toeplitz"}


def same(left, right):
    return all(
        np.array_equal(getattr(left, field), getattr(right, field))
        for field in ("X", "y", "coef", "support", "noise_std")
    )


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
