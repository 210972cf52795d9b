r"""How good is an answer? Every function takes two supports or two vectors, never an estimator.

A support is a boolean mask of shape (..., n_features), where leading axes hold many answers at
once, or a sequence of column indices. The truth comes first. For empty supports there is a
convention: an empty answer has no false discovery (FDR 0); with an empty truth everything was found
(TPR 1); two empty supports agree (F1 1).
"""

from .coef_metrics import estimation_error, excess_residual, sign_recovery
from .failures import failure_kind
from .intervals import Interval, bootstrap_interval, success_rate, wilson_interval
from .support_metrics import exact_recovery, f1, false_discovery_rate, hamming, true_positive_rate

__all__ = [
    "Interval",
    "bootstrap_interval",
    "estimation_error",
    "exact_recovery",
    "excess_residual",
    "f1",
    "failure_kind",
    "false_discovery_rate",
    "hamming",
    "sign_recovery",
    "success_rate",
    "true_positive_rate",
    "wilson_interval",
]
