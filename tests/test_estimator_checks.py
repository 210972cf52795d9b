"""scikit-learn's own checks over every estimator; none may fail."""

from sklearn.utils.estimator_checks import parametrize_with_checks

from projstg import STG, ProjectedSTG

ESTIMATORS = [
    ProjectedSTG(),
    ProjectedSTG(n_features_to_select=1, alpha=0.1, warm_up=False),
    ProjectedSTG(expectation="monte-carlo", max_iter=50, random_state=0),
    STG(max_iter=50),
]


@parametrize_with_checks(ESTIMATORS)
def test_scikit_learn_contract(estimator, check):
    check(estimator)
