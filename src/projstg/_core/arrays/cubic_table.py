"""A smooth function of one variable as a table: cubics between the nodes of a uniform grid."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.interpolate import CubicSpline

from .backend import Array, clip, namespace, take_rows

__all__ = ["CubicTable"]


@dataclass(frozen=True, eq=False)
class CubicTable:
    """The spline through values at ``first``, ``first + step``, …; its end cubics go on beyond.

    Examples
    --------
    >>> import numpy as np
    >>> table = CubicTable.through(np.sin(np.linspace(0.0, 3.0, 301)), 0.0, 0.01)
    >>> bool(abs(table(np.asarray([1.234]))[0] - np.sin(1.234)) < 1e-9)
    True
    """

    cubics: np.ndarray
    """(M, 4). Row i: the cubic from node i to the next in (x − node)/step, third power first."""
    first: float
    step: float

    @classmethod
    def through(cls, values: np.ndarray, first: float, step: float) -> CubicTable:
        """Return the table of a function with these values."""
        spline = CubicSpline(np.arange(float(len(values))), values)
        return cls(np.ascontiguousarray(spline.c.T), first, step)

    def __call__(self, x: Array) -> Array:
        """Return the function at x, of any shape."""
        u, c = self._piece(x)
        return ((c[..., 0] * u + c[..., 1]) * u + c[..., 2]) * u + c[..., 3]

    def with_slope(self, x: Array) -> tuple[Array, Array]:
        """Return the function at x and its derivative."""
        u, c = self._piece(x)
        c3, c2, c1 = c[..., 0], c[..., 1], c[..., 2]
        value = ((c3 * u + c2) * u + c1) * u + c[..., 3]
        return value, ((3.0 * c3 * u + 2.0 * c2) * u + c1) / self.step

    def _piece(self, x: Array) -> tuple[Array, Array]:
        xp = namespace(x)
        place = (x - self.first) / self.step
        node = clip(xp.astype(place, xp.int64), 0, self.cubics.shape[0] - 1)
        return place - xp.astype(node, x.dtype), take_rows(_like(self.cubics, x), node)


def _like(table: np.ndarray, x: Array) -> Array:
    xp = namespace(x)
    if xp is np:
        return table if x.dtype == table.dtype else table.astype(x.dtype)
    return xp.asarray(table, dtype=x.dtype, device=x.device)
