"""Problems on measured tables: real columns, and three ways to say which of them are true.

The paper reports true positives and false discoveries on two real tables without saying what the
truth is, and none can be read off them: many columns are nearly, some exactly, combinations of
others. A setting therefore names its *truth*:

    planted     y = Xβ* + ε with ±1 at random columns of the real X: the truth is known
    nuisance    the real y; all columns again, rows shuffled: an original counts as true
    consensus   the real y; the columns that resampling the whole table agrees on are true
    held-out    the real y and no truth: as many other rows are kept back to be predicted

A problem is a random set of rows. In these rows some columns are constant and some repeat another
up to scale; they are dropped, and every trial says how many. Columns are standardised, and a
measured y too, on the rows drawn, because no method here fits an intercept. Columns come in random
order, for some methods break ties by place. As everywhere, (root, setting, repetition) is the seed.
"""

from __future__ import annotations

import socket
import warnings
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

from .._did_you_mean import did_you_mean
from ..datasets._checks import check_count, choose
from ..datasets.real import fetch_ailerons, fetch_triazines
from ..datasets.settings import canonical, check_noise, seed_sequence
from ..datasets.signals import POSITIONS, SIGNALS, sparse_coef
from ..datasets.simulate import SimulatedProblem, make_sparse_regression, response
from .consensus import agreed_columns, agreement
from .distinct import Columns, distinct_columns

__all__ = [
    "TABLES",
    "TRUTHS",
    "MeasuredProblem",
    "draw",
    "is_measured",
    "measured_problem",
    "measured_setting",
    "missing_tables",
]

# Seconds without an answer after which a download is given up.
_PATIENCE = 20.0


@dataclass(frozen=True)
class RealTable:
    """A table by the function that fetches it, and its size."""

    fetch: Callable[..., Any]
    n_rows: int
    n_inputs: int


TABLES = {
    "ailerons": RealTable(fetch_ailerons, 13750, 40),
    "triazines": RealTable(fetch_triazines, 186, 60),
}
TRUTHS = ("planted", "nuisance", "consensus", "held-out")


@dataclass(frozen=True, eq=False)
class MeasuredProblem(SimulatedProblem):
    """Rows of a table and what counts as true in them.

    ``coef`` is β* where coefficients were planted and NaN elsewhere; ``noise_std`` is σ where they
    were and an estimate elsewhere.
    """

    columns: np.ndarray
    """Which inputs of the table the columns of X are; shuffled copies count on from the last."""
    note: str
    """What was dropped."""
    held_out: tuple[np.ndarray, np.ndarray] | None = None
    """X and y of the rows kept back."""

    @property
    def is_planted(self) -> bool:
        """Whether β* is known."""
        return bool(self.setting["truth"] == "planted")


def is_measured(setting: dict[str, Any]) -> bool:
    """Return whether a setting is about a measured table."""
    return setting.get("design") in TABLES


