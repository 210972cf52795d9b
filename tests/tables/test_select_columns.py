"""A table gives one answer, however it is given."""

import numpy as np
import pytest

import projstg
from projstg.tables import TableError

pd = pytest.importorskip("pandas")


def test_the_ways_to_give_a_table_agree(frame, tmp_path):
    frame.to_csv(tmp_path / "t.csv", index=False)
    X, y = frame.drop(columns="y"), frame["y"]
    answers = [
        projstg.select(frame, "y", 2),
        projstg.select(tmp_path / "t.csv", "y", 2),
        projstg.select(str(tmp_path / "t.csv"), target="y", k=2),
        projstg.select((X, y), k=2),
        projstg.select((X, y.to_numpy()), "y", 2),
    ]
    arrays = projstg.select((X.to_numpy(), y.to_numpy()), k=2)
    assert arrays.columns == ["x1", "x5"]
    for answer in answers:
        assert answer.columns == ["b", "f"]
        assert answer.target == "y"
        assert answer.r2_out_of_sample == pytest.approx(arrays.r2_out_of_sample, rel=1e-9)


def test_other_frames_are_taken_too(frame):
    polars = pytest.importorskip("polars")
    pytest.importorskip("pyarrow")
    assert projstg.select(polars.from_pandas(frame), "y", 2, folds=0).columns == ["b", "f"]


@pytest.mark.parametrize(
    ("table", "words"),
    [
        ([[1, 2]], "a data frame, a path or a pair"),
        ((1, 2, 3), "a tuple of 3"),
        ((np.ones(3), np.ones(3)), "must have rows and columns"),
        ((np.ones((3, 2)), np.ones(2)), "y has shape"),
    ],
)
def test_what_is_no_table(table, words):
    with pytest.raises(TableError, match=words):
        projstg.select(table, k=1)


def test_a_source_of_rows_is_told_where_to_go():
    X = np.random.default_rng(0).standard_normal((30, 3))
    statistics = projstg.Statistics().update(X, X[:, 0])
    for source in (statistics, iter([(X, X[:, 0])]), (statistics, None)):
        with pytest.raises(TableError, match=r"ProjectedSTG\(\).fit learns from"):
            projstg.select(source, "y")
