"""A method and what it may know: two records, and nothing that loads a library."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np

__all__ = ["Known", "Method"]


@dataclass(frozen=True)
class Known:
    """What a method may be told about a problem; never the truth itself.

    The same for every method: K, σ, the shape, a seed made from (root, setting, repetition), and
    the paper's C where one was chosen for this method on other problems (None: its own default).
    """

    n_features_to_select: int
    noise_std: float
    n_samples: int
    n_features: int
    alpha_scale: float | None = None
    seed: int = 0


@dataclass(frozen=True)
class Method:
    """A way to choose columns."""

    name: str
    label: str
    """Its name in the legend of a figure."""
    make: Callable[[Known], Any]
    """Returns an object with ``fit(X, y)`` and ``get_support()``, as scikit-learn's selectors."""
    needs: str | None = None
    """The extra it needs."""
    criterion: str | None = None
    """The score that tells its failures apart, as in ``ProjectedSTG``; None: least squares."""
    fit_many: Callable[..., tuple[np.ndarray, np.ndarray]] | None = None
    """Many at once: X (B, N, D), y (B, N), a sequence of Known → supports, coefficients (B, D).

    For methods from outside; the gates of the package are fitted together in any case.
    """
    tunes_alpha_scale: bool = False
    """Whether the paper's C is chosen for it on pilot problems."""
    modules: tuple[str, ...] = ()
    """The modules of the extra ``needs`` that it imports; empty: all of them."""
    chooses_size: bool = False
    """Whether it chooses itself how many columns to return, instead of K."""
