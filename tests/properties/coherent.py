"""What numbers that are read off one distribution have to fulfil."""

import numpy as np
import pytest

ROUNDING = 1e-9


def check_probabilities(model):
    """Assert that the probabilities of a model are some, and agree with each other."""
    exactly, columns, sizes = (
        model.support_probability_,
        model.inclusion_probability_,
        model.size_probability_,
    )
    if sizes is None:  # rows are too few to compare columns
        assert exactly is None
        assert columns is None
        return
    for one in (np.atleast_1d(exactly), columns, sizes):
        assert np.all((one >= 0.0) & (one <= 1.0 + ROUNDING))
    assert sizes.sum() == pytest.approx(1.0, abs=ROUNDING)
    assert columns.sum() == pytest.approx(sizes @ np.arange(sizes.size), abs=ROUNDING * sizes.size)
    check_support(model, exactly, columns, sizes)
    check_alternatives(model, columns, sizes)
    check_groups(model, columns, sizes)


def check_support(model, exactly, columns, sizes):
    """Assert what must hold of the selected columns."""
    support, together = model.get_support(indices=True), model.all_belong_probability_
    assert exactly <= together + ROUNDING
    if support.size < sizes.size:
        assert exactly <= sizes[support.size] + ROUNDING
    assert together <= np.min(columns[support], initial=1.0) + ROUNDING
    assert together <= sizes[support.size :].sum() + ROUNDING


def check_alternatives(model, columns, sizes):
    """Assert what must hold of the likeliest supports."""
    told = [probability for _, probability in model.alternatives_]
    assert told == sorted(told, reverse=True)
    assert sum(told) <= 1.0 + ROUNDING
    of_size = np.zeros(sizes.size)
    for members, probability in model.alternatives_:
        of_size[len(members)] += probability
        assert np.all(columns[list(members)] >= probability - ROUNDING)
        assert model.each_belong_probability([[j] for j in members]) >= probability - ROUNDING
    assert np.all(of_size <= sizes + ROUNDING)


def check_groups(model, columns, sizes):
    """Assert what must hold of several columns at once."""
    n_columns = columns.size
    support = model.get_support(indices=True)
    one_each = model.each_belong_probability([[j] for j in support])
    assert one_each == pytest.approx(model.all_belong_probability_, abs=ROUNDING)
    every = np.ones(n_columns, dtype=bool)
    at_all = 1.0 - sizes[0]
    assert model.any_belong_probability(every) == pytest.approx(at_all, abs=ROUNDING)
    rng = np.random.default_rng(n_columns)
    for j in rng.choice(n_columns, min(n_columns, 5), replace=False):
        own = model.any_belong_probability([j])
        assert own == pytest.approx(columns[j], abs=ROUNDING)
    few = rng.choice(n_columns, rng.integers(1, n_columns + 1), replace=False)
    some = model.any_belong_probability(few)
    assert np.max(columns[few]) - ROUNDING <= some <= min(columns[few].sum(), at_all) + ROUNDING
    both = model.each_belong_probability([few, every])
    assert both == pytest.approx(some, abs=ROUNDING)
    for group in model.credible_groups(0.6):
        own = model.any_belong_probability(group.features)
        assert own == pytest.approx(group.probability, abs=ROUNDING)
