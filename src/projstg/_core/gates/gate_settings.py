"""The numbers that steer gates beside the paper's own: one record, each field with its reason."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["GATES", "GateSettings"]


@dataclass(frozen=True)
class GateSettings:
    """Fixed numbers in fits of gates; what a caller may set is in ``GateOptions``."""

    warm_up_steps: int = 6
    """Few and long: on the paper's designs the rates are those of hundreds of short steps, 0.82
    against 0.57 without any at σ = 0.5, N = 35 (docs/modes.md, docs/why_noise_helps.md)."""
    warm_up_size: float = 0.3
    """The root mean square of one such step in μ: six of them can take a gate that begins at
    1/2 well beyond either end."""
    most_compiled: int = 100
    """Up to this many rows or columns the kernel takes these steps; beyond, BLAS is faster."""
    refinements: int = 5
    """Steps after a solve with the floor f under ρ: each multiplies what the floor leaves along an
    eigenvalue e of G/n by f/(e + f), with f ≈ 10⁻⁸: five leave 10⁻⁹ of it at e = 10⁻⁶."""
    jitter: float = 1e-6
    """Line 2 of Algorithm 1, added as a share of the mean diagonal: M sampled gates may leave its
    matrix singular."""
    smallest_noise: float = 0.01
    """An estimated σ is at least this share of the root mean square of y: a greedy fit without
    error must not make λ zero."""
    largest_alpha: float = 1e60
    """λ in units of y²: no gate stays open at one, and the square of this is still a number."""
    smallest_gain: float = 1e-5
    """Along a path of λ a gain below this share of λ counts as zero: gates that are closed only up
    to rounding still cost about as much."""
    most_rounds: int = 100
    """Moves of gates between alternations at one λ. A few are usual; each lowers the risk, so that
    this only ends a loop that rounding might keep going."""


GATES = GateSettings()
