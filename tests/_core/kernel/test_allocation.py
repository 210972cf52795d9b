"""An allocation that fails is an error, never another answer."""

from pathlib import Path

import numpy as np
import pytest
from kernel_builds import built
from made_problems import problem_of

from projstg import ProjectedSTG
from projstg._core.kernel import library
from projstg._core.posterior.compiled_chain import CompiledChains
from projstg._core.score.criterion import CRITERIA
from projstg._core.score.neighbours import neighbours
from projstg._core.score.prior import costs_of_sizes, size_prior
from projstg._core.score.scored_supports import scores_of
from projstg._core.score.tableau import Field

pytestmark = pytest.mark.skipif(library.KERNEL is None, reason="there is no kernel")

# What the kernel calls instead of malloc, calloc and realloc: one of the calls finds no memory.
SOURCE = """
#undef malloc
#undef calloc
#undef realloc
#include <stdlib.h>
#include "kernel.h"

static int64_t n_calls, failing;

EXPORTED int64_t projstg_fail_at(int64_t call) {
    int64_t before = n_calls;
    n_calls = 0;
    failing = call;
    return before;
}

void *failing_malloc(size_t n) { return ++n_calls == failing ? NULL : malloc(n); }
void *failing_calloc(size_t n, size_t m) { return ++n_calls == failing ? NULL : calloc(n, m); }
void *failing_realloc(void *p, size_t n) { return ++n_calls == failing ? NULL : realloc(p, n); }
"""


@pytest.fixture(scope="module")
def failing(tmp_path_factory):
    source = tmp_path_factory.mktemp("kernel") / "failing.c"
    source.write_text(SOURCE, encoding="utf-8")
    instead = [f"-D{name}=failing_{name}" for name in ("malloc", "calloc", "realloc")]
    header = Path(library.__file__).parent
    return built(source.parent, *instead, "-DPROJSTG_ONE_PATH", "-O1", f"-I{header}", source)


def near_copies(n_rows, n_columns):
    """A table in which only eigenvalues can tell whether some columns depend on others."""
    rng = np.random.default_rng(4)
    X = rng.standard_normal((n_rows, n_columns))
    X[:, -1] = X[:, 1] + 1e-5 * X[:, -3]
    X[:, -2] = X[:, 0] + X[:, 1]
    return X, X[:, :3].sum(axis=1) + rng.standard_normal(n_rows)


def fitted(n_columns, **options):
    def fit():
        model = ProjectedSTG(**options).fit(*near_copies(20, n_columns))
        return model.support_, model.coef_, model.objective_

    return fit


def problem_and_judge():
    problem = problem_of(*near_copies(30, 14))
    field = Field.of(problem, np.zeros(14, dtype=bool))
    return problem, field, CRITERIA["common-size"].judge(problem, 6)


def drawn():
    _, field, judge = problem_and_judge()
    costs, begin = costs_of_sizes(size_prior(1, 6, 14), 14, 0), np.arange(14)[None] < 3
    generator = np.random.default_rng(8)
    chains = CompiledChains(field, judge, costs, begin, np.linspace(0.1, 1.0, 14), generator)
    return chains.run(3000)


def scored():
    problem, field, judge = problem_and_judge()
    members = np.asarray([[0, 1, 2], [2, 4, 5]])
    around = neighbours(field, members, judge, resize=True)
    return around, scores_of(problem, field, np.arange(14), members, judge)


TASKS = {
    "a fit in one call": fitted(24, n_features_to_select=7, probabilities=False),
    "a fit step by step": fitted(
        24, n_features_to_select=7, always_select=[0], probabilities=False
    ),
    "K from the data": fitted(8),
    "chains": drawn,
    "scores": scored,
}


@pytest.mark.parametrize("task", TASKS.values(), ids=TASKS)
def test_an_allocation_that_fails_is_an_error(task, failing, monkeypatch):
    monkeypatch.setattr(library, "KERNEL", failing)
    failing.projstg_fail_at(0)
    task()
    n = failing.projstg_fail_at(0)
    for call in range(1, n + 1):
        failing.projstg_fail_at(call)
        with pytest.raises(MemoryError, match="no memory for"):
            task()
