"""What a newcomer waits for: the import, and the first fit of a process.

Two ratios, each the median of 15 runs, the two taking turns:

- ``python -c "import projstg"`` against ``python -c "import numpy"`` (bar: at most 1.2);
- the first fit of a new process against its second, scikit-learn already imported (bar: at most
  3): nothing is compiled or loaded late.

Run: ``.venv/bin/python benchmarks/import_time.py``
"""

import argparse
import os
import subprocess
import sys
from statistics import median
from time import perf_counter

REPEATS = 15
ENVIRONMENT = os.environ | {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}

TWO_FITS = """
from time import perf_counter
import numpy as np
import sklearn
from projstg import ProjectedSTG

rng = np.random.default_rng(0)
X = rng.standard_normal((40, 64))
y = X[:, :10] @ rng.choice([-1.0, 1.0], size=10) + 0.5 * rng.standard_normal(40)
for _ in range(2):
    start = perf_counter()
    ProjectedSTG(n_features_to_select=10).fit(X, y)
    print(perf_counter() - start)
"""


def run(code):
    """Seconds a new interpreter takes over ``code``, and what it printed."""
    start = perf_counter()
    done = subprocess.run(
        [sys.executable, "-c", code], env=ENVIRONMENT, check=True, stdout=subprocess.PIPE, text=True
    )
    return perf_counter() - start, done.stdout


def report(title, ours, reference, bar):
    ratio = median(ours) / median(reference)
    print(
        f"{title}: {1000 * median(ours):.1f} ms against {1000 * median(reference):.1f} ms, "
        f"ratio {ratio:.2f} (bar {bar}): {'met' if ratio <= bar else 'MISSED'}"
    )


def main():
    argparse.ArgumentParser(description=__doc__.splitlines()[0]).parse_args()
    run("import numpy, projstg")  # bytecode and disk caches are warm for both
    pairs = [(run("import projstg")[0], run("import numpy")[0]) for _ in range(REPEATS)]
    report("import projstg / import numpy", *zip(*pairs, strict=True), bar=1.2)
    fits = [[float(line) for line in run(TWO_FITS)[1].split()] for _ in range(REPEATS)]
    report("first fit / second fit", *zip(*fits, strict=True), bar=3)


if __name__ == "__main__":
    main()
