"""Steps of gradient descent, for risks that are only sampled: the paper's Adam, and plain steps."""

from __future__ import annotations

from typing import NamedTuple

from ..arrays.backend import Array, namespace

__all__ = ["Adam", "FixedStep"]


class FixedStep(NamedTuple):
    """Gradient descent with the fixed γ of Algorithm 1; it has nothing to remember."""

    @classmethod
    def at(cls, x: Array) -> FixedStep:
        """Return the state before the first step."""
        return cls()

    def step(self, x: Array, gradient: Array, learning_rate: float) -> tuple[Array, FixedStep]:
        """Return the parameters after one step, and the next state."""
        return x - learning_rate * gradient, self


class Adam(NamedTuple):
    """Adam's running moments (Kingma and Ba); each step returns the next state.

    Examples
    --------
    >>> import numpy as np
    >>> x, state = np.asarray([3.0]), Adam.at(np.zeros(1))
    >>> for _ in range(400):
    ...     x, state = state.step(x, 2.0 * x, 0.05)
    >>> bool(abs(x[0]) < 1e-2)
    True
    """

    mean: Array
    square: Array
    n_steps: int

    @classmethod
    def at(cls, x: Array) -> Adam:
        """Return the state before the first step, for parameters like ``x``."""
        zero = namespace(x).zeros_like(x)
        return cls(zero, zero, 0)

    def step(self, x: Array, gradient: Array, learning_rate: float) -> tuple[Array, Adam]:
        """Return the parameters after one step, and the next state."""
        xp = namespace(x)
        k = self.n_steps + 1
        mean = 0.9 * self.mean + 0.1 * gradient
        square = 0.999 * self.square + 0.001 * (gradient * gradient)
        size = xp.sqrt(square / (1.0 - 0.999**k)) + 1e-8
        return x - (learning_rate / (1.0 - 0.9**k)) * mean / size, Adam(mean, square, k)
