"""The paper's findings, each compared with the numbers of one run.

A finding is a function of the summary that returns a :class:`Verdict`, or None when the run has no
data for it. The texts are made from the numbers; no outcome is fixed in this file.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import combinations
from typing import Any

import numpy as np
from scipy.special import ndtri

from ..render.number_text import minus_sign, signed
from ..render.sentence import listed
from .captions import ENTRIES
from .claim_stats import ONE_SIDED, Difference, curve, mean_difference, relation
from .panels import panels
from .real_claims import no_worse_on_tables
from .samples_needed import samples_needed
from .verdict import AGAINST, HELD, OPEN, Verdict, caution, sum_up

__all__ = ["FINDINGS", "verdicts"]

PAPER = "projected-stg"
PEERS = ("lasso", "omp", "randomized-omp", "scad", "stg")


def verdicts(summary: Any, labels: dict[str, str]) -> list[Verdict]:
    """Return a verdict for every finding that the run has data for."""
    found = (finding(summary, labels) for finding in FINDINGS)
    return [verdict for verdict in found if verdict is not None]


def _name(method: str, labels: dict[str, str]) -> str:
    return labels.get(method, method)


def fewer_samples(experiment: str, noise_std: float) -> Callable[[Any, dict[str, str]], Any]:
    """Return the finding that Proj-STG needs fewer samples than each of the paper's baselines."""

    def finding(summary: Any, labels: dict[str, str]) -> Verdict | None:
        table = curve(summary, experiment=experiment, noise_std=noise_std)
        ours = curve(table, method=PAPER)
        peers = {name: curve(table, method=name) for name in PEERS}
        peers = {name: rows for name, rows in peers.items() if len(rows)}
        if not len(ours) or not peers:
            return None
        signs = {name: relation(ours, rows) for name, rows in peers.items()}
        where = f"σ = {noise_std:g}, {ENTRIES[experiment].source}"
        named = listed(_name(name, labels) for name in peers)
        return Verdict(
            f"Proj-STG needs fewer samples than {named} ({where}).",
            sum_up(list(signs.values())),
            f"Samples for 90 % recovery: {_name(PAPER, labels)} {samples_needed(ours)}; "
            + _needs(peers, labels)
            + _exceptions(signs, labels)
            + _others(table, labels)
            + caution(table),
        )

    return finding


def _needs(curves: dict[str, Any], labels: dict[str, str]) -> str:
    ends = (f"{_name(name, labels)} {samples_needed(rows)}" for name, rows in curves.items())
    return ", ".join(ends) + "."


def _exceptions(signs: dict[str, int], labels: dict[str, str]) -> str:
    """Name the baselines that are better, and those too close to decide."""
    better = [_name(name, labels) for name, sign in signs.items() if sign < 0]
    level = [_name(name, labels) for name, sign in signs.items() if sign == 0]
    words = f" Not so against {listed(better)}." if better else ""
    return words + (f" Too close to call against {listed(level)}." if level else "")


def _others(table: Any, labels: dict[str, str]) -> str:
    """Add what the paper does not compare: our search, abess and the limit."""
    shown = ("projected-stg-refined", "abess", "limit-common-size")
    found = {name: curve(table, method=name) for name in shown}
    found = {name: rows for name, rows in found.items() if len(rows)}
    return f" Not in the paper: {_needs(found, labels)}" if found else ""


def gap_by_noise(summary: Any, labels: dict[str, str]) -> Verdict | None:
    """Proj-STG leads by more when the noise is strong."""
    table = curve(summary, experiment="recovery_vs_samples")
    gaps = {noise: _lead(curve(table, noise_std=noise), "n_samples") for noise in (0.5, 1.0)}
    if gaps[0.5] is None or gaps[1.0] is None:
        return None
    (calm, calm_rival), (loud, loud_rival) = gaps[0.5], gaps[1.0]
    change = Difference(loud.value - calm.value, float(np.hypot(loud.error, calm.error)))
    return Verdict(
        "The lead over the best baseline is larger at σ = 1 than at σ = 0.5 (Figure 1).",
        {1: HELD, -1: AGAINST, 0: OPEN}[change.sign],
        "Mean success over all N, Proj-STG less the best baseline: "
        f"{signed(calm.value)} at σ = 0.5 (against {_name(calm_rival, labels)}), "
        f"{signed(loud.value)} at σ = 1 (against "
        f"{_name(loud_rival, labels)}); the change is {signed(change.value)} ± "
        f"{ONE_SIDED * change.error:.3f}." + caution(table),
    )


