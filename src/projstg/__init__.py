"""Which columns of X does y really depend on?

``projstg`` recovers the support of a sparse linear model, y = Xβ* + ε, with projected stochastic
gates. All public names come from this module: they are listed in ``_HOME``, the public modules in
``_MODULES``, and each is imported the first time it is used, so that ``import projstg`` alone loads
neither NumPy nor scikit-learn.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from projstg import datasets as datasets
    from projstg import metrics as metrics
    from projstg import plots as plots
    from projstg.estimators import *  # noqa: F403 - type checkers see what each home exports
    from projstg.model_selection import *  # noqa: F403
    from projstg.sources import *  # noqa: F403
    from projstg.tables import select as select
    from projstg.versions import show_versions as show_versions

__version__ = "0.1.0"

# Public name -> the package whose ``__all__`` has it. One line here makes a name public.
_HOME = {
    "Gates": "projstg.estimators",
    "KnockoffSelector": "projstg.model_selection",
    "MCP": "projstg.estimators",
    "ProjectedSTG": "projstg.estimators",
    "ProjectedSTGCV": "projstg.model_selection",
    "RandomizedOMP": "projstg.estimators",
    "SCAD": "projstg.estimators",
    "STG": "projstg.estimators",
    "StabilitySelector": "projstg.model_selection",
    "Statistics": "projstg.sources",
    "fit_many": "projstg.estimators",
    "projected_stg_path": "projstg.model_selection",
    "select": "projstg.tables",
    "show_versions": "projstg.versions",
}

# Public modules, reached as attributes of the package.
_MODULES = ("datasets", "metrics", "plots")

__all__ = ["__version__", *_HOME, *_MODULES]


def __getattr__(name: str) -> Any:
    if name in _MODULES:
        return import_module(f"{__name__}.{name}")  # which also binds it here
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(_HOME[name]), name)
    globals()[name] = value  # found at once the next time
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
