"""Cross-validation and paths of a source of rows are those of the rows; others want all rows."""

import numpy as np
import pandas
import pyarrow
import pytest

from projstg import (
    MCP,
    SCAD,
    Gates,
    KnockoffSelector,
    ProjectedSTG,
    ProjectedSTGCV,
    RandomizedOMP,
    StabilitySelector,
    Statistics,
    fit_many,
    projected_stg_path,
)
from projstg.sources.folds import fold_of_rows

GRIDS = {
    "scales": {"alpha_scales": [0.03, 0.3, 3.0]},
    "sizes": {"sizes": [3, 1]},
    "1se": {"sizes": 4, "rule": "1se"},
    "both": {
        "estimator": ProjectedSTG(refine=False, fit_intercept=False),
        "sizes": [1, 2],
        "alpha_scales": [0.1, 1.0],
    },
    "sampled": {
        "estimator": ProjectedSTG(
            refine=False, gates=Gates(expectation="monte-carlo", max_iter=30, learning_rate=0.05)
        ),
        "sizes": [2],
    },
}
FOLDS = fold_of_rows(0, 90, 4, 0)


@pytest.fixture(scope="module")
def data():
    """A frame with columns a … f and price."""
    rng = np.random.default_rng(3)
    found = pandas.DataFrame(rng.standard_normal((90, 6)) + 0.5, columns=list("abcdef"))
    return found.assign(price=2.0 * found.b - found.e + 0.5 * rng.standard_normal(90))


def sides(frame):
    return frame.drop(columns="price"), frame.price


def splits():
    return [(np.flatnonzero(i != FOLDS), np.flatnonzero(i == FOLDS)) for i in range(4)]


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("grid", GRIDS)
def test_folds_of_sums_are_folds_of_rows(data, grid, weighted):
    weights = np.random.default_rng(0).integers(0, 4, 90) if weighted else None
    sums = Statistics(folds=4).update(*sides(data), weights)
    found = ProjectedSTGCV(**GRIDS[grid]).fit(sums)
    expected = ProjectedSTGCV(**GRIDS[grid], cv=splits()).fit(*sides(data), weights)
    np.testing.assert_allclose(found.cv_error_path_, expected.cv_error_path_, rtol=1e-8)
    assert found.best_index_ == expected.best_index_
    np.testing.assert_allclose(found.coef_, expected.coef_, rtol=1e-8, atol=1e-10)
    assert found.get_feature_names_out().tolist() == expected.get_feature_names_out().tolist()


def parquet(frame, folder):
    frame.to_parquet(folder / "rows.parquet")
    return folder / "rows.parquet"


def blocks(frame):
    dask = pytest.importorskip("dask.array")
    return tuple(dask.from_array(one.to_numpy(), chunks=50) for one in sides(frame))


SOURCES = {
    "statistics": lambda frame, folder: (Statistics(folds=4).update(*sides(frame)), None),
    "path": lambda frame, folder: (parquet(frame, folder), "price"),
    "arrow": lambda frame, folder: (pyarrow.Table.from_pandas(frame), "price"),
    "frame": lambda frame, folder: (frame, "price"),
    "iterator": lambda frame, folder: (iter([sides(frame[:40]), sides(frame[40:])]), None),
    "dask": lambda frame, folder: blocks(frame),
}


@pytest.mark.parametrize("kind", SOURCES)
def test_every_source_has_its_folds_and_paths(data, kind, tmp_path):
    model = ProjectedSTGCV(sizes=3, cv=4)
    expected = ProjectedSTGCV(sizes=3, cv=splits()).fit(*sides(data))
    model.fit(*SOURCES[kind](data, tmp_path))
    np.testing.assert_allclose(model.cv_error_path_, expected.cv_error_path_, rtol=1e-8)
    for over in ({"sizes": 2}, {"n_alphas": 4}):
        path = projected_stg_path(*SOURCES[kind](data, tmp_path), **over)
        rows = projected_stg_path(*sides(data), **over)
        np.testing.assert_allclose(path.coef_path_, rows.coef_path_, rtol=1e-8, atol=1e-10)
        np.testing.assert_allclose(path.objective_path_, rows.objective_path_, rtol=1e-8)


NEED_ROWS = [
    StabilitySelector(ProjectedSTG(2)),
    KnockoffSelector(),
    SCAD(2),
    MCP(2),
    RandomizedOMP(2),
]
SEEN = {
    "statistics": "got Statistics, which are sums; pass arrays X and y",
    "path": r"the path 'rows\.parquet'; pass X and y apart, as table\.drop\(columns='price'\)",
    "arrow": "a Table with the name of its target; pass X and y apart",
    "frame": "a DataFrame with the name of its target; pass X and y apart",
    "iterator": "an iterator of chunks; pass arrays",
    "dask": r"a Dask Array; pass what compute\(\) gives",
}


@pytest.mark.parametrize("kind", SEEN)
@pytest.mark.parametrize("model", NEED_ROWS, ids=lambda model: type(model).__name__)
def test_what_needs_all_rows_says_so_in_one_line(data, model, kind, tmp_path):
    with pytest.raises(
        TypeError, match=f"{type(model).__name__} needs all rows.*{SEEN[kind]}"
    ) as e:
        model.fit(*SOURCES[kind](data, tmp_path))
    assert "\n" not in str(e.value)


@pytest.mark.parametrize("kind", [kind for kind in SEEN if kind != "statistics"])
def test_many_fits_need_arrays_or_statistics(data, kind, tmp_path):
    with pytest.raises(
        TypeError, match="fit_many takes arrays, or Statistics with several targets"
    ):
        fit_many(*SOURCES[kind](data, tmp_path))


@pytest.mark.parametrize(
    ("params", "folds", "message"),
    [
        ({}, 0, r"not kept by fold; gather them with folds, as in Statistics\(folds=5\)"),
        ({"cv": 3}, 4, "cv=3, but the Statistics are kept in 4 folds; leave out cv"),
        ({}, 1000, "has no rows of a positive weight; gather them in fewer folds"),
    ],
)
def test_folds_that_cannot_be_used_are_told(data, params, folds, message):
    with pytest.raises(ValueError, match=message):
        ProjectedSTGCV(sizes=2, **params).fit(Statistics(folds=folds).update(*sides(data)))


def test_what_splits_rows_in_memory_is_refused(data):
    sums = Statistics(folds=4).update(*sides(data))
    with pytest.raises(TypeError, match="splits rows that are in memory"):
        ProjectedSTGCV(sizes=2, cv=splits()).fit(sums)
    with pytest.raises(TypeError, match="groups is for the splitter"):
        ProjectedSTGCV(sizes=2).fit(sums, groups=np.zeros(90))
    two = Statistics(folds=2).update(np.asarray([[1.0], [2.0]]), np.asarray([1.0, 3.0]))
    with pytest.raises(ValueError, match=r"fold \d .*fewer folds"):
        ProjectedSTGCV(sizes=1).fit(two)
