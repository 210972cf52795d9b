"""The registry: every method is told the same, and one from outside is a method like any other."""

import pickle
import subprocess
import sys
import warnings
from dataclasses import replace
from importlib.metadata import EntryPoint
from pathlib import Path

import numpy as np
import pytest

from projstg import ProjectedSTG
from projstg._extras import MissingExtra
from projstg.experiments.registry import (
    GROUP,
    METHODS,
    Known,
    Method,
    available,
    find_method,
    method,
    method_names,
)

NAMES = """projected-stg projected-stg-exact projected-stg-refined projected-stg-refined-evidence
projected-stg-refined-ls stg lasso lasso-path-first lasso-path-refit omp randomized-omp scad
scad-top mcp mcp-top abess limit-common-size limit-evidence limit-least-squares""".split()
OWN_SIZE = """projected-stg-auto projected-stg-open lasso-cv lasso-bic omp-cv abess-ebic""".split()
GATES = ["projected-stg", "projected-stg-exact", "stg"]
KNOWN = Known(3, 0.3, 40, 12, alpha_scale=0.2, seed=5)


def problem(seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(40, 12))
    return X, X[:, [1, 4, 9]] @ [1.0, -1.0, 1.0] + 0.3 * rng.normal(size=40)


def quick(made):
    """The Monte Carlo descents take thousands of steps, more than these problems need."""
    is_sampled = made.get_params().get("gates__expectation") == "monte-carlo"
    slow = is_sampled or type(made).__name__ == "STG"
    return made.set_params(gates__max_iter=300) if slow else made


def fitted(name, known=KNOWN):
    with warnings.catch_warnings(action="ignore"):
        return quick(method(name).make(known)).fit(*problem())


def skip_without(name):
    """Skip where the library of a method is missing."""
    for module in METHODS[name].modules:
        pytest.importorskip(module)


def test_the_names_are_these():
    assert list(METHODS) == NAMES + OWN_SIZE
    assert all(own.name == name for name, own in METHODS.items())
    assert len({own.label for own in METHODS.values()}) == len(METHODS)
    assert {own.criterion for own in METHODS.values()} == {None, "common-size", "evidence"}
    tuned = [name for name in METHODS if METHODS[name].tunes_alpha_scale]
    assert tuned == [*GATES, "projected-stg-open"]
    assert [name for name in METHODS if METHODS[name].chooses_size] == OWN_SIZE


@pytest.mark.parametrize("name", NAMES)
def test_every_method_is_told_the_same_and_answers_with_k_columns(name):
    skip_without(name)
    X, y = problem()
    before = X.tobytes(), y.tobytes()
    with warnings.catch_warnings(action="ignore"):
        model = quick(method(name).make(KNOWN)).fit(X, y)
    support = model.get_support()
    assert (X.tobytes(), y.tobytes()) == before
    assert support.dtype == bool
    assert support.shape == model.coef_.shape == (12,)
    assert np.flatnonzero(support).tolist() == [1, 4, 9]  # an easy problem
    assert np.array_equal(fitted(name).get_support(), support)


@pytest.mark.parametrize("name", OWN_SIZE)
def test_a_method_of_its_own_size_is_not_told_k(name):
    skip_without(name)
    found = fitted(name).get_support(indices=True).tolist()
    assert {1, 4, 9} <= set(found)
    assert found == fitted(name, replace(KNOWN, n_features_to_select=9)).get_support(True).tolist()


@pytest.mark.parametrize("name", ["projected-stg-auto", "lasso-cv", "abess-ebic"])
def test_a_method_of_its_own_size_may_select_nothing(name):
    skip_without(name)
    X, _ = problem()
    noise = np.random.default_rng(3).normal(size=40)
    model = method(name).make(replace(KNOWN, noise_std=1.0)).fit(X, noise)
    assert not model.get_support().any()
    assert not model.coef_.any()


@pytest.mark.parametrize("name", [*NAMES, *OWN_SIZE])
def test_nobody_fits_an_intercept(name):
    model = method(name).make(KNOWN)
    inner = getattr(model, "regressor", model)
    assert inner.get_params().get("fit_intercept", False) is False


