"""What is no regular file, cannot be opened, or has a name that acts: one line, and at once."""

import os
import socket
import threading
from contextlib import contextmanager
from pathlib import Path

import pytest
from made import PLAIN, QUESTION

from projstg.tables import Selection
from projstg.tables.files import open_file as opening
from projstg.tables.files.read_table import read_table
from projstg.tables.words.notes import TableError

pytest.importorskip("pandas")
posix = pytest.mark.skipif(os.name != "posix", reason="needs pipes and devices with names")


@pytest.fixture
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


@contextmanager
def writer(path, content):
    """Somebody who writes into a pipe."""
    thread = threading.Thread(target=lambda: Path(path).write_bytes(content))
    thread.start()
    yield
    thread.join()


@posix
def test_a_pipe_into_which_nobody_writes_is_not_waited_for_without_end(here, refused, monkeypatch):
    monkeypatch.setattr(opening, "_PATIENCE", 0.1)
    os.mkfifo("idle.csv")
    line = refused("idle.csv", *QUESTION)
    assert "nothing came out of the pipe idle.csv for 0.1 s" in line


@posix
def test_a_pipe_is_read_to_its_end(here, said):
    os.mkfifo("pipe.csv")
    with writer("pipe.csv", PLAIN.encode() + b"1,2,3,4,0\n" * 50_000):
        status, out, _ = said("pipe.csv", *QUESTION)
    assert status == 0
    assert "50040 rows" in out


@posix
def test_what_the_shell_hands_over_as_a_pipe(said):
    ours, theirs = os.pipe()
    os.write(theirs, PLAIN.encode())
    os.close(theirs)
    status, out, _ = said(f"/dev/fd/{ours}", *QUESTION)
    os.close(ours)
    assert status == 0
    assert out.startswith("y by 2 of 4 columns")


def test_a_pipe_without_end_is_refused_where_it_does_not_fit(monkeypatch):
    class Endless:
        n_read = 0

        def read(self, size):
            self.n_read += size
            assert self.n_read < 100_000_000, "it was read on"
            return b"1,2,3\n" * (size // 6)

    class Input:
        buffer = Endless()

    monkeypatch.setattr(opening.sys, "stdin", Input)
    with pytest.raises(TableError, match="of memory"):
        read_table("-", most_bytes=10_000_000)


def test_standard_input_that_is_closed(refused, monkeypatch):
    monkeypatch.setattr(opening.sys, "stdin", None)
    assert "standard input is closed" in refused("-", *QUESTION)


@posix
def test_a_socket(here, refused):
    with socket.socket(socket.AF_UNIX) as end:
        end.bind("end.csv")
        assert "end.csv is a socket" in refused("end.csv", *QUESTION)


@posix
@pytest.mark.parametrize("name", ["/dev/zero", "/dev/null", "/dev/urandom", "/dev/tty"])
def test_devices(name, refused):
    if not Path(name).exists():
        pytest.skip(f"there is no {name}")
    line = refused(name, *QUESTION)
    assert f"{name} is a device" in line or "cannot be opened" in line


@pytest.mark.parametrize("name", ["mem", "cmdline", "status", "maps", "pagemap", "environ"])
def test_files_of_the_system(name, refused):
    if not Path("/proc/self", name).exists():
        pytest.skip("there is no /proc here")
    refused(f"/proc/self/{name}", *QUESTION)


@posix
def test_a_selection_is_loaded_from_a_file_only(here):
    os.mkfifo("pipe")
    Path("folder").mkdir()
    said = {
        "pipe": "pipe: it is a pipe; give a file",
        "folder": "folder is a folder without selection.json",
        "/dev/null": "it is a device; give a file",
    }
    for name, words in said.items():
        with pytest.raises(TableError, match=words):
            Selection.load(name)
    with pytest.raises(FileNotFoundError):
        Selection.load("nothing")


def test_a_folder_with_the_name_of_a_file(here, refused):
    Path("x.csv").mkdir()
    assert "x.csv is a folder" in refused("x.csv", *QUESTION)


def test_links_that_lead_nowhere(here, refused):
    os.symlink("loop.csv", "loop.csv")
    os.symlink("gone", "lost.csv")
    assert "loop.csv cannot be opened" in refused("loop.csv", *QUESTION)
    assert "lost.csv is not there" in refused("lost.csv", *QUESTION)


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may read all")
def test_a_file_that_may_not_be_read(here, refused):
    Path("mine.csv").write_text(PLAIN, encoding="utf-8")
    Path("mine.csv").chmod(0)
    assert "mine.csv cannot be opened" in refused("mine.csv", *QUESTION)


def test_a_name_that_is_too_long(refused):
    assert "cannot be opened" in refused("x" * 5000, *QUESTION)


def test_a_file_that_is_not_there(tmp_path, refused):
    assert "is not there" in refused(tmp_path / "nothing.csv", *QUESTION)


def test_a_hole_of_a_gigabyte(tmp_path, refused):
    path = tmp_path / "hole.csv"
    with path.open("wb") as file:
        file.truncate(2**30)
    assert "zero bytes" in refused(path, *QUESTION)


NAMES = {"escape": b"\x1b[31mred.csv", "line end": b"a\nb.csv", "no text": b"\xff\xfe.csv"}


@posix
@pytest.mark.parametrize("kind", NAMES)
def test_names_of_files_do_nothing_on_the_terminal(kind, here, said, refused):
    name = os.fsdecode(NAMES[kind])
    refused(name, *QUESTION)  # not there
    Path(name).write_text("a,y\n1,2\n3,4,5\n", encoding="utf-8")
    refused(name, *QUESTION)  # ragged
    Path(name).write_text(PLAIN, encoding="utf-8")
    out = ["--out", name + ".out"] if kind == "no text" else []
    status, out, err = said(name, *QUESTION, *out)
    assert status == 0
    assert all(line.isprintable() for line in (out + err).splitlines())
    refused(name, *QUESTION, "--out", name)  # a file


@pytest.mark.parametrize("words", [["--never", "\x1b[31m"], ["-t", "\x1b[31m"], ["--\x1b[2J"]])
def test_what_was_typed_is_not_thrown_back_raw(words, here, refused):
    Path("t.csv").write_text(PLAIN, encoding="utf-8")
    refused("t.csv", *QUESTION, *words)
