"""Sums that are gathered in chunks, merged, saved and fitted are those of all rows at once."""

import numpy as np
import pandas
import pytest
import scipy.sparse
from hypothesis import given
from hypothesis import strategies as st
from oracles import few_examples

from projstg import ProjectedSTG, RandomizedOMP, Statistics

FIELDS = ("x_mean", "y_mean", "xx", "xy", "yy")


def table(seed=0, n_rows=200, n_columns=6, far=0.0):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n_rows, n_columns)) + far
    return X, X[:, 0] - 2.0 * X[:, 2] + 0.5 * rng.standard_normal(n_rows)


def assert_same(found, expected, rtol=1e-10):
    assert found.n_rows == expected.n_rows
    assert found.weight_sum == pytest.approx(expected.weight_sum, rel=1e-14)
    for name in FIELDS:
        other = getattr(expected, name)
        scale = np.max(np.abs(other))
        np.testing.assert_allclose(
            getattr(found, name), other, rtol=rtol, atol=rtol * scale, err_msg=name
        )


@few_examples
@given(st.data())
def test_any_chunking_is_the_whole(data):
    n_rows = data.draw(st.integers(3, 60))
    far = data.draw(st.sampled_from([0.0, 1e3, 1e6]))
    X, y = table(data.draw(st.integers(0, 99)), n_rows, 4, far)
    rng = np.random.default_rng(0)
    weights = data.draw(st.sampled_from([None, rng.uniform(0.5, 3.0, n_rows)]))
    cuts = sorted(data.draw(st.lists(st.integers(0, n_rows), max_size=6)))
    folds = data.draw(st.sampled_from([0, 3]))
    parts = np.split(np.arange(n_rows), cuts)
    chunks = [(X[p], y[p], None if weights is None else weights[p]) for p in parts]
    streamed = Statistics.from_arrays(chunks, folds=folds)
    whole = Statistics(folds=folds).update(X, y, weights)
    assert_same(streamed, whole)
    pieces = [Statistics().update(*chunk) for chunk in chunks]
    while len(pieces) > 1:  # a tree, as on a cluster
        pieces = [*pieces[2:], pieces[1] + pieces[0]]
    assert_same(pieces[0], whole)


@pytest.mark.parametrize("far", [0.0, 1e3, 1e6])
@pytest.mark.parametrize("n_rows", [50, 20_000])  # one block, and several
def test_means_far_beyond_the_spread_cost_no_digits(far, n_rows):
    rng = np.random.default_rng(1)
    # Multiples of 2⁻²⁰ are exact after the shift, so the sums are those without it.
    X = np.round(rng.standard_normal((n_rows, 3)) * 2**20) / 2**20
    y = X[:, 0] - X[:, 1]
    near = Statistics().update(X - X.mean(axis=0), y)
    moved = Statistics().update(X + far, y - far)
    np.testing.assert_allclose(moved.xx, near.xx, rtol=1e-10, atol=1e-10 * n_rows)
    np.testing.assert_allclose(moved.xy, near.xy, rtol=1e-10, atol=1e-10 * n_rows)


def test_rows_that_drift_cost_no_digits():
    X, y = table(2, 30_000, 3)
    X[:, 0] += np.linspace(0.0, 1e6, len(X))
    X[0] = 1e7  # the first row is far from all others
    found, Z = Statistics().update(X, y), X - X.mean(axis=0)
    expected = Z.T @ Z
    np.testing.assert_allclose(found.xx, expected, rtol=1e-9, atol=1e-11 * np.abs(expected).max())


def test_a_constant_column_has_no_spread_at_all():
    X, y = table(3, 20_000)
    X[:, 4] = 0.1
    found = Statistics.from_arrays([(X[:7], y[:7]), (X[7:], y[7:])])
    assert np.all(found.xx[4] == 0.0)
    assert found.x_mean[4] == 0.1


