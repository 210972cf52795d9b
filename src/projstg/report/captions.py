"""The texts of the page: one entry per experiment, how to read them, what differs from the paper.

A new figure is one more entry here. An experiment without an entry (a user's own) is drawn, too:
the axis is the setting with the most values, and everything else that varies makes panels.
"""

from __future__ import annotations

from typing import Any

from .figure_specs import AXES, FigureSpec, axis_label
from .real_captions import REAL_ENTRIES

__all__ = ["COMMON_DEPARTURES", "ENTRIES", "READING", "entry_for", "in_order"]

READING = (
    "The probability of success is the share of runs in which the K columns returned are exactly "
    "the columns of β* that are not zero. Bands are 90 % bootstrap intervals, as in the paper.",
    "The dark dashed line is the limit under the default score (common size): the share of "
    "problems in which no support was found that scores better than the true one. No search by "
    "that score can do better. The grey dashed line is the limit under the evidence, the dotted "
    "line the limit under least squares.",
    "The small panels split what went wrong, for three methods. Grey are statistical failures: "
    "the support returned scores at least as well as the truth, so no search by that score helps. "
    "Red are optimisation failures: the truth scores better and was not found.",
    "Each method keeps its colour and its marker in all figures. The legend has the best first; "
    "the methods with projected gates, the paper's and ours, are drawn thick.",
)
"""How to read the figures of recovery."""


def _recovery(axis: str, setting: str) -> str:
    return f"Probability of success in support recovery against the {axis}. {setting}"


_RIVALS = (
    "Besides the paper's five baselines, the figure has newer methods and this package's own "
    "searches; the paper's own method is the curve named Proj-STG."
)
_GRID = "The paper names an interval for N, but not the points in it; the points are ours."

ENTRIES = {
    entry.experiment: entry
    for entry in (
        FigureSpec(
            "recovery_vs_samples",
            "Success in support recovery against the number of samples",
            _recovery(
                "number of samples N",
                "D = 64, K = 10; the entries of X are standard Gaussian and the non-zero "
                "coefficients ±1 at random places.",
            ),
            "Figure 1",
            shows_split=True,
            departures=(
                "STG is drawn as well: the paper lists it among the methods compared, but leaves "
                "it out where it describes this figure.",
                _GRID,
                _RIVALS,
            ),
        ),
        FigureSpec(
            "recovery_vs_sparsity",
            "Success in support recovery against the sparsity level",
            _recovery("sparsity level K", "D = 64, N = 40, Gaussian design, coefficients ±1."),
            "Figure 2",
            views=("n_informative",),
            shows_split=True,
            departures=(
                "The axis shows K itself. The authors' public notebook labels each point with "
                "its neighbour's K.",
                "At K = 1 the paper's λ is zero, because log K is; we use log max(K, 2) there.",
                _RIVALS,
            ),
        ),
        FigureSpec(
            "recovery_bernoulli",
            "Success in support recovery with a Bernoulli design",
            _recovery(
                "number of samples N",
                "As in Figure 1, with entries of X that are −1 or 1 with equal chance.",
            ),
            "Figure 3",
            shows_split=True,
            departures=(_GRID, _RIVALS),
        ),
        FigureSpec(
            "recovery_correlated",
            "Success in support recovery with correlated columns",
            _recovery(
                "number of samples N",
                "As in Figure 1, with Gaussian rows of Toeplitz covariance, Σ_lm = ρ^|l−m| and "
                "ρ = 0.3.",
            ),
            "Figure 4",
            shows_split=True,
            departures=(_GRID, _RIVALS),
        ),
        FigureSpec(
            "monte_carlo_samples",
            "How many Monte Carlo samples the gates need",
            "Probability of exact support recovery of Proj-STG against the number of samples N, "
            "for several numbers M of gate samples in the estimates of Q and q. D = 64, K = 10, "
            "Gaussian design.",
            "Figure 5",
            series="n_gate_samples",
            departures=(
                "The paper does not say which σ this figure uses; we show σ = 0.5 and σ = 1.",
                "The paper does not say how many samples L serve the gradient; we take L = M.",
            ),
        ),
        *REAL_ENTRIES,
        FigureSpec(
            "consistency",
            "Estimation error as N grows",
            "Mean distance between the paper's estimate and β*, on logarithmic axes, as N grows "
            "with D/N → 0 and Kλ → 0, the conditions of Theorems 2 and 3. One panel per kind of "
            "design: fixed, sub-Gaussian (also with a mean that is not zero, Corollary 2) and "
            "with few moments and bounded rows (Corollary 3). The table gives "
            "D/N, Kλ and Corollary 3's rate (log log D)²(D/N)^(1/2 − 2/q) at each N.",
            "Theorems 2 and 3, Corollaries 1 to 3",
            metric="error",
            shows_rates=True,
            departures=(
                "The paper proves these results and does not simulate them; the figure is ours.",
                "Theorem 3 asks for the largest coefficient of the support to exceed η. Its proof "
                "needs every one to, so we read it as the smallest.",
                "One constant C serves all N, so that λ follows its formula along the grid.",
                "Remark 2 writes λ without the factor 2σ²; we use the formula of section 4.",
            ),
        ),
        FigureSpec(
            "recovery_high_dimension",
            "Success in support recovery among a thousand columns",
            _recovery(
                "number of samples N",
                "A thousand columns, independent or strongly correlated, and coefficients that are "
                "equal in size or decay.",
            ),
            shows_split=True,
            departures=(
                "Not in the paper: it shows what happens beyond its settings.",
                "Algorithm 1 and STG are left out: with so many columns one fit takes minutes.",
            ),
        ),
        FigureSpec(
            "speed",
            "Time per fit",
            "Median wall time of one fit on logarithmic axes, one thread: against the number of "
            "columns and against the number of rows. Only the call to fit is timed, on the same "
            "problems for every method. Bands hold the middle 90 % of the times.",
            views=("n_features", "n_samples"),
            metric="seconds",
            departures=("Not in the paper, which reports no times.",),
        ),
    )
}

