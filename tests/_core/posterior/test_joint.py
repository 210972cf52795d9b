"""Several columns at once: what blocks say is what a list of all supports says."""

from itertools import product

import numpy as np
import pytest
from oracles_posterior import JUDGE, ONLY_3, UP_TO_5, counted, draw, listed, sampled
from scipy.sparse import csr_array

from projstg._core.posterior.combined import Combined
from projstg._core.posterior.joint import Joint, joint_of
from projstg._core.posterior.represented import Represented, represented


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
    weights = np.asarray([0.2, 0.5, 0.3])
    few = joint_of(np.asarray([4, 7]), bases, csr_array(shares), weights)
    order = np.argsort(few.bases.toarray()[:, 0])
    assert few.bases.toarray()[order].tolist() == [[0.0, 0.0], [1.0, 0.0]]
    np.testing.assert_allclose(few.shares.toarray()[order], [[0.1, 0.15, 0.25], [0.0, 0.21, 0.17]])


def drawn_blocks(among, rng):
    """A dozen blocks over the columns that are looked at."""
    W = among.columns.size
    bases = rng.random((12, W)) < 0.3
    shares = rng.random((12, W + 1)) * ~np.column_stack([bases, np.zeros(12, dtype=bool)])
    return Joint(among.columns, csr_array(bases.astype(float)), csr_array(shares / shares.sum()))


def every_support(joint, among):
    """All supports of blocks with their probabilities, each member drawn from its cell."""
    bases, shares = joint.bases.toarray() > 0.0, joint.shares.toarray()
    for base, own in zip(bases, shares, strict=True):
        for j, weight in enumerate(own.tolist()):
            members = np.flatnonzero(base).tolist() + ([j] if j < base.size else [])
            cells = [np.flatnonzero((among.cell == one) & (among.share > 0.0)) for one in members]
            for support in product(*cells):
                yield set(support), weight * np.prod(among.share[list(support)])


@pytest.mark.parametrize("seed", range(4))
def test_columns_that_stand_for_others_are_any_of_their_cell(seed):
    rng = np.random.default_rng(seed)
    among = represented(np.append(rng.standard_normal(13), np.inf), 5)
    joint = drawn_blocks(among, rng)._replace(among=among)
    known = list(every_support(joint, among))
    assert sum(p for _, p in known) == pytest.approx(1.0)
    for n_groups in (1, 2, 3):
        groups = rng.random((n_groups, 14)) < 0.4
        sets = [set(np.flatnonzero(group)) for group in groups]
        each = sum(p for own, p in known if all(own & one for one in sets))
        assert joint.each_of(groups) == pytest.approx(each, abs=1e-12)
        some = sum(p for own, p in known if own & sets[0])
        assert joint.any_of(groups[0]) == pytest.approx(some, abs=1e-12)


def test_of_very_many_groups_that_are_parts_of_cells_none_counts_too_much(monkeypatch):
    rng = np.random.default_rng(0)
    among = represented(np.append(rng.standard_normal(13), np.inf), 5)
    joint = drawn_blocks(among, rng)._replace(among=among)
    groups = rng.random((3, 14)) < 0.6
    exact = joint.each_of(groups)
    monkeypatch.setattr("projstg._core.posterior.joint._MOST_SPLIT", 0)
    assert 0.0 <= joint.each_of(groups) <= exact
    assert joint._replace(among=Represented.every(5)).each_of(np.empty((0, 5), bool)) == 1.0
