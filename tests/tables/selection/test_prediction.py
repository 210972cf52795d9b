"""An answer used on other tables: the same columns, the same numbers, fresh or from a file."""

import json
import pickle
import re

import numpy as np
import pytest
from rounding import assert_same_numbers
from sklearn.base import clone
from sklearn.model_selection import cross_val_score

import projstg
from projstg import ProjectedSTG
from projstg.tables import Selection, TableError
from projstg.tables.files.read_table import read_table
from projstg.tables.prepare.design_matrix import prepared_table
from projstg.tables.prepare.recipe_columns import known_cells
from projstg.tables.select_columns import chosen_from
from projstg.tables.selection import averages
from projstg.tables.words.question import TableQuestion

pd = pytest.importorskip("pandas")

N = 120


@pytest.fixture
def mixed(rng):
    """Numbers, numbers with marks, a text of three levels, one of two, and y."""
    frame = pd.DataFrame(rng.normal(size=(N, 3)).round(4), columns=list("abc"))
    frame["share"] = [f"{one} %" for one in rng.integers(0, 100, N)]
    frame["paid"] = [f"{one:,.2f}" for one in rng.uniform(100, 99999, N)]
    frame["city"] = rng.choice(["Bern", "Oslo", "Rome"], N)
    frame["sex"] = rng.choice(["f", "m"], N)
    share = frame["share"].str.rstrip(" %").astype(float)
    paid = frame["paid"].str.replace(",", "").astype(float)
    frame["y"] = 2 * frame.a + 0.1 * share + paid / 1e4 + 3.0 * (frame.city == "Rome")
    frame["y"] += (frame.sex == "m") + 0.3 * rng.normal(size=N)
    return frame


@pytest.fixture
def found(mixed):
    return projstg.select(mixed, "y", folds=0)


def with_gaps(frame):
    """The same with a few cells missing, in each kind of column."""
    frame = frame.copy()
    for row, name in enumerate(["a", "b", "share", "city", "a", "city"]):
        frame.loc[3 * row, name] = None
    return frame


def loaded(selection, folder):
    selection.save(folder / "selection.json")
    return Selection.load(folder / "selection.json")


def prediction(selection, frame, **asked):
    return selection.predict(frame, **asked)["prediction"].to_numpy()


QUESTIONS = {
    "auto": {},
    "a number": {"k": 3},
    "a forced text": {"always": ["city"]},
    "gates alone": {"k": None, "folds": 0},
    "weights": {"weights": "times"},
}


@pytest.mark.filterwarnings("ignore:Filled in")
@pytest.mark.parametrize("asked", QUESTIONS)
@pytest.mark.parametrize("missing", ["drop", "mean"])
def test_on_its_own_table_it_gives_the_fitted_values(mixed, asked, missing):
    frame = with_gaps(mixed).assign(times=1 + np.arange(N) % 3)
    question = TableQuestion(target="y", missing=missing, **QUESTIONS[asked])
    rows = prepared_table(frame, question).rows
    found = projstg.select(frame, "y", missing=missing, **QUESTIONS[asked])
    given = frame.iloc[rows]
    np.testing.assert_allclose(prediction(found, given), found.rows["fitted"], rtol=1e-10)


@pytest.mark.parametrize("kind", ["csv", "frame"])
def test_r2_on_its_own_table_is_that_of_the_answer(mixed, kind, tmp_path):
    table = mixed
    if kind == "csv":
        table = tmp_path / "table.csv"
        mixed.to_csv(table, index=False)
    found = projstg.select(table, "y", folds=0)
    y = mixed["y"].to_numpy()
    off = y - prediction(found, table)
    assert 1 - off @ off / np.sum((y - y.mean()) ** 2) == pytest.approx(found.r2_in_sample)
    assert len(found.columns) >= 5


def test_columns_are_found_by_name_and_others_do_not_matter(mixed, found):
    needed = [name for name in mixed if name in {"a", "share", "paid", "city", "sex"}]
    few = mixed[needed[::-1]].set_axis(pd.RangeIndex(1000, 1000 + N))
    got = found.predict(few.assign(other="x", y="unknown"))
    assert got.index.equals(few.index)
    assert list(got.columns) == ["prediction"]
    assert_same_numbers(got["prediction"], prediction(found, mixed))


