"""Codes with leading zeros are no amounts, wherever they come from, unless asked for by name."""

import numpy as np
import pytest
from preparing import prepared_frame

from projstg.tables.files import read_table as reading
from projstg.tables.files.text_pieces import TextPieces
from projstg.tables.large_files.sum_columns import prepared_file
from projstg.tables.prepare.design_matrix import prepared_table
from projstg.tables.words.question import TableQuestion

pd = pytest.importorskip("pandas")


@pytest.fixture
def codes(rng):
    """Text cells; zip and east have many levels, month few; age and big are amounts."""
    n = 300
    return pd.DataFrame(
        {
            "zip": [f"{one:05d}" for one in rng.permutation(99_000)[:n]],
            "month": [f"{one:02d}" for one in rng.integers(1, 13, n)],
            "east": [f"{one:05d}" for one in rng.permutation(9_000)[:n]],
            "age": [str(one) for one in rng.integers(1, 95, n)],
            "big": [str(one) for one in rng.integers(10_000, 99_999, n)],
            "y": [f"{one:.3f}" for one in rng.normal(size=n)],
        }
    )


def prepared_from(path, **options):
    """The problem, of the file in memory and of the file in pieces."""
    question = TableQuestion(target=options.pop("target", "y"), **options)
    whole = prepared_table(reading.read_table(path).frame, question, may_have_thousands=False)
    file = TextPieces(path, "file", is_gzip=False, delimiter=None, decimal=None)
    return whole, prepared_file(file, question, None)[0]


def test_codes_with_many_levels_are_left_out_and_others_are_levels(codes, tmp_path):
    codes.to_csv(tmp_path / "t.csv", index=False)
    for data in prepared_from(tmp_path / "t.csv"):
        reference = codes["month"].mode().min()
        months = [f"month={one:02d}" for one in range(1, 13) if one != int(reference)]
        assert data.names == [*months, "age", "big"]
        (note,) = [note for note in data.notes if note.kind == "code"]
        assert note.columns == ("zip", "east")
        assert f"zip ('{min(codes['zip'])}')" in note.text


def test_text_in_a_frame_is_treated_as_in_a_file(codes, tmp_path):
    codes.to_csv(tmp_path / "t.csv", index=False)
    whole, _ = prepared_from(tmp_path / "t.csv")
    data = prepared_frame(codes, "y")
    assert data.names == whole.names
    np.testing.assert_array_equal(data.X, whole.X)


@pytest.mark.parametrize("options", [{"always": ["zip"]}, {"target": "zip"}])
def test_a_code_that_is_asked_for_is_a_number(codes, options, tmp_path):
    codes.to_csv(tmp_path / "t.csv", index=False)
    whole, pieces = prepared_from(tmp_path / "t.csv", **options)
    is_target = whole.target == "zip"
    values = whole.y if is_target else whole.X[:, whole.names.index("zip")]
    np.testing.assert_array_equal(values, codes["zip"].astype(float))
    assert is_target or "zip" in pieces.names


def test_gaps_stay_gaps(codes, tmp_path):
    codes.loc[:4, "zip"] = None
    codes.loc[5:9, "month"] = None
    codes.to_csv(tmp_path / "t.csv", index=False)
    data, _ = prepared_from(tmp_path / "t.csv", missing="drop")
    assert data.n_rows == len(codes) - 5  # a column that is left out needs no values
    assert "code" in [note.kind for note in data.notes]


CELLS = {
    "lengths differ": ["007", "12", "3456"],
    "no zero in front": ["123", "456", "789"],
    "plain": ["0", "10", "200"],
    "signed": ["-01", "-22", "-33"],
    "fractions": ["00.5", "12.5", "13.5"],
    "one digit": ["0", "1", "2"],
}


@pytest.mark.parametrize("kind", CELLS)
def test_amounts_stay_amounts(kind, tmp_path):
    rows = [f"{CELLS[kind][i % 3]},{i % 7}" for i in range(60)]
    (tmp_path / "t.csv").write_text("x,y\n" + "\n".join(rows) + "\n", encoding="utf-8")
    for data in prepared_from(tmp_path / "t.csv"):
        assert data.names == ["x"]


def test_zeros_that_come_late_are_found_and_very_late_ones_are_not_looked_for(tmp_path, rng):
    n = 30_000
    for first, kind in ((5_000, "identifier"), (25_000, "number")):
        numbers = rng.integers(10_000, 99_999, n)
        numbers[first:] //= 10
        rows = [f"{number:05d},{i % 7}" for i, number in enumerate(numbers)]
        (tmp_path / "t.csv").write_text("x,y\n" + "\n".join(rows) + "\n", encoding="utf-8")
        kept = reading.read_table(tmp_path / "t.csv").frame["x"]
        assert (str(kept.dtype) == "category") == (kind == "identifier")
