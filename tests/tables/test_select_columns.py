"""A table and a question give one answer, however they are given, and it can be kept."""

import inspect
import json

import numpy as np
import pytest
from preparing import prepared_frame
from sklearn.datasets import load_diabetes

import projstg
from projstg import ProjectedSTG
from projstg.tables import Selection, TableError
from projstg.tables.held_out import checked
from projstg.tables.question import CRITERIA

pd = pytest.importorskip("pandas")


@pytest.fixture
def frame(rng):
    X = rng.normal(size=(60, 8))
    frame = pd.DataFrame(X, columns=list("abcdefgh"))
    return frame.assign(y=3.0 + 2.0 * X[:, 1] - 0.01 * X[:, 5] * 100 + 0.1 * rng.normal(size=60))


@pytest.fixture
def diabetes():
    return load_diabetes(as_frame=True, scaled=False).frame


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


def test_the_answer_is_that_of_the_estimator(diabetes):
    found = projstg.select(diabetes, "target", 5)
    X, y = diabetes.drop(columns="target"), diabetes["target"]
    model = ProjectedSTG(5).fit(X, y)
    assert set(found.columns) == set(model.get_feature_names_out())
    assert found.r2_in_sample == pytest.approx(model.score(X, y), rel=1e-12)
    coef = dict(zip(X.columns, model.coef_, strict=True))
    for one in found.chosen:
        assert one.coefficient == pytest.approx(coef[one.column], rel=1e-9)
        assert one.effect == pytest.approx(coef[one.column] * X[one.column].std(ddof=0), rel=1e-9)


def test_coefficients_follow_the_units_and_effects_do_not(diabetes):
    plain = projstg.select(diabetes, "target", 3, folds=0)
    metres = projstg.select(diabetes.assign(bmi=diabetes["bmi"] / 1000), "target", 3, folds=0)
    for one, other in zip(plain.chosen, metres.chosen, strict=True):
        factor = 1000.0 if one.column == "bmi" else 1.0
        assert other.coefficient == pytest.approx(factor * one.coefficient, rel=1e-6)
        assert other.standard_error == pytest.approx(factor * one.standard_error, rel=1e-6)
        assert other.effect == pytest.approx(one.effect, rel=1e-6)
    effects = [abs(one.effect) for one in plain.chosen]
    assert effects == sorted(effects, reverse=True)


def test_standard_errors_are_those_of_least_squares(rng):
    X, y = rng.normal(size=(40, 3)) + 5.0, rng.normal(size=40)
    found = projstg.select((X, y), k=3, folds=0)
    design = np.column_stack([np.ones(40), X])
    variance = np.linalg.lstsq(design, y)[1][0] / 36
    expected = np.sqrt(variance * np.diag(np.linalg.inv(design.T @ design)))[1:]
    errors = {one.column: one.standard_error for one in found.chosen}
    np.testing.assert_allclose([errors[f"x{j}"] for j in range(3)], expected, rtol=1e-9)
    assert found.residual_std == pytest.approx(np.sqrt(variance))


def test_standard_errors_are_unknown_where_columns_repeat(rng):
    x, y = rng.normal(size=(10, 1)), rng.normal(size=10)
    found = projstg.select((np.hstack([x, 2 * x]), y), k=2, folds=0)
    assert [one.standard_error for one in found.chosen] == [None, None]
    assert found.residual_std > 0


def test_the_unit_of_a_column_does_not_matter_to_its_effect(rng):
    X, y = rng.normal(size=(20, 2)), rng.normal(size=20)
    plain, far = (projstg.select((X * unit, y), k=2, folds=0) for unit in (1.0, 1e250))
    for one, other in zip(plain.chosen, far.chosen, strict=True):
        assert other.effect == pytest.approx(one.effect)
        assert other.standard_error == pytest.approx(one.standard_error / 1e250)


def test_a_weight_is_a_number_of_rows(frame):
    counts = np.arange(len(frame)) % 3
    repeated = frame.loc[np.repeat(np.arange(len(frame)), counts)]
    by_column = projstg.select(frame.assign(w=counts), "y", 2, weights="w", folds=0)
    by_array = projstg.select(frame, "y", 2, weights=counts, folds=0)
    rows = projstg.select(repeated, "y", 2, folds=0)
    for other in (by_column, by_array):
        assert other.columns == rows.columns
        assert other.r2_in_sample == pytest.approx(rows.r2_in_sample, rel=1e-9)
        for one, same in zip(other.chosen, rows.chosen, strict=True):
            assert one.coefficient == pytest.approx(same.coefficient, rel=1e-9)
            assert one.standard_error == pytest.approx(same.standard_error, rel=1e-9)
            assert one.effect == pytest.approx(same.effect, rel=1e-9)


