"""The setting of a problem on a measured table, with its defaults, without loading the table."""

from __future__ import annotations

from typing import Any

from ..._did_you_mean import did_you_mean
from ...datasets._checks import check_count, choose
from ...datasets.settings import canonical, check_noise
from ...datasets.signals import POSITIONS, SIGNALS
from .measured_tables import TABLES

__all__ = ["TRUTHS", "is_measured", "measured_setting"]

TRUTHS = ("planted", "nuisance", "consensus", "held-out")


def is_measured(setting: dict[str, Any]) -> bool:
    """Return whether a setting is about a measured table."""
    return setting.get("design") in TABLES


def measured_setting(
    n_samples: int,
    n_informative: int = 10,
    *,
    design: str,
    truth: str = "planted",
    n_features: int | None = None,
    signal: str | None = None,
    positions: str | None = None,
    noise_std: float | None = None,
    snr: float | None = None,
    **options: Any,
) -> dict[str, Any]:
    """Return the setting of :func:`measured_problem` with its defaults, without the table.

    ``n_features`` is the number of inputs of the table; how many of them vary in the rows drawn
    differs by repetition.

    Examples
    --------
    >>> measured_setting(100, 3, design="triazines", snr=5)["n_features"]
    60
    """
    table = choose("design", design, TABLES)
    choose("truth", truth, dict.fromkeys(TRUTHS))
    for name in options:
        hint = did_you_mean(name, ["truth"])
        raise ValueError(f"design={design!r} has no option {name!r}; {hint}")
    if n_features not in (None, table.n_inputs):
        raise ValueError(f"n_features={n_features}: {design} has {table.n_inputs}; leave it out")
    most = table.n_rows // 2 if truth == "held-out" else table.n_rows
    setting: dict[str, Any] = {
        "design": design,
        "truth": truth,
        "n_samples": check_count("n_samples", n_samples, 3, most),
        "n_features": table.n_inputs,
        "n_informative": check_count("n_informative", n_informative, 1, table.n_inputs),
    }
    if truth == "planted":
        setting |= _planted_fields(n_informative, signal, positions, noise_std, snr)
    else:
        _refuse_response(truth, signal=signal, positions=positions, noise_std=noise_std, snr=snr)
    return dict(canonical(setting))


def _planted_fields(
    n_informative: int,
    signal: str | None,
    positions: str | None,
    noise_std: float | None,
    snr: float | None,
) -> dict[str, Any]:
    """Return the fields of a planted response, with their defaults."""
    fields = {"signal": signal or "signs", "positions": positions or "random"}
    choose("signal", fields["signal"], SIGNALS)
    choose("positions", fields["positions"], POSITIONS)
    return fields | check_noise(noise_std, snr, n_informative)


def _refuse_response(truth: str, **given: Any) -> None:
    """Raise where a field of a planted response is given and y is the measured one."""
    for name, value in given.items():
        if value is not None:
            raise ValueError(f"truth={truth!r} takes y as measured; leave out {name}={value!r}")
