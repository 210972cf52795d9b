"""Numbers that are reached in two ways are the same but for rounding."""

import numpy as np


def assert_same_numbers(found, expected, tolerance=1e-9, name=""):
    """Raise unless the numbers agree, relative to the largest expected; infinities must be equal.

    Where there are none, None, there must be none.
    Another shape, layout or routine adds up in another order: a sum of n terms moves by up to
    n · 2⁻⁵², at most 10⁻¹³ in these tests. Solving multiplies that by the condition of the columns
    chosen, below 10³. What is wrong and not rounded is off by 10⁻⁶ and more.
    """
    if expected is None:
        assert found is None, name
        return
    found, expected = np.asarray(found), np.asarray(expected)
    largest = np.max(np.abs(expected), initial=0.0, where=np.isfinite(expected))
    np.testing.assert_allclose(
        found, expected, rtol=tolerance, atol=tolerance * largest, err_msg=name
    )
