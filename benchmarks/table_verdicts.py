"""From the errors of a table in its folds to R², differences and whether the bar is met.

R² of a repetition is 1 − Σ(y − ŷ)² / Σ(y − ȳ)² over all its folds, ȳ the mean of the rows that were
fitted; R² of a table is the mean over repetitions. It is also the mean over folds of terms that are
paired between methods, and their spread gives the standard error of a difference. (The folds share
rows, so that it is somewhat too small.)
"""

from statistics import median
from typing import NamedTuple

import numpy as np

FOLDS, REPETITIONS = 5, 2
PEERS = ("abess EBIC", "abess BIC", "LassoCV")
METHODS = ("projstg", *PEERS)
AVERAGED = "projstg, averaged"
MOST_BEHIND, MOST_ERRORS = 0.02, 2.0  # the bar, in R² and in standard errors


class Verdict(NamedTuple):
    """How a table came out."""

    r2: dict
    best: str
    """The peer with the largest R²."""
    difference: float
    """R² of projstg less that of the best peer."""
    error: float
    """Paired standard error of the difference."""
    misses: list
    """What is not as the bar asks, in words."""

    @property
    def is_met(self):
        return not self.misses


def shares(record, name):
    """The terms of a method in each fold, whose mean is 1 − R²."""
    errors = np.reshape(record["errors"][name], (REPETITIONS, FOLDS))
    around_mean = np.reshape(record["errors"]["mean"], (REPETITIONS, FOLDS)).sum(axis=1)
    return (FOLDS * errors / around_mean[:, None]).ravel()


def verdict(record, ours="projstg"):
    """Whether the bar is met, and by how much; ``ours`` may be the averaged prediction."""
    terms = {name: shares(record, name) for name in record["errors"]}
    r2 = {name: float(1.0 - one.mean()) for name, one in terms.items()}
    best = max(PEERS, key=r2.get)
    paired = terms[best] - terms[ours]
    error = float(np.std(paired, ddof=1) / np.sqrt(paired.size))
    difference = float(paired.mean())
    misses = []
    if difference < -max(MOST_BEHIND, MOST_ERRORS * error):
        misses.append("R²")
    if len(record["chosen"]["projstg"]) > len(record["chosen"]["LassoCV"]):
        misses.append("columns")
    return Verdict(r2, best, difference, error, misses)


def median_sizes(records):
    """The median number of columns of projstg and of LassoCV."""
    return [
        median(len(record["chosen"][name]) for record in records.values())
        for name in ("projstg", "LassoCV")
    ]


def in_one_line(records):
    """One line on all tables: who misses, and the medians."""
    missed = {name: verdict(one).misses for name, one in records.items() if verdict(one).misses}
    ours, theirs = median_sizes(records)
    words = "; ".join(f"{name} ({' and '.join(what)})" for name, what in missed.items()) or "none"
    sizes = f"Median of columns {ours:g}, of LassoCV {theirs:g}."
    return f"{len(records)} tables; missed: {words}. {sizes}"
