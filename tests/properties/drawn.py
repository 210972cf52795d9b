"""Tables and questions at random, from the plain to the barely computable."""

from typing import Any, NamedTuple

import numpy as np
from hypothesis import strategies as st
from knobs import nested

from projstg import ProjectedSTG
from projstg._core.data.standard_table import as_tables
from projstg._core.score.criterion import CRITERIA as JUDGES
from projstg._core.score.evidence import support_scores

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


MODES = (
    {"probabilities": False},
    {"n_starts": 1},
    {"refine": False},
    {"refine": False, "warm_up": False},
    {"warm_up": False},
    {"max_iter": 1},
    {"tol": 0.0, "max_iter": 40},
    {"tau": 0.01},
    {"tau": 100.0},
    {"alpha": 0.0},
    {"alpha": 1e-12},
    {"alpha": 1e12},
    {"alpha_scale": 0.0},
    {"alpha_scale": 1e3},
    {"noise_std": 0.0},
    {"noise_std": 1e6},
)


class Recipe(NamedTuple):
    """What a table is made of; the same recipe makes the same numbers."""

    n_rows: int
    kinds: tuple[str, ...]
    response: str
    seed: int
    weights: str = "none"
    has_units: bool = False


class Drawn(NamedTuple):
    """One table and one question."""

    recipe: Recipe
    params: dict[str, Any]
    X: np.ndarray
    y: np.ndarray
    weights: np.ndarray | None

    def __repr__(self):
        return f"asked({self.recipe!r}, {self.params!r})"

    @property
    def seed(self):
        """For what else is drawn at random."""
        return self.recipe.seed

    def fit(self, **changes):
        """Return the model that answers it, with some of the table or of the question changed."""
        data = {"X": self.X, "y": self.y, "weights": self.weights} | {
            name: changes.pop(name) for name in ("X", "y", "weights") if name in changes
        }
        model = ProjectedSTG(**nested(**(self.params | changes)))
        return model.fit(data["X"], data["y"], data["weights"])

    @property
    def allowed(self):
        """The columns that may be selected."""
        never = self.params.get("never_select", [])
        return [j for j in usable(self.X, self.params["fit_intercept"]).tolist() if j not in never]

    def scores(self, supports):
        """The criterion's own scores of supports of one size.

        Its prior is that of supports of the allowed columns that contain the forced ones.
        """
        allowed = np.asarray(self.allowed)
        weights = None if self.weights is None else self.weights[None]
        X = self.X[None][..., allowed]
        tables = as_tables(X, self.y[None], weights, centre=self.params["fit_intercept"])
        must = np.isin(allowed, self.params.get("always_select", []))
        problem = tables.problem(0)
        judge = JUDGES[self.params["criterion"]].judge(problem, always=must)
        return support_scores(problem, np.searchsorted(allowed, np.asarray(supports)), judge)

    def rounding(self, score):
        """What two ways of computing ν log(rss) may differ by."""
        dof = len(self.y) if self.weights is None else self.weights.sum()
        return 1e-6 + 1e-9 * (dof + abs(score))


def asked(recipe, params):
    """Return a problem as a failing test prints it."""
    return Drawn(recipe, params, *made(recipe))


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
        if np.ptp(other) == 0:
            return rng.standard_normal(n)
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


def made(recipe):
    """Return X, y and weights (or None)."""
    rng, n, d = np.random.default_rng(recipe.seed), recipe.n_rows, len(recipe.kinds)
    X = np.zeros((n, d))
    for j, kind in enumerate(recipe.kinds):
        column = _column(rng, kind, X, j)
        is_rounding = np.ptp(column) <= 1e-12 * np.max(np.abs(column))  # sums that cancel
        X[:, j] = column[0] if is_rounding else column
    if not np.any(np.ptp(X, axis=0) > 0):
        X[:, 0] = rng.standard_normal(n)
    y = _response(rng, recipe.response, X) + rng.choice([0.0, 10.0])
    X = X * _units(rng, recipe.has_units, d)
    y = y * _units(rng, recipe.has_units, 1)[0] ** 0.9
    if recipe.weights == "counts":
        return X, y, rng.integers(1, 4, n).astype(float)
    if recipe.weights == "wide":
        weights = 10.0 ** rng.uniform(-6, 6, n)
        return X, y, weights * max(1.0, 3.0 / weights.sum())
    return X, y, None


@st.composite
def recipes(draw, most_rows=24, most_columns=9, weighted=True, far=True):
    """Draw what a table is made of."""
    n, d = draw(st.integers(3, most_rows)), draw(st.integers(1, most_columns))
    return Recipe(
        n,
        tuple(draw(st.lists(st.sampled_from(KINDS), min_size=d, max_size=d))),
        draw(st.sampled_from(RESPONSES)),
        weights=draw(st.sampled_from(["none", "none", "counts", "wide"])) if weighted else "none",
        has_units=far and draw(st.sampled_from([False, False, True])),
        seed=draw(st.integers(0, 2**32 - 1)),
    )


def usable(X, fit_intercept):
    """The columns that vary, or, without an intercept, are not zero."""
    return np.flatnonzero(np.ptp(X, axis=0) > 0 if fit_intercept else np.any(X != 0, axis=0))


@st.composite
def problems(draw, sizes=("given", "given", "auto"), criteria=tuple(JUDGES), **shape):
    """Draw a table and a question that has an answer."""
    recipe = draw(recipes(**shape))
    X, y, weights = made(recipe)
    size = draw(st.sampled_from(sizes))
    params = {
        "criterion": draw(st.sampled_from(criteria)),
        "fit_intercept": draw(st.booleans()),
        "random_state": draw(st.integers(0, 3)),
    }
    varying = usable(X, params["fit_intercept"])
    n_never = draw(st.sampled_from([0, 0, 0, 1, 2]))
    n_always = draw(st.sampled_from([0, 0, 0, 1, 2]))
    order = np.random.default_rng(recipe.seed).permutation(varying).tolist()
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
        params["n_features_to_select"] = None
    return Drawn(recipe, params, X, y, weights)
