"""One of everything that can be drawn."""

import numpy as np
import pytest
from matplotlib import pyplot
from matplotlib.figure import Figure
from pictures import D

from projstg import ProjectedSTG, ProjectedSTGCV, StabilitySelector, plots, projected_stg_path


@pytest.fixture(autouse=True)
def closed():
    """No figure is left open, whatever a test made."""
    yield
    pyplot.close("all")


@pytest.fixture
def ax():
    return Figure().add_subplot()


@pytest.fixture(scope="session")
def data():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(40, D))
    return X, 2.0 * X[:, 1] - X[:, 4] + X[:, 6] + 0.5 * rng.normal(size=40)


@pytest.fixture(scope="session")
def found(data):
    """One of everything that can be drawn."""
    X, y = data
    return {
        "model": ProjectedSTG().fit(X, y),
        "alpha path": projected_stg_path(X, y, n_alphas=12),
        "size path": projected_stg_path(X, y, sizes=6),
        "selector": StabilitySelector(ProjectedSTG(3), n_pairs=4, sizes=range(1, 5)).fit(X, y),
        "cv": ProjectedSTGCV(sizes=5, alpha_scales=[0.1, 1.0], cv=3).fit(X, y),
        "noise": ProjectedSTG().fit(X, np.random.default_rng(1).normal(size=40)),
    }


PICTURES = {
    "gates": (plots.plot_gates, "model"),
    "gates, cross-validated": (plots.plot_gates, "cv"),
    "gates, nothing selected": (plots.plot_gates, "noise"),
    "groups": (plots.plot_groups, "model"),
    "inclusion": (plots.plot_inclusion, "model"),
    "inclusion, nothing selected": (plots.plot_inclusion, "noise"),
    "along λ": (plots.plot_alpha_path, "alpha path"),
    "along sizes": (plots.plot_size_path, "size path"),
    "sizes": (plots.plot_size_path, "model"),
    "sizes, nothing selected": (plots.plot_size_path, "noise"),
    "sizes, cross-validated": (plots.plot_size_path, "cv"),
    "stability": (plots.plot_stability_path, "selector"),
}
NAMED = [name for name in PICTURES if "sizes" not in name]


@pytest.fixture(params=PICTURES)
def picture(request, found):
    draw, of = PICTURES[request.param]
    return lambda **options: draw(found[of], **options)


@pytest.fixture(params=NAMED)
def named_picture(request, found):
    draw, of = PICTURES[request.param]
    return lambda **options: draw(found[of], **options)
