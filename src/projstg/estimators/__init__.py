"""scikit-learn estimators: each validates, centres, calls the core and stores."""

from .many import fit_many
from .projected_stg import ProjectedSTG
from .stg import STG

__all__ = ["STG", "ProjectedSTG", "fit_many"]
