r"""Supports drawn from their posterior: a chain that redraws one column at a time.

The chain moves over supports S and ridges κ. One step chooses a *block*: a base B, and all supports
that are B itself or B with one column more. Their scores at κ are all known in closed form
(:mod:`..score.updates`), so the next support is drawn from the posterior within the block, and no
step is refused. A support of K columns chooses

    with probability own(K)        its own block, B = S, where it may grow,
    otherwise                      B = S less one free member i, in proportion to a number d_i,

and the posterior within a block is multiplied by the probability of choosing that block. This is
Gibbs sampling of (S, block), which leaves the posterior as it is. With K given own(K) = 0, and a
step exchanges one member; with K free a step also adds or leaves out a column. κ is drawn given S
now and then. Any d_i will do; larger ones for columns in doubt save steps that only take out a
column that belongs and put it back.

**What is kept** of a step is the base and the probabilities within the block (Rao and Blackwell):
they average over all supports of the block, not only over the one drawn. Chains come back to the
same blocks again and again; each block at each ridge is computed once.

Chains of different sizes make their steps together. A shorter base is filled with a column of
zeros. That changes no evidence: its prior integrates to one, whatever its coefficient; and it does
not count in the size.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np

from ..data.determined_directions import spectrum
from ..score.criterion import Judge
from ..score.dilution import entering_costs, is_dependent
from ..score.evidence import ridge_scores, total_score, undiluted_scores
from ..score.prior import spectral_dilution
from ..score.tableau import Field, tableau_of_rows
from ..score.updates import added
from .counted import Counted
from .once import Once
from .posterior_settings import POSTERIOR, PosteriorSettings

__all__ = ["ChainLaw", "Chains", "Sample", "chain_law", "temperatures"]

# Instead of zero under a logarithm.
_TINY = 1e-300


class Sample(NamedTuple):
    """The blocks of T steps of C chains; there are U different ones."""

    bases: np.ndarray
    """(U, D)."""
    shares: np.ndarray
    """(U, D + 1): the probability, within the block, of the base with each column; the last is
    that of the base itself."""
    blocks: np.ndarray
    """(T, C): which block each step had."""
    supports: np.ndarray
    """(V, D): different supports that the chains were at when their ridges were drawn."""
    drawn: np.ndarray
    """(T', C): which of them they were at, at the T' of these steps that drew ridges."""
    own: np.ndarray
    """own(K) of the sizes 0 … K_max + 1."""

    def of_its_steps(self) -> Sample:
        """Return the same without blocks that no step had: those of steps not kept."""
        used, places = np.unique(self.blocks, return_inverse=True)
        return self._replace(
            bases=self.bases[used],
            shares=self.shares[used],
            blocks=places.reshape(self.blocks.shape),
        )

    def after(self, other: Sample) -> Sample:
        """Return the steps of an earlier sample of the same chains and then these."""
        return self._replace(
            blocks=np.concatenate([other.blocks, self.blocks]),
            drawn=np.concatenate([other.drawn, self.drawn]),
        )


class ChainLaw(NamedTuple):
    """Which block a support chooses, and what that adds to the costs within a block."""

    own: np.ndarray
    """own(K) of the sizes 0 … K_max + 1."""
    stays: np.ndarray
    """The cost of a base that stays, by its size, (K_max + 1,)."""
    grows: np.ndarray
    """The cost of a base that grows, by its size, (K_max + 1,)."""
    doubt: np.ndarray
    """d, (D,)."""
    log_doubt: np.ndarray
    """(D,), more by −½ of what a column adds to the cost of a support."""


def chain_law(
    cost_of_size: np.ndarray,
    locked: np.ndarray,
    doubt: np.ndarray,
    cost_of_column: np.ndarray | None,
) -> ChainLaw:
    """Return the law for the sizes that ``cost_of_size`` has, with ``doubt`` (D,).

    Members ``locked``, (D,), are never taken out; ``cost_of_column`` (D,) is what each adds, None
    nothing.
    """
    extra = 0.0 if cost_of_column is None else cost_of_column
    doubt, sizes = np.where(locked, 0.0, doubt), np.flatnonzero(np.isfinite(cost_of_size))
    every = np.arange(cost_of_size.size + 1)
    own = np.where(every >= sizes[-1], 0.0, np.where(every <= sizes[0], 1.0, 0.5))
    with np.errstate(divide="ignore"):
        stays = cost_of_size - 2.0 * np.log(own[:-1])
        grows = np.append(cost_of_size[1:], np.inf) - 2.0 * np.log(1.0 - own[1:])
        return ChainLaw(own, stays, grows, doubt, np.log(doubt) - 0.5 * extra)


def temperatures(n_steps: int, settings: PosteriorSettings) -> np.ndarray:
    """Return those of steps in which chains forget where they began, (n_steps,)."""
    cooled = np.arange(n_steps) / (settings.cooling * n_steps)
    return np.maximum(settings.hottest - (settings.hottest - 1.0) * cooled, 1.0)


class Chains:
    """C chains of one problem, all at the same step.

    ``masks`` (C, D) are the supports they begin from, ``cost_of_size`` has −2 log(prior(K)/C(D, K))
    for each size 0 … K_max, infinite for sizes not asked for, ``doubt`` (D,) is the d above, and
    ``cost_of_column`` (D,) what each member adds.
    """

    def __init__(
        self,
        field: Field,
        judge: Judge,
        cost_of_size: np.ndarray,
        masks: np.ndarray,
        doubt: np.ndarray,
        generator: np.random.Generator,
        settings: PosteriorSettings = POSTERIOR,
        cost_of_column: np.ndarray | None = None,
    ) -> None:
        self.masks, self.judge, self.cost_of_size = masks.copy(), judge, cost_of_size
        self.generator, self.settings = generator, settings
        self.field = _with_zero_column(field)
        self.excluded, self._n_redundant = field.excluded, field.n_redundant
        self.law = chain_law(cost_of_size, field.locked, doubt, cost_of_column)
        self.diagonal = np.diagonal(self.field.G)
        self.ridge = np.zeros(len(masks), dtype=np.int64)
        self._dependent: dict[bytes, bool] = {}
        # Bases and shares of blocks; supports with their scores at each ridge, and their costs.
        self._known, self._supports = Once(), Once()
        self._drawn: list[list[int]] = []

    def run(self, n_steps: int) -> Sample:
        """Make so many steps and return their blocks."""
        self._drawn = []
        blocks = np.asarray([self._step(step) for step in range(n_steps)])
        supports, drawn = self._supports.column(0), np.asarray(self._drawn)
        bases, shares = self._known.column(0), self._known.column(1)
        return Sample(bases, shares, blocks, supports, drawn, self.law.own)

    @property
    def visited(self) -> Counted:
        """The supports the chains were at when their ridges were drawn, costs from sums alone.

        What members add is not in them.
        """
        return Counted(self._supports.column(0), self._supports.column(2))

    def cool_down(self, n_steps: int) -> None:
        """Make steps that forget where the chains began, and are not kept.

        First they are drawn from a flatter law, the posterior to the power 1/T; T falls to one.
        Where supports that fit well lie far apart, a chain at T = 1 would stay where it began.
        """
        for step, temperature in enumerate(temperatures(n_steps, self.settings).tolist()):
            self._step(step, temperature)

    def _step(self, step: int, temperature: float = 1.0) -> list[int]:
        """Make a step and return the places of the chains' blocks."""
        if step % self.settings.steps_at_a_ridge == 0:
            self._draw_ridges()
        bases = self._bases()
        blocks, share = self._blocks(bases)
        if temperature > 1.0:
            share = share ** (1.0 / temperature)
            share /= share.sum(axis=1, keepdims=True)
        drawn = np.cumsum(share, axis=1) < self.generator.random((len(share), 1))
        chosen = np.minimum(drawn.sum(axis=1), share.shape[1] - 1)
        self.masks = bases
        grown = np.flatnonzero(chosen < bases.shape[1])
        self.masks[grown, chosen[grown]] = True
        return blocks

    def _bases(self) -> np.ndarray:
        """Return the base of the block that each chain chooses, (C, D)."""
        draws = self.generator.random((2, len(self.masks)))
        leaves = draws[0] >= self.law.own[self.masks.sum(axis=1)]
        sums = np.cumsum(np.where(self.masks, self.law.doubt, 0.0), axis=1)
        place = np.sum(sums <= draws[1][:, None] * sums[:, -1:], axis=1)
        bases = self.masks.copy()
        bases[leaves, place[leaves]] = False
        return bases

    def _blocks(self, bases: np.ndarray) -> tuple[list[int], np.ndarray]:
        """Return the places of the chains' blocks with these bases, and the shares (C, D + 1)."""

        def compute(new: list[int]) -> Iterable[tuple[np.ndarray, ...]]:
            own = bases[new]
            return zip(own, self._shares(own, self.ridge[new]), strict=True)

        keys = [one.tobytes() + at.tobytes() for one, at in zip(bases, self.ridge, strict=True)]
        blocks = self._known.places(keys, compute)
        shares = self._known.column(1, blocks)
        # Where rounding makes all supports of a block dependent, the chain stays.
        for c in np.flatnonzero(~shares.any(axis=1)).tolist():
            shares[c] = self._staying(c, bases[c])
            blocks[c] = self._known.add(bases[c].copy(), shares[c].copy())
        return blocks, shares

    def _staying(self, chain: int, base: np.ndarray) -> np.ndarray:
        """Return the shares of a block in which a chain stays where it is, (D + 1,)."""
        shares = np.zeros(base.size + 1)
        left = np.flatnonzero(self.masks[chain] & ~base)
        shares[left if left.size else base.size] = 1.0
        return shares

    def _shares(self, bases: np.ndarray, ridge: np.ndarray) -> np.ndarray:
        """Return the probabilities within blocks, (C, D + 1), zero where nothing is possible."""
        members = _padded(bases)
        rows = self.field.G[members]
        sizes = bases.sum(axis=1)
        costs = self._scores(members, rows, sizes, ridge)
        costs += self._dilution(bases, members, rows)
        # A support of one column j more chooses this base with (1 − own(K + 1)) d_j/Σd.
        law = self.law
        doubt = (bases @ law.doubt)[:, None] + law.doubt
        log_share = law.log_doubt - np.log(np.maximum(doubt, _TINY))
        costs[:, :-1] += law.grows[sizes][:, None] - 2.0 * log_share
        costs[:, -1] += law.stays[sizes]
        costs[:, :-1][bases | self.excluded] = np.inf
        lowest = np.min(costs, axis=1, keepdims=True)
        shares = np.exp(-0.5 * (costs - np.where(np.isfinite(lowest), lowest, 0.0)))
        shares /= np.maximum(shares.sum(axis=1, keepdims=True), _TINY)
        return shares

    def _scores(
        self, members: np.ndarray, rows: np.ndarray, sizes: np.ndarray, at: np.ndarray
    ) -> np.ndarray:
        """Return the scores of the bases with each column, (C, D + 1), at the ridges ``at``, (C,).

        ``sizes``, (C,), are those of the bases. Columns of zeros, and redundant ones, do not count.
        """
        field, ridge = self.field, self.judge.ridges.at(at)
        state = tableau_of_rows(rows, members, self.diagonal, field.b, field.yy, ridge.kappa)
        fit = added(state, ridge.kappa, has_effects=self.judge.has_common_size)
        every = np.arange(len(at))
        volume = np.empty_like(fit.rss)
        volume[:] = self._volume(sizes + 1)[every, at][:, None]
        volume[:, -1] = self._volume(sizes)[every, at]
        of = (field.dof, field.floor, self.judge)
        return ridge_scores(fit, ridge.beside(1), volume, *of)

    def _volume(self, sizes: np.ndarray) -> np.ndarray:
        """Return what so many columns, (C,), cost, (C, R); redundant ones do not count."""
        return self.judge.volume(sizes - self._n_redundant)

    def _dilution(self, bases: np.ndarray, members: np.ndarray, rows: np.ndarray) -> np.ndarray:
        """Return what repeated columns add, (C, D + 1)."""
        if not self.judge.is_diluted:
            return np.zeros((len(bases), bases.shape[1] + 1))
        of = (self.diagonal, self.field.n, self.field.redundant)
        costs, in_doubt = entering_costs(rows, members, *of)
        costs[:, -1] = 0.0
        if in_doubt.any():
            in_doubt = in_doubt[:, :-1] & ~bases & ~self.excluded
            for c, j in zip(*np.nonzero(in_doubt), strict=True):
                if self._is_dependent(np.append(np.flatnonzero(bases[c]), j)):
                    costs[c, j] = np.inf
        return costs

    def _is_dependent(self, members: np.ndarray) -> bool:
        """Return whether a support is dependent; each is looked at once."""
        key = np.sort(members).tobytes()
        if key not in self._dependent:
            self._dependent[key] = is_dependent(self.field, members)
        return self._dependent[key]

    def _draw_ridges(self) -> None:
        """Draw each chain's κ given its support."""

        def compute(new: list[int]) -> Iterable[tuple[np.ndarray, ...]]:
            own = self.masks[new]
            return zip(own, *self._costs(own), strict=True)

        places = self._supports.places([mask.tobytes() for mask in self.masks], compute)
        self._drawn.append(places)
        scores = self._supports.column(1, places)
        shares = np.exp(-0.5 * (scores - np.min(scores, axis=1, keepdims=True)))
        sums = np.cumsum(shares, axis=1)
        draws = self.generator.random((len(sums), 1)) * sums[:, -1:]
        self.ridge = np.minimum(np.sum(sums < draws, axis=1), scores.shape[1] - 1)

    def _costs(self, masks: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return the scores of supports (C, D) at each ridge, (C, R), and their costs, (C,)."""
        members, sizes, field = _padded(masks), masks.sum(axis=1), self.field
        G = field.G[members[:, :, None], members[:, None, :]]
        own = spectrum(G, field.b[members], field.yy)
        scores = undiluted_scores(own, self._volume(sizes), field.yy, field.dof, self.judge)
        costs = total_score(scores) + self.cost_of_size[sizes]
        if self.judge.is_diluted:
            costs = costs + spectral_dilution(own.values, field.n)
        return scores, costs


def _with_zero_column(field: Field) -> Field:
    """Return the field with one more column, of zeros."""
    b, redundant = np.pad(field.b, (0, 1)), np.pad(field.redundant, (0, 1))
    return field._replace(G=np.pad(field.G, (0, 1)), b=b, redundant=redundant)


def _padded(masks: np.ndarray) -> np.ndarray:
    """Return the members of supports (C, D), filled up with the column of zeros, D, (C, W)."""
    n_columns, sizes = masks.shape[1], masks.sum(axis=1)
    members = np.full((len(masks), int(sizes.max(initial=0))), n_columns)
    chain, column = np.nonzero(masks)
    place = np.arange(chain.size) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    members[chain, place] = column
    return members
