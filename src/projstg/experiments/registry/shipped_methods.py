"""The methods of the package, by name: each is a factory that imports what it needs when called."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, Literal

from .method_record import Known, Method

__all__ = ["METHODS"]

Settings = Callable[[Known], dict[str, Any]]
"""From what is known of a problem to the parameters of an estimator."""


def _gates(known: Known, **knobs: Any) -> dict[str, Any]:
    """Return the parameters of gates that are told σ and, where one was chosen, C."""
    from ...estimators.gate_options import Gates

    return {
        "n_features_to_select": known.n_features_to_select,
        "gates": Gates(noise_std=known.noise_std, alpha_scale=known.alpha_scale, **knobs),
        "fit_intercept": False,
        "random_state": known.seed,
    }


def _gates_alone(known: Known, **knobs: Any) -> dict[str, Any]:
    """Return the parameters of :class:`ProjectedSTG` with gates and without a search."""
    return _gates(known, **knobs) | {"refine": False}


def _search(known: Known, criterion: str) -> dict[str, Any]:
    """Return the parameters of the default search, which is told K and nothing else.

    The other criteria serve for comparison only, so their probabilities are not computed.
    """
    from ...estimators.gate_options import Gates

    return {
        "n_features_to_select": known.n_features_to_select,
        "criterion": criterion,
        "gates": Gates(),  # so that an entry of a spec can set its parameters
        "probabilities": criterion == "common-size",
        "fit_intercept": False,
        "random_state": known.seed,
    }


def _limit(known: Known, criterion: str) -> dict[str, Any]:
    """Return the parameters of the reference search: its own seed, at least as many starts.

    The default search takes at most 90 starts up to K = 10, and at most 300 beyond.
    """
    n_starts = 100 if known.n_features_to_select <= 10 else 300
    other = (known.seed + 1) % 2**32
    return _search(known, criterion) | {
        "n_starts": n_starts,
        "random_state": other,
        "probabilities": False,
    }


def _projected(settings: Settings, known: Known) -> Any:
    from ...estimators.projected_stg import ProjectedSTG

    return ProjectedSTG(**settings(known))


def _projected_method(name: str, label: str, settings: Settings, **options: Any) -> Method:
    return Method(name, label, partial(_projected, settings), **options)


def _stg(known: Known) -> Any:
    from ...estimators.stg import STG

    return STG(**_gates(known))


def _lasso(known: Known) -> Any:
    from sklearn.linear_model import Lasso

    from ..lasso_lambda import paper_lambda
    from ..library_adapters import TopK

    k = known.n_features_to_select
    alpha = paper_lambda(known.noise_std, known.n_samples, known.n_features, k)
    return TopK(Lasso(alpha=alpha, fit_intercept=False, max_iter=10_000), k)


def _lasso_path(rule: str, known: Known) -> Any:
    from ..library_adapters import LassoPath

    return LassoPath(known.n_features_to_select, rule=rule)


def _omp(known: Known) -> Any:
    from sklearn.linear_model import OrthogonalMatchingPursuit

    from ..library_adapters import TopK

    k = known.n_features_to_select
    return TopK(OrthogonalMatchingPursuit(n_nonzero_coefs=k, fit_intercept=False), k)


def _randomized_omp(known: Known) -> Any:
    from ...estimators.randomized_omp import RandomizedOMP

    k = known.n_features_to_select
    return RandomizedOMP(k, fit_intercept=False, random_state=known.seed)


def _scad(rule: Literal["exact", "top"], known: Known) -> Any:
    """Return SCAD with the γ that suits the rule: 3 as in pycasso, or 3.7 as in Fan and Li."""
    from ...estimators.scad import SCAD
    from ..library_adapters import StrictSCAD

    k = known.n_features_to_select
    if rule == "exact":
        return StrictSCAD(k, rule=rule, gamma=3.0, fit_intercept=False)
    return SCAD(k, rule=rule, gamma=3.7, fit_intercept=False)


def _mcp(rule: Literal["exact", "top"], known: Known) -> Any:
    from ...estimators.mcp import MCP
    from ..library_adapters import StrictMCP

    kind = StrictMCP if rule == "exact" else MCP
    return kind(known.n_features_to_select, rule=rule, fit_intercept=False)


def _abess(known: Known) -> Any:
    from ..library_adapters import AbessSelector

    return AbessSelector(known.n_features_to_select)


def _own_size(known: Known) -> dict[str, Any]:
    """Return the parameters of the search that is told nothing, not even K."""
    return _search(known, "common-size") | {"n_features_to_select": "auto"}


def _open_gates(known: Known) -> dict[str, Any]:
    """Return the parameters of gates that are told σ and select all columns whose gate is open."""
    return _gates_alone(known) | {"n_features_to_select": None}


def _lasso_by_folds(known: Known) -> Any:
    from sklearn.linear_model import LassoCV

    from ..library_adapters import NonZeros

    return NonZeros(LassoCV(fit_intercept=False, cv=5, alphas=50, max_iter=10_000))


def _lasso_by_bic(known: Known) -> Any:
    """Return the LASSO at the point of its path with the smallest BIC, which is told σ."""
    from sklearn.linear_model import LassoLarsIC

    from ..library_adapters import NonZeros

    variance = known.noise_std**2
    return NonZeros(LassoLarsIC("bic", fit_intercept=False, noise_variance=variance))


def _omp_by_folds(known: Known) -> Any:
    from sklearn.linear_model import OrthogonalMatchingPursuitCV

    from ..library_adapters import NonZeros

    return NonZeros(OrthogonalMatchingPursuitCV(fit_intercept=False, cv=5))


def _abess_by_ebic(known: Known) -> Any:
    from ..library_adapters import AbessByEBIC

    return AbessByEBIC()


_EXACT = partial(_gates_alone, expectation="exact")
_SAMPLED = partial(_gates_alone, expectation="monte-carlo")
_CRITERIA = ("common-size", "evidence", "least-squares")
_SEARCH = {name: partial(_search, criterion=name) for name in _CRITERIA}
_LIMIT = {name: partial(_limit, criterion=name) for name in _CRITERIA}
_GATES: dict[str, Any] = {"criterion": "common-size", "tunes_alpha_scale": True}
_SKGLM: dict[str, Any] = {"needs": "peers", "modules": ("skglm",)}
_CHOOSES_SIZE: dict[str, Any] = {"chooses_size": True}

METHODS: dict[str, Method] = {
    method.name: method
    for method in (
        _projected_method("projected-stg", "Proj-STG", _SAMPLED, **_GATES),
        _projected_method("projected-stg-exact", "Proj-STG, exact", _EXACT, **_GATES),
        _projected_method(
            "projected-stg-refined",
            "Proj-STG, refined",
            _SEARCH["common-size"],
            criterion="common-size",
        ),
        _projected_method(
            "projected-stg-refined-evidence",
            "Proj-STG, refined by evidence",
            _SEARCH["evidence"],
            criterion="evidence",
        ),
        _projected_method(
            "projected-stg-refined-ls", "Proj-STG, refined by residual", _SEARCH["least-squares"]
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
            **_CHOOSES_SIZE,
        ),
        Method(
            "projected-stg-open",
            "Proj-STG, open gates",
            partial(_projected, _open_gates),
            criterion="common-size",
            tunes_alpha_scale=True,
            **_CHOOSES_SIZE,
        ),
        Method("lasso-cv", "LASSO, 5 folds", _lasso_by_folds, **_CHOOSES_SIZE),
        Method("lasso-bic", "LASSO, BIC", _lasso_by_bic, **_CHOOSES_SIZE),
        Method("omp-cv", "OMP, 5 folds", _omp_by_folds, **_CHOOSES_SIZE),
        Method(
            "abess-ebic",
            "abess, EBIC",
            _abess_by_ebic,
            needs="peers",
            modules=("abess",),
            **_CHOOSES_SIZE,
        ),
    )
}
