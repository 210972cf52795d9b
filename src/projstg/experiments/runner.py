"""From experiments to rows on disk: what is missing is computed, what is there is left alone.

Tasks are done by a ``pool``; this process alone writes. The order in which tasks come back changes
nothing. A task that does not come back, because its process died or the problem could not be drawn,
is tried again when all others are done, with nothing beside it, then one repetition at a time; what
is lost again gets a row that says so. Tasks in which a fit failed are tried again by the next run.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from time import perf_counter
from typing import Any

from .._extras import extra
from ..datasets.settings import canonical_json, setting_hash
from .machine import about_machine, commit, now, own_version
from .pool import Call, Lost, Pool, Workers, pool
from .real_data import missing_tables
from .registry import available, method
from .spec import MethodEntry, Setting, Size, Spec
from .store import Store
from .tasks import SCHEMA_VERSION, Rule, Task, plan
from .trial import Where, lost_rows, run_task, run_tuning
from .tune import GRID

__all__ = ["RunReport", "run"]

Progress = Callable[[str, int, int], None]
"""Told what is being done, how much of it is done, and how much there is."""


@dataclass
class RunReport:
    """What a run did."""

    n_tasks: int = 0
    n_found: int = 0
    """Tasks whose rows were there already, none of them an error."""
    n_done: int = 0
    n_errors: int = 0
    """Rows with status "error" among those made."""
    first_error: str = ""
    set_aside: list[str] = field(default_factory=list)
    unavailable: dict[str, str] = field(default_factory=dict)
    """Methods and tables that were left out, and what installs or brings them."""
    seconds: float = 0.0
    interrupted: str = ""
    """Why the run ended early; empty when it did not."""


def run(
    specs: Sequence[Spec],
    folder: str | Path,
    *,
    size: str = "smoke",
    methods: Sequence[str] | None = None,
    workers: Workers | None = None,
    fresh: bool = False,
    command: str = "",
    progress: Progress | None = None,
) -> RunReport:
    """Compute the rows of experiments that a folder does not hold yet.

    Parameters
    ----------
    specs : the experiments
    folder : where rows go, and where those made before are looked for
    size : "smoke", "paper" or another that the experiments define
    methods : names of methods to run instead of those the experiments ask for. Of a method that an
        experiment asks for, its variants are kept.
    workers : who does the work; None: this process
    fresh : whether to compute anew what is there already
    command : what was typed, for the record
    progress : is told how far things are

    Returns
    -------
    report : RunReport
        Ctrl-C ends the run early, and ``interrupted`` says so; what was done by then is kept.
    """
    workers, store, report = workers or Workers(), Store(folder), RunReport()
    specs = _distinct(specs)
    start = perf_counter()
    _check_device(workers.device)
    tasks = _usable(_planned(specs, size, methods), report)
    with store.locked():
        report.set_aside = store.prepare()
        for spec in specs:
            store.write_spec(spec.name, spec.text)
        pending = _pending(tasks, store, fresh, report)
        where = Where(own_version(), commit(), workers.device)
        about = _about(specs, size, workers, command, report) | {"earlier": store.earlier_runs()}
        store.write_run({**about, "ended": None})
        try:
            with pool(workers) as answers:
                tuned = _tuned(pending, store, answers, progress)
                _computed(pending, tuned, where, store, answers, progress, report)
        except KeyboardInterrupt:
            report.interrupted = "stopped"
        report.seconds = perf_counter() - start
        store.write_run(about | _ending(report))
    return report


def _distinct(specs: Iterable[Spec]) -> list[Spec]:
    """Return each experiment once, for some share their trials; one name for two is refused."""
    found: dict[str, Spec] = {}
    for spec in specs:
        if found.setdefault(spec.name, spec).text != spec.text:
            raise ValueError(f"two experiments are called {spec.name!r}; rename one file.")
    return list(found.values())


def _about(
    specs: Sequence[Spec], size: str, workers: Workers, command: str, report: RunReport
) -> dict[str, Any]:
    """Return what is known of a run when it begins."""
    return {
        "command": command,
        "experiments": [spec.name for spec in specs],
        "size": size,
        "roots": {spec.name: spec.root for spec in specs},
        "schema": SCHEMA_VERSION,
        "commit": commit(),
        "device": workers.device,
        "jobs": workers.jobs,
        "backend": workers.backend,
        "time_limit": workers.limits.seconds,
        "blas_threads": 1,
        "unavailable": report.unavailable,
        "started": now(),
        **about_machine(),
    }


def _ending(report: RunReport) -> dict[str, Any]:
    """Return what is known of a run when it ends."""
    return {
        "ended": now(),
        "seconds": report.seconds,
        "n_tasks": report.n_tasks,
        "n_done": report.n_done,
        "interrupted": bool(report.interrupted),
    }


def _check_device(device: str) -> None:
    """Refuse a device that is not there before every row says so."""
    if device == "cpu":
        return
    torch = extra("torch", "torch")
    try:
        torch.empty(1, device=device)
    except (RuntimeError, AssertionError) as error:
        reason = str(error).splitlines()[0]
        raise ValueError(f"there is no device {device!r} ({reason}); use cpu, or cuda.") from error


def _planned(specs: Iterable[Spec], size: str, methods: Sequence[str] | None) -> list[Task]:
    return [
        task
        for spec in specs
        for task in plan(spec, size, GRID, _entries(spec.size(size), methods))
    ]


def _entries(size: Size, methods: Sequence[str] | None) -> list[MethodEntry] | None:
    """Return the entries to run: those of the experiment, or those of the named methods."""
    if methods is None:
        return None
    chosen = []
    for name in methods:
        variants = [entry for entry in size.methods if entry.method == name]
        chosen += variants or [MethodEntry(name)]
    return chosen


def _usable(tasks: Sequence[Task], report: RunReport) -> list[Task]:
    """Return the tasks whose method and table are at hand, and note the others."""
    lacking = {name: available(method(name)) for name in dict.fromkeys(t.method for t in tasks)}
    report.unavailable = {name: how for name, how in lacking.items() if how is not None}
    report.unavailable |= missing_tables(task.setting for task in tasks)
    return [
        task
        for task in tasks
        if not {task.method, task.setting["design"]} & set(report.unavailable)
    ]


def _pending(tasks: list[Task], store: Store, fresh: bool, report: RunReport) -> list[Task]:
    """Return the tasks without rows or with errors; ``fresh`` removes all rows and C first."""
    unique = list({task.key: task for task in tasks}.values())
    if fresh:
        for task in unique:
            store.forget(task)
            if (rule := _rule_of_setting(task)) is not None:
                store.forget_tuned(_tuning_key(task.setting, rule))
    pending = [task for task in unique if not store.has(task) or store.has_failed(task)]
    report.n_tasks, report.n_found = len(unique), len(unique) - len(pending)
    return pending


def _tuned(
    tasks: Iterable[Task], store: Store, answers: Pool, progress: Progress | None
) -> dict[str, float]:
    """Return the C of every setting that needs one, choosing those not chosen before.

    A setting for which none could be chosen is not among them; its tasks will say so.
    """
    wanted: dict[str, tuple[Setting, Rule]] = {}
    for task in tasks:
        if (rule := _rule_of_setting(task)) is not None:
            wanted[_tuning_key(task.setting, rule)] = (task.setting, rule)
    found = {key: C for key, (_, rule) in wanted.items() if (C := store.tuned(key)) in rule.grid}
    calls = [(key, run_tuning, wanted[key]) for key in wanted if key not in found]
    for key, value in _watched(_twice(calls, answers), "choosing C", len(calls), progress):
        if not isinstance(value, Lost):
            setting, rule = wanted[key]
            store.write_tuned(key, value, {"setting": setting, **rule.asdict()})
            found[key] = value
    return found


def _twice(calls: Sequence[Call], answers: Pool) -> Iterator[tuple[str, Any]]:
    """Do calls, and those that were lost once more at the end, alone.

    Those that took too long are done several at once again: it is not others that disturbed them.
    """
    lost: dict[str, Lost] = {}
    for key, answer in answers(calls, False):
        if isinstance(answer, Lost):
            lost[key] = answer
        else:
            yield key, answer
    for is_late in (True, False):
        again = [call for call in calls if call[0] in lost and lost[call[0]].is_late == is_late]
        yield from answers(again, not is_late)


def _computed(
    tasks: Sequence[Task],
    tuned: dict[str, float],
    where: Where,
    store: Store,
    answers: Pool,
    progress: Progress | None,
    report: RunReport,
) -> None:
    """Compute the rows of tasks and put them in place as they come."""
    by_key = {task.key: task for task in tasks}
    rows_of = _rows_of(tasks, tuned, where, answers)
    for key, rows in _watched(rows_of, "fitting", len(tasks), progress):
        store.write(by_key[key], rows)
        report.n_done += 1
        errors = [row["message"] for row in rows if row["status"] == "error"]
        if errors and not report.first_error:
            report.first_error = f"{by_key[key].method}: {errors[0]}"
        report.n_errors += len(errors)


def _rows_of(
    tasks: Sequence[Task], tuned: dict[str, float], where: Where, answers: Pool
) -> Iterator[tuple[str, list[dict[str, Any]]]]:
    """Give the rows of every task; those lost twice come last, a repetition at a time."""
    lost: dict[str, Lost] = {}
    for key, rows in _twice([_call(task.key, task, tuned, where) for task in tasks], answers):
        if isinstance(rows, Lost):
            lost[key] = rows
        else:
            yield key, rows
    for task in (task for task in tasks if task.key in lost):
        pieces = {str(r): replace(task, first=r, last=r + 1) for r in task.repetitions}
        calls = (_call(name, piece, tuned, where) for name, piece in pieces.items())
        found = {
            name: lost_rows(pieces[name], where, rows.reason) if isinstance(rows, Lost) else rows
            for name, rows in answers(calls, not lost[task.key].is_late)
        }
        yield task.key, [row for name in pieces for row in found[name]]


def _call(name: str, task: Task, tuned: dict[str, float], where: Where) -> Call:
    return name, run_task, (task, where, _scale(task, tuned))


def _scale(task: Task, tuned: dict[str, float]) -> float | None:
    rule = task.alpha_scale
    return tuned.get(_tuning_key(task.setting, rule)) if isinstance(rule, Rule) else None


def _rule_of_setting(task: Task) -> Rule | None:
    """Return how the C of the task's setting is chosen; None: it has none of its own."""
    rule = task.alpha_scale
    return rule if isinstance(rule, Rule) and rule.kind == "per-setting" else None


def _tuning_key(setting: Setting, rule: Rule) -> str:
    return setting_hash(
        {
            "setting": canonical_json(setting),
            **rule.asdict(),
            "root": rule.root,
            "schema": SCHEMA_VERSION,
            "version": own_version(),
        }
    )


def _watched(
    results: Iterable[Any], what: str, total: int, progress: Progress | None
) -> Iterator[Any]:
    if progress is not None and total:
        progress(what, 0, total)
    for done, result in enumerate(results, start=1):
        yield result
        if progress is not None:
            progress(what, done, total)
