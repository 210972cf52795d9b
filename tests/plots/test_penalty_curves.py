"""Each rule minimises its penalty, and both are drawn."""

import numpy as np
import pytest
from matplotlib import pyplot
from matplotlib.figure import Figure
from scipy.optimize import minimize_scalar

from projstg import (
    plots,
)
from projstg.plots import penalty_curves as penalty


def minimiser(cost, u):
    """The β that minimises ½(u − β)² + cost(β): the best of a grid, polished, and of zero."""
    grid = np.linspace(0.0, 5.0, 2001)
    value = 0.5 * (u - grid) ** 2 + cost(grid)
    near = grid[np.argmin(value)]
    if near == 0.0:
        return 0.0
    found = minimize_scalar(
        lambda b: 0.5 * (u - b) ** 2 + float(cost(np.asarray(b))),
        bounds=(max(near - 0.01, 0.0), near + 0.01),
        method="bounded",
        options={"xatol": 1e-9},
    )
    return found.x


@pytest.mark.parametrize("name", penalty.CURVES)
def test_each_rule_minimises_its_penalty(name):
    curve = penalty.CURVES[name]
    for u in (0.3, 0.95, 1.05, 1.7, 2.3, 3.2, 3.9):
        best = minimiser(curve.penalty, u)
        assert float(curve.threshold(np.asarray(u))) == pytest.approx(best, abs=1e-5)
        assert float(curve.threshold(np.asarray(-u))) == pytest.approx(-best, abs=1e-5)


@pytest.mark.parametrize("tau", [0.05, 0.5, 2.0, 20.0])
def test_the_rule_of_the_gates_is_hard_thresholding(tau):
    for u in (0.3, 0.6, 0.97, 1.03, 1.3, 2.0, 3.9):
        best = minimiser(lambda beta: penalty.gate_cost(beta, tau), u)
        assert float(penalty.hard_threshold(np.asarray(u))) == pytest.approx(best, abs=1e-5)


@pytest.mark.parametrize("tau", [0.05, 0.5, 2.0])
def test_where_the_other_answer_is_a_local_minimum(tau):
    """Shut gates up to |u| = √2, open ones from √t* on: what the pale lines show."""

    def cost(u, beta):
        return 0.5 * (u - beta) ** 2 + penalty.gate_cost(np.asarray(beta), tau)

    # A small β costs what it takes off where u is the slope to it, which grows to √2 at zero.
    slopes = [float(penalty.gate_cost(np.asarray(b), tau)) / b for b in 10.0 ** -np.arange(1, 10)]
    assert np.all(np.diff(slopes) > 0.0)
    assert 1.3 < slopes[-1] < np.sqrt(2.0)
    step = 1e-4
    lasts = np.sqrt(penalty.gate_penalty(tau).threshold)
    for side in (-step, step):
        assert cost(lasts + 0.01, lasts + 0.01 + side) > cost(lasts + 0.01, lasts + 0.01)
    below = lasts - 0.01
    assert min(cost(below, below + side) for side in (-step, step)) < cost(below, below)


def test_the_penalty_is_drawn_with_its_rule(ax):
    left, right = plots.plot_penalty(0.5, ax=[ax, Figure().add_subplot()])
    assert left is ax
    lines = {line.get_label(): line for line in left.lines}
    gates = lines["gates, τ = 0.5"]
    np.testing.assert_allclose(gates.get_ydata(), penalty.gate_cost(gates.get_xdata(), 0.5))
    drawn = {line.get_label(): line for line in right.lines}["gates and best subsets"]
    u, beta = drawn.get_xdata(), drawn.get_ydata()
    shift = np.abs(beta[np.isfinite(u)] - u[np.isfinite(u)])
    assert np.unique(shift.round(9)).tolist() == [0.0, 1.0]
    axes = plots.plot_penalty()
    assert pyplot.get_fignums() == [axes[0].figure.number]
