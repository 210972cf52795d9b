"""From experiments to rows on disk: what is missing is computed, what is there is left alone.

Tasks go through joblib, in processes of this machine or on a Dask cluster, each with one BLAS
thread. This process alone writes, so a worker that outlives a killed run does no harm. The order in
which tasks come back changes nothing.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import BrokenExecutor
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from time import perf_counter
from typing import Any

from joblib import Parallel, delayed, parallel_config

from .._extras import extra
from ..datasets.settings import canonical_json, setting_hash
from .machine import about_machine, commit, now, own_version
from .measured import missing_tables
from .methods import available, method
from .spec import Entry, Setting, Size, Spec
from .store import Store
from .tasks import SCHEMA_VERSION, Rule, Task, plan
from .trials import Where, run_task, run_tuning
from .tuning import GRID

__all__ = ["RunReport", "Workers", "run"]

# Workers without work leave after this long, so those of a killed run do not stay about.
_IDLE_SECONDS = 10

Progress = Callable[[str, int, int], None]
"""Told what is being done, how much of it is done, and how much there is."""


@dataclass(frozen=True)
class Workers:
    """Who does the work."""

    jobs: int = 1
    backend: str = "loky"
    """"loky": processes of this machine; "dask": a cluster."""
    scheduler: str | None = None
    """The address of Dask's scheduler; None: a cluster on this machine."""
    device: str = "cpu"
    """Where gates are fitted, "cpu" or a device of torch's such as "cuda"."""


@dataclass
class RunReport:
    """What a run did."""

    n_tasks: int = 0
    n_found: int = 0
    """Tasks whose rows were there already."""
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
    specs = list({spec.name: spec for spec in specs}.values())  # some share their trials
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
            with _pool(workers) as parallel:
                tuned = _tuned(pending, store, parallel, progress)
                _computed(pending, tuned, where, store, parallel, progress, report)
        except KeyboardInterrupt:
            report.interrupted = "stopped"
        except BrokenExecutor:
            report.interrupted = "a worker process died; fewer --jobs need less memory"
        report.seconds = perf_counter() - start
        store.write_run(about | _ending(report))
    return report


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


def _entries(size: Size, methods: Sequence[str] | None) -> list[Entry] | None:
    """Return the entries to run: those of the experiment, or those of the named methods."""
    if methods is None:
        return None
    chosen = []
    for name in methods:
        variants = [entry for entry in size.methods if entry.method == name]
        chosen += variants or [Entry(name)]
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
    """Return the tasks without rows; ``fresh`` removes the rows first."""
    unique = list({task.key: task for task in tasks}.values())
    if fresh:
        for task in unique:
            store.forget(task)
    pending = [task for task in unique if not store.has(task)]
    report.n_tasks, report.n_found = len(unique), len(unique) - len(pending)
    return pending


def _tuned(
    tasks: Iterable[Task], store: Store, parallel: Parallel, progress: Progress | None
) -> dict[str, float]:
    """Return the C of every setting that needs one, choosing those not chosen before."""
    wanted: dict[str, tuple[Setting, Rule]] = {}
    for task in tasks:
        if isinstance(task.alpha_scale, Rule) and task.alpha_scale.kind == "per-setting":
            wanted[_tuning_key(task.setting, task.alpha_scale)] = (task.setting, task.alpha_scale)
    found = {key: value for key in wanted if (value := store.tuned(key)) is not None}
    missing = [key for key in wanted if key not in found]
    calls = (delayed(_keyed)(key, run_tuning, *wanted[key]) for key in missing)
    for key, value in _watched(parallel(calls), "choosing C", len(missing), progress):
        setting, rule = wanted[key]
        store.write_tuned(key, value, {"setting": setting, **rule.asdict()})
        found[key] = value
    return found


def _computed(
    tasks: Sequence[Task],
    tuned: dict[str, float],
    where: Where,
    store: Store,
    parallel: Parallel,
    progress: Progress | None,
    report: RunReport,
) -> None:
    """Compute the rows of tasks and put them in place as they come."""
    by_key = {task.key: task for task in tasks}
    calls = (
        delayed(_keyed)(task.key, run_task, task, where, _scale(task, tuned)) for task in tasks
    )
    for key, rows in _watched(parallel(calls), "fitting", len(tasks), progress):
        store.write(by_key[key], rows)
        report.n_done += 1
        errors = [row["message"] for row in rows if row["status"] == "error"]
        if errors and not report.first_error:
            report.first_error = f"{by_key[key].method}: {errors[0]}"
        report.n_errors += len(errors)


def _scale(task: Task, tuned: dict[str, float]) -> float | None:
    rule = task.alpha_scale
    return tuned.get(_tuning_key(task.setting, rule)) if isinstance(rule, Rule) else None


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


def _keyed(key: str, function: Callable[..., Any], *args: Any) -> tuple[str, Any]:
    """Return a result with the name it is known by: results come back in any order."""
    return key, function(*args)


def _watched(
    results: Iterable[Any], what: str, total: int, progress: Progress | None
) -> Iterator[Any]:
    if progress is not None and total:
        progress(what, 0, total)
    for done, result in enumerate(results, start=1):
        yield result
        if progress is not None:
            progress(what, done, total)


@contextmanager
def _pool(workers: Workers) -> Iterator[Parallel]:
    """Give joblib's pool, in processes here or on a Dask cluster."""
    jobs = 1 if workers.device != "cpu" else workers.jobs
    with ExitStack() as stack:
        stack.enter_context(warnings.catch_warnings())
        # What Ctrl-C cancels is no news to whoever pressed it.
        warnings.filterwarnings("ignore", message=".*tasks which were still being processed")
        if workers.backend == "dask":
            stack.enter_context(_dask_client(workers))
            stack.enter_context(parallel_config(backend="dask"))
            jobs = -1
        elif workers.backend == "loky":
            options = {"idle_worker_timeout": _IDLE_SECONDS} if jobs > 1 else {}
            stack.enter_context(parallel_config(backend="loky", **options))
        else:
            raise ValueError(f"there is no backend {workers.backend!r}; use 'loky' or 'dask'.")
        yield Parallel(n_jobs=jobs, return_as="generator_unordered", batch_size=1)


def _dask_client(workers: Workers) -> Any:
    distributed = extra("distributed", "dask")
    if workers.scheduler is not None:
        return distributed.Client(workers.scheduler)
    return distributed.Client(
        n_workers=max(workers.jobs, 1), threads_per_worker=1, dashboard_address=None
    )
