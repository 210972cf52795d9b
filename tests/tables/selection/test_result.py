"""An answer can be kept, read again, shown and drawn."""

import json

import numpy as np
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


def records(content):
    """The answer and the records in it, each with the place that an error names."""
    lists = ("chosen", "others", "path", "sizes", "alternatives", "groups", "factors", "notes")
    inner = {name: content[name] for name in ("recipe", "averages", "rows", "question")}
    inner |= {f"{name}[0]": content[name][0] for name in lists}
    inner["recipe.columns[0]"] = content["recipe"]["columns"][0]
    yield "", content
    for place, record in inner.items():
        yield f"{place}.", record


def test_a_file_without_a_field_is_refused_in_one_line_that_names_it(diabetes):
    sex = np.where(diabetes["sex"] > 1.0, "f", "m")
    table = diabetes.assign(sex=sex, copy=diabetes["bmi"] + 0.01 * diabetes["age"], same=1.0)
    content = projstg.select(table, "target", sizes="2-3").as_dict()
    n_fields = 0
    for place, record in records(content):
        for name in set(record) - {"schema", "schema_version"}:
            kept = record.pop(name)
            with pytest.raises(TableError) as caught:
                Selection.from_dict(content)
            assert str(caught.value) == f"this is no whole selection: it has no {place}{name}."
            record[name] = kept
            n_fields += 1
    assert n_fields > 80
    assert Selection.from_dict(content).as_dict() == content


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
