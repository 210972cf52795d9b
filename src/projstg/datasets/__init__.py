"""Problems with a known answer: designs, signals, noise, seeds; and two measured tables.

Imports nothing of the package but the files that all may use.
"""

from .designs import DESIGNS
from .real import fetch_ailerons, fetch_triazines
from .settings import canonical_json, problem_setting, seed_sequence, setting_hash
from .signals import POSITIONS, SIGNALS
from .simulate import SimulatedProblem, make_sparse_regression

__all__ = [
    "DESIGNS",
    "POSITIONS",
    "SIGNALS",
    "SimulatedProblem",
    "canonical_json",
    "fetch_ailerons",
    "fetch_triazines",
    "make_sparse_regression",
    "problem_setting",
    "seed_sequence",
    "setting_hash",
]
