"""Halves of the rows, and what a selector makes of each: one by one, or many in one batch."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
from scipy.sparse import issparse
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.validation import check_consistent_length

from ..estimators._validation import column_mask
from ..estimators.many_fits import fit_many
from ..estimators.projected_stg import ProjectedSTG

__all__ = ["HalfRows", "complementary_halves", "fit_to_halves", "fitted_clone"]

# Numbers in the copies of halves that one batch of fits holds at a time (a quarter of a gigabyte).
_MOST_NUMBERS = 2**25


class HalfRows(NamedTuple):
    """What is split into halves."""

    X: Any
    y: np.ndarray
    params: dict[str, Any]
    """Keyword arguments of ``fit``; those with a value for each row are split too."""

    def half(self, rows: np.ndarray) -> HalfRows:
        """Return these rows, (n,), or of arrays those of B halves, (B, n)."""
        n_samples = self.X.shape[0]
        params = {
            name: _take(value, rows) if _length(value) == n_samples else value
            for name, value in self.params.items()
        }
        return HalfRows(_take(self.X, rows), self.y[rows], params)


def _take(values: Any, rows: np.ndarray) -> Any:
    if hasattr(values, "iloc"):
        return values.iloc[rows]
    return values[rows] if issparse(values) else np.asarray(values)[rows]


def _length(values: Any) -> int | None:
    if hasattr(values, "shape"):
        return values.shape[0] if values.shape else None
    return len(values) if isinstance(values, list | tuple) else None


def complementary_halves(
    n_samples: int, n_pairs: int, rng: np.random.Generator, groups: Any = None
) -> list[np.ndarray]:
    """Return 2B sets of rows; the sets 2b and 2b + 1 have no row and no group in common.

    Both have half of the rows, or of the groups; where that number is odd one is left out.
    """
    member = np.arange(n_samples)
    if groups is not None:
        check_consistent_length(member, groups)
        member = np.unique(np.asarray(groups), return_inverse=True)[1]
    n_groups = int(member.max()) + 1
    if n_groups < 2:
        raise ValueError("groups holds one group only; at least two are needed for two halves.")
    halves = []
    for _ in range(n_pairs):
        order = rng.permutation(n_groups)[: 2 * (n_groups // 2)]
        halves += [np.flatnonzero(np.isin(member, part)) for part in np.split(order, 2)]
    return halves


def fit_to_halves(
    estimator: Any, data: HalfRows, fits: Sequence[tuple[np.ndarray, int]], names: Any
) -> np.ndarray:
    """Return what is selected from each half with its seed, (n, D)."""
    is_plain = set(data.params) <= {"sample_weight"} and not issparse(data.X)
    if type(estimator) is ProjectedSTG and is_plain and data.y.ndim == 1:
        return _fit_together(estimator, data, fits, names)
    halves = ((data.half(half), seed) for half, seed in fits)
    models = (fitted_clone(estimator, seed, X, y, **params) for (X, y, params), seed in halves)
    return np.stack([_selected_columns(model, data.X.shape[1]) for model in models])


def fitted_clone(estimator: Any, seed: int, X: Any, y: Any, /, **params: Any) -> Any:
    """Return a clone fitted with a seed, if it takes one; of a pipeline or search what it ends in.

    ``params`` are keyword arguments of ``fit``.
    """
    model = clone(estimator)
    takes_seed = [name for name in model.get_params() if name.split("__")[-1] == "random_state"]
    model = model.set_params(**dict.fromkeys(takes_seed, seed)).fit(X, y, **params)
    model = model[-1] if hasattr(model, "steps") else model
    return getattr(model, "best_estimator_", model)


def _selected_columns(model: Any, n_features: int) -> np.ndarray:
    """Return the mask of the columns that a fitted estimator selected."""
    if hasattr(model, "get_support"):
        mask = np.asarray(model.get_support())
    elif hasattr(model, "coef_"):
        coef = model.coef_.toarray() if issparse(model.coef_) else np.asarray(model.coef_)
        mask = np.any(np.atleast_2d(coef) != 0.0, axis=0)
    else:
        raise TypeError(
            f"{type(model).__name__} has neither get_support nor coef_ after fit; wrap it, such as "
            "in sklearn.feature_selection.SelectFromModel."
        )
    if mask.shape != (n_features,):
        raise ValueError(
            f"{type(model).__name__} says something of {mask.size} columns, but X has {n_features};"
            " give a selector that sees every column."
        )
    return mask


def _fit_together(
    estimator: ProjectedSTG, data: HalfRows, fits: Sequence[tuple[np.ndarray, int]], names: Any
) -> np.ndarray:
    """Return what fits one by one would select, fitting all halves of one size together."""
    params = estimator.get_params(deep=False)
    params.pop("random_state")
    X = np.asarray(data.X, dtype=np.float64)
    for name in ("always_select", "never_select"):
        params[name] = column_mask(params[name], X.shape[1], names, name)
    weights = {name: np.asarray(own) for name, own in data.params.items() if own is not None}
    whole = HalfRows(X, data.y, weights)
    masks = np.zeros((len(fits), X.shape[1]), dtype=bool)
    n_unconverged = 0
    for batch in _batches([half.size for half, _ in fits], X.shape[1]):
        rows, seeds = zip(*(fits[i] for i in batch), strict=True)
        halves = whole.half(np.stack(rows))
        more = params | halves.params | {"random_state": list(seeds)}
        found = fit_many(halves.X, halves.y, **more)
        masks[batch] = found.support
        n_unconverged += int(np.sum(~found.is_settled))
    if n_unconverged:
        message = f"the gates of {n_unconverged} of {len(fits)} fits still moved; raise max_iter."
        warnings.warn(message, ConvergenceWarning, stacklevel=2)
    return masks


def _batches(n_rows: list[int], n_features: int) -> Iterator[np.ndarray]:
    """Yield the places of halves of one size, as many as fit in memory."""
    sizes = np.asarray(n_rows)
    for size in np.unique(sizes):
        same = np.flatnonzero(sizes == size)
        most = max(1, _MOST_NUMBERS // max(1, int(size) * n_features))
        yield from np.array_split(same, -(-same.size // most))