def test_one_row_is_read_as_it_was_among_others(mixed, found):
    alone = [found.predict(mixed[i : i + 1])["prediction"].iloc[0] for i in range(10)]
    assert_same_numbers(alone, prediction(found, mixed)[:10])


@pytest.mark.filterwarnings("ignore:Filled in")
@pytest.mark.parametrize("asked", [{}, {"k": 4}, {"always": ["city", "b"]}])
@pytest.mark.parametrize("missing", ["error", "mean"])
def test_averages_and_intervals_are_those_of_the_model_fresh_or_loaded(
    mixed, asked, missing, tmp_path
):
    frame = with_gaps(mixed) if missing == "mean" else mixed
    question = TableQuestion(target="y", missing=missing, folds=0, **asked)
    data = prepared_table(frame, question)
    found = projstg.select(frame, "y", missing=missing, folds=0, **asked)
    again = loaded(found, tmp_path)
    assert again == found
    k = asked.get("k", "auto")
    model = ProjectedSTG(k, always_select=data.always, random_state=0).fit(data.X, data.y)
    expected = model.predict(data.X, averaged=True)
    ends = model.predict_interval(data.X, 0.8)
    for one in (found, again):
        got = one.predict(frame, interval=0.8)
        assert list(got.columns) == ["prediction", "lower", "upper"]
        np.testing.assert_allclose(got["prediction"], expected, rtol=1e-10)
        np.testing.assert_allclose(got[["lower", "upper"]], ends, rtol=1e-10)
        np.testing.assert_allclose(prediction(one, frame, averaged=True), expected, rtol=1e-10)


@pytest.mark.filterwarnings("ignore:Filled in")
def test_gaps_are_filled_in_as_they_were(mixed):
    found = projstg.select(with_gaps(mixed), "y", folds=0, missing="mean", always=["city"])
    row, other = mixed[:1].copy(), mixed[:1].copy()
    row["a"], other["a"] = np.nan, with_gaps(mixed)["a"].mean()
    assert_same_numbers(prediction(found, row), prediction(found, other))
    row["paid"] = None  # which had no gaps then
    other["paid"] = f"{mixed['paid'].str.replace(',', '').astype(float).mean():.9f}"
    assert_same_numbers(prediction(found, row), prediction(found, other))
    row["city"], other["city"] = None, "(missing)"
    assert_same_numbers(prediction(found, row), prediction(found, other))
    row["sex"] = None  # of which there is no level (missing)
    with pytest.warns(UserWarning, match=r"1 of 1 row .* sex 1 \(fill these in\)\.$"):
        assert np.isnan(prediction(found, row)).all()


def test_rows_with_gaps_have_no_prediction_and_one_line_counts_them(mixed, found):
    new = mixed.copy()
    new.loc[[2, 5], "a"] = np.nan
    new.loc[5, "city"] = None
    new.loc[7, "a"] = np.inf
    new.loc[8, "c"] = np.nan  # not needed
    text = r'^3 of 120 rows .* a 2, city 1 \(fill .* missing="mean"\); infinite values, a 1\.$'
    with pytest.warns(UserWarning, match=text):
        got = prediction(found, new)
    assert np.flatnonzero(np.isnan(got)).tolist() == [2, 5, 7]
    known = np.isfinite(got)
    assert_same_numbers(got[known], prediction(found, mixed)[known])
    with pytest.warns(UserWarning, match="4 of 120 rows"):
        ends = found.predict(new, interval=0.9)
    assert np.flatnonzero(ends["lower"].isna()).tolist() == [2, 5, 7, 8]


@pytest.mark.parametrize("word", ["oops", "2024-01-01"])
@pytest.mark.parametrize("missing", ["error", "mean"])
def test_a_word_among_numbers_is_the_same_gap_in_a_row_by_itself(mixed, missing, word, tmp_path):
    found = projstg.select(mixed, "y", folds=0, missing=missing)
    new = mixed[:5].astype({"a": object})
    new.loc[2, "a"] = word
    paths = [tmp_path / "few.csv", tmp_path / "one.csv"]
    new.to_csv(paths[0], index=False)
    new[2:3].to_csv(paths[1], index=False)
    for few, one in ((new, new[2:3]), paths):
        with pytest.warns(UserWarning, match=rf"in a 1 is no number, '{re.escape(word)}'"):
            beside = found.predict(few)["prediction"].iloc[2]
        with pytest.warns(UserWarning, match=rf"in a 1 is no number, '{re.escape(word)}'"):
            alone = found.predict(one)["prediction"].iloc[0]
        assert np.isnan(alone) == (missing == "error")
        assert alone == pytest.approx(beside, rel=1e-12, nan_ok=True)