COMMON_DEPARTURES = (
    "Every method sees the same draws of X, β* and noise. The paper does not say; its public code "
    "draws anew for each method. Pairing makes differences between curves surer than the bands "
    "suggest.",
    "The constant C of λ is chosen in [0.1, 10] on pilot problems, other draws of the same "
    "setting, by the held-out squared error of the refit on the K columns chosen, once for all "
    "methods with gates. The paper says only that a cross-validated grid search in [0.1, 10] "
    "was made. The line under each figure says which C was used.",
    "The estimate uses the gate without noise, clip(μ). As printed, the paper's estimate holds a "
    "random draw, and the public code trains one gate and reads out another.",
    "The support is the K largest |β̂_d|·‖x_d‖, which is the paper's rule when the columns have one "
    "norm and does not depend on units; ties are broken so that exactly K columns return.",
    "SCAD comes twice: the point of its path with exactly K columns, or a failure if there is "
    "none (as in the public code), and the K largest coefficients. LASSO comes with the paper's λ "
    "and along its path. The paper fixes only that λ.",
    "Adam runs as in the public code (4000 steps, rate 0.001), with 20 gate samples for Q and q, "
    "as the paper says, and 20 more for the gradient, of which it says nothing.",
)


def entry_for(experiment: str, table: Any) -> FigureSpec:
    """Return the entry of an experiment, or one made from what varies in its summary ``table``."""
    if experiment in ENTRIES:
        return ENTRIES[experiment]
    counts = {column: table[column].nunique() for column in AXES if column in table}
    axis = max(counts, key=counts.__getitem__, default="n_samples")
    return FigureSpec(
        experiment,
        experiment.replace("_", " "),
        f"Probability of exact support recovery against {axis_label(axis)[0].lower()}"
        f"{axis_label(axis)[1:]}.",
        views=(axis,),
        shows_split=True,
    )


def in_order(summary: Any) -> list[tuple[str, Any]]:
    """Return the figures with their rows, in the paper's order, then those without an entry."""
    tables = dict(iter(summary.groupby("experiment")))
    sources = {name: entry.trials_of or name for name, entry in ENTRIES.items()}
    found = [(name, tables[source]) for name, source in sources.items() if source in tables]
    return found + sorted((name, tables[name]) for name in tables if name not in ENTRIES)
