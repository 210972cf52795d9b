"""Chains that draw supports, by the compiled kernel.

They make the steps of :class:`~.chain.Chains`, which is their definition, with the same draws.
"""

from __future__ import annotations

import weakref

import numpy as np

from ..kernel import library
from ..score.compiled import field_record, judge_record
from ..score.criterion import Judge
from ..score.tableau import Field
from .chain import Sample, chain_law, temperatures
from .counted import Counted
from .posterior_settings import POSTERIOR, PosteriorSettings

__all__ = ["CompiledChains"]


class CompiledChains:
    """The arguments are those of :class:`~.chain.Chains`; no column may be redundant."""

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
        self.generator, self.settings = generator, settings
        self._kernel = library.KERNEL
        law = chain_law(cost_of_size, field.locked, doubt, cost_of_column)
        self._own, (self._n_chains, n_columns) = law.own, masks.shape
        # What the kernel points at lives as long as this object.
        self._field, self._judge = field_record(field), judge_record(judge)
        start = library.ChainStartRecord.of(
            C=self._n_chains,
            n_sizes=cost_of_size.size,
            masks=np.ascontiguousarray(masks, dtype=bool),
            cost_of_size=np.ascontiguousarray(cost_of_size, dtype=float),
            **law._asdict(),
        )
        self._chains = self._kernel.projstg_chains_open(self._field, self._judge, start)
        if not self._chains:
            raise MemoryError(f"no memory for chains over {n_columns} columns")
        weakref.finalize(self, self._kernel.projstg_chains_close, self._chains)
        self._bases = np.empty((0, n_columns), dtype=bool)
        self._shares = np.empty((0, n_columns + 1))
        self._supports, self._costs = np.empty((0, n_columns), dtype=bool), np.empty(0)

    def run(self, n_steps: int) -> Sample:
        """Make so many steps and return their blocks."""
        blocks, drawn = self._steps(np.ones(n_steps))
        return Sample(self._bases, self._shares, blocks, self._supports, drawn, self._own)

    @property
    def visited(self) -> Counted:
        """The supports the chains were at when their ridges were drawn, costs from sums alone.

        What members add is not in them.
        """
        return Counted(self._supports, self._costs)

    def cool_down(self, n_steps: int) -> None:
        """Make steps that forget where the chains began, and are not kept."""
        self._steps(temperatures(n_steps, self.settings))

    def _steps(self, warmth: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Make steps, and return their blocks and the supports at which ridges were drawn."""
        every, known = self.settings.steps_at_a_ridge, np.empty(2, dtype=np.int64)
        blocks = np.empty((warmth.size, self._n_chains), dtype=np.int64)
        drawn = np.empty((-(-warmth.size // every), self._n_chains), dtype=np.int64)
        steps = library.ChainStepsRecord.of(
            generator=library.generator_address(self.generator),
            n_steps=warmth.size,
            every=every,
            temperatures=warmth,
            blocks=blocks,
            drawn=drawn,
            known=known,
        )
        if self._kernel.projstg_chains_run(self._chains, steps):
            raise MemoryError("no memory for more steps of chains")
        self._take(*known.tolist())
        return blocks, drawn

    def _take(self, n_blocks: int, n_supports: int) -> None:
        """Take over what is new."""
        n_columns, n_before, n_been = self._bases.shape[1], len(self._bases), len(self._supports)
        bases = np.empty((n_blocks - n_before, n_columns), dtype=bool)
        shares = np.empty((n_blocks - n_before, n_columns + 1))
        supports = np.empty((n_supports - n_been, n_columns), dtype=bool)
        costs = np.empty(n_supports - n_been)
        news = library.ChainNewsRecord.of(
            first_block=n_before,
            first_support=n_been,
            bases=bases,
            shares=shares,
            supports=supports,
            costs=costs,
        )
        self._kernel.projstg_chains_take(self._chains, news)
        self._bases = np.concatenate([self._bases, bases])
        self._shares = np.concatenate([self._shares, shares])
        self._supports = np.concatenate([self._supports, supports])
        self._costs = np.concatenate([self._costs, costs])
