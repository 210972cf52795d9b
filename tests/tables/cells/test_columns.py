"""What a column of a table is taken for."""

import datetime

import numpy as np
import pytest
from preparing import N

from projstg.tables.cells.columns import column_of

pd = pytest.importorskip("pandas")


KINDS = {
    "numbers": (np.cos(np.arange(N)), "number"),
    "whole numbers": ([3, 1, 2] * 4, "number"),
    "bools": ([True, False] * 6, "number"),
    "bools with a gap": ([True, None, False] * 4, "number"),
    "numbers as text": (["1.5", " 2 ", "3"] * 4, "number"),
    "percent": (["1.5 %", "2%", "3%"] * 4, "number"),
    "money": (["$1,500.50", "$2", "$3"] * 4, "number"),
    "nullable": (pd.array([1, None, 2] * 4, dtype="Int64"), "number"),
    "two levels": (["yes", "no"] * 6, "category"),
    "three levels": (["a", "b", "c"] * 4, "category"),
    "categories": (pd.Categorical(["a", "b", "c"] * 4), "category"),
    "one level": (["a"] * N, "category"),
    "free text": ([f"word {i}" for i in range(N)], "text"),
    "days": ([f"2024-02-{i + 1:02d}" for i in range(N)], "date"),
    "days and times": ([f"2024-02-01 {i:02d}:30:00" for i in range(N)], "date"),
    "other days": ([f"{i + 1}.2.2024" for i in range(N)], "date"),
    "days in words": ([f"{i + 1} Feb 2024" for i in range(N)], "date"),
    "timestamps": (pd.date_range("2024-01-01", periods=N), "date"),
    "date objects": ([datetime.date(2024, 1, i + 1) for i in range(N)], "date"),
    "days as numbers": (20240101 + np.arange(N), "date"),
    "nothing": ([None] * N, "empty"),
    "nan": ([np.nan] * N, "empty"),
    "lists": ([[1, 2]] * N, "other"),
    "complex": (np.full(N, 1j), "other"),
}


@pytest.mark.parametrize("name", KINDS)
def test_what_a_column_is(name):
    values, kind = KINDS[name]
    assert column_of(pd.Series(values, name="some")).kind == kind


IDS = [
    "id",
    "ID",
    "patient_id",
    "customerId",
    "index",
    "row names",
    "user id",
]


UNNAMED = ["Unnamed: 0", "Unnamed: 0.1", "unnamed 1"]


NOT_IDS = ["unnamed 2", "column 1", "acid", "humid", "price index", "paid", "grid", "solid"]


@pytest.mark.parametrize("name", IDS + NOT_IDS)
def test_identifiers_go_by_their_names(name):
    kind = "identifier" if name in IDS else "number"
    assert column_of(pd.Series(np.arange(N) * 7, name=name)).kind == kind
    assert column_of(pd.Series(np.arange(N) * 7, name=name), is_wanted=True).kind == "number"
    assert column_of(pd.Series(np.arange(N) * 7.3, name=name)).kind == "number"


@pytest.mark.parametrize("name", UNNAMED)
def test_a_first_column_without_a_name_is_said_to_have_none(name):
    some, counts = np.arange(N) * 7, np.arange(N) + 3
    assert column_of(pd.Series(some, name=name)).kind == "unnamed"
    assert column_of(pd.Series(counts, name=name)).kind == "row_numbers"
    assert column_of(pd.Series([f"car {i}" for i in range(N)], name=name)).kind == "unnamed"
    assert column_of(pd.Series(counts, name=name), is_wanted=True).kind == "number"
    assert column_of(pd.Series(counts * 0.3, name=name)).kind == "number"


def test_infinite_values_one_after_another_are_no_warning():
    assert column_of(pd.Series([1.0, np.inf, np.inf, 4.0], name="a")).kind == "number"
