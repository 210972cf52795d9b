"""What is read from the folder of a run, and what is not believed."""

import json
import os
import shutil

import pandas as pd
import pytest
from made_up_runs import (
    SMALL_SPEC,
    by_gate_samples,
)

from projstg.experiments.runner import run
from projstg.experiments.spec import parse_spec
from projstg.report.load_results import prepared, read_run


def test_the_size_of_the_last_run_is_shown(folder):
    found = read_run(folder)
    assert set(found.summary["size"]) == {"smoke"}
    assert "size “smoke”" in found.lead


@pytest.mark.parametrize("text", [None, "{", "[]"])
def test_a_folder_without_a_readable_record_of_the_run(folder, tmp_path, text):
    (tmp_path / "parts").mkdir()
    for part in (folder / "parts").glob("*.parquet"):
        (tmp_path / "parts" / part.name).write_bytes(part.read_bytes())
    if text is not None:
        (tmp_path / "run.json").write_text(text, encoding="utf-8")
    found = read_run(tmp_path)
    assert set(found.summary["size"]) == {"paper"}  # the size with most rows
    assert "Machine" not in dict(found.facts)
    assert found.command == ""


@pytest.mark.parametrize(
    "about",
    [
        '"text"',
        "[" * 100_000,
        json.dumps({"machine": 3, "versions": "x", "unavailable": ["y"], "size": ["smoke"]}),
        json.dumps({"seconds": "long", "started": 5, "jobs": {}, "command": None, "earlier": 7}),
        json.dumps({"seconds": 10**400, "started": "now"}),
        json.dumps({"seconds": float("nan"), "started": "now"}),
    ],
)
def test_a_foreign_record_of_the_run_is_not_believed(folder, tmp_path, about):
    shutil.copytree(folder / "parts", tmp_path / "parts")
    (tmp_path / "run.json").write_text(about, encoding="utf-8")
    assert set(read_run(tmp_path).summary["size"]) == {"paper"}
    run([parse_spec(SMALL_SPEC, "small")], tmp_path, size="paper")
    assert json.loads((tmp_path / "run.json").read_text(encoding="utf-8"))["n_tasks"] == 9


def test_a_pipe_in_a_folder_keeps_nobody_waiting(folder, tmp_path):
    shutil.copytree(folder / "parts", tmp_path / "parts")
    for name in ("run.json", "parts/pipe.parquet"):
        os.mkfifo(tmp_path / name)
    assert set(read_run(tmp_path).summary["size"]) == {"paper"}


def test_variants_of_a_method_get_names_of_their_own(folder):
    found = set(read_run(folder).summary["method"])
    assert found == {"omp", "lasso", "omp: again"}


def test_variants_drawn_by_a_parameter_keep_their_name():
    found = prepared(pd.DataFrame(by_gate_samples()))
    assert set(found["method"]) == {"projected-stg"}
    assert set(found["n_gate_samples"]) == {4, 8, 10, 20, 50}
