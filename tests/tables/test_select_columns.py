"""A table gives one answer, however it is given."""

import numpy as np
import pytest
from scipy.sparse import csr_array

import projstg
from projstg.tables import TableError
from projstg.tables.files.read_table import read_table
from projstg.tables.select_columns import chosen_from
from projstg.tables.words.question import TableQuestion

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
        projstg.select(X, y, 2),
        projstg.select(X, y.tolist(), 2),
        projstg.select(X, target=y.to_numpy(), k=2),
    ]
    arrays = projstg.select(X.to_numpy(), y.to_numpy(), k=2)
    assert arrays.columns == projstg.select((X.to_numpy().tolist(), y.tolist()), k=2).columns
    assert arrays.columns == ["x1", "x5"]
    for answer in answers:
        assert answer.columns == ["b", "f"]
        assert answer.target == "y"
        assert answer.r2_out_of_sample == pytest.approx(arrays.r2_out_of_sample, rel=1e-9)


def test_other_frames_are_taken_too(frame):
    polars = pytest.importorskip("polars")
    pytest.importorskip("pyarrow")
    assert projstg.select(polars.from_pandas(frame), "y", 2, folds=0).columns == ["b", "f"]
    X = polars.from_pandas(frame.drop(columns="y"))
    found = projstg.select(X, polars.Series("price", frame["y"].to_numpy()), 2, folds=0)
    assert (found.target, found.columns) == ("price", ["b", "f"])


@pytest.mark.parametrize(
    ("given", "words"),
    [
        (([[1, 2]],), "a data frame, a path, or arrays.*you gave a list alone"),
        (((1, 2, 3),), "a tuple of 3"),
        ((np.ones(3), np.ones(3)), "must have rows and columns"),
        ((np.ones((3, 2)), np.ones(2)), r"y has shape \(2,\) for 3 rows.*one value for each row"),
        ((np.ones((3, 2)), np.ones((3, 2))), r"y has shape \(3, 2\)"),
        (((np.ones((3, 2)), np.ones(3)), np.ones(3)), "y is given twice"),
        (("prices.csv", [1.0, 2.0]), 'name of a column, as in target="price"'),
        ((csr_array(np.eye(3)), np.ones(3)), r"X is sparse; pass X.toarray\(\)"),
        ((np.ones((3, 2)), "y"), "you gave a ndarray alone"),
    ],
)
def test_what_is_no_table(given, words):
    with pytest.raises(TableError, match=words):
        projstg.select(*given, k=1)


def test_a_target_that_is_still_in_x_is_refused(frame):
    for given in ((frame, frame["y"]), ((frame, frame["y"].tolist()),)):
        with pytest.raises(TableError, match=r"still has the target 'y'.*select\(X, 'y'\)"):
            projstg.select(*given)
    other = projstg.select(frame.rename(columns={"a": "log"}), frame["y"].rename("log"), 1)
    assert other.target == "log'"  # another column of that name is no reason to refuse


def test_a_number_is_the_name_of_a_column(frame):
    numbered = frame.set_axis(range(frame.shape[1]), axis=1)
    found = projstg.select(numbered, 8, 2, folds=0)
    assert (found.target, found.columns) == ("8", ["1", "5"])


def test_a_source_of_rows_is_told_where_to_go():
    X = np.random.default_rng(0).standard_normal((30, 3))
    statistics = projstg.Statistics().update(X, X[:, 0])
    for source in (statistics, iter([(X, X[:, 0])]), (statistics, None)):
        with pytest.raises(TableError, match=r"ProjectedSTG\(\).fit learns from"):
            projstg.select(source, "y")


@pytest.mark.parametrize("kind", ["frame", "parquet", "feather", "pieces", "two files"])
@pytest.mark.parametrize("codes", [[0, 1, 2], ["1", "2", "3"], [1.0, 2.0, 3.0]])
def test_categories_are_levels_whatever_they_look_like(codes, kind, rng, tmp_path):
    cells = rng.integers(0, 3, 60)
    frame = pd.DataFrame(
        {"a": rng.normal(size=60), "code": pd.Categorical.from_codes(cells, codes)}
    )
    frame["y"] = np.array([0.0, 5.0, 1.0])[cells] + 0.1 * rng.normal(size=60)
    table, read = frame, None
    if kind != "frame":
        pytest.importorskip("pyarrow")
        table = [tmp_path / "one", tmp_path / "two"][: 1 + (kind == "two files")]
        for path, part in zip(table, (frame, frame[:0]), strict=False):
            part.to_feather(path) if kind == "feather" else part.to_parquet(path)
    if kind == "pieces":
        read = read_table(table[0], most_bytes=1)
        found = chosen_from(read, TableQuestion(target="y", folds=0), 0.0)[0]
    else:
        found = projstg.select(table, "y", folds=0)
    assert found.factors[0]["column"] == "code"
    assert found.r2_in_sample > 0.99
    np.testing.assert_allclose(
        found.predict(frame)["prediction"], found.predict(table)["prediction"], rtol=1e-12
    )
    numbers = frame.assign(y=pd.Categorical.from_codes(cells, [0, 1, 2]))
    assert projstg.select(numbers, "y", folds=0).target == "y"


def test_labels_in_another_order_are_refused_and_others_go_by_position(frame):
    X, y = frame.drop(columns="y"), frame["y"]
    words = r"the index of {0} has the labels of X in another order; pass {0}\.loc\[X\.index\]"
    for given in (y[::-1], y[::-1].to_frame()):
        with pytest.raises(TableError, match=words.format("y")):
            projstg.select(X, given)
    weights = pd.Series(1.0, index=y.index[::-1])
    for ask in (
        lambda: projstg.select(frame, "y", weights=weights),
        lambda: projstg.select(X, y, weights=weights),
    ):
        with pytest.raises(TableError, match=words.format("weights")):
            ask()
    for given in (y[::-1].loc[X.index], y.set_axis(y.index + 1000)):
        assert projstg.select(X, given, 2, folds=0).columns == ["b", "f"]


def test_a_target_of_one_column_is_taken(frame):
    X, y = frame.drop(columns="y"), frame[["y"]].rename(columns={"y": "price"})
    found = projstg.select(X, y, 2, folds=0)
    assert (found.columns, found.target) == (["b", "f"], "price")
    assert projstg.select(X, y.to_numpy(), 2, folds=0).target == "y"


def test_predict_says_what_it_takes(frame):
    found = projstg.select(frame, "y", 2, folds=0)
    with pytest.raises(TableError, match="a list of paths or an array; you gave a dict"):
        found.predict({"b": [1.0], "f": [2.0]})


@pytest.mark.parametrize("kind", [np.float64, np.int64, object])
@pytest.mark.parametrize("which", [0, 1, 2])
def test_masked_cells_are_missing(rng, kind, which):
    X = rng.integers(0, 100, (30, 3))
    y = X[:, 1] + rng.integers(0, 9, 30)
    given = [array.astype(kind) for array in (X, y, np.ones(30))]
    rows = np.arange(30) >= 4
    given[which] = np.ma.masked_array(given[which], mask=np.zeros(given[which].shape, dtype=bool))
    given[which][~rows] = np.ma.masked
    given[which].data[~rows] = -999
    X, y, weights = given
    with pytest.raises(TableError, match=r"values are missing: [^?]*$"):
        projstg.select(X, y, weights=weights)
    found = projstg.select(X, y, weights=weights, missing="drop")
    plain = projstg.select(*(np.asarray(one[rows]) for one in (X, y)))
    assert (found.n_samples, found.columns) == (26, plain.columns)
