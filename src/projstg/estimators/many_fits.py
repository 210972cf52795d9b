"""Many problems of one shape at once: folds, replicates, bootstrap samples."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from numbers import Integral
from typing import Any, Literal

import numpy as np
from scipy.sparse import issparse
from sklearn.exceptions import DataDimensionalityWarning

from .._core.arrays.backend import Array, namespace, to_numpy
from .._core.data.shared_sums import are_in_range, shared_sums
from .._core.gates.alternate import Status
from .._core.gates.gate_fit import GateFit
from ..sources.as_doubles import (
    check_response,
    check_unmasked,
    has_rounded,
    not_numbers,
    rounded_columns,
    rounded_target,
    warn_of_rounded,
)
from ..sources.gather import is_table, source_name
from ..sources.statistics import Statistics
from ._base import GateSelector, Seed, check_seed, seed_from
from ._first_read import FirstRead
from ._gate_attributes import kept_gates
from ._validation import CODER, check_parameters, check_sums, check_total_weight
from .projected_stg import ProjectedSTG
from .questions import (
    Fit,
    Question,
    Request,
    fit_of,
    prepare,
    prepare_sums,
    request_of,
    solve_in_blocks,
)

# The rows of so many numbers (400 MB) are made into problems at once, where all share a wide X.
_MOST_NUMBERS = 50_000_000


@dataclass(frozen=True, eq=False)
class ManyFits:
    """What :func:`fit_many` found; every array has the problems as its first axis.

    The names are those of :class:`ProjectedSTG` without the final underscore. Arrays are of the
    kind that went in, on its device, in double precision.
    """

    support: Any
    """The selected columns, a mask of shape (n_problems, n_features)."""
    coef: Any
    intercept: Any
    alpha: Any
    noise_std: Any
    objective: np.ndarray | None
    """(n_problems,), like ``n_starts`` and ``n_agreeing_starts``; None without a search."""
    n_starts: np.ndarray | None
    n_agreeing_starts: np.ndarray | None
    support_probability: np.ndarray | None
    """(n_problems,), and so is ``all_belong_probability``, or None. NaN where rows are too few to
    compare columns."""
    all_belong_probability: np.ndarray | None
    inclusion_probability: np.ndarray | None
    """(n_problems, n_features), or None."""
    seeds: tuple[int, ...]
    """Problem i is ``ProjectedSTG(random_state=seeds[i])`` on its own."""
    _gates: FirstRead[GateFit]
    """What the next six properties are computed from, when the first of them is read.

    Until then, after a search, it holds standardised rows or a Gram matrix of each problem."""

    @property
    def mu(self) -> Any:
        """Locations of the gates, (n_problems, n_features)."""
        return self._gates.value().mu

    @property
    def gate_mean(self) -> Any:
        """How far open each gate is, (n_problems, n_features)."""
        return self._gates.value().mean

    @property
    def gated_coef(self) -> Any:
        """The paper's estimate, (n_problems, n_features)."""
        return self._gates.value().coef

    @property
    def risk(self) -> Any:
        """The objective at these gates, (n_problems,)."""
        return self._gates.value().value

    @property
    def n_iter(self) -> Any:
        """Steps the gates took, (n_problems,)."""
        return self._gates.value().n_iter

    @property
    def converged(self) -> Any:
        """Whether the gates converged, (n_problems,)."""
        return self._gates.value().status == int(Status.CONVERGED)

    @property
    def is_settled(self) -> np.ndarray:
        """Whether the gates converged, (n_problems,); true for gates that are not fitted yet.

        Reading it fits no gates.
        """
        if not self._gates.is_read:
            return np.ones(len(self.seeds), dtype=bool)
        return to_numpy(self.converged)

    def predict(self, X: Any) -> Any:
        """Predict for X of shape (n_problems, n_samples, n_features)."""
        check_unmasked(X, "X")
        X = namespace(X).astype(X, self.coef.dtype, copy=False)
        return (X @ self.coef[:, :, None])[:, :, 0] + self.intercept[:, None]


