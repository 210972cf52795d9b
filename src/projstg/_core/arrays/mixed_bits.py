"""Numbers that look random and depend on their input alone: whole numbers with their bits mixed.

The generator is SplitMix64 (Steele, Lea and Flood, 2014).
"""

from __future__ import annotations

import numpy as np

__all__ = ["mixed_bits", "random_from"]

_STEP, _FIRST, _SECOND = (
    np.uint64(one) for one in (0x9E3779B97F4A7C15, 0xBF58476D1CE4E5B9, 0x94D049BB133111EB)
)


def random_from(first: int, count: int, seed: int) -> np.ndarray:
    """Return a random whole number below 2⁶⁴ for each of the numbers ``first`` and on, (count,).

    Examples
    --------
    >>> random_from(1, 2, 0).tolist() == random_from(0, 3, 0)[1:].tolist()
    True
    """
    with np.errstate(over="ignore"):
        places = np.arange(first, first + count, dtype=np.uint64) + np.uint64(1)
        return mixed_bits((places + np.uint64(seed) * _SECOND) * _STEP)


def mixed_bits(bits: np.ndarray) -> np.ndarray:
    """Return whole numbers below 2⁶⁴ with their bits mixed: others for others, zero for zero."""
    with np.errstate(over="ignore"):
        bits = (bits ^ (bits >> np.uint64(30))) * _FIRST
        bits = (bits ^ (bits >> np.uint64(27))) * _SECOND
        return bits ^ (bits >> np.uint64(31))
