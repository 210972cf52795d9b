"""Questions without an answer are refused in one line."""

import inspect
import itertools
import json
import tracemalloc
from typing import get_args, get_type_hints

import pytest

import projstg
from projstg import ProjectedSTG
from projstg.cli import main
from projstg.tables import TableError
from projstg.tables.words.question import CRITERIA, LEVELS, MISSING, TableQuestion

pd = pytest.importorskip("pandas")


def test_the_criteria_are_those_of_the_estimator():
    choices = ProjectedSTG._parameter_constraints["criterion"][0].options
    assert set(CRITERIA) == choices
    default = inspect.signature(projstg.select).parameters["criterion"].default
    assert default == ProjectedSTG().criterion


def test_the_types_of_select_have_the_words_that_are_taken():
    hints = get_type_hints(projstg.select)
    for name, words in (("criterion", CRITERIA), ("missing", MISSING), ("levels", LEVELS)):
        assert get_args(hints[name]) == words


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


@pytest.mark.parametrize(
    "sizes", ["1-3000000", "1-10,5-3000000", range(1, 3_000_000), itertools.count(1), "1," * 10**6]
)
def test_sizes_far_too_large_are_refused_before_a_list_of_them_is_made(sizes):
    tracemalloc.start()
    try:
        with pytest.raises(TableError, match=r'^sizes=.{1,40}; give them as "1-10" or "2,4,8", fr'):
            TableQuestion(target="y", sizes=sizes)
        assert tracemalloc.get_traced_memory()[1] < 50_000_000
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize(
    "sizes", ["5-2", "5-2,3", "1-2-3", "0-3", "1_0", "+3", "", [0], [-1], [2.0], "a", []]
)
def test_sizes_that_are_none(sizes):
    with pytest.raises(TableError, match="give them as"):
        TableQuestion(target="y", sizes=sizes)


@pytest.mark.parametrize("field", ["criterion", "missing", "levels", "always", "k", "folds"])
def test_what_is_given_is_told_without_control_characters(field):
    with pytest.raises(TableError, match=r"x\\x1b\[31m") as caught:
        TableQuestion(target="y", **{field: "x\x1b[31m\x9b\u202e\n"})
    assert str(caught.value).isprintable()


def test_more_columns_than_rows_allow(frame):
    with pytest.raises(TableError, match="k=7 is too many for 8 rows; ask for at most 6"):
        projstg.select(frame.iloc[:8], "y", 7)


def test_a_question_is_what_the_answer_keeps(frame):
    found = projstg.select(frame, "y", 2, always=["a"], never=("c",), folds=0)
    asked = TableQuestion(target="y", k=2, always=["a"], never=["c"], folds=0)
    assert found.question == asked.as_dict()
    assert list(found.question)[-1] == "target"
    assert found.question["always"] == ["a"]


def test_the_command_and_the_function_ask_the_same(frame, tmp_path, capsys):
    path = tmp_path / "table.csv"
    frame.to_csv(path, index=False)
    assert main(["select", str(path), "-t", "y", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["question"] == projstg.select(path, "y").question


def test_a_question_does_not_change():
    asked = TableQuestion(target="y", always=["a"])
    with pytest.raises(AttributeError):
        asked.k = 3
    assert hash(asked) == hash(TableQuestion(target="y", always=("a",)))
