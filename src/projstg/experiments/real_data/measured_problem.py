"""One problem on a measured table: random rows of it, and what counts as true in them.

In the rows drawn some columns are constant and some repeat another up to scale; they are dropped,
and every result says how many. Columns are standardised on the rows drawn, and so is a measured y,
because no method here fits an intercept. Columns are in random order, because some methods break
ties by position. As everywhere, (root, setting, repetition) is the seed.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...datasets.settings import seed_sequence
from ...datasets.signals import sparse_coef
from ...datasets.simulate import SimulatedProblem, make_sparse_regression, response
from .consensus import agreed_columns, agreement
from .distinct_columns import DistinctColumns, distinct_columns
from .measured_setting import is_measured, measured_setting
from .measured_tables import loaded

__all__ = ["MeasuredProblem", "draw", "measured_problem"]


@dataclass(frozen=True, eq=False)
class MeasuredProblem(SimulatedProblem):
    """Rows of a table and what counts as true in them.

    Where coefficients were planted, ``coef`` is β* and ``noise_std`` is σ; elsewhere ``coef`` is
    NaN and ``noise_std`` an estimate.
    """

    columns: np.ndarray
    """Which inputs the columns of X are, (n_features,); copies are numbered from n_inputs on."""
    note: str
    """What was dropped."""
    held_out: tuple[np.ndarray, np.ndarray] | None = None
    """X and y of the rows to predict, (n_test, n_features) and (n_test,)."""

    @property
    def is_planted(self) -> bool:
        """Whether β* is known."""
        return bool(self.setting["truth"] == "planted")


def draw(setting: dict[str, Any], root: int, repetition: int) -> SimulatedProblem:
    """Return one repetition of a setting, simulated or on a table."""
    make = measured_problem if is_measured(setting) else make_sparse_regression
    return make(**setting, root=root, repetition=repetition)


def measured_problem(
    n_samples: int, n_informative: int = 10, *, root: int = 0, repetition: int = 0, **fields: Any
) -> MeasuredProblem:
    """Return a problem on random rows of a table; ``fields`` are those of the setting."""
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
    if setting["truth"] != "planted":  # planted columns are at random positions already
        parts = _shuffled(rng, parts)
    return MeasuredProblem(**parts, setting=setting, root=int(root), repetition=int(repetition))


def _shuffled(rng: np.random.Generator, parts: dict[str, Any]) -> dict[str, Any]:
    """Return the parts of a problem with the columns in random order."""
    order = rng.permutation(parts["X"].shape[1])
    found = {name: parts[name][order] for name in ("coef", "support", "columns")}
    if "held_out" in parts:
        X, y = parts["held_out"]
        found["held_out"] = X[:, order], y
    return {**parts, **found, "X": np.ascontiguousarray(parts["X"][:, order])}


def _planted(
    rng: np.random.Generator, setting: dict[str, Any], columns: DistinctColumns, *_: np.ndarray
) -> dict[str, Any]:
    """Return real columns with a simulated response."""
    X, K = columns.standardized, setting["n_informative"]
    coef = sparse_coef(rng, X.shape[1], K, signal=setting["signal"], positions=setting["positions"])
    y, sigma = response(rng, X, coef, noise_std=setting.get("noise_std"), snr=setting.get("snr"))
    return {"X": X, "y": y, "coef": coef, "support": coef != 0, "noise_std": sigma}


def _nuisance(
    rng: np.random.Generator,
    setting: dict[str, Any],
    columns: DistinctColumns,
    train: np.ndarray,
    _: np.ndarray,
) -> dict[str, Any]:
    """Return the real response on real columns and on copies of them with shuffled rows."""
    X, n_kept = columns.standardized, len(columns.kept)
    shuffled = X[rng.permutation(len(X))]  # as whole rows: copies correlate as originals do
    found = _as_measured(setting, X, train, np.arange(2 * n_kept) < n_kept)
    copies = setting["n_features"] + columns.kept
    return found | {
        "X": np.hstack([X, shuffled]),
        "columns": np.concatenate([columns.kept, copies]),
    }


def _consensus(
    rng: np.random.Generator,
    setting: dict[str, Any],
    columns: DistinctColumns,
    train: np.ndarray,
    _: np.ndarray,
) -> dict[str, Any]:
    """Return the real response; the columns of the consensus count as true."""
    agreed = agreed_columns(setting["design"], setting["n_informative"], loaded)
    true = columns.representatives(agreed)
    share = agreement(setting["design"], setting["n_informative"], loaded)
    found = _as_measured(setting, columns.standardized, train, np.isin(columns.kept, true))
    return found | {"note": f"{columns.note}; {share:.0%} of the votes agree"}


def _held_out(
    rng: np.random.Generator,
    setting: dict[str, Any],
    columns: DistinctColumns,
    train: np.ndarray,
    others: np.ndarray,
) -> dict[str, Any]:
    """Return the real response, and as many other rows to predict."""
    X, y = loaded(setting["design"])
    test = others[: len(train)]
    nothing = np.zeros(len(columns.kept), dtype=bool)
    found = _as_measured(setting, columns.standardized, train, nothing)
    y_test = (y[test] - np.mean(y[train])) / np.std(y[train])
    return found | {"held_out": (columns.applied(X[test]), y_test)}


_MAKERS: dict[str, Callable[..., dict[str, Any]]] = {
    "planted": _planted,
    "nuisance": _nuisance,
    "consensus": _consensus,
    "held-out": _held_out,
}


def _as_measured(
    setting: dict[str, Any], X: np.ndarray, train: np.ndarray, support: np.ndarray
) -> dict[str, Any]:
    """Return a problem with the measured response of the rows ``train``.

    X is (n_train, n_features), ``support`` a mask of the columns of the problem. σ is estimated by
    least squares on all columns of X.
    """
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