def fit_many(
    X: Any,
    y: Any = None,
    n_features_to_select: int | Literal["auto"] | None = "auto",
    *,
    sample_weight: Any = None,
    random_state: Seed | Sequence[int] | np.ndarray = 0,
    n_jobs: int | None = None,
    **params: Any,
) -> ManyFits:
    """Fit :class:`ProjectedSTG` to many problems of one shape in one go.

    With NumPy arrays the answers are those of single fits with ``random_state=seeds[i]``. With K
    given, or None, all problems go through the core together, which takes a fraction of the time;
    with "auto" each is solved on its own, which takes as long as single fits. Torch
    tensors stay on their device; there sampled gates draw from the device's generator and agree
    with NumPy in distribution only.

    Parameters
    ----------
    X : array of shape (n_problems, n_samples, n_features) or (n_samples, n_features), or Statistics
        NumPy, or torch (extra ``torch``), or a list of tables of one shape. Finite numbers; all is
        computed in float64. One table for all problems is read once, and so are
        :class:`Statistics` with several targets.
    y : array of shape (n_problems, n_samples), or None for Statistics
    n_features_to_select : int, "auto" or None, default="auto"
    sample_weight : array of shape (n_problems, n_samples), or (n_samples,) for one table, or None
    random_state : int, sequence of int, RandomState or None, default=0
        One seed from which the problems' seeds are made, or a seed for each problem.
    n_jobs : int or None, default=None
        How many threads share the problems, with NumPy; nothing but time depends on it.
    **params
        Any other parameter of :class:`ProjectedSTG`.

    Returns
    -------
    fits : ManyFits

    Examples
    --------
    >>> import numpy as np
    >>> from projstg import fit_many
    >>> rng = np.random.default_rng(0)
    >>> X = rng.standard_normal((5, 30, 50))
    >>> y = 2 * X[:, :, 3] - X[:, :, 17] + 0.1 * rng.standard_normal((5, 30))
    >>> np.nonzero(fit_many(X, y, n_features_to_select=2).support)[1].reshape(5, 2).tolist()
    [[3, 17], [3, 17], [3, 17], [3, 17], [3, 17]]

    Many responses of one table:

    >>> Y = np.stack([X[0, :, i] - X[0, :, i + 1] for i in range(4)])
    >>> np.nonzero(fit_many(X[0], Y, 2).support)[1].reshape(4, 2).tolist()
    [[0, 1], [1, 2], [2, 3], [3, 4]]
    """
    model = ProjectedSTG(n_features_to_select, **params)
    return fit_together(model, X, y, sample_weight, random_state, n_jobs)


def fit_together(
    model: GateSelector,
    X: Any,
    y: Any,
    sample_weight: Any = None,
    random_state: Seed | Sequence[int] | np.ndarray = 0,
    n_jobs: Any = None,
) -> ManyFits:
    """Return what ``fit`` of a ProjectedSTG or STG learns from each problem; see :func:`fit_many`.

    ``random_state`` is as in :func:`fit_many`; the model's own is not used.
    """
    check_parameters(model)
    if not (n_jobs is None or (isinstance(n_jobs, Integral) and n_jobs)):
        raise ValueError(f"n_jobs={n_jobs!r}; give a whole number of threads, or None for one.")
    questions, n_problems = _questions(request_of(model), X, y, sample_weight)
    seeds, n_threads = _seeds(random_state, n_problems), None if n_jobs is None else int(n_jobs)
    fits: dict[int, Fit] = {}
    gates, like = [], np.empty(0)
    for question in questions:
        first = len(fits)
        own = seeds[first : first + question.n_tables]
        for group, solution in solve_in_blocks(question, own, n_threads):
            gates.append((first + group.numbers, solution.gates))
            like = group.tables.units.scale
            for i, number in enumerate(group.numbers.tolist()):
                fits[first + number] = fit_of(group.tables, solution, i, question.names)
        said = question.warning_of([fits[i].answer for i in range(len(own))]) if not first else None
        if said is not None:
            warnings.warn(said, DataDimensionalityWarning, stacklevel=3)
    return _many([fits[i] for i in range(n_problems)], kept_gates(gates), seeds, like)