def test_weights_are_repeated_rows():
    X, y = table(4, 50)
    times = np.random.default_rng(0).integers(0, 4, size=50)
    weighted = Statistics().update(X, y, times)
    repeated = Statistics().update(np.repeat(X, times, axis=0), np.repeat(y, times))
    for name in FIELDS:
        np.testing.assert_allclose(getattr(weighted, name), getattr(repeated, name), rtol=1e-11)
    assert weighted.weight_sum == times.sum()


@pytest.mark.parametrize("dtype", ["f4", "i8", "u1", "?"])
def test_numbers_of_any_type_are_summed_in_double(dtype):
    X = (np.random.default_rng(0).uniform(0, 50, size=(300, 3)) > 20).astype(dtype)
    X = X if dtype == "?" else (X * 100 + 1).astype(dtype)
    y = X[:, 0].astype("f4")
    found = Statistics().update(X, y)
    assert_same(found, Statistics().update(X.astype(float), y.astype(float)), rtol=1e-14)


@pytest.mark.parametrize("order", ["C", "F"])
def test_the_layout_of_x_does_not_matter(order):
    X, y = table(5, 9000)
    found = Statistics().update(np.asarray(X, order=order), y)
    assert_same(found, Statistics().update(X, y), rtol=1e-12)


def fitted_like(found, expected):
    np.testing.assert_array_equal(found.support_, expected.support_)
    np.testing.assert_allclose(found.coef_, expected.coef_, rtol=1e-8, atol=1e-10)
    np.testing.assert_allclose(found.intercept_, expected.intercept_, rtol=1e-6, atol=1e-8)
    np.testing.assert_allclose(
        found.coef_std_error_, expected.coef_std_error_, rtol=1e-8, atol=1e-12
    )
    np.testing.assert_allclose(
        found.inclusion_probability_, expected.inclusion_probability_, atol=1e-8
    )
    assert found.support_probability_ == pytest.approx(expected.support_probability_, abs=1e-8)
    assert found.equivalent_features_ == expected.equivalent_features_


@pytest.mark.parametrize("k", [2, "auto"])
@pytest.mark.parametrize("fit_intercept", [True, False])
@pytest.mark.parametrize("n_columns", [6, 25])
def test_a_fit_to_sums_is_a_fit_to_rows(k, fit_intercept, n_columns):
    X, y = table(6, 150, n_columns, far=2.0)
    X[:, 5] = 3.0  # does not vary
    model = ProjectedSTG(k, fit_intercept=fit_intercept)
    expected = ProjectedSTG(k, fit_intercept=fit_intercept).fit(X, y)
    found = model.fit(Statistics().update(X, y))
    fitted_like(found, expected)
    np.testing.assert_allclose(found.gate_mean_, expected.gate_mean_, rtol=1e-5, atol=1e-8)
    for averaged in (False, True):
        ours, theirs = (m.predict(X, averaged=averaged) for m in (found, expected))
        np.testing.assert_allclose(ours, theirs, rtol=1e-6, atol=1e-8)
    assert [g.features for g in found.credible_groups()] == [
        g.features for g in expected.credible_groups()
    ]


def test_an_iterator_and_partial_fits_are_a_fit():
    X, y = table(7)
    halves = [(X[:90], y[:90]), (X[90:], y[90:])]
    expected = ProjectedSTG().fit(X, y)
    fitted_like(ProjectedSTG().fit(iter(halves)), expected)
    model = ProjectedSTG()
    for half in halves:
        model.partial_fit(*half)
    fitted_like(model, expected)
    fitted_like(model.fit(*halves[0]).partial_fit(*halves[1]), ProjectedSTG().fit(*halves[1]))


def test_names_come_along():
    X, y = table(8)
    frame = pandas.DataFrame(X, columns=list("abcdef"))
    found = Statistics().update(frame, pandas.Series(y, name="price"))
    assert found.target_names.tolist() == ["price"]
    model = ProjectedSTG(2, never_select=["a"]).fit(found, "price")
    assert (
        model.get_feature_names_out().tolist() == model.feature_names_in_[model.support_].tolist()
    )
    assert "a" not in model.get_feature_names_out()


