"""Parameters of a selector by gates in one flat dictionary, as tests combine them; two marks."""

import locale

import pytest

from projstg import Gates

# For tests in which K reaches the rank of X, which ``fit`` warns of.
many_columns = pytest.mark.filterwarnings("ignore::sklearn.exceptions.DataDimensionalityWarning")

# For tests that display an estimator: scikit-learn 1.9 reads its script as the locale says.
displays = pytest.mark.skipif(
    locale.getpreferredencoding(False).lower() != "utf-8",
    reason="scikit-learn cannot read the script of its display in this locale",
)

KNOBS = frozenset(Gates().get_params())


def nested(**params):
    """Return the parameters with those of the gates in ``gates=Gates(…)``, if there are any."""
    knobs = {name: params.pop(name) for name in list(params) if name in KNOBS}
    return params | ({"gates": Gates(**knobs)} if knobs else {})
