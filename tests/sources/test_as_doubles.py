"""Whole numbers that double precision does not hold are found, and every source says so."""

import dask.array
import dask.dataframe
import numpy as np
import pandas
import polars
import pyarrow
import pytest
from hypothesis import given
from hypothesis import strategies as st
from oracles import few_examples
from sklearn.exceptions import DataConversionWarning

from projstg import Statistics
from projstg.sources.as_doubles import is_rounded

LONG = 2**60 + 2 * np.arange(40)  # in double precision one number


@few_examples
@given(st.data())
def test_those_that_a_double_does_not_hold(data):
    kind = data.draw(st.sampled_from(["i8", "u8"]))
    about = np.iinfo(kind)
    near = st.sampled_from([about.min, about.max, 2**53, 2**54, 2**62, 2**63 - 1, -(2**53)])
    numbers = st.builds(int.__add__, near, st.integers(-3000, 3000))
    drawn = data.draw(st.lists(numbers, min_size=1, max_size=20))
    drawn = [min(max(one, int(about.min)), int(about.max)) for one in drawn]
    expected = [int(float(one)) != one for one in drawn]
    assert is_rounded(np.array(drawn, dtype=kind)).tolist() == expected


def frame():
    rng = np.random.default_rng(0)
    found = pandas.DataFrame({"id": LONG, "a": rng.standard_normal(40)})
    return found.assign(price=found.a + rng.standard_normal(40))


def from_dask(table, folder):
    return Statistics.from_dask(dask.dataframe.from_pandas(table, npartitions=3), "price")


def from_blocks(table, folder):
    X = dask.array.from_array(np.column_stack([LONG, LONG % 7]), chunks=(10, 2))
    return Statistics.from_dask(X, dask.array.from_array(table.price.to_numpy(), chunks=10))


def from_parquet(table, folder):
    table.to_parquet(folder / "rows.parquet")
    return Statistics.from_parquet(folder / "rows.parquet", "price")


def chunks(table):
    halves = (table[:20], table[20:])
    return [(half[["id", "a"]], half.price) for half in halves]


SOURCES = {
    "update": lambda table, folder: Statistics().update(*chunks(table)[0]),
    "chunks": lambda table, folder: Statistics.from_arrays(chunks(table)),
    "arrow": lambda table, folder: Statistics.from_arrow(table, "price"),
    "gaps": lambda table, folder: Statistics.from_arrow(
        table.assign(id=pandas.array([None, *LONG[1:]], dtype="Int64")), "price", missing="drop"
    ),
    "polars": lambda table, folder: Statistics.from_arrow(polars.from_pandas(table), "price"),
    "reader": lambda table, folder: Statistics.from_arrow(
        pyarrow.Table.from_pandas(table).to_reader(max_chunksize=7), "price"
    ),
    "parquet": from_parquet,
    "dask": from_dask,
    "dask array": from_blocks,
}


@pytest.mark.parametrize("kind", SOURCES)
def test_digits_that_are_lost_are_said_to_be_so_once(kind, tmp_path):
    column = "column 0" if kind == "dask array" else "column 'id'"
    message = rf"whole numbers beyond 2\*\*53 \(in {column}\) keep 15 digits"
    with pytest.warns(DataConversionWarning, match=message) as caught:
        found = SOURCES[kind](frame(), tmp_path)
    assert len(caught) == 1
    assert found.xx[0, 0] == 0.0


def test_a_target_whose_digits_are_lost_is_said_to_be_so():
    table = frame().assign(price=LONG)[["a", "price"]]
    doors = (
        lambda: Statistics.from_arrow(table, "price"),
        lambda: Statistics().update(table[["a"]], table.price),
        lambda: Statistics().update(table[["a"]], table[["price"]]),
    )
    for door in doors:
        with pytest.warns(DataConversionWarning, match=r"\(in y\)"):
            door()


def test_nothing_is_said_of_numbers_that_are_held():
    table = frame().assign(id=2**60 + 2**10 * np.arange(40), a=2**53 - np.arange(40))
    assert Statistics.from_arrow(table, "price").xx[0, 0] > 0.0
    assert Statistics().update(table[["id", "a"]], table.price).n_rows == 40