def test_a_repeated_name_is_refused_in_the_first_chunk_too():
    X, y = table(8)
    with pytest.raises(ValueError, match="chunk 1 has more than one column 'a'"):
        Statistics().update(pandas.DataFrame(X, columns=list("aabcde")), y)


def test_of_several_targets_one_is_fitted():
    X, y = table(9)
    both = pandas.DataFrame({"one": y, "two": X[:, 1] + X[:, 4]})
    found = Statistics().update(X, both)
    assert found.n_targets == 2
    fitted_like(ProjectedSTG().fit(found, "one"), ProjectedSTG().fit(X, y))
    model = ProjectedSTG(2).fit(found.target(1))
    assert model.get_support(indices=True).tolist() == [1, 4]
    with pytest.raises(ValueError, match="2 targets; say which"):
        ProjectedSTG().fit(found)
    with pytest.raises(ValueError, match="no target 'three'"):
        ProjectedSTG().fit(found, "three")


def test_folds_are_rows_left_out():
    X, y = table(10, 300)
    found = Statistics.from_arrays([(X[:100], y[:100]), (X[100:], y[100:])], folds=4)
    total = 0
    for i in range(found.n_folds):
        train, test = found.fold(i)
        assert train.n_rows + test.n_rows == 300
        total += test.n_rows
        model = ProjectedSTG().fit(train)
        assert test.r_squared(model.coef_, model.intercept_) > 0.9
    assert total == 300
    fitted_like(ProjectedSTG().fit(found), ProjectedSTG().fit(X, y))


def test_r_squared_is_that_of_the_rows():
    X, y = table(11)
    weights = np.random.default_rng(0).uniform(0.5, 2.0, len(y))
    coef, intercept = np.arange(6.0), 0.3
    error = np.sum(weights * (y - X @ coef - intercept) ** 2)
    for mean in (None, 0.7):
        centre = np.average(y, weights=weights) if mean is None else mean
        expected = 1.0 - error / np.sum(weights * (y - centre) ** 2)
        found = Statistics().update(X, y, weights).r_squared(coef, intercept, mean)
        assert found == pytest.approx(expected, rel=1e-12)


def test_what_is_saved_is_loaded(tmp_path):
    X, y = table(12)
    found = Statistics(folds=3, missing="drop")
    found.update(pandas.DataFrame(X, columns=list("abcdef")), y).save(tmp_path / "sums.npz")
    again = Statistics.load(tmp_path / "sums.npz")
    for name in FIELDS:
        np.testing.assert_array_equal(getattr(again, name), getattr(found, name))
    assert again.feature_names.tolist() == list("abcdef")
    gap = np.where(np.arange(6) + np.arange(200)[:, None] == 0, np.nan, X + 1.0)
    more, expected = (one.update(gap, y) for one in (again, found))  # and goes on the same way
    assert more.n_rows == 399
    for i in range(3):
        assert more.fold(i)[1].n_rows == expected.fold(i)[1].n_rows


