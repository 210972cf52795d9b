"""Every probability of a fit is read off one distribution, of many columns, too."""

from typing import NamedTuple

import numpy as np
import scipy.sparse
from coherent import check_probabilities
from hypothesis import given
from hypothesis import strategies as st
from soaking import count, examples

from projstg import ProjectedSTG


class Wide(NamedTuple):
    """A table of more columns than a posterior looks at one by one."""

    n_rows: int
    n_columns: int
    n_copies: int
    """So many of the columns are copies of the first, with an error if ``nearness`` is not zero."""
    nearness: float
    n_effects: int
    noise: float
    is_weighted: bool
    is_sparse: bool
    size: object
    seed: int


@st.composite
def wide_tables(draw):
    """Draw what a wide table is made of."""
    n_rows, n_columns = draw(st.integers(5, 40)), draw(st.sampled_from([70, 200, 301, 420, 900]))
    n_copies = draw(st.sampled_from([0, 0, 3, 80, n_columns // 2]))
    return Wide(
        n_rows=n_rows,
        n_columns=n_columns,
        n_copies=min(n_copies, n_columns - 10),
        nearness=draw(st.sampled_from([0.0, 0.01, 0.3])),
        n_effects=draw(st.integers(0, 6)),
        noise=draw(st.sampled_from([0.1, 1.0, 4.0])),
        is_weighted=draw(st.booleans()),
        is_sparse=draw(st.booleans()),
        size=draw(st.sampled_from(["auto", "auto", 1, 2, 5])),
        seed=draw(st.integers(0, 2**32 - 1)),
    )


def made(wide):
    """Return X, y and weights."""
    rng = np.random.default_rng(wide.seed)
    X = rng.standard_normal((wide.n_rows, wide.n_columns))
    if wide.is_sparse:
        X *= rng.random(X.shape) < 0.5
    copies = slice(1, 1 + wide.n_copies)
    X[:, copies] = X[:, :1] + wide.nearness * rng.standard_normal((wide.n_rows, wide.n_copies))
    effects = rng.choice(wide.n_columns, wide.n_effects, replace=False)
    y = X[:, effects].sum(axis=1) + wide.noise * rng.standard_normal(wide.n_rows)
    weights = rng.integers(1, 4, wide.n_rows).astype(float) if wide.is_weighted else None
    return (scipy.sparse.csr_array(X) if wide.is_sparse else X), y, weights


@examples(16)
@given(wide_tables())
def test_probabilities_do_not_contradict_each_other(wide):
    count("problem", "probabilities do not contradict each other")
    X, y, weights = made(wide)
    size = wide.size if wide.size == "auto" else min(wide.size, wide.n_rows - 3)
    model = ProjectedSTG(size, random_state=wide.seed % 3).fit(X, y, weights)
    check_probabilities(model)
