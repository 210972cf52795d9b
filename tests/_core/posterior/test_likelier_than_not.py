"""The columns likelier than not, on posteriors written down by hand."""

import numpy as np
import pytest
from oracles_posterior import joint_of_list, mask_of, summed

from projstg._core.posterior.combined import Estimate
from projstg._core.posterior.likelier_than_not import likelier_than_not


def chosen(supports, preferred=(), error=0.0):
    """The columns selected by a list of supports with their probabilities."""
    known = Estimate(summed(supports, 6, 6)[0], np.full(6, error))
    return likelier_than_not(joint_of_list(supports, 6), known, mask_of(preferred, 6)).tolist()


def test_they_need_not_be_a_support_that_is_likely():
    supports = {(0, 1): 0.35, (0, 2): 0.25, (1, 2): 0.3, (3,): 0.1}
    assert chosen(supports) == [1, 0, 2]  # 0.65, 0.60, 0.55: the likeliest first


def test_of_copies_one_is_selected_though_none_is_likelier_than_not():
    supports = {(0, 1): 0.44, (0, 2): 0.43, (0,): 0.13}
    assert chosen(supports) == [0, 1]
    assert chosen(supports, preferred=(0, 2)) == [0, 1]
    assert chosen(supports, preferred=(0, 2), error=0.01) == [0, 2]


def test_a_copy_beyond_one_half_by_chance_gives_way_to_the_preferred_one():
    supports = {(0, 1): 0.505, (0, 2): 0.495}
    assert chosen(supports, preferred=(0, 2), error=0.01) == [0, 2]
    assert chosen(supports, preferred=(0, 2)) == [0, 1]


def test_columns_with_effects_of_their_own_do_not_stand_for_each_other():
    # Each is there with 0.45, whether the other is or not: one of them is likelier than not.
    supports = {(0, 1): 0.2025, (0,): 0.2475, (1,): 0.2475, (): 0.3025}
    assert chosen(supports) == []
    assert chosen(supports, preferred=(0, 1), error=0.1) == []


@pytest.mark.parametrize("preferred", [(), (3,), (0, 3)])
def test_a_sure_column_has_none_that_stands_for_it(preferred):
    assert chosen({(0, 3): 1.0}, preferred, error=0.01) == [0, 3]


def test_one_half_exactly_is_not_likelier():
    assert chosen({(0,): 0.5, (): 0.5}) == []