SAVED = {
    "flipped": lambda path: path.write_bytes(flipped(bytearray(path.read_bytes()))),
    "compressed": lambda path: np.savez_compressed(path, format=np.array("projstg-statistics")),
    "pickled": lambda path: rewritten(path, n_0=np.array([{"a": 1}], dtype=object)),
    "negative": lambda path: rewritten(path, G_0=-np.load(path)["G_0"]),
    "not symmetric": lambda path: rewritten(path, G_0=np.triu(np.load(path)["G_0"][0])[None]),
    "too correlated": lambda path: rewritten(path, b_0=1e3 * np.load(path)["b_0"]),
    "other shape": lambda path: rewritten(path, b_0=np.load(path)["b_0"][:, :-1]),
    "infinite": lambda path: rewritten(path, yy_0=np.array([np.inf])),
    "other names": lambda path: rewritten(path, feature_names=np.array(["a"])),
    "more rows than there were": lambda path: rewritten(path, n_rows_0=np.array(700)),
    "more different rows than rows": lambda path: rewritten(
        path, cells_0=np.zeros((201, 6), dtype="u8")
    ),
    "different rows of other columns": lambda path: rewritten(
        path, cells_0=np.zeros((5, 3), dtype="u8")
    ),
    "text for a number": lambda path: rewritten(path, n_rows_0=np.array("a")),
    "reasons": lambda path: rewritten(path, left_out=np.array([["a"]])),
    "no folds": lambda path: rewritten(path, counts=np.array([200, 0, 200, 0, 0])),
    "rows that are not accounted for": lambda path: rewritten(path, counts=[210, 0, 205, 0, 1]),
    "more rows dropped than seen": lambda path: rewritten(path, counts=[210, 20, 200, 0, 1]),
    "correlations of no columns": lambda path: rewritten(path, G_0=correlated(path)),
    "more explained than there is": lambda path: rewritten(path, b_0=0.9 * extremes(path)),
}


def correlated(path):
    """Each correlation is one that two columns can have; all of them together are not."""
    G = np.load(path)["G_0"]
    size = np.sqrt(np.diagonal(G[0]))
    signs = np.where(np.add.outer(range(6), range(6)) % 3, 0.9, -0.9)
    return np.where(np.eye(6) > 0, 1.0, signs) * size[:, None] * size * np.ones_like(G)


def extremes(path):
    """Products with y as large as they can be, one by one."""
    arrays = np.load(path)
    return np.sqrt(arrays["yy_0"][0] * np.diagonal(arrays["G_0"][0]))[None]


def flipped(content):
    place = content.index(b"G_0.npy") + 300  # within the numbers
    content[place] ^= 1
    return bytes(content)


def rewritten(path, **changed):
    with np.load(path) as arrays:
        kept = {name: arrays[name] for name in arrays.files}
    np.savez(path, **(kept | changed))


@pytest.mark.parametrize("damage", SAVED)
def test_a_damaged_or_forged_file_is_refused_in_one_line(damage, tmp_path):
    path = tmp_path / "sums.npz"
    X, y = table(13)
    Statistics().update(pandas.DataFrame(X, columns=list("abcdef")), y).save(path)
    SAVED[damage](path)
    with pytest.raises(ValueError, match=r"sums\.npz holds no Statistics") as caught:
        Statistics.load(path)
    assert "\n" not in str(caught.value)


def chunks_with(change):
    """Ten chunks; ``change`` is done to the seventh."""
    X, y = table(14)
    frames = [
        [pandas.DataFrame(X[i : i + 20], columns=list("abcdef")), y[i : i + 20].copy()]
        for i in range(0, 200, 20)
    ]
    frames[6] = change(*frames[6])
    return frames


WRONG = {
    "one column less": (lambda X, y: (X[list("abcde")], y), "chunk 7 has 5 columns.*have 6"),
    "other names": (lambda X, y: (X.rename(columns={"c": "z"}), y), "column 'z'.*have 'c'"),
    "other order": (lambda X, y: (X[list("bacdef")], y), "chunk 7 has its columns in another"),
    "a gap": (lambda X, y: (X.mask(X == X.iloc[3, 2]), y), "chunk 7 has 1 of 20 rows .*c 1"),
    "a gap in y": (lambda X, y: (X, np.where(y == y[3], np.nan, y)), "1 of 20 rows .*target 1"),
    "infinity": (lambda X, y: (X * 1e308 * 1e308, y), "chunk 7.*values are infinite"),
    "overflow": (lambda X, y: (X * 1e200, y), "squares of numbers in chunk 7 are too large"),
    "text": (
        lambda X, y: (X.assign(c="red"), y),
        "X of chunk 7 has text in column 'c', such as 'red'",
    ),
    "two targets": (lambda X, y: (X, np.stack([y, y], axis=1)), "chunk 7 has 2 targets"),
    "a name twice": (lambda X, y: (X.set_axis([*"abcdee"], axis=1), y), "more than one column 'e'"),
    "short y": (lambda X, y: (X, y[:-1]), r"y of chunk 7 has shape \(19,\) for 20 rows"),
    "weights": (lambda X, y: (X, y, -np.ones(20)), "chunk 7 has 20 negative values"),
    "no pair": (lambda X, y: X, "chunk 7 is a DataFrame; give tuples"),
}


