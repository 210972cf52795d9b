"""What wraps estimators: stability over halves of the rows, a bound on false discoveries."""

from .cross_validation import ProjectedSTGCV
from .knockoffs import KnockoffSelector
from .paths import projected_stg_path
from .stability import StabilitySelector

__all__ = [
    "KnockoffSelector",
    "ProjectedSTGCV",
    "StabilitySelector",
    "projected_stg_path",
]
