"""What a fit refuses or warns of is told in the words of the door: of select, or of the command."""

import ast
import inspect
import json
import pickle
import re
from pathlib import Path

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning

import projstg
from projstg import ProjectedSTG, Statistics
from projstg.cli import main
from projstg.estimators import _base, _validation, questions
from projstg.tables import TableError, command, select_columns
from projstg.tables.cells.memory_guard import TooLarge
from projstg.tables.words import argument_names

pytest.importorskip("click")
pd = pytest.importorskip("pandas")

N = 40


def numbers(**columns):
    """A frame with noise in a and b, other columns, and y."""
    rng = np.random.default_rng(0)
    noise = pd.DataFrame(rng.normal(size=(N, 2)), columns=["a", "b"])
    return noise.assign(
        **columns, **({} if "y" in columns else {"y": noise.a + rng.normal(size=N)})
    )


def once():
    """A column that is constant where its one row is left out."""
    return np.eye(N)[0]


# Each has a frame, what is asked of it, and what is said, with the words of the door in it.
TINY = (
    "the coefficient of tiny is too large or too small for a number in these units; "
    "multiply that column of the table, or the target, by a constant."
)
REFUSED = {
    "weights that are shares": (
        numbers(w=np.full(N, 0.5 / N)),
        {"weights": "w"},
        "the values of {weights} sum to 0.5; a weight is a number of rows: multiply them by 40 / "
        "their sum, or give the numbers themselves.",
    ),
    "squares of y": (
        numbers(y=1e160 * np.cos(np.arange(N))),
        {},
        "the squares of values in the target overflow; divide the target by a constant.",
    ),
    "a coefficient": (
        numbers(tiny=1e-300 * np.cos(np.arange(N)), y=1e10 * np.cos(np.arange(N))),
        {"always": ["tiny"]},
        TINY,
    ),
    "a coefficient for another size": (
        numbers(tiny=1e-300 * np.sin(np.arange(N)), y=1e10 * np.cos(np.arange(N))),
        {"k": 1, "sizes": "3"},
        TINY,
    ),
}
NOTED = {
    "a column asked for that is constant in a fold": (
        numbers(once=once()),
        {"always": ["once"]},
        "Not checked on rows left out: in one fold, once is in {always} but does not vary; leave "
        "it out of the list.",
    ),
    "too few columns vary in a fold": (
        numbers(once=once()),
        {"k": 3},
        "Not checked on rows left out: in one fold, {k}3 is more than the 2 columns of the table "
        "that vary (constant: once); ask for at most 2, or drop the constants.",
    ),
    "no column varies in a fold": (
        numbers(once=once()).drop(columns=["a", "b"]),
        {"k": 1},
        "Not checked on rows left out: in one fold, there are 0 columns of the table that "
        "vary: all are constant; check the table.",
    ),
    "no less columns than the rank": (
        numbers(c=numbers().a + numbers().b),
        {"k": 3, "folds": 0},
        "{k}3 is not below the rank of the table, 2: any 2 independent columns fit as well, and "
        "which are chosen says nothing; ask for at most 1.",
    ),
    "as many columns as rows": (
        numbers(c=np.arange(N) % 7, w=np.full(N, 0.5))[:8],
        {"k": 3, "weights": "w", "folds": 0},
        "{k}3 columns fit any values of the target on 4 rows without error, and which are chosen "
        "says nothing; ask for at most 2, or give more rows.",
    ),
    "too few rows": (
        numbers()[:4],
        {"always": ["a"], "folds": 0},
        "4 rows are too few, or too much alike, to say which columns belong: none is selected "
        "beside those in {always}, and no probability is known; give more rows.",
    ),
}
OF_SELECT = {"k": "k=", "always": "always", "weights": "weights"}
OF_COMMAND = {"k": "-k ", "always": "--always", "weights": "--weights"}


def typed(asked):
    """What is asked of select, as it is typed for the command."""
    names = {"k": "-k"}
    pairs = [
        (name, one) for name, own in asked.items() for one in ([own] if np.isscalar(own) else own)
    ]
    return [word for name, one in pairs for word in (names.get(name, f"--{name}"), str(one))]


@pytest.fixture
def commanded(tmp_path, capsys):
    """Ask the command about a frame: its status, what it prints, and the error."""

    def ask(frame, asked):
        frame.to_csv(tmp_path / "t.csv", index=False)
        status = main(["select", str(tmp_path / "t.csv"), "-t", "y", *typed(asked), "--json"])
        return status, *capsys.readouterr()

    return ask


@pytest.mark.parametrize("kind", REFUSED)
def test_what_a_fit_refuses_is_told_by_every_door(kind, commanded):
    frame, asked, said = REFUSED[kind]
    with pytest.raises(TableError) as caught:
        projstg.select(frame, "y", **asked)
    assert str(caught.value) == said.format(**OF_SELECT)
    assert commanded(frame, asked) == (2, "", f"projstg: {said.format(**OF_COMMAND)}\n")


@pytest.mark.parametrize("kind", NOTED)
def test_what_a_fit_says_is_noted_by_every_door(kind, commanded):
    frame, asked, said = NOTED[kind]
    texts = [note.text for note in projstg.select(frame, "y", **asked).notes]
    assert said.format(**OF_SELECT) in texts
    status, out, _ = commanded(frame, asked)
    assert status == 0
    assert said.format(**OF_COMMAND) in [note["text"] for note in json.loads(out)["notes"]]


