"""Seeds and problems that all tests share; examples whose library is missing are skipped."""

import io
import json
import os
import signal
import sys
from importlib.util import find_spec
from types import SimpleNamespace

# One BLAS thread, here and in what tests start: the problems are small, and workers must not fight
# over cores. NumPy's library reads this once, when it is imported.
os.environ.update(
    dict.fromkeys(
        ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"),
        os.environ.get("PROJSTG_TEST_THREADS", "1"),
    )
)

import numpy as np
import pytest
from in_place import TITLE, in_place
from made_problems import problem_of

from projstg.cli import main

# A shell lets what it runs in the background ignore Ctrl-C, and every process started from here
# would do so, too.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

# What examples need beside the package. A test asks for it itself, by ``pytest.importorskip``.
EXTRAS = {"mcp.py": "skglm", "scad.py": "skglm", "knockoffs.py": "hidimstat"}


def pytest_collection_modifyitems(items):
    for item in items:
        needed = EXTRAS.get(item.path.name) if isinstance(item, pytest.DoctestItem) else None
        if needed is not None and find_spec(needed) is None:
            item.add_marker(pytest.mark.skip(reason=f"could not import {needed!r}"))


def pytest_report_header():
    """Say what the tests run on; ``machines.py`` reads this line."""
    return TITLE + json.dumps(in_place())


DOORS = {"rows": lambda problem: problem, "sums": lambda problem: problem.by_sums}


@pytest.fixture
def rng():
    return np.random.default_rng(20231)


@pytest.fixture
def said_by(capsys):
    """Run the command, see that it succeeds, and return what it said on both streams."""

    def run(*arguments):
        assert main([*map(str, arguments)]) == 0
        return capsys.readouterr()

    return run


@pytest.fixture
def refusal(capsys):
    """Run the command, see that it refuses in one line, and return that line."""

    def run(*arguments):
        assert main([*map(str, arguments)]) == 2
        out, err = capsys.readouterr()
        assert out == ""
        assert err.startswith("projstg: ")
        assert err.count("\n") == 1
        return err

    return run


@pytest.fixture
def X(data):
    """The columns of the ``data`` of a file of tests."""
    return data[0]


@pytest.fixture
def y(data):
    """And the response."""
    return data[1]


@pytest.fixture(params=DOORS)
def door(request):
    """How the core sees a problem, or a batch: through its rows or through its sums."""
    return DOORS[request.param]


@pytest.fixture
def standard_input(monkeypatch):
    """Have other bytes come in on standard input."""

    def give(content):
        monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BytesIO(content)))

    return give


def _gaussian(n_rows, n_columns):
    return lambda rng: rng.normal(size=(n_rows, n_columns))


def _low_rank(n_rows, n_columns, rank):
    return lambda rng: rng.normal(size=(n_rows, rank)) @ rng.normal(size=(rank, n_columns))


def _with_column(X, change):
    def make(rng):
        matrix = X(rng)
        matrix[:, 2] = change(matrix)
        return matrix

    return make


FULL_RANK = {"long": _gaussian(30, 7), "wide": _gaussian(9, 14), "square": _gaussian(10, 10)}
DEFICIENT = {
    "low rank, long": _low_rank(30, 7, 4),
    "low rank, wide": _low_rank(9, 14, 5),
    "zero column, long": _with_column(_gaussian(30, 7), lambda X: 0.0),
    "zero column, wide": _with_column(_gaussian(9, 14), lambda X: 0.0),
    "constant column, long": _with_column(_gaussian(30, 7), lambda X: 3.0),
    "constant column, wide": _with_column(_gaussian(9, 14), lambda X: 3.0),
    "duplicate column, long": _with_column(_gaussian(30, 7), lambda X: X[:, 0]),
    "duplicate column, wide": _with_column(_gaussian(9, 14), lambda X: -2.0 * X[:, 0]),
    "one column": _gaussian(8, 1),
    "one row": _gaussian(1, 3),
}
DESIGNS = FULL_RANK | DEFICIENT


def _table(name, rng):
    X = DESIGNS[name](rng)
    beta = np.zeros(X.shape[1])
    beta[: (X.shape[1] + 3) // 4] = 1.0
    return X, X @ beta + 0.5 * rng.normal(size=X.shape[0])


@pytest.fixture(params=DESIGNS)
def table(request, rng):
    """X and y of every design."""
    return _table(request.param, rng)


@pytest.fixture(params=FULL_RANK)
def full_table(request, rng):
    """X and y of the designs of full rank."""
    return _table(request.param, rng)


@pytest.fixture
def problem(table):
    """One problem through rows: every design, with columns of mean square one (or zero)."""
    return problem_of(*table, centre=False)


@pytest.fixture
def full_problem(full_table):
    """The same for the designs of full rank."""
    return problem_of(*full_table, centre=False)
