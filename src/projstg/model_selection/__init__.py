"""What uses estimators: paths, cross-validation, stability selection, knockoffs."""

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
