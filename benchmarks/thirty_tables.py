"""32 real tables: the columns chosen and R² on rows left out, beside abess and LassoCV.

    pip install -r requirements/tables.txt
    PROJSTG_DATA=folder python benchmarks/thirty_tables.py --jobs 2 --page

Each table is a CSV file (known_tables.py) that is read and answered as by `projstg select FILE
--missing drop`; the matrix that came of it, text as 0/1 columns, is given to all methods. R² is of
two times five folds, the same for all, by least squares on the columns that each method chose on
the other rows; the averaged prediction of `projstg predict --averaged` is beside it. What was found
is in docs/thirty_tables.json after each table, and a table that was done at this commit is not done
again. --page writes docs/real_answers.md from that file, --tables runs some, and --show only
prints what is there.
"""

import argparse
import json
import subprocess
import warnings
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter

import numpy as np
import pandas as pd
from joblib import Parallel, delayed, parallel_config
from known_tables import TABLES, written
from real_answers_page import page
from sklearn.model_selection import KFold, RepeatedKFold
from table_peers import abess, lasso, squared_error
from table_verdicts import AVERAGED, FOLDS, METHODS, REPETITIONS, in_one_line, verdict
from threadpoolctl import threadpool_limits

from projstg import select
from projstg.experiments.machine import commit
from projstg.tables.files.read_table import read_table
from projstg.tables.select_columns import chosen_from
from projstg.tables.words.question import TableQuestion

SEED = 20261218
ROOT = Path(__file__).parents[1]
RESULTS, PAGE = ROOT / "docs" / "thirty_tables.json", ROOT / "docs" / "real_answers.md"


@cache
def code_commit():
    """The commit, "-dirty" only if the code is changed: the results are tracked files, too."""
    changed = subprocess.run(
        ["git", "diff", "--quiet", "HEAD", "--", "src", "benchmarks"], cwd=ROOT
    )
    return str(commit()) if changed.returncode else str(commit()).removesuffix("-dirty")


def answer(table):
    """The answer for all rows, and the numbers it was found in."""
    with TemporaryDirectory() as folder:
        read = read_table(written(table, folder))
    question = TableQuestion(target=table.target, never=table.never, missing="drop", folds=0)
    return chosen_from(read, question, perf_counter())


def by_projstg(frame, y, new):
    """The columns that `select` chooses of a matrix with names, and its averaged prediction."""
    found = select((frame, y), folds=0)
    averaged = found.predict(new, averaged=True)["prediction"].to_numpy()
    return frame.columns.isin(found.columns), averaged


def shuffled():
    """The folds within LassoCV; tables are often sorted."""
    return KFold(5, shuffle=True, random_state=0)


def peers(X, y):
    """The columns that each peer chooses, by name, and the lasso itself."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # what they return counts
        model = lasso(shuffled()).fit(X, y)
        found = {
            f"abess {criterion.upper()}": abess(criterion, X.shape).fit(X, y).coef_ != 0.0
            for criterion in ("ebic", "bic")
        }
    return {**found, "LassoCV": model[-1].coef_ != 0.0}, model


def split(frame, y, train, test):
    """Σ(y − ŷ)² on the rows left out, and the number of columns, for each method; that of the mean.

    Columns that do not vary on the other rows are left out for all.
    """
    with threadpool_limits(1):
        own = frame.iloc[train]
        frame = frame.loc[:, own.max() > own.min()]
        X, y_train, truth = standardised(frame.to_numpy()), y[train], y[test]
        supports, model = peers(X[train], y_train)
        supports["projstg"], averaged = by_projstg(frame.iloc[train], y_train, frame.iloc[test])
        errors = {
            name: squared_error(X[train], y_train, X[test], truth, support)
            for name, support in supports.items()
        }
        errors["LassoCV, shrunk"] = float(np.sum((truth - model.predict(X[test])) ** 2))
        errors[AVERAGED] = float(np.sum((truth - averaged) ** 2))
        errors["mean"] = float(np.sum((truth - y_train.mean()) ** 2))
    return errors, {name: int(support.sum()) for name, support in supports.items()}


def standardised(X):
    """Columns of mean zero and mean square one."""
    return (X - X.mean(axis=0)) / X.std(axis=0)


def measured(table, jobs):
    """The record of a table: what each method chose, and its errors in each fold."""
    found, data = answer(table)
    frame = pd.DataFrame(data.X, columns=data.names)
    chosen = {
        name: frame.columns[support].tolist()
        for name, support in peers(standardised(data.X), data.y)[0].items()
    }
    folds = RepeatedKFold(n_splits=FOLDS, n_repeats=REPETITIONS, random_state=SEED).split(frame)
    with parallel_config("loky", inner_max_num_threads=1):
        parts = Parallel(jobs)(delayed(split)(frame, data.y, *one) for one in folds)
    errors, sizes = zip(*parts, strict=True)
    return {
        "commit": code_commit(),
        "n_rows": len(data.y),
        "n_rows_in_file": found.source["n_rows"],
        "n_columns": len(data.names),
        "probability": {one.column: one.probability for one in found.chosen},
        "near": {one.column: one.probability for one in found.others[:3]},
        "all_belong": found.all_belong,
        "chosen": {"projstg": [one.column for one in found.chosen], **chosen},
        "errors": {name: [one[name] for one in errors] for name in errors[0]},
        "sizes": {name: [one[name] for one in sizes] for name in sizes[0]},
    }


def line(name, record):
    """A table on a line of the terminal."""
    own = verdict(record)
    sizes = "".join(f"{len(record['chosen'][one]):4d}" for one in METHODS)
    scores = "".join(f"{own.r2[one]:8.3f}" for one in (*METHODS, "LassoCV, shrunk"))
    words = "" if own.is_met else "  MISSED: " + " and ".join(own.misses)
    return (
        f"{name:14s}{record['n_rows']:6d}{record['n_columns']:4d} {sizes} {scores}"
        f"{own.difference:+8.3f} ± {own.error:.3f}{words}"
    )


def show(records):
    """Print all records."""
    print("rows, columns; columns chosen, then R², by " + ", ".join(METHODS) + "; LassoCV shrunk;")
    print("less the best peer ± paired standard error")
    for name, record in records.items():
        print(line(name, record))
    print(in_one_line(records))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    names = [table.name for table in TABLES]
    parser.add_argument("--tables", nargs="+", choices=names, default=names, metavar="NAME")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--again", action="store_true", help="also those that are done")
    parser.add_argument("--show", action="store_true", help="print what is there, run nothing")
    parser.add_argument("--page", action="store_true", help=f"write {PAGE.name} at the end")
    parser.add_argument("--out", type=Path, default=RESULTS, help="the file with the results")
    given = parser.parse_args()
    records = json.loads(given.out.read_text(encoding="utf-8")) if given.out.exists() else {}
    for table in TABLES if not given.show else ():
        is_done = records.get(table.name, {}).get("commit") == code_commit() and not given.again
        if table.name in given.tables and not is_done:
            records[table.name] = measured(table, given.jobs)
            print(line(table.name, records[table.name]), flush=True)
            records = {name: records[name] for name in names if name in records}
            given.out.write_text(json.dumps(records, indent=1) + "\n", encoding="utf-8")
    show(records)
    if given.page:
        PAGE.write_text(page(records), encoding="utf-8")


if __name__ == "__main__":
    main()
