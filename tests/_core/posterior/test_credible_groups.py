"""Groups: likely enough, without a column too many, apart, and of columns that stand in."""

import numpy as np
import pytest
from oracles_posterior import joint_of_list

from projstg._core.posterior.credible_groups import credible_groups


def independent(chances):
    """Supports in which every column is present by itself."""
    found = {(): 1.0}
    for column, chance in enumerate(chances):
        found = {
            support: p
            for own, weight in found.items()
            for support, p in (((*own, column), weight * chance), (own, weight * (1.0 - chance)))
        }
    return found


def named(groups):
    return [(group.columns.tolist(), round(group.probability, 6)) for group in groups]


def test_a_pair_that_stands_for_each_other_is_a_group_beside_a_sure_column():
    joint = joint_of_list({(0, 1): 0.52, (0, 2): 0.47, (0,): 0.01}, 4)
    assert named(credible_groups(joint, 0.95)) == [([0], 1.0), ([1, 2], 0.99)]


def test_columns_in_doubt_with_effects_of_their_own_are_no_group():
    joint = joint_of_list(independent([0.8, 0.85, 0.99]), 3)
    assert named(credible_groups(joint, 0.95)) == [([2], 0.99)]


def test_two_effects_with_two_pairs_have_two_groups():
    pairs = {(i, j): 0.25 for i in (0, 1) for j in (2, 3)}
    found = credible_groups(joint_of_list(pairs, 5), 0.9)
    assert sorted(sorted(group.columns.tolist()) for group in found) == [[0, 1], [2, 3]]


def test_a_column_that_is_not_needed_is_left_out():
    # From column 0 the group grows by 1 and by 2; without 0 it still reaches the level.
    joint = joint_of_list({(1,): 0.48, (2,): 0.47, (0,): 0.03, (): 0.02}, 3)
    assert named(credible_groups(joint, 0.95)) == [([1, 2], 0.95)]


def test_where_nothing_reaches_the_level_there_is_no_group():
    assert credible_groups(joint_of_list({(0,): 0.5, (): 0.5}, 2), 0.95) == []
    assert credible_groups(joint_of_list({(): 1.0}, 2), 0.95) == []


@pytest.mark.parametrize("seed", range(20))
def test_groups_are_apart_likely_and_have_no_column_too_many(seed):
    rng = np.random.default_rng(seed)
    supports = {tuple(np.flatnonzero(rng.random(9) < 0.35)): 0.0 for _ in range(40)}
    weights = rng.dirichlet(np.full(len(supports), 0.2))
    joint = joint_of_list(dict(zip(supports, weights, strict=True)), 9)
    level, used = 0.7, np.zeros(9, dtype=bool)
    for columns, probability in credible_groups(joint, level):
        assert not used[columns].any()
        used[columns] = True
        group = np.isin(np.arange(9), columns)
        assert probability == pytest.approx(1.0 - joint.none_of(group)[0])
        assert probability >= level
        for column in columns:
            smaller = group & (np.arange(9) != column)
            assert not smaller.any() or 1.0 - joint.none_of(smaller)[0] < level