@pytest.mark.parametrize("what", WRONG)
def test_a_wrong_chunk_is_named_in_one_line(what):
    change, message = WRONG[what]
    with pytest.raises(ValueError, match=message) as caught:
        Statistics.from_arrays(chunks_with(change))
    assert "\n" not in str(caught.value)


def test_a_chunk_that_is_refused_adds_nothing():
    X, y = table(15)
    found = Statistics(folds=2).update(X, y)
    before = found.xx
    X[3, 2] = np.nan
    with pytest.raises(ValueError, match="Nothing of it was added"):
        found.update(X, y)
    assert found.n_rows == 200
    np.testing.assert_array_equal(found.xx, before)


def test_rows_with_gaps_are_left_out_where_that_is_asked_for():
    X, y = table(16)
    gaps = X.copy()
    gaps[::7, 1] = np.nan
    kept = ~np.isnan(gaps[:, 1])
    found = Statistics(missing="drop").update(gaps, y)
    assert_same(found, Statistics().update(X[kept], y[kept]))
    assert found.n_dropped == (~kept).sum()


@pytest.mark.parametrize(
    ("params", "message"),
    [({"folds": 1}, "folds=1"), ({"missing": "mean"}, "missing='mean'"), ({"folds": 2.0}, "2.0")],
)
def test_what_is_asked_for_is_checked(params, message):
    with pytest.raises(ValueError, match=message):
        Statistics(**params)


def test_sources_that_cannot_be_fitted_are_refused():
    X, y = table(17)
    found = Statistics().update(X, y)
    with pytest.raises(TypeError, match="have their weights already"):
        ProjectedSTG().fit(found, None, np.ones(200))
    with pytest.raises(ValueError, match="no rows yet"):
        ProjectedSTG().fit(Statistics())
    with pytest.raises(TypeError, match="RandomizedOMP needs all rows"):
        RandomizedOMP(2).fit(found)
    with pytest.raises(TypeError, match="names a target"):
        ProjectedSTG().fit(X.tolist(), "price")
    with pytest.raises(ValueError, match="requires y to be passed"):
        ProjectedSTG().fit(X)
    with pytest.raises(ValueError, match="there are no chunks"):
        Statistics.from_arrays([])


def test_those_with_other_columns_are_not_merged():
    X, y = table(18)
    one = Statistics().update(X, y)
    with pytest.raises(ValueError, match="6 columns and 1 targets, the other 5 and 1"):
        one + Statistics().update(X[:, :5], y)
    with pytest.raises(ValueError, match="0 folds, the other 3"):
        one + Statistics(folds=3).update(X, y)
    assert_same(Statistics() + one, one)


def test_sum_adds_them_up():
    X, y = table(27)
    parts = [Statistics(folds=2).update(X[i : i + 50], y[i : i + 50]) for i in range(0, 200, 50)]
    whole = sum(parts)
    assert_same(whole, Statistics().update(X, y))
    assert whole.n_folds == 2
    sum(parts[:1]).update(X, y)
    assert parts[0].n_rows == 50
    for other in (1, 0.0, None):
        with pytest.raises(TypeError, match="unsupported operand"):
            other + parts[0]


