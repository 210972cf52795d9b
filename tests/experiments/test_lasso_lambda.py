"""The paper's λ is its formula."""

import numpy as np
import pytest

from projstg.experiments.lasso_lambda import paper_lambda


def test_the_lasso_s_price_is_the_paper_s():
    expected = np.sqrt(2.0 * 0.5**2 * np.log(54.0) * np.log(10.0) / 40.0)
    assert paper_lambda(0.5, 40, 64, 10) == pytest.approx(expected)
    assert 0.0 < paper_lambda(1.0, 40, 64, 1) == paper_lambda(1.0, 40, 65, 2)
    assert paper_lambda(1.0, 40, 8, 8) == paper_lambda(1.0, 40, 10, 8)
