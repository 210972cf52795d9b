"""From sums over rows to standardised problems: what :mod:`.standard_table` does with the rows."""

from __future__ import annotations

import numpy as np

from .batch import Batch
from .centred_sums import CentredSums
from .frame import Frame
from .standard_table import ROUNDING, StandardTables
from .standardize import standardized

__all__ = ["tables_of_sums"]

_EPS = float(np.finfo(np.float64).eps)


def tables_of_sums(
    sums: CentredSums, columns: np.ndarray, *, centre: bool = True
) -> StandardTables:
    """Return one table for each response of sums that share one X (:mod:`.shared_sums`).

    They have some of the columns, (W,). G is one array for all of them, and not copied.
    """
    n_features = sums.b.shape[-1]
    own = sums if columns.size == n_features else sums.among(columns)
    few_rows, dof = own.n_different, own.n - 1 if centre else own.n
    own = own if centre else own.about_zero()
    mean_square = own.yy / own.n
    varies = mean_square > (ROUNDING * _EPS * own.y_mean) ** 2  # not by rounding alone
    y_scale = np.sqrt(np.where(varies, mean_square, 1.0))
    b = np.where(varies[:, None], own.b / y_scale[:, None], 0.0)
    yy = np.where(varies, own.yy / y_scale**2, 0.0)
    first = Batch.of_sums(own.G, b[:1], yy[:1], own.n, dof)
    scaled, scale = standardized(first, (ROUNDING * _EPS * own.x_mean) ** 2)
    factor = np.where(scale > 0.0, 1.0 / np.where(scale > 0.0, scale, 1.0), 0.0)

    def of_all(field: np.ndarray) -> np.ndarray:
        return np.broadcast_to(field, (len(b), *field.shape[1:]))

    G, n, dof = (of_all(field) for field in (scaled.G, own.n, dof))
    batch = Batch.of_sums(G, b * factor, yy, n, dof)
    units = Frame(n_features, columns, of_all(scale), of_all(own.x_mean), own.y_mean, y_scale)
    return StandardTables(batch, units, few_rows=few_rows)
