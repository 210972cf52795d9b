"""Experiments as TOML files: how one is read, what it holds, and what is refused.

Imports settings of problems from ``datasets`` and ``real_data``; knows no method and no file of
rows.
"""

from .experiment_spec import Size, Spec
from .method_entry import MethodEntry
from .read_spec import load_spec, parse_spec, spec_names
from .spec_bounds import BOUNDS, Bounds
from .spec_settings import Setting

__all__ = [
    "BOUNDS",
    "Bounds",
    "MethodEntry",
    "Setting",
    "Size",
    "Spec",
    "load_spec",
    "parse_spec",
    "spec_names",
]