def test_what_is_filled_in_is_counted_and_infinite_values_never_are(mixed):
    found = projstg.select(
        with_gaps(mixed), "y", folds=0, missing="mean", always=["a", "b", "city"]
    )
    new = mixed.astype({"a": object}).drop(columns=["b"]).assign(b=None)
    new.loc[[2, 5], "a"], new.loc[7, "a"], new.loc[8, "a"] = None, "oops", np.inf
    new.loc[9, "city"] = None
    with pytest.warns(UserWarning, match="120 rows") as warned:
        got = prediction(found, new)
    lines = [str(one.message) for one in warned]
    assert lines[0] == "1 of 120 rows has no prediction: infinite values, a 1."
    assert lines[1] == (
        "Filled in, of 120 rows: with the mean of the first table, b 120, a 3 (in a 1 is no "
        "number, 'oops'); with the level '(missing)', city 1."
    )
    assert len(lines) == 2
    assert np.flatnonzero(np.isnan(got)).tolist() == [8]
    with pytest.raises(TableError, match="infinite values, a 1"):
        found.model.predict(new)
    with pytest.warns(UserWarning, match="Filled in, of 5 rows"):
        assert_same_numbers(found.model.predict(new[:5]), got[:5])


@pytest.fixture
def flagged(rng):
    """Codes with leading zeros, booleans beside a word, sizes that may be digits, and y."""
    frame = pd.DataFrame({"a": rng.normal(size=N).round(3)})
    frame["zip"] = np.array(["01234", "04305", "94305"], dtype=object)[rng.integers(0, 3, N)]
    frame["flag"] = np.array(["TRUE", "FALSE", "maybe"], dtype=object)[rng.integers(0, 3, N)]
    frame["size"] = np.array(["big", "3", "small"], dtype=object)[rng.integers(0, 3, N)]
    frame["y"] = 2.0 * (frame.zip == "01234") + 3.0 * (frame.flag == "TRUE")
    frame["y"] += 4.0 * (frame["size"] == "3") + 0.1 * rng.normal(size=N)
    return frame


@pytest.mark.parametrize("kind", ["csv", "semicolons", "xlsx", "jsonl", "feather", "two files"])
def test_what_was_text_is_read_as_the_text_in_the_file(flagged, kind, tmp_path):
    found = projstg.select(flagged, "y", folds=0, always=["zip", "flag", "size"])
    new = flagged[(flagged.zip == "01234") & (flagged.flag != "maybe") & (flagged["size"] == "3")]
    new = new.reset_index(drop=True)
    paths = [tmp_path / f"new.{kind}"]
    if kind in {"csv", "semicolons"}:
        new.to_csv(paths[0], index=False, sep="," if kind == "csv" else ";")
    elif kind == "xlsx":
        pytest.importorskip("openpyxl")
        new.to_excel(paths[0], index=False)
    elif kind == "jsonl":
        new.to_json(paths[0], orient="records", lines=True)
    elif kind == "feather":
        pytest.importorskip("pyarrow")
        new.to_feather(paths[0])
    else:
        paths.append(tmp_path / "second.csv")
        new[:3].to_csv(paths[0], index=False)
        new[3:].to_csv(paths[1], index=False)
    expected = prediction(found, new)
    assert np.isfinite(expected).all()
    assert_same_numbers(prediction(found, paths), expected)
    assert_same_numbers(found.model.predict(paths), expected)


def test_one_row_with_a_code_is_no_number(flagged, tmp_path):
    path = tmp_path / "new.csv"
    found = projstg.select(flagged, "y", folds=0, always=["zip"])
    flagged[:1].to_csv(path, index=False)
    assert prediction(found, path) == pytest.approx(prediction(found, flagged[:1]))


