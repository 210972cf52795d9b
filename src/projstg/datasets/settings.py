"""Settings: everything that fixes a simulated problem except its seed, written in one way only.

A setting is a plain dict of JSON values with every default filled in, so that ``rho`` left out and
``rho=0.3``, or 40 and 40.0, are the same setting. Its canonical text has one hash, and the
generator of a problem depends on (root, setting, repetition) alone: not on the method that will be
fitted, not on what was drawn before.
"""

from __future__ import annotations

import hashlib
import inspect
import json
import math
from collections.abc import Callable, Mapping
from numbers import Integral, Real
from typing import Any

import numpy as np

from .._did_you_mean import did_you_mean
from ._checks import check_count, check_number, choose
from .designs import DESIGNS
from .signals import POSITIONS, SIGNALS

__all__ = [
    "canonical_json",
    "check_noise",
    "option_defaults",
    "problem_setting",
    "seed_sequence",
    "setting_hash",
]

# Floats hold whole numbers up to here exactly, so 40.0 may be written 40.
_MOST_WHOLE = 2.0**53


def canonical(value: Any) -> Any:
    """Return ``value`` as JSON holds it, each number written in one way.

    Examples
    --------
    >>> canonical({"n": np.float64(40), "amplitudes": (1, -0.5)})
    {'n': 40, 'amplitudes': [1, -0.5]}
    """
    if isinstance(value, Mapping):
        return {str(key): canonical(item) for key, item in value.items()}
    if isinstance(value, list | tuple | range | np.ndarray):
        return [canonical(item) for item in value]
    if value is None or isinstance(value, bool | np.bool_):
        return None if value is None else bool(value)
    if isinstance(value, str):
        return str(value)
    if isinstance(value, Integral):
        return int(value)
    if isinstance(value, Real) and math.isfinite(value):
        number = float(value)
        return int(number) if number.is_integer() and abs(number) <= _MOST_WHOLE else number
    raise ValueError(
        f"{value!r} cannot be part of a setting; use finite numbers, strings and lists of them"
    )


def canonical_json(setting: Mapping[str, Any]) -> str:
    """Return the one text of a setting: sorted keys, no spaces, whole numbers without a point.

    Examples
    --------
    >>> canonical_json({"n_samples": 40.0, "design": "gaussian"})
    '{"design":"gaussian","n_samples":40}'
    """
    return json.dumps(canonical(setting), sort_keys=True, separators=(",", ":"), allow_nan=False)


def setting_hash(setting: Mapping[str, Any]) -> str:
    """Return the SHA-256 of the canonical text, in hexadecimal.

    Examples
    --------
    >>> setting_hash({"n": 1})[:8] == setting_hash({"n": 1.0})[:8]
    True
    """
    return hashlib.sha256(canonical_json(setting).encode("utf-8")).hexdigest()


def seed_sequence(
    setting: Mapping[str, Any], root: int = 0, repetition: int = 0
) -> np.random.SeedSequence:
    """Return the seed of one repetition of a setting; it depends on these three alone.

    Examples
    --------
    >>> setting = problem_setting(40, noise_std=0.5)
    >>> seed_sequence(setting, repetition=3).entropy[-1]
    3
    """
    digest = setting_hash(setting)
    words = [int(digest[i : i + 8], 16) for i in range(0, len(digest), 8)]
    root, repetition = check_count("root", root, 0), check_count("repetition", repetition, 0)
    return np.random.SeedSequence([root, *words, repetition])


def option_defaults(function: Callable[..., Any]) -> dict[str, Any]:
    """Return the options of a design or signal and their defaults; ``empty`` where there is none.

    Examples
    --------
    >>> option_defaults(DESIGNS["toeplitz"])
    {'rho': 0.3, 'mean': 0.0}
    """
    parameters = inspect.signature(function).parameters.values()
    return {p.name: p.default for p in parameters if p.kind is p.KEYWORD_ONLY}


def problem_setting(
    n_samples: int,
    n_features: int = 64,
    n_informative: int = 10,
    *,
    design: str = "gaussian",
    signal: str = "signs",
    positions: str = "random",
    noise_std: float | None = None,
    snr: float | None = None,
    **options: Any,
) -> dict[str, Any]:
    """Return the setting of :func:`make_sparse_regression` without drawing anything.

    Options that are None are left out, and of ``noise_std`` and ``snr`` only the one given is
    there. ``make_sparse_regression(**setting)`` draws it.

    Examples
    --------
    >>> problem_setting(40, 8, 2, design="toeplitz", noise_std=1.0)
    {'design': 'toeplitz', 'n_samples': 40, 'n_features': 8, 'n_informative': 2,
     'signal': 'signs', 'positions': 'random', 'noise_std': 1, 'rho': 0.3, 'mean': 0}
    """
    choose("positions", positions, POSITIONS)
    n_features = check_count("n_features", n_features, 1)
    setting = {
        "design": design,
        "n_samples": check_count("n_samples", n_samples, 1),
        "n_features": n_features,
        "n_informative": check_count("n_informative", n_informative, 0, n_features),
        "signal": signal,
        "positions": positions,
        **check_noise(noise_std, snr, n_informative),
        **_options(design, signal, options),
    }
    return {name: value for name, value in canonical(setting).items() if value is not None}


def check_noise(noise_std: float | None, snr: float | None, n_informative: int) -> dict[str, float]:
    """Return the one that is given, checked; exactly one of the two must be.

    Examples
    --------
    >>> check_noise(None, 2.0, n_informative=10)
    {'snr': 2.0}
    """
    if (noise_std is None) == (snr is None):
        raise ValueError(
            f"noise_std={noise_std!r} and snr={snr!r}: give exactly one of them, "
            "as in noise_std=0.5 or snr=2.0"
        )
    if noise_std is not None:
        return {"noise_std": check_number("noise_std", noise_std, 0.0, or_equal=True)}
    if n_informative == 0:
        raise ValueError(
            f"snr={snr!r} with n_informative=0: there is no signal to compare the noise with; "
            "give noise_std instead"
        )
    return {"snr": check_number("snr", snr, 0.0)}


def _options(design: str, signal: str, options: Mapping[str, Any]) -> dict[str, Any]:
    """Return the options of the design and the signal with their defaults; refuse unknown ones."""
    defaults = option_defaults(choose("design", design, DESIGNS))
    defaults |= option_defaults(choose("signal", signal, SIGNALS))
    for name in options:
        if name not in defaults:
            raise ValueError(
                f"design={design!r} with signal={signal!r} has no option {name!r}; "
                + did_you_mean(name, defaults)
            )
    filled = defaults | dict(options)
    for name, value in filled.items():
        if value is inspect.Parameter.empty:
            raise ValueError(f"signal={signal!r} needs {name}; give {name}=[...]")
    return filled
