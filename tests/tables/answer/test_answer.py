"""The answer is the estimator's, in the units of the table, with its rivals."""

import numpy as np
import pytest

import projstg
from projstg import ProjectedSTG
from projstg.tables import Selection
from projstg.tables.selection.stand_ins import whole_choice
from projstg.tables.show.selection_page import page

pd = pytest.importorskip("pandas")


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
    (note,) = [note for note in found.notes if note.kind == "tied"]
    assert note.columns == ("x0", "x1")


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
    assert given.columns == found.columns
    assert given.chosen[0].coefficient == pytest.approx(found.chosen[0].coefficient, rel=1e-9)
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
    assert found.groups == ()
    assert "probability" not in found.table.columns


def test_near_twins_are_named_as_rivals(rng):
    x, z = rng.normal(size=(2, 80))
    frame = pd.DataFrame({"x": x, "twin": x + 0.02 * rng.normal(size=80), "z": z})
    found = projstg.select(frame.assign(y=x + rng.normal(size=80)), "y", 1, folds=0)
    (one,) = found.chosen
    assert {one.column, *one.exchangeable_for} == {"x", "twin"}
    assert set(found.alternatives[0]["columns"]) == set(one.exchangeable_for)
    (group,) = found.groups
    assert set(group["columns"]) == {"x", "twin"}
    assert group["weakest_correlation"] > 0.99
    names = ", ".join(group["columns"])
    assert (f"at least one of {names} belongs", group["probability"]) in whole_choice(found)
    assert Selection.from_dict(found.as_dict()) == found


def test_forced_and_excluded_columns(frame):
    found = projstg.select(frame, "y", 2, always=["h"], never=["b"], folds=0)
    assert set(found.columns) == {"f", "h"}


def test_exchangeable_columns_are_named(frame):
    found = projstg.select(frame.assign(copy=-3 * frame["b"]), "y", 2, folds=0)
    named = {one.column: one.exchangeable_for for one in found.chosen}
    assert named in ({"b": ("copy",), "f": ()}, {"copy": ("b",), "f": ()})
    assert "copy" in "".join(found.table["exchangeable_for"]) + "".join(found.columns)


def test_more_columns_than_the_rank_is_a_note(rng):
    few = pd.DataFrame(rng.normal(size=(40, 2)), columns=["a", "b"])
    table = few.assign(c=few["a"] + few["b"], y=few["a"] + rng.normal(size=40))
    found = projstg.select(table, target="y", k=3)  # a warning would be an error
    (note,) = [note for note in found.notes if note.kind == "rank"]
    assert note.text.startswith("k=3 is not below the rank of the table, 2")


def too_few(table, **options):
    """What is said where the rows are too few to compare columns."""
    found = projstg.select(table, "y", folds=0, **options)
    assert found.cautions[0].kind == "rank"
    assert (found.probability, found.all_belong, found.sizes, found.alternatives) == (
        None,
        None,
        (),
        (),
    )
    assert Selection.from_dict(found.as_dict()) == found
    return found


def test_where_rows_are_too_few_nothing_is_said_to_be_known(frame):
    copies = pd.concat([frame[:3]] * 5, ignore_index=True)
    found = too_few(copies)
    assert "15 rows are too few, or too much alike" in found.cautions[0].text
    assert found.headline() == "it cannot be said what y depends on; there are 15 rows."
    assert "The rows are too few to choose columns." in page(found)
    with pytest.raises(ValueError, match='k="auto" or a number, on enough rows'):
        found.predict(copies, interval=0.9)
    too_few(frame[:6], weights=np.full(6, 0.5))


def test_where_rows_are_too_few_beside_what_was_asked_for(frame):
    found = too_few(frame[:4], always=["a"])
    assert found.columns == ["a"]
    assert "none is selected beside those in always," in found.cautions[0].text
    assert found.headline().startswith(
        "it cannot be said what else y depends on beside a, asked for; R² "
    )


def test_too_few_rows_for_folds_is_a_note(frame):
    found = projstg.select(frame.iloc[:8], "y", 2)
    assert found.r2_out_of_sample is None
    assert "unchecked" in [note.kind for note in found.notes]
    assert "not checked on rows left out" in found.headline()


def unchecked(*asked, **options):
    """The reason why nothing is said of rows left out."""
    found = projstg.select(*asked, **options)
    assert found.r2_out_of_sample is None
    (note,) = [note for note in found.notes if note.kind == "unchecked"]
    return note.text.removeprefix("Not checked on rows left out: ")


def test_without_a_check_the_note_says_why(rng):
    X, y = rng.normal(size=(30, 28)), rng.normal(size=30)
    assert unchecked((X, y), k=2, folds=30) == (
        "30 folds of 30 rows leave fewer than 2 rows each; give at most folds=15."
    )
    assert unchecked((X, y), k=25) == (
        "k=25 is too many for the 24 rows that 5 folds of 30 rows leave to choose from; "
        "ask for at most 22."
    )


@pytest.mark.parametrize("n_positive", [4, 9, 10, 11, 25])
def test_rows_of_weight_zero_leave_no_fold_empty(frame, n_positive):
    weights = np.zeros(len(frame))
    weights[np.linspace(0, len(frame) - 1, n_positive).astype(int)] = 1.0
    found = projstg.select(frame, "y", k=1, weights=weights)
    assert found.n_samples == n_positive
    assert "positive weight" not in " ".join(note.text for note in found.notes)


def test_weights_that_are_shares_in_a_fold_are_told_in_the_words_of_select(frame):
    uneven = np.full(len(frame), 1.0 / len(frame))
    uneven[3] = 1.5
    assert unchecked(frame, "y", weights=uneven).startswith(
        "in one fold, the values of weights sum to 0."
    )
