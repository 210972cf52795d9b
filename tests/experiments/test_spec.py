"""Experiments as text: what expands to what, and what is refused."""

import json
import os
import sys
from contextlib import contextmanager
from itertools import islice, pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st
from soaking import count, examples

from projstg.experiments.registry import METHODS
from projstg.experiments.spec import load_spec, parse_spec, spec_names
from projstg.experiments.tasks import plan

TEXT = """
root = 3
methods = [
    "lasso",
    { method = "projected-stg", label = "M = 8", parameters = { gates__n_gate_samples = 8 } },
]
[problem]
n_features = 12
n_informative = 2
[sizes.smoke]
repetitions = 5
block = 2
[[sizes.smoke.settings]]
n_samples = [20, 30]
noise_std = [0.5, 1]
[[sizes.smoke.settings]]
n_samples = 30
noise_std = 1.0
[[sizes.smoke.settings]]
design = ["bernoulli", { name = "toeplitz", rho = 0.5 }]
snr = 2
cases = [{ n_samples = 40, n_features = 8 }, { n_samples = 80, n_features = 16 }]
"""


def settings(text=TEXT):
    return parse_spec(text, "mine").size("smoke").settings


def test_lists_multiply_and_entries_add_up():
    first = [(s["n_samples"], s["noise_std"]) for s in settings() if "noise_std" in s]
    assert first == [(20, 0.5), (20, 1), (30, 0.5), (30, 1)]  # the second entry is among them


def test_cases_vary_together():
    found = [
        (s["design"], s.get("rho"), s["n_samples"], s["n_features"])
        for s in settings()
        if "snr" in s
    ]
    assert found == [
        ("bernoulli", None, 40, 8),
        ("toeplitz", 0.5, 40, 8),
        ("bernoulli", None, 80, 16),
        ("toeplitz", 0.5, 80, 16),
    ]


def test_tasks_cover_every_repetition_once():
    spec = parse_spec(TEXT, "mine")
    tasks = list(plan(spec, "smoke", (1.0,)))
    assert len({task.key for task in tasks}) == len(tasks) == 8 * 2 * 3
    for method in ("lasso", "projected-stg"):
        blocks = [t.repetitions for t in tasks if t.method == method and t.setting == settings()[0]]
        assert [r for block in blocks for r in block] == [0, 1, 2, 3, 4]


