"""Gates fitted to many problems of one shape at once, on the device where the arrays are."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from time import perf_counter
from typing import Any

import numpy as np

from .._core.arrays.backend import to_numpy
from .._core.pipeline.fixed_size import solve
from .._extras import extra
from ..estimators.batch import fit_many
from ..estimators.projected_stg import ProjectedSTG
from ..estimators.stg import STG
from .outcome import Outcome

__all__ = ["are_gates", "fit_gates"]


def are_gates(models: Sequence[Any]) -> bool:
    """Return whether all models are gates of the package, which can be fitted together."""
    return all(type(model) in (ProjectedSTG, STG) for model in models)


def fit_gates(
    models: Sequence[Any], X: np.ndarray, y: np.ndarray, estimate: str | None, device: str
) -> list[Outcome]:
    """Fit B models to X (B, N, D) and y (B, N), those with equal parameters (σ, C) at once."""
    groups: dict[str, list[int]] = {}
    for i, model in enumerate(models):
        groups.setdefault(repr(_parameters(model)), []).append(i)
    outcomes: dict[int, Outcome] = {}
    for members in groups.values():
        alike = [models[i] for i in members]
        found = _fit_group(alike, X[members], y[members], estimate, device)
        outcomes |= zip(members, found, strict=True)
    return [outcomes[i] for i in range(len(models))]


def _fit_group(
    models: Sequence[Any], X: np.ndarray, y: np.ndarray, estimate: str | None, device: str
) -> list[Outcome]:
    """Fit models that differ by their seeds alone."""
    rows, target = _on_device(device, X, y)
    start = perf_counter()
    fits = _fitted(models[0], rows, target, [model.random_state for model in models])
    supports = to_numpy(fits.support)  # waits for the device
    seconds = (perf_counter() - start) / len(models)
    name = (estimate or "coef_").removesuffix("_")
    estimates, converged = to_numpy(getattr(fits, name)), to_numpy(fits.converged)
    return [
        Outcome(support, coef, seconds, "ok" if ok else "unconverged", "", len(models), device)
        for support, coef, ok in zip(supports, estimates, converged, strict=True)
    ]


def _parameters(model: Any) -> dict[str, Any]:
    return {key: value for key, value in model.get_params().items() if key != "random_state"}


@dataclass(frozen=True)
class _Fits:
    """What ``fit_many`` returns, as far as it is used here; arrays with B in front."""

    support: Any
    coef: Any
    gated_coef: Any
    converged: Any


def _fitted(model: Any, X: Any, y: Any, seeds: Sequence[int]) -> Any:
    """Return what ``fit_many`` returns; ``STG``, which it does not take, is solved in its place."""
    if isinstance(model, ProjectedSTG):
        return fit_many(X, y, random_state=list(seeds), **_parameters(model))
    model.n_features_in_ = X.shape[-1]
    table, options = model._prepared(X, y, None, model._options())
    found = solve(table, options, seeds)
    always = np.ones(len(seeds), dtype=bool)  # STG takes a fixed number of steps
    return _Fits(found.support, found.coef, found.gated_coef, always)


def _on_device(device: str, X: np.ndarray, y: np.ndarray) -> tuple[Any, Any]:
    """Return the arrays as torch tensors on a device, or unchanged for "cpu"."""
    if device == "cpu":
        return X, y
    torch = extra("torch", "torch")
    return torch.as_tensor(X, device=device), torch.as_tensor(y, device=device)