@pytest.mark.parametrize("kind", ["xlsx", "jsonl", "parquet", "frame"])
def test_booleans_and_numbers_are_the_text_that_select_makes_of_them(flagged, kind, tmp_path):
    flagged = flagged.replace({"flag": {"TRUE": "True", "FALSE": "False"}})
    found = projstg.select(flagged, "y", folds=0, always=["flag", "size"])
    texts = flagged[(flagged.flag != "maybe") & (flagged["size"] == "3")].reset_index(drop=True)
    typed: object = texts.assign(flag=texts.flag == "True", size=3.0)
    if kind != "frame":
        path = tmp_path / f"new.{kind}"
        if kind == "jsonl":
            lines = [json.dumps({**row, "size": 3}) for row in typed.to_dict("records")]
            path.write_text("\n".join(lines), encoding="utf-8")
        elif kind == "parquet":
            pytest.importorskip("pyarrow")
            typed.to_parquet(path)
        else:
            pytest.importorskip("openpyxl")
            typed.to_excel(path, index=False)
        typed = path
    assert_same_numbers(prediction(found, typed), prediction(found, texts))


@pytest.mark.parametrize("kind", ["whole", "pieces"])
def test_numbers_are_read_by_the_marks_that_they_had(kind, rng, tmp_path):
    old, new = tmp_path / "old.csv", tmp_path / "new.csv"
    price = rng.uniform(1000, 9999, 40).round(2)
    cells = [f"{one:,.2f}".replace(",", "x").replace(".", ",").replace("x", ".") for one in price]
    y = price / 100.0 + rng.normal(size=40)
    pd.DataFrame({"price": cells, "y": y.astype(int)}).to_csv(old, index=False, sep=";")
    read = read_table(old) if kind == "whole" else read_table(old, most_bytes=1)
    found = chosen_from(read, TableQuestion(target="y", folds=0), 0.0)[0]
    assert found.recipe["decimals"] == {"price": ","}
    assert "decimals" not in found.source
    new.write_text("price;q\n1.234;1\n5.678;2\n", encoding="utf-8")
    expected = prediction(found, pd.DataFrame({"price": [1234.0, 5678.0]}))
    again = loaded(found, tmp_path)
    for one in (found, again):
        assert_same_numbers(prediction(one, new), expected)
        assert_same_numbers(one.model.predict(new), expected)
    known = known_cells(found.recipe)
    assert [note.kind for note in read_table(new, **known).notes] == ["delimiter", "thousands"]
    new.write_text("price;q\n1.234;1.5\n", encoding="utf-8")  # a file in which points are decimal
    assert "doubtful" in [note.kind for note in read_table(new, **known).notes]
    assert read_table(new, **known, decimal=".").frame["price"].tolist() == [1.234]


@pytest.mark.parametrize("kind", ["whole", "pieces"])
def test_a_sign_that_comes_or_goes_is_said(kind, rng, tmp_path):
    path = tmp_path / "old.csv"
    cells = rng.uniform(1, 99, 40).round(2)
    frame = pd.DataFrame({"share": [f"{one} %" for one in cells], "b": rng.normal(size=40)})
    frame["y"] = cells + 30.0 * frame.b + rng.normal(size=40)
    frame.to_csv(path, index=False)
    read = read_table(path) if kind == "whole" else read_table(path, most_bytes=1)
    found = loaded(chosen_from(read, TableQuestion(target="y", folds=0), 0.0)[0], tmp_path)
    new = pd.DataFrame({"share": [0.12], "b": ["5 %"]})
    text = (
        r"Written in another way: .*share has no sign and had % for select, so 0\.12 is taken for "
        r"0\.12 %.*"
    )
    with pytest.warns(UserWarning, match=text):
        found.predict(new)
    with pytest.warns(
        UserWarning, match="b has % and had no sign for select, so 5 % is taken for 5"
    ):
        found.model.predict(new)


@pytest.mark.filterwarnings("ignore:Filled in")
@pytest.mark.parametrize("kind", ["whole", "pieces"])
def test_a_text_that_is_called_missing_is_no_gap(kind, rng, tmp_path):
    path = tmp_path / "old.csv"
    frame = pd.DataFrame({"g": np.array(["u", "(missing)", None], dtype=object)[np.arange(60) % 3]})
    frame["b"] = rng.normal(size=60)
    frame["y"] = 2.0 * (frame.g == "(missing)") - 3.0 * frame.g.isna() + 0.1 * frame.b
    frame.to_csv(path, index=False)
    read = read_table(path) if kind == "whole" else read_table(path, most_bytes=1)
    question = TableQuestion(target="y", folds=0, missing="mean")
    found = loaded(chosen_from(read, question, 0.0)[0], tmp_path)
    np.testing.assert_allclose(prediction(found, path), frame["y"], atol=1e-6)


