"""The most that an experiment may ask for.

A spec may come from anybody. What it asks for is counted before anything is computed, so that a
mistyped number is refused at once and does not fill the memory or the disk.
"""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["BOUNDS", "Bounds"]


@dataclass(frozen=True)
class Bounds:
    """Upper bounds on what a spec may ask for."""

    bytes: int = 2**18
    """Bytes of its text; the longest spec of the package has two thousand."""
    dots: int = 200
    """Dots in a key; the time of the TOML parser grows with their square."""
    settings: int = 10_000
    """Settings of one size; to expand this many takes about a second."""
    parts: int = 100_000
    """Files of rows of one size: settings × methods × blocks of repetitions."""
    fits: int = 10_000_000
    """Fits of one size; at a millisecond each they take three hours."""
    repetitions: int = 1_000_000
    """Repetitions of a setting; larger numbers belong to the pilot problems."""
    pilots: int = 10_000
    """Pilot problems of a setting; all of them are in memory at once."""
    numbers: int = 2**28
    """Numbers in one X: two gibibytes."""
    root: int = 2**63 - 1
    """The root of the seeds; its column in the rows has 64 bits."""


BOUNDS = Bounds()
