"""The paper's λ, for the LASSO and for the quantities of the theorems."""

from __future__ import annotations

import numpy as np

from .._core.gates.theory_lambda import theory_alpha

__all__ = ["paper_lambda"]


def paper_lambda(noise_std: float, n_samples: int, n_features: int, n_selected: int) -> float:
    r"""Return the paper's :math:`\lambda = \sqrt{2\sigma^2 \log(D-K) \log(K) / N}`, with C = 1.

    It is the λ of :math:`\|y-X\beta\|^2/(2N) + \lambda\|\beta\|_1`. This is the objective of
    Wainwright, from whom the paper takes the rule, and also scikit-learn's, where λ is ``alpha``.
    Arguments of the logarithms below two count as two.

    Examples
    --------
    >>> round(paper_lambda(1.0, 40, 64, 10), 3)
    0.678
    """
    n, k = np.asarray(float(n_samples)), np.asarray(float(n_selected))
    return float(theory_alpha(noise_std, 1.0, n, n_features, k))
