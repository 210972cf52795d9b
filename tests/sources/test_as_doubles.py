"""Whole numbers that double precision does not hold are found, and every source says so."""

from decimal import Decimal

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

from projstg import ProjectedSTG, Statistics, fit_many
from projstg.sources.as_doubles import has_rounded, is_rounded, rounded_columns

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


WHOLE = [int(one) for one in LONG]
DECIMALS = [Decimal(one) for one in WHOLE]
ARROW = pyarrow.array(WHOLE)
A = np.random.default_rng(1).standard_normal(40)
TABLES = {
    "object frame": pandas.DataFrame({"k": pandas.Series(WHOLE, dtype=object), "a": A}),
    "decimals": pandas.DataFrame({"k": DECIMALS, "a": A}),
    "decimals of Arrow in pandas": pandas.DataFrame(
        {"k": pandas.Series(DECIMALS, dtype=pandas.ArrowDtype(pyarrow.decimal128(20))), "a": A}
    ),
    "object array": np.array(list(zip(WHOLE, A, strict=True)), dtype=object),
    "long doubles": np.column_stack([LONG.astype(np.longdouble), A]),
    "list": list(zip(WHOLE, A.tolist(), strict=True)),
    "list of longer ones": [[10**30 + k, a] for k, a in zip(WHOLE, A.tolist(), strict=True)],
    "categories": pandas.DataFrame({"k": pandas.Categorical(WHOLE), "a": A}),
    "polars": polars.DataFrame({"k": WHOLE, "a": A}),
    "decimals of polars": polars.DataFrame({"k": DECIMALS, "a": A}),
    "arrow": pyarrow.table({"k": ARROW, "a": A}),
    "arrow dictionary": pyarrow.table({"k": ARROW.dictionary_encode(), "a": A}),
    "arrow decimals": pyarrow.table({"k": pyarrow.array(DECIMALS), "a": A}),
}


@pytest.mark.parametrize("kind", TABLES)
def test_whole_numbers_of_any_type_are_found(kind):
    if kind == "long doubles" and np.dtype(np.longdouble).itemsize == 8:
        pytest.skip("a long double is a double here")
    found = rounded_columns(TABLES[kind])
    assert found in ({"column 'k'"}, {"column 0"})


@pytest.mark.parametrize("kind", ["object frame", "object array", "list", "decimals"])
def test_fit_says_so_of_objects(kind):
    y = A + np.random.default_rng(2).standard_normal(40)
    with pytest.warns(DataConversionWarning, match=r"beyond 2\*\*53 \(in column") as caught:
        ProjectedSTG(1).fit(TABLES[kind], y)
    assert len(caught) == 1


@pytest.mark.parametrize("kind", ["polars", "arrow"])
def test_fit_many_says_so_of_tables_with_names(kind):
    with pytest.warns(DataConversionWarning, match=r"beyond 2\*\*53 \(in column 'k'\)"):
        fit_many(TABLES[kind], A[None], 1)


@pytest.mark.parametrize("kind", ["arrow dictionary", "arrow decimals"])
def test_sums_say_so_of_types_of_arrow(kind):
    with pytest.warns(DataConversionWarning, match=r"beyond 2\*\*53 \(in column 'k'\)"):
        Statistics.from_arrow(TABLES[kind].append_column("y", pyarrow.array(A)), "y")


@pytest.mark.parametrize(
    "y",
    [
        pandas.Series(WHOLE, dtype=object),
        DECIMALS,
        [10**30 + one for one in WHOLE],
        [*WHOLE[:-1], 0.5],
        np.array(WHOLE, dtype=object),
    ],
)
def test_targets_that_are_objects_are_said_to_be_so(y):
    with pytest.warns(DataConversionWarning, match=r"beyond 2\*\*53 \(in y\)"):
        ProjectedSTG(1).fit(np.column_stack([A, LONG % 7]), y)


@pytest.mark.parametrize(
    "cells",
    [
        [2**53, 2**60, -(2**62)],
        [Decimal("0.1"), Decimal(2**60), Decimal("NaN")],
        [1e300, float("inf"), None],
        ["9007199254740993", "a"],
        [float("nan"), True, 2**53 - 1],
        [10**400],
    ],
)
def test_nothing_is_said_of_objects_that_are_held_or_are_no_numbers(cells):
    assert not has_rounded(np.array(cells, dtype=object))  # a warning would be an error
    assert not has_rounded(pandas.Series(cells, dtype=object))
