"""Bad input gets a right answer or one clear error that says what to type."""

import datetime

import numpy as np
import pandas as pd
import polars
import pyarrow
import pytest
from knobs import many_columns, nested
from scipy import sparse
from sklearn.exceptions import DataConversionWarning, DataDimensionalityWarning

from projstg import (
    MCP,
    SCAD,
    STG,
    KnockoffSelector,
    ProjectedSTG,
    ProjectedSTGCV,
    RandomizedOMP,
    StabilitySelector,
    Statistics,
    fit_many,
    projected_stg_path,
)

SAMPLED = {"expectation": "monte-carlo", "max_iter": 20, "learning_rate": 0.05, "random_state": 0}
MODES = {"exact": {}, "monte-carlo": SAMPLED}


class Fitted:
    """What both ways to fit have in common: one problem, one answer."""

    def __init__(self, support, coef, intercept, predict):
        self.support, self.coef, self.intercept, self.predict = support, coef, intercept, predict


def alone(X, y, sample_weight=None, **params):
    model = ProjectedSTG(**nested(**params)).fit(X, y, sample_weight)
    return Fitted(model.support_, model.coef_, model.intercept_, model.predict)


def many(X, y, sample_weight=None, **params):
    """Fit the problem twice in one batch."""
    weights = None if sample_weight is None else np.stack([sample_weight] * 2)
    params = nested(**params)
    fits = fit_many(np.stack([X] * 2), np.stack([y] * 2), sample_weight=weights, **params)

    def predict(X):
        return fits.predict(np.stack([X] * 2))[1]

    return Fitted(fits.support[1], fits.coef[1], fits.intercept[1], predict)


WAYS = {"ProjectedSTG": alone, "fit_many": many}
SHAPES = {"long": (30, 6), "wide": (8, 12)}


@pytest.fixture(params=WAYS)
def fit(request):
    return WAYS[request.param]


@pytest.fixture(params=MODES)
def mode(request):
    return MODES[request.param]


@pytest.fixture(params=SHAPES)
def data(request, rng):
    X = rng.normal(size=SHAPES[request.param])
    return X, 2.0 * X[:, 0] - X[:, 3] + 0.1 * rng.normal(size=len(X))


def assert_least_squares(fitted, X, y):
    """The prediction is the best one on the chosen columns, and coefficients are zero elsewhere."""
    design = np.column_stack([X[:, fitted.support], np.ones(len(y))])
    size = np.maximum(np.max(np.abs(design), axis=0), 1e-300)
    best = design / size @ np.linalg.lstsq(design / size, y)[0]
    np.testing.assert_allclose(fitted.predict(X), best, atol=1e-7 * (1 + np.max(np.abs(y))))
    assert not fitted.coef[~fitted.support].any()


# Numbers that are none


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("where", ["X", "y"])
def test_missing_and_infinite_numbers(fit, X, y, value, where):
    (X if where == "X" else y)[3] = value
    with pytest.raises(ValueError, match=r"NaN|infinity"):
        fit(X, y)


def test_an_array_of_text(X, y):
    table = pd.DataFrame(X).assign(colour="red")
    with pytest.raises(ValueError, match=r"could not convert string to float: '?red"):
        ProjectedSTG().fit(table.to_numpy(), y)


