"""A table that would not fit into memory is not read whole."""

import gzip

import pytest

from projstg.tables.cells import memory_guard as memory
from projstg.tables.cells.parse_cells import text_table
from projstg.tables.cells.text_cells import TextCells
from projstg.tables.files.read_table import Read, read_table

pd = pytest.importorskip("pandas")


@pytest.mark.parametrize("pack", [bytes, gzip.compress])
def test_what_would_not_fit_into_memory_is_not_read_whole(pack, written, monkeypatch):
    content = ("a," * 50 + "y\n" + ("0," * 50 + "1\n") * 20_000).encode()
    path = written(pack(content))
    monkeypatch.setattr(TextCells, "frame", lambda *given: pytest.fail("it was read"))
    assert not isinstance(read_table(path, most_bytes=1_000_000), Read)
    with path.open("rb") as file:
        stream = file if pack is bytes else gzip.GzipFile(fileobj=file)
        with pytest.raises(memory.TooLarge, match=r"about \d+ rows and 51 columns") as caught:
            text_table(stream, file, "table", None, 1_000_000)
    told = int(str(caught.value).split("about ")[1].split()[0])
    assert 10_000 < told < 40_000


def test_the_limit_of_a_container_counts(tmp_path, monkeypatch):
    monkeypatch.setattr(memory, "_CGROUP", tmp_path)
    unlimited = memory.free_memory()
    files = {"memory.max": "5000\n", "memory.current": "4000\n"}
    files["memory.stat"] = "anon 1000\nactive_file 200\ninactive_file 300\n"
    for name, text in files.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    assert memory.free_memory() == 1500
    (tmp_path / "memory.max").write_text("max\n", encoding="utf-8")
    assert (memory.free_memory() is None) == (unlimited is None)
    assert memory.free_memory() != 1500


def test_free_memory_is_a_number_of_bytes_or_unknown():
    free = memory.free_memory()
    assert free is None or free > 2**20
