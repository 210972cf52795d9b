"""Folders named key=value are columns, as pyarrow.dataset reads them."""

import os
from pathlib import Path

import numpy as np
import pandas
import pyarrow
import pyarrow.dataset
import pyarrow.parquet
import pytest

from projstg import ProjectedSTG, Statistics

CITIES = ["New York", "Rome", "Åbo"]


@pytest.fixture(scope="module")
def table():
    rng = np.random.default_rng(0)
    found = pandas.DataFrame(rng.standard_normal((120, 3)), columns=list("abc"))
    found["year"] = rng.choice([1999, 2024, 2026], 120)
    found["city"] = rng.choice(CITIES, 120)
    price = found.a + 0.1 * (found.year - 2000) + 3.0 * (found.city == "Rome")
    return found.assign(price=price + 0.3 * rng.standard_normal(120))


@pytest.fixture
def folder(table, tmp_path):
    rows = pyarrow.Table.from_pandas(table, preserve_index=False)
    pyarrow.parquet.write_to_dataset(rows, tmp_path / "rows", partition_cols=["year", "city"])
    return tmp_path / "rows"


def test_the_columns_are_those_of_a_dataset(folder, table):
    found = Statistics.from_parquet(folder, "price")
    whole = pyarrow.dataset.dataset(folder, partitioning="hive")
    expected = Statistics.from_arrow(whole, "price")
    levels = [f"city={city}" for city in CITIES]
    assert found.feature_names.tolist() == ["a", "b", "c", "year", *levels]
    assert found.feature_names.tolist() == expected.feature_names.tolist()
    np.testing.assert_allclose(found.xx, expected.xx, rtol=1e-10, atol=1e-9)
    np.testing.assert_allclose(found.xy, expected.xy, rtol=1e-10, atol=1e-9)
    in_memory = Statistics.from_arrow(table, "price")
    np.testing.assert_allclose(found.xx, in_memory.xx, rtol=1e-10, atol=1e-9)
    model = ProjectedSTG().fit(str(folder), "price")
    assert set(model.get_feature_names_out()) == {"a", "year", "city=Rome"}


def test_columns_target_and_weights_may_be_folders(folder):
    found = Statistics.from_parquet(folder, "price", columns=["b"], weights="year")
    assert found.feature_names.tolist() == ["b"]
    assert found.weight_sum > 1999 * 120
    assert Statistics.from_parquet(folder, "price", columns=["year"]).feature_names == ["year"]
    assert Statistics.from_parquet(folder, "year", columns=["city"]).target_names == ["year"]
    with pytest.raises(ValueError, match=r"no column 'yaer'.*year"):
        Statistics.from_parquet(folder, "price", columns=["yaer"])


def test_a_missing_value_has_a_name_of_its_own(folder):
    (folder / "year=2026").rename(folder / "year=__HIVE_DEFAULT_PARTITION__")
    with pytest.raises(ValueError, match=r"rows with a missing value \(year"):
        Statistics.from_parquet(folder, "price")
    found = Statistics.from_parquet(folder, "price", missing="drop")
    assert found.n_dropped > 0
    assert "year" in found.feature_names  # still numbers


def test_a_column_that_the_file_has_too_is_read_from_the_file(table, tmp_path):
    for year, rows in table.groupby("year"):
        path = tmp_path / "rows" / f"year={year}"
        path.mkdir(parents=True)
        rows.to_parquet(path / "part.parquet", index=False)
    found = Statistics.from_parquet(tmp_path / "rows", "price")
    assert found.feature_names.tolist().count("year") == 1
    np.testing.assert_allclose(found.xx, Statistics.from_arrow(table, "price").xx, rtol=1e-9)


@pytest.mark.parametrize("place", ["", "year=2027", "year=2026/town=Rome"])
def test_a_file_in_other_folders_is_named(folder, table, place):
    path = folder / place
    path.mkdir(parents=True, exist_ok=True)
    table[["a", "b", "c", "price"]].to_parquet(path / "zz.parquet")
    with pytest.raises(ValueError, match="give all files the same") as caught:
        Statistics.from_parquet(folder, "price")
    assert "\n" not in str(caught.value)


def test_other_folders_are_no_columns(table, tmp_path):
    for i, rows in enumerate((table[:60], table[60:])):
        (tmp_path / f"part {i}").mkdir()
        rows.to_parquet(tmp_path / f"part {i}" / "rows.parquet")
    found = Statistics.from_parquet(tmp_path, "price")
    assert found.n_rows == 120
    assert found.feature_names.tolist()[:4] == ["a", "b", "c", "year"]


def test_files_that_are_being_written_are_passed_over(tmp_path):
    table = pyarrow.table({"a": np.arange(30.0), "y": np.arange(30.0) % 7})
    for name in ("part-0.parquet", "_temporary/0/part-0.parquet", ".part-1.parquet"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        pyarrow.parquet.write_table(table, tmp_path / name)
    assert Statistics.from_parquet(tmp_path, "y").n_rows == 30


@pytest.mark.parametrize("content", [b"a,price\n1,2\n3,4\n", b"", b"PK\x03\x04"])
def test_a_file_of_another_kind_is_said_to_be_one(content, tmp_path):
    path = tmp_path / "rows.csv"
    path.write_bytes(content)
    for fit in (ProjectedSTG().fit, Statistics.from_parquet):
        with pytest.raises(ValueError, match=r"rows\.csv is no Parquet file; read it first, as by"):
            fit(path, "price")


@pytest.mark.skipif(os.name != "posix", reason="needs pipes and devices with names")
def test_pipes_and_devices_are_not_waited_for(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    for path, kind in ((tmp_path / "pipe", "pipe"), (Path("/dev/zero"), "device")):
        with pytest.raises(ValueError, match=f"{path.name} cannot be read: it is a {kind}"):
            Statistics.from_parquet(path, "price")


def test_what_a_fit_says_of_gaps_can_be_done(folder, table):
    table.mask(table.a > 2.0).to_parquet(folder / "year=1999" / "city=Rome" / "more.parquet")
    with pytest.raises(
        ValueError, match=r"or fit Statistics that leave such rows out, by .*from_pa"
    ):
        ProjectedSTG().fit(folder, "price")
    found = Statistics.from_parquet(folder, "price", missing="drop")
    assert ProjectedSTG().fit(found).n_features_in_ == 7
