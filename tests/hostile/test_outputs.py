"""What the command writes and prints: all or nothing, where it was asked for, and harmless."""

import csv
import io
import json
import os
import socket
import stat
import subprocess
import sys
from contextlib import contextmanager
from pathlib import Path

import pytest
from made import PLAIN, QUESTION, rows_of, text_of
from soaking import ROUNDS, count

from projstg._files import LEFTOVERS, replacing, replacing_all
from projstg.tables import Selection

pytest.importorskip("click")
pytest.importorskip("rich")
pytest.importorskip("pandas")

FILES = ["report.html", "selected.csv", "selection.json"]


@pytest.fixture
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("t.csv").write_text(PLAIN, encoding="utf-8")
    return tmp_path


def contents(folder):
    return {path.name: path.read_bytes() for path in Path(folder).iterdir()}


@contextmanager
def small_disk(folder):
    """A disk of its own, of 40 kB; None where that cannot be had."""
    folder.mkdir()
    command = ["mount", "-t", "tmpfs", "-o", "size=40k", "tmpfs", str(folder)]
    is_there = hasattr(os, "geteuid") and os.geteuid() == 0
    is_there = is_there and subprocess.run(command, capture_output=True).returncode == 0
    try:
        yield is_there
    finally:
        if is_there:
            subprocess.run(["umount", str(folder)], check=True)


