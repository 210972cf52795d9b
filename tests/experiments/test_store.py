"""Files of rows: whole or absent, and what is foreign is set aside."""

import io
import os
import shutil

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from soaking import ROUNDS, count

from projstg.experiments import tasks
from projstg.experiments.store import COLUMNS, Store, read_rows
from projstg.experiments.store.part_file import read_part, with_checksum
from projstg.experiments.tasks import Task


def task(**fields):
    values = {
        "experiment": "mine",
        "size": "smoke",
        "setting": {"n_samples": 20, "noise_std": 0.5},
        "method": "omp",
        "label": "OMP",
        "parameters": {},
        "estimate": None,
        "alpha_scale": None,
        "root": 1,
        "first": 0,
        "last": 2,
        "one_at_a_time": False,
    }
    return Task(**(values | fields))


def rows(of):
    line = dict.fromkeys(COLUMNS) | {"experiment": of.experiment, "method": of.method}
    line |= {"size": of.size, "setting": "s", "label": of.label, "support": [1, 2]}
    return [line | {"repetition": r} for r in of.repetitions]


@pytest.fixture
def store(tmp_path):
    store = Store(tmp_path / "out")
    assert store.prepare() == []
    return store


def test_what_was_written_is_read(store):
    later, first = task(first=2, last=4), task()
    for one in (later, first):
        assert not store.has(one)
        store.write(one, rows(one))
        assert store.has(one)
    table = read_rows(store.folder)
    assert list(table.columns) == list(COLUMNS)
    assert list(table["repetition"]) == [0, 1, 2, 3]
    assert list(table["support"][0]) == [1, 2]
    assert len(read_rows(store.folder, [first.key])) == 2


@pytest.mark.parametrize(
    "change",
    [
        {"experiment": "other"},
        {"setting": {"n_samples": 21, "noise_std": 0.5}},
        {"method": "lasso"},
        {"parameters": {"tau": 0.4}},
        {"estimate": "gated_coef_"},
        {"alpha_scale": 0.5},
        {"root": 2},
        {"last": 3},
    ],
)
def test_the_key_is_of_what_determines_the_rows(change):
    assert task().key == task(setting={"noise_std": 0.5, "n_samples": 20}).key
    assert task(**change).key != task().key


def test_a_failed_write_leaves_nothing(store):
    with pytest.raises(pa.ArrowInvalid):
        store.write(task(), [dict.fromkeys(COLUMNS) | {"repetition": "one"}])
    assert list(store.parts.iterdir()) == []


def test_leftovers_of_a_killed_write_are_swept(store):
    (store.parts / ".0123456789abcdef.tmp").write_bytes(b"half")
    assert store.prepare() == []
    assert list(store.parts.iterdir()) == []


def test_damaged_and_foreign_files_are_named_and_set_aside(store):
    good, cut, swapped = task(), task(root=2), task(root=3)
    for one in (good, cut, swapped):
        store.write(one, rows(one))
    path = store.parts / f"{cut.key}.parquet"
    os.truncate(path, path.stat().st_size - 20)
    shutil.copy(store.parts / f"{good.key}.parquet", store.parts / f"{swapped.key}.parquet")
    pq.write_table(pa.table({"a": [1]}), store.parts / "foreign.parquet")
    (store.parts / "notes.txt").write_text("hello", encoding="utf-8")

    assert len(read_rows(store.folder)) == 2  # reading alone moves nothing
    said = store.prepare()

    assert len(said) == 4
    for name in (cut.key, swapped.key, "foreign.parquet", "notes.txt"):
        assert sum(name in line for line in said) == 1
        assert list((store.folder / "set-aside").glob(f"{name}*"))
    assert store.has(good)
    assert not store.has(cut)
    assert store.prepare() == []


def test_a_damaged_page_is_found_too(store):
    store.write(task(), rows(task()))
    path = store.parts / f"{task().key}.parquet"
    content = bytearray(path.read_bytes())
    content[4:40] = b"\xff" * 36
    path.write_bytes(content)
    assert len(store.prepare()) == 1


