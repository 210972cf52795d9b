"""What wraps estimators: stability over halves of the rows, a bound on false discoveries."""

from .cv import ProjectedSTGCV
from .knockoffs import KnockoffSelector
from .path import projected_stg_path
from .stability import StabilitySelector

__all__ = [
    "KnockoffSelector",
    "ProjectedSTGCV",
    "StabilitySelector",
    "projected_stg_path",
]
