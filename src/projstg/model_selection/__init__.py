"""What wraps estimators: stability over halves of the rows, a bound on false discoveries."""

from .cross_validation import ProjectedSTGCV
from .knockoffs import KnockoffSelector
from .paths import SupportPath, projected_stg_path
from .stability import StabilitySelector
from .stability_bounds import FalseSelections

__all__ = [
    "FalseSelections",
    "KnockoffSelector",
    "ProjectedSTGCV",
    "StabilitySelector",
    "SupportPath",
    "projected_stg_path",
]
