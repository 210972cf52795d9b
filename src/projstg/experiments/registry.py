"""The methods an experiment can compare, by name, and the way to add one from outside.

A method is a name and a factory: told what a method may know about a problem, it returns something
with ``fit(X, y)`` and ``get_support()``. A researcher puts a method of theirs into every figure
with one function in a file of their own,

    from sklearn.feature_selection import SelectKBest, f_regression

    def marginal(known):
        return SelectKBest(f_regression, k=known.n_features_to_select)

named ``"theirs:marginal"`` where a method is asked for, or for good by an entry point of the group
``projstg.methods``. Nothing heavy is imported before a method is made.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from functools import partial
from importlib import import_module, invalidate_caches
from importlib.metadata import EntryPoint, entry_points
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np

__all__ = ["METHODS", "Known", "Method", "available", "method", "method_names"]

GROUP = "projstg.methods"

# What the extras that methods need bring along.
_MODULES = {"peers": ("abess", "skglm"), "fdr": ("hidimstat",), "torch": ("torch",)}


@dataclass(frozen=True)
class Known:
    """What a method may be told about a problem; never the truth itself.

    The same for every method: K, σ, the shape, a seed made from (root, setting, repetition), and
    the paper's C where one was chosen for this method on other problems (None: its own default).
    """

    n_features_to_select: int
    noise_std: float
    n_samples: int
    n_features: int
    alpha_scale: float | None = None
    seed: int = 0


@dataclass(frozen=True)
class Method:
    """A way to choose columns, and how to speak of it."""

    name: str
    label: str
    """As a figure's legend says it."""
    make: Callable[[Known], Any]
    """Returns anything with ``fit(X, y)`` and ``get_support()``, as scikit-learn's selectors."""
    needs: str | None = None
    """The extra it needs."""
    criterion: str | None = None
    """What its failures are judged by, as ``ProjectedSTG`` names it; None is least squares."""
    fit_many: Callable[..., tuple[np.ndarray, np.ndarray]] | None = None
    """Many at once: X (B, N, D), y (B, N), a sequence of Known → supports, coefficients (B, D).

    For methods from outside; gates of the package go together by themselves.
    """
    tunes_alpha_scale: bool = False
    """Whether the paper's C is chosen for it on pilot problems."""
    modules: tuple[str, ...] = ()
    """Of the packages in ``needs`` those it imports; none named: all of them."""
    chooses_size: bool = False
    """Whether it decides itself how many columns to return, K or not."""


def method(name: str) -> Method:
    """Return a method by its name, or by "module:attribute" from outside the package.

    The attribute is a :class:`Method` or a function from :class:`Known` to a selector, in a module
    that can be imported, also from the current directory.

    Examples
    --------
    >>> method("omp").label
    'OMP'
    >>> method("lassso")
    Traceback (most recent call last):
    ValueError: there is no method 'lassso'; did you mean 'lasso'? Methods of your own are named
    'module:attribute'.
    """
    if name in METHODS:
        return METHODS[name]
    if ":" in name:
        return _from_outside(name)
    for entry in _registered():
        if entry.name == name:
            return _as_method(entry.load(), name, entry.name)
    near = get_close_matches(name, method_names(), n=1)
    hint = f"did you mean {near[0]!r}?" if near else f"there are {', '.join(method_names())}."
    raise ValueError(
        f"there is no method {name!r}; {hint} Methods of your own are named 'module:attribute'."
    )


def method_names() -> list[str]:
    """Return the names of all methods, those that other packages register included."""
    others = (entry.name for entry in _registered())
    return list(dict.fromkeys([*METHODS, *others]))


def available(method: Method) -> str | None:
    """Return None if the method can be run, else the command that installs what it lacks."""
    if method.needs is None:
        return None
    wanted = method.modules or _MODULES.get(method.needs, ())
    if all(find_spec(module) is not None for module in wanted):
        return None
    return f'pip install "projstg[{method.needs}]"'


def _registered() -> Sequence[EntryPoint]:
    return sorted(entry_points(group=GROUP), key=lambda entry: entry.name)


def _from_outside(name: str) -> Method:
    """Return the method that "module:attribute" names; modules may lie in the current directory."""
    module_name, _, attribute = name.partition(":")
    here = str(Path.cwd())
    if here not in sys.path:
        sys.path.append(here)  # last, so that no installed module is shadowed
    invalidate_caches()
    try:
        module = import_module(module_name)
    except ModuleNotFoundError as error:
        if error.name is None or not module_name.startswith(error.name):
            raise  # the module is there, and lacks another
        raise ValueError(
            f"{name!r}: no module {module_name!r} is installed or in {here}; use "
            "'module:attribute', the module without .py."
        ) from error
    except (Exception, SystemExit) as error:
        raise ValueError(
            f"{name!r}: module {module_name!r} cannot be imported "
            f"({type(error).__name__}: {error}); mend it first."
        ) from error
    if not hasattr(module, attribute):
        near = get_close_matches(attribute, dir(module), n=1)
        hint = f"did you mean {module_name}:{near[0]}?" if near else "check the attribute's name."
        raise ValueError(f"{name!r}: module {module_name!r} has no {attribute!r}; {hint}")
    return _as_method(getattr(module, attribute), name, attribute)