def _lead(table: Any, x: str) -> tuple[Difference, str] | None:
    """Return how far Proj-STG is above the best of the paper's baselines, and which that is."""
    ours = curve(table, method=PAPER)
    peers = {name: curve(table, method=name) for name in PEERS}
    found = {name: mean_difference(ours, rows, x) for name, rows in peers.items()}
    leads = {name: lead for name, lead in found.items() if lead is not None}
    if not leads:
        return None
    closest = min(leads, key=lambda name: leads[name].value)
    return leads[closest], closest


def fall_with_sparsity(summary: Any, labels: dict[str, str]) -> Verdict | None:
    """Success falls as K grows."""
    table = curve(summary, experiment="recovery_vs_sparsity", method=PAPER)
    signs, words = [], []
    for noise, rows in table.groupby("noise_std", sort=True):
        rows = rows.sort_values("n_informative")
        if len(rows) < 2:
            continue
        signs.append(_falls(rows))
        first, last = rows.iloc[0], rows.iloc[-1]
        words.append(
            f"from {first['rate']:.2f} at K = {first['n_informative']} to {last['rate']:.2f} at "
            f"K = {last['n_informative']} with σ = {noise:g}"
        )
    if not signs:
        return None
    rises = " Somewhere it rises by more than the bands allow." if -1 in signs else ""
    return Verdict(
        "Success falls as the sparsity level K grows (Figure 2).",
        sum_up(signs),
        f"{_name(PAPER, labels)} goes {listed(words)}." + rises + caution(table),
    )


def _falls(rows: Any) -> int:
    """Return 1 if a curve falls and never rises beyond its bands, −1 if it does rise, else 0."""
    lows, highs = rows["boot_low"].to_numpy(), rows["boot_high"].to_numpy()
    least_so_far = np.minimum.accumulate(highs)
    if np.any(lows[1:] > least_so_far[:-1]):
        return -1
    return 1 if highs[-1] < lows[0] else 0


def gain_at_large_sparsity(summary: Any, labels: dict[str, str]) -> Verdict | None:
    """Proj-STG gains most where K is large."""
    table = curve(summary, experiment="recovery_vs_sparsity")
    if not len(table):
        return None
    middle = (table["n_informative"].min() + table["n_informative"].max()) / 2
    signs, words = [], []
    for noise, rows in table[table["n_informative"] >= middle].groupby("noise_std", sort=True):
        found = _lead(rows, "n_informative")
        if found is not None:
            lead, peer = found
            signs.append(lead.sign)
            words.append(
                f"{signed(lead.value)} ± {ONE_SIDED * lead.error:.3f} against "
                f"{_name(peer, labels)} with σ = {noise:g}"
            )
    if not signs:
        return None
    return Verdict(
        f"For large K (here from {middle:g} on) Proj-STG does better than every baseline "
        "(Figure 2).",
        sum_up(signs),
        f"Mean success less that of the best baseline: {listed(words)}." + caution(table),
    )


def enough_gate_samples(summary: Any, labels: dict[str, str]) -> Verdict | None:
    """From M = 8 on the curves cannot be told apart."""
    table = curve(summary, experiment="monte_carlo_samples", method=PAPER)
    if "n_gate_samples" not in table:
        return None
    pairs = [
        (lower, upper, noise, change)
        for noise, rows in table.groupby("noise_std", sort=True)
        for (lower, few), (upper, many) in combinations(rows.groupby("n_gate_samples"), 2)
        if lower >= 8 and (change := mean_difference(many, few)) is not None
    ]
    if not pairs:
        return None
    bound = float(ndtri(1.0 - 0.05 / len(pairs)))  # 90 % for all pairs together
    lower, upper, noise, widest = max(pairs, key=lambda pair: abs(pair[3].value) / pair[3].error)
    is_told_apart = abs(widest.value) > bound * widest.error
    return Verdict(
        "From M = 8 on the number of Monte Carlo samples makes no difference (Figure 5).",
        AGAINST if is_told_apart else HELD,
        f"Of {len(pairs)} pairs of curves the clearest difference is M = {upper:g} less M = "
        f"{lower:g} with σ = {noise:g}: {signed(widest.value)} in mean success, against "
        f"{bound * widest.error:.3f} that chance explains." + _fewest(table) + caution(table),
    )


def _fewest(table: Any) -> str:
    """Say what M = 4 costs, where M = 4 and M = 8 were both run."""
    pieces = []
    for noise, rows in table.groupby("noise_std", sort=True):
        four, eight = (curve(rows, n_gate_samples=m) for m in (4, 8))
        change = mean_difference(four, eight)
        if change is not None:
            pieces.append(f"{signed(change.value)} with σ = {noise:g}")
    return f" M = 4 less M = 8: {listed(pieces)}." if pieces else ""


