"""The loader: the compiled functions and the records that they take, or None."""

from __future__ import annotations

import ctypes
import os
import re
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any
from zlib import crc32

if TYPE_CHECKING:
    import numpy as np

__all__ = [
    "KERNEL",
    "WHY_NOT",
    "AnswersRecord",
    "AroundRecord",
    "ChainNewsRecord",
    "ChainStartRecord",
    "ChainStepsRecord",
    "FieldRecord",
    "GateProblemRecord",
    "JudgeRecord",
    "MeansRecord",
    "PlanRecord",
    "PursuitRecord",
    "RankingRecord",
    "RawTablesRecord",
    "Record",
    "RowsRecord",
    "ScoringRecord",
    "SearchTaskRecord",
    "StepsRecord",
    "TablesRecord",
    "address",
    "generator_address",
    "load",
]

_NUMBERS = {"int64_t": ctypes.c_int64, "double": ctypes.c_double}
_POINTER = ctypes.c_void_p
_address_of, _buffer_of = ctypes.addressof, ctypes.c_char.from_buffer
# What arrays hold, by kind and size, in C; the last are addresses.
_HELD = {"f8": "double", "i8": "int64_t", "b1": "uint8_t", f"u{ctypes.sizeof(_POINTER)}": "*"}


@lru_cache
def _held(dtype: np.dtype) -> str | None:
    return _HELD.get(f"{dtype.kind}{dtype.itemsize}") if dtype.isnative else None


def address(array: np.ndarray, kind: str, is_const: bool) -> int:
    """Return where an array begins in which C finds numbers of a ``kind``, one after another.

    C may change them unless they are const.
    """
    try:  # in a quarter of the time
        place = _address_of(_buffer_of(array))  # type: ignore[arg-type]
        is_in_order = True
    except (TypeError, ValueError):  # it cannot be written, is empty, or is not in order
        place, flags = array.ctypes.data, array.flags
        is_in_order = flags.c_contiguous and (is_const or flags.writeable)
    is_aligned = not place % 8 or kind == "uint8_t"
    if not (is_in_order and is_aligned and _held(array.dtype) == kind):
        raise TypeError(f"no {kind} one after another: {array.dtype}, strides {array.strides}")
    return place


def _addresses(arrays: list[np.ndarray], kind: str, is_const: bool) -> tuple[int, Any]:
    """Return where the addresses of several arrays begin, and what must live as long."""
    if is_const:
        import numpy as np  # not where only the version is asked for

        arrays = [np.ascontiguousarray(one) for one in arrays]
    places = (_POINTER * len(arrays))(*[address(one, kind, is_const) for one in arrays])
    return _address_of(places), (arrays, places)


_capsule = ctypes.pythonapi["PyCapsule_GetPointer"]  # one of our own: its types are set here
_capsule.restype, _capsule.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]


def generator_address(generator: np.random.Generator) -> int:
    """Return where the functions of a generator are, in C."""
    return _capsule(generator.bit_generator.capsule, b"BitGenerator")


class Record(ctypes.Structure):
    """A struct of C."""

    _names: frozenset[str]
    _arrays: dict[str, tuple[str, bool]]
    """What C finds in each array, and whether it is const."""
    _lists: dict[str, tuple[str, bool]]
    """The same of arrays of which there are several, each at an address of its own."""
    given: dict[str, Any]
    """The fields, with the arrays: these live as long as the record."""

    @classmethod
    def of(cls, **fields: Any) -> Record:
        """Return the record with all of its fields by name; arrays as they are, or None.

        Several arrays are a list; those that are not in order are copied, if C only reads them.
        """
        if fields.keys() != cls._names:
            wrong = ", ".join(sorted(fields.keys() ^ cls._names))
            raise TypeError(f"{cls.__name__}: missing or unknown: {wrong}")
        given = fields.copy()
        for name, (kind, is_const) in cls._lists.items():
            if given[name] is not None:
                fields[name], given[name] = _addresses(given[name], kind, is_const)
        for name, (kind, is_const) in cls._arrays.items():
            if given[name] is not None:
                fields[name] = address(given[name], kind, is_const)
        record = cls(**fields)
        record.given = given
        return record


