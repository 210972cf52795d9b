r"""Which of many columns a posterior looks at, and for which others each of them stands.

Of D columns W are looked at, one in each of W cells that together hold them all. The columns with
the highest weights q, about what is expected of their probabilities, have cells of their own. The
others are put in order and cut into cells of one weight; of each the column in the middle stands
for its cell: it counts Σq/q_d times, over the columns of the cell, as if they were all like it, and
of what is found to be its probability each of them has a share in proportion to its q. So a
posterior over W columns is one over all: every member is one of its cell, drawn by these shares.

(Sampling in proportion to size, with as little chance as possible: systematic, from the middle.)
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

__all__ = ["Represented", "represented"]

# Of the weights, which are at most one: none is zero.
_LEAST = 1e-250
# A part of a cell that is larger by this than what is left is all of it.
_ROUNDING = 1e-12


class Represented(NamedTuple):
    """D columns, each represented by one of W."""

    columns: np.ndarray
    """Those that represent them, (W,), in increasing order."""
    cell: np.ndarray
    """Which of these represents each, (D,)."""
    share: np.ndarray
    """Which part it has of what is said of its cell, (D,); one where it is alone there."""
    times: np.ndarray
    """How many columns like itself each counts for, (W,); one where it is alone."""

    @classmethod
    def every(cls, n_columns: int) -> Represented:
        """Return columns that all represent themselves."""
        each = np.arange(n_columns)
        return cls(each, each, np.ones(n_columns), np.ones(n_columns))

    @property
    def is_alone(self) -> np.ndarray:
        """Which of the W represent nothing but themselves, (W,)."""
        return np.bincount(self.cell[self.share > 0.0], minlength=self.columns.size) == 1

    @property
    def cost(self) -> np.ndarray:
        """What each adds to the cost of a support, (W,): −2 log of how often it counts."""
        return -2.0 * np.log(self.times)

    def are_themselves(self, columns: np.ndarray) -> np.ndarray:
        """Return which of some columns, of any shape, have cells of their own."""
        return self.is_alone[self.cell[columns]] & (self.share[columns] > 0.0)

    def share_of(self, support: np.ndarray) -> float:
        """Return the share of a support, (K,), in that of the columns that represent it."""
        is_possible = np.unique(self.cell[support]).size == support.size
        return float(np.prod(self.share[support])) if is_possible else 0.0

    def spread(self, values: np.ndarray) -> np.ndarray:
        """Return for each column, (D,), its share of what is said of its cell, (W,)."""
        return values[self.cell] * self.share

    def fractions(self, columns: np.ndarray) -> np.ndarray:
        """Return which part of each cell, (W,), some columns have, a mask (D,)."""
        few = np.flatnonzero(columns)
        parts = np.bincount(self.cell[few], self.share[few], self.columns.size)
        return np.where(parts > 1.0 - _ROUNDING, 1.0, parts)

    def within(self, columns: np.ndarray, n_columns: int) -> Represented:
        """Return the same where these are ``columns``, (D,), of more; others never belong."""
        cell, share = np.zeros(n_columns, dtype=np.int64), np.zeros(n_columns)
        cell[columns], share[columns] = self.cell, self.share
        return self._replace(columns=columns[self.columns], cell=cell, share=share)


def represented(promise: np.ndarray, size: int) -> Represented:
    """Return at most ``size`` columns that represent all, (D,), or as many as must be there.

    ``promise`` is 2 log q: infinite for columns with cells of their own, −∞ for those that never
    belong, for which nothing stands.
    """
    own, rest = np.flatnonzero(np.isposinf(promise)), np.flatnonzero(np.isfinite(promise))
    n_cells = min(size - own.size, rest.size)
    if n_cells <= 0:
        rest = rest[:0]
    order = rest[np.argsort(-promise[rest], kind="stable")]
    log_q = 0.5 * promise[order]
    # Column after column has a cell of its own while it has the weight of a cell.
    log_left = np.logaddexp.accumulate(log_q[::-1])[::-1]
    n_left = np.maximum(n_cells - np.arange(order.size), 0)
    with np.errstate(divide="ignore"):
        is_alone = log_q + np.log(n_left) >= log_left - 1e-9
    n_alone = int(np.argmin(np.append(is_alone, False)))
    alone, others, log_q = order[:n_alone], order[n_alone:], log_q[n_alone:]
    q = np.maximum(np.exp(log_q - log_q[:1]), _LEAST)
    n_cells -= n_alone
    cell, share = np.zeros(promise.size, dtype=np.int64), np.zeros(promise.size)
    chosen, times = np.concatenate([own, alone]), np.ones(own.size + n_alone)
    if n_cells > 0 and others.size:
        upper = np.cumsum(q) * (n_cells / q.sum())
        middle = np.minimum(
            (upper - 0.5 * np.diff(upper, prepend=0.0)).astype(np.int64), n_cells - 1
        )
        first = np.minimum(np.searchsorted(upper, np.arange(n_cells) + 0.5), others.size - 1)
        weight = np.bincount(middle, q, n_cells)
        chosen = np.concatenate([chosen, others[first]])
        times = np.concatenate([times, weight / q[first]])
    order = np.argsort(chosen)
    place = np.argsort(order)
    cell[own], share[own] = place[: own.size], 1.0
    cell[alone], share[alone] = place[own.size : own.size + n_alone], 1.0
    if n_cells > 0 and others.size:
        cell[others], share[others] = place[own.size + n_alone + middle], q / weight[middle]
    return Represented(chosen[order], cell, share, times[order])