def _as_method(found: Any, name: str, label: str) -> Method:
    """Return what was found outside as a method; it may not take the name of one here."""
    if not isinstance(found, Method):
        if not callable(found):
            raise TypeError(
                f"{name!r} is of type {type(found).__name__}; give a function of one argument "
                "(projstg.experiments.registry.Known) that returns a selector, or a Method."
            )
        return Method(name, label, found)
    if found.name in METHODS:
        raise ValueError(f"{name!r} calls itself {found.name!r}, which is taken; rename it.")
    return found


def _gates(known: Known, **knobs: Any) -> dict[str, Any]:
    """Return the settings of a method that is told σ and, if one was chosen, C."""
    from ..estimators.gate_options import Gates

    return {
        "n_features_to_select": known.n_features_to_select,
        "gates": Gates(noise_std=known.noise_std, alpha_scale=known.alpha_scale, **knobs),
        "fit_intercept": False,
        "random_state": known.seed,
    }


def _gates_alone(known: Known, **knobs: Any) -> dict[str, Any]:
    """Return the same for :class:`ProjectedSTG` without a search."""
    return _gates(known, **knobs) | {"refine": False}


def _search(known: Known, criterion: str) -> dict[str, Any]:
    """Return the settings of the default search, which is told K and nothing else.

    Under another criterion than the default it is for comparison, and need not say how sure it is.
    """
    from ..estimators.gate_options import Gates

    return {
        "n_features_to_select": known.n_features_to_select,
        "criterion": criterion,
        "gates": Gates(),  # so that an entry of a spec can set its parameters
        "probabilities": criterion == "common-size",
        "fit_intercept": False,
        "random_state": known.seed,
    }


def _limit(known: Known, criterion: str) -> dict[str, Any]:
    """Return the settings of a search with other starts than any method's, and not fewer.

    Up to K = 10 the default search takes at most 90 starts, beyond at most 300.
    """
    n_starts = 100 if known.n_features_to_select <= 10 else 300
    other = (known.seed + 1) % 2**32
    return _search(known, criterion) | {
        "n_starts": n_starts,
        "random_state": other,
        "probabilities": False,
    }


Settings = Callable[[Known], dict[str, Any]]


def _projected(settings: Settings, known: Known) -> Any:
    from ..estimators.projected_stg import ProjectedSTG

    return ProjectedSTG(**settings(known))


def _projected_method(name: str, label: str, settings: Settings, **options: Any) -> Method:
    return Method(name, label, partial(_projected, settings), **options)


def _stg(known: Known) -> Any:
    from ..estimators.stg import STG

    return STG(**_gates(known))


def _lasso(known: Known) -> Any:
    from sklearn.linear_model import Lasso

    from .competitors import TopK, lasso_alpha

    k = known.n_features_to_select
    alpha = lasso_alpha(known.noise_std, known.n_samples, known.n_features, k)
    return TopK(Lasso(alpha=alpha, fit_intercept=False, max_iter=10_000), k)


def _lasso_path(rule: str, known: Known) -> Any:
    from .competitors import LassoPath

    return LassoPath(known.n_features_to_select, rule=rule)


def _omp(known: Known) -> Any:
    from sklearn.linear_model import OrthogonalMatchingPursuit

    from .competitors import TopK

    k = known.n_features_to_select
    return TopK(OrthogonalMatchingPursuit(n_nonzero_coefs=k, fit_intercept=False), k)


def _randomized_omp(known: Known) -> Any:
    from ..estimators.randomized_omp import RandomizedOMP

    k = known.n_features_to_select
    return RandomizedOMP(k, fit_intercept=False, random_state=known.seed)


def _scad(rule: str, known: Known) -> Any:
    """Return SCAD by the rule with the γ that suits it better: pycasso's 3, or Fan and Li's 3.7."""
    from ..estimators.scad import SCAD
    from .competitors import StrictSCAD

    k = known.n_features_to_select
    if rule == "exact":
        return StrictSCAD(k, rule=rule, gamma=3.0, fit_intercept=False)
    return SCAD(k, rule=rule, gamma=3.7, fit_intercept=False)


def _mcp(rule: str, known: Known) -> Any:
    from ..estimators.mcp import MCP
    from .competitors import StrictMCP

    kind = StrictMCP if rule == "exact" else MCP
    return kind(known.n_features_to_select, rule=rule, fit_intercept=False)


