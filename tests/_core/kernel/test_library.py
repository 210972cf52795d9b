"""What is handed to C is what C expects, and the library is the one of these files."""

import ctypes
import re
import shutil
from pathlib import Path

import numpy as np
import pytest

from projstg._core.kernel import library
from projstg._core.kernel.library import RowsRecord, address

FOLDER = Path(library.__file__).parent
WITH_KERNEL = pytest.mark.skipif(library.KERNEL is None, reason="there is no kernel")


def unaligned(n):
    return np.frombuffer(bytearray(8 * n + 1), dtype=np.float64, offset=1)


def read_only(array):
    array.flags.writeable = False
    return array


@pytest.mark.parametrize(
    ("array", "kind"),
    [
        (np.zeros(3), "double"),
        (np.zeros((2, 3)), "double"),
        (np.zeros((2, 3))[1], "double"),
        (np.zeros((0, 3)), "double"),
        (np.zeros(3, dtype=np.int64), "int64_t"),
        (np.zeros(3, dtype=bool)[1:], "uint8_t"),
        (np.zeros(3, dtype=np.uintp), "*"),
    ],
)
def test_an_array_that_c_expects_has_an_address(array, kind):
    assert address(array, kind, False) == array.ctypes.data
    assert address(read_only(array), kind, True) == array.ctypes.data


@pytest.mark.parametrize(
    ("array", "kind"),
    [
        (np.zeros(6)[::2], "double"),
        (np.zeros((3, 4)).T, "double"),
        (np.zeros((3, 4))[:, :2], "double"),
        (np.zeros(3, dtype=np.float32), "double"),
        (np.zeros(3, dtype=">f8" if np.little_endian else "<f8"), "double"),
        (np.zeros(3, dtype=np.int64), "double"),
        (np.zeros(3), "int64_t"),
        (np.zeros(3, dtype=np.int32), "int64_t"),
        (np.zeros(3, dtype=np.uintp), "int64_t"),
        (np.zeros(3, dtype=np.int64), "uint8_t"),
        (np.zeros(3, dtype=object), "*"),
        (unaligned(3), "double"),
    ],
)
@pytest.mark.parametrize("is_const", [True, False])
def test_another_array_is_refused(array, kind, is_const):
    for one in (array, read_only(array.view())):
        with pytest.raises(
            TypeError, match=re.escape(f"no {kind} one after another: {array.dtype}")
        ):
            address(one, kind, is_const)


def test_c_writes_into_no_array_that_may_only_be_read():
    with pytest.raises(TypeError, match="no double one after another"):
        address(read_only(np.zeros(3)), "double", False)


def test_a_record_takes_all_of_its_fields_by_name():
    fields = {"N": 2, "D": 3, "X": np.ones((2, 3)), "y": np.ones(2)}
    rows = RowsRecord.of(**fields)
    assert (rows.N, rows.D, rows.X, rows.y) == (2, 3, *(fields[name].ctypes.data for name in "Xy"))
    assert RowsRecord.of(**fields | {"X": None}).X is None
    without = {name: value for name, value in fields.items() if name != "y"}
    for wrong in (without, fields | {"Y": 1}):
        with pytest.raises(TypeError, match=r"RowsRecord: missing or unknown: [yY]$"):
            RowsRecord.of(**wrong)
    with pytest.raises(TypeError, match="no double one after another: float32"):
        RowsRecord.of(**fields | {"y": np.ones(2, dtype=np.float32)})


def test_several_arrays_have_an_address_each_and_are_copied_only_to_be_read():
    several = library._record("SeveralRecord", "const double **X; double **y;")
    arrays = [np.ones((2, 3)), np.arange(6.0).reshape(3, 2).T]
    record = several.of(X=arrays, y=arrays[:1])
    copies, places = record.given["X"]
    assert copies[0] is arrays[0]
    np.testing.assert_array_equal(copies[1], arrays[1])
    assert list(places) == [one.ctypes.data for one in copies]
    assert record.X == ctypes.addressof(places)
    with pytest.raises(TypeError, match="no double one after another"):
        several.of(X=None, y=arrays)


def declared_in_c():
    """The text of all sources without comments, on one line."""
    text = "".join(one.read_text(encoding="utf-8") for one in sorted(FOLDER.glob("*.[ch]")))
    return re.sub(r"\s+", " ", re.sub(r"/\*.*?\*/", "", text, flags=re.DOTALL))


def test_records_have_the_fields_of_c_in_the_same_order():
    structs = re.findall(r"struct (\w*) ?\{ ?(.*?) ?\} ?(\w*);", declared_in_c())
    bodies = {before or after: body for before, body, after in structs}
    for record in library._RECORDS:
        in_c = library._record("InC", bodies[record.__name__.removesuffix("Record")])
        assert record._fields_ == in_c._fields_, record
        assert record._arrays == in_c._arrays, record
        assert record._lists == in_c._lists, record


def test_functions_take_the_records_of_c_in_the_same_order():
    found = re.findall(
        r"EXPORTED (?:SEVERAL_PATHS )?\w+ \*?(projstg_\w+)\( ?(.*?)\)", declared_in_c()
    )
    in_c = {name: re.findall(r"(\w+) \*\w+", takes) for name, takes in found}
    in_python = {
        name: ["a handle" if one is library._POINTER else one.__name__ for one in takes]
        for name, takes in library._FUNCTIONS.items()
    }
    records = {one.__name__ for one in library._RECORDS}
    assert in_python == {
        name: [f"{one}Record" if f"{one}Record" in records else "a handle" for one in takes]
        for name, takes in in_c.items()
    }


@pytest.fixture
def checkout(tmp_path):
    """A copy of the folder, with the compiled library."""
    return Path(shutil.copytree(FOLDER, tmp_path / "kernel"))


@WITH_KERNEL
def test_a_library_is_loaded_with_its_sources_and_from_a_wheel_without(checkout):
    assert library._loaded(checkout)[0] is not None
    for source in checkout.glob("*.[ch]"):
        source.unlink()
    assert library._loaded(checkout)[0] is not None


@WITH_KERNEL
@pytest.mark.parametrize("name", ["chain.c", "kernel.h", "library.py"])
def test_a_library_of_other_files_is_to_be_installed_again(checkout, name):
    with (checkout / name).open("a", encoding="utf-8") as file:
        file.write("\n")
    kernel, why_not = library._loaded(checkout)
    assert kernel is None
    assert why_not.endswith(": install again")


@WITH_KERNEL
def test_a_new_source_is_another_one(checkout):
    (checkout / "new.c").write_text("int x;\n", encoding="utf-8")
    assert library._loaded(checkout)[0] is None


@WITH_KERNEL
@pytest.mark.parametrize("record", sorted(library._RECORDS, key=str), ids=lambda one: one.__name__)
def test_a_library_whose_records_have_other_sizes_is_not_called(record, checkout, monkeypatch):
    larger = type(record.__name__, (record,), {"_fields_": [("more", library._POINTER)]})
    monkeypatch.setattr(library, "_RECORDS", {larger})
    kernel, why_not = library._loaded(checkout)
    assert kernel is None
    assert why_not.endswith(": install again")


@WITH_KERNEL
def test_a_library_that_lacks_a_function_is_not_called(checkout, monkeypatch):
    monkeypatch.setitem(library._FUNCTIONS, "projstg_new", [])
    assert library._loaded(checkout)[1].endswith(": install again")
