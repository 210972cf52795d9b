"""One answer is a Python number, many answers are an array."""

from __future__ import annotations

from typing import Any

import numpy as np

__all__ = ["plain_value"]


def plain_value(value: Any) -> Any:
    """Return an array without axes as a Python value, any other array as it is.

    Examples
    --------
    >>> plain_value(np.float64(0.5)), plain_value(np.array([True, False]))
    (0.5, array([ True, False]))
    """
    value = np.asarray(value)
    return value.item() if value.ndim == 0 else value
