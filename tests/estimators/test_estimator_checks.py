"""scikit-learn's own checks over every estimator; none may fail."""

from typing import Literal, get_args, get_origin, get_type_hints

import pytest
from sklearn.linear_model import Lasso
from sklearn.utils.estimator_checks import parametrize_with_checks

from projstg import (
    MCP,
    SCAD,
    STG,
    Gates,
    KnockoffSelector,
    ProjectedSTG,
    ProjectedSTGCV,
    RandomizedOMP,
    StabilitySelector,
)
from projstg._compat import StrOptions

ESTIMATORS = [
    ProjectedSTG(),
    ProjectedSTG(n_features_to_select=1, gates=Gates(alpha=0.1, warm_up=False)),
    ProjectedSTG(gates=Gates(expectation="monte-carlo", max_iter=50), random_state=0),
    STG(gates=Gates(max_iter=50)),
    ProjectedSTGCV(alpha_scales=[1.0, 0.1], cv=3),
    ProjectedSTGCV(ProjectedSTG(refine=False), sizes=[1], cv=3, rule="1se"),
    KnockoffSelector(fdr=0.9, offset=0),
    KnockoffSelector(Lasso(alpha=0.01), fdr=0.9, offset=0),
    StabilitySelector(ProjectedSTG(1, refine=False), n_pairs=2, threshold=0.25),
    StabilitySelector(Lasso(alpha=0.01), n_pairs=2, n_features_to_select=1),
    RandomizedOMP(),
    RandomizedOMP(n_features_to_select=1, n_runs=5),
    MCP(),  # SCAD is the same class with another penalty, and compiling each takes ten seconds
    MCP(n_features_to_select=1, rule="top"),
]


NEEDS = {MCP: "skglm", KnockoffSelector: "hidimstat"}


# On the checks' random tables no column at all is a right answer; scikit-learn's transform warns.
@pytest.mark.filterwarnings("ignore:No features were selected:UserWarning")
@parametrize_with_checks(ESTIMATORS)
def test_scikit_learn_contract(estimator, check):
    if type(estimator) in NEEDS:
        pytest.importorskip(NEEDS[type(estimator)])
    check(estimator)


def words_of(hint):
    """The words among the values of a type."""
    if get_origin(hint) is Literal:
        return set(get_args(hint))
    return set().union(*map(words_of, get_args(hint)))


@pytest.mark.parametrize("kind", dict.fromkeys([*map(type, ESTIMATORS), SCAD, Gates]))
def test_the_types_of_parameters_have_the_words_that_are_taken(kind):
    hints = get_type_hints(kind.__init__)
    for name, allowed in kind._parameter_constraints.items():
        taken = (one.options for one in allowed if isinstance(one, StrOptions))
        assert words_of(hints[name]) == set().union(*taken), name
