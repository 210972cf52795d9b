"""Paths and standard input."""

import pytest

from projstg.tables.files.read_table import read_table
from projstg.tables.words.notes import TableError

pd = pytest.importorskip("pandas")


PLAIN = "a,b,y\n1,2.5,3\n4,5.5,6\n7,8.5,9\n"


def test_standard_input(standard_input):
    standard_input(PLAIN.encode())
    assert read_table("-").frame.shape == (3, 3)


def test_a_file_that_is_not_there(tmp_path, written):
    written(PLAIN, "Table.csv")
    with pytest.raises(TableError, match=r"is not there; did you mean 'Table.csv'\?"):
        read_table(tmp_path / "table.csv")
    with pytest.raises(TableError, match="is a folder"):
        read_table(tmp_path)
