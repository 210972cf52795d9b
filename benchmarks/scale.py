"""How far it goes: rows without end, a million columns, many responses; time and memory.

    python benchmarks/scale.py rows                10⁸ rows of 50 columns, in chunks
    python benchmarks/scale.py parquet             10⁷ rows of 100 columns from a folder (4 GB)
    python benchmarks/scale.py dense sparse        10⁶ columns, beside other methods
    python benchmarks/scale.py responses           1000 responses of one table
    python benchmarks/scale.py rows --small        a hundredth of the size or so, to try it

Needs the extras `peers` and `cli`, Polars and DuckDB (make setup). Memory is what the process has
beyond what it had before, at its peak, looked at a hundred times a second. Each method of `dense`
and `sparse` runs in a process of its own, with the same table.
"""

import argparse
import json
import subprocess
import sys
import tempfile
import threading
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from time import perf_counter, sleep

import numpy as np
import scipy.sparse

from projstg import ProjectedSTG, Statistics, fit_many
from projstg._core.data.shared_sums import shared_sums
from projstg.estimators.questions import prepare_sums, request_of, solve_in_blocks
from projstg.experiments.machine import commit
from projstg.versions import kernel_in_words


class Peak:
    """Seconds, and gigabytes at the peak beyond those at the start."""

    seconds = gigabytes = 0.0


def resident():
    with open("/proc/self/statm", encoding="ascii") as file:
        return int(file.read().split()[1]) * 4096


@contextmanager
def measured():
    found, start, over = Peak(), resident(), threading.Event()
    most = [start]

    def watch():
        while not over.is_set():
            most[0] = max(most[0], resident())
            sleep(0.01)

    watcher = threading.Thread(target=watch)
    watcher.start()
    began = perf_counter()
    try:
        yield found
    finally:
        found.seconds = perf_counter() - began
        over.set()
        watcher.join()
        found.gigabytes = (most[0] - start) / 1e9


