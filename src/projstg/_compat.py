"""Private helpers of scikit-learn; the package imports them from here only."""

from sklearn.base import _fit_context as fit_context
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
]
