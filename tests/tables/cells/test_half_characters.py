"""Half of a character in a cell or in a name: read, shown and written, as what it is."""

import io
import json

import numpy as np
import pytest

import projstg
from projstg.cli import main
from projstg.tables import Selection
from projstg.tables.show.selection_page import page
from projstg.tables.show.terminal import show

pd = pytest.importorskip("pandas")
pytest.importorskip("rich")

HALF, WRITTEN = "R\ud800", r"R\ud800"


def rows(rng):
    """The cells of 60 rows by name, with 3 more in a city of half a character."""
    columns = {name: rng.normal(size=60).tolist() for name in "abc"}
    columns["city"] = rng.choice([HALF, "Bern", "Zürich"], 60).tolist()
    noise = 0.1 * rng.normal(size=60)
    columns["y"] = [
        2 * a + 3 * (city == HALF) + e
        for a, city, e in zip(columns["a"], columns["city"], noise, strict=True)
    ]
    return columns


def categories(cells):
    levels = pd.Index(sorted(set(cells)), dtype=object)
    return pd.Series(pd.Categorical.from_codes([levels.get_loc(one) for one in cells], levels))


KINDS = {
    "objects": lambda cells: pd.Series(cells, dtype=object),
    "str_": lambda cells: pd.Series([*map(np.str_, cells)], dtype=object),
    "string": lambda cells: pd.Series(cells, dtype=pd.StringDtype("python")),
    "categories": categories,
}


def frame_of(columns, kind):
    frame = pd.DataFrame({name: columns[name] for name in columns if name != "city"})
    return frame.assign(city=KINDS[kind](columns["city"]))


@pytest.mark.parametrize("kind", KINDS)
def test_it_is_read_shown_and_written(kind, rng, tmp_path):
    frame = frame_of(rows(rng), kind)
    found = projstg.select(frame, "y", folds=2)
    assert found.columns == ["a", f"city={WRITTEN}"]
    (note,) = [note for note in found.notes if note.kind == "half"]
    assert note.columns == ("city",)
    found.save(tmp_path / "selection.json")
    kept = Selection.load(tmp_path)
    assert kept == found
    shown = io.StringIO()
    show(found, shown)
    for text in (shown.getvalue(), page(found), str(found), found._repr_html_()):
        assert WRITTEN in text
        text.encode()
    np.testing.assert_array_equal(kept.predict(frame), found.predict(frame))
    assert kept.model.score(frame, frame["y"]) > 0.9


def test_a_name_with_it_is_found_by_that_name(rng):
    columns = rows(rng)
    frame = frame_of(columns, "objects")
    half = {"y": "y\ud800", "a": "a\udfff"}
    names = [half.get(name, name) for name in frame.columns]
    frame.columns = pd.Index(names, dtype=object)
    found = projstg.select(frame, "y\ud800", always=["a\udfff"], never=["b"], folds=0)
    assert found.target == r"y\ud800"
    assert found.columns == [r"a\udfff", f"city={WRITTEN}"]
    assert found.predict(frame).notna().all(axis=None)


def test_arrays_have_it_too(rng):
    columns = rows(rng)
    X = np.array([columns["a"], columns["city"]], dtype=object).T
    assert projstg.select(X, columns["y"], folds=0).columns == ["x0", f"x1={WRITTEN}"]
    with pytest.raises(ValueError, match="the target must be a number"):
        projstg.select((X[:, :1], np.array(columns["city"])), folds=0)


@pytest.mark.parametrize("is_list", [False, True])
def test_json_has_it_in_cells_and_names(is_list, rng, tmp_path, said_by):
    columns = rows(rng)
    columns["b\udfff"] = columns.pop("b")
    objects = [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]
    path, out = tmp_path / "table.jsonl", tmp_path / "answer"
    path.write_text(json.dumps(objects) if is_list else "\n".join(map(json.dumps, objects)))
    question = ["-t", "y", "--always", r"b\udfff", "--folds", "0", "--out", str(out)]
    assert WRITTEN in said_by("select", path, *question).out
    assert set(Selection.load(out).columns) == {"a", r"b\udfff", f"city={WRITTEN}"}
    assert main(["predict", str(out), str(path), "--out", str(tmp_path / "new.csv")]) == 0
    assert WRITTEN in pd.read_csv(tmp_path / "new.csv")["city"].tolist()


def test_a_selection_with_it_can_be_written_again(rng, tmp_path):
    content = projstg.select(frame_of(rows(rng), "objects"), "y", folds=0).as_dict()
    path = tmp_path / "selection.json"
    path.write_text(json.dumps(content | {"target": "y\ud800", "source": {"name": HALF}}))
    found = Selection.load(path)
    assert found.target == r"y\ud800"
    found.save(path)
    assert Selection.load(path) == found


def test_whole_characters_stay(rng):
    columns = rows(rng)
    columns["city"] = [one.replace("\ud800", "öm 😀") for one in columns["city"]]
    found = projstg.select(frame_of(columns, "objects"), "y", folds=0)
    assert not [note for note in found.notes if note.kind == "half"]
    assert found.columns == ["a", "city=Röm 😀"]