@pytest.mark.parametrize("weighted", [False, True])
def test_folds_are_what_a_loop_over_them_gives(frame, weighted):
    data = prepared_frame(frame.assign(w=1.0 + np.arange(60) % 2), "y", weights="w")
    data = data if weighted else data._replace(weights=None)
    params = {"n_features_to_select": 2, "random_state": 0}
    found = checked(data, params, 7, 3)
    order = np.random.default_rng([3, 7]).permutation(60)
    predicted, mean = np.empty(60), np.empty(60)
    w = np.ones(60) if data.weights is None else data.weights
    for test in np.array_split(order, 7):
        train = np.setdiff1d(np.arange(60), test)[: 60 - 9]
        model = ProjectedSTG(**params).fit(data.X[train], data.y[train], w[train])
        predicted[test] = model.predict(data.X[test])
        mean[test] = np.average(data.y[train], weights=w[train])
    expected = 1 - np.sum(w * (data.y - predicted) ** 2) / np.sum(w * (data.y - mean) ** 2)
    assert found.r2 == pytest.approx(expected, rel=1e-9)
    assert found.stability[[1, 5]].tolist() == [1.0, 1.0]
    assert len(found.r2_folds) == 7


def test_the_size_can_be_left_to_the_data(frame):
    found = projstg.select(frame, "y")
    assert found.columns == ["b", "f"]
    assert [one.probability > 0.9 for one in found.chosen] == [True, True]
    assert found.probability > 0.5
    likeliest = max(found.sizes, key=lambda one: one["probability"])
    assert likeliest["k"] == 2
    assert sum(one["probability"] for one in found.sizes) == pytest.approx(1.0, abs=0.02)
    assert found.question["k"] == "auto"
    given = projstg.select(frame, "y", 2)
    assert given.chosen[0].coefficient == found.chosen[0].coefficient
    assert given.sizes == ()


def test_nothing_may_be_the_answer(rng):
    X = rng.normal(size=(60, 5))
    noise = rng.normal(size=60)
    design = np.column_stack([np.ones(60), X])
    pure = noise - design @ np.linalg.lstsq(design, noise)[0]
    found = projstg.select((X, pure))
    assert found.chosen == ()
    assert found.r2_in_sample == pytest.approx(0.0, abs=1e-12)
    assert len(found.table) == 0
    assert Selection.from_dict(found.as_dict()) == found


def test_columns_of_open_gates(frame):
    found = projstg.select(frame, "y", None, folds=3)
    assert {"b", "f"} <= set(found.columns)
    assert found.probability is None
    assert found.alternatives == ()
    assert "probability" not in found.table.columns


def test_the_criteria_are_those_of_the_estimator():
    choices = ProjectedSTG._parameter_constraints["criterion"][0].options
    assert set(CRITERIA) == choices
    default = inspect.signature(projstg.select).parameters["criterion"].default
    assert default == ProjectedSTG().criterion


def test_near_twins_are_named_as_rivals(rng):
    x, z = rng.normal(size=(2, 80))
    frame = pd.DataFrame({"x": x, "twin": x + 0.02 * rng.normal(size=80), "z": z})
    found = projstg.select(frame.assign(y=x + rng.normal(size=80)), "y", 1, folds=0)
    (one,) = found.chosen
    assert {one.column, *one.exchangeable_for} == {"x", "twin"}
    assert set(found.alternatives[0]["columns"]) == set(one.exchangeable_for)


def test_noise_is_found_out_on_rows_left_out(rng):
    noise = rng.normal(size=(50, 30)), rng.normal(size=50)
    found = projstg.select(noise, k=8, criterion="least-squares")
    assert found.r2_in_sample > 0.25
    assert found.r2_out_of_sample < 0.1


def test_forced_and_barred_columns(frame):
    found = projstg.select(frame, "y", 2, always=["h"], never=["b"], folds=0)
    assert set(found.columns) == {"f", "h"}