def _record(name: str, declaration: str) -> type[Record]:
    """Return the record of a struct that is declared in C with the same words."""
    fields: list[tuple[str, Any]] = []
    arrays: dict[str, tuple[str, bool]] = {}
    lists: dict[str, tuple[str, bool]] = {}
    for const, kind, names in re.findall(r"(const )?(\w+) ([^;]+);", declaration):
        for one in names.split(", "):
            field, depth = one.lstrip("*"), one.count("*")
            fields.append((field, _POINTER if depth else _NUMBERS[kind]))
            if depth and kind in _HELD.values():
                (lists if depth == 2 else arrays)[field] = (kind, bool(const))
            elif depth == 2:
                arrays[field] = ("*", bool(const))
    names = frozenset(field for field, _ in fields)
    own = {"_fields_": fields, "_arrays": arrays, "_lists": lists, "_names": names}
    return type(name, (Record,), own)


FieldRecord = _record(
    "FieldRecord",
    "int64_t D; const double *G, *b; double yy, dof, n, floor; const uint8_t *excluded, *locked;",
)
"""One problem; ``kernel.h`` and the files in C say what the fields of the records are."""
JudgeRecord = _record(
    "JudgeRecord",
    "int64_t R; const double *kappa, *zero_cost, *size_cost; int64_t n_sizes; "
    "const double *volume; double repeated, decades_of_size; "
    "int64_t counts_volume, has_common_size, is_diluted;",
)
"""How supports of one problem are scored."""
RowsRecord = _record("RowsRecord", "int64_t N, D; const double *X, *y;")
"""The rows of one problem."""
RawTablesRecord = _record(
    "RawTablesRecord",
    "int64_t B, N, D; const double *X, *y, *weights, *totals; int64_t centre; "
    "double rounding, far; "
    "double *Z, *z, *b, *diagonal, *scale, *x_mean, *y_mean, *y_scale, *y_left;",
)
"""Tables as they come, and standardised."""
MeansRecord = _record(
    "MeansRecord",
    "int64_t B, M; const int64_t *n_columns; const double **matrices; const double *n; "
    "int64_t R, n_sizes; const double *kappa; double *logs;",
)
"""Inner products of columns, and the means of determinants."""
PursuitRecord = _record(
    "PursuitRecord",
    "int64_t B, D, N; const double *G, *X; int64_t n_steps, by_gain; double *correlation, *left; "
    "const double *norm, *smallest; int64_t *order; uint8_t *counts; double *projection, *found;",
)
"""Greedy pursuits."""
StepsRecord = _record(
    "StepsRecord",
    "double tau; int64_t n_cubics; const double *cubics; double first, step, reach; "
    "int64_t n_steps; double size, floor;",
)
"""How gates take their first steps."""
GateProblemRecord = _record(
    "GateProblemRecord",
    "int64_t N, D; const double *X, *y, *G, *b; double n, alpha; double *beta;",
)
"""One problem of the gates, and where they come to."""
ScoringRecord = _record(
    "ScoringRecord",
    "int64_t n_redundant, C, K; const int64_t *supports; double *total, *by_ridge;",
)
"""Supports, and their scores."""
AroundRecord = _record(
    "AroundRecord",
    "int64_t K, n_exact; double least_ridge, rounding; const int64_t *members; "
    "double *present, *exchanged, *added, *left_out;",
)
"""A support, and the scores of its neighbours."""
PlanRecord = _record(
    "PlanRecord",
    "int64_t n_starts, first_round, second_round, later_rounds, n_local_optima, n_steps, "
    "excluded_for, locked_for, refresh, most_steps, most_exchanges, first_agreement, "
    "clear_agreement, agreement, wide, wide_agreement, n_exact, n_fractions; "
    "const double *fractions, *tight_fractions; "
    "double tight, clear_lead, common_share, rounding, delicate, relative_ridge, digits;",
)
"""How far a search goes."""
SearchTaskRecord = _record(
    "SearchTaskRecord",
    "Generator *generator; int64_t K, n_redundant, n_given, n_known, n_before, n_challenges; "
    "const int64_t *starts, *known; const double *known_scores, *before; "
    "int64_t *best; double *score; int64_t *numbers;",
)
"""What a search begins from, and what it finds."""
RankingRecord = _record("RankingRecord", "int64_t *supports; double *scores, *starts;")
"""All that it has found."""
ChainStartRecord = _record(
    "ChainStartRecord",
    "int64_t C, n_sizes; const uint8_t *masks; const double *cost_of_size, *stays, *grows, *own, "
    "*doubt, *log_doubt;",
)
"""What chains begin from."""
ChainStepsRecord = _record(
    "ChainStepsRecord",
    "Generator *generator; int64_t n_steps, every; const double *temperatures; "
    "int64_t *blocks, *drawn, *known;",
)
"""Steps of theirs."""
ChainNewsRecord = _record(
    "ChainNewsRecord",
    "int64_t first_block, first_support; uint8_t *bases; double *shares; "
    "uint8_t *supports; double *costs;",
)
"""What is new in these."""
TablesRecord = _record(
    "TablesRecord",
    "int64_t B, N, D, K; const double **X, **y, **G, **b, **volumes; "
    "const double *yy, *n, *dof, *alpha; Generator **generators; "
    "double residual_floor, correlation_tolerance;",
)
"""Small problems with K columns to select."""
AnswersRecord = _record(
    "AnswersRecord",
    "int64_t *support; double *beta, *objective; int64_t *numbers; Search **searches;",
)
"""What is found of them."""

