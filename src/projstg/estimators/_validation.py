"""What a user gives, checked: parameters, columns, rows and weights."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from numbers import Integral
from typing import Any

import numpy as np
from scipy.sparse import issparse
from sklearn.utils.validation import validate_data

from .._compat import check_sample_weight, validate_parameter_constraints
from .._core.arrays.backend import Array, to_numpy
from .._core.data.centred_sums import CentredSums
from .._core.data.wide_problem import MANY_COLUMNS
from .._did_you_mean import did_you_mean
from .._messages import Argument, Columns, Message
from .._printable import few_names
from ..sources.as_doubles import (
    check_response,
    check_unmasked,
    has_dates,
    not_numbers,
    rounded_columns,
    rounded_target,
    warn_of_rounded,
)

# Checks of larger tables hardly matter, and would need a mask as large.
_MOST_PLAIN = 100_000
MOST_COPIED = 100_000_000
"""More numbers (800 MB) are not copied."""
CODER = "pandas.get_dummies(X)"
# Beyond this a float no longer counts rows one by one.
_MOST_ROWS = 2.0**53
_X, _Y, _ALWAYS = Argument("X"), Argument("y"), Argument("always_select")


def check_parameters(estimator: Any) -> None:
    """Raise where a parameter is out of its range, as scikit-learn does before ``fit``."""
    validate_parameter_constraints(
        estimator._parameter_constraints,
        estimator.get_params(deep=False),
        caller_name=type(estimator).__name__,
    )


def changed(estimator: Any, names: Sequence[str]) -> list[str]:
    """Return the parameters among ``names`` that are not at their default."""
    plain = type(estimator)()
    return [name for name in names if getattr(estimator, name) != getattr(plain, name)]


def check_nested(estimator: Any, params: Mapping[str, Any], name: str, example: str) -> None:
    """Raise where ``name__x`` is to be set and the parameter ``name`` is None."""
    nested = [key for key in params if key.startswith(f"{name}__")]
    if nested and params.get(name, getattr(estimator, name)) is None:
        raise ValueError(
            f"{nested[0]} cannot be set while {name}=None; pass {name}={example} first, as in "
            f"{type(estimator).__name__}({name}={example})."
        )


def checked_rows(
    estimator: Any, X: Any, y: Any, sample_weight: Any, *, takes_any_x: bool = False
) -> tuple[Any, Any, Any]:
    """Return X (N, D), y (N,) and weights (N,) or None in double; the estimator learns its names.

    Rows of weight zero are left out. Where any X is taken it may be sparse, or in single precision.
    """
    if _is_plain(X, y):
        estimator.n_features_in_ = X.shape[1]
        vars(estimator).pop("feature_names_in_", None)  # of an earlier fit
    else:
        X, y = validated(
            estimator,
            X,
            y,
            dtype=[np.float64, np.float32] if takes_any_x and is_as_it_came(X) else np.float64,
            accept_sparse=["csc", "csr"] if takes_any_x else False,
            y_numeric=True,
            ensure_min_samples=2,
            stacklevel=6,
        )
    if sample_weight is not None:
        check_unmasked(sample_weight, "sample_weight")
        sample_weight = check_sample_weight(
            sample_weight, X, dtype=np.float64, ensure_non_negative=True
        )
        X, y, sample_weight = _with_weight(X, y, sample_weight)
    return X, np.asarray(y, dtype=np.float64), sample_weight


def validated(estimator: Any, *rows: Any, stacklevel: int = 4, **checks: Any) -> Any:
    """Return what scikit-learn's ``validate_data`` returns for X, or for X and y.

    It says which column is no number. Where y is given, a fit, it warns of digits that are lost;
    the level is that of ``fit``'s caller.
    """
    if checks.get("y_numeric"):
        check_response(rows[1])
    sides = [*zip(rows, ("X", "y"), strict=False)]
    for side, what in sides:
        check_unmasked(side, what)
        if has_dates(side):
            raise ValueError(
                not_numbers(side, what, CODER)
                or f"{what} has dates; make numbers of them, such as days since the first."
            )
    rounded = rounded_columns(rows[0]) | rounded_target(rows[1]) if len(rows) > 1 else ()
    try:
        found = validate_data(estimator, *rows, **checks)
    except (ValueError, TypeError):
        for side, what in sides:
            _check_real(side, what)
        if line := not_numbers(rows[0], "X", CODER):
            raise ValueError(line) from None
        raise
    warn_of_rounded(rounded, stacklevel)
    return found


def _check_real(side: Any, what: str) -> None:
    """Raise where an array is complex; the first words are those of scikit-learn."""
    is_complex = False
    with suppress(ValueError, TypeError):  # it is no array for another reason
        is_complex = np.iscomplexobj(side)
    if is_complex:
        raise ValueError(
            f"Complex data not supported: {what} has complex numbers; give real ones, such as "
            f"np.real({what})."
        ) from None


def is_as_it_came(X: Any) -> bool:
    """Return whether X is not copied: it is sparse, or very wide and in single precision or large.

    Others become standardised rows, or sums, in double.
    """
    if issparse(X):
        return True
    shape: tuple[int, ...] = getattr(X, "shape", ())
    if len(shape) != 2 or not MANY_COLUMNS < shape[1] or shape[0] >= shape[1]:
        return False
    kind = getattr(X, "dtype", None)
    return kind == np.float32 or (kind == np.float64 and shape[0] * shape[1] > MOST_COPIED)


def _is_plain(X: Any, y: Any) -> bool:
    """Return whether rows need no conversion, have no names, and nothing is wrong with them.

    scikit-learn's own checks take a good part of the time of a small fit; all others are theirs.
    """
    if not (type(X) is type(y) is np.ndarray and X.dtype == y.dtype == np.float64):
        return False
    has_shape = (
        X.ndim == 2
        and X.size <= _MOST_PLAIN
        and X.shape[:1] == y.shape
        and X.shape[0] > 1
        and X.shape[1] > 0
    )
    return bool(has_shape and np.isfinite(X).all() and np.isfinite(y).all())


def batch_of_one(X: Any, y: Any, weights: Any) -> tuple[Any, Any, Any]:
    """Return one table as the core takes it, with a leading axis."""
    return X[None], y[None], None if weights is None else weights[None]


def _with_weight(X: Any, y: Any, sample_weight: Any) -> tuple[Any, Any, Any]:
    """Leave out the rows that weigh nothing; there must be two left."""
    weighs = sample_weight > 0.0
    if weighs.sum() < 2:
        raise ValueError(
            f"sample_weight is zero for {(~weighs).sum()} of {weighs.size} rows; give at least two "
            "rows a positive weight."
        )
    check_total_weight(float(sample_weight.sum()), weighs.size)
    return (X, y, sample_weight) if weighs.all() else (X[weighs], y[weighs], sample_weight[weighs])


def check_total_weight(total: float, n_rows: int) -> None:
    """Raise where weights cannot be numbers of rows."""
    if not 2.0 <= total <= _MOST_ROWS:
        raise ValueError(
            Message(
                "the values of ",
                Argument("sample_weight"),
                f" sum to {total:.3g}; a weight is a number of rows: multiply them by {n_rows} / "
                "their sum, or give the numbers themselves.",
            )
        )


def check_sums(sums: CentredSums) -> None:
    """Raise where there are too few rows, or weights cannot be numbers of rows."""
    if sums.n_rows < 2:
        raise ValueError(f"there is {sums.n_rows} row so far; give at least two.")
    check_total_weight(float(sums.n[0]), sums.n_rows)


def check_range(y_scale: Array) -> None:
    """Raise where squares of the numbers in y, of these sizes (B,), are out of range."""
    y_scale = to_numpy(y_scale)
    # Not a number, too: what has overflowed was taken from itself.
    if not y_scale.max() <= float(np.finfo(y_scale.dtype).max) ** 0.5:
        parts = ("the squares of values in ", _Y, " overflow; divide ", _Y, " by a constant.")
        raise ValueError(Message(*parts))


def check_coefficients(coef: np.ndarray, names: Any) -> None:
    """Raise where a coefficient, (..., D), is beyond the range of numbers in these units."""
    if np.isfinite(coef).all():
        return
    is_lost = np.any(~np.isfinite(coef).reshape(-1, coef.shape[-1]), axis=0)
    raise ValueError(
        Message(
            "the coefficient of ",
            _columns(is_lost, names),
            " is too large or too small for a number in these units; multiply that column of ",
            *(_X, ", or ", _Y, ", by a constant."),
        )
    )


def column_mask(columns: Any, n_features: int, names: Any, parameter: str) -> np.ndarray:
    """Return the mask of ``columns``; names are looked up in ``names`` (or None)."""
    mask = np.zeros(n_features, dtype=bool)
    if columns is None:
        return mask
    wanted = np.asarray(columns, dtype=object)
    if wanted.ndim != 1:
        raise ValueError(f"{parameter}={columns!r}; give a list of column names or indices.")
    if wanted.size and all(isinstance(column, bool | np.bool_) for column in wanted):
        if wanted.size != n_features:
            raise ValueError(
                f"{parameter} is a mask of {wanted.size} values for {n_features} columns; give one "
                "for each column, or a list of names or indices."
            )
        return wanted.astype(bool)
    for column in wanted:
        mask[_index(column, n_features, names, parameter)] = True
    return mask


def _columns(mask: np.ndarray, names: Any) -> str | Columns:
    """Return the names, or without names the indices, of a few columns of a mask (D,)."""
    return Columns(np.flatnonzero(mask).tolist()) if names is None else few_names(names[mask])


def _index(column: Any, n_features: int, names: Any, parameter: str) -> int:
    if isinstance(column, str):
        if names is None:
            raise ValueError(f"{parameter} has {column!r}, but X has no column names; use indices.")
        places = np.flatnonzero(names == column)
        if not places.size:
            hint = did_you_mean(column, names)
            raise ValueError(f"{parameter} has {column!r}, which is no column of X; {hint}")
        return int(places[0])
    if not isinstance(column, Integral) or not -n_features <= int(column) < n_features:
        raise ValueError(
            f"{parameter} has {column!r}; give names, or indices from 0 to {n_features - 1}."
        )
    return int(column)


def size_or_tenth(k: int | None, varies: np.ndarray, names: Any) -> int:
    """Return K, or raise where fewer than K columns vary; for None a tenth of the columns."""
    nobody = np.zeros_like(varies)
    check_selection(k, varies, nobody, nobody, names)
    return min(max(varies.size // 10, 1), int(varies.sum())) if k is None else int(k)


def check_selection(
    k: Any,
    varies: np.ndarray,
    always: np.ndarray,
    never: np.ndarray,
    names: Any,
    otherwise: str = "",
) -> None:
    """Raise, and say what could be asked for, unless K and the constraints can be met.

    ``otherwise`` ends the message where there are not K columns: what else could be passed.
    """
    both = always & never
    if both.any():
        raise ValueError(
            f"{_columns(both, names)} is in always_select and in never_select; leave it out of "
            "one of them."
        )
    constant = always & ~varies
    if constant.any():
        said = " but does not vary; leave it out of the list."
        raise ValueError(Message(_columns(constant, names), " is in ", _ALWAYS, said))
    if isinstance(k, Integral):
        _check_size(int(k), varies, always, never, names, otherwise)


def _check_size(
    k: int,
    varies: np.ndarray,
    always: np.ndarray,
    never: np.ndarray,
    names: Any,
    otherwise: str,
) -> None:
    n_features, n_varying = varies.size, int(varies.sum())
    asked = Argument("n_features_to_select", k)
    if k > n_features:
        raise ValueError(
            f"{asked} is more than the {n_features} columns of X; ask for at most "
            f"{n_features}{otherwise}."
        )
    if n_varying == 0 and not never.any():
        said = " that vary: all are constant; check "
        raise ValueError(Message("there are 0 columns of ", _X, said, _X, "."))
    if k > n_varying and never.any():
        raise ValueError(
            f"{asked} is more than the {n_varying} columns of X that vary and are not in "
            f"never_select; ask for at most {n_varying}, or shorten never_select."
        )
    if k > n_varying:
        raise ValueError(
            Message(
                asked,
                f" is more than the {n_varying} columns of ",
                _X,
                " that vary (constant: ",
                _columns(~varies, names),
                f"); ask for at most {n_varying}, or drop the constants.",
            )
        )
    check_smallest(k, int(always.sum()))


def check_smallest(k: int, n_always: int) -> None:
    """Raise where K is less than the columns that must be selected."""
    if k < n_always:
        asked = Argument("n_features_to_select", k)
        raise ValueError(
            f"{asked} is less than the {n_always} columns of always_select; ask for at least "
            f"{n_always}."
        )