def _many(
    fits: Sequence[Fit], gates: FirstRead[GateFit], seeds: tuple[int, ...], like: Array
) -> ManyFits:
    """Return the answers for all problems as arrays of the kind of one, on its device."""

    def on_device(values: Sequence[Any]) -> Any:
        return namespace(like).asarray(np.asarray(values), device=like.device)

    search, known = [fit.answer.search for fit in fits], [fit.answer.probabilities for fit in fits]
    has_search, has_known = search[0] is not None, any(known)
    nowhere = np.full(fits[0].coef.size, np.nan)
    inclusion = (
        nowhere if one is None else fit.frame.spread(one.inclusion)
        for fit, one in zip(fits, known, strict=True)
    )

    def each(answers: Sequence[Any], name: str) -> np.ndarray:
        return np.asarray([np.nan if one is None else getattr(one, name) for one in answers])

    noise_std = [fit.noise_std for fit in fits]
    return ManyFits(
        support=on_device([fit.frame.mask(fit.answer.support) for fit in fits]),
        coef=on_device([fit.coef for fit in fits]),
        intercept=on_device([fit.frame.intercept(fit.coef) for fit in fits]),
        alpha=on_device([fit.alpha for fit in fits]),
        noise_std=None if noise_std[0] is None else on_device(noise_std),
        objective=np.asarray([fit.objective for fit in fits]) if has_search else None,
        n_starts=each(search, "n_starts") if has_search else None,
        n_agreeing_starts=each(search, "n_agreeing_starts") if has_search else None,
        support_probability=each(known, "exactly") if has_known else None,
        all_belong_probability=each(known, "all_belong") if has_known else None,
        inclusion_probability=np.asarray(list(inclusion)) if has_known else None,
        seeds=seeds,
        _gates=gates,
    )


def _questions(request: Request, X: Any, y: Any, weights: Any) -> tuple[Iterable[Question], int]:
    """Return what is asked, in one or more questions, and the number of problems."""
    if isinstance(X, Statistics):
        if y is not None or weights is not None:
            raise TypeError("leave out y and sample_weight: Statistics have them already.")
        check_sums(X.sums)
        return [prepare_sums(request, X.sums, X.feature_names)], X.n_targets
    if not is_table(X, y):
        raise TypeError(
            f"fit_many takes arrays, or Statistics with several targets, and got {source_name(X)}; "
            "pass arrays, gather chunks (X, Y) by Statistics.from_arrays, or use ProjectedSTG for "
            "one target."
        )
    check_response(y)
    for values, what in ((X, "X"), (y, "y"), (weights, "sample_weight")):
        check_unmasked(values, what)
    if line := not_numbers(X, "X", CODER):
        raise ValueError(line)
    rounded = rounded_columns(X) or frozenset({"X"} if has_rounded(X) else {})
    rounded |= rounded_target(y)
    X, y = _stacked(X, "X"), _stacked(y, "y")
    warn_of_rounded(rounded, stacklevel=4)
    if X.ndim == 2 and not hasattr(X, "detach") and not issparse(X):
        return _about_one_table(request, *_checked_shared(X, y, weights))
    X, y, weights = _checked(X, y, weights)
    return [prepare(request, X, y, weights)], X.shape[0]


def _stacked(values: Any, what: str) -> Any:
    """Return a list of arrays of one shape as one array; arrays stay as they are."""
    if hasattr(values, "ndim"):
        return values
    if isinstance(values, list | tuple):
        other = [one for one in values if isinstance(one, Statistics) or issparse(one)]
        if other:
            raise TypeError(
                f"{what} is a list of {type(other[0]).__name__}; fit_many takes dense arrays, or "
                "one Statistics with several targets; fit each by ProjectedSTG."
            )
    try:
        return np.asarray(values)
    except ValueError:  # of lists that are not of one length
        shapes = list(dict.fromkeys(str(np.shape(one)) for one in values))
        raise ValueError(
            f"{what} has arrays of shapes {' and '.join(shapes[:3])}; fit_many takes problems of "
            "one shape; fit each by ProjectedSTG."
        ) from None


