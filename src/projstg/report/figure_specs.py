"""What a figure shows: its axis, its metric, what tells its curves apart.

A :class:`FigureSpec` is one figure, a :class:`Metric` one thing that can be drawn. The entries
themselves, with the words under each figure, are in ``captions``.
"""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["METRICS", "SYMBOLS", "FigureSpec", "Metric", "axis_label"]


@dataclass(frozen=True)
class Metric:
    """A column of the summary with its band."""

    column: str
    low: str
    high: str
    label: str
    limits: tuple[float, float] | None = None
    is_logarithmic: bool = False
    lower_is_better: bool = False


METRICS = {
    "recovery": Metric("rate", "boot_low", "boot_high", "Probability of success", (-0.03, 1.03)),
    "tpr": Metric(
        "true_positive_rate",
        "true_positive_rate_low",
        "true_positive_rate_high",
        "True positive rate",
        (-0.03, 1.03),
    ),
    "fdr": Metric(
        "false_discovery_rate",
        "false_discovery_rate_low",
        "false_discovery_rate_high",
        "False discovery rate",
        (-0.03, 1.03),
        lower_is_better=True,
    ),
    "error": Metric(
        "estimation_error",
        "estimation_error_low",
        "estimation_error_high",
        "Estimation error ‖β̂ − β*‖",
        is_logarithmic=True,
        lower_is_better=True,
    ),
    "r2": Metric(
        "held_out_r2", "held_out_r2_low", "held_out_r2_high", "R² on the rows held out (median)"
    ),
    "seconds": Metric(
        "seconds_median",
        "seconds_low",
        "seconds_high",
        "Seconds per fit (median)",
        is_logarithmic=True,
        lower_is_better=True,
    ),
}

# A setting as the paper writes it, and as an axis says it.
SYMBOLS = {
    "n_samples": "N",
    "n_features": "D",
    "n_informative": "K",
    "noise_std": "σ",
    "snr": "SNR",
    "n_gate_samples": "M",
}
AXES = {
    "n_samples": "Number of samples N",
    "n_features": "Number of columns D",
    "n_informative": "Sparsity level K",
    "noise_std": "Noise σ",
    "snr": "Signal-to-noise ratio",
}


def axis_label(column: str) -> str:
    """Return what an axis says for a column of the summary."""
    return AXES.get(column, column)


@dataclass(frozen=True)
class FigureSpec:
    """One figure: which experiment, against what, and what to say about it."""

    experiment: str
    title: str
    caption: str
    source: str = ""
    """Where in the paper; empty for what is ours."""
    views: tuple[str, ...] = ("n_samples",)
    """The x axes, one block of panels each."""
    trials_of: str = ""
    """The experiment whose trials it draws; empty: its own."""
    named: tuple[str, ...] = ()
    """Settings that the title of every panel names, whether they vary or not."""
    metric: str = "recovery"
    series: str = "method"
    """What tells curves apart: ``method``, or a parameter of the method."""
    shows_split: bool = False
    """Whether failures are split below each panel."""
    shows_rates: bool = False
    """Whether the quantities of the theorems are printed beside the figure."""
    departures: tuple[str, ...] = ()
    """What differs from the paper, and why."""
