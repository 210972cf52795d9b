"""Which columns of X does y really depend on?

``projstg`` recovers the support of a sparse linear model, y = Xβ* + ε, with projected stochastic
gates. This module is the only door: the public names are listed in ``_HOME`` and each is imported
the first time it is used, so that ``import projstg`` alone loads neither NumPy nor scikit-learn.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from projstg.estimators import *  # noqa: F403 - type checkers see what each home exports

__version__ = "0.1.0"

# Public name -> the package whose ``__all__`` has it. One line here makes a name public.
_HOME = {
    "ProjectedSTG": "projstg.estimators",
    "STG": "projstg.estimators",
    "fit_many": "projstg.estimators",
}

__all__ = ["__version__", *_HOME]


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(_HOME[name]), name)
    globals()[name] = value  # found at once the next time
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
