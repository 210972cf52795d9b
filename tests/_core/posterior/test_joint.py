"""Several columns at once: what blocks say is what a list of all supports says."""

import numpy as np
import pytest
from oracles_posterior import JUDGE, ONLY_3, UP_TO_5, counted, draw, listed, sampled

from projstg._core.posterior.combined import Combined
from projstg._core.posterior.joint import joint_of


def none_of(known, group, column=None):
    """The probability that no column of the group is in the support, and that ``column`` is."""
    return sum(
        p
        for support, p in known.items()
        if not set(group) & set(support) and (column is None or column in support)
    )


@pytest.mark.parametrize("prior", [ONLY_3, UP_TO_5], ids=["K = 3", "up to 5"])
@pytest.mark.parametrize("n_counted", [1, 20, None], ids=["one", "some", "all"])
def test_groups_have_the_probabilities_of_a_list_of_all_supports(prior, n_counted):
    Z = draw(0, noise=2.0)
    known = listed(Z, JUDGE, prior)
    some = counted(Z, known, prior, range(n_counted or len(known)))
    sample = None
    if n_counted:
        begin = some.masks[np.random.default_rng(0).choice(n_counted, 100, p=some.weights)]
        sample = sampled(Z, prior, begin, 80)
    combined, columns = Combined(some, sample), np.asarray([0, 2, 3, 5, 6])
    joint, atol = combined.joint(columns), 0.02 if n_counted else 1e-9
    np.testing.assert_allclose(joint.inclusion(), combined.inclusion().mean[columns], atol=1e-9)
    for group in ([0], [0, 3], [2, 5, 6], [0, 2, 3, 5]):
        found, with_each = joint.none_of(np.isin(columns, group))
        assert found == pytest.approx(none_of(known, group), abs=atol)
        for j in set(columns.tolist()) - set(group):
            expected = none_of(known, group, j)
            assert with_each[columns == j] == pytest.approx(expected, abs=atol)


def test_blocks_of_one_base_are_put_together():
    bases = np.asarray([[True, False], [False, False], [True, False]])
    shares = np.asarray([[0.0, 0.3, 0.7], [0.2, 0.3, 0.5], [0.0, 0.5, 0.1]])
    few = joint_of(np.asarray([4, 7]), bases, shares, np.asarray([0.2, 0.5, 0.3]))
    order = np.argsort(few.bases.toarray()[:, 0])
    assert few.bases.toarray()[order].tolist() == [[0.0, 0.0], [1.0, 0.0]]
    np.testing.assert_allclose(few.shares[order], [[0.1, 0.15, 0.25], [0.0, 0.21, 0.17]])