def test_any_byte_that_changed_is_noticed(store):
    """One bit is flipped, in every 16th byte of a file, and in the next ones the next round."""
    store.write(task(), rows(task()))
    path = store.parts / f"{task().key}.parquet"
    content = path.read_bytes()
    for round in range(ROUNDS):
        for place in range(round % 16, len(content), 16):
            flipped = bytearray(content)
            flipped[place] ^= 1 << (place + round) % 8
            path.write_bytes(flipped)
            assert isinstance(read_part(path), str), place
        count("fault", "flipped bit of a part", len(content) // 16)
    path.write_bytes(content)
    assert store.prepare() == []


def test_what_is_no_regular_file_is_set_aside_without_waiting(store):
    for name in ("pipe.parquet", f"{task().key}.parquet"):
        os.mkfifo(store.parts / name)
    (store.parts / "folder.parquet").mkdir()
    (store.parts / "link.parquet").symlink_to(store.folder / "nowhere")
    with pytest.raises(ValueError, match="no rows"):
        read_rows(store.folder)
    assert len(store.prepare()) == 4
    assert list(store.parts.iterdir()) == []


def test_rows_of_another_schema_are_set_aside(store, monkeypatch):
    with monkeypatch.context() as patch:
        patch.setattr(tasks, "SCHEMA_VERSION", 1)
        old = task()
        store.write(old, rows(old))
    (said,) = store.prepare()
    assert "schema 1, not 2" in said


def test_of_two_rows_of_one_trial_the_later_counts(store):
    first, second = task(parameters={"tau": 0.4}), task(last=3)
    for one, message in ((first, "old"), (second, "new")):
        store.write(one, [row | {"message": message, "root": 1} for row in rows(one)])
    table = read_rows(store.folder)
    assert list(table["repetition"]) == [0, 1, 2]
    assert set(table["message"]) == {"new"}


def test_a_line_is_made_in_one_way_whatever_its_files_are_dated(store):
    """Three trials, then one made otherwise; of another root and method nothing is lost."""
    old = [task(first=r, last=r + 1, parameters={"tau": 0.4}) for r in range(3)]
    others = [task(root=2), task(method="lasso", label="LASSO")]
    for one in [*old, *others, task(last=1)]:
        root = {"root": one.root, "message": str(one.parameters)}
        store.write(one, [row | root for row in rows(one)])
    for path in store.parts.iterdir():
        os.utime(path, ns=(0, 0) if path.stem == task(last=1).key else (1, 1))
    table = read_rows(store.folder)
    mine = table[(table["method"] == "omp") & (table["root"] == 1)]
    assert list(mine["message"]) == ["{}"]
    assert len(table) == 1 + 2 + 2


def test_fits_that_failed_are_known_by_their_part(store):
    good, bad = task(), task(root=2)
    store.write(good, rows(good))
    store.write(bad, [row | {"status": "error"} for row in rows(bad)])
    store.prepare()
    assert (store.has_failed(good), store.has_failed(bad)) == (False, True)


@pytest.fixture
def outside(tmp_path):
    path = tmp_path / "outside"
    path.write_text("precious", encoding="utf-8")
    return path


def test_links_are_replaced_and_not_followed(store, outside):
    names = [f"parts/{task().key}.parquet", "tuning/k.json", "specs/mine.toml", "run.json"]
    for name in names:
        (store.folder / name).symlink_to(outside)
    store.write(task(), rows(task()))
    store.write_tuned("k", 0.2, {})
    store.write_spec("mine", "")
    store.write_run({})
    assert outside.read_text(encoding="utf-8") == "precious"
    assert not any((store.folder / name).is_symlink() for name in names)


FOLDERS = ["parts", "tuning", "specs", "set-aside", "figures", "tables"]


@pytest.mark.parametrize("name", FOLDERS)
def test_a_linked_folder_is_refused_and_nothing_in_it_changes(tmp_path, name):
    elsewhere, store = tmp_path / "elsewhere", Store(tmp_path / "out")
    for folder in (elsewhere, store.folder):
        folder.mkdir()
    for precious in ("notes.txt", ".0123456789abcdef.tmp"):
        (elsewhere / precious).write_text("precious", encoding="utf-8")
    (store.folder / name).symlink_to(elsewhere, target_is_directory=True)
    with pytest.raises(ValueError, match=f"{name} is a link; remove it"):
        store.prepare()
    with pytest.raises(ValueError, match=f"{name} is a link; remove it"), store.locked():
        pass
    assert len(list(elsewhere.iterdir())) == 2
    assert [path.name for path in store.folder.iterdir()] == [name]


def test_the_folder_itself_may_be_a_link(tmp_path):
    (tmp_path / "disk").mkdir()
    (tmp_path / "out").symlink_to(tmp_path / "disk", target_is_directory=True)
    store = Store(tmp_path / "out")
    with store.locked():
        store.prepare()
        store.write(task(), rows(task()))
    assert len(read_rows(tmp_path / "disk")) == 2


@pytest.mark.parametrize("make", [os.mkfifo, lambda path: os.symlink("../outside", path)])
def test_a_lock_that_is_something_else_is_refused(store, outside, make):
    make(store.folder / ".lock")
    with pytest.raises(ValueError, match=r"\.lock is (a link|not a regular file)"), store.locked():
        pass
    assert outside.read_text(encoding="utf-8") == "precious"


def test_other_columns_are_set_aside(store):
    store.write(task(), rows(task()))
    path = store.parts / f"{task().key}.parquet"
    buffer = io.BytesIO()
    pq.write_table(pq.read_table(path).drop_columns(["seconds"]), buffer)
    path.write_bytes(with_checksum(buffer.getvalue()))
    (said,) = store.prepare()
    assert "columns" in said


def test_nothing_set_aside_is_overwritten(store):
    for content in ("one", "two"):
        (store.parts / "notes.txt").write_text(content, encoding="utf-8")
        store.prepare()
    kept = sorted(
        path.read_text(encoding="utf-8") for path in (store.folder / "set-aside").iterdir()
    )
    assert kept == ["one", "two"]


def test_one_run_at_a_time(store):
    with (
        store.locked(),
        pytest.raises(ValueError, match="another run"),
        Store(store.folder).locked(),
    ):
        pass
    with store.locked():
        pass


def test_an_empty_folder_says_what_to_do(tmp_path):
    with pytest.raises(ValueError, match="projstg reproduce"):
        read_rows(tmp_path)


def test_a_chosen_scale_is_kept(store):
    assert store.tuned("k") is None
    store.write_tuned("k", 0.2, {"setting": {}})
    assert store.tuned("k") == 0.2
    (store.tuning / "k.json").write_text("{", encoding="utf-8")
    assert store.tuned("k") is None
