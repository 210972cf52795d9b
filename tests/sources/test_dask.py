"""Dask gives the same bits for any number of workers, and after one was killed."""

import datetime
import os
import signal

import numpy as np
import pandas
import pytest
from threadpoolctl import threadpool_info

from projstg import ProjectedSTG, Statistics

dask = pytest.importorskip("dask")
pytest.importorskip("dask.array")
pytest.importorskip("dask.dataframe")
distributed = pytest.importorskip("distributed")

FIELDS = ("x_mean", "y_mean", "xx", "xy", "yy")


def table(n_rows=3000):
    rng = np.random.default_rng(0)
    X = rng.standard_normal((n_rows, 5)) + 3.0
    return X, X[:, 1] - X[:, 4] + rng.standard_normal(n_rows)


def assert_bits(found, expected):
    assert found.n_rows == expected.n_rows
    for name in FIELDS:
        np.testing.assert_array_equal(getattr(found, name), getattr(expected, name))


def arrays(chunks=250):
    X, y = table()
    return dask.array.from_array(X, chunks=(chunks, 2)), dask.array.from_array(y, chunks=700)


@pytest.mark.parametrize("folds", [0, 3])
def test_blocks_are_chunks(folds):
    X, y = table()
    whole = Statistics(folds=folds).update(X, y)
    found = Statistics.from_dask(*arrays(), folds=folds)
    for name in FIELDS:
        np.testing.assert_allclose(getattr(found, name), getattr(whole, name), rtol=1e-12)
    for i in range(folds):
        assert found.fold(i)[1].n_rows == whole.fold(i)[1].n_rows
    model = ProjectedSTG().fit(*arrays())
    np.testing.assert_allclose(model.coef_, ProjectedSTG().fit(X, y).coef_, rtol=1e-9)


def test_a_data_frame_has_names():
    X, y = table()
    frame = pandas.DataFrame(X, columns=list("abcde")).assign(price=y, times=1.0)
    rows = dask.dataframe.from_pandas(frame, npartitions=4)
    found = Statistics.from_dask(rows, "price", "times")
    assert found.feature_names.tolist() == list("abcde")
    assert found.target_names.tolist() == ["price"]
    model = ProjectedSTG().fit(rows.drop(columns="times"), "price")
    assert model.get_feature_names_out().tolist() == ["b", "e"]
    with pytest.raises(ValueError, match="no column 'prize'"):
        Statistics.from_dask(rows, "prize")


def test_a_gap_in_one_block_is_named():
    X, y = table()
    X[1300, 2] = np.nan
    with pytest.raises(ValueError, match="block 6 has 1 of 250 rows with a missing value"):
        Statistics.from_dask(dask.array.from_array(X, chunks=(250, 5)), y)


def test_the_threads_of_this_process_are_as_before():
    before = [one["num_threads"] for one in threadpool_info()]
    with dask.config.set(scheduler="threads", num_workers=4):
        Statistics.from_dask(*arrays(chunks=100))
    assert [one["num_threads"] for one in threadpool_info()] == before


def test_what_is_beside_x_must_fit_it():
    X, y = arrays()
    with pytest.raises(ValueError, match="y has 10 rows"):
        Statistics.from_dask(X, y[:10])
    with pytest.raises(ValueError, match="2 targets; say which"):
        ProjectedSTG().fit(X, dask.array.stack([y, y], axis=1))
    with pytest.raises(ValueError, match="compute_chunk_sizes"):
        Statistics.from_dask(X[X[:, 0] > 3.0], y)
    with pytest.raises(TypeError, match="say which is the target"):
        ProjectedSTG().fit(X)
    with pytest.raises(TypeError, match="an array has no names"):
        ProjectedSTG().fit(X, "price")
    frame = dask.dataframe.from_pandas(pandas.DataFrame(table()[0], columns=list("abcde")))
    with pytest.raises(ValueError, match="names of columns of X, or series"):
        ProjectedSTG().fit(frame, table()[1])


def with_text(n_rows=300):
    """A frame whose text has a level in the last rows alone, and one in two of them."""
    rng = np.random.default_rng(1)
    found = pandas.DataFrame(rng.standard_normal((n_rows, 2)), columns=list("ab"))
    found["colour"] = [*rng.choice(["red", " green"], n_rows - 20), *(["blue"] * 20)]
    found["sex"] = pandas.Categorical(rng.choice(["m", "f"], n_rows))
    found["day"] = pandas.Timestamp("2026-01-01")
    found["code"] = [f"code {i % 40}" for i in range(n_rows)]
    found.loc[::7, "code"] = None  # in a column that is left out
    found["price"] = found.a + 3.0 * (found.colour == "red") + 0.1 * rng.standard_normal(n_rows)
    return found.assign(times=rng.integers(1, 4, n_rows))


