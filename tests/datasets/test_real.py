"""The measured tables are the originals, or an error says what to do."""

from pathlib import Path
from urllib.error import URLError

import numpy as np
import pytest
from sklearn.linear_model import orthogonal_mp
from sklearn.utils import Bunch

from projstg import select
from projstg.datasets import real
from projstg.datasets.real import fetch_ailerons, fetch_triazines

SHARED = Path(__file__).parents[3] / "shared" / "data"
FETCHERS = {
    "triazines": (fetch_triazines, (186, 60), "activity"),
    "ailerons": (fetch_ailerons, (13750, 40), "goal"),
}
needs_tables = pytest.mark.skipif(
    not (SHARED / "triazines.csv").exists(), reason="the tables are not at hand"
)


@pytest.fixture(params=FETCHERS)
def name(request):
    return request.param


@pytest.fixture(autouse=True)
def no_network(monkeypatch):
    def refuse(**kwargs):
        raise URLError("no network")

    monkeypatch.setattr(real, "fetch_openml", refuse)
    monkeypatch.delenv(real.FOLDER_VARIABLE, raising=False)


def as_openml_has_it(name):
    """What fetch_openml returns for a table, made from the copy at hand."""
    names, values = real._read(SHARED / f"{name}.csv")
    off_by_rounding = values * (1.0 + 1e-16 * np.arange(values.shape[1]))
    return Bunch(
        data=off_by_rounding[:, :-1], target=off_by_rounding[:, -1], feature_names=names[:-1]
    )


@needs_tables
def test_a_table_in_a_folder_is_read_and_named(name):
    fetch, shape, target = FETCHERS[name]
    found = fetch(data_home=SHARED)
    assert found.data.shape == shape
    assert found.target.shape == shape[:1]
    assert found.target_names == [target]
    assert len(found.feature_names) == shape[1]
    assert found.source == str(SHARED / f"{name}.csv")
    assert target in found.DESCR
    assert found.frame is None


@needs_tables
def test_the_variable_names_the_folder(name, monkeypatch):
    monkeypatch.setenv(real.FOLDER_VARIABLE, str(SHARED))
    X, y = FETCHERS[name][0](return_X_y=True)
    assert X.shape[0] == y.shape[0] == FETCHERS[name][1][0]


@needs_tables
def test_frames_have_the_names(name):
    pytest.importorskip("pandas")
    found = FETCHERS[name][0](data_home=SHARED, as_frame=True)
    assert list(found.data.columns) == found.feature_names
    assert found.target.name == found.target_names[0]
    assert found.frame.shape == (found.data.shape[0], found.data.shape[1] + 1)


@needs_tables
def test_a_download_is_asked_for_by_number_checked_and_kept(name, monkeypatch, tmp_path):
    asked = []
    served = as_openml_has_it(name)
    monkeypatch.setattr(real, "fetch_openml", lambda **given: asked.append(given) or served)
    fetch, shape, target = FETCHERS[name]
    first = fetch(data_home=tmp_path)
    again = fetch(data_home=tmp_path, download_if_missing=False)
    assert [given["data_id"] for given in asked] == [{"triazines": 206, "ailerons": 296}[name]]
    assert asked[0]["target_column"] == target
    assert first.source.startswith(f"OpenML data_id={asked[0]['data_id']}, kept as ")
    assert again.source == str(tmp_path / f"{name}.csv")
    np.testing.assert_array_equal(first.data, again.data)
    assert first.data.shape == shape


@needs_tables
def test_one_changed_number_is_noticed(name, tmp_path):
    names, values = real._read(SHARED / f"{name}.csv")
    values[3, 5] += 0.001
    real._kept(tmp_path / f"{name}.csv", names, values)
    with pytest.raises(ValueError, match=f"is not the {name} table"):
        FETCHERS[name][0](data_home=tmp_path)


def test_another_table_of_that_name_is_refused(name, tmp_path):
    (tmp_path / f"{name}.csv").write_text("a,b\n1,2\n3,4\n", encoding="utf-8")
    with pytest.raises(ValueError, match=r"2 rows and 2 columns with checksum \w{12}, where"):
        FETCHERS[name][0](data_home=tmp_path)


def test_without_a_copy_and_without_network_it_says_what_to_do(name, tmp_path):
    with pytest.raises(OSError, match=f"no network.*put {name}.csv.*PROJSTG_DATA"):
        FETCHERS[name][0](data_home=tmp_path, n_retries=2, delay=0.0)


def test_without_a_copy_and_without_leave_to_download_it_says_what_to_do(name, tmp_path):
    with pytest.raises(OSError, match="download_if_missing is False; set PROJSTG_DATA"):
        FETCHERS[name][0](data_home=tmp_path, download_if_missing=False)


def test_a_busy_server_is_asked_again(monkeypatch, tmp_path):
    answers = [
        URLError("busy"),
        Bunch(data=np.ones((2, 1)), target=np.ones(2), feature_names=["a"]),
    ]

    def answer(**given):
        served = answers.pop(0)
        if isinstance(served, Exception):
            raise served
        return served

    monkeypatch.setattr(real, "fetch_openml", answer)
    with pytest.raises(ValueError, match="OpenML data_id=206 is not the triazines table"):
        fetch_triazines(data_home=tmp_path, delay=0.0)
    assert not answers
    assert not list(tmp_path.iterdir())  # what is not the table is not kept


@needs_tables
def test_least_squares_fits_at_least_as_well_as_greedy_pursuit():
    pytest.importorskip("pandas")
    frame = fetch_triazines(data_home=SHARED, as_frame=True).frame
    frame = frame.loc[:, frame.max() > frame.min()]
    X = (frame - frame.mean()).drop(columns="activity").to_numpy()
    y = (frame["activity"] - frame["activity"].mean()).to_numpy()
    for k in (1, 3, 5, 8):
        found = select(frame, "activity", k, criterion="least-squares", folds=0)
        coef = orthogonal_mp(X / np.linalg.norm(X, axis=0), y, n_nonzero_coefs=k)
        rest = y - X[:, coef != 0] @ np.linalg.lstsq(X[:, coef != 0], y)[0]
        assert found.r2_in_sample >= 1.0 - rest @ rest / (y @ y) - 1e-9
        assert len(found.chosen) == k


@needs_tables
def test_constant_columns_of_triazines_are_named():
    pytest.importorskip("pandas")
    found = select(SHARED / "triazines.csv", "activity", 3, folds=0)
    told = [note.columns for note in found.notes if note.kind == "constant"]
    assert told == [("p5_flex", "p5_h_doner")]
    assert found.n_columns == 58