def test_a_table_too_large_to_copy_is_told_by_every_door(rng, commanded, monkeypatch):
    monkeypatch.setattr(_validation, "_MOST_PLAIN", 3)
    for module in (_validation, questions):
        monkeypatch.setattr(module, "MANY_COLUMNS", 3)
        monkeypatch.setattr(module, "MOST_COPIED", 3)
    frame = pd.DataFrame(rng.normal(size=(6, 8))).add_prefix("x").assign(y=rng.normal(size=6))
    status, _, said = commanded(frame, {"always": ["x1"], "folds": 0})
    assert status == 2
    assert said == (
        "projstg: --always needs the table in memory as doubles, and its shape is (6, 8); leave "
        "out columns, or do without it.\n"
    )


def test_gates_that_still_move_are_told_by_select(frame, monkeypatch):
    unfinished = _base.unfinished

    def still_moving(fit, options):
        return unfinished(fit._replace(status=np.ones(1, dtype=int)), options)

    monkeypatch.setattr(_base, "unfinished", still_moving)
    with pytest.warns(ConvergenceWarning, match="of y's root .* or tol of gates="):
        ProjectedSTG(n_features_to_select=None).fit(frame[["a", "b"]], frame["y"])
    found = projstg.select(frame, "y", k=None, folds=0)
    (text,) = [note.text for note in found.notes if note.kind == "convergence"]
    assert "of the target's root mean square" in text
    assert text.endswith("raise max_iter or tol of ProjectedSTG's gates=Gates(…).")


def test_names_are_said_where_an_estimator_knows_them():
    X = numbers(once=once())[1:]
    y = X.pop("y")
    with pytest.raises(ValueError, match=r"^once is in always_select but does not vary"):
        ProjectedSTG(always_select=["once"]).fit(X, y)
    with pytest.raises(ValueError, match=r"^2 is in always_select but does not vary"):
        ProjectedSTG(always_select=[2]).fit(X.to_numpy(), y)


def test_what_is_no_message_stays():
    said = ValueError("Found input variables\nwith k=3 and n_features_to_select=3.")
    assert argument_names.in_words_of_select(said, []) == (
        "Found input variables with k=3 and n_features_to_select=3."
    )
    assert argument_names.as_options("k=3 in always") == "k=3 in always"


FIT = {
    "sample_weight sum to 0.4": lambda: ProjectedSTG().fit(np.eye(4), range(4), np.full(4, 0.1)),
    "sum to 0.2": lambda: ProjectedSTG().fit(Statistics().update(np.eye(2), [0, 1], [0.1, 0.1])),
    "0 is in always_select": lambda: ProjectedSTG(always_select=[0]).fit(np.eye(4)[1:], range(3)),
    "constant: 0": lambda: ProjectedSTG(n_features_to_select=4).fit(np.eye(4)[1:], range(3)),
    "in y overflow": lambda: ProjectedSTG().fit(np.eye(4), 1e200 * np.arange(4)),
    "k=9 is more": lambda: projstg.select(numbers(), "y", k=9),
    "in the target overflow": lambda: projstg.select(REFUSED["squares of y"][0], "y"),
    "3 values are missing": lambda: projstg.select(numbers(c=[np.nan] * 3 + [0.5] * 37), "y"),
}


@pytest.mark.parametrize("words", FIT)
def test_errors_can_be_pickled(words):
    with pytest.raises(ValueError, match=words) as caught:
        FIT[words]()
    error, again = caught.value, pickle.loads(pickle.dumps(caught.value))
    assert type(again) is type(error)
    assert str(again) == str(error)
    assert again.args[0].parts == error.args[0].parts


def test_a_table_too_large_can_be_pickled():
    error = TooLarge("it takes 9 GB", "save it as CSV")
    again = pickle.loads(pickle.dumps(error))
    assert (str(again), again.seen) == ("it takes 9 GB; save it as CSV.", error.seen)


def arguments_named(folder):
    """The arguments that are named in the messages of a folder."""
    trees = (ast.parse(path.read_text(encoding="utf-8")) for path in Path(folder).rglob("*.py"))
    calls = (node for tree in trees for node in ast.walk(tree) if isinstance(node, ast.Call))
    return {
        node.args[0].value
        for node in calls
        if getattr(node.func, "id", "") == "Argument" and isinstance(node.args[0], ast.Constant)
    }


def test_select_has_a_name_for_every_argument_of_a_fit_that_is_named():
    assert arguments_named(Path(_validation.__file__).parent) == set(argument_names._OF_SELECT)


def test_the_command_has_an_option_for_every_argument_of_select_that_is_named():
    folder = Path(select_columns.__file__).parent
    parameters = set(inspect.signature(projstg.select).parameters)
    assert arguments_named(folder) <= set(argument_names._OPTIONS) <= parameters
    assert set(argument_names._OPTIONS.values()) <= set(command._OPTION_HELP)


# What speaks to Python alone.
IN_PYTHON = {"given_table.py", "argument_names.py"}


def test_no_text_names_an_argument_of_select_by_itself():
    known = "|".join(argument_names._OPTIONS)
    named = re.compile(rf"\b({known})=[\[\"']|\bin (always|never)\b|^(always|never) has ")
    folder = Path(select_columns.__file__).parent
    for path in (path for path in folder.rglob("*.py") if path.name not in IN_PYTHON):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        docs = {node.value for node in ast.walk(tree) if isinstance(node, ast.Expr)}
        texts = {node for node in ast.walk(tree) if isinstance(node, ast.Constant)} - docs
        assert [one.value for one in texts if named.search(str(one.value))] == [], path.name
