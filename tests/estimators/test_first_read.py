"""Values that are computed when they are first read."""

import pickle

import numpy as np
import pytest

from projstg.estimators._first_read import FirstRead


@pytest.fixture
def rows(rng):
    return rng.standard_normal((50, 3))


def products(rows):
    return rows.T @ rows


def test_it_is_computed_once_and_what_was_kept_is_dropped(rows):
    asked = []
    kept = FirstRead(lambda rows: asked.append(len(rows)) or rows.sum(), rows)
    assert not kept.is_read
    assert asked == []
    assert kept.value() == kept.value() == rows.sum()
    assert asked == [50]
    assert kept.is_read
    assert kept._kept is None


def test_without_waiting_it_is_there():
    assert FirstRead(abs, -1, wait=False).is_read
    assert FirstRead(abs, -1, wait=False).value() == 1


def test_a_pickle_has_the_value_or_what_it_is_computed_from(rows):
    sums = FirstRead(products, rows)
    both = FirstRead(np.trace, sums), FirstRead(np.linalg.inv, sums)
    pickled = pickle.dumps(both)
    assert rows.tobytes() not in pickled
    assert sums.is_read
    assert pickled.count(sums.value().tobytes()) == 1
    for there, here in zip(pickle.loads(pickled), both, strict=True):
        assert not there.is_read
        assert not here.is_read
        np.testing.assert_array_equal(there.value(), here.value())
        assert pickle.loads(pickle.dumps(there)).is_read
