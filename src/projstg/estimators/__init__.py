"""scikit-learn estimators: each validates, centres, calls the core and stores."""

from .batch import fit_many
from .projected_stg import ProjectedSTG
from .randomized_omp import RandomizedOMP
from .scad import SCAD
from .stg import STG

__all__ = ["SCAD", "STG", "ProjectedSTG", "RandomizedOMP", "fit_many"]
