"""What cannot be read as Arrow is one line that names the column and says what to do."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow
import pytest

from projstg import ProjectedSTG, Statistics, fit_many

ROWS = 20
PLAIN = pd.DataFrame({"x": np.arange(ROWS) * 1.0, "y": np.arange(ROWS) % 7 * 1.0})


def frame(cells, name="m"):
    """A plain frame with one column more, of any cells."""
    return PLAIN.assign(**{name: pd.Series(cells, dtype=object)})


FRAMES = {
    "mixed": frame(["a", *[1] * (ROWS - 1)]),
    "long": frame([10**30] * ROWS),
    "complex": frame([1j] * ROWS).astype({"m": complex}),
    "half a character": frame(["R\ud800"] * ROWS),
}


@pytest.mark.parametrize("kind", FRAMES)
def test_a_column_that_arrow_cannot_hold_is_named(kind):
    line = r"^column 'm' cannot be read: [^()]*; make numbers or text of it, or leave it out\.$"
    with pytest.raises(ValueError, match=line):
        ProjectedSTG().fit(FRAMES[kind], "y")
    few = Statistics.from_arrow(FRAMES[kind], "y", columns=["x"])  # nothing else is looked at
    assert few.feature_names.tolist() == ["x"]


def test_a_name_that_is_half_a_character_is_shown():
    named = PLAIN.set_axis(pd.Index(["a\ud800", "y"], dtype=object), axis=1)
    with pytest.raises(ValueError, match=r"^column 'a\\ud800' cannot be read: "):
        ProjectedSTG().fit(named, "y")


def test_a_type_of_polars_that_arrow_has_not_is_named():
    table = pl.DataFrame({"x": [1.0, 2.0, 3.0], "y": [1.0, 2.0, 4.0]})
    table = table.with_columns(pl.Series("m", [1, 2, 3], dtype=pl.Int128))
    with pytest.raises(ValueError, match=r"^column 'm' cannot be read: "):
        ProjectedSTG().fit(table, "y")


@pytest.mark.parametrize(
    ("columns", "said"),
    [
        ({"d": pd.date_range("2020", periods=3)}, r": d \(dates\)\.$"),
        ({}, r"that could be selected\.$"),
    ],
)
def test_where_no_column_is_left_that_is_said(columns, said):
    with pytest.raises(ValueError, match=f"^there is no column beside the target .*{said}"):
        ProjectedSTG().fit(pyarrow.table({"y": [1.0, 2.0, 3.0]} | columns), "y")


def test_a_target_of_text_is_told_that_this_is_regression():
    table = PLAIN.assign(y=["cat", "dog"] * (ROWS // 2))
    with pytest.raises(ValueError, match="for this is regression; write one class as 1"):
        ProjectedSTG().fit(table, "y")


def test_many_problems_of_a_frame_with_text_name_the_column():
    table = PLAIN[["x"]].assign(m="a")
    with pytest.raises(ValueError, match=r"^X has text in column 'm', such as 'a'; .*get_dummies"):
        fit_many(table, np.ones((2, ROWS)))
