"""Two implementations of one definition, and the one place that chooses between them.

A function in NumPy is the definition. One that the compiled kernel can answer has a twin that calls
it; the decorator lets the twin answer where there is a kernel and it suits the arguments:

    @answered_by(scores_compiled, where=is_double)
    def scores(problem, supports): ...
"""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import ParamSpec, TypeVar

from . import library

__all__ = ["answered_by", "definition_of"]

P = ParamSpec("P")
R = TypeVar("R")


def answered_by(
    twin: Callable[P, R], where: Callable[..., bool] | None = None
) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Return a decorator: the twin answers where there is a kernel, and ``where`` says so.

    ``where`` is given the same arguments; None is always.
    """

    def decorated(definition: Callable[P, R]) -> Callable[P, R]:
        @wraps(definition)
        def answer(*args: P.args, **kwargs: P.kwargs) -> R:
            suits = library.KERNEL is not None and (where is None or where(*args, **kwargs))
            return (twin if suits else definition)(*args, **kwargs)

        return answer

    return decorated


def definition_of(function: Callable[P, R]) -> Callable[P, R]:
    """Return the definition alone, for a twin that finds that it has too few digits."""
    return function.__wrapped__  # type: ignore[attr-defined] # of functools.wraps