@contextmanager
def no_file_larger_than(n_bytes):
    """What a full disk is, for those who may not mount one."""
    resource = pytest.importorskip("resource")
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (n_bytes, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


def test_on_a_full_disk_the_old_files_stay(here, said, refused):
    for _ in range(ROUNDS):
        count("fault", "select: full disk")
        with small_disk(here / "disk") as is_there:
            if not is_there:
                pytest.skip("no disk can be mounted here")
            old = {name: b"old" for name in FILES}
            for name, content in old.items():
                Path("disk", name).write_bytes(content)
            line = refused("t.csv", *QUESTION, "--out", "disk", "--csv")
            assert "nothing is written to disk: No space left" in line
            assert contents("disk") == old
        (here / "disk").rmdir()


@pytest.mark.parametrize("n_bytes", [300, 30_000])
def test_where_files_may_not_grow_the_old_files_stay(n_bytes, here, refused):
    for _ in range(ROUNDS):
        count("fault", "select: files may not grow")
        Path("out").mkdir(exist_ok=True)
        Path("out", "report.html").write_bytes(b"old")
        with no_file_larger_than(n_bytes):
            line = refused("t.csv", *QUESTION, "--out", "out", "--csv")
        assert "nothing is written to out: File too large" in line
        assert contents("out") == {"report.html": b"old"}


def test_into_a_folder_that_may_only_be_read(here, refused):
    with small_disk(here / "disk") as is_there:
        if is_there:
            subprocess.run(["mount", "-o", "remount,ro", str(here / "disk")], check=True)
        elif hasattr(os, "geteuid") and os.geteuid() == 0:
            pytest.skip("root may write everywhere")
        else:
            Path("disk").chmod(0o500)
        assert "nothing is written to disk" in refused("t.csv", *QUESTION, "--out", "disk/new")
        assert contents("disk") == {}


def test_a_folder_in_the_place_of_a_file(here, refused):
    Path("out", "selected.csv").mkdir(parents=True)
    refused("t.csv", *QUESTION, "--out", "out", "--csv")
    assert [path.name for path in Path("out").iterdir()] == ["selected.csv"]


FORMULAS = ["=cmd|' /C calc'!A0", "+1", "-1", "@SUM(1)", "y"]


def test_links_are_replaced_and_names_are_no_formulas(here, said):
    Path("t.csv").write_text(text_of(rows_of(), FORMULAS), encoding="utf-8")
    Path("out").mkdir()
    Path("mine.txt").write_text("mine", encoding="utf-8")
    for name in FILES:
        os.symlink("../mine.txt", Path("out", name))
    status, out, _ = said("t.csv", *QUESTION, "--out", "out", "--csv", "--json")
    assert status == 0
    assert Path("mine.txt").read_text(encoding="utf-8") == "mine"
    assert sorted(contents("out")) == FILES
    assert not any(path.is_symlink() for path in Path("out").iterdir())
    assert [one["column"] for one in json.loads(out)["chosen"]] == FORMULAS[:2]
    with Path("out", "selected.csv").open(newline="", encoding="utf-8") as file:
        header, first, *_ = csv.reader(file)
    assert header == ["'" + FORMULAS[0], "'+1", "y"]
    assert [float(cell) for cell in first] == rows_of()[0, [0, 1, 4]].tolist()


WRITER = """
import sys, time
from projstg._files import replacing_all
with replacing_all(sys.argv[1:]) as temporaries:
    for temporary in temporaries:
        temporary.write_text("new")
    print("written", flush=True)
    time.sleep(60)
"""


def test_a_writer_that_is_killed_leaves_the_old_files(tmp_path):
    paths = [tmp_path / "a", tmp_path / "b"]
    for _ in range(ROUNDS):
        count("fault", "select: killed while writing")
        for path in paths:
            path.write_text("old", encoding="utf-8")
        command = [sys.executable, "-c", WRITER, *map(str, paths)]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as writer:
            assert writer.stdout.readline() == "written\n"
            writer.kill()
        assert [path.read_text(encoding="utf-8") for path in paths] == ["old", "old"]
        leftovers = list(tmp_path.glob(LEFTOVERS))
        assert len(leftovers) == 2
        for path in leftovers:
            path.unlink()


def test_files_are_replaced_together_or_not_at_all(tmp_path):
    paths = [tmp_path / "a", tmp_path / "b"]
    paths[0].write_text("old", encoding="utf-8")

    def fail(error):
        with replacing_all(paths) as (first, _):
            first.write_text("new", encoding="utf-8")
            raise error

    for error in (ValueError, KeyboardInterrupt):
        with pytest.raises(error):
            fail(error)
        assert contents(tmp_path) == {"a": b"old"}
    with replacing_all(paths) as (first, second):
        first.write_text("1", encoding="utf-8")
        second.write_text("2", encoding="utf-8")
        assert contents(tmp_path)["a"] == b"old"
    assert contents(tmp_path) == {"a": b"1", "b": b"2"}
    assert paths[0].stat().st_mode == paths[1].stat().st_mode
    with pytest.raises(FileNotFoundError), replacing(tmp_path / "no" / "folder"):
        pytest.fail("there is no such folder")


@pytest.mark.parametrize("has_links", [True, False])
@pytest.mark.parametrize(
    ("name", "is_done"), [("a", False), ("a", True), ("b", False), ("b", True), ("c", False)]
)
def test_a_rename_that_fails_undoes_those_before_it(
    name, is_done, has_links, tmp_path, monkeypatch
):
    """It is an error before the rename, or Ctrl-C, which is heard when the call is over."""
    paths = [tmp_path / one for one in "abc"]
    paths[0].write_text("old", encoding="utf-8")
    paths[1].symlink_to("nowhere")
    rename, failed = os.replace, []

    def failing(source, target):
        fails = Path(target).name == name and not failed
        if fails and not is_done:
            failed.append(OSError)
            raise OSError(5, "Input/output error")
        rename(source, target)
        if fails:
            failed.append(KeyboardInterrupt)
            raise KeyboardInterrupt

    def no_links(*paths, **how):
        raise PermissionError(1, "Operation not permitted")

    monkeypatch.setattr(os, "replace", failing)
    if not has_links:
        monkeypatch.setattr(os, "link", no_links)
    with pytest.raises(KeyboardInterrupt if is_done else OSError):
        write_new(paths)
    assert sorted(os.listdir(tmp_path)) == ["a", "b"]
    assert paths[0].read_text(encoding="utf-8") == "old"
    assert os.readlink(paths[1]) == "nowhere"


def write_new(paths):
    with replacing_all(paths) as temporaries:
        for temporary in temporaries:
            temporary.write_text("new", encoding="utf-8")


def test_ctrl_c_after_the_last_rename_leaves_the_new_files(tmp_path, monkeypatch):
    paths, rename = [tmp_path / "a", tmp_path / "b"], os.replace

    def late(source, target):
        rename(source, target)
        if Path(target) == paths[1]:
            raise KeyboardInterrupt

    paths[0].write_text("old", encoding="utf-8")
    monkeypatch.setattr(os, "replace", late)
    with pytest.raises(KeyboardInterrupt):
        write_new(paths)
    assert contents(tmp_path) == {"a": b"new", "b": b"new"}


def test_a_folder_that_cannot_be_forced_to_the_disk_is_no_failure(tmp_path, monkeypatch):
    force = os.fsync

    def failing(handle):
        if stat.S_ISDIR(os.fstat(handle).st_mode):
            raise OSError(22, "Invalid argument")
        force(handle)

    monkeypatch.setattr(os, "fsync", failing)
    write_new([tmp_path / "a", tmp_path / "b"])
    assert contents(tmp_path) == {"a": b"new", "b": b"new"}


@pytest.mark.skipif(os.name != "posix", reason="needs pipes and devices with names")
@pytest.mark.parametrize("kind", ["pipe", "socket", "device"])
def test_what_is_no_file_is_not_replaced(kind, here, refused):
    Path("out").mkdir()
    path = Path("out", "selection.json")
    if kind == "pipe":
        os.mkfifo(path)
    elif kind == "socket":
        with socket.socket(socket.AF_UNIX) as end:
            end.bind(str(path))
    else:
        try:
            os.mknod(path, stat.S_IFCHR | 0o600, os.makedev(1, 3))
        except OSError:
            pytest.skip("no device can be made here")
    mode = path.stat().st_mode
    assert f"selection.json is a {kind}; give a file" in refused("t.csv", *QUESTION, "--out", "out")
    assert path.stat().st_mode == mode
    assert os.listdir("out") == ["selection.json"]


def test_a_terminal_that_shows_only_ascii(here, said, monkeypatch):
    Path("t.csv").write_text(text_of(rows_of(), ["größe", *"bcdy"]), encoding="utf-8")
    terminal = io.TextIOWrapper(io.BytesIO(), encoding="ascii")
    monkeypatch.setattr(sys, "stdout", terminal)
    status, _, err = said("t.csv", *QUESTION, "--out", "out")
    assert (status, err.count("\n")) == (0, 1)
    shown = terminal.buffer.getvalue()
    assert rb"R\xb2 1.00" in shown
    assert rb"gr\xf6\xdfe" in shown
    assert "größe" in Path("out", "report.html").read_text(encoding="utf-8")


def test_json_is_json_on_every_terminal(here, said):
    name = "gr\u00f6\u00dfe\u009b31m"
    Path("t.csv").write_text(text_of(rows_of(), [name, *"bcdy"]), encoding="utf-8")
    status, out, _ = said("t.csv", *QUESTION, "--json")
    assert status == 0
    assert out.isascii()
    assert json.loads(out)["chosen"][0]["column"] == name


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no /dev/full")
@pytest.mark.parametrize("options", [[], ["--json"]])
def test_output_that_cannot_be_printed_is_one_line(options, here, refused, monkeypatch):
    with open("/dev/full", "w", encoding="utf-8") as full:
        monkeypatch.setattr(sys, "stdout", full)
        assert "No space left on device" in refused("t.csv", *QUESTION, *options)


@pytest.mark.skipif(os.name != "posix", reason="needs pipes")
@pytest.mark.parametrize("options", [[], ["--json"]])
def test_output_that_nobody_reads_is_one_line(options, here):
    ours, theirs = os.pipe()
    os.close(ours)
    command = [sys.executable, "-m", "projstg", "select", "t.csv", *QUESTION, *options]
    done = subprocess.run(command, stdout=theirs, stderr=subprocess.PIPE, text=True)
    os.close(theirs)
    line = "projstg: standard output cannot be written to: Broken pipe.\n"
    assert (done.returncode, done.stderr) == (2, line)


@pytest.fixture(scope="module")
def answer(tmp_path_factory):
    from projstg import select

    path = tmp_path_factory.mktemp("answer") / "t.csv"
    path.write_text(PLAIN, encoding="utf-8")
    return select(path, "y", 2, sizes=True).as_dict()


def without(field):
    return lambda content: content.pop(field)


def with_value(value, *fields):
    def change(content):
        for field in fields[:-1]:
            content = content[field]
        content[fields[-1]] = value

    return change


SPOILED = {
    "no target": (without("target"), "it has no target"),
    "no effect": (lambda content: content["chosen"][0].pop("effect"), r"has no chosen\[0\].effect"),
    "text for a number": (with_value("1", "intercept"), 'intercept is "1", and a number'),
    "a number for text": (with_value(1, "target"), "target is 1, and text"),
    "a bool for a number": (with_value(True, "n_samples"), "n_samples is true, and a whole number"),
    "an object for a list": (with_value({}, "chosen"), "chosen is {}, and a list"),
    "a list for an object": (with_value([], "rows"), r"rows is \[\], and an object"),
    "a number among names": (
        with_value([3], "chosen", 0, "exchangeable_for"),
        r"chosen\[0\].exchangeable_for\[0\] is 3, and text",
    ),
    "text among sizes": (with_value("k", "path", 0, "k"), r'path\[0\].k is "k", and a whole'),
    "nothing for a number": (with_value(None, "intercept"), "intercept is null"),
    "text for time": (with_value("1 s", "seconds", "read"), 'seconds.read is "1 s"'),
    "weights of no name": (
        with_value(["w"], "question", "weights"),
        r'question.weights is \["w"\]',
    ),
    "always of no names": (
        with_value([["a"]], "question", "always"),
        r'question.always\[0\] is \["a"\], and text',
    ),
    "means that are too few": (with_value([], "averages", "means"), "averages differ in length"),
    "an empty covariance": (with_value([], "averages", "covariance"), "averages differ in length"),
    "a negative variance": (
        with_value(-1.0, "averages", "covariance", 0, 0),
        "averages.covariance is no covariance",
    ),
    "a correlation beyond one": (
        with_value(1e9, "averages", "covariance", 1, 0),
        "averages.covariance is no covariance",
    ),
    "no recipe for a column": (with_value([], "recipe", "columns"), "no recipe for "),
    "a level that is none": (
        with_value("x", "recipe", "columns", 0, "level"),
        "this is no whole selection: no levels for ",
    ),
    "a decimal mark": (
        with_value({"a": "x"}, "recipe", "decimals"),
        "x in recipe.decimals is no mark",
    ),
    "a note of numbers": (with_value([1, 2], "notes"), r"notes\[0\] is 1, and an object"),
}


@pytest.mark.parametrize("kind", SPOILED)
def test_a_selection_says_which_field_is_wrong(kind, answer, tmp_path):
    change, words = SPOILED[kind]
    content, path = json.loads(json.dumps(answer)), tmp_path / "selection.json"
    change(content)
    path.write_text(json.dumps(content), encoding="utf-8")
    with pytest.raises(ValueError, match=words) as caught:
        Selection.load(path)
    assert str(caught.value).startswith(str(path))
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    "forged",
    [
        {"schema_version": "2\x1b[31m\n"},
        {"schema_version": 9, "version": "1\x1b[31m\n"},
        {"intercept": "\x1b[31m\n"},
        {"recipe": {"columns": [], "levels": {}, "fills": None, "shares": {"a": "\x1b[31m\n"}}},
        {"chosen": [], "averages": None, "recipe": {"\x1b[31m\n": 1}},
    ],
)
def test_no_text_of_a_selection_reaches_a_terminal_as_it_is(forged, answer, tmp_path):
    path = tmp_path / "selection.json"
    path.write_text(json.dumps(answer | forged))
    with pytest.raises(ValueError, match="selection") as caught:
        Selection.load(path)
    assert str(caught.value).isprintable()