def test_levels_that_are_not_known_are_named_and_counted(mixed, found):
    new = mixed.copy()
    new.loc[[1, 4], "city"], new.loc[9, "city"] = "Paris", " Rom\n"
    text = "3 of 120 rows .* text in city that select has not seen, 'Paris' 2, 'Rom' 1"
    with pytest.warns(UserWarning, match=text):
        got = prediction(found, new)
    assert np.flatnonzero(np.isnan(got)).tolist() == [1, 4, 9]
    with pytest.raises(TableError, match=text):
        found.model.predict(new)


def test_every_level_is_known_also_one_without_a_column(mixed):
    found = projstg.select(mixed, "y", folds=0, always=["city"])
    assert found.recipe["levels"]["city"] == ["Bern", "Oslo", "Rome"]
    made = [one["level"] for one in found.recipe["columns"] if one["column"] == "city"]
    assert len(made) == 2
    assert np.isfinite(prediction(found, mixed)).all()


def test_a_level_that_looks_like_a_number_is_still_a_level(rng):
    cells = np.array(["small", "large", "3"], dtype=object)[np.arange(60) % 3]
    frame = pd.DataFrame({"size": cells, "a": rng.normal(size=60)})
    frame["y"] = 2.0 * (cells == "3") + 0.1 * rng.normal(size=60)
    found = projstg.select(frame, "y", folds=0)
    numbers = pd.DataFrame({"size": [3, 3], "a": [0.0, 1.0]})
    texts = numbers.assign(size=["3", "small"])
    assert prediction(found, numbers)[0] == pytest.approx(prediction(found, texts)[0], rel=1e-9)
    assert prediction(found, numbers)[0] > prediction(found, texts)[1] + 1.0


def test_no_rows_have_no_predictions(mixed, found):
    for asked in ({}, {"averaged": True}, {"interval": 0.9}):
        assert len(found.predict(mixed[:0], **asked)) == 0


def test_missing_columns_are_named(mixed, found):
    with pytest.raises(TableError, match=r"needs a column 'share', .*did you mean 'Share'"):
        found.predict(mixed.rename(columns={"share": "Share"}))
    with pytest.raises(TableError, match=r"\(5 columns are missing\)"):
        found.predict(mixed[["y"]])
    found.predict(mixed.drop(columns="c"))
    with pytest.raises(TableError, match="needs a column 'c'"):
        found.predict(mixed.drop(columns="c"), averaged=True)