def test_rows_of_weight_zero_do_not_count(tmp_path):
    X, y = table(19, 20_000)
    weights = np.ones(20_000)
    weights[:9000] = 0.0  # a whole block of them
    found = Statistics(folds=2).update(X, y, weights)
    assert_same(found, Statistics().update(X[9000:], y[9000:]))
    found.save(tmp_path / "sums.npz")
    assert Statistics.load(tmp_path / "sums.npz").n_rows == 11_000


def test_rows_of_weight_zero_go_before_anything_is_checked():
    X, y = table(28)
    weights = np.arange(200) % 3.0
    X[:, 1] = np.where(weights > 0.0, 2.0, X[:, 1])  # varies in rows of weight zero alone
    X[0, 2], X[3, 3], y[6] = np.nan, np.inf, np.nan
    found = Statistics(folds=2, missing="drop").update(X, y, weights)
    weighs = weights > 0.0
    assert_same(found, Statistics().update(X[weighs], y[weighs], weights[weighs]))
    assert found.n_dropped == 0
    assert found.xx[1, 1] == 0.0
    X[1, 4] = np.nan  # of a row that counts
    again = Statistics(missing="drop").update(X, y, weights)
    assert again.n_rows == weighs.sum() - 1
    assert again.n_dropped == 1
    with pytest.raises(ValueError, match=f"1 of {weighs.sum()} rows with a missing value"):
        Statistics().update(X, y, weights)


def test_nothing_that_is_no_number_gets_in():
    X, y = table(20)
    found = Statistics(missing="drop").update(X, y)
    X[3, 1], X[4, 2] = np.nan, 1e200
    with pytest.raises(ValueError, match="too large or too small"):
        found.update(X, y)
    X, y = table(20)
    for rows in ((X * 1e-170, y), (X, y * 1e-170)):  # squares vanish
        with pytest.raises(ValueError, match="too large or too small"):
            found.update(*rows)
    assert np.isfinite(found.xx).all()
    assert found.n_rows == 200
    large = np.full((5, 6), 1e200)
    one, other = (Statistics().update(sign * large, y[:5]) for sign in (1.0, -1.0))
    with pytest.raises(ValueError, match="overflow"):
        one + other


def test_names_are_those_of_the_first_chunk_that_counts():
    X, y = table(21)
    found = Statistics().update(pandas.DataFrame(X[:0], columns=list("uvwxyz")), y[:0])
    found.update(pandas.DataFrame(X, columns=list("abcdef")), y)
    assert found.feature_names.tolist() == list("abcdef")


def test_too_many_columns_and_sparse_chunks_are_refused():
    with pytest.raises(ValueError, match="20000 at the most"):
        Statistics().update(np.zeros((2, 20_001)), np.zeros(2))
    with pytest.raises(TypeError, match="toarray"):
        Statistics().update(scipy.sparse.eye_array(5), np.zeros(5))


def test_rows_of_a_partial_fit_are_kept_though_there_is_no_answer_yet():
    X, y = table(22)
    model = ProjectedSTG(2)
    with pytest.raises(ValueError, match="there is 1 row so far"):
        model.partial_fit(X[:1], y[:1])
    model.partial_fit(X[1:], y[1:])
    fitted_like(model, ProjectedSTG(2).fit(X, y))


def test_a_fit_that_fails_leaves_what_there_was():
    X, y = table(23)
    model = ProjectedSTG().partial_fit(X[:100], y[:100])
    with pytest.raises(ValueError, match="NaN"):
        model.fit(np.where(X > 2.0, np.nan, X), y)
    fitted_like(model.partial_fit(X[100:], y[100:]), ProjectedSTG().fit(X, y))
    with pytest.raises(ValueError, match="1 row"):
        model.fit(Statistics().update(X[:1, :3], y[:1]))
    assert model.predict(X).shape == (200,)


