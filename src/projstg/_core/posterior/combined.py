r"""Probabilities from supports counted exactly and from chains of draws.

Let E be the supports that were counted, with their exact shares among each other. The chains
say which share P(E) of the posterior they have, and what the supports outside E are like. So any
probability is

    P(E) · (its share within E)  +  the mean over the chains' blocks of what lies outside E.

**Sizes.** A step changes the size of a support by one at most, so sizes are what chains take
longest to get around. But a block says exactly how likely its base B is against its supports of one
column more. With u the mean, over blocks with a base of b columns, of the share of the base,

    P(size b + 1) / P(size b) = (1 − u)/u · own(b) / (1 − own(b + 1)),

own(b) being the probability with which a support chooses its own block (:mod:`.chain`). These
ratios give the probabilities of the sizes, and with them the weight that blocks of each size should
have; the chains have to mix only within a size (post-stratification).

**The error** is the jackknife's: one chain after another is left out.
"""

from __future__ import annotations

from functools import cached_property
from typing import NamedTuple

import numpy as np
from scipy.sparse import csr_array, vstack
from scipy.special import stdtrit

from .chain import Sample
from .counted import Counted, support_codes, support_keys
from .joint import Joint, joint_of

__all__ = ["Combined", "Estimate"]

# Shares below this count as outside E without a look: together they are below (D + 1) times that.
_NEGLIGIBLE = 1e-5
# Less than any share that matters, and more than numbers whose reciprocal is infinite.
_TINY = 1e-300


class Estimate(NamedTuple):
    """Probabilities and their Monte Carlo errors."""

    mean: np.ndarray
    error: np.ndarray


