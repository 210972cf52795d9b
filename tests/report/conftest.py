"""A small run in a folder, for tests that read one."""

import pytest
from made_up_runs import SMALL_SPEC

from projstg.experiments.runner import run
from projstg.experiments.spec import parse_spec


@pytest.fixture(scope="session")
def folder(tmp_path_factory):
    """Rows of one experiment in two sizes; the smaller was run last."""
    where = tmp_path_factory.mktemp("run")
    spec = parse_spec(SMALL_SPEC, "small")
    for size in ("paper", "smoke"):
        assert run([spec], where, size=size, command="projstg reproduce small").n_errors == 0
    return where