def test_a_method_with_parameters_has_its_label():
    labels = {task.label for task in plan(parse_spec(TEXT, "mine"), "smoke", (1.0,))}
    assert labels == {"LASSO", "M = 8"}
    unnamed = TEXT.replace('label = "M = 8", ', "")
    labels = {task.label for task in plan(parse_spec(unnamed, "mine"), "smoke", (1.0,))}
    assert labels == {"LASSO", "Proj-STG, n_gate_samples = 8"}


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("root = 3", "rooot = 3", "no key 'rooot'; did you mean 'root'"),
        ("[problem]", "[problem]\nnfeatures = 3", "no key 'nfeatures'; did you mean 'n_features'"),
        ("block = 2", "blocks = 2", "no key 'blocks'; did you mean 'block'"),
        ("snr = 2", "snrr = 2", "no key 'snrr'; did you mean 'snr'"),
        ("label = ", "lable = ", "no key 'lable'; did you mean 'label'"),
        ("n_features = 8 }", "n_feature = 8 }", "no key 'n_feature'; did you mean 'n_features'"),
        ('"bernoulli"', '"bernouli"', "bernoulli"),
        ("rho = 0.5", "rhoo = 0.5", "no option 'rhoo'.*rho"),
        ("root = 3", 'alpha_scale = "per-seting"', "did you mean 'per-setting'"),
        ("root = 3", "alpha_scale = -1", "give a positive number"),
        ("root = 3", "root = -3", "give a whole number"),
        ("repetitions = 5", "repetitions = 2.5", "give a whole number"),
        ("snr = 2", "", "exactly one"),
        ("n_informative = 2", "n_informative = 20", "n_informative"),
        ("root = 3", "root = ", "is not TOML"),
        ("root = 3", "one_at_a_time = 1", "give true or false"),
        ("n_samples = 30\n", "", "no n_samples"),
        ("root = 3", "root = 9223372036854775808", "from 0 to 9223372036854775807"),
        ("root = 3", "title = 3", "give a text in quotes"),
        ("root = 3", 'root = "3"', "give a whole number"),
        ("repetitions = 5", "repetitions = 1000000000", "whole number from 1 to 1000000"),
        ("repetitions = 5\nblock = 2", "repetitions = 1000000", "asks for 18000000 fits; 10000000"),
        ("repetitions = 5\nblock = 2", "repetitions = 9999\nblock = 1", "asks for 179982 parts"),
        ("n_features = 12", "n_features = 2000000000", "n_samples × n_features is 40000000000"),
        ("block = 2", "pilots = 1000000000", "pilots is 1000000000"),
        ("cases = [{ n_samples = 40, n_features = 8 },", "cases = [3,", "give a list of tables"),
        ('label = "M = 8"', "label = 8", "label = 8; give a text in quotes"),
        ('label = "M = 8"', 'estimate = "__class__"', "name what fit learns"),
        ('label = "M = 8"', 'estimate = "fit"', "name what fit learns"),
        ("n_gate_samples = 8", "n_gate_samples = inf", "cannot be part of a setting"),
        ("n_gate_samples = 8", "n_gate_samples = 1979-05-27", "cannot be part of a setting"),
        ('method = "projected-stg"', "method = 3", "give a text in quotes"),
    ],
)
def test_what_means_nothing_is_refused(old, new, message):
    assert old in TEXT
    with pytest.raises(ValueError, match=message) as raised:
        parse_spec(TEXT.replace(old, new, 1), "mine")
    assert "\n" not in str(raised.value)


@contextmanager
def few_calls(most):
    """Raise where more functions are called than ``most``: what takes long, without a clock."""
    called = 0

    def listen(frame, event, _):
        nonlocal called
        called += event in ("call", "c_call")

    before = sys.getprofile()
    sys.setprofile(listen)
    try:
        yield
    finally:
        sys.setprofile(before)
    assert called <= most


DEEP = "is nested too deeply"
LONG = {
    "many settings": (
        "n_samples = 30",
        f"n_samples = {[*range(3, 9000)]}\nn_features = [8, 9]",
        "asks for 18002 settings",
    ),
    "many cells": (
        "n_samples = [20, 30]\nnoise_std = [0.5, 1]",
        f"n_samples = {[*range(3, 3000)]}\nnoise_std = {[*range(3000)]}",
        "asks for 8991005 settings",
    ),
    "many samples": ("n_samples = 30", f"n_samples = 1{400 * '0'}", "n_samples × n_features is"),
    "much noise": ("noise_std = 1.0", f"noise_std = 1{400 * '0'}", "noise_std=1"),
    "deep list": ("root = 3", f"title = {'[' * 5000}{']' * 5000}", DEEP),
    "deep table": ("root = 3", f"problem.{'a.' * 5000}b = 1", DEEP),
    "deeper table": ("root = 3", f"problem.{'a.' * 100_000}b = 1", DEEP),
    "no list": (TEXT[TEXT.index("[[sizes") :], "settings = 3", "give a list of tables"),
    "no tables": (TEXT[TEXT.index("[[sizes") :], "settings = [3]", "give a list of tables"),
}


@pytest.mark.parametrize("kind", LONG)
def test_what_is_too_much_is_refused_before_it_is_made(kind):
    old, new, why = LONG[kind]
    text = TEXT.replace(old, new, 1)
    # To read a letter takes three calls at most, to make the settings more than a hundred.
    with few_calls(10 * len(text)), pytest.raises(ValueError, match=rf"^mine.*{why}") as raised:
        parse_spec(text, "mine")
    assert "\n" not in str(raised.value)


