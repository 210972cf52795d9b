"""Every test here comes to an end, or it fails."""

import signal

import pytest

from projstg.cli import main

SECONDS = 60  # far more than any of them takes, on a busy machine too


@pytest.fixture(autouse=True)
def _over_in_seconds():
    def late(number, frame):
        pytest.fail(f"not over after {SECONDS} s")

    if not hasattr(signal, "SIGALRM"):
        pytest.skip("there is no alarm on this system")
    before = signal.signal(signal.SIGALRM, late)
    signal.alarm(SECONDS)
    yield
    signal.alarm(0)
    signal.signal(signal.SIGALRM, before)


@pytest.fixture
def said(capfd):
    """Run the command, and return its status and what it said on both streams."""

    def run(*arguments):
        signal.alarm(SECONDS)
        status = main(["select", *map(str, arguments)])
        out, err = capfd.readouterr()
        return status, out, err

    return run


@pytest.fixture
def refused(said):
    """Run the command, see that it refuses in one line, and return that line."""

    def run(*arguments):
        status, out, err = said(*arguments)
        assert (status, out) == (2, "")
        assert err.startswith("projstg: ")
        assert err.count("\n") == 1
        assert err.rstrip("\n").isprintable()
        assert len(err) < 400
        return err

    return run


@pytest.fixture
def ask(tmp_path, said):
    """Run the command on a file that holds the content given."""

    def run(content, *options):
        path = tmp_path / "table.csv"
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return said(path, "-t", "y", "-k", "2", *options)

    return run