@pytest.mark.parametrize("n_partitions", [1, 4, 7])
def test_text_is_coded_as_in_memory(n_partitions):
    frame = with_text()
    rows = dask.dataframe.from_pandas(frame, npartitions=n_partitions)
    found = Statistics.from_dask(rows, "price", "times")
    expected = Statistics.from_arrow(frame, "price", weights="times")
    levels = ["colour=blue", "colour=green", "colour=red"]
    assert found.feature_names.tolist() == ["a", "b", *levels, "sex=m"]
    assert found.feature_names.tolist() == expected.feature_names.tolist()
    assert found.target_names.tolist() == ["price"]
    assert found.left_out == expected.left_out
    assert set(found.left_out) == {"day", "code"}
    assert found.n_rows == 300
    for name in FIELDS:
        theirs = getattr(expected, name)
        np.testing.assert_allclose(getattr(found, name), theirs, rtol=1e-10, atol=1e-9)
    model = ProjectedSTG().fit(rows, "price", "times")
    assert model.get_feature_names_out().tolist() == ["a", "colour=red"]


def test_text_beside_series_and_partitions_without_rows():
    frame = with_text()
    rows = dask.dataframe.from_pandas(frame, npartitions=4)
    named = Statistics.from_dask(rows, "price", "times")
    left = rows.drop(columns=["price", "times"])
    assert_bits(Statistics.from_dask(left, rows.price, rows.times), named)
    twin = left.assign(price=rows.a)  # a column of the name of y
    found = Statistics.from_dask(twin, rows.price)
    assert found.target_names.tolist() == ["price'"]
    few = rows[rows.a > 2.0]  # in some partitions none
    few_too = Statistics.from_arrow(frame[frame.a > 2.0], "price")
    assert Statistics.from_dask(few, "price").feature_names.tolist() == [*few_too.feature_names]
    with pytest.raises(TypeError, match="give one target"):
        Statistics.from_dask(left, rows[["price", "times"]])


def test_text_that_cannot_be_coded_is_refused_in_one_line():
    def parts(*columns):
        frames = [pandas.DataFrame({"a": one, "price": [1.0, 2.0]}) for one in columns]
        made = [dask.delayed(frame.astype({"a": object})) for frame in frames]
        return dask.dataframe.from_delayed(made, meta=frames[0].astype({"a": object}).iloc[:0])

    with dask.config.set({"dataframe.convert-string": False}):
        with pytest.raises(ValueError, match="'a' has text in some partitions and numbers in oth"):
            Statistics.from_dask(parts(["x", "y"], [1.0, 2.0]), "price")
        with pytest.raises(ValueError, match="block 2 cannot be read") as caught:
            Statistics.from_dask(parts(["x", "y"], ["x", 2.0]), "price")
        assert "\n" not in str(caught.value)
        empty = parts(["x", "y"], [None, None])
        with pytest.raises(ValueError, match=r"block 2 has 2 of 2 rows .*a=x 2"):
            Statistics.from_dask(empty, "price")
        assert Statistics.from_dask(empty, "price", missing="drop").n_rows == 2
    rows = dask.dataframe.from_pandas(with_text(), npartitions=2)
    with pytest.raises(ValueError, match=r"'colour' of block . has text; the target"):
        Statistics.from_dask(rows, "colour")


@pytest.fixture(scope="module")
def client():
    """Two processes, for all tests that need a cluster; they are forks of one with the imports."""
    settings = {
        "distributed.scheduler.allowed-failures": 5,
        "distributed.worker.multiprocessing-method": "forkserver",
    }
    with dask.config.set(settings):
        distributed.utils.get_mp_context().set_forkserver_preload(
            ["distributed", "projstg.sources"]
        )
        with (
            distributed.LocalCluster(2, threads_per_worker=1, dashboard_address=":0") as cluster,
            distributed.Client(cluster, set_as_default=False) as client,
        ):
            yield client


def deadly(folder):
    """Return what kills the worker that is the first to come to the eighth block."""

    def block(rows):
        if rows[0, 0] == 7.0:
            try:
                os.close(os.open(os.path.join(folder, "killed"), os.O_CREAT | os.O_EXCL))
            except FileExistsError:
                return rows
            os.kill(os.getpid(), signal.SIGKILL)
        return rows

    return block