def rows(small):
    """One pass over chunks; the bare sums of the same chunks beside, taking turns."""
    n_rows, n_columns, size = (10**6 if small else 10**8), 50, 250_000
    rng, beta = np.random.default_rng(0), np.zeros(n_columns)
    beta[[3, 17, 29]] = 1.0, -1.0, 0.5
    found, own, bare = Statistics(), 0.0, 0.0
    with measured() as whole:
        for _ in range(n_rows // size):
            X = rng.standard_normal((size, n_columns)) + 5.0
            y = X @ beta + rng.standard_normal(size)
            start = perf_counter()
            found.update(X, y)
            own, start = own + perf_counter() - start, perf_counter()
            _ = X.T @ X, X.T @ y, y @ y
            bare += perf_counter() - start
        start = perf_counter()
        model = ProjectedSTG().fit(found)
        fit = perf_counter() - start
    print(
        f"{n_rows} × {n_columns} in chunks of {size}: sums {own:.1f} s, bare XᵀX {bare:.1f} s: "
        f"{(own + fit) / bare:.2f}×; the fit {fit:.2f} s; peak {whole.gigabytes:.2f} GB; selected "
        f"{model.get_support(indices=True).tolist()}",
        flush=True,
    )


def write_parquet(folder, n_rows, n_columns, n_files):
    import pyarrow
    import pyarrow.parquet

    rng = np.random.default_rng(0)
    for i in range(n_files):
        X = rng.standard_normal((n_rows // n_files, n_columns), dtype=np.float32)
        y = X[:, 3] - X[:, 17] + rng.standard_normal(len(X), dtype=np.float32)
        columns = {f"x{j}": X[:, j] for j in range(n_columns)} | {"y": y}
        pyarrow.parquet.write_table(
            pyarrow.table(columns), folder / f"part-{i:03}.parquet", compression="none"
        )


def sums_in_sql(n_columns):
    """Every sum of products, as a query: what XᵀX and Xᵀy are."""
    names = [*(f"x{j}" for j in range(n_columns)), "y"]
    return [(a, b) for i, a in enumerate(names) for b in names[i:]]


def parquet(small):
    import duckdb
    import polars
    import pyarrow.parquet

    n_rows, n_columns = (10**5 if small else 10**7), 100
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write_parquet(folder, n_rows, n_columns, 20)
        size = sum(path.stat().st_size for path in folder.iterdir()) / 1e9
        with measured() as own:
            model = ProjectedSTG().fit(folder, "y")
        selected = model.get_feature_names_out().tolist()
        print(f"{n_rows} × {n_columns} from {size:.1f} GB of Parquet")
        print(
            f"  projstg {own.seconds:.1f} s, peak {own.gigabytes:.2f} GB, selected {selected}",
            flush=True,
        )
        with measured() as read:
            for path in sorted(folder.iterdir()):
                for batch in pyarrow.parquet.ParquetFile(path).iter_batches(16_384):
                    columns = [batch.column(i).to_numpy() for i in range(batch.num_columns)]
                    Z = np.stack(columns, axis=1).astype(np.float64)
                    _ = Z.T @ Z
        print(f"  read and bare XᵀX in double {read.seconds:.1f} s, {read.gigabytes:.2f} GB")
        pairs, files = sums_in_sql(n_columns), str(folder / "*.parquet")
        with measured() as in_polars:
            sums = [
                (polars.col(a).cast(polars.Float64) * polars.col(b)).sum().alias(f"{a}*{b}")
                for a, b in pairs
            ]
            polars.scan_parquet(files).select(sums).collect(engine="streaming")
        print(f"  Polars, the same sums {in_polars.seconds:.1f} s, {in_polars.gigabytes:.2f} GB")
        with measured() as in_duckdb:
            terms = ", ".join(f"sum({a}::DOUBLE * {b})" for a, b in pairs)
            duckdb.sql(f"SELECT {terms} FROM '{files}'").fetchall()
        print(f"  DuckDB, the same sums {in_duckdb.seconds:.1f} s, {in_duckdb.gigabytes:.2f} GB")


def wide_problem(kind, n_columns):
    """K = 20, SNR 10; 500 dense rows in single precision, or 2000 with one cell in a hundred."""
    rng, k = np.random.default_rng(0), 20
    if kind == "dense":
        X = np.empty((500, n_columns), dtype=np.float32)
        for row in X:
            row[:] = rng.standard_normal(n_columns, dtype=np.float32)
    else:
        X = scipy.sparse.random_array(
            (2000, n_columns),
            density=0.01,
            rng=rng,
            format="csc",
            data_sampler=rng.standard_normal,
        )
    support = np.sort(rng.choice(n_columns, k, replace=False))
    signal = np.asarray(X[:, support] @ rng.choice([-1.0, 1.0], k), dtype=float).ravel()
    return X, signal + np.sqrt(signal.var() / 10.0) * rng.standard_normal(len(signal)), support


def by_projstg(X, y, k):
    return np.flatnonzero(ProjectedSTG(k).fit(X, y).support_)


def by_abess(X, y, k):
    from abess import LinearRegression

    return np.flatnonzero(LinearRegression(support_size=k).fit(X, y).coef_)


def by_omp(X, y, k):
    from sklearn.linear_model import OrthogonalMatchingPursuit

    return np.flatnonzero(OrthogonalMatchingPursuit(n_nonzero_coefs=k).fit(X, y).coef_)


def by_mcp(X, y, k):
    """Down a path of α fixed beforehand, until k columns are in."""
    from skglm import MCPRegression

    most = float(np.max(np.abs(X.T @ (y - y.mean()))) / len(y))
    for alpha in most * np.geomspace(0.8, 0.05, 15):
        model = MCPRegression(alpha=float(alpha)).fit(X, y)
        if np.count_nonzero(model.coef_) >= k:
            break
    return np.sort(np.argsort(-np.abs(model.coef_))[:k])


METHODS = {"projstg": by_projstg, "omp": by_omp, "abess": by_abess, "mcp": by_mcp}


def one_method(kind, name, n_columns):
    X, y, support = wide_problem(kind, n_columns)
    sparse, rng = kind == "sparse", np.random.default_rng(1)
    tiny = rng.standard_normal((30, 40))  # what is compiled at the first call is compiled here
    METHODS[name](scipy.sparse.csc_array(tiny) if sparse else tiny.astype("f4"), tiny[:, 0], 1)
    size = sum(part.nbytes for part in (X.data, X.indices, X.indptr)) if sparse else X.nbytes
    with measured() as found:
        chosen = METHODS[name](X, y, support.size)
    row = {
        "seconds": found.seconds,
        "gigabytes": found.gigabytes,
        "x": size / 1e9,
        "right": bool(np.array_equal(chosen, support)),
    }
    print(json.dumps(row))


def wide(kind, small, limit):
    n_columns = 10**4 if small else 10**6
    print(f"{kind}, {n_columns} columns, K = 20, SNR 10")
    for name in METHODS:
        if kind == "sparse" and name == "omp":
            continue  # dense only
        command = [sys.executable, __file__, "--method", kind, name, str(n_columns)]
        try:
            run = subprocess.run(command, capture_output=True, text=True, timeout=limit, check=True)
        except (subprocess.CalledProcessError, subprocess.TimeoutExpired) as error:
            said = str(getattr(error, "stderr", "") or error).strip().splitlines()[-1:]
            print(f"  {name}: did not finish ({type(error).__name__}: {said})", flush=True)
            continue
        row = json.loads(run.stdout.splitlines()[-1])
        print(
            f"  {name}: {row['seconds']:.1f} s, peak {row['gigabytes']:.2f} GB beyond X of "
            f"{row['x']:.2f} GB, {'right' if row['right'] else 'wrong'}",
            flush=True,
        )


def responses(small):
    n_rows, n_columns, n_problems, k = 1000, 200, (50 if small else 1000), 10
    rng = np.random.default_rng(0)
    X = rng.standard_normal((n_rows, n_columns))
    beta = np.zeros((n_problems, n_columns))
    for own in beta:
        own[rng.choice(n_columns, k, replace=False)] = rng.choice([-1.0, 1.0], k)
    Y = beta @ X.T + rng.standard_normal((n_problems, n_rows))
    for probabilities in (False, True):
        model = ProjectedSTG(k, probabilities=probabilities)
        start = perf_counter()
        many = fit_many(X, Y, k, probabilities=probabilities)
        together = perf_counter() - start
        question = prepare_sums(request_of(model), shared_sums(X, Y.T))
        start = perf_counter()
        solve_in_blocks(question, many.seeds, None)
        searches, start = perf_counter() - start, perf_counter()
        same = [
            np.array_equal(model.set_params(random_state=seed).fit(X, y).support_, row)
            for seed, y, row in zip(many.seeds, Y, many.support, strict=True)
        ]
        alone = perf_counter() - start
        print(
            f"{n_problems} responses of ({n_rows}, {n_columns}), K = {k}, "
            f"{'with' if probabilities else 'without'} probabilities: {together:.1f} s, searches "
            f"from sums at hand {searches:.1f} s: {together / searches:.2f}×; {n_problems} fits "
            f"{alone:.1f} s: {alone / together:.1f} times as long; {sum(same)} answers the same",
            flush=True,
        )


PARTS = {
    "rows": rows,
    "parquet": parquet,
    "dense": partial(wide, "dense"),
    "sparse": partial(wide, "sparse"),
    "responses": responses,
}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("parts", nargs="*", help=", ".join(PARTS))
    parser.add_argument("--small", action="store_true", help="a hundredth of the size or so")
    parser.add_argument("--limit", type=float, default=900, help="seconds for each other method")
    parser.add_argument("--method", nargs=3, help=argparse.SUPPRESS)
    asked = parser.parse_args()
    if asked.method:
        one_method(*asked.method[:2], int(asked.method[2]))
        return
    print(f"commit {commit()}, kernel: {kernel_in_words()}")
    for name in asked.parts or PARTS:
        limit = {"limit": asked.limit} if name in ("dense", "sparse") else {}
        PARTS[name](small=asked.small, **limit)


if __name__ == "__main__":
    main()
