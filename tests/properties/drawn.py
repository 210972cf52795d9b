"""Tables and questions at random, from the plain to the barely computable."""

from typing import Any, NamedTuple

import numpy as np
from hypothesis import strategies as st

from projstg import ProjectedSTG
from projstg._core.table import as_table

CRITERIA = ("common-size", "evidence", "least-squares")
KINDS = (
    "normal",
    "normal",
    "normal",
    "normal",
    "whole numbers",
    "zeros and ones",
    "heavy tails",
    "far from zero",
    "constant",
    "zero",
    "copy",
    "scaled copy",
    "near copy",
    "sum of others",
)
RESPONSES = ("sparse", "sparse", "sparse", "dense", "noise", "without error", "nearly so")


class Drawn(NamedTuple):
    """One table and one question."""

    X: np.ndarray
    y: np.ndarray
    weights: np.ndarray | None
    params: dict[str, Any]
    seed: int

    def fit(self, **changes):
        """Return the model that answers it, with some of the table or of the question changed."""
        data = {"X": self.X, "y": self.y, "weights": self.weights} | {
            name: changes.pop(name) for name in ("X", "y", "weights") if name in changes
        }
        model = ProjectedSTG(**(self.params | changes))
        return model.fit(data["X"], data["y"], data["weights"])

    @property
    def allowed(self):
        """The columns that may be selected."""
        never = self.params.get("never_select", [])
        return [j for j in usable(self.X, self.params["fit_intercept"]).tolist() if j not in never]

    @property
    def table(self):
        """The problem as the core sees it, all columns in."""
        weights = None if self.weights is None else self.weights[None]
        centre = self.params.get("fit_intercept", True)
        return as_table(self.X[None], self.y[None], weights, centre=centre)


def _column(rng, kind, X, j):
    n = len(X)
    if kind == "whole numbers":
        return rng.integers(-3, 4, n).astype(float)
    if kind == "zeros and ones":
        return rng.integers(0, 2, n).astype(float)
    if kind == "heavy tails":
        return rng.standard_t(1.5, n)
    if kind == "far from zero":
        return rng.standard_normal(n) + 10.0 ** rng.uniform(1, 6)
    if kind == "constant":
        return np.full(n, rng.normal())
    if kind == "zero":
        return np.zeros(n)
    if j and kind == "copy":
        return X[:, rng.integers(j)].copy()
    if j and kind == "scaled copy":
        return X[:, rng.integers(j)] * rng.choice([-1.0, 3.0, -0.1, 1e3])
    if j and kind == "near copy":
        # 1 − |r| from 10⁻¹ to 10⁻¹⁵.
        other = X[:, rng.integers(j)]
        apart = np.sqrt(2.0) * 10.0 ** (-0.5 * rng.uniform(1, 15))
        return other + apart * np.std(other) * rng.standard_normal(n)
    if j and kind == "sum of others":
        return X[:, :j] @ rng.integers(-1, 2, j)
    return rng.standard_normal(n)


def _response(rng, kind, X):
    n, n_columns = X.shape
    signal, noise = np.zeros(n), rng.standard_normal(n)
    some = rng.choice(n_columns, size=min(n_columns, int(rng.integers(1, 4))), replace=False)
    size = np.where(np.ptp(X, axis=0) > 0, np.std(X, axis=0), 1.0)
    beta = rng.choice([-1.0, 1.0], n_columns) * rng.choice([1.0, 1.0, 0.3, 3.0], n_columns)
    if kind in ("sparse", "without error", "nearly so"):
        signal = (X[:, some] / size[some]) @ beta[some]
    elif kind == "dense":
        signal = (X / size) @ beta
    level = {"without error": 0.0, "nearly so": 10.0 ** rng.uniform(-9, -2)}.get(kind, 0.5)
    y = signal + level * noise
    return y if np.ptp(y) > 0 else noise


def _units(rng, far, n):
    return 10.0 ** rng.uniform(-150, 150, n) if far else np.ones(n)


@st.composite
def tables(draw, most_rows=24, most_columns=9, weighted=True, far=True):
    """Draw X, y and weights (or None), with the seed they come from."""
    n, d = draw(st.integers(3, most_rows)), draw(st.integers(1, most_columns))
    kinds = draw(st.lists(st.sampled_from(KINDS), min_size=d, max_size=d))
    response = draw(st.sampled_from(RESPONSES))
    kind_of_weights = draw(st.sampled_from(["none", "none", "counts", "wide"]))
    has_units = far and draw(st.sampled_from([False, False, True]))
    seed = draw(st.integers(0, 2**32 - 1))
    rng = np.random.default_rng(seed)
    X = np.zeros((n, d))
    for j, kind in enumerate(kinds):
        X[:, j] = _column(rng, kind, X, j)
    y = _response(rng, response, X) + rng.choice([0.0, 10.0])
    X = X * _units(rng, has_units, d)
    y = y * _units(rng, has_units, 1)[0]
    weights = None
    if weighted and kind_of_weights == "counts":
        weights = rng.integers(1, 4, n).astype(float)
    elif weighted and kind_of_weights == "wide":
        weights = 10.0 ** rng.uniform(-6, 6, n)
        weights *= max(1.0, 3.0 / weights.sum())
    return X, y, weights, seed


def usable(X, fit_intercept):
    """The columns that vary, or, without an intercept, are not zero."""
    return np.flatnonzero(np.ptp(X, axis=0) > 0 if fit_intercept else np.any(X != 0, axis=0))


@st.composite
def problems(draw, sizes=("given", "given", "auto"), criteria=CRITERIA, **shape):
    """Draw a table and a question that has an answer."""
    X, y, weights, seed = draw(tables(**shape))
    if not np.any(np.ptp(X, axis=0) > 0):
        X[:, 0] = np.random.default_rng(seed).standard_normal(len(X))
    size = draw(st.sampled_from(sizes))
    params = {
        "criterion": draw(st.sampled_from(criteria)),
        "fit_intercept": draw(st.booleans()),
        "random_state": draw(st.integers(0, 3)),
    }
    varying = usable(X, params["fit_intercept"])
    n_never = draw(st.sampled_from([0, 0, 0, 1, 2]))
    n_always = draw(st.sampled_from([0, 0, 0, 1, 2]))
    order = np.random.default_rng(seed).permutation(varying).tolist()
    if n_never and varying.size > n_never + n_always:
        params["never_select"] = order[:n_never]
        order = order[n_never:]
    if n_always and varying.size > n_never + n_always:
        params["always_select"] = order[:n_always]
    else:
        n_always = 0
    if size == "given":
        params["n_features_to_select"] = draw(st.integers(max(n_always, 1), len(order)))
    elif size == "auto":
        params["n_features_to_select"] = "auto"
        params["selection"] = draw(st.sampled_from(["evidence", "evidence", "bic", "ebic", "gic"]))
    else:
        params |= {"n_features_to_select": None, "refine": False}
    return Drawn(X, y, weights, params, seed)