def test_trials_of_itself_are_refused(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name, other in (("a", "b.toml"), ("b", "a.toml"), ("c", "c.toml"), ("d", "c")):
        (tmp_path / f"{name}.toml").write_text(f'trials_of = "{other}"', encoding="utf-8")
    for name in "abc":
        with pytest.raises(ValueError, match="comes back to itself"):
            load_spec(f"{name}.toml")
    with pytest.raises(ValueError, match="there is no experiment 'c'"):
        load_spec("d.toml")
    (tmp_path / "e.toml").write_text("trials_of = 3", encoding="utf-8")
    with pytest.raises(ValueError, match="give a text in quotes"):
        load_spec("e.toml")


def test_a_file_that_cannot_be_read_is_refused(tmp_path):
    pipe, large, foreign = (tmp_path / f"{name}.toml" for name in ("pipe", "large", "foreign"))
    os.mkfifo(pipe)
    large.write_bytes(bytes(2**20))
    foreign.write_bytes(b"root = \xff")
    for path, why in ((pipe, "it is a pipe"), (large, "more than"), (foreign, "utf-8")):
        with pytest.raises(ValueError, match=why):
            load_spec(path)


# ------------------------------------------------------------------------------ whatever is written

LETTERS = st.characters(exclude_characters=":", exclude_categories=["Cs"])  # no other module's name
SCALARS = st.one_of(
    st.integers(-3, 40).map(str),
    st.integers(-(10**30), 10**30).map(str),
    st.floats().map(lambda value: repr(value).replace("e+", "e")),
    st.booleans().map(lambda value: str(value).lower()),
    st.text(LETTERS, max_size=8).map(json.dumps),
    st.sampled_from(["gaussian", "ailerons", "planted", "omp", "per-setting"]).map(json.dumps),
    st.sampled_from(["1979-05-27", "07:32:00", "0x" + 5000 * "f", "1" + 4400 * "0", "{}", "[]"]),
)
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.one_of(
        st.lists(inner, max_size=3).map(lambda values: f"[{', '.join(values)}]"),
        st.dictionaries(st.sampled_from(["name", "method", "rho", "truth", "mean"]), inner).map(
            lambda table: "{" + ", ".join(f"{key} = {table[key]}" for key in table) + "}"
        ),
    ),
    max_leaves=6,
)


@st.composite
def changed_texts(draw):
    """A shipped experiment with some letters changed."""
    text = load_spec(draw(st.sampled_from(spec_names()))).text
    for _ in range(draw(st.integers(1, 3))):
        place = draw(st.integers(0, len(text)))
        text = text[:place] + draw(st.text(LETTERS, max_size=3)) + text[place + 1 :]
    return text


@st.composite
def tables(draw, **fields):
    """A table whose fields have a value that is meant, another one, or none."""
    lines = []
    for key, meant in fields.items():
        kind = draw(st.sampled_from(["meant"] * 8 + ["other", "none"]))
        if kind != "none":
            lines.append(f"{key} = {draw(meant if kind == 'meant' else VALUES)}")
    return lines


def inline(**fields):
    return tables(**fields).map(lambda lines: "{ " + ", ".join(lines) + " }")


def listed(inner):
    return st.lists(inner, min_size=1, max_size=2).map(lambda values: f"[{', '.join(values)}]")


PARTS = {
    "n_samples": st.just("[20, 30]"),
    "n_features": st.just("12"),
    "n_informative": st.just("2"),
    "design": st.just('{ name = "toeplitz", rho = 0.5 }'),
}
METHODS_ASKED = listed(
    inline(
        method=st.sampled_from(['"omp"', '"projected-stg-exact"']),
        label=st.just('"mine"'),
        parameters=st.just("{ tau = 0.5 }"),
        estimate=st.just('"gated_coef_"'),
    )
)
SIZE = inline(
    repetitions=st.just("4"),
    block=st.just("2"),
    pilots=st.just("3"),
    settings=listed(inline(**PARTS, noise_std=st.just("[0.5, 1]"), cases=listed(inline(**PARTS)))),
)
WRITTEN = tables(
    title=st.just('"mine"'),
    root=st.just("3"),
    alpha_scale=st.sampled_from(['"per-setting"', '"default"', "0.5"]),
    one_at_a_time=st.just("true"),
    methods=METHODS_ASKED,
    problem=inline(**PARTS),
    sizes=inline(smoke=SIZE),
).map("\n".join)


