"""What can be wrong with a folder: full, read-only, damaged, or with other things in it."""

import os
import random
import shutil
import subprocess
from contextlib import contextmanager, suppress

import pytest
from laboratory import N_TASKS, leftovers, n_parts, rows_of, small, undisturbed
from soaking import ROUNDS, count

from projstg import cli
from projstg.experiments.runner import run
from projstg.experiments.store import read_rows
from projstg.report import make_report


@contextmanager
def mounted(folder, options):
    """A file system of its own in a folder; skipped where this is not allowed."""
    if shutil.which("mount") is None:
        pytest.skip("there is no mount here")
    folder.mkdir()
    done = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", options, "tmpfs", str(folder)], capture_output=True
    )
    if done.returncode:
        pytest.skip("mount is not allowed here")
    try:
        yield
    finally:
        subprocess.run(["umount", str(folder)], check=True)


def spec_file(tmp_path):
    path = tmp_path / "small.toml"
    path.write_text(small().text, encoding="utf-8")
    return str(path)


def test_a_full_disk_loses_nothing_that_was_written(tmp_path, capsys):
    for round in range(ROUNDS):
        folder = tmp_path / f"round-{round}"
        size = 4096 * random.Random(round).randrange(20, 120)
        with mounted(folder, f"size={size}"):
            with pytest.raises(OSError, match="No space left"):
                run([small()], folder)
            kept = n_parts(folder)
            assert kept < N_TASKS
            assert leftovers(folder) == []
            if kept:
                with pytest.raises(OSError, match="No space left"):
                    make_report(folder)
                assert list(folder.rglob("*.html")) == leftovers(folder) == []
            with suppress(OSError):
                (folder / "filler").write_bytes(bytes(size))
            assert cli.main(["reproduce", spec_file(tmp_path), "--out", str(folder)]) == 2
            said = capsys.readouterr().err
            assert "No space left" in said
            assert said.count("\n") == 1
            (folder / "filler").unlink()
            subprocess.run(["mount", "-o", "remount,size=8m", str(folder)], check=True)
            assert run([small()], folder).n_found >= kept
            assert rows_of(folder) == undisturbed()
        count("fault", "full disk")


def test_a_read_only_folder_is_refused_in_one_line(tmp_path, capsys):
    folder = tmp_path / "out"
    with mounted(folder, "ro"):
        for _ in range(ROUNDS):
            assert cli.main(["reproduce", spec_file(tmp_path), "--out", str(folder)]) == 2
            said = capsys.readouterr().err
            assert "Read-only file system" in said
            assert said.count("\n") == 1
            count("fault", "read-only folder")


def damage(path, chance):
    """Change a file in one of the ways in which files are changed."""
    content = bytearray(path.read_bytes())
    kind = chance.choice(["flipped bit", "cut", "emptied", "pipe", "folder", "dangling link"])
    if kind == "flipped bit":
        content[chance.randrange(len(content))] ^= 1 << chance.randrange(8)
        path.write_bytes(content)
    elif kind == "cut":
        os.truncate(path, chance.randrange(1, len(content)))
    elif kind == "emptied":
        os.truncate(path, 0)
    else:
        path.unlink()
        make = {"pipe": os.mkfifo, "folder": os.mkdir}.get(kind)
        make(path) if make else path.symlink_to(path.parent / "nowhere")
    return kind


def test_damaged_parts_are_set_aside_and_computed_anew(tmp_path):
    folder = tmp_path / "out"
    run([small()], folder)
    for round in range(4 * ROUNDS):
        chance = random.Random(round)
        paths = chance.sample(sorted((folder / "parts").glob("*.parquet")), 4)
        kinds = [damage(path, chance) for path in paths]
        assert len(read_rows(folder)) == N_TASKS - len(paths)
        report = run([small()], folder)
        assert (report.n_done, len(report.set_aside)) == (len(paths), len(paths))
        for path in paths:
            assert any(path.name in line for line in report.set_aside)
        assert rows_of(folder) == undisturbed()
        for kind in kinds:
            count("fault", f"part: {kind}")