def test_no_caution_of_a_selection_reaches_a_terminal_as_it_is(answer):
    note = {"kind": "few_rows", "text": "red\x1b[31m", "columns": [], "reason": ""}
    told = str(Selection.from_dict(answer | {"notes": [note], "target": "y\x1b[31m"}))
    assert r"caution: red\x1b[31m" in told
    assert all(line.isprintable() for line in told.splitlines())


@pytest.mark.parametrize("text", ["[" * 100_000, "1" * 10_000, '{"schema": NaN', "\ud800"])
def test_what_is_no_json_is_no_selection(text, tmp_path):
    path = tmp_path / "selection.json"
    path.write_bytes(text.encode("utf-8", "surrogatepass"))
    with pytest.raises(ValueError, match="is not JSON"):
        Selection.load(path)


def test_fields_to_come_are_passed_over(answer):
    more = json.loads(json.dumps(answer)) | {"more": 1}
    assert Selection.from_dict(more) == Selection.from_dict(answer)


RIVAL = """
import os, sys, time
from projstg import _files
rename, paths = os.replace, sys.argv[2:]

def slow(source, target):
    rename(source, target)
    time.sleep(0.002)  # the other one has its turn between any two files

os.replace = slow
for line in sys.stdin:
    with _files.replacing_all(paths) as temporaries:
        for temporary in temporaries:
            temporary.write_text(sys.argv[1] + line)
    print("done", flush=True)
"""


