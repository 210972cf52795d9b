"""Gates fitted to many problems of one shape at once, on the device where the arrays are."""

from __future__ import annotations

from collections.abc import Sequence
from time import perf_counter
from typing import Any

import numpy as np

from .._core.arrays.backend import to_numpy
from .._extras import extra
from ..estimators.many_fits import fit_together
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
    """Fit B models to X (B, N, D) and y (B, N); models with equal parameters run at once."""
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
    seeds = [model.random_state for model in models]
    fits = fit_together(models[0], rows, target, random_state=seeds)
    supports = to_numpy(fits.support)  # waits for the device
    estimates = to_numpy(getattr(fits, (estimate or "coef_").removesuffix("_")))
    seconds = (perf_counter() - start) / len(models)
    return [
        Outcome(support, coef, seconds, "ok" if ok else "unconverged", "", len(models), device)
        for support, coef, ok in zip(supports, estimates, fits.is_settled, strict=True)
    ]


def _parameters(model: Any) -> dict[str, Any]:
    return {key: value for key, value in model.get_params().items() if key != "random_state"}


def _on_device(device: str, X: np.ndarray, y: np.ndarray) -> tuple[Any, Any]:
    """Return the arrays as torch tensors on a device, or unchanged for "cpu"."""
    if device == "cpu":
        return X, y
    torch = extra("torch", "torch")
    return torch.as_tensor(X, device=device), torch.as_tensor(y, device=device)
