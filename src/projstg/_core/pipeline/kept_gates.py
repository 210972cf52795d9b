"""Gates of fitted models, in the columns and units of the data: fitted at once, or on demand.

Tables of one call may have been solved in groups of one shape; their gates are put together here.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..arrays.backend import taken_together
from ..gates.gate_fit import GateFit, GateOptions
from .gate_problem import GateProblem, fitted, in_data

__all__ = ["KeptGates"]


class KeptGates:
    """Gates, fitted or with what is needed to fit them; a pickle of them has no rows of a table.

    ``groups`` are those of the tables with these numbers, ``options`` those of the gates.
    """

    def __init__(
        self, groups: Sequence[tuple[np.ndarray, GateFit | GateProblem]], options: GateOptions
    ) -> None:
        self.options = options
        self._numbers = [numbers for numbers, _ in groups]
        self._groups: list[GateFit | GateProblem] | None = [group for _, group in groups]
        self._answer: GateFit | None = None
        if all(isinstance(group, GateFit) for group in self._groups):
            self.answer()

    def __getstate__(self) -> dict[str, Any]:
        groups = self._groups
        return self.__dict__ | {"_groups": None if groups is None else _without_rows(groups)}

    @property
    def wait(self) -> bool:
        """Whether they are not fitted yet."""
        return self._answer is None

    def answer(self) -> GateFit:
        """Return the fitted gates, as :func:`.in_data`; what was kept to fit them is dropped."""
        groups = self._groups  # read once: another thread may set it to None
        if self._answer is None and groups is not None:
            # Without rows: the same digits as from a pickle.
            fits = [
                in_data(group, fitted(group)) if isinstance(group, GateProblem) else group
                for group in _without_rows(groups)
            ]
            if len(fits) > 1:
                places = np.argsort(np.concatenate(self._numbers))
                fields = zip(*fits, strict=True)
                fits = [GateFit(*(taken_together(field, places) for field in fields))]
            (self._answer,) = fits
            self._groups = None
        return self._answer  # type: ignore[return-value]


def _without_rows(groups: Sequence[GateFit | GateProblem]) -> list[GateFit | GateProblem]:
    """Return the same with only inner products of the columns."""
    return [one.without_rows() if isinstance(one, GateProblem) else one for one in groups]
