"""What is installed: versions, whether there is a compiled kernel, threads."""

from __future__ import annotations

import platform
from importlib.metadata import PackageNotFoundError, version

from ._core.kernel import library

__all__ = ["kernel_in_words", "show_versions"]

_PACKAGES = (
    "projstg",
    "numpy",
    "scipy",
    "scikit-learn",
    "pandas",
    "pyarrow",
    "matplotlib",
    "torch",
)
_PATHS = ("for any processor", "avx2", "avx512f")


def kernel_in_words() -> str:
    """Return which kernel is used: "compiled, avx2", or why there is none."""
    if library.KERNEL is not None:
        return f"compiled, {_PATHS[library.KERNEL.projstg_path()]}"
    return f"none, NumPy alone ({library.WHY_NOT})"


def show_versions() -> None:
    """Print the versions of projstg and of what it uses, for a report of a problem.

    Examples
    --------
    >>> import projstg
    >>> projstg.show_versions()  # doctest: +ELLIPSIS
    python        ...
    projstg       ...
    """
    lines = {"python": platform.python_version()}
    lines |= {name: _version(name) for name in _PACKAGES}
    lines |= {"system": platform.platform(), "kernel": kernel_in_words(), "threads": _threads()}
    for name, value in lines.items():
        print(f"{name:<14}{value}")


def _version(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:
        return "not installed"


def _threads() -> str:
    """Return how many threads each library of linear algebra uses."""
    import scipy.linalg  # noqa: F401 - loads the libraries that are asked about
    from threadpoolctl import threadpool_info

    found = {f"{one['internal_api']} {one['num_threads']}" for one in threadpool_info()}
    return ", ".join(sorted(found))