def draw(setting: dict[str, Any], root: int, repetition: int) -> SimulatedProblem:
    """Return one repetition of a setting, simulated or on a table."""
    make = measured_problem if is_measured(setting) else make_sparse_regression
    return make(**setting, root=root, repetition=repetition)


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
    """Return the setting of :func:`measured_problem`, defaults filled in, without the table.

    ``n_features`` is the number of inputs the table has; how many are left in the rows drawn
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
        setting |= {"signal": signal or "signs", "positions": positions or "random"}
        choose("signal", setting["signal"], SIGNALS)
        choose("positions", setting["positions"], POSITIONS)
        return dict(canonical(setting | check_noise(noise_std, snr, n_informative)))
    given = {"signal": signal, "positions": positions, "noise_std": noise_std, "snr": snr}
    for name, value in given.items():
        if value is not None:
            raise ValueError(f"truth={truth!r} takes y as measured; leave out {name}={value!r}")
    return dict(canonical(setting))


def measured_problem(
    n_samples: int, n_informative: int = 10, *, root: int = 0, repetition: int = 0, **fields: Any
) -> MeasuredProblem:
    """Draw rows of a table and make a problem of them; ``fields`` as for the setting."""
    setting = measured_setting(n_samples, n_informative, **fields)
    rng = np.random.default_rng(seed_sequence(setting, root, repetition))
    X, y = loaded(setting["design"])
    rows = rng.permutation(len(y))
    train = rows[: setting["n_samples"]]
    columns = distinct_columns(X[train])
    if len(columns.kept) < n_informative:
        raise ValueError(
            f"n_informative={n_informative}: only {len(columns.kept)} columns differ in the "
            f"{len(train)} rows drawn; use more rows, or fewer columns"
        )
    parts = _MAKERS[setting["truth"]](rng, setting, columns, train, rows[len(train) :])
    parts = {"note": columns.note, "columns": columns.kept, **parts}
    if setting["truth"] != "planted":  # which is at random places already
        parts = _shuffled(rng, parts)
    return MeasuredProblem(**parts, setting=setting, root=int(root), repetition=int(repetition))


def _shuffled(rng: np.random.Generator, parts: dict[str, Any]) -> dict[str, Any]:
    """Return a problem with its columns in another order."""
    order = rng.permutation(parts["X"].shape[1])
    found = {name: parts[name][order] for name in ("coef", "support", "columns")}
    if "held_out" in parts:
        X, y = parts["held_out"]
        found["held_out"] = X[:, order], y
    return {**parts, **found, "X": np.ascontiguousarray(parts["X"][:, order])}


def _planted(
    rng: np.random.Generator, setting: dict[str, Any], columns: Columns, *_: np.ndarray
) -> dict[str, Any]:
    X, K = columns.standardized, setting["n_informative"]
    coef = sparse_coef(rng, X.shape[1], K, signal=setting["signal"], positions=setting["positions"])
    y, sigma = response(rng, X, coef, noise_std=setting.get("noise_std"), snr=setting.get("snr"))
    return {"X": X, "y": y, "coef": coef, "support": coef != 0, "noise_std": sigma}


def _nuisance(
    rng: np.random.Generator,
    setting: dict[str, Any],
    columns: Columns,
    train: np.ndarray,
    _: np.ndarray,
) -> dict[str, Any]:
    X, n_kept = columns.standardized, len(columns.kept)
    shuffled = X[rng.permutation(len(X))]  # one order for all: copies correlate as originals do
    found = _as_measured(setting, X, train, np.arange(2 * n_kept) < n_kept)
    copies = setting["n_features"] + columns.kept
    return found | {
        "X": np.hstack([X, shuffled]),
        "columns": np.concatenate([columns.kept, copies]),
    }


def _consensus(
    rng: np.random.Generator,
    setting: dict[str, Any],
    columns: Columns,
    train: np.ndarray,
    _: np.ndarray,
) -> dict[str, Any]:
    agreed = agreed_columns(setting["design"], setting["n_informative"], loaded)
    true = columns.standing_for(agreed)
    share = agreement(setting["design"], setting["n_informative"], loaded)
    found = _as_measured(setting, columns.standardized, train, np.isin(columns.kept, true))
    return found | {"note": f"{columns.note}; {share:.0%} of the votes agree"}


def _held_out(
    rng: np.random.Generator,
    setting: dict[str, Any],
    columns: Columns,
    train: np.ndarray,
    others: np.ndarray,
) -> dict[str, Any]:
    X, y = loaded(setting["design"])
    test = others[: len(train)]
    nothing = np.zeros(len(columns.kept), dtype=bool)
    found = _as_measured(setting, columns.standardized, train, nothing)
    back = columns.applied(X[test]), (y[test] - np.mean(y[train])) / np.std(y[train])
    return found | {"held_out": back}


_MAKERS: dict[str, Callable[..., dict[str, Any]]] = {
    "planted": _planted,
    "nuisance": _nuisance,
    "consensus": _consensus,
    "held-out": _held_out,
}


def _as_measured(
    setting: dict[str, Any], X: np.ndarray, train: np.ndarray, support: np.ndarray
) -> dict[str, Any]:
    """Return the measured response of some rows, and σ from least squares on all their columns."""
    target = loaded(setting["design"])[1][train]
    y = (target - np.mean(target)) / np.std(target)
    beta, _, rank, _ = np.linalg.lstsq(X, y)
    left = y - X @ beta
    freedom = max(len(y) - 1 - int(rank), 1)
    return {
        "X": X,
        "y": y,
        "coef": np.full(len(support), np.nan),
        "support": support,
        "noise_std": float(np.sqrt(left @ left / freedom)),
    }


@cache
def loaded(name: str) -> tuple[np.ndarray, np.ndarray]:
    """Return inputs and target of a table, read or fetched once in a process."""
    with _impatient(), warnings.catch_warnings(action="ignore"):
        X, y = TABLES[name].fetch(return_X_y=True, n_retries=1)
    return X, y


def missing_tables(settings: Iterable[dict[str, Any]], download: bool = True) -> dict[str, str]:
    """Return the tables that settings need and that are not at hand, and what to do about each.

    With ``download`` they are fetched, and only those that could not be are missing.
    """
    names = dict.fromkeys(setting["design"] for setting in settings if is_measured(setting))
    found = {name: _lack(name, download) for name in names}
    return {name: lack for name, lack in found.items() if lack}


def _lack(name: str, download: bool) -> str:
    try:
        if download:
            loaded(name)
        else:
            TABLES[name].fetch(download_if_missing=False)
    except (OSError, ValueError) as error:
        return " ".join(str(error).split())
    return ""


@contextmanager
def _impatient() -> Iterator[None]:
    before = socket.getdefaulttimeout()
    socket.setdefaulttimeout(_PATIENCE)
    try:
        yield
    finally:
        socket.setdefaulttimeout(before)
