"""Files that hold far more than they seem to: one line, in seconds, in little memory."""

import gzip
import json
import subprocess
import sys
import zipfile
from pathlib import Path

import numpy as np
import pytest
from made import PLAIN

pytest.importorskip("click")
pytest.importorskip("pandas")
pa = pytest.importorskip("pyarrow")
parquet = pytest.importorskip("pyarrow.parquet")
openpyxl = pytest.importorskip("openpyxl")
pytest.importorskip("resource")
if not Path("/proc/self/statm").exists():
    pytest.skip("there is no /proc here", allow_module_level=True)

MEGABYTE_OF_ROWS = gzip.compress(b"1,2,3,4,5\n" * 100_000)
MEGABYTE_OF_NOTHING = gzip.compress(b"1," * 500_000)


def few_lines(path):
    path.write_bytes(MEGABYTE_OF_NOTHING * 400)


def one_line(path):
    path.write_bytes(gzip.compress(b"1" * 1_000_000) * 300)


def many_parts(path):
    """Each part says only its own length, and the first is packed far less than the others."""
    numbers = np.random.default_rng(0).integers(0, 10**9, size=(8000, 5))
    first = PLAIN + "".join(f"{','.join(map(str, row))}\n" for row in numbers)
    path.write_bytes(gzip.compress(first.encode()) + MEGABYTE_OF_ROWS * 300 + gzip.compress(b"\n"))


def one_cell(path):
    path.write_bytes(gzip.compress(PLAIN.encode() + b'1,2,3,4,"') + MEGABYTE_OF_NOTHING * 300)


def table(path, texts, **how):
    n = len(texts)
    columns = {"t": texts, "a": np.arange(n) % 7, "b": np.arange(n) % 5, "y": np.ones(n)}
    parquet.write_table(pa.table(columns), path, store_schema=False, **how)


def one_text_in_all_rows(path):
    places = pa.array(np.zeros(200_000, dtype=np.int32))
    table(path, pa.DictionaryArray.from_arrays(places, ["x" * 20_000]))


def long_texts(path):
    texts = pa.array([f"{i}{'x' * 100_000}" for i in range(1000)])
    table(path, texts, use_dictionary=False, compression="zstd")


def sheet(path, part, beginning, piece, count, end):
    """A workbook in which a part has the same piece many times."""
    openpyxl.Workbook().save(path)
    with zipfile.ZipFile(path) as whole:
        others = {name: whole.read(name) for name in whole.namelist() if name != part}
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as made:
        for name, content in others.items():
            made.writestr(name, content)
        with made.open(part, "w") as stream:
            stream.write(beginning + b"<sheetData>" * (b"row" in piece))
            for _ in range(count):
                stream.write(1000 * piece)
            stream.write(end)


SPACE = b' xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main">'
WORKSHEET = "xl/worksheets/sheet1.xml", b"<worksheet" + SPACE


def many_rows(path):
    row = b"<row><c><v>1</v></c></row>"
    sheet(path, *WORKSHEET, row, 10_000, b"</sheetData></worksheet>")


def many_tags(path):
    sheet(path, *WORKSHEET, b"<x/>", 50_000, b"</worksheet>")


def wide_rows(path):
    row = b'<row><c r="ZZZ1"><v>1</v></c></row>'
    sheet(path, *WORKSHEET, row, 10, b"</sheetData></worksheet>")


def many_styles(path):
    sheet(path, "xl/styles.xml", b"<styleSheet" + SPACE + b"<cellXfs>", b"<xf/>", 1000, b"")


def long_text(path):
    beginning = WORKSHEET[1] + b'<sheetData><row><c t="inlineStr"><is><t>'
    sheet(path, WORKSHEET[0], beginning, 10 * b"x", 20_000, b"")


def objects(path):
    path.write_bytes(gzip.compress(b'{"a": 1, "b": 2, "y": 3}\n' * 100_000) * 50)


def lists_in_an_object(path):
    path.write_bytes(gzip.compress(b'{"a": [') + gzip.compress(b"[]," * 1_000_000) * 20)


def feather(path, table):
    options = pa.ipc.IpcWriteOptions(compression="zstd")
    with pa.ipc.new_file(path, table.schema, options=options) as writer:
        writer.write_table(table)


def many_zeros(path):
    feather(path, pa.table({name: np.zeros(8_000_000) for name in "aby"}))


def long_levels(path):
    texts = pa.array([f"{i}{'x' * 200_000}" for i in range(1000)])
    feather(path, pa.table({"t": texts.dictionary_encode(), "y": np.ones(1000)}))


BOMBS = {
    few_lines: "no third line",
    one_line: "no third line",
    many_parts: "unpack it first",
    one_cell: "of memory or more",
    one_text_in_all_rows: "is the same in every row",  # the target; it was read
    long_texts: "of memory or more",
    many_rows: "save it as CSV or Parquet",
    many_tags: "save it as CSV or Parquet",
    wide_rows: "save it as CSV or Parquet",
    many_styles: "save it as CSV or Parquet",
    long_text: "save it as CSV or Parquet",
    objects: "save it as CSV or Parquet",
    lists_in_an_object: "save it as CSV or Parquet",
    many_zeros: "save it as CSV or Parquet",
    long_levels: "save it as CSV or Parquet",
}


@pytest.fixture(scope="module")
def answers(tmp_path_factory):
    """What the command said of each bomb; the process is the same for all."""
    folder = tmp_path_factory.mktemp("bombs")
    paths = [folder / make.__name__ for make in BOMBS]
    for make, path in zip(BOMBS, paths, strict=True):
        make(path)
        assert path.stat().st_size < 2_000_000
    program = Path(__file__).with_name("bombs.py")
    command = [sys.executable, program, *paths]
    done = subprocess.run(command, capture_output=True, text=True, timeout=600)
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    return {name: one for line in lines for name, one in line.items()} | {"": done.stderr}


@pytest.mark.parametrize("make", BOMBS)
def test_a_file_that_holds_too_much_is_refused(make, answers):
    assert make.__name__ in answers, answers[""]
    one = answers[make.__name__]
    assert one["status"] == 2
    assert one["err"].count("\n") == 1
    assert BOMBS[make] in one["err"]
    assert one["megabytes"] < 200
