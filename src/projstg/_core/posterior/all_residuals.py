r"""The residual of every support of a small table, in one go.

Columns are taken in turn. Every set of the columns so far either stays as it is or takes the next
one in: then what the others and y have in common with it is subtracted (a Schur complement). So
the number of sets doubles with each column, while the number of columns left shrinks, and the
residuals of 2^D sets take a few microseconds more than their number of divisions.
"""

from __future__ import annotations

import numpy as np

__all__ = ["all_residuals"]

# A column of which the others leave less than this share is in doubt: it may depend on them.
_IN_DOUBT = 1e-8
# Rounding, as a share of yᵀy, is a hundredth of that at the most.
_ROUNDING = 1e-7


def all_residuals(
    G: np.ndarray, b: np.ndarray, yy: float, locked: np.ndarray, open_: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Return every set of M open columns, masks (2^M, M), and bounds of the residuals, (2^M,).

    The columns have the Gram matrix G (D, D), b (D,) and yᵀy. ``locked`` are those that must be
    there, ``open_`` those that may be, index arrays. A bound is one from below of the residual sum
    of squares with the set and all that must be there, zero where that is in doubt.
    """
    columns = np.concatenate([locked, open_])
    both = np.zeros((columns.size + 1, columns.size + 1))
    both[:-1, :-1], both[:-1, -1] = G[np.ix_(columns, columns)], b[columns]
    both[-1, :-1], both[-1, -1] = both[:-1, -1], yy
    scale = np.append(np.diagonal(G)[columns], 1.0)
    left, in_doubt = both[None], np.zeros(1, dtype=bool)
    for place in range(columns.size):
        pivot, row, others = left[:, 0, 0], left[:, 0, 1:], left[:, 1:, 1:]
        is_small = pivot <= _IN_DOUBT * scale[place]
        share = row / np.where(is_small, 1.0, pivot)[:, None]
        taken = others - row[:, :, None] * share[:, None, :]
        doubtful = in_doubt | is_small
        if place < locked.size:
            left, in_doubt = taken, doubtful
        else:
            left = np.concatenate([others, taken])
            in_doubt = np.concatenate([in_doubt, doubtful])
    number = np.arange(len(left))
    masks = (number[:, None] >> np.arange(open_.size)) & 1
    least = np.where(in_doubt, 0.0, np.maximum(left[:, 0, 0] - _ROUNDING * yy, 0.0))
    return masks.astype(bool), least
