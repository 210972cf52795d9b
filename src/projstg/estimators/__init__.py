"""scikit-learn estimators: each validates, centres, calls the core and stores."""

from .many import fit_many
from .projected_stg import ProjectedSTG

__all__ = ["ProjectedSTG", "fit_many"]
