"""Several calls at once, whatever backend of joblib its user has chosen."""

import warnings

import joblib
import pytest

from projstg import select
from projstg._threads import in_threads


@pytest.mark.parametrize("backend", ["loky", "threading", "multiprocessing"])
def test_it_needs_nothing_of_the_users_backend(backend):
    with joblib.parallel_config(backend=backend, n_jobs=2):
        assert in_threads(lambda number: 2 * number, range(4)) == [0, 2, 4, 6]


def test_an_error_comes_through():
    with pytest.raises(ZeroDivisionError):
        in_threads(lambda number: 1 / number, [1, 0])


def test_filters_of_warnings_stay_as_they_were():
    data = [[float(i), float(i * i % 7)] for i in range(30)]
    before = list(warnings.filters)
    select(data, [row[0] for row in data], sizes="1-2")
    assert list(warnings.filters) == before
