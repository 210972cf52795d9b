"""Each caution is said of a table that was made for it, and of no clean table."""

import numpy as np
import pytest

import projstg
from projstg.tables.words.notes import CAUTIONS

pd = pytest.importorskip("pandas")
SEEDS = range(8)


def clean(seed, n=200, d=6):
    """Columns x0 to x5 and y = 3 + 2 x0 − x1 and noise of size one."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    frame = pd.DataFrame(X, columns=[f"x{j}" for j in range(d)])
    return frame.assign(y=3.0 + 2.0 * X[:, 0] - X[:, 1] + rng.normal(size=n))


def said(frame, target="y", **options):
    """The cautions of an answer by kind."""
    found = projstg.select(frame, target, **options)
    assert [note.kind for note in found.notes if note.kind in CAUTIONS] == [
        note.kind for note in found.notes[: len(found.cautions)]
    ]
    return {note.kind: note for note in found.cautions}


@pytest.mark.parametrize("seed", SEEDS)
def test_clean_tables_get_none(seed):
    frame = clean(seed)
    assert said(frame) == {}
    counts = frame.assign(y=np.round(10.0 * frame["y"]))
    assert said(counts) == {}
    assert said(frame.assign(x0=np.exp(frame["x0"]), y=np.exp(frame["x0"]) + frame["y"])) == {}


@pytest.mark.parametrize("seed", SEEDS)
def test_a_fit_with_little_noise_is_no_identity(seed):
    frame = clean(seed)
    near = frame["x0"] + frame["x1"] + 0.01 * frame["x2"] * frame["x3"]
    assert said(frame.assign(y=near)) == {}


@pytest.mark.parametrize("seed", SEEDS)
def test_the_target_in_another_unit_is_named(seed):
    frame = clean(seed)
    note = said(frame.assign(euro=(1.1 * frame["y"] + 4.0).round(1)))["identity"]
    assert note.columns == ("euro",)
    assert "did you leave the answer in the table" in note.text
    assert "never=[…]" in note.text


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("decimals", [None, 1])
def test_a_total_of_its_parts_is_named(seed, decimals):
    frame = 20.0 * clean(seed)
    total = frame[["x1", "x3", "x4"]].sum(axis=1)
    if decimals is not None:
        frame, total = frame.round(decimals), total.round(decimals)
    note = said(frame.assign(y=total))["identity"]
    assert set(note.columns) == {"x1", "x3", "x4"}
    assert "exactly" in note.text


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
    assert unchecked.cautions == []


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


@pytest.mark.parametrize("seed", SEEDS)
def test_two_values_are_fitted_as_a_share(seed):
    frame = clean(seed)
    is_high = frame["y"] > 3.0
    assert "the probability of 1" in said(frame.assign(y=is_high * 1.0))["classes"].text
    other = said(frame.assign(y=np.where(is_high, 2, 1)))["classes"].text
    assert "only the values 1 and 2" in other
    assert "the likelier is 2" in other


@pytest.mark.parametrize("seed", SEEDS)
def test_a_few_whole_numbers_are_asked_about(seed):
    frame = clean(seed)
    grades = pd.cut(frame["y"], 5, labels=False)
    text = said(frame.assign(y=grades))["classes"].text
    assert "only 5 values, whole numbers from 0 to 4. Are they amounts" in text
    assert "classes" not in said(frame.assign(y=grades * 10))
    assert "classes" not in said(frame.assign(y=grades + 0.5))


@pytest.mark.parametrize("seed", SEEDS)
def test_a_logarithm_is_proposed_where_it_helps(seed):
    frame = clean(seed, n=400)
    assert "log(y)" in said(frame.assign(y=np.exp(frame["y"])))["skew"].text
    heavy = np.exp(1.5 * frame["x0"])  # the column is skewed, and the target for that reason
    assert "skew" not in said(frame.assign(x0=heavy, y=50.0 + heavy + frame["x1"]))
    assert "skew" not in said(frame.assign(y=np.exp(frame["y"]) - 1.0))