@pytest.mark.parametrize("name", GATES)
def test_gates_are_told_sigma_and_c(name):
    told = method(name).make(KNOWN).get_params()
    assert told["random_state"] == 5
    assert (told["gates__noise_std"], told["gates__alpha_scale"]) == (0.3, 0.2)
    own = method(name).make(replace(KNOWN, alpha_scale=None))
    assert own.gates.alpha_scale is None


def test_the_paper_s_algorithm_is_the_sampled_one():
    paper = method("projected-stg").make(KNOWN).get_params()
    assert (paper["gates__expectation"], paper["refine"]) == ("monte-carlo", False)


CRITERION_OF = {
    "projected-stg-refined": "common-size",
    "projected-stg-refined-evidence": "evidence",
    "projected-stg-refined-ls": "least-squares",
    "limit-common-size": "common-size",
    "limit-evidence": "evidence",
    "limit-least-squares": "least-squares",
}
PAIRS = list(zip(list(CRITERION_OF)[:3], list(CRITERION_OF)[3:], strict=True))


@pytest.mark.parametrize(("name", "criterion"), CRITERION_OF.items())
def test_a_search_is_told_k_alone_and_judged_by_its_own_criterion(name, criterion):
    told = method(name).make(KNOWN).get_params()
    assert told["gates__noise_std"] is None
    assert told["n_features_to_select"] == 3
    assert told["criterion"] == criterion == (METHODS[name].criterion or "least-squares")


def test_the_search_by_default_is_that_of_the_estimator():
    assert method("projected-stg-refined").make(KNOWN).criterion == ProjectedSTG().criterion


@pytest.mark.parametrize(("found", "limit"), PAIRS)
def test_a_limit_starts_elsewhere(found, limit):
    known = method(limit).make(KNOWN)
    assert method(found).make(KNOWN).random_state != known.random_state
    assert known.n_starts == 100
    assert method(limit).make(replace(KNOWN, n_features_to_select=11)).n_starts == 300
    last = method(limit).make(replace(KNOWN, seed=2**32 - 1))
    assert last.fit(*problem()).support_.sum() == 3


@pytest.mark.parametrize("name", NAMES)
def test_methods_travel_to_other_processes(name):
    there = pickle.loads(pickle.dumps(METHODS[name]))
    assert there.name == name
    assert type(there.make(KNOWN)) is type(METHODS[name].make(KNOWN))


def test_the_registry_alone_loads_nothing_heavy():
    code = "import projstg.experiments.registry, sys; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert not {"numpy", "sklearn", "skglm", "abess"} & set(done.stdout.split())


@pytest.mark.parametrize(
    ("name", "hint"),
    [
        ("lassso", "did you mean 'lasso'?"),
        ("projected_stg", "did you mean 'projected-stg'?"),
        ("?", "use one of 'projected-stg', "),
    ],
)
def test_an_unknown_name_suggests_the_nearest(name, hint):
    with pytest.raises(ValueError, match="there is no method") as raised:
        method(name)
    assert hint in str(raised.value)
    assert "module:attribute" in str(raised.value)


THEIRS = """\
from sklearn.feature_selection import SelectKBest, f_regression

def marginal(known):
    return SelectKBest(f_regression, k=known.n_features_to_select)
"""