DAY = datetime.date(2026, 1, 31)
CELLS = {
    "text": (lambda n: ["red"] * n, "text in column 'z', such as 'red'; make columns of 0 and 1"),
    "text and gaps": (lambda n: [None] * (n - 1) + ["red"], "text in column 'z', such as 'red'"),
    "categories": (lambda n: pd.Categorical(["u", "v"] * (n // 2)), "text .* 'z', such as 'u'"),
    "dates": (lambda n: [pd.NaT] + [pd.Timestamp(DAY)] * (n - 1), "dates .* such as '2026-01-31"),
    "with a zone": (lambda n: [pd.Timestamp(DAY, tz="UTC")] * n, "dates .* such as '2026-01-31"),
    "days of Python": (lambda n: [DAY] * n, "dates in column 'z', such as '2026-01-31'; make num"),
    "times": (lambda n: [datetime.timedelta(1)] * n, "dates in column 'z', such as '1 day"),
    "months": (lambda n: pd.period_range("2026", periods=n, freq="M"), "dates .* such as '2026-01"),
    "lists": (lambda n: [[1]] * n, r"cells of type list in column 'z', such as '\[1\]'; leave it"),
}


@pytest.mark.parametrize("kind", CELLS)
def test_a_column_that_is_no_number_is_named(kind, X, y):
    make, message = CELLS[kind]
    names = list("abcdefghijkl")[: X.shape[1]]
    table = pd.DataFrame(X, columns=names).assign(z=make(len(X)))
    fitted = ProjectedSTG().fit(table.assign(z=X[:, 0]), y)
    doors = (
        lambda: ProjectedSTG().fit(table, y),
        lambda: ProjectedSTG().fit(table[["z"]], y),
        lambda: ProjectedSTG().partial_fit(table, y),
        lambda: RandomizedOMP(2).fit(table, y),
        lambda: ProjectedSTGCV().fit(table, y),
        lambda: fitted.predict(table),
        lambda: Statistics().update(table, y),
    )
    for door in doors:
        with pytest.raises(ValueError, match=f"^X.* has {message}") as caught:
            door()
        assert "\n" not in str(caught.value)


@pytest.mark.parametrize("library", ["polars", "pyarrow"])
def test_a_column_of_another_library_is_named(library, X, y):
    table = pd.DataFrame(X).rename(columns=str)
    for cell, word in (("red", "text"), (pd.Timestamp(DAY), "dates")):
        own = table.assign(z=cell)
        made = polars.from_pandas(own) if library == "polars" else pyarrow.Table.from_pandas(own)
        with pytest.raises(ValueError, match=f"X has {word} in column 'z'"):
            ProjectedSTG().fit(made, y)


def test_dates_are_no_numbers_in_an_array_or_a_target(X, y):
    days = np.datetime64("2026-01-01") + np.arange(len(X))
    with pytest.raises(ValueError, match=r"^X has dates; make numbers of them, such as days"):
        ProjectedSTG().fit(days[:, None], y)
    for target in (days, pd.Series(days)):
        with pytest.raises(ValueError, match=r"^y has dates; make numbers of them, such as days"):
            ProjectedSTG().fit(X, target)


LONG = 2**60 + 2 * np.arange(30)  # in double precision one number
AS_LONG = {
    "array": lambda X: np.column_stack([LONG, np.arange(30), X > 0.0]),
    "unsigned": lambda X: np.column_stack([LONG + 2**62, np.arange(30), X > 0.0]).astype("u8"),
    "list": lambda X: np.column_stack([LONG, np.arange(30)]).tolist(),
    "frame": lambda X: pd.DataFrame(X).rename(columns=str).assign(id=LONG),
    "nullable": lambda X: pd.DataFrame({"id": pd.array(LONG, dtype="Int64"), "a": X[:, 0]}),
    "Polars": lambda X: polars.DataFrame({"id": LONG, "a": X[:, 0]}),
    "sparse": lambda X: sparse.csr_array(np.column_stack([LONG, np.arange(30)])),
}


@pytest.mark.parametrize("kind", AS_LONG)
def test_whole_numbers_whose_digits_are_lost_are_said_to_be_so(kind, rng):
    X = rng.normal(size=(30, 3))
    table, y = AS_LONG[kind](X), rng.normal(size=30)
    column = "column 'id'" if hasattr(table, "columns") else "column 0"
    message = rf"whole numbers beyond 2\*\*53 \(in {column}\) keep 15 digits"
    with pytest.warns(DataConversionWarning, match=message) as caught:
        model = ProjectedSTG().fit(table, y)
    assert [one.filename for one in caught] == [__file__]
    place = list(table.columns).index("id") if hasattr(table, "columns") else 0
    assert not model.support_[place]


def test_digits_that_are_lost_are_said_to_be_so_at_every_door(rng):
    X, y = np.column_stack([LONG, np.arange(30)]), rng.normal(size=30)
    doors = (
        lambda: ProjectedSTG().partial_fit(X, y),
        lambda: ProjectedSTGCV(sizes=[1]).fit(X, y),
        lambda: RandomizedOMP(1).fit(X, y),
        lambda: fit_many(X, y[None], 1),
        lambda: fit_many(X[None], y[None], 1),
        lambda: Statistics().update(X, y),
        lambda: ProjectedSTG().fit(iter([(X, y)])),
    )
    for door in doors:
        with pytest.warns(DataConversionWarning, match=r"beyond 2\*\*53 \(in"):
            door()
    with pytest.warns(DataConversionWarning, match=r"beyond 2\*\*53 \(in y\)"):
        ProjectedSTG().fit(X[:, 1:], LONG)
    ProjectedSTG().fit(np.column_stack([LONG - LONG[0], 2**53 - np.arange(30)]), y)  # no word


NAMES_IN_MESSAGES = {
    "constant": {"always_select": ["e"]},
    "both": {"always_select": ["a"], "never_select": ["a"]},
    "unknown": {"always_select": ["z"]},
    "too many": {"n_features_to_select": 5},
    "no number": {"n_features_to_select": 1},
}


@pytest.mark.parametrize("kind", NAMES_IN_MESSAGES)
def test_no_name_of_a_column_reaches_a_terminal_as_it_is(kind, rng):
    names = [f"{name}\x1b[31m\x9b\u202e\n" for name in "abcde"]
    X = rng.normal(size=(30, 5)) * [1, 1, 1, 1, 0]
    X = X * 1e-320 if kind == "no number" else X
    options = {
        key: [f"{one}\x1b[31m\x9b\u202e\n" for one in value] if isinstance(value, list) else value
        for key, value in NAMES_IN_MESSAGES[kind].items()
    }
    with pytest.raises(ValueError, match=r"[a-z]\\x1b\[31m") as caught:
        ProjectedSTG(**options).fit(pd.DataFrame(X, columns=names), rng.normal(size=30))
    assert str(caught.value).isprintable()


ANSWERS = ["yes", "no"] * 15
RESPONSES_OF_TEXT = {
    "list": ANSWERS,
    "array": np.array(ANSWERS),
    "objects": np.array(ANSWERS, dtype=object),
    "bytes": np.array(ANSWERS, dtype="S3"),
    "Series": pd.Series(ANSWERS),
    "categories": pd.Series(ANSWERS, dtype="category"),
    "frame": pd.DataFrame({"y": ANSWERS}),
    "with gaps": [None, *ANSWERS[1:]],
}
SELECTORS = {
    "ProjectedSTG": ProjectedSTG().fit,
    "partial_fit": ProjectedSTG().partial_fit,
    "ProjectedSTGCV": ProjectedSTGCV().fit,
    "STG": STG().fit,
    "SCAD": SCAD().fit,
    "MCP": MCP().fit,
    "RandomizedOMP": RandomizedOMP(2).fit,
    "StabilitySelector": StabilitySelector(ProjectedSTG(2)).fit,
    "KnockoffSelector": KnockoffSelector().fit,
    "path": projected_stg_path,
    "fit_many": lambda X, y: fit_many(X[None], [y]),
}


@pytest.mark.filterwarnings("ignore:A column-vector y")
@pytest.mark.parametrize("kind", RESPONSES_OF_TEXT)
@pytest.mark.parametrize("who", SELECTORS)
def test_a_response_of_text_is_told_that_this_is_regression(who, kind, rng):
    X, y = rng.normal(size=(30, 4)), RESPONSES_OF_TEXT[kind]
    words = r"^y has text, such as b?'(yes|no)', and must be numbers, for this is regression; "
    with pytest.raises(ValueError, match=words) as caught:
        SELECTORS[who](X, y)
    assert "\n" not in str(caught.value)
    if kind == "list":  # what is to be typed instead
        typed = str(caught.value).rstrip(".").partition("others as 0: ")[2]
        ProjectedSTG().fit(X, eval(typed, {"np": np, "y": y}))


def test_numbers_written_as_text_are_numbers(rng):
    X, y = rng.normal(size=(30, 4)), rng.normal(size=30)
    plain, text = ProjectedSTG().fit(X, y), ProjectedSTG().fit(X, [repr(float(one)) for one in y])
    np.testing.assert_array_equal(text.coef_, plain.coef_)


def test_arrays_of_text():
    with pytest.raises(ValueError, match="fit_many takes real numbers"):
        fit_many(np.full((2, 5, 3), "red"), np.ones((2, 5)))


@pytest.mark.parametrize("kind", [sparse.csr_array, sparse.csc_matrix])
def test_sparse_tables(X, y, kind):
    with pytest.raises(TypeError, match="toarray"):
        fit_many(kind(X), y)


# Shapes


EMPTY = r"0 sample|0 feature|at least two samples and one column"


@pytest.mark.parametrize(
    ("shape", "message"),
    [((0, 3), EMPTY), ((5, 0), EMPTY), ((1, 3), r"1 sample|at least two samples")],
)
def test_a_table_without_columns_or_with_too_few_rows(fit, shape, message):
    with pytest.raises(ValueError, match=message):
        fit(np.ones(shape), np.ones(shape[0]))


def test_no_problems():
    with pytest.raises(ValueError, match="shape"):
        fit_many(np.ones((0, 5, 3)), np.ones((0, 5)))


def test_a_flat_table(X, y):
    with pytest.raises(ValueError, match=r"Reshape your data|reshape"):
        ProjectedSTG().fit(X[:, 0], y)


@pytest.mark.parametrize("k", [1, None])
def test_one_column(fit, mode, k, rng):
    X = rng.normal(size=(20, 1))
    y = 3.0 * X[:, 0] + 1.0 + 0.1 * rng.normal(size=20)
    fitted = fit(X, y, n_features_to_select=k, **mode)
    assert fitted.support.tolist() == [True]
    assert_least_squares(fitted, X, y)


@many_columns
@pytest.mark.parametrize("k", [1, None])
def test_two_rows(fit, mode, k, rng):
    X, y = rng.normal(size=(2, 3)), np.asarray([1.0, 2.0])
    fitted = fit(X, y, n_features_to_select=k, **mode)
    assert k is None or fitted.support.sum() == k
    assert_least_squares(fitted, X, y)


# K


@pytest.mark.parametrize("k", [0, -1, 2.5, "all"])
def test_k_that_is_no_count(fit, data, k):
    with pytest.raises(ValueError, match=r"n_features_to_select.* must be an int in the range \[1"):
        fit(*data, n_features_to_select=k)


def test_k_beyond_the_columns(fit, X, y):
    d = X.shape[1]
    expected = (
        f"n_features_to_select={d + 1} is more than the {d} columns of X; ask for at most {d}, "
        'or pass "auto" to choose from the data.'
    )
    with pytest.raises(ValueError, match="^" + expected.replace(".", r"\.") + "$"):
        fit(X, y, n_features_to_select=d + 1)


def test_k_beyond_the_rank(fit, mode, rng):
    X = rng.normal(size=(30, 2)) @ rng.normal(size=(2, 6))
    y = X[:, 0] + 0.1 * rng.normal(size=30)
    for k in (3, 6):
        with pytest.warns(DataDimensionalityWarning, match=r"rank of X, 2: .* at most 1\."):
            fitted = fit(X, y, n_features_to_select=k, **mode)
        assert fitted.support.sum() == k
        assert_least_squares(fitted, X, y)


def test_k_beyond_the_rows(fit, mode, rng):
    X, y = rng.normal(size=(5, 9)), rng.normal(size=5)
    with pytest.warns(DataDimensionalityWarning, match="of y on 5 rows .* at most 3, or"):
        fitted = fit(X, y, n_features_to_select=8, **mode)
    assert fitted.support.sum() == 8
    np.testing.assert_allclose(fitted.predict(X), y, atol=1e-9)


# Columns and responses that say nothing


@many_columns
@pytest.mark.parametrize("value", [0.0, 0.1, -7.0, 1e12 + 0.1])
def test_constant_columns_are_never_selected(fit, X, y, mode, value):
    X[:, [1, 4]] = value
    d = X.shape[1]
    for k in (None, 2, d - 2):
        fitted = fit(X, y, n_features_to_select=k, alpha=0.0, **mode)
        assert not fitted.support[[1, 4]].any()
        if k is not None or not mode:  # without a price every exact gate is open
            assert fitted.support.sum() == (k or d - 2)
        assert_least_squares(fitted, X, y)


def test_k_beyond_the_columns_that_vary(fit, X, y):
    X[:, [1, 4]] = 5.0
    n_varying = X.shape[1] - 2
    with pytest.raises(ValueError, match=rf"{n_varying} columns.*vary.*ask for at most") as error:
        fit(X, y, n_features_to_select=n_varying + 1)
    assert "1" in str(error.value).split("constant:")[1]
    assert "4" in str(error.value).split("constant:")[1]


def test_constant_columns_are_called_by_name(X, y):
    frame = pd.DataFrame(X).rename(columns="column {}".format)
    frame["column 2"] = 1.0
    with pytest.raises(ValueError, match="constant: column 2"):
        ProjectedSTG(X.shape[1]).fit(frame, y)


def test_a_table_of_constants(fit, mode):
    X, y = np.full((6, 3), 2.0), np.arange(6.0)
    fitted = fit(X, y, **mode)
    assert not fitted.support.any()
    np.testing.assert_allclose(fitted.predict(X), 2.5)
    with pytest.raises(ValueError, match="0 columns of X that vary"):
        fit(X, y, n_features_to_select=1, **mode)


@many_columns
@pytest.mark.parametrize("factor", [1.0, -2.0, 1e9])
def test_duplicate_columns(fit, mode, factor, rng):
    X = rng.normal(size=(30, 6))
    y = 2.0 * X[:, 0] - X[:, 3] + 0.1 * rng.normal(size=30)
    X[:, 5] = factor * X[:, 0]
    for k in (None, 2, 3, 6):
        fitted = fit(X, y, n_features_to_select=k, **mode)
        assert k is None or fitted.support.sum() == k
        assert_least_squares(fitted, X, y)
    # three places are enough for either copy, or both, and the other column
    fitted = fit(X, y, n_features_to_select=3)
    assert fitted.support[3]
    assert fitted.support[[0, 5]].any()


@pytest.mark.parametrize("value", [0.0, 0.1, 1e6 + 0.1])
def test_a_response_that_is_constant(fit, data, mode, value):
    X, _ = data
    y = np.full(len(X), value)
    for k in (None, 2):
        fitted = fit(X, y, n_features_to_select=k, **mode)
        if k is not None:
            assert fitted.support.sum() == k
        elif not mode:
            assert not fitted.support.any()
        np.testing.assert_allclose(fitted.predict(X), value, rtol=1e-12, atol=1e-300)
        assert np.max(np.abs(fitted.coef)) <= 1e-14 * value


@pytest.mark.parametrize("k", [2, None])
def test_wild_scales(fit, X, y, k, rng):
    scale = 10.0 ** rng.permutation(np.linspace(-12, 12, X.shape[1]))
    plain, wild = (fit(table, y, n_features_to_select=k) for table in (X, X * scale))
    np.testing.assert_array_equal(plain.support, wild.support)
    assert plain.support[[0, 3]].all()
    np.testing.assert_allclose(wild.coef * scale, plain.coef, rtol=1e-7, atol=1e-10)
    assert wild.intercept == pytest.approx(plain.intercept)


# Parameters


BAD_PARAMETERS = [
    ("alpha", -0.1),
    ("alpha", np.nan),
    ("alpha", np.inf),
    ("alpha", "paper"),
    ("alpha_scale", -1.0),
    ("noise_std", -1.0),
    ("tau", 0.0),
    ("tau", -0.5),
    ("tau", np.nan),
    ("expectation", "sampled"),
    ("optimizer", "sgd"),
    ("learning_rate", 0.0),
    ("max_iter", 0),
    ("tol", -1e-3),
]


@pytest.mark.parametrize(("name", "value"), BAD_PARAMETERS)
def test_parameters_out_of_range_say_the_range(fit, data, name, value):
    with pytest.raises(ValueError, match=rf"'{name}' parameter .* must be .*Got {value!r} instead"):
        fit(*data, **{name: value})


# Weights


def with_third(value):
    """Make weights of one, but for the third."""
    return lambda n: np.where(np.arange(n) == 2, value, 1.0)


BAD_WEIGHTS = {
    "missing": (with_third(np.nan), r"(?i)sample_weight|negative values"),
    "infinite": (with_third(np.inf), r"(?i)sample_weight|negative values"),
    "negative": (with_third(-1.0), r"(?i)sample_weight|negative values"),
    "none at all": (np.zeros, r"(?i)sample.weight.*(positive|non-zero)"),
    "of one row": (lambda n: np.eye(n)[0], r"sample_weight.*two.*positive"),
    "of another length": (lambda n: np.ones(n + 1), "sample_weight"),
}


@pytest.mark.parametrize("kind", BAD_WEIGHTS)
def test_weights_that_are_none(fit, X, y, kind):
    make, message = BAD_WEIGHTS[kind]
    with pytest.raises(ValueError, match=message):
        fit(X, y, make(len(y)))


@pytest.mark.parametrize("small", [np.int8, np.uint8])
def test_small_types_of_numpy_are_numbers_like_others(small, rng):
    X = rng.standard_normal((60, 70))
    y = X[:, :5].sum(axis=1) + 0.4 * rng.standard_normal(60)
    options = {"probabilities": False, "n_starts": 8}
    first = ProjectedSTG(small(50), fit_intercept=np.True_, **options).fit(X, y)
    plain = ProjectedSTG(50, **options).fit(X, y)
    assert first.n_swaps_ == plain.n_swaps_ > 100
    np.testing.assert_array_equal(first.coef_, plain.coef_)


def test_parameters_that_were_valid_once_say_nothing_of_others_that_are_equal(rng):
    X, y = rng.standard_normal((20, 6)), rng.standard_normal(20)
    ProjectedSTG(2, fit_intercept=True, random_state=0).fit(X, y)
    for wrong in ({"n_features_to_select": 2.0}, {"fit_intercept": 1.5}, {"random_state": 0.0}):
        with pytest.raises(ValueError, match=next(iter(wrong))):
            ProjectedSTG(**{"n_features_to_select": 2, **wrong}).fit(X, y)


def test_names_of_an_earlier_table_are_forgotten(rng):
    X, y = rng.standard_normal((20, 3)), rng.standard_normal(20)
    model = ProjectedSTG(2).fit(pd.DataFrame(X, columns=list("abc")), y)
    assert hasattr(model, "feature_names_in_")
    model.fit(X, y)
    assert not hasattr(model, "feature_names_in_")
    assert model.n_features_in_ == 3


MASKED_DOORS = {
    "fit": lambda X, y, w: ProjectedSTG(1).fit(X, y, w),
    "partial_fit": lambda X, y, w: ProjectedSTG(1).partial_fit(X, y, w),
    "many responses": lambda X, y, w: fit_many(X, y[None], 1, sample_weight=w),
    "many tables": lambda X, y, w: fit_many([X, X], [y, y], 1, sample_weight=[w, w]),
    "cross-validation": lambda X, y, w: ProjectedSTGCV(sizes=1).fit(X, y, w),
    "path": lambda X, y, w: projected_stg_path(X, y, sample_weight=w),
    "stability": lambda X, y, w: StabilitySelector(ProjectedSTG(1), n_pairs=1).fit(
        X, y, sample_weight=w
    ),
}


@pytest.mark.parametrize("which", ["X", "y", "sample_weight"])
@pytest.mark.parametrize("door", MASKED_DOORS)
def test_masked_cells_are_refused_and_a_mask_without_one_is_none(rng, door, which):
    X = rng.standard_normal((20, 3))
    rows = {"X": X, "y": X[:, 1] + rng.standard_normal(20), "sample_weight": np.ones(20)}
    rows[which] = np.ma.masked_array(rows[which], mask=np.zeros(rows[which].shape, dtype=bool))
    MASKED_DOORS[door](*rows.values())
    rows[which][:4] = np.ma.masked
    with pytest.raises(ValueError, match=rf"{which} has \d+ masked cells; leave out") as caught:
        MASKED_DOORS[door](*rows.values())
    assert "\n" not in str(caught.value)


def test_masked_cells_have_no_prediction(rng):
    X = rng.standard_normal((20, 3))
    y = X[:, 1] + rng.standard_normal(20)
    masked = np.ma.masked_array(X, mask=np.abs(X) > 2.0)
    masked[0, 0] = np.ma.masked
    doors = (
        (ProjectedSTG(1).fit(X, y).predict, masked),
        (fit_many(X[None], y[None], 1).predict, masked[None]),
    )
    for door, rows in doors:
        with pytest.raises(ValueError, match=r"X has .* masked cell"):
            door(rows)


def test_complex_numbers_are_refused_in_one_line(rng):
    X = rng.standard_normal((20, 3))
    y, model = X[:, 1] + rng.standard_normal(20), ProjectedSTG(1)
    frame = pd.DataFrame(X + 1j)
    for rows, what in (
        ((X + 1j, y), "X"),
        (((X + 1j).tolist(), y), "X"),
        ((frame, y), "X"),
        ((X, y + 1j), "y"),
    ):
        for fit in (model.fit, model.partial_fit, ProjectedSTGCV(sizes=1).fit):
            with pytest.raises(ValueError, match=f"{what} has complex numbers; give") as caught:
                fit(*rows)
            assert "\n" not in str(caught.value)
