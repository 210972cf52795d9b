"""Every column that looks out of place is explained, and no other."""

import numpy as np
import pytest
from pandas import DataFrame

from projstg import select


def table(X, y):
    return DataFrame(X, columns=[f"x{i}" for i in range(X.shape[1])]).assign(y=y)


def notes_of(answer):
    return {note.kind: note for note in answer.notes}


@pytest.fixture
def copies():
    rng = np.random.default_rng(1)
    X = rng.standard_normal((60, 14))
    X[:, 11:] = X[:, [2]] + 0.03 * rng.standard_normal((60, 3))
    return table(X, 2.0 * X[:, 2] + X[:, 7] + rng.standard_normal(60))


def test_a_column_that_stands_for_others_says_so(copies):
    answer = select(copies, "y", folds=0)
    note = notes_of(answer)["unlikely"]
    (name,) = note.columns
    own = next(one for one in answer.chosen if one.column == name)
    assert own.probability < 0.5
    assert "it or one of" in note.text
    assert "belongs with >99 %" in note.text
    assert sum(other in note.text for other in ("x2", "x11", "x12", "x13")) == 4


def test_where_the_number_is_given_that_is_why_and_what_must_be_chosen_needs_no_reason(copies):
    few = copies.drop(columns=["x11", "x12", "x13"])
    answer = select(few, "y", k=6, always=["x9"], folds=0)
    note = notes_of(answer)["unlikely"]
    unlikely = {one.column for one in answer.chosen if one.probability < 0.5}
    assert len(unlikely) > 1
    assert unlikely == set(note.columns)
    assert "the number of columns was given" in note.text
    assert sum(one.kind == "unlikely" for one in answer.notes) == 1
    assert answer.small_effects is None


def test_columns_against_their_own_probability_have_a_reason():
    seen = set()
    for seed in (6, 7, 11):
        rng = np.random.default_rng(seed)
        X = 0.85 * rng.standard_normal((32, 1)) + 0.5 * rng.standard_normal((32, 10))
        y = X[:, :3] @ np.ones(3) + 1.5 * rng.standard_normal(32)
        answer = select(table(X, y), "y", folds=0)
        told = {name for note in answer.notes for name in note.columns}
        odd = {one.column for one in answer.chosen if one.probability <= 0.5}
        odd |= {one.column for one in answer.others if one.probability > 0.5}
        assert told == odd
        seen |= {note.kind for note in answer.notes if note.columns}
    assert seen == {"unlikely", "left_out"}


def test_small_effects_are_mentioned_where_there_are_some():
    rng = np.random.default_rng(2)
    X = rng.standard_normal((100, 60))
    small = X @ rng.standard_normal(60) / 8
    answer = select(table(X, 2.0 * X[:, 3] + small + rng.standard_normal(100)), "y", folds=0)
    assert answer.small_effects["share"] > 0.05
    assert "many small effects" in notes_of(answer)["small_effects"].text


def test_a_clear_answer_needs_no_words(frame):
    answer = select(frame, "y", folds=0)
    assert not {"unlikely", "left_out", "small_effects"} & set(notes_of(answer))
    assert 0.0 <= answer.small_effects["share"] < 0.05


def test_gates_alone_say_nothing(frame):
    answer = select(frame, "y", k=None, folds=0)
    assert answer.small_effects is None
    assert not {"unlikely", "left_out"} & set(notes_of(answer))


def test_few_rows_of_noise_are_not_said_to_have_small_effects():
    rng = np.random.default_rng(2)
    answer = select(table(rng.standard_normal((20, 50)), rng.standard_normal(20)), "y", folds=0)
    assert answer.small_effects["share"] > 0.05  # what was assumed beforehand
    assert "small_effects" not in notes_of(answer)


def test_two_columns_are_not_many_small_effects():
    rng = np.random.default_rng(290)
    rng.integers(1, 6), rng.choice([10, 20, 40, 100, 1000])
    X = rng.standard_normal((20, 2))
    y = X @ (rng.standard_normal(2) * rng.choice([0.2, 0.5, 1])) + rng.standard_normal(20)
    answer = select(table(X, y), "y", folds=0)
    assert answer.small_effects["share"] > 0.05
    assert "small_effects" not in notes_of(answer)
