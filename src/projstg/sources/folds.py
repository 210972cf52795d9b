"""Which fold a row is in: it depends on the row's number in the source and on the seed alone.

Of every F rows that follow each other, one is in each of the F folds, in a random order. So folds
of a stream have the same number of rows, give or take one, however the rows are sorted and however
they are cut into chunks. (Rows that are left out later, and partitions of Dask, each of which
begins anew, make small differences.)
"""

from __future__ import annotations

import numpy as np

from .._core.arrays.mixed_bits import random_from as random_of_rows

__all__ = ["fold_of_rows", "random_of_rows"]


def fold_of_rows(first: int, n_rows: int, n_folds: int, seed: int) -> np.ndarray:
    """Return the folds, (n_rows,), of rows number ``first`` and on, of a whole stream.

    Examples
    --------
    >>> fold_of_rows(0, 6, 3, 0).tolist()
    [2, 1, 0, 2, 0, 1]
    >>> fold_of_rows(0, 6, 3, 0).tolist() == [*fold_of_rows(0, 4, 3, 0), *fold_of_rows(4, 2, 3, 0)]
    True
    """
    before = first % n_folds
    n_groups = -(-(before + n_rows) // n_folds)
    order = random_of_rows(first - before, n_groups * n_folds, seed).reshape(n_groups, n_folds)
    ranks = np.argsort(np.argsort(order, axis=1), axis=1)
    return ranks.ravel()[before : before + n_rows]