def test_exchangeable_columns_are_named(frame):
    found = projstg.select(frame.assign(copy=-3 * frame["b"]), "y", 2, folds=0)
    named = {one.column: one.exchangeable_for for one in found.chosen}
    assert named in ({"b": ("copy",), "f": ()}, {"copy": ("b",), "f": ()})
    assert "copy" in "".join(found.table["exchangeable_for"]) + "".join(found.columns)


def test_the_table_has_a_row_for_each_chosen_column(frame):
    table = projstg.select(frame, "y", 2).table
    assert table["column"].tolist() == ["b", "f"]
    assert {"coefficient", "standard_error", "effect", "stability"} <= set(table.columns)


def test_too_few_rows_for_folds_is_a_note(frame):
    found = projstg.select(frame.iloc[:8], "y", 2)
    assert found.r2_out_of_sample is None
    assert "unchecked" in [note.kind for note in found.notes]
    assert "not checked on rows left out" in found.headline()


def test_a_fold_in_which_a_column_is_constant_is_no_disaster(frame):
    once = np.zeros(60)
    once[7] = 1.0
    found = projstg.select(frame[["b", "f", "y"]].assign(once=once), "y", 3)
    assert "unchecked" in [note.kind for note in found.notes] or found.r2_out_of_sample > 0.9


def test_it_can_be_kept(diabetes, tmp_path):
    found = projstg.select(diabetes.assign(same=1.0), "target", 4)
    path = tmp_path / "selection.json"
    found.save(path)
    assert Selection.load(path) == found
    content = json.loads(path.read_text(encoding="utf-8"))
    assert (content["schema"], content["schema_version"]) == ("projstg-selection", 1)


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"\x80\x04\x95pickle", "is not JSON"),
        (b"[1, 2]", "is no selection"),
        (b'{"schema": "other"}', "is no selection"),
        (b'{"schema": "projstg-selection", "schema_version": 9}', "schema version 9"),
        (b'{"schema": "projstg-selection", "schema_version": 1}', "no whole selection"),
    ],
)
def test_what_is_no_selection_is_not_loaded(content, words, tmp_path):
    path = tmp_path / "selection.json"
    path.write_bytes(content)
    with pytest.raises(TableError, match=words):
        Selection.load(path)


def test_it_shows_itself_without_letting_names_act(frame):
    evil = "<script>alert(1)</script>"
    found = projstg.select(frame.rename(columns={"b": evil}), "y", 2, folds=0)
    shown = found._repr_html_()
    assert "<script>" not in shown
    assert "&lt;script&gt;" in shown
    assert str(found).startswith("y: 2 of 8 columns")


def test_it_draws_itself(frame):
    pyplot = pytest.importorskip("matplotlib.pyplot")
    found = projstg.select(frame.rename(columns={"b": "$x_{" * 30}), "y", 2, folds=0)
    ax = pyplot.figure().add_subplot()
    assert found.plot(ax) is ax
    labels = [text.get_text() for text in ax.get_yticklabels()]
    assert labels[-1] == "f" or labels[0] == "f"
    assert max(map(len, labels)) <= 40
    pyplot.close("all")


QUESTIONS = {
    "k too large": ({"k": 9}, "k=9 is more than the 8 columns"),
    "k of zero": ({"k": 0}, 'k=0; give a whole number from 1, or k="auto"'),
    "k of words": ({"k": "many"}, "k='many'"),
    "k below always": ({"k": 1, "always": ["a", "b"]}, "k=1 is less than the 2 columns in always"),
    "criterion": ({"criterion": "aic"}, 'criterion="aic"; choose "common-size"'),
    "always as text": ({"always": "a"}, r'always="a"; give a list of names, always=\["a"\]'),
    "no target": ({"target": None}, 'say which column to explain, as target="…"; use one of'),
    "weights of the wrong length": ({"weights": [1.0, 2.0]}, r"weights have shape \(2,\) for 60"),
}


@pytest.mark.parametrize("kind", QUESTIONS)
def test_questions_without_an_answer(kind, frame):
    options, words = QUESTIONS[kind]
    with pytest.raises(TableError, match=words):
        projstg.select(frame, **{"target": "y", "k": 2, **options})


def test_more_columns_than_rows_allow(frame):
    with pytest.raises(TableError, match="k=7 is too many for 8 rows; ask for at most 6"):
        projstg.select(frame.iloc[:8], "y", 7)


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
