"""The bar: on a terminal alone, and no line for what is over at once."""

import io
import sys
from time import sleep

import pytest

from projstg.render import progress_bar as module
from projstg.render.progress_bar import counted_steps, progress_bar, stage

pytest.importorskip("rich")


class Terminal(io.StringIO):
    """A place to write to that says it is a terminal."""

    def isatty(self):
        return True


class Clock:
    """Time passes when it is told to."""

    now = 0.0

    def __call__(self):
        return self.now


def shown_by(run, monkeypatch):
    """Return what a run shows on a terminal."""
    clock = Clock()
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setattr(sys, "stderr", Terminal())
    monkeypatch.setattr("rich.console.monotonic", clock)
    with progress_bar(None, stays=False) as show:
        run(show, clock)
    return sys.stderr.getvalue()


def test_what_lasts_is_shown_and_what_is_over_at_once_is_not(monkeypatch):
    def run(show, clock):
        with stage(show, "at once"):
            pass
        with counted_steps(show, "a while", 2) as step:
            step()
            clock.now += 1.01 * module._LASTS
            for _ in range(3000):  # until the bar is drawn again
                if "50%" in sys.stderr.getvalue():
                    break
                sleep(0.01)
            step()
        with stage(show, "the end"):
            clock.now += 0.99 * module._LASTS

    shown = shown_by(run, monkeypatch)
    assert "at once" not in shown
    assert "the end" not in shown
    assert "a while" in shown
    assert "50%" in shown


def test_a_short_run_shows_nothing(monkeypatch):
    def run(show, clock):
        with stage(show, "at once"):
            clock.now += 0.99 * module._LASTS

    assert "at once" not in shown_by(run, monkeypatch)


@pytest.mark.parametrize(("wanted", "is_terminal"), [(None, False), (False, True)])
def test_there_is_none_elsewhere_nor_where_it_is_not_wanted(wanted, is_terminal, monkeypatch):
    monkeypatch.setattr(sys, "stderr", Terminal() if is_terminal else io.StringIO())
    with progress_bar(wanted) as show, stage(show, "something"):
        assert show is None
    assert sys.stderr.getvalue() == ""
