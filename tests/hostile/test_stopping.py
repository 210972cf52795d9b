"""Ctrl-C at any moment is one line and the status 130."""

import os
import subprocess
import sys

import pytest
from made import PLAIN, QUESTION
from soaking import ROUNDS, count

pytest.importorskip("click")
pytestmark = pytest.mark.skipif(os.name != "posix", reason="needs signals")

# Ctrl-C comes when a module of a name is looked for, or at the n-th after the command has begun.
WATCHED = """
import os, signal, sys
class Watch:
    n_seen = 0
    def find_spec(self, name, path=None, target=None):
        self.n_seen += bool(self.n_seen or name == "projstg.cli")
        if {when}:
            os.kill(os.getpid(), signal.SIGINT)
sys.meta_path.insert(0, Watch())
from projstg.__main__ import main
sys.exit(main())
"""


def stopped(when, path):
    path.write_text(PLAIN, encoding="utf-8")
    program = WATCHED.format(when=when)
    command = [sys.executable, "-c", program, "select", str(path), *QUESTION]
    done = subprocess.run(command, capture_output=True, text=True)
    assert (done.returncode, done.stdout, done.stderr) == (130, "", "projstg: stopped\n")


@pytest.mark.parametrize("module", ["click", "numpy", "numpy._core._multiarray_umath"])
def test_while_modules_are_imported(module, tmp_path):
    stopped(f"name == {module!r}", tmp_path / "t.csv")


def test_at_any_moment(tmp_path):
    for i in range(ROUNDS):
        count("fault", "select: Ctrl-C")
        stopped(f"self.n_seen == {1 + (223 + 367 * i) % 1000}", tmp_path / "t.csv")


def test_while_files_are_written_they_are_put_in_order_first(tmp_path):
    code = (
        "import os, signal, sys\n"
        "from projstg._files import replacing\n"
        "from projstg._interrupt import interruptible, stop_at_once\n"
        "stop_at_once()\n"
        "try:\n"
        "    with interruptible(), replacing(sys.argv[1]) as temporary:\n"
        "        temporary.write_text('half')\n"
        "        os.kill(os.getpid(), signal.SIGINT)\n"
        "except KeyboardInterrupt:\n"
        "    os.kill(os.getpid(), signal.SIGINT)\n"
    )
    done = subprocess.run([sys.executable, "-c", code, str(tmp_path / "f")], capture_output=True)
    assert (done.returncode, done.stderr) == (130, b"projstg: stopped\n")
    assert list(tmp_path.iterdir()) == []


def test_what_is_told_to_ignore_it_goes_on():
    code = (
        "import os, signal\n"
        "from projstg._interrupt import stop_at_once\n"
        "signal.signal(signal.SIGINT, signal.SIG_IGN)\n"
        "stop_at_once()\n"
        "os.kill(os.getpid(), signal.SIGINT)\n"
    )
    assert subprocess.run([sys.executable, "-c", code]).returncode == 0