def _about_one_table(
    request: Request, X: np.ndarray, Y: np.ndarray, weights: np.ndarray | None
) -> tuple[Iterable[Question], int]:
    """Return what is asked of one X (N, D) and responses Y (T, N).

    Where X is tall all responses share its sums. Where it is wide, or its squares are out of range,
    each is a problem with the same rows, a few at a time.
    """
    (n_rows, n_columns), n_problems = X.shape, len(Y)
    if n_rows >= n_columns:
        sums = shared_sums(X, Y.T, weights)
        if are_in_range(X, Y.T, sums):
            return [prepare_sums(request, sums)], n_problems
    size = max(_MOST_NUMBERS // X.size, 1)

    def block(first: int) -> Question:
        own = Y[first : first + size]
        rows = np.broadcast_to(X, (len(own), n_rows, n_columns))
        each = None if weights is None else np.broadcast_to(weights, own.shape)
        return prepare(request, rows, own, each)

    return (block(first) for first in range(0, n_problems, size)), n_problems


def _checked_shared(X: Any, y: Any, weights: Any) -> tuple[np.ndarray, np.ndarray, Any]:
    """Return X (N, D), Y (T, N) and weights (N,) or None, or raise and say what was seen."""
    X, Y = np.asarray(X), np.asarray(y)
    _check_real(Y, "y", np)
    Y = Y.astype(np.float64, copy=False)
    if Y.ndim != 2 or Y.shape[1] != len(X):
        hint = "; transpose it: y.T" if Y.ndim == 2 and Y.shape[0] == len(X) else ""
        raise ValueError(
            f"for one X of shape {tuple(X.shape)} y has shape (n_problems, {len(X)}), one row for "
            f"each response; got {Y.shape}{hint}. For one problem use ProjectedSTG, or add an "
            "axis: X[None], y[None]."
        )
    if weights is not None:
        weights = np.asarray(weights)
        if weights.shape != (len(X),):
            raise ValueError(
                f"sample_weight has shape {weights.shape}; give one for each of {len(X)} rows."
            )
        weights = weights[None]
    rows, _, weights = _checked(X[None], Y[:1], weights)
    if not np.isfinite(Y).all():
        raise ValueError("X or y holds NaN or infinity; drop or impute those rows first.")
    return rows[0], Y, None if weights is None else weights[0]


def _checked(X: Any, y: Any, weights: Any) -> tuple[Array, Array, Array | None]:
    """Return float arrays of matching shapes, or raise and say what was seen."""
    if issparse(X):
        raise TypeError("Sparse X was passed, but dense data is required; use X.toarray().")
    X, y = (array.detach() if hasattr(array, "detach") else array for array in (X, y))
    xp = namespace(X)
    y = _like(y, X, xp)
    _check_real(X, "X", xp)
    _check_real(y, "y", xp)
    if X.ndim != 3 or y.ndim != 2 or X.shape[:2] != y.shape:
        raise ValueError(
            "fit_many takes X of shape (n_problems, n_samples, n_features) and y of shape "
            f"(n_problems, n_samples); got {tuple(X.shape)} and {tuple(y.shape)}. For one problem "
            "use ProjectedSTG, or add an axis: X[None], y[None]."
        )
    if min(X.shape) < 1 or X.shape[1] < 2:
        raise ValueError(
            f"X has shape {tuple(X.shape)}; a problem needs at least two samples and one column."
        )
    X, y = (xp.astype(side, xp.float64, copy=False) for side in (X, y))
    if not (xp.all(xp.isfinite(X)) and xp.all(xp.isfinite(y))):
        raise ValueError("X or y holds NaN or infinity; drop or impute those rows first.")
    return X, y, None if weights is None else _checked_weights(weights, y, xp)


def _check_real(values: Array, what: str, xp: Any) -> None:
    is_number = xp.isdtype(values.dtype, ("bool", "integral", "real floating"))
    if not is_number and values.dtype != object:  # objects may be numbers
        raise ValueError(
            f"{what} has dtype {values.dtype}; fit_many takes real numbers: {what}.astype(float)."
        )


def _checked_weights(weights: Any, y: Array, xp: Any) -> Array:
    weights = _like(weights, y, xp)
    _check_real(weights, "sample_weight", xp)
    weights = xp.astype(weights, y.dtype)
    is_valid = weights.shape == y.shape and xp.all(xp.isfinite(weights)) and xp.all(weights >= 0.0)
    if not is_valid or xp.any(xp.sum(xp.astype(weights > 0.0, y.dtype), axis=-1) < 2.0):
        raise ValueError(
            f"sample_weight must be finite and non-negative, of y's shape {tuple(y.shape)}, with "
            "two positive weights or more in every problem."
        )
    for total in to_numpy(xp.sum(weights, axis=-1)):
        check_total_weight(float(total), y.shape[-1])
    return weights


def _like(values: Any, array: Array, xp: Any) -> Array:
    """Return values as an array of the kind of ``array``, on its device."""
    if type(values) is type(array):
        return values
    return xp.asarray(np.asarray(values), device=array.device)


def _seeds(random_state: Seed | Sequence[int] | np.ndarray, n_problems: int) -> tuple[int, ...]:
    if isinstance(random_state, list | tuple | np.ndarray):
        if len(random_state) != n_problems:
            raise ValueError(
                f"random_state has {len(random_state)} seeds for {n_problems} problems; give one "
                "for each, or a single number."
            )
        return tuple(seed_from(check_seed(seed)) for seed in random_state)
    seed = seed_from(check_seed(random_state))
    states = np.random.SeedSequence(seed).generate_state(n_problems)
    return tuple(int(seed) for seed in states)
