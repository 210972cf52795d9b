"""From experiments to rows on disk: rows that are missing are computed, the others are kept.

Tasks are done by a ``pool``; only this process writes. The order in which tasks come back changes
nothing. Lost tasks are tried again (``attempts``). Tasks in which a fit failed are tried again by
the next run.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from time import perf_counter
from typing import Any

from .._extras import extra
from ..datasets.settings import canonical_json, setting_hash
from .attempts import answers_with_retry, rows_of_tasks
from .machine import commit, own_version
from .pool import Lost, Pool, Workers, pool
from .real_data import missing_tables
from .registry import available, method
from .run_report import RunReport, begin_record, end_record
from .spec import MethodEntry, Setting, Size, Spec
from .store import Store
from .tasks import SCHEMA_VERSION, Rule, Task, plan
from .trial import Where, run_tuning
from .tune import GRID

__all__ = ["RunReport", "run"]

Progress = Callable[[str, int, int], None]
"""Called with what is being done, how much of it is done, and how much there is."""


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
    """Compute the rows of experiments that a folder does not have yet.

    Parameters
    ----------
    specs : sequence of Spec
        The experiments.
    folder : path
        Where rows are written, and where earlier ones are found.
    size : str, default="smoke"
        "smoke", "paper" or another size that the experiments define.
    methods : sequence of str, default=None
        Names of methods to run instead of those of the experiments; the variants (labels,
        parameters) of a method that an experiment has are kept.
    workers : Workers, default=None
        Who does the work; None: this process.
    fresh : bool, default=False
        Whether to compute rows again that are there already.
    command : str, default=""
        What was typed, for the record.
    progress : callable, default=None
        Called as work is done.

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
        record = begin_record(specs, size, workers, command, report)
        record["earlier"] = store.earlier_runs()
        store.write_run({**record, "ended": None})
        try:
            with pool(workers) as answers:
                tuned = _tuned(pending, store, answers, progress)
                scaled = [(task, _scale(task, tuned)) for task in pending]
                _compute(scaled, workers.device, store, answers, progress, report)
        except KeyboardInterrupt:
            report.interrupted = "stopped"
        report.seconds = perf_counter() - start
        store.write_run(record | end_record(report))
    return report


def _distinct(specs: Iterable[Spec]) -> list[Spec]:
    """Return each experiment once; two different ones with the same name are refused."""
    found: dict[str, Spec] = {}
    for spec in specs:
        if found.setdefault(spec.name, spec).text != spec.text:
            raise ValueError(f"two experiments are called {spec.name!r}; rename one file.")
    return list(found.values())


def _check_device(device: str) -> None:
    """Raise where there is no such device, before every row fails for that reason."""
    if device == "cpu":
        return
    torch = extra("torch", "torch")
    try:
        torch.empty(1, device=device)
    except (RuntimeError, AssertionError) as error:
        reason = str(error).splitlines()[0]
        raise ValueError(f"there is no device {device!r} ({reason}); use cpu, or cuda.") from error


def _planned(specs: Iterable[Spec], size: str, methods: Sequence[str] | None) -> list[Task]:
    """Return the tasks of all experiments."""
    return [
        task
        for spec in specs
        for task in plan(spec, size, GRID, _entries(spec.size(size), methods))
    ]


def _entries(size: Size, methods: Sequence[str] | None) -> list[MethodEntry] | None:
    """Return the entries of the named methods; None: those of the experiment."""
    if methods is None:
        return None
    chosen = []
    for name in methods:
        variants = [entry for entry in size.methods if entry.method == name]
        chosen += variants or [MethodEntry(name)]
    return chosen


def _usable(tasks: Sequence[Task], report: RunReport) -> list[Task]:
    """Return the tasks whose method and table are available, and report the others."""
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
            store.remove(task)
            if (rule := _setting_rule(task)) is not None:
                store.remove_tuned(_tuning_key(task.setting, rule))
    pending = [task for task in unique if not store.has(task) or store.has_failed(task)]
    report.n_tasks, report.n_found = len(unique), len(unique) - len(pending)
    return pending


def _tuned(
    tasks: Iterable[Task], store: Store, answers: Pool, progress: Progress | None
) -> dict[str, float]:
    """Return the C of every setting that needs one, by its key; choose those that are missing.

    A setting for which no C could be chosen is left out; the rows of its tasks will say so.
    """
    wanted: dict[str, tuple[Setting, Rule]] = {}
    for task in tasks:
        if (rule := _setting_rule(task)) is not None:
            wanted[_tuning_key(task.setting, rule)] = (task.setting, rule)
    found = {key: C for key, (_, rule) in wanted.items() if (C := store.tuned(key)) in rule.grid}
    calls = [(key, run_tuning, wanted[key]) for key in wanted if key not in found]
    tried = answers_with_retry(calls, answers)
    for key, value in _with_progress(tried, "choosing C", len(calls), progress):
        if not isinstance(value, Lost):
            setting, rule = wanted[key]
            store.write_tuned(key, value, {"setting": setting, **rule.asdict()})
            found[key] = value
    return found


def _compute(
    tasks: Sequence[tuple[Task, float | None]],
    device: str,
    store: Store,
    answers: Pool,
    progress: Progress | None,
    report: RunReport,
) -> None:
    """Compute the rows of tasks, each with its C, and write them as they come."""
    by_key = {task.key: task for task, _ in tasks}
    computed = rows_of_tasks(tasks, Where(own_version(), commit(), device), answers)
    for key, rows in _with_progress(computed, "fitting", len(tasks), progress):
        store.write(by_key[key], rows)
        report.add_rows(by_key[key].method, rows)


def _scale(task: Task, tuned: dict[str, float]) -> float | None:
    """Return the C that was chosen for the task's setting; None: it needs none, or has none."""
    rule = task.alpha_scale
    return tuned.get(_tuning_key(task.setting, rule)) if isinstance(rule, Rule) else None


def _setting_rule(task: Task) -> Rule | None:
    """Return how the C of the task's setting is chosen; None: it has no C of its own."""
    rule = task.alpha_scale
    return rule if isinstance(rule, Rule) and rule.kind == "per-setting" else None


def _tuning_key(setting: Setting, rule: Rule) -> str:
    """Return the hash of everything that determines the C of a setting."""
    return setting_hash(
        {
            "setting": canonical_json(setting),
            **rule.asdict(),
            "root": rule.root,
            "schema": SCHEMA_VERSION,
            "version": own_version(),
        }
    )


def _with_progress(
    results: Iterable[Any], what: str, total: int, progress: Progress | None
) -> Iterator[Any]:
    """Yield results, and tell ``progress`` after each."""
    if progress is not None and total:
        progress(what, 0, total)
    for done, result in enumerate(results, start=1):
        yield result
        if progress is not None:
            progress(what, done, total)
