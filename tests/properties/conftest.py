"""What all properties share."""

import warnings

import pytest
from sklearn.exceptions import DataDimensionalityWarning


@pytest.fixture(autouse=True)
def unconverged_gates_and_many_columns_are_no_violation():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.filterwarnings("ignore", "the gates still moved")
        warnings.simplefilter("ignore", DataDimensionalityWarning)
        yield
