"""How often are a column and its near copy both selected?

    python benchmarks/near_copies.py [--repeated 0.1]

Tables of 80 rows and 11 columns, y = 2x₁ + x₂ − x₃ + noise, and a column whose correlation with x₁
is 0.9 to 0.9999. The case is chosen to be hard: with the near copy there are four effects of one
size. Shown are how often "auto" selects x₁ and the near copy both, how often exactly the true
columns, and the mean probabilities of x₁ and of the near copy. ``--repeated`` is the eigenvalue
below which columns count as repeated; without it the script also runs on older code
(``PYTHONPATH=OLD/src``).
"""

import argparse

import numpy as np

from projstg import ProjectedSTG
from projstg._core.score.score_settings import SCORE

ROOT, TABLES = 20261116, 60
ORIGINAL, COPY, OTHERS = 0, 1, (2, 3)


def drawn(correlation, index):
    """One table and its response."""
    rng = np.random.default_rng([ROOT, index])
    X = rng.standard_normal((80, 11))
    apart = np.sqrt(1.0 - correlation**2)
    X[:, COPY] = correlation * X[:, ORIGINAL] + apart * X[:, COPY]
    signal = 2.0 * X[:, ORIGINAL] + X[:, OTHERS[0]] - X[:, OTHERS[1]]
    return X, signal + 0.7 * rng.standard_normal(80)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--repeated", type=float)
    options = parser.parse_args()
    if options.repeated is not None:
        object.__setattr__(SCORE, "repeated", options.repeated)
    print(f"correlation  both  exact  probabilities   ({TABLES} tables each)")
    for correlation in (0.9, 0.99, 0.999, 0.9999):
        models = [ProjectedSTG().fit(*drawn(correlation, index)) for index in range(TABLES)]
        both = sum(bool(m.support_[ORIGINAL] and m.support_[COPY]) for m in models)
        true = sorted([ORIGINAL, *OTHERS])
        exact = sum(m.get_support(indices=True).tolist() == true for m in models)
        means = np.mean([m.inclusion_probability_[[ORIGINAL, COPY]] for m in models], axis=0)
        print(f"{correlation:11} {both:5} {exact:6}  {means[0]:.2f}, {means[1]:.2f}")


if __name__ == "__main__":
    main()
