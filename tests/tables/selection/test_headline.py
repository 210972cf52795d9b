"""The answer in one sentence."""

from dataclasses import replace

import pandas as pd
import pytest

from projstg import select
from projstg.tables.selection.grades import graded


@pytest.fixture
def noise(rng):
    return pd.DataFrame(rng.normal(size=(60, 4)), columns=list("abcy"))


def test_columns_of_the_table_are_counted_not_levels(rng):
    text = rng.choice(list("pqrs"), 200)
    y = 4.0 * (text == "p") - 3.0 * (text == "q") + 0.2 * rng.normal(size=200)
    found = select(pd.DataFrame({"g": text, "x": rng.normal(size=200), "y": y}), "y")
    assert len(found.chosen) > 1
    said = found.headline()
    assert said.startswith("y depends on 1 of 2 columns; all of its levels chosen belong with")


def test_a_column_stands_for_its_near_copy(rng):
    X = rng.normal(size=(80, 4))
    X[:, 3] = X[:, 0] + 0.02 * rng.normal(size=80)
    y = X[:, 0] - X[:, 1] + 0.5 * rng.normal(size=80)
    found = select(pd.DataFrame(X, columns=list("abcd")).assign(y=y), "y")
    assert found.all_belong < 0.9 < found.each_belongs
    chosen, other = ("a", "d") if "a" in found.columns else ("d", "a")
    assert f"both belong ({chosen} or {other}) with probability" in found.headline()


def test_what_was_asked_for_is_not_what_was_found(noise):
    said = select(noise, "y", always=["a"]).headline()
    assert said.startswith("no other column helps to explain y beside a, asked for; that none does")
    noise["y"] = noise.b + 0.1 * noise.y
    said = select(noise, "y", always=["a"]).headline()
    assert said.startswith("y depends on 1 of 2 columns beside a, asked for; it belongs with")


def test_nothing_helps(noise):
    found = select(noise, "y")
    assert found.probability > 0.5
    assert found.headline().startswith("no column helps to explain y; that none does has")
    unclear = replace(found, probability=0.32).headline()
    assert unclear.startswith("no column clearly helps to explain y; some column does with")
    assert "68 %, but it cannot be said which" in unclear


def test_where_there_is_one_choice_nothing_is_likely(noise):
    for question in ({"k": 3}, {"k": 1, "always": ["c"]}):
        found = select(noise, "y", **question)
        assert "probability" not in found.headline()
        assert all(line.probability is None for line in graded(found))


def test_all_columns_that_were_asked_for_are_no_finding(noise):
    found = select(noise, "y", always=["a", "b", "c"])
    assert found.headline().startswith(f"y by {', '.join(found.columns)}, asked for; R²")


def test_a_level_that_was_asked_for_is_named_as_such(rng):
    text = rng.choice(list("pqrs"), 200)
    y = 4.0 * (text == "p") + 0.2 * rng.normal(size=200)
    frame = pd.DataFrame({"g": text, "x": rng.normal(size=200), "y": y})
    found = select(frame, "y", always=["g=q"], levels="all")
    assert "depends on 1 of 2 columns" in found.headline()
    assert "beside g=q, asked for" in found.headline()
    line, *levels = graded(found)
    assert (line.name, line.grade, line.probability) == ("g", "", None)
    assert {level.name: bool(level.grade) for level in levels} == {"p": True, "q": False}


def test_squares_out_of_range_have_no_r2(noise):
    found = select(noise.assign(y=noise.y * 1e-163), "y", k=1, folds=0)
    assert found.r2_in_sample is None
    assert "R² not known" in found.headline()


def test_columns_that_are_not_all_sure_are_counted_by_grade(noise):
    noise["y"] = noise.a + 0.1 * noise.y
    found = select(noise, "y")
    (one,) = found.chosen
    assert "1 of 3 columns; it belongs" in found.headline()
    doubtful = replace(found, chosen=(replace(one, probability=0.4),), groups=())
    assert "1 of 3 columns (doubtful); it belongs" in doubtful.headline()
    both = replace(found, chosen=(one, replace(one, column="b", probability=0.7)), groups=())
    assert "2 of 3 columns (1 sure, 1 likely); both belong" in both.headline()


def test_a_number_that_was_given(noise):
    noise["y"] = noise.a - noise.b + 0.1 * noise.y
    said = select(noise, "y", k=2).headline()
    assert "y by 2 of 3 columns, as many as asked for" in said
    assert "these two with probability" in said
    assert "it is this one with" in select(noise, "y", k=1).headline()
