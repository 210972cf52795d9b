"""From the folder of a run to what a page needs: a summary, and the facts about the run.

A folder may come from anywhere. Values in ``run.json`` that have the wrong type are ignored. A
folder without rows has a page that says so.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, NamedTuple

from ..experiments.registry import METHODS
from ..experiments.store import NoRows, read_about, read_rows
from ..experiments.summary import summarize
from .captions import ENTRIES

__all__ = ["Run", "labels_of", "prepared", "read_run"]


class Run(NamedTuple):
    """What was found in a folder."""

    summary: Any
    """One line per setting and method, as :func:`prepared` leaves it; None: there are no rows."""
    facts: list[tuple[str, str]]
    """What to say about the run, in order."""
    command: str
    lead: str


def read_run(folder: Path) -> Run:
    """Return the summary of a folder's rows and what is known about the run."""
    about = _about(folder)
    try:
        rows = read_rows(folder)
    except NoRows:
        if not about:  # no run was here, so the path is probably wrong
            raise
        return Run(None, _facts({}, about), about.get("command", ""), _NOTHING)
    rows = rows[_chosen_size(rows, about)]
    facts = _facts(_of_rows(rows), about)
    return Run(prepared(summarize(rows)), facts, about.get("command", ""), _lead(rows))


_NOTHING = "There are no rows in this folder: no fit was made, or none that can be read."

_LONGEST_RUN = 1e9  # seconds, thirty years; more is an error in the file

_TYPES: dict[str, type | tuple[type, ...]] = {
    "command": str,
    "size": str,
    "machine": dict,
    "versions": dict,
    "unavailable": dict,
    "jobs": int,
    "backend": str,
    "started": str,
    "ended": str,
    "seconds": (int, float),
    "interrupted": bool,
}


def _about(folder: Path) -> dict[str, Any]:
    """Return the fields of run.json that have the type a run writes."""
    found = read_about(folder)
    return {name: found[name] for name, kind in _TYPES.items() if isinstance(found.get(name), kind)}


def _chosen_size(rows: Any, about: dict[str, Any]) -> Any:
    """Mark the rows of one size per experiment: the size of the last run, else the commonest."""

    def chosen(sizes: Any) -> Any:
        wanted = about.get("size")
        return wanted if (sizes == wanted).any() else sizes.value_counts().index[0]

    return rows["size"] == rows.groupby("experiment")["size"].transform(chosen)


def prepared(summary: Any) -> Any:
    """Return the summary with columns for M and for who chooses K, and names for variants.

    Where one experiment has a method under several labels (other parameters), all but the one with
    the method's own label are told apart by name, unless the figure draws them by a parameter.
    """
    summary = summary.copy()
    found = [json.loads(text or "{}") for text in summary["parameters"]]
    summary["n_gate_samples"] = [one.get("gates__n_gate_samples") for one in found]
    summary["size_rule"] = [
        "own size" if name in METHODS and METHODS[name].chooses_size else "exactly K"
        for name in summary["method"]
    ]
    if "label" not in summary:
        summary["label"] = [_own_label(name) for name in summary["method"]]
    counts = summary.groupby(["experiment", "method"])["label"].transform("nunique")
    is_variant = (counts > 1) & (summary["label"] != summary["method"].map(_own_label))
    by_parameter = [name for name, entry in ENTRIES.items() if entry.series != "method"]
    is_variant &= ~summary["experiment"].isin(by_parameter)
    variants = summary.loc[is_variant, "method"] + ": " + summary.loc[is_variant, "label"]
    summary.loc[is_variant, "method"] = variants
    return summary


def _own_label(name: str) -> str:
    return METHODS[name].label if name in METHODS else name


def labels_of(table: Any) -> dict[str, str]:
    """Return the label of each method of a table; the package's own label wins."""
    found = dict(zip(table["method"], table["label"], strict=True))
    return {name: METHODS[name].label if name in METHODS else found[name] for name in found}


def _lead(rows: Any) -> str:
    sizes = ", ".join(sorted(rows["size"].unique()))
    n_methods, n_experiments = rows["method"].nunique(), rows["experiment"].nunique()
    return (
        f"{len(rows):,} trials: {n_methods} method{'s' * (n_methods > 1)}, {n_experiments} "
        f"experiment{'s' * (n_experiments > 1)}, size “{sizes}”. Within an experiment every method "
        "sees the same draws."
    ).replace(",", "\u202f", f"{len(rows):,}".count(","))


def _pairs(table: Any) -> str:
    return ", ".join(f"{name} {value}" for name, value in table.items())


def _of_rows(rows: Any) -> dict[str, str]:
    """Return what the rows themselves say of how they were made."""
    roots = rows.groupby("experiment")["root"].unique()
    seeds = {name: "/".join(map(str, found)) for name, found in roots.items()}
    return {
        "Version": ", ".join(sorted(rows["version"].dropna().unique())),
        "Commit": ", ".join(sorted(rows["commit"].dropna().unique())),
        "Seeds": f"{_pairs(seeds)}; the draws of a trial follow from this root, the setting and "
        "the repetition alone",
        "Device": ", ".join(sorted(rows["device"].dropna().unique())),
        "Fits that failed": _failed(rows),
    }


def _facts(of_rows: dict[str, str], about: dict[str, Any]) -> list[tuple[str, str]]:
    """Return what is known, each with its name; unknown ones are left out."""
    known = of_rows | {
        "Packages": _pairs(about.get("versions", {})),
        "Machine": ", ".join(str(value) for value in _machine(about.get("machine", {}))),
        "Work": _work(of_rows.get("Device", ""), about),
        "Began, ended (UTC)": _times(about),
        "Left out": "; ".join(f"{k}: {v}" for k, v in about.get("unavailable", {}).items()),
    }
    return [(name, known[name]) for name in _FACTS if known.get(name)]


_FACTS = (
    "Version",
    "Commit",
    "Seeds",
    "Packages",
    "Machine",
    "Work",
    "Began, ended (UTC)",
    "Left out",
    "Fits that failed",
)
"""What is said of a run, in this order."""


def _machine(machine: dict[str, Any]) -> list[Any]:
    cores = machine.get("cores")
    words = [machine.get("cpu"), cores and f"{cores} cores", machine.get("system")]
    return [word for word in [*words, "Python " + str(machine.get("python", ""))] if word][
        : 4 if machine else 0
    ]


def _work(devices: str, about: dict[str, Any]) -> str:
    words = [f"{about['jobs']} at a time ({about.get('backend')})"] if "jobs" in about else []
    words.append(f"one BLAS thread each on {devices}" if devices else "one BLAS thread each")
    return ", ".join(words)


def _times(about: dict[str, Any]) -> str:
    started, ended = about.get("started"), about.get("ended")
    if not started:
        return ""
    words = f"{started}, {ended or 'not yet'}"
    seconds = about.get("seconds", 0)
    words += f"; the last run took {seconds / 60:.1f} minutes" if 0 < seconds < _LONGEST_RUN else ""
    return words + (" and was interrupted" if about.get("interrupted") else "")


def _failed(rows: Any) -> str:
    """Say which methods ended with an error, and what the first said."""
    failed = rows[rows["status"] == "error"]
    counts = failed.groupby("method").size().to_dict()
    words = [
        f"{name} in {count} ({failed.loc[failed['method'] == name, 'message'].iloc[0]})"
        for name, count in counts.items()
    ]
    return (
        f"{'; '.join(words)}; left out of all rates and means; the same command tries them again"
        if words
        else ""
    )
