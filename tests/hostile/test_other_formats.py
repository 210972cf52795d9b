"""Excel workbooks, JSON and Feather files that are damaged, or made to hurt."""

import io
import json
import zipfile

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from made import EVIL, QUESTION, N, rows_of
from soaking import count, examples

from projstg.tables.files.read_table import read_table

pd = pytest.importorskip("pandas")
pa = pytest.importorskip("pyarrow")
ipc = pytest.importorskip("pyarrow.ipc")
openpyxl = pytest.importorskip("openpyxl")

TABLE = rows_of()
SHEET = "xl/worksheets/sheet1.xml"


def workbook():
    file, made = io.BytesIO(), openpyxl.Workbook()
    made.active.append(["a", "b", "c", "text", "y"])
    for row, level in zip(TABLE.tolist(), ["u", "v"] * (N // 2), strict=True):
        made.active.append([*row[:3], level, row[4]])
    made.save(file)
    return file.getvalue()


def feather(compression="lz4", n_rows=N):
    file = io.BytesIO()
    columns = dict(zip("abcdy", TABLE[:n_rows].T, strict=True))
    table = pa.table({**columns, "text": (["u", "v"] * (N // 2))[:n_rows]})
    with ipc.new_file(
        file, table.schema, options=ipc.IpcWriteOptions(compression=compression)
    ) as to:
        to.write_table(table)
    return file.getvalue()


def lines():
    return "\n".join(json.dumps(dict(zip("abcdy", row, strict=True))) for row in TABLE.tolist())


WHOLE = {
    "workbook": workbook(),
    "feather": feather(),
    "feather, not compressed": feather(None),
    "json": lines().encode(),
}


def without(part):
    return with_part(part, None)


def with_part(part, content, **how):
    """The workbook with another content of a part, or without it."""
    file = io.BytesIO()
    with (
        zipfile.ZipFile(io.BytesIO(WHOLE["workbook"])) as whole,
        zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as made,
    ):
        for name in whole.namelist():
            if name != part:
                made.writestr(name, whole.read(name))
            elif content is not None:
                made.writestr(name, content, **how)
    return file.getvalue()


def sheet(rows):
    space = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
    return f'<worksheet xmlns="{space}"><sheetData>{rows}</sheetData></worksheet>'


def zipped(**parts):
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as made:
        for name, content in parts.items():
            made.writestr(name.replace("_", "."), content)
    return file.getvalue()


LAUGHS = "".join(f'<!ENTITY e{i + 1} "{f"&e{i};" * 10}">' for i in range(12))
ENTITIES = f'<?xml version="1.0"?><!DOCTYPE x [<!ENTITY e0 "ha">{LAUGHS}]>'

REFUSED = {
    "a workbook cut at the end": (WHOLE["workbook"][:-30], "not an Excel workbook"),
    "a workbook cut in the middle": (WHOLE["workbook"][:2000], "not an Excel workbook"),
    "a zip archive": (zipped(table_csv="a,b\n1,2\n"), "is a zip archive and no Excel workbook"),
    "a document": (zipped(mimetype="x", content_xml="<x/>"), "is a zip archive and no Excel"),
    "no workbook in it": (without("xl/workbook.xml"), "not an Excel workbook"),
    "no sheet in it": (without(SHEET), "has no data in its sheets"),
    "an empty sheet": (with_part(SHEET, sheet("")), "has no data in its sheets"),
    "a sheet that is no XML": (with_part(SHEET, "<a><b></a>"), "not an Excel workbook"),
    "a text that is not there": (
        with_part(SHEET, sheet('<row r="1"><c r="A1" t="s"><v>999999</v></c></row>')),
        "not an Excel workbook",
    ),
    "a number that is none": (
        with_part(SHEET, sheet('<row r="1"><c r="A1"><v>1.2.3</v></c></row>')),
        "not an Excel workbook",
    ),
    "a row far away": (
        with_part(SHEET, sheet('<row r="99999999999"><c r="A99999999999"><v>1</v></c></row>')),
        "has a row beyond 1048576",
    ),
    "entities of entities": (
        with_part(SHEET, ENTITIES + sheet('<row r="1"><c r="A1" t="str"><v>&e12;</v></c></row>')),
        "not an Excel workbook",
    ),
    "another compression": (
        with_part(SHEET, sheet(""), compress_type=zipfile.ZIP_BZIP2),
        "compressed in a way that Excel does not use",
    ),
    "an old workbook": (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + b"\0" * 600, "an old Excel file"),
    "an old feather": (b"FEA1" + b"\0" * 60, "an old Feather file"),
    "a feather cut at the end": (WHOLE["feather"][:-4], "not a Feather file"),
    "a feather cut in the middle": (WHOLE["feather"][:300], "not a Feather file"),
    "a feather of nothing": (b"ARROW1\0\0", "not a Feather file"),
    "a feather without rows": (feather(n_rows=0), "has a header and no rows"),
    "json of numbers only": ("1\n2\n3\n" * 20, "projstg: "),
    "json that begins with an object": ('{"a": 1}\n' + "2\n" * 20, "line 2: 2 is no row of JSON"),
    "json, a line cut short": (lines()[:-20], f"line {N}: "),
    "json in too many lists": ('{"a": 1}\n{"a": ' + "[" * 500_000, "too deep to be read"),
    "json in too many objects": ('{"a": ' * 500_000, "too deep to be read"),
    "json with zero bytes": (lines() + '\n{"a": "\0"}', f"line {N + 1}: "),
    "json with an escape in a name": (
        lines() + '\n{"\\u001b[31m": 1} \x1b[31m',
        f"line {N + 1}: \\x1b[31m is no row",
    ),
}


@pytest.mark.parametrize("kind", REFUSED)
def test_what_has_no_answer_is_refused(kind, tmp_path, refused):
    content, words = REFUSED[kind]
    path = tmp_path / "table.csv"
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    assert words in refused(path, *QUESTION)


@pytest.mark.parametrize("kind", WHOLE)
def test_what_has_one_is_answered(kind, tmp_path, said):
    (tmp_path / "table.csv").write_bytes(WHOLE[kind])
    status, out, err = said(tmp_path / "table.csv", *QUESTION, "--json")
    assert (status, err) == (0, "")
    assert [one["column"] for one in json.loads(out)["chosen"]] == ["a", "b"]


@pytest.mark.parametrize("kind", WHOLE)
@examples(25)
@given(place=st.integers(0, 10**6), byte=st.integers(1, 255))
def test_a_byte_that_is_wrong_is_no_traceback(kind, tmp_path, said, place, byte):
    count("problem", "a wrong byte")
    content = bytearray(WHOLE[kind])
    content[place % len(content)] ^= byte
    (tmp_path / "table.csv").write_bytes(content)
    status, _, err = said(tmp_path / "table.csv", *QUESTION, "--missing", "drop")
    assert status == 0 or (status == 2 and err.count("\n") == 1 and err.rstrip("\n").isprintable())


def test_views_of_missing_text_may_point_anywhere(tmp_path):
    views = b"\x01\0\0\0u" + b"\0" * 11 + b"\xff\xff\xff\x7f" + b"\x55" * 12
    buffers = [pa.py_buffer(b"\x01"), pa.py_buffer(views)]
    text = pa.Array.from_buffers(pa.string_view(), 2, buffers)
    with ipc.new_file(tmp_path / "t", pa.schema({"s": pa.string_view()})) as writer:
        writer.write_table(pa.table({"s": text}))
    assert read_table(tmp_path / "t").frame["s"].astype(object).tolist()[0] == "u"
    assert read_table(tmp_path / "t").frame["s"].isna().tolist() == [False, True]


def test_names_in_a_workbook_do_nothing(tmp_path, said):
    made = openpyxl.Workbook()
    made.active.append([EVIL, "=1+1", "y"])
    for a, b, *_, y in TABLE.tolist():
        made.active.append([a, b, y])
    made.create_sheet(EVIL.replace("/", "")[2:30])
    made.save(tmp_path / "table.xlsx")
    status, out, err = said(tmp_path / "table.xlsx", *QUESTION, "--out", tmp_path / "out")
    assert status == 0
    assert all(line.isprintable() for line in (out + err).splitlines())
    page = (tmp_path / "out" / "report.html").read_text(encoding="utf-8")
    assert "<script" not in page
    assert "<img" not in page


def test_numbers_of_any_size_in_json(tmp_path, said):
    rows = [dict(zip("abcdy", row, strict=True)) for row in TABLE.tolist()]
    large = [10**30, 2**63, -(2**63) - 1, 1, 1e300]
    rows = [{**row, "large": large[i % 5], "empty": None} for i, row in enumerate(rows)]
    (tmp_path / "t").write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    status, out, err = said(tmp_path / "t", *QUESTION, "--json")
    assert (status, err) == (0, "")
    assert [one["column"] for one in json.loads(out)["chosen"]] == ["a", "b"]


def test_infinite_numbers_in_json_are_refused(tmp_path, refused):
    rows = [dict(zip("abcdy", row, strict=True)) for row in TABLE.tolist()]
    rows[3]["c"], rows[4]["d"] = np.inf, 1
    (tmp_path / "t").write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    assert "1 value is infinite: c 1" in refused(tmp_path / "t", *QUESTION)


URLS = {
    "https://example.org/a.csv": "curl -L URL | projstg select - --target NAME",
    "FTP://example.org/a.csv": "curl -L URL",
    "s3://bucket/a.csv": "download it first",
    "gs://bucket/a.csv": "download it first",
    "file:///tmp/a.csv": "give the path",
}


@pytest.mark.parametrize("address", URLS)
def test_nothing_is_read_from_a_network(address, refused):
    err = refused(address, *QUESTION)
    assert f"{address} is a URL" in err
    assert URLS[address] in err


@pytest.mark.parametrize("kind", WHOLE)
def test_every_format_comes_through_a_pipe(kind, said, standard_input):
    standard_input(WHOLE[kind])
    status, out, err = said("-", *QUESTION, "--json")
    assert (status, err) == (0, "")
    assert [one["column"] for one in json.loads(out)["chosen"]] == ["a", "b"]