_FUNCTIONS: dict[str, list[Any]] = {
    "projstg_loader": [],
    "projstg_sources": [],
    "projstg_path": [],
    "projstg_standardize": [RawTablesRecord],
    "projstg_mean_determinants": [MeansRecord],
    "projstg_pursue": [PursuitRecord],
    "projstg_first_steps": [StepsRecord, GateProblemRecord],
    "projstg_scores": [FieldRecord, JudgeRecord, RowsRecord, ScoringRecord],
    "projstg_neighbours": [FieldRecord, JudgeRecord, AroundRecord],
    "projstg_search": [FieldRecord, JudgeRecord, RowsRecord, PlanRecord, SearchTaskRecord],
    "projstg_search_finish": [_POINTER, RankingRecord],
    "projstg_chains_open": [FieldRecord, JudgeRecord, ChainStartRecord],
    "projstg_chains_run": [_POINTER, ChainStepsRecord],
    "projstg_chains_take": [_POINTER, ChainNewsRecord],
    "projstg_chains_close": [_POINTER],
    "projstg_fit": [TablesRecord, JudgeRecord, PlanRecord, StepsRecord, AnswersRecord],
}
_RECORDS = {one for types in _FUNCTIONS.values() for one in types} - {_POINTER}


def _loaded(folder: Path) -> tuple[ctypes.CDLL | None, str]:
    """Return the library in a folder, or None and why."""
    if os.environ.get("PROJSTG_KERNEL") == "0":
        return None, "PROJSTG_KERNEL=0"
    for path in (*folder.glob("projstg_kernel.so"), *folder.glob("projstg_kernel.dll")):
        try:
            library = load(path)
            if _is_of_these_files(library, folder):
                return library, ""
        except (OSError, AttributeError):
            pass
        return None, "the compiled library is of another version or platform: install again"
    return None, "no C compiler was there at the installation"


def _is_of_these_files(library: ctypes.CDLL, folder: Path) -> bool:
    """Return whether the library has these records, and was made of the files that are there.

    A wheel has no sources in C, a checkout has.
    """
    expected = {
        "projstg_size_of_" + one.__name__.removesuffix("Record"): ctypes.sizeof(one)
        for one in _RECORDS
    }
    for name, pattern in {"projstg_loader": "library.py", "projstg_sources": "*.[ch]"}.items():
        files = sorted(folder.glob(pattern))
        if files:
            expected[name] = crc32(b"".join(one.read_bytes() for one in files))
    return all(getattr(library, name)() == value for name, value in expected.items())


def load(path: Path) -> ctypes.CDLL:
    """Return a compiled library, with the types of its functions."""
    library = ctypes.CDLL(str(path))
    for name, types in _FUNCTIONS.items():
        function = getattr(library, name)
        function.argtypes = [one if one is _POINTER else ctypes.POINTER(one) for one in types]
        function.restype = ctypes.c_int64
    for name in ("projstg_search", "projstg_chains_open"):
        getattr(library, name).restype = _POINTER
    return library


KERNEL: Any
"""The compiled functions, or None."""
KERNEL, WHY_NOT = _loaded(Path(__file__).parent)
"""Why there is none."""
