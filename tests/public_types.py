"""What a type checker, and so an editor, sees of the public classes; `make lint` checks it."""

from typing import Any, assert_type

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
)


def fitted_models_keep_their_class(X: Any, y: Any) -> None:
    """Methods of an estimator are there after ``fit``, too."""
    assert_type(ProjectedSTG().fit(X, y), ProjectedSTG)
    assert_type(ProjectedSTG().partial_fit(X, y), ProjectedSTG)
    assert_type(ProjectedSTG().set_params(random_state=1), ProjectedSTG)
    assert_type(ProjectedSTGCV().fit(X, y), ProjectedSTGCV)
    assert_type(STG().fit(X, y), STG)
    assert_type(RandomizedOMP().fit(X, y), RandomizedOMP)
    assert_type(SCAD().fit(X, y), SCAD)
    assert_type(MCP().fit(X, y), MCP)
    assert_type(StabilitySelector(ProjectedSTG()).fit(X, y), StabilitySelector)
    assert_type(KnockoffSelector().fit(X, y), KnockoffSelector)
    assert_type(Statistics().update(X, y), Statistics)


def words_are_checked() -> None:
    """A word that an option does not take is an error, or this line is one."""
    ProjectedSTG(criterion="evidnce")  # type: ignore[arg-type]
