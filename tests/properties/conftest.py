"""What all properties share."""

import warnings

import pytest


@pytest.fixture(autouse=True)
def unconverged_gates_are_no_violation():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.filterwarnings("ignore", "the gates still moved")
        yield