class Combined:
    """What counted supports and draws say together; without draws the supports are all there is.

    No error is stated below ``least_error``.
    """

    def __init__(
        self, counted: Counted, sample: Sample | None = None, least_error: float = 0.0
    ) -> None:
        self.counted, self.sample = counted, sample
        self._least_error = least_error
        self._covered = np.ones(1)
        sample = None if sample is None else sample.of_its_steps()
        self._weights, self._counted, self._sample = counted.weights, counted, sample
        if sample is not None:
            self._n_chains = sample.blocks.shape[1]
            self._outside = np.where(_is_counted(counted, sample), 0.0, sample.shares)
            self._mass = self._outside.sum(axis=1)
            self._met, self._groups = _groups(sample)
            self._shares = self._pooled_shares(sample)
            self._covered = self._averages(1.0 - self._mass)

    @property
    def covered(self) -> float:
        """The share of the posterior that the counted supports have."""
        return float(self._covered[0])

    def has_counted(self, masks: np.ndarray) -> np.ndarray:
        """Return which of some supports, (M, D), were counted."""
        return np.isin(support_keys(masks), self._counted.keys)

    def probabilities(self, masks: np.ndarray) -> np.ndarray:
        """Return the probabilities of supports, (M, D), zero for those that were not counted."""
        known, keys = self._counted.keys, support_keys(masks)
        order = np.argsort(known)
        place = order[np.minimum(np.searchsorted(known, keys, sorter=order), order.size - 1)]
        return np.where(known[place] == keys, self.covered * self._weights[place], 0.0)

    def inclusion(self) -> Estimate:
        """Return the probability of each column, (D,)."""
        return self._inclusion

    @cached_property
    def _inclusion(self) -> Estimate:
        inside = self._weights @ self._counted.masks
        if self._sample is None:
            return self._exact(inside)
        with_base = self._sample.bases * self._mass[:, None]
        return self._estimate(inside, with_base + self._outside[:, :-1])

    def sizes(self, n_sizes: int) -> Estimate:
        """Return the probability of each size 0 … n_sizes − 1."""
        inside = np.bincount(self._counted.sizes, self._weights, n_sizes)
        if self._sample is None:
            return self._exact(inside)
        size, every = self._sample.bases.sum(axis=1), np.arange(len(self._outside))
        outside = np.zeros((every.size, n_sizes + 1))
        outside[every, size] = self._outside[:, -1]
        outside[every, size + 1] = self._outside[:, :-1].sum(axis=1)
        return self._estimate(inside, outside[:, :n_sizes])

    def holding(self, columns: np.ndarray) -> Estimate:
        """Return the probability that the support holds all of the columns."""
        inside = np.asarray([self._weights[self._counted.holding(columns)].sum()])
        if self._sample is None:
            return self._exact(inside)
        lacks = ~self._sample.bases[:, columns]
        n_lacking = lacks.sum(axis=1)
        lacking = columns[np.argmax(lacks, axis=1)] if columns.size else n_lacking
        entering = self._outside[np.arange(len(lacking)), lacking]
        outside = np.where(n_lacking == 1, entering, np.where(n_lacking == 0, self._mass, 0.0))
        return self._estimate(inside, outside[:, None])

    def supports(self) -> tuple[np.ndarray, np.ndarray]:
        """Return all supports that were counted or drawn, (M, D), and their weights, (M,)."""
        counted, sample = self._counted.masks, self._sample
        if sample is None:
            return counted, self._weights
        visits = np.bincount(sample.drawn.ravel(), minlength=len(sample.supports))
        new = (visits > 0) & ~np.isin(support_keys(sample.supports), self._counted.keys)
        weights = np.append(self.covered * self._weights, np.zeros(int(new.sum())))
        if new.any():
            weights[len(counted) :] = (1.0 - self.covered) * visits[new] / visits[new].sum()
        masks = np.concatenate([counted, sample.supports[new]])
        return masks, weights / weights.sum()

    def joint(self, columns: np.ndarray) -> Joint:
        """Return what is known of some columns at once."""
        masks = self._counted.masks[:, columns]
        each = np.arange(len(masks))
        alone = (np.ones(each.size), (each, np.full(each.size, columns.size)))
        shares = csr_array(alone, shape=(each.size, columns.size + 1))
        counted = joint_of(columns, masks, shares, self.covered * self._weights)
        if self._sample is None:
            return counted
        listed = self._outside[:, columns]
        rest = self._mass - listed.sum(axis=1)
        drawn = joint_of(
            columns,
            self._sample.bases[:, columns],
            csr_array(np.column_stack([listed, rest])),
            np.tile(self._shares[0], self._n_chains) @ self._groups,
        )
        bases = vstack([counted.bases, drawn.bases], format="csr")
        return Joint(columns, bases, vstack([counted.shares, drawn.shares], format="csr"))

    def _exact(self, inside: np.ndarray) -> Estimate:
        return Estimate(np.clip(inside, 0.0, 1.0), np.zeros_like(inside))

    def _estimate(self, inside: np.ndarray, outside: np.ndarray) -> Estimate:
        """Return the probabilities (Q,), from their shares in E and outside, by block (U, Q)."""
        pooled = self._covered[:, None] * inside + self._averages(outside)
        without = pooled[1:]
        n_chains = len(without)
        spread = np.sum((without - without.mean(axis=0)) ** 2, axis=0) * (1.0 - 1.0 / n_chains)
        # Two such errors hold with the probability of two standard deviations.
        error = 0.5 * stdtrit(n_chains - 1, 0.97725) * np.sqrt(spread)
        return Estimate(np.clip(pooled[0], 0.0, 1.0), np.maximum(error, self._least_error))

    def _sums(self, values: np.ndarray) -> np.ndarray:
        """Return sums over the blocks of each size, (1 + C, S, …): of all chains, and without each.

        ``values`` is (U, …); the sizes are those that were met.
        """
        flat = np.ascontiguousarray(values, dtype=float).reshape(len(values), -1)
        own = (self._groups @ flat).reshape(self._n_chains, -1, *values.shape[1:])
        every = own.sum(axis=0)
        return np.concatenate([every[None], every - own])

    def _pooled_shares(self, sample: Sample) -> np.ndarray:
        """Return the weight of one block of each size met, (1 + C, S), for each pool of chains."""
        stay = sample.shares[:, -1]
        n, stayed = np.zeros((2, 1 + self._n_chains, sample.own.size - 1))
        n[:, self._met] = np.round(self._sums(np.ones_like(stay)))
        stayed[:, self._met] = self._sums(stay)
        is_met = n > 0.0
        counts = np.where(is_met, n, 1.0)
        u = np.clip(stayed / counts, 0.0, 1.0)
        own, leaves = sample.own[:-1], 1.0 - sample.own[1:]
        with np.errstate(divide="ignore", invalid="ignore"):
            log_ratio = np.log(np.maximum(1.0 - u, _TINY)) - np.log(u) + np.log(own / leaves)
        # Where a base cannot stay, or sizes between have not been met, only the counts are known.
        n_met, n_sizes = is_met.sum(axis=1), is_met.shape[1]
        last, first = n_sizes - np.argmax(is_met[:, ::-1], axis=1), np.argmax(is_met, axis=1)
        is_linked = (last - first == n_met) & (n_met > 1)
        is_linked &= np.all(~is_met | ((u > _TINY) & (own > 0.0) & (leaves > 0.0)), axis=1)
        log_ratio = np.where(is_met & is_linked[:, None], log_ratio, 0.0)
        log_size = np.cumsum(np.pad(log_ratio, ((0, 0), (1, 0))), axis=1)
        size = np.exp(log_size - np.max(log_size, axis=1, keepdims=True))
        share = np.where(is_met, size[:, :-1] * own + size[:, 1:] * leaves, 0.0)
        share = np.where(is_linked[:, None], share, n)
        return (share / np.sum(share, axis=1, keepdims=True) / counts)[:, self._met]

    def _averages(self, values: np.ndarray) -> np.ndarray:
        """Return means over blocks, (1 + C, …), from values (U, …)."""
        sums = self._sums(values)
        return np.einsum("ps,ps...->p...", self._shares, sums)


def _groups(sample: Sample) -> tuple[np.ndarray, csr_array]:
    """Return the S sizes of bases met, and how often each chain had each block, (C·S, U)."""
    n_chains = sample.blocks.shape[1]
    met, size = np.unique(sample.bases.sum(axis=1), return_inverse=True)
    group = np.arange(n_chains) * met.size + size[sample.blocks]
    shape = (n_chains * met.size, len(sample.bases))
    ones = np.ones(group.size)
    return met, csr_array((ones, (group.ravel(), sample.blocks.ravel())), shape=shape)


def _is_counted(counted: Counted, sample: Sample) -> np.ndarray:
    """Return which supports of the blocks, (U, D + 1), were counted."""
    codes = support_codes(counted.masks.shape[1])
    zero = np.uint64(0)
    known, base = np.sort(counted.keys), support_keys(sample.bases)
    row, column = np.nonzero(sample.shares > _NEGLIGIBLE)
    keys = base[row] ^ np.append(codes, zero)[column]
    # Most keys are none of the known ones by their last bits alone.
    last = np.zeros(2**16, dtype=bool)
    last[known & np.uint64(2**16 - 1)] = True
    maybe = np.flatnonzero(last[keys & np.uint64(2**16 - 1)])
    few = keys[maybe]
    place = np.minimum(np.searchsorted(known, few), known.size - 1)
    is_known = maybe[known[place] == few]
    found = np.zeros(sample.shares.shape, dtype=bool)
    found[row[is_known], column[is_known]] = True
    return found
