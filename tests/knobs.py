"""Parameters of a selector by gates in one flat dictionary, as tests combine them."""

import pytest

from projstg import Gates

# For tests in which K reaches the rank of X, which ``fit`` warns of.
many_columns = pytest.mark.filterwarnings("ignore::sklearn.exceptions.DataDimensionalityWarning")

KNOBS = frozenset(Gates().get_params())


def nested(**params):
    """Return the parameters with those of the gates in ``gates=Gates(…)``, if there are any."""
    knobs = {name: params.pop(name) for name in list(params) if name in KNOBS}
    return params | ({"gates": Gates(**knobs)} if knobs else {})
