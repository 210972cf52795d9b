"""Rows made on another machine, such as one with a GPU and without Parquet.

    python benchmarks/rows_elsewhere.py plan DIR todo.pkl --size paper --methods projected-stg,stg
    python benchmarks/rows_elsewhere.py compute todo.pkl rows.pkl --device cuda [--seconds 540]
    python benchmarks/rows_elsewhere.py take DIR rows.pkl
    python benchmarks/rows_elsewhere.py compare DIR rows.pkl

``plan`` lists the tasks that DIR does not hold and chooses their C; ``compute`` needs NumPy, SciPy,
scikit-learn and torch (PYTHONPATH=src will do) and stops after ``--seconds``; ``take`` puts the
rows where ``projstg reproduce`` finds them. Plan again for the tasks that are left. ``compare``
says how far DIR and the file agree on the tasks that both have.
"""

import argparse
import pickle
from time import perf_counter


def plan(options):
    from projstg.experiments import runner
    from projstg.experiments.pool import Workers, pool
    from projstg.experiments.spec import load_spec, spec_names
    from projstg.experiments.store import Store

    store = Store(options.folder)
    with store.locked():
        store.prepare()
        specs = [load_spec(name) for name in options.names or spec_names()]
        chosen = set(options.methods.split(","))
        tasks = [t for t in runner._planned(specs, options.size, None) if t.method in chosen]
        tasks = [t for t in tasks if options.all or not store.has(t)]
        with pool(Workers(jobs=2)) as answers:
            tuned = runner._tuned(tasks, store, answers, None)
    todo = [(task, runner._scale(task, tuned)) for task in tasks]
    with open(options.file, "wb") as handle:
        pickle.dump(todo, handle)
    print(f"{len(todo)} tasks in {options.file}")


def compute(options):
    from projstg.experiments.machine import own_version
    from projstg.experiments.trial import Where, run_task

    with open(options.todo, "rb") as handle:
        todo = pickle.load(handle)
    where = Where(own_version(), options.commit, options.device)
    start, made = perf_counter(), []
    for task, scale in todo[options.first :]:
        if perf_counter() - start > options.seconds:
            break
        made.append((task, run_task(task, where, scale)))
        with open(options.rows, "wb") as handle:  # after each task, so that none is lost
            pickle.dump(made, handle)
    seconds = perf_counter() - start
    print(f"{len(made)} of {len(todo)} tasks in {seconds:.0f} s on {options.device}")


def rows_in(path):
    with open(path, "rb") as handle:
        return pickle.load(handle)


def take(options):
    from projstg.experiments.store import Store

    store = Store(options.folder)
    with store.locked():
        store.prepare()
        made = rows_in(options.rows)
        for task, rows in made:
            store.write(task, rows)
    print(f"{len(made)} tasks taken into {options.folder}")


def compare(options):
    from projstg.experiments.store import read_rows

    for task, rows in rows_in(options.rows):
        here = read_rows(options.folder, [task.key]).sort_values("repetition")
        same = [list(own) == row["support"] for own, row in zip(here["support"], rows, strict=True)]
        rates = here["exact"].mean(), sum(row["exact"] for row in rows) / len(rows)
        print(
            f"{task.experiment} {task.label} N={task.setting['n_samples']} "
            f"K={task.setting['n_informative']}: same support {sum(same)} of {len(same)}, "
            f"recovered {rates[0]:.2f} here, {rates[1]:.2f} there"
        )


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    jobs = parser.add_subparsers(required=True)
    job = jobs.add_parser("plan")
    job.add_argument("folder")
    job.add_argument("file")
    job.add_argument("names", nargs="*")
    job.add_argument("--size", default="paper")
    job.add_argument("--methods", default="projected-stg,stg")
    job.add_argument("--all", action="store_true", help="also what the folder holds")
    job.set_defaults(run=plan)
    job = jobs.add_parser("compute")
    job.add_argument("todo")
    job.add_argument("rows")
    job.add_argument("--device", default="cuda")
    job.add_argument("--seconds", type=float, default=540.0)
    job.add_argument("--first", type=int, default=0)
    job.add_argument("--commit")
    job.set_defaults(run=compute)
    for name, function in (("take", take), ("compare", compare)):
        job = jobs.add_parser(name)
        job.add_argument("folder")
        job.add_argument("rows")
        job.set_defaults(run=function)
    options = parser.parse_args()
    options.run(options)


if __name__ == "__main__":
    main()