def more_under_correlation(summary: Any, labels: dict[str, str]) -> Verdict | None:
    """Correlated columns need more samples."""
    signs, words = [], []
    for noise in (0.5, 1.0):
        plain, mixed = (
            curve(summary, experiment=name, noise_std=noise, method=PAPER)
            for name in ("recovery_vs_samples", "recovery_correlated")
        )
        change = mean_difference(mixed, plain) if len(plain) and len(mixed) else None
        if change is None:
            continue
        signs.append(relation(plain, mixed))
        words.append(
            f"{samples_needed(plain)} → {samples_needed(mixed)} with σ = {noise:g} (mean success "
            f"{signed(change.value)} ± {ONE_SIDED * change.error:.3f})"
        )
    if not signs:
        return None
    return Verdict(
        "Proj-STG needs more samples when the columns are correlated (Figure 4 against Figure 1).",
        sum_up(signs),
        f"Samples for 90 % recovery, independent → correlated: {listed(words)}."
        + caution(curve(summary, experiment="recovery_correlated", method=PAPER)),
    )


def vanishing_error(summary: Any, labels: dict[str, str]) -> Verdict | None:
    """The estimation error goes to zero: it falls to less than half of its first value."""
    table = curve(summary, experiment="consistency", method=PAPER)
    table = table[table["estimation_error"].notna()]
    signs, words, last = [], [], None
    for panel in panels(table, ENTRIES["consistency"]) if len(table) else []:
        rows = panel.table.sort_values("n_samples")
        if len(rows) < 2:
            continue
        first, last = rows.iloc[0], rows.iloc[-1]
        slope = np.polyfit(np.log(rows["n_samples"]), np.log(rows["estimation_error"]), 1)[0]
        is_halved = last["estimation_error_high"] < 0.5 * first["estimation_error_low"]
        signs.append(-1 if slope >= 0 else int(is_halved))
        words.append(
            f"{panel.title} {first['estimation_error']:.3g} → {last['estimation_error']:.3g}, "
            f"about N^{minus_sign(f'{slope:.2f}')}"
        )
    if last is None:
        return None
    return Verdict(
        "The estimation error goes to zero as N grows with D/N → 0 and Kλ → 0 (Theorem 2, "
        "Corollaries 1 to 3).",
        sum_up(signs),
        f"Mean error of {_name(PAPER, labels)} from N = {first['n_samples']} (D/N = "
        f"{first['n_features'] / first['n_samples']:.2g}) to N = {last['n_samples']} (D/N = "
        f"{last['n_features'] / last['n_samples']:.2g}): {'; '.join(words)}." + caution(table),
    )


def search_reaches_limit(summary: Any, labels: dict[str, str]) -> Verdict | None:
    """Not from the paper: the search misses a better truth in at most 1 % of the problems."""
    method = "projected-stg-refined"
    table = curve(summary, method=method)
    if "optimisation" not in table or not table["optimisation"].notna().any():
        return None
    table = table[table["optimisation"].notna()]
    mean = float(np.average(table["optimisation"], weights=table["n"]))
    return Verdict(
        f"Not from the paper: “{_name(method, labels)}” fails for want of search (the truth scores "
        "better and is not found) in at most one problem in a hundred.",
        HELD if mean <= 0.01 else AGAINST,
        _missed(table, mean),
    )


def _missed(table: Any, mean: float) -> str:
    """Say how often the search failed, and where most."""
    n, worst = int(table["n"].sum()), table.loc[table["optimisation"].idxmax()]
    if mean == 0:
        return f"It never does in {n} trials."
    return (
        f"It does so in {100 * mean:.2f} % of {n} trials; at worst in "
        f"{100 * worst['optimisation']:.0f} % ({worst['experiment']}, N = {worst['n_samples']}, "
        f"K = {worst['n_informative']})."
    )


FINDINGS = (
    fewer_samples("recovery_vs_samples", 1.0),
    fewer_samples("recovery_vs_samples", 0.5),
    gap_by_noise,
    fall_with_sparsity,
    gain_at_large_sparsity,
    fewer_samples("recovery_bernoulli", 1.0),
    more_under_correlation,
    fewer_samples("recovery_correlated", 1.0),
    enough_gate_samples,
    no_worse_on_tables,
    vanishing_error,
    search_reaches_limit,
)