def _abess(known: Known) -> Any:
    from .competitors import AbessSelector

    return AbessSelector(known.n_features_to_select)


def _own_size(known: Known) -> dict[str, Any]:
    """Return the settings of the search that is told nothing, not even K."""
    return _search(known, "common-size") | {"n_features_to_select": "auto"}


def _open_gates(known: Known) -> dict[str, Any]:
    """Return the settings of the gates that are told σ, and of which those that open count."""
    return _gates_alone(known) | {"n_features_to_select": None}


def _lasso_by_folds(known: Known) -> Any:
    from sklearn.linear_model import LassoCV

    from .competitors import NonZeros

    return NonZeros(LassoCV(fit_intercept=False, cv=5, alphas=50, max_iter=10_000))


def _lasso_by_bic(known: Known) -> Any:
    """Return the LASSO at the point of its path with the least BIC, told σ."""
    from sklearn.linear_model import LassoLarsIC

    from .competitors import NonZeros

    variance = known.noise_std**2
    return NonZeros(LassoLarsIC("bic", fit_intercept=False, noise_variance=variance))


def _omp_by_folds(known: Known) -> Any:
    from sklearn.linear_model import OrthogonalMatchingPursuitCV

    from .competitors import NonZeros

    return NonZeros(OrthogonalMatchingPursuitCV(fit_intercept=False, cv=5))


def _abess_by_ebic(known: Known) -> Any:
    from .competitors import AbessByEBIC

    return AbessByEBIC()


_EXACT = partial(_gates_alone, expectation="exact")
_SAMPLED = partial(_gates_alone, expectation="monte-carlo")
_CRITERIA = ("common-size", "evidence", "least-squares")
_BY = {name: partial(_search, criterion=name) for name in _CRITERIA}
_LIMIT = {name: partial(_limit, criterion=name) for name in _CRITERIA}
_GATES: dict[str, Any] = {"criterion": "common-size", "tunes_alpha_scale": True}
_SKGLM: dict[str, Any] = {"needs": "peers", "modules": ("skglm",)}
_OWN: dict[str, Any] = {"chooses_size": True}

METHODS: dict[str, Method] = {
    method.name: method
    for method in (
        _projected_method("projected-stg", "Proj-STG", _SAMPLED, **_GATES),
        _projected_method("projected-stg-exact", "Proj-STG, exact", _EXACT, **_GATES),
        _projected_method(
            "projected-stg-refined",
            "Proj-STG, refined",
            _BY["common-size"],
            criterion="common-size",
        ),
        _projected_method(
            "projected-stg-refined-evidence",
            "Proj-STG, refined by evidence",
            _BY["evidence"],
            criterion="evidence",
        ),
        _projected_method(
            "projected-stg-refined-ls", "Proj-STG, refined by residual", _BY["least-squares"]
        ),
        Method("stg", "STG", _stg, tunes_alpha_scale=True),
        Method("lasso", "LASSO", _lasso),
        Method("lasso-path-first", "LASSO path, first", partial(_lasso_path, "first")),
        Method("lasso-path-refit", "LASSO path, best refit", partial(_lasso_path, "refit")),
        Method("omp", "OMP", _omp),
        Method("randomized-omp", "Rand-OMP", _randomized_omp),
        Method("scad", "SCAD", partial(_scad, "exact"), **_SKGLM),
        Method("scad-top", "SCAD, top K", partial(_scad, "top"), **_SKGLM),
        Method("mcp", "MCP", partial(_mcp, "exact"), **_SKGLM),
        Method("mcp-top", "MCP, top K", partial(_mcp, "top"), **_SKGLM),
        Method("abess", "abess", _abess, needs="peers", modules=("abess",)),
        _projected_method(
            "limit-common-size",
            "limit (common size)",
            _LIMIT["common-size"],
            criterion="common-size",
        ),
        _projected_method(
            "limit-evidence", "limit (evidence)", _LIMIT["evidence"], criterion="evidence"
        ),
        _projected_method("limit-least-squares", "limit (least squares)", _LIMIT["least-squares"]),
        Method(
            "projected-stg-auto",
            "Proj-STG, own K",
            partial(_projected, _own_size),
            criterion="common-size",
            **_OWN,
        ),
        Method(
            "projected-stg-open",
            "Proj-STG, open gates",
            partial(_projected, _open_gates),
            criterion="common-size",
            tunes_alpha_scale=True,
            **_OWN,
        ),
        Method("lasso-cv", "LASSO, 5 folds", _lasso_by_folds, **_OWN),
        Method("lasso-bic", "LASSO, BIC", _lasso_by_bic, **_OWN),
        Method("omp-cv", "OMP, 5 folds", _omp_by_folds, **_OWN),
        Method(
            "abess-ebic", "abess, EBIC", _abess_by_ebic, needs="peers", modules=("abess",), **_OWN
        ),
    )
}
