"""Ctrl-C at any moment is one line and the status 130."""

import os
import signal
import subprocess
import sys
import time

import pytest
from made import PLAIN, QUESTION
from soaking import ROUNDS, count

pytest.importorskip("click")
pytestmark = pytest.mark.skipif(os.name != "posix", reason="needs signals")

# A module is imported, and says so; Ctrl-C comes then.
WATCHED = """
import os, signal, sys
class Watch:
    def find_spec(self, name, path=None, target=None):
        if name == {module!r}:
            os.kill(os.getpid(), signal.SIGINT)
sys.meta_path.insert(0, Watch())
sys.argv[0] = "projstg"
from projstg.__main__ import main
sys.exit(main())
"""


@pytest.mark.parametrize("module", ["click", "numpy", "numpy._core._multiarray_umath"])
def test_while_modules_are_imported(module, tmp_path):
    path = tmp_path / "t.csv"
    path.write_text(PLAIN)
    program = [sys.executable, "-c", WATCHED.format(module=module), "select", str(path), *QUESTION]
    done = subprocess.run(program, capture_output=True, text=True)
    assert (done.returncode, done.stdout, done.stderr) == (130, "", "projstg: stopped\n")


def test_at_any_moment(tmp_path):
    os.mkfifo(tmp_path / "idle.csv")  # so that it does not end by itself
    for i in range(ROUNDS):
        count("fault", "Ctrl-C")
        command = [sys.executable, "-m", "projstg", "select", str(tmp_path / "idle.csv"), *QUESTION]
        with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as process:
            time.sleep(0.15 + 0.083 * i % 2.0)  # Python itself has started by then
            process.send_signal(signal.SIGINT)
            said = process.communicate()[1]
        assert (process.returncode, said) == (130, "projstg: stopped\n")


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