@examples(200)
@given(text=WRITTEN | changed_texts())
def test_a_text_is_an_experiment_or_is_refused_in_one_line(text):
    count("problem", "spec text")
    with few_calls(5 * 10**6):  # ten thousand settings, the most there may be, take four million
        assert "\n" not in refusal(text)


def refusal(text):
    """Read and plan an experiment; what it was refused with, or nothing."""
    try:
        spec = parse_spec(text, "mine")
        for size in spec.sizes:
            for task in islice(plan(spec, size, (1.0,)), 1000):
                assert len(task.key) == 64
    except ValueError as error:
        return str(error)
    return ""


def test_no_settings_and_no_methods_are_refused():
    with pytest.raises(ValueError, match="has no settings"):
        parse_spec('methods = ["omp"]\n[sizes.smoke]\nrepetitions = 1', "mine")
    with pytest.raises(ValueError, match="has no methods"):
        parse_spec("[sizes.smoke]\nrepetitions = 1", "mine")


def test_a_path_is_an_experiment_too(tmp_path):
    path = tmp_path / "mine.toml"
    path.write_text(TEXT, encoding="utf-8")
    assert load_spec(path).name == "mine"
    with pytest.raises(ValueError, match="there is no file"):
        load_spec(tmp_path / "yours.toml")
    with pytest.raises(ValueError, match="has no size 'papr'"):
        load_spec(path).size("papr")


@pytest.mark.parametrize("name", spec_names())
def test_shipped_experiments_name_methods_that_exist(name):
    spec = load_spec(name)
    assert set(spec.sizes) == {"smoke", "paper"}
    for size in spec.sizes.values():
        assert {entry.method for entry in size.methods} <= set(METHODS)
    tasks = list(plan(spec, "paper", (1.0,)))
    assert len({task.key for task in tasks}) == len(tasks)


def grid(name, field):
    return sorted({s[field] for s in load_spec(name).size("paper").settings})


def test_the_papers_grids():
    for name in ("recovery_vs_samples", "recovery_bernoulli", "recovery_correlated"):
        assert grid(name, "n_samples") == list(range(10, 101, 5))
        assert grid(name, "noise_std") == [0.5, 1]
        assert (grid(name, "n_features"), grid(name, "n_informative")) == ([64], [10])
    assert grid("recovery_vs_sparsity", "n_informative") == list(range(1, 26))
    assert grid("recovery_vs_sparsity", "n_samples") == [40]
    assert grid("recovery_correlated", "rho") == [0.3]
    assert grid("monte_carlo_samples", "n_samples") == list(range(20, 111, 10))
    samples = [
        e.parameters["gates__n_gate_samples"]
        for e in load_spec("monte_carlo_samples").size("paper").methods
    ]
    assert samples == [4, 8, 10, 20, 50]
    ours = {"speed", "real_nuisance", "real_consensus", "real_prediction"}
    paper = [load_spec(name).size("paper") for name in spec_names() if name not in ours]
    assert all(size.repetitions == 100 for size in paper)


def test_consistency_moves_to_where_the_theorems_hold():
    from projstg.experiments.summary import theorem_columns

    spec = load_spec("consistency")
    settings = [s for s in spec.size("paper").settings if s["design"] == "heavy"]
    lines = [
        theorem_columns(
            {**s, "sigma": 1.0, "parameters": '{"alpha_scale": 1.0}', "options": '{"moments": 8}'}
        )
        for s in sorted(settings, key=lambda s: s["n_samples"])
    ]
    for before, after in pairwise(lines):
        assert all(after[name] < before[name] for name in before)
