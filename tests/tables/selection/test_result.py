"""An answer can be kept, read again, shown and drawn."""

import json

import pytest

import projstg
from projstg.tables import Selection, TableError

pd = pytest.importorskip("pandas")


def test_the_table_has_a_row_for_each_chosen_column(frame):
    table = projstg.select(frame, "y", 2).table
    assert table["column"].tolist() == ["b", "f"]
    assert {"coefficient", "standard_error", "effect", "stability"} <= set(table.columns)


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


@pytest.mark.parametrize("value", [-1.0, 7.5, 2])
@pytest.mark.parametrize(
    "where",
    [
        ("chosen", 0, "probability"),
        ("chosen", 0, "stability"),
        ("others", 0, "probability"),
        ("factors", 0, "probability"),
        ("sizes", 0, "probability"),
        ("alternatives", 0, "probability"),
        ("groups", 0, "probability"),
        ("groups", 0, "shares", 0),
        ("small_effects", "probability"),
        ("probability",),
        ("all_belong",),
        ("each_belongs",),
    ],
)
def test_what_is_no_probability_is_not_loaded(kept, where, value):
    inner = kept
    for step in where[:-1]:
        inner = inner[step]
    inner[where[-1]] = value
    with pytest.raises(TableError, match=rf" is {value}, and a number from 0 to 1 is wanted\.$"):
        Selection.from_dict(kept)


def test_a_column_is_chosen_and_averaged_once(kept):
    for columns in (kept["chosen"], kept["averages"]["columns"]):
        columns.append(columns[0])
        with pytest.raises(TableError, match=r"has the column '\w+' twice"):
            Selection.from_dict(kept)
        columns.pop()
    assert Selection.from_dict(kept).columns


@pytest.fixture
def kept(frame):
    """An answer that has every part, as it is read from JSON."""
    text = ["south" if one > 0.0 else "north" for one in frame["b"]]
    content = json.loads(json.dumps(projstg.select(frame.assign(side=text), "y").as_dict()))
    group = {"columns": ["b"], "probability": 1.0, "shares": [1.0], "weakest_correlation": 1.0}
    other = {"column": "a", "probability": 0.1, "stability": None, "gate": None}
    factor = {"column": "side", "reference": None, "levels": [], "chosen": []}
    made_up = {
        "small_effects": {"share": 0.1, "probability": 0.5},
        "sizes": [{"k": 2, "probability": 1.0}],
        "alternatives": [{"columns": ["b"], "probability": 0.1}],
        "groups": [group],
        "others": [other],
        "factors": [factor | {"probability": 0.5}],
    }
    return content | {part: content[part] or own for part, own in made_up.items()}


def test_it_shows_itself_without_letting_names_act(frame):
    evil = "<script>alert(1)</script>"
    found = projstg.select(frame.rename(columns={"b": evil}), "y", 2, folds=0)
    shown = found._repr_html_()
    assert "<script>" not in shown
    assert "&lt;script&gt;" in shown
    assert str(found).startswith("y by 2 of 8 columns")


def test_it_draws_itself(frame):
    pyplot = pytest.importorskip("matplotlib.pyplot")
    found = projstg.select(frame.rename(columns={"b": "$x_{" * 30}), "y", 2, folds=0)
    ax = pyplot.figure().add_subplot()
    assert found.plot(ax) is ax
    labels = [text.get_text() for text in ax.get_yticklabels()]
    assert labels[-1] == "f" or labels[0] == "f"
    assert max(map(len, labels)) <= 40
    pyplot.close("all")


def test_a_picture_has_room_for_long_names(frame):
    pyplot = pytest.importorskip("matplotlib.pyplot")
    long = frame.rename(columns=lambda name: f"{'very_long_' * 8}{name}")
    figure = projstg.select(long, long.columns[-1], folds=0).plot().figure
    figure.canvas.draw()
    inked, (width, height) = figure.get_tightbbox(), figure.get_size_inches()
    assert min(inked.x0, inked.y0) >= 0.0
    assert inked.x1 <= width
    assert inked.y1 <= height
    pyplot.close(figure)
