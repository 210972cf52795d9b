"""The quantities that Theorems 2 and 3 and Corollary 3 of the paper send to zero."""

from __future__ import annotations

import json
import math
from typing import Any

from ..lasso_lambda import paper_lambda

__all__ = ["theorem_columns"]


def theorem_columns(line: dict[str, Any]) -> dict[str, float]:
    """Return D/N, Kλ and the rate of Corollary 3 for one line of a summary.

    λ is the paper's with the C of the line; Kλ is NaN where the method has no C. The rate
    (log log D)²(D/N)^(1/2 − 2/q) is for designs with q finite moments, NaN for others.

    Examples
    --------
    >>> line = {"n_samples": 1600, "n_features": 32, "n_informative": 4, "sigma": 1.0}
    >>> found = theorem_columns({**line, "options": '{"moments": 8}', "parameters": "{}"})
    >>> found["features_per_sample"], round(found["corollary3_rate"], 3)
    (0.02, 0.581)
    """
    N, D, K = (int(line[name]) for name in ("n_samples", "n_features", "n_informative"))
    C = json.loads(line["parameters"]).get("alpha_scale")
    sigma: Any = line.get("sigma")
    q = json.loads(line["options"]).get("moments")
    has_lambda, has_rate = C is not None and sigma is not None, q is not None and D >= 3
    return {
        "features_per_sample": D / N,
        "k_lambda": K * C * paper_lambda(sigma, N, D, K) if has_lambda else math.nan,
        "corollary3_rate": (
            math.log(math.log(D)) ** 2 * (D / N) ** (0.5 - 2.0 / q) if has_rate else math.nan
        ),
    }