@pytest.fixture
def outside(tmp_path, monkeypatch):
    """Write a module into the current directory, which is not on the path."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))
    written = []

    def write(name, text):
        (tmp_path / f"{name}.py").write_text(text, encoding="utf-8")
        written.append(name)

    yield write
    for name in written:
        sys.modules.pop(name, None)


def test_five_lines_outside_the_package_are_a_method(outside):
    outside("theirs_five_lines", THEIRS)
    found = method("theirs_five_lines:marginal")
    assert (found.name, found.label) == ("theirs_five_lines:marginal", "marginal")
    assert available(found) is None
    assert fitted("theirs_five_lines:marginal").get_support().sum() == 3


def test_a_method_outside_may_say_more(outside):
    text = THEIRS + "from projstg.experiments.registry import Method\n"
    outside("theirs_more", text + "full = Method('marginal', 'Marginal F', marginal)\n")
    assert method("theirs_more:full").label == "Marginal F"
    outside("theirs_taken", text + "full = Method('lasso', 'LASSO', marginal)\n")
    with pytest.raises(ValueError, match="calls itself 'lasso', which is taken"):
        method("theirs_taken:full")


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("theirs_here:marginl", "has no 'marginl'; did you mean 'marginal'?"),
        ("theirs_nowhere:marginal", "no module 'theirs_nowhere' is installed or in "),
        ("theirs_here.py:marginal", "the module without .py"),
    ],
)
def test_a_method_outside_that_is_not_there_says_what_is(outside, name, message):
    outside("theirs_here", THEIRS)
    with pytest.raises(ValueError, match="theirs_") as raised:
        method(name)
    assert message in str(raised.value)


def test_what_a_module_outside_lacks_is_not_hidden(outside):
    outside("theirs_lacking", "import no_such_package_at_all\n")
    with pytest.raises(ModuleNotFoundError, match="no_such_package_at_all"):
        method("theirs_lacking:anything")


def test_a_number_is_no_method(outside):
    outside("theirs_number", "k = 3\n")
    with pytest.raises(TypeError, match="is of type int; give a function of one argument"):
        method("theirs_number:k")


def test_other_packages_register_methods(outside, monkeypatch):
    outside("theirs_registered", THEIRS)
    method("theirs_registered:marginal")  # puts the directory on the path
    entry = EntryPoint("marginal-f", "theirs_registered:marginal", GROUP)
    monkeypatch.setattr(find_method, "entry_points", lambda group: [entry] if group else [])
    assert method("marginal-f").name == "marginal-f"
    assert method_names() == [*NAMES, *OWN_SIZE, "marginal-f"]
    with pytest.raises(ValueError, match="did you mean 'marginal-f'"):
        method("marginal_f")


@pytest.mark.parametrize(
    ("target", "text", "message"),
    [
        ("theirs_broken_import", "import no_such_package_at_all", "ModuleNotFoundError"),
        ("theirs_broken_raise", "raise KeyError('no')", "KeyError"),
        ("theirs_broken_exit", "raise SystemExit(3)", "SystemExit: 3"),
        ("theirs_broken_name", "", "AttributeError"),
        ("theirs_broken_absent", None, "ModuleNotFoundError"),
    ],
)
def test_a_broken_entry_point_says_what_is_broken(outside, monkeypatch, target, text, message):
    monkeypatch.syspath_prepend(Path.cwd())
    if text is not None:
        outside(target, text)
    entry = EntryPoint("broken", f"{target}:marginal", GROUP)
    monkeypatch.setattr(find_method, "entry_points", lambda group: [entry])
    with pytest.raises(ValueError, match="'broken': its entry point") as raised:
        method("broken")
    assert f"({message}" in str(raised.value)
    assert method("omp").label == "OMP"
    assert method_names()[-1] == "broken"


def without(monkeypatch, package):
    for name in [name for name in sys.modules if name.partition(".")[0] == package]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, package, None)


@pytest.mark.parametrize(
    ("package", "lost"),
    [("skglm", ["scad", "scad-top", "mcp", "mcp-top"]), ("abess", ["abess"])],
)
def test_a_missing_extra_is_reported_with_the_command(package, lost, monkeypatch):
    for name in NAMES:
        skip_without(name)
    without(monkeypatch, package)
    assert [name for name in NAMES if available(METHODS[name]) is not None] == lost
    for name in lost:
        assert available(METHODS[name]) == 'pip install "projstg[peers]"'
        said = rf'{package}.* is not installed: pip install "projstg\[peers\]"'
        with pytest.raises(MissingExtra, match=said):
            fitted(name)


def test_a_method_that_names_an_extra_needs_all_of_it(monkeypatch):
    for name in NAMES:
        skip_without(name)
    theirs = Method("theirs", "Theirs", dict, needs="peers")
    assert available(theirs) is None
    without(monkeypatch, "abess")
    assert available(theirs) == 'pip install "projstg[peers]"'
