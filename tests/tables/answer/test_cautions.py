"""Each caution is said of a table that was made for it, and of no clean table."""

import numpy as np
import pytest

import projstg
from projstg.sources.folds import random_of_rows
from projstg.tables.files import parquet_pieces
from projstg.tables.files.read_table import Read, read_table
from projstg.tables.prepare.prepared import MOST_SHOWN
from projstg.tables.select_columns import chosen_from
from projstg.tables.words.notes import CAUTIONS
from projstg.tables.words.question import TableQuestion

pd = pytest.importorskip("pandas")
SEEDS = range(8)
N_MANY = 5 * MOST_SHOWN
UNSEEN = int(np.argmax(random_of_rows(0, N_MANY, 0)))
"""A row that is not among the few that are drawn for pictures."""


def clean(seed, n=200, d=6):
    """Columns x0 to x5 and y = 3 + 2 x0 − x1 and noise of size one."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    frame = pd.DataFrame(X, columns=[f"x{j}" for j in range(d)])
    return frame.assign(y=3.0 + 2.0 * X[:, 0] - X[:, 1] + rng.normal(size=n))


@pytest.fixture(params=SEEDS)
def frame(request):
    return clean(request.param)


def said(frame, target="y", **options):
    """The cautions of an answer by kind."""
    found = projstg.select(frame, target, **options)
    assert [note.kind for note in found.notes if note.kind in CAUTIONS] == [
        note.kind for note in found.notes[: len(found.cautions)]
    ]
    return {note.kind: note for note in found.cautions}


@pytest.fixture(params=["in memory", "in pieces"])
def said_of_many(request, monkeypatch, tmp_path):
    """Ask a table with more rows than are drawn, whole or as a file that is read in pieces."""

    def ask(frame, **options):
        if request.param == "in memory":
            return said(frame, folds=0, **options)
        pytest.importorskip("pyarrow")
        monkeypatch.setattr(parquet_pieces, "rows_of_piece", lambda n_columns: 700)
        frame.to_parquet(tmp_path / "many.parquet")
        large = read_table(tmp_path / "many.parquet", most_bytes=1)
        assert not isinstance(large, Read)
        found, _ = chosen_from(large, TableQuestion(target="y", folds=0, **options), 0.0)
        return {note.kind: note for note in found.cautions}

    return ask


def test_clean_tables_get_none(frame):
    assert said(frame) == {}
    counts = frame.assign(y=np.round(10.0 * frame["y"]))
    assert said(counts) == {}
    assert said(frame.assign(x0=np.exp(frame["x0"]), y=np.exp(frame["x0"]) + frame["y"])) == {}


def test_a_fit_with_little_noise_is_no_identity(frame):
    near = frame["x0"] + frame["x1"] + 0.01 * frame["x2"] * frame["x3"]
    assert said(frame.assign(y=near)) == {}


def test_the_target_in_another_unit_is_named(frame):
    note = said(frame.assign(euro=(1.1 * frame["y"] + 4.0).round(1)))["identity"]
    assert note.columns == ("euro",)
    assert "did you leave the answer in the table" in note.text
    assert "never=[…]" in note.text


@pytest.mark.parametrize("decimals", [None, 1])
def test_a_total_of_its_parts_is_named(frame, decimals):
    frame = 20.0 * frame
    total = frame[["x1", "x3", "x4"]].sum(axis=1)
    if decimals is not None:
        frame, total = frame.round(decimals), total.round(decimals)
    note = said(frame.assign(y=total))["identity"]
    assert set(note.columns) == {"x1", "x3", "x4"}
    assert "exactly" in note.text


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("size", [3e2, 3e5])
def test_an_identity_that_two_rows_make_is_none(seed, size):
    frame = clean(seed, n=60)
    frame.loc[[7, 19], "x5"] = [size, 1.1 * size]
    frame.loc[[7, 19], "y"] = [2.0 * size, 2.2 * size]
    found = said(frame, folds=0)
    assert "identity" not in found
    assert "x5 is not chosen" in found["one_row"].text
    copied = said(frame.assign(copy=2.0 * frame["y"]), folds=0)
    assert copied["identity"].columns == ("copy",)


def test_a_fit_of_as_many_columns_as_rows_is_no_identity():
    frame = clean(0, n=14, d=12)
    assert "identity" not in said(frame, k=12, folds=0)


@pytest.mark.parametrize("seed", SEEDS)
def test_a_choice_among_noise_does_not_carry_over(seed):
    rng = np.random.default_rng(seed)
    found = projstg.select((rng.normal(size=(50, 40)), rng.normal(size=50)), k=8)
    (note,) = [note for note in found.cautions if note.kind == "carry_over"]
    assert found.r2_in_sample - found.r2_out_of_sample > 0.2
    assert f"{found.r2_in_sample:.2f}" in note.text
    assert f"{found.r2_out_of_sample:.2f}" in note.text
    unchecked = projstg.select((rng.normal(size=(50, 40)), rng.normal(size=50)), k=8, folds=0)
    assert {note.kind for note in unchecked.cautions} <= {"unsettled"}


def test_a_handful_of_rows_is_fragile():
    assert "only 15 rows:" in said(clean(1, n=15))["few_rows"].text
    many = said(clean(1, n=40, d=20), k=14, folds=0)
    assert "only 40 rows for 14 chosen columns" in many["few_rows"].text
    assert "few_rows" not in said(clean(1, n=40, d=20), k=13, folds=0)


def test_rows_of_weight_zero_are_no_rows():
    frame = clean(1).assign(w=[1.0] * 8 + [0.0] * 192)
    found = projstg.select(frame, "y", weights="w", folds=0)
    assert found.n_samples == 8
    assert "8 rows" in found.headline()
    assert "only 8 rows:" in said(frame, weights="w", folds=0)["few_rows"].text


def test_two_values_are_fitted_as_a_share(frame):
    is_high = frame["y"] > 3.0
    assert "the probability of 1" in said(frame.assign(y=is_high * 1.0))["classes"].text
    other = said(frame.assign(y=np.where(is_high, 2, 1)))["classes"].text
    assert "only the values 1 and 2" in other
    assert "the likelier is 2" in other


def test_a_few_whole_numbers_are_asked_about(frame):
    grades = pd.cut(frame["y"], 5, labels=False)
    text = said(frame.assign(y=grades))["classes"].text
    assert "only 5 values, whole numbers from 0 to 4. Are they amounts" in text
    assert "classes" not in said(frame.assign(y=grades * 10))
    assert "classes" not in said(frame.assign(y=grades + 0.5))


def test_counts_that_few_rows_reach_are_no_classes():
    frame = clean(0, n=100)
    counts = np.repeat(range(7), [36, 32, 20, 7, 2, 2, 1])
    assert "classes" not in said(frame.assign(y=counts))
    assert "only 5 values" in said(frame.assign(y=np.minimum(counts, 4)))["classes"].text


@pytest.mark.parametrize("seed", SEEDS)
def test_a_logarithm_is_proposed_where_it_helps(seed):
    frame = clean(seed, n=400)
    assert "log(y)" in said(frame.assign(y=np.exp(frame["y"])))["skew"].text
    heavy = np.exp(1.5 * frame["x0"])  # the column is skewed, and the target for that reason
    assert "skew" not in said(frame.assign(x0=heavy, y=50.0 + heavy + frame["x1"]))
    assert "skew" not in said(frame.assign(y=np.exp(frame["y"]) - 1.0))


def test_few_ones_among_many_rows_are_a_value(said_of_many):
    rare = np.isin(np.arange(N_MANY), [UNSEEN, UNSEEN - 1]) * 1.0
    note = said_of_many(clean(0, n=N_MANY).assign(y=rare))["classes"]
    assert "y has only the values 0 and 1," in note.text


def test_one_other_value_among_many_rows_counts(said_of_many):
    frame = clean(0, n=N_MANY)
    y = (frame["y"] > 3.0) * 1.0
    assert "only the values 0 and 1" in said_of_many(frame.assign(y=y))["classes"].text
    y[UNSEEN] = 250.0
    assert "classes" not in said_of_many(frame.assign(y=y))
    y[[UNSEEN, UNSEEN - 1]] = 2.0
    assert "classes" not in said_of_many(frame.assign(y=y))
    y[UNSEEN - 2] = 2.0
    text = said_of_many(frame.assign(y=y))["classes"].text
    assert "only 3 values, whole numbers from 0 to 2" in text


def test_a_correlation_is_that_of_all_rows(said_of_many):
    frame = clean(0, n=N_MANY)
    copy = frame["y"].copy()
    assert said_of_many(frame.assign(copy=copy))["identity"].columns == ("copy",)
    copy[UNSEEN] = 1e5
    assert "identity" not in said_of_many(frame.assign(copy=copy))
    rare = np.zeros(N_MANY)  # the same in every row that is drawn
    rare[[UNSEEN, UNSEEN - 1]] = 500.0, 300.0
    frame = frame.assign(y=frame["y"] + rare)
    text = said_of_many(frame.assign(copy=3.0 * frame["y"] + 1.0))["identity"].text
    assert "copy follows y almost exactly (correlation 1)" in text


def test_parts_give_a_total_in_all_rows_or_not_at_all(said_of_many):
    frame = (20.0 * clean(0, n=N_MANY)).round(1)
    total = frame[["x1", "x3", "x4"]].sum(axis=1).round(1)
    # What is left of a sum with these digits is rounding, and more than that of an identity.
    parts = frame.assign(y=(total + 0.1 * (np.arange(N_MANY) % 3 - 1)).round(1))
    assert set(said_of_many(parts)["identity"].columns) == {"x1", "x3", "x4"}
    later = parts.assign(w=(np.arange(N_MANY) >= 700) * 1.0)  # nothing is left of the first piece
    assert "identity" in said_of_many(later, weights="w")
    parts.loc[UNSEEN, "y"] += 40.0
    assert "identity" not in said_of_many(parts)


def test_no_logarithm_is_proposed_where_a_row_has_none(said_of_many):
    frame = clean(0, n=N_MANY)
    skewed = np.exp(frame["y"])
    assert "log(y)" in said_of_many(frame.assign(y=skewed))["skew"].text
    skewed[UNSEEN] = 0.0
    assert "skew" not in said_of_many(frame.assign(y=skewed))
