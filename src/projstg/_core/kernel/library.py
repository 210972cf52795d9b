"""The loader: the compiled functions with the types of their arguments, or None."""

from __future__ import annotations

import ctypes
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple
from zlib import crc32

if TYPE_CHECKING:
    import numpy as np

__all__ = [
    "KERNEL",
    "WHY_NOT",
    "AnswersRecord",
    "FieldRecord",
    "JudgeRecord",
    "Kept",
    "PlanRecord",
    "RowsRecord",
    "StepsRecord",
    "TablesRecord",
    "address",
    "load",
]

_INT, _REAL, _ARRAY = ctypes.c_int64, ctypes.c_double, ctypes.c_void_p


def _record(name: str, fields: str) -> type[ctypes.Structure]:
    """Return a structure; ``fields`` are names after the letter of their type."""
    types = {"i": _INT, "d": _REAL, "p": _ARRAY}
    parts = [one.split(":") for one in fields.split()]
    return type(name, (ctypes.Structure,), {"_fields_": [(part, types[of]) for of, part in parts]})


class Kept(NamedTuple):
    """A record of the kernel, and the arrays it points at."""

    record: ctypes.Structure
    arrays: tuple[Any, ...]


FieldRecord = _record("FieldRecord", "i:D p:G p:b d:yy d:dof d:n d:floor p:excluded p:locked")
"""One problem, as ``kernel.h`` has it."""
JudgeRecord = _record(
    "JudgeRecord",
    "i:R p:kappa p:zero_cost p:size_cost i:n_sizes p:volume d:repeated d:decades_of_size "
    "i:counts_volume i:has_common_size i:is_diluted",
)
"""How supports of one problem are scored, likewise."""

RowsRecord = _record("RowsRecord", "i:N i:D p:X p:y")
"""The rows of one problem, likewise."""
PlanRecord = _record(
    "PlanRecord",
    "i:n_starts i:first_round i:second_round i:later_rounds i:n_rests i:n_steps i:excluded_for "
    "i:locked_for i:refresh i:most_steps i:most_exchanges i:first_agreement i:clear_agreement "
    "i:agreement i:wide i:wide_agreement i:n_exact i:n_fractions p:fractions p:tight_fractions "
    "d:tight d:clear_lead d:common_share d:rounding d:delicate d:relative_ridge d:digits",
)
"""How far a search goes, likewise."""

StepsRecord = _record(
    "StepsRecord",
    "d:tau i:n_cubics p:cubics d:first d:step d:reach i:n_steps d:size d:floor",
)
"""How gates take their first steps, likewise."""
TablesRecord = _record(
    "TablesRecord",
    "i:B i:N i:D i:K p:X p:y p:G p:b p:yy p:n p:dof d:residual_floor d:factor "
    "d:smallest_noise d:largest_alpha d:whole d:gain_tolerance d:correlation_tolerance d:nothing "
    "p:alpha p:noise i:has_volume p:volume "
    "p:scale p:x_mean p:y_scale p:y_mean",
)
"""Small tables with K columns to select, as ``fit.c`` has them."""
AnswersRecord = _record(
    "AnswersRecord", "p:support p:mask p:coef p:intercept p:objective p:numbers p:searches"
)
"""What is found of them, likewise."""

_OF, _BY, _ON = (ctypes.POINTER(one) for one in (FieldRecord, JudgeRecord, RowsRecord))
_FUNCTIONS = {
    "projstg_descend": [_OF, _INT, _INT, _ARRAY, _ARRAY, _INT, _INT, _INT, _REAL],
    "projstg_wander": [_OF, _INT, _INT, *[_ARRAY] * 3, _INT, _REAL, *[_INT] * 4, *[_ARRAY] * 2],
    "projstg_scores": [_OF, _BY, _ON, _INT, _INT, _INT, *[_ARRAY] * 3],
    "projstg_loader": [],
    "projstg_path": [],
    "projstg_mean_determinants": [_INT, _ARRAY, _INT, _REAL, _INT, _ARRAY, _INT, _ARRAY],
    "projstg_pursue": [_INT, _ARRAY, _INT, _ARRAY, _INT, _INT, *[_ARRAY] * 8],
    "projstg_first_steps": [
        *[ctypes.POINTER(StepsRecord), _INT, _INT, *[_ARRAY] * 4, _REAL, _REAL, _ARRAY],
    ],
    "projstg_standardize": [
        *[_INT, _INT, _INT, *[_ARRAY] * 4, _INT, _ARRAY, _REAL, _REAL, *[_ARRAY] * 9],
    ],
    "projstg_fit": [
        *[ctypes.POINTER(TablesRecord), _BY, ctypes.POINTER(PlanRecord)],
        *[ctypes.POINTER(StepsRecord), _ARRAY, ctypes.POINTER(AnswersRecord)],
    ],
    "projstg_search": [
        *[_OF, _BY, _ON, _INT, ctypes.POINTER(PlanRecord), _ARRAY, _INT, _INT, _ARRAY],
        *[_INT, _ARRAY, _ARRAY, _INT, _ARRAY, _INT, *[_ARRAY] * 3],
    ],
    "projstg_search_rank": [_ARRAY] * 4,
    "projstg_chains_open": [_OF, _BY, _INT, _ARRAY, _INT, *[_ARRAY] * 6],
    "projstg_chains_run": [_ARRAY, _ARRAY, _INT, _INT, *[_ARRAY] * 4],
    "projstg_chains_take": [_ARRAY, _INT, _ARRAY, _ARRAY, _INT, _ARRAY, _ARRAY],
    "projstg_chains_close": [_ARRAY],
    "projstg_neighbours": [_OF, _BY, _INT, _ARRAY, _REAL, _REAL, _INT, *[_ARRAY] * 4],
}


def _loaded() -> tuple[ctypes.CDLL | None, str]:
    """Return the library, or None and why."""
    folder = Path(__file__).parent
    if os.environ.get("PROJSTG_KERNEL") == "0":
        return None, "PROJSTG_KERNEL=0"
    for path in (*folder.glob("projstg_kernel.so"), *folder.glob("projstg_kernel.dll")):
        try:
            library = load(path)
        except (OSError, AttributeError):
            return None, "the compiled library is of another platform or version"
        # Records and arguments are those of this file as it was when the library was compiled.
        if library.projstg_loader() != crc32(Path(__file__).read_bytes()):
            return None, "the compiled library is of another version: install again"
        return library, ""
    return None, "no C compiler was there at the installation"


def load(path: Path) -> ctypes.CDLL:
    """Return a compiled library, with the types of its functions."""
    library = ctypes.CDLL(str(path))
    for name, types in _FUNCTIONS.items():
        function = getattr(library, name)
        function.argtypes, function.restype = types, _INT
    for name in ("projstg_search", "projstg_chains_open"):
        getattr(library, name).restype = _ARRAY
    return library


KERNEL: Any
"""The compiled functions, or None."""
KERNEL, WHY_NOT = _loaded()
"""Why there is none."""


def address(array: np.ndarray) -> int:
    """Return where a contiguous array begins."""
    try:  # in a quarter of the time
        return ctypes.addressof(ctypes.c_char.from_buffer(array))  # type: ignore[arg-type]
    except (TypeError, ValueError):  # it cannot be written, or is empty
        return array.__array_interface__["data"][0]
