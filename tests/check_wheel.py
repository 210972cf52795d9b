"""Use the installed wheel in an environment that has nothing but its dependencies.

Not a pytest module: ``make wheel`` runs it with the second environment's interpreter, isolated
(-I), from a folder that is not the checkout.
"""

import sys
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path

TEST_ONLY = ("pytest", "hypothesis", "array_api_strict", "pandas", "polars", "torch", "abess")


def main():
    import projstg

    package = Path(projstg.__file__).parent
    assert package.is_relative_to(sys.prefix), f"{package} is not the installed wheel"
    assert (package / "py.typed").is_file(), "py.typed is not in the wheel"
    assert version("projstg") == projstg.__version__
    present = [name for name in TEST_ONLY if find_spec(name)]
    assert not present, f"the wheel's environment has packages that only tests need: {present}"

    from projstg._core.kernel.library import KERNEL

    is_pure = "any" in sys.argv[1:]
    assert (KERNEL is None) == is_pure, f"pure: {is_pure}, kernel: {KERNEL}"

    import numpy as np

    rng = np.random.default_rng(0)
    X = rng.standard_normal((50, 8))
    y = X[:, [1, 4]] @ [3.0, -2.0] + 0.1 * rng.standard_normal(50)
    chosen = projstg.ProjectedSTG(n_features_to_select=2).fit(X, y).get_support(indices=True)
    assert chosen.tolist() == [1, 4], chosen
    print(f"projstg {projstg.__version__} from the wheel: chose columns {chosen.tolist()}")
    projstg.show_versions()


if __name__ == "__main__":
    main()