@pytest.mark.skipif(os.name != "posix", reason="needs locks on folders")
def test_two_writers_at_once_leave_the_files_of_one(tmp_path):
    paths, is_mixed = [tmp_path / name for name in ("a", "b", "c")], []
    (tmp_path / "other").write_text("kept")
    command = [sys.executable, "-c", RIVAL]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True, "bufsize": 1}
    with (
        subprocess.Popen([*command, "one", *map(str, paths)], **pipes) as one,
        subprocess.Popen([*command, "two", *map(str, paths)], **pipes) as two,
    ):
        for round in range(40 * ROUNDS):
            for writer in (one, two):
                writer.stdin.write(f"{round}\n")
                writer.stdin.flush()
            assert [writer.stdout.readline() for writer in (one, two)] == ["done\n", "done\n"]
            texts = {path.read_text() for path in paths}
            assert texts <= {f"one{round}\n", f"two{round}\n"}
            is_mixed.append(len(texts) > 1)
            count("fault", "select: two writers at once")
        one.stdin.close()
        two.stdin.close()
    assert sum(is_mixed) == 0
    assert sorted(os.listdir(tmp_path)) == ["a", "b", "c", "other"]


@pytest.mark.skipif(os.name != "posix", reason="needs locks on folders")
def test_a_writer_that_never_ends_is_not_waited_for(tmp_path, monkeypatch):
    import fcntl

    monkeypatch.setattr("projstg._files._PATIENCE", 0.0)
    handle = os.open(tmp_path, os.O_RDONLY)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX)
        with pytest.raises(OSError, match="another process is writing there"):
            write_new([tmp_path / "a", tmp_path / "b"])
        assert os.listdir(tmp_path) == []
    finally:
        os.close(handle)
    write_new([tmp_path / "a", tmp_path / "b"])


def test_where_folders_have_no_locks_files_are_written_all_the_same(tmp_path, monkeypatch):
    fcntl = pytest.importorskip("fcntl")

    def no_locks(handle, how):
        raise OSError(37, "No locks available")

    monkeypatch.setattr(fcntl, "flock", no_locks)
    write_new([tmp_path / "a", tmp_path / "b"])
    assert contents(tmp_path) == {"a": b"new", "b": b"new"}