def test_text_has_the_same_bits_on_any_workers(client):
    rows = dask.dataframe.from_pandas(with_text(), npartitions=5)
    with dask.config.set(scheduler="sync"):
        expected = Statistics.from_dask(rows, "price", folds=3)
    with client.as_current():
        found = Statistics.from_dask(rows, "price", folds=3)
    assert_bits(found, expected)
    assert found.feature_names.tolist() == expected.feature_names.tolist()


@pytest.mark.filterwarnings("ignore")  # of workers that are gone
def test_workers_and_a_killed_one_change_no_bit(client, tmp_path):
    X, y = table()
    X[1750, 0] = 7.0  # the first number of the eighth block
    rows, response = dask.array.from_array(X, chunks=(250, 5)), dask.array.from_array(y, chunks=250)
    with dask.config.set(scheduler="sync"):
        expected = Statistics.from_dask(rows, response)
    with client.as_current():
        assert_bits(Statistics.from_dask(rows, response), expected)
        assert len({one["pid"] for one in client.run(lambda: {"pid": os.getpid()}).values()}) == 2
        killing = rows.map_blocks(deadly(str(tmp_path)), dtype=float)
        assert_bits(Statistics.from_dask(killing, response), expected)
    assert (tmp_path / "killed").exists()
    assert client.status == "running"


def test_dates_that_are_missing_in_one_partition_cost_no_row():
    when = [datetime.date(2026, 1, 1)] * 30 + [None] * 30
    frame = pandas.DataFrame({"a": np.arange(60.0), "t": ["u", "v"] * 30, "when": when})
    frame["y"] = frame.a % 7
    parts = [frame[:30], frame[30:]]
    with dask.config.set({"dataframe.convert-string": False}):
        made = dask.dataframe.from_map(lambda i: parts[i], [0, 1], meta=frame[:0])
        found = Statistics.from_dask(made, "y", missing="drop")
    assert found.n_rows == 60
    assert found.left_out == {"when": "dates"}


def test_no_rows_that_count_are_said_to_be_none():
    frame = pandas.DataFrame({"a": [np.nan] * 4, "y": np.arange(4.0)})
    with pytest.raises(ValueError, match="no rows that count: all 4"):
        Statistics.from_dask(dask.dataframe.from_pandas(frame, npartitions=2), "y", missing="drop")


def test_a_repeated_column_name_is_refused():
    X, y = table(40)
    twice = pandas.DataFrame(X[:, :3], columns=["a", "a", "b"]).assign(price=y)
    rows = dask.dataframe.from_pandas(twice, npartitions=2)
    for sides in ((rows, "price"), (rows.drop(columns="price"), rows.price)):
        with pytest.raises(ValueError, match="the data frame has more than one column 'a'"):
            Statistics.from_dask(*sides)
    two_prices = dask.dataframe.from_pandas(twice.set_axis([*"bcaa"], axis=1), npartitions=2)
    with pytest.raises(ValueError, match="more than one column 'a'"):
        Statistics.from_dask(two_prices, "a")


@pytest.mark.parametrize("column", ["b", "price", "colour"])
def test_a_partition_that_lacks_a_column_is_named_in_one_line(column):
    frame = with_text(40)[["a", "b", "colour", "price"]]
    parts = [frame[:20], frame[20:].drop(columns=column)]
    rows = dask.dataframe.from_map(lambda i: parts[i], [0, 1], meta=frame[:0])
    with pytest.raises(ValueError, match=f"block 2 has no column '{column}'") as caught:
        Statistics.from_dask(rows, "price")
    assert "\n" not in str(caught.value)


def test_a_series_whose_partition_cannot_be_made_is_refused_in_one_line():
    frame = with_text(40)[["a", "b", "price"]]
    parts = [frame[:20], frame[20:].drop(columns="price")]
    rows = dask.dataframe.from_map(lambda i: parts[i], [0, 1], meta=frame[:0])
    with pytest.raises(ValueError, match=r"a block cannot be read: KeyError\('price'\)"):
        Statistics.from_dask(rows[["a", "b"]], rows.price)


def test_text_of_partitions_that_were_put_together():
    rng = np.random.default_rng(0)
    frame = pandas.DataFrame({"a": rng.random(40), "k": ["u", "v"] * 20, "y": rng.random(40)})
    parts = dask.dataframe.from_pandas(frame, npartitions=4)
    one = Statistics.from_dask(parts.repartition(npartitions=1), "y")
    four = Statistics.from_dask(parts, "y")
    assert one.feature_names.tolist() == four.feature_names.tolist() == ["a", "k=v"]
    np.testing.assert_allclose(one.xx, four.xx, rtol=1e-12)
