"""A file of sums is read whole or refused, whatever has happened to it."""

import os
from pathlib import Path

import numpy as np
import pandas
import pytest

from projstg import Statistics
from projstg.sources.folds import fold_of_rows


def table(seed, n_rows=200):
    rng = np.random.default_rng(seed)
    X = pandas.DataFrame(rng.standard_normal((n_rows, 3)), columns=list("abc"))
    return X, X.a - X.c + rng.standard_normal(n_rows)


def rewritten(path, *without, **changed):
    with np.load(path) as arrays:
        kept = {name: arrays[name] for name in arrays.files if name not in without}
    np.savez(path, **(kept | changed))


def test_a_file_without_one_of_its_folds_is_refused(tmp_path):
    path = tmp_path / "sums.npz"
    X, y = table(0)
    Statistics(folds=3).update(X, y).save(path)
    with np.load(path) as arrays:
        lost = [name for name in arrays.files if name.endswith("_1")]
    assert len(lost) == 8
    rewritten(path, *lost)
    with pytest.raises(ValueError, match="its folds do not have all of its rows"):
        Statistics.load(path)


@pytest.mark.parametrize("name", ["feature_names", "target_names", "left_out", "counts"])
def test_a_file_that_lacks_an_array_is_refused(name, tmp_path):
    path = tmp_path / "sums.npz"
    Statistics().update(*table(0)).save(path)
    rewritten(path, name)
    with pytest.raises(ValueError, match=rf"sums\.npz holds no Statistics .*{name}"):
        Statistics.load(path)


@pytest.mark.parametrize("name", ["format", "missing", "left_out", "feature_names"])
def test_characters_that_there_are_not_are_refused(name, tmp_path):
    path = tmp_path / "sums.npz"
    Statistics.from_arrow(table(0)[0].assign(day=pandas.Timestamp(0)), "a").save(path)
    written = np.load(path)[name]
    raw = bytearray(written.tobytes())
    raw[3] = 0x7F
    forged = np.frombuffer(bytes(raw), written.dtype).reshape(written.shape)
    rewritten(path, **{name: forged})
    with pytest.raises(ValueError, match=f"'{name}' has other than text"):
        Statistics.load(path)


def test_folds_without_rows_are_loaded(tmp_path):
    X, y = table(1)
    few = Statistics(folds=5).update(X[:3], y[:3])
    lame = Statistics(folds=2).update(X[:20], y[:20], few_of_fold(0, 2, 20))
    dropped = Statistics(folds=4, missing="drop").update(X[:4].mask(X < -0.5), y[:4])
    for found in (few, lame, dropped):
        found.save(tmp_path / "sums.npz")
        again = Statistics.load(tmp_path / "sums.npz")
        assert again.n_rows == found.n_rows
        assert [one is None for one in again._parts] == [one is None for one in found._parts]
        assert again.n_dropped == found.n_dropped


def few_of_fold(which, n_folds, n_rows):
    """Weights that are zero in the rows of one fold."""
    return (fold_of_rows(0, n_rows, n_folds, 0) != which).astype(float)


def test_a_flipped_bit_is_refused_or_changes_nothing(tmp_path):
    path = tmp_path / "sums.npz"
    X, y = table(2, 12)
    found = Statistics(folds=3).update(X, y)
    found.save(path)
    content = path.read_bytes()
    directory = content.index(b"PK\x01\x02")  # where the names of the arrays are
    rng = np.random.default_rng(0)
    places = [*rng.integers(0, directory, 30), *rng.integers(directory, len(content), 250)]
    n_loaded = 0
    for place in places:
        flipped = bytearray(content)
        flipped[place] ^= 1 << rng.integers(8)
        path.write_bytes(bytes(flipped))
        try:
            again = Statistics.load(path)
        except ValueError:
            continue
        n_loaded += 1
        assert again.feature_names.tolist() == ["a", "b", "c"]
        for i in range(3):
            for ours, theirs in zip(again.fold(i), found.fold(i), strict=True):
                assert ours.n_rows == theirs.n_rows
                np.testing.assert_array_equal(ours.xx, theirs.xx)
                np.testing.assert_array_equal(ours.xy, theirs.xy)
    assert n_loaded > 20  # dates, comments and the like


@pytest.mark.skipif(os.name != "posix", reason="needs pipes and devices with names")
@pytest.mark.parametrize("kind", ["pipe", "folder", "device"])
def test_sums_are_loaded_from_a_file_only(kind, tmp_path):
    path = {"device": Path("/dev/zero")}.get(kind, tmp_path / "sums.npz")
    if kind == "pipe":
        os.mkfifo(path)
    elif kind == "folder":
        path.mkdir()
    with pytest.raises(ValueError, match=f"{path.name} .*: it is a {kind}; give a file"):
        Statistics.load(path)


@pytest.mark.parametrize(
    ("name", "value", "reason"),
    [
        ("n_rows_0", np.array(200.7), "'n_rows_0' has other than whole numbers"),
        ("n_rows_0", np.array("200"), "'n_rows_0' has other than whole numbers"),
        ("version", np.array(2.5), "'version' has other than whole numbers"),
        ("version", np.array([2, 2]), "'version' has other than whole numbers"),
        ("version", np.array(3), "it has version 3 of the format"),
        ("counts", np.array([200.0, 0, 200, 0, 1]), "'counts' has other than whole numbers"),
        ("counts", np.array([200, 0, 200, 2**32, 1]), "its counts are out of range"),
        ("counts", np.array([200, 0, 200, 0]), "'counts' has other than whole numbers"),
        ("missing", np.array("keep"), "'missing' is 'keep'"),
        ("feature_names", np.array(list("aba")), "'feature_names' has a name twice"),
        ("G_0", np.array([None]), "it is damaged"),
    ],
)
def test_what_save_does_not_write_is_refused(name, value, reason, tmp_path):
    path = tmp_path / "sums.npz"
    Statistics().update(*table(0)).save(path)
    rewritten(path, **{name: value})
    with pytest.raises(ValueError, match=rf"^sums\.npz .* read: {reason}.*; gather") as caught:
        Statistics.load(path)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("kind", ["cut", "empty", "text", "first byte", "length", "another"])
def test_damaged_files_are_called_by_name_in_words_of_ours(kind, tmp_path):
    path = tmp_path / "sums.npz"
    Statistics().update(*table(0)).save(path)
    content = path.read_bytes()
    if kind == "another":
        np.savez(path, a=np.zeros(3))
    elif kind == "length":  # of the name of the first array
        path.write_bytes(content[:28] + b"\xff" + content[29:])
    else:
        damaged = {"cut": content[:-9], "empty": b"", "text": b"a,b", "first byte": b"Q"}[kind]
        path.write_bytes(damaged + content[1:] if kind == "first byte" else damaged)
    reason = "it (is damaged.*|was not written by Statistics.save)"
    with pytest.raises(ValueError, match=rf"^sums\.npz .* read: {reason}; gather"):
        Statistics.load(path)


def test_headers_of_any_length_are_refused_in_words_of_ours(tmp_path):
    path = tmp_path / "sums.npz"
    Statistics().update(*table(0)).save(path)
    rewritten(path, yy_0=np.zeros(3, dtype=[(f"field {i}", "f8") for i in range(600)]))
    with pytest.raises(ValueError, match=r"^sums\.npz .* read: it is damaged; gather"):
        Statistics.load(path)