def test_missing_values_of_pandas_and_masks_are_missing():
    X, y = table(24)
    frame = pandas.DataFrame(X, columns=list("abcdef")).astype("Float64")
    frame.iloc[3, 2] = pandas.NA
    masked = np.ma.masked_array(X, mask=np.arange(1200).reshape(200, 6) == 20)
    for rows in (frame, masked):
        found = Statistics(missing="drop").update(rows, y)
        assert_same(found, Statistics().update(np.delete(X, 3, axis=0), np.delete(y, 3)))


def test_y_beside_statistics_is_refused():
    X, y = table(26)
    with pytest.raises(TypeError, match="leave out y"):
        ProjectedSTG().fit(Statistics().update(X, y), y)
    with pytest.raises(ValueError, match="no rows of a positive weight"):
        ProjectedSTG().partial_fit(X, y, np.zeros(200))


DAYS = pandas.Series(pandas.date_range("2020", periods=6))
NO_NUMBERS = {
    "text": (["a", "b"] * 3, None, "y of chunk 1 has text, such as 'a', and must be numbers, for"),
    "categories": (
        pandas.Series(["a", "b"] * 3, dtype="category"),
        None,
        "y of chunk 1 has text, such as 'a'",
    ),
    "dates": (DAYS, None, "y of chunk 1 has dates; make numbers of them, such as days since"),
    "days": ([*DAYS.dt.date], None, "y of chunk 1 has dates; make numbers of them"),
    "complex": (np.ones(6) + 1j, None, "y of chunk 1 has cells of type complex; give one number"),
    "text of weights": (
        np.ones(6),
        ["a"] * 6,
        "sample_weight of chunk 1 has text; give one number",
    ),
    "dates of weights": (np.ones(6), DAYS, "sample_weight of chunk 1 has dates; make numbers"),
}


@pytest.mark.parametrize("kind", NO_NUMBERS)
def test_targets_and_weights_that_are_no_numbers_are_not_to_be_coded(kind):
    y, weights, said = NO_NUMBERS[kind]
    with pytest.raises(ValueError, match=said) as caught:
        Statistics().update(np.eye(6), y, weights)
    assert "\n" not in str(caught.value)


def test_partial_fit_takes_rows_alone():
    frame = pandas.DataFrame(np.eye(6), columns=list("abcdey"))
    for source, y in (("x.parquet", "y"), (frame, "y"), (Statistics(), None), (iter([]), None)):
        with pytest.raises(TypeError, match=r"partial_fit takes rows, X and y, and got .*; fit"):
            ProjectedSTG().partial_fit(source, y)


@pytest.mark.parametrize(
    "places", [[99], [-7], ["a"], [], [0.5], [[0, 1]], [True, False], "ab", None, np.array([1.0])]
)
def test_columns_that_there_are_not_are_refused(places):
    X, y = table(0)
    with pytest.raises(ValueError, match=r"there are no columns .*; give their numbers, 0 … 5"):
        Statistics().update(X, y).columns(places)


def test_columns_by_number_and_by_mask():
    found = Statistics().update(*table(0))
    expected = found.xx[np.ix_([1, 5], [1, 5])]
    mask = np.arange(6) % 4 == 1
    for places in ([1, 5], (1, -1), np.array([1, 5]), range(1, 6, 4), mask, mask.tolist()):
        np.testing.assert_array_equal(found.columns(places).xx, expected)


def test_coefficients_and_folds_that_do_not_fit_are_refused():
    found = Statistics(folds=2).update(*table(0))
    with pytest.raises(ValueError, match=r"coef has shape \(1,\) for 6 columns; give one number"):
        found.r_squared([1.0], 0.0)
    for i in ("1", 1.0, None, 2, -1):
        with pytest.raises(ValueError, match=r"there is no fold .*; give 0 … 1\."):
            found.fold(i)
    assert found.fold(np.int64(1))[1].n_rows == found.n_rows // 2
