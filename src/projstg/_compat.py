"""Private helpers of scikit-learn, and its decorators; the package imports them from here only."""

from collections.abc import Callable
from typing import Any, TypeVar

from sklearn import base, callback
from sklearn.externals.array_api_compat import array_namespace
from sklearn.utils._param_validation import Interval, StrOptions, validate_parameter_constraints
from sklearn.utils.validation import _check_sample_weight as check_sample_weight

__all__ = [
    "Interval",
    "StrOptions",
    "array_namespace",
    "check_sample_weight",
    "fit_context",
    "validate_parameter_constraints",
    "with_callbacks",
]

Method = TypeVar("Method", bound=Callable[..., Any])
"""What a decorator leaves as it is, so that ``Estimator().fit(X, y)`` is still an ``Estimator``."""


def fit_context(*, prefer_skip_nested_validation: bool) -> Callable[[Method], Method]:
    """Return the decorator of methods that begin by checking the parameters."""
    return base._fit_context(prefer_skip_nested_validation=prefer_skip_nested_validation)


def with_callbacks(method: Method) -> Method:
    """Return a method that ends the callbacks in any case."""
    return callback.with_callbacks(method)
