"""scikit-learn estimators: each validates, centres, calls the core and stores.

May import: the core. ``questions`` is the way from parameters and a table to the core's answer.
"""

from .._core.posterior.averaging import SmallEffects
from .._core.posterior.coefficient_intervals import AveragedCoef
from ._groups import CredibleGroup
from .gate_options import Gates
from .many_fits import ManyFits, fit_many
from .mcp import MCP
from .projected_stg import ProjectedSTG
from .randomized_omp import RandomizedOMP
from .scad import SCAD
from .stg import STG

__all__ = [
    "MCP",
    "SCAD",
    "STG",
    "AveragedCoef",
    "CredibleGroup",
    "Gates",
    "ManyFits",
    "ProjectedSTG",
    "RandomizedOMP",
    "SmallEffects",
    "fit_many",
]