def test_a_column_that_has_become_text_is_refused(mixed, found):
    with pytest.raises(TableError, match=r"'a' was a column of numbers .* begins 'high'"):
        found.predict(mixed.assign(a="high"))
    with pytest.raises(TableError, match=r"'paid' .* written in one way here"):
        found.predict(mixed.assign(paid=["1.234,50", "2.69"] * (N // 2)))


def test_what_cannot_be_predicted_is_said(mixed, monkeypatch):
    gates = projstg.select(mixed, "y", None, folds=0)
    with pytest.raises(TableError, match='run select with k="auto" or a number'):
        gates.predict(mixed, averaged=True)
    for level in (0, 1, 90, "wide", True):
        with pytest.raises(TableError, match=r"give a number between 0 and 1, such as 0\.9"):
            gates.predict(mixed, interval=level)
    monkeypatch.setattr(averages, "MOST_WITH_INTERVALS", 4)
    many = projstg.select(mixed, "y", folds=0)
    assert np.isfinite(prediction(many, mixed, averaged=True)).all()
    with pytest.raises(TableError, match=r"no intervals for 8 columns: .* by never="):
        many.predict(mixed, interval=0.9)


def test_a_file_that_was_changed_by_hand_is_refused(mixed):
    content = projstg.select(mixed, "y", folds=0).as_dict()
    for field, name in (("averages", "means"), ("averages", "covariance"), ("recipe", "columns")):
        broken = {**content, field: {**content[field], name: content[field][name][1:]}}
        with pytest.raises(TableError, match="no whole selection"):
            Selection.from_dict(broken).predict(mixed, interval=0.9)


@pytest.mark.parametrize("number", [float("nan"), float("-inf"), 10**400])
def test_numbers_that_are_not_finite_are_refused(mixed, number):
    content = projstg.select(mixed, "y", folds=0).as_dict()
    with pytest.raises(TableError, match="this is no selection: intercept is not finite"):
        Selection.from_dict(content | {"intercept": number})
    content["chosen"][0]["coefficient"] = number
    with pytest.raises(TableError, match=r"chosen\[0\]\.coefficient is not finite"):
        Selection.from_dict(content)


@pytest.mark.parametrize(
    "forged",
    [{"noise": -1.0}, {"target_scale": 0.0}, {"degrees_of_freedom": 0.0}, {"scales": 8 * [0.0]}],
)
def test_scales_are_positive(mixed, forged):
    content = projstg.select(mixed, "y", folds=0).as_dict()
    content["averages"] |= forged
    with pytest.raises(TableError, match="scale, or degrees of freedom, that is not positive"):
        Selection.from_dict(content).predict(mixed, interval=0.9)


def test_values_too_far_away_have_no_prediction_and_a_line_says_so(mixed, found):
    new = mixed.copy()
    new.loc[[4, 9], "a"] = 1.7e308
    for asked in ({}, {"averaged": True}, {"interval": 0.9}):
        with pytest.warns(UserWarning, match="^2 of 120 rows have no prediction: their values are"):
            got = found.predict(new, **asked)
        assert np.flatnonzero(got["prediction"].isna()).tolist() == [4, 9]
        np.testing.assert_allclose(
            got.drop([4, 9]), found.predict(new.drop([4, 9]), **asked), rtol=1e-12
        )


def test_the_model_is_a_pipeline_that_can_be_kept_cloned_and_fitted_anew(mixed, found, tmp_path):
    for model in (
        found.model,
        loaded(found, tmp_path).model,
        pickle.loads(pickle.dumps(found.model)),
    ):
        assert_same_numbers(model.predict(mixed), prediction(found, mixed))
    assert list(found.model[:-1].get_feature_names_out()) == found.columns
    made = found.model[0].set_output(transform="pandas").transform(mixed)
    assert list(made.columns) == found.columns
    again = clone(found.model).fit(mixed, mixed["y"])
    np.testing.assert_allclose(again.predict(mixed), prediction(found, mixed), rtol=1e-9)
    assert cross_val_score(found.model, mixed, mixed["y"]).mean() > 0.9
    assert found.model.score(mixed, mixed["y"]) == pytest.approx(found.r2_in_sample)


def test_without_a_column_it_is_the_mean(rng):
    X = rng.normal(size=(40, 3))
    y = rng.normal(size=40)
    design = np.column_stack([np.ones(40), X])
    y -= design @ np.linalg.lstsq(design, y)[0] - 7.0
    found = projstg.select((X, y), folds=0)
    assert found.columns == []
    np.testing.assert_allclose(prediction(found, X), 7.0)
    assert_same_numbers(found.model.predict(X), prediction(found, X))


def test_an_array_is_a_table_without_names(rng):
    X = rng.normal(size=(50, 4))
    found = projstg.select((X, X[:, 2] + 0.1 * rng.normal(size=50)), folds=0)
    assert found.predict(X[:3], interval=0.5).shape == (3, 3)  # a warning would be an error
    with pytest.raises(TableError, match="its shape is"):
        found.predict(X[0])


@pytest.mark.parametrize("missing", ["drop", "mean"])
def test_the_answer_of_a_file_in_pieces_predicts_the_same(mixed, missing, tmp_path):
    path = tmp_path / "table.csv"
    with_gaps(mixed).to_csv(path, index=False)
    question = TableQuestion(target="y", missing=missing, folds=0)
    whole, large = (
        chosen_from(read, question, 0.0)[0]
        for read in (read_table(path), read_table(path, most_bytes=1))
    )
    assert large.recipe["levels"] == whole.recipe["levels"]
    assert bool(large.recipe["fills"]) == (missing == "mean")
    for asked in ({}, {"interval": 0.9}):
        expected, got = whole.predict(mixed, **asked), large.predict(mixed, **asked)
        np.testing.assert_allclose(got, expected, rtol=1e-7)
