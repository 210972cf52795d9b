"""A row is computed for the first of its keys alone."""

import numpy as np

from projstg._core.posterior.once import Once


def test_only_keys_that_are_new_are_computed_and_each_once():
    asked, rows = [], Once()

    def compute(keys):
        def of(new):
            asked.append([keys[i] for i in new])
            return [(np.asarray([len(keys[i])]),) for i in new]

        return of

    first, second = [b"a", b"bb", b"a"], [b"bb", b"ccc"]
    places = rows.places(first, compute(first)), rows.places(second, compute(second))
    assert places == ([0, 1, 0], [1, 2])
    assert [set(own) for own in asked] == [{b"a", b"bb"}, {b"ccc"}]
    assert rows.column(0, places[1]).tolist() == [[2], [3]]
    assert rows.add(np.asarray([7])) == 3
    assert rows.column(0).tolist() == [[1], [2], [3], [7]]
