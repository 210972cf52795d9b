"""What callbacks hear of a fit: its stages and their steps, begun and ended."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from projstg import STG, Gates, ProjectedSTG
from projstg._core.gates.gate_settings import GATES
from projstg._core.kernel import library
from projstg._core.pipeline import best_of_size
from projstg._core.posterior.posterior import Posterior
from projstg.estimators._fit_tasks import FitTasks

SAMPLED = Gates(expectation="monte-carlo", max_iter=40, learning_rate=0.05)
SETTLED = Gates(warm_up=False)


class Recorder:
    """A callback that writes down what it is told, and may ask to stop."""

    def __init__(self, stop=None):
        self.stop, self.heard, self.open, self.steps = stop, [], [], {}

    def setup(self, estimator, context):
        self.heard.append("setup")

    def teardown(self, estimator, context):
        self.heard.append("teardown")

    def on_fit_task_begin(self, estimator, context):
        self.open.append(context)
        if context.task_name != "step":
            self.heard.append(f"begin {context.task_name}")
            self.steps[context.task_name] = 0, context.max_subtasks

    def on_fit_task_end(self, estimator, context):
        assert self.open.pop() is context
        if context.task_name != "step":
            self.heard.append(f"end {context.task_name}")
            return False
        stage = context.parent.task_name
        done, most = self.steps[stage]
        self.steps[stage] = done + 1, most
        return (stage, done + 1) == self.stop


def table(n_rows, n_columns, noise=1.0):
    rng = np.random.default_rng(3)
    X = rng.standard_normal((n_rows, n_columns))
    return X, X[:, :5] @ [2.0, -1.0, 1.5, 1.0, -2.0] + noise * rng.standard_normal(n_rows)


def heard(model, X, y, stop=None):
    """Fit with a callback, and return what it heard; every task has ended."""
    recorder = Recorder(stop)
    model.set_callbacks(recorder).fit(X, y)
    assert not recorder.open
    assert all(most is None or done <= most for done, most in recorder.steps.values())
    return recorder


ANSWERS = ("support_", "coef_", "intercept_", "objective_", "n_swaps_", "n_starts_", "alpha_")
PROBABILITIES = ("inclusion_probability_", "inclusion_error_", "size_probability_")

CASES = {
    # In one call of the kernel; by NumPy's first steps; in a working set.
    "small": (table(40, 64), 8, {"gates": 0, "search": 0, "draws": 3}),
    "middle": (table(150, 130), 6, {"gates": GATES.warm_up_steps, "search": 0, "draws": 0}),
    "wide": (table(60, 1300), 5, {"gates": 0, "search": 1}),
    "auto": (table(40, 64, 3.0), "auto", {"sizes": 4, "gates": 0, "search": 0, "draws": 3}),
    "few": (table(40, 8), "auto", {}),
}


@pytest.mark.parametrize("case", CASES)
def test_the_stages_are_heard_and_the_answer_is_the_same(case):
    (X, y), k, least = CASES[case]
    fitted, plain = ProjectedSTG(k), ProjectedSTG(k).fit(X, y)
    found = heard(fitted, X, y)
    stages = [f"{what} {stage}" for stage in least for what in ("begin", "end")]
    assert [one for one in found.heard if one in stages] == stages
    assert found.heard[:2] == ["setup", "begin fit"]
    assert found.heard[-2:] == ["end fit", "teardown"]
    for stage, n in least.items():
        assert found.steps[stage][0] >= n, stage
    for name in (*ANSWERS, *PROBABILITIES):
        assert_array_equal(getattr(fitted, name), getattr(plain, name), err_msg=name)


@pytest.mark.skipif(library.KERNEL is None, reason="there is no kernel")
def test_small_tables_take_one_call_of_the_kernel_with_callbacks_too(monkeypatch):
    monkeypatch.setattr(best_of_size, "first_steps", None)
    heard(ProjectedSTG(8), *table(40, 64))


@pytest.mark.parametrize("gates", [SETTLED, SAMPLED])
@pytest.mark.parametrize("kind", [ProjectedSTG, STG])
def test_every_step_of_the_gates_is_heard(kind, gates):
    X, y = table(60, 8)
    gates = gates if kind is ProjectedSTG else Gates(max_iter=40)
    fitted = kind(None, gates=gates, random_state=0)
    found = heard(fitted, X, y)
    assert found.steps == {"fit": (0, 1), "gates": (fitted.n_iter_, gates.max_iter or 1000)}
    assert fitted.n_iter_ > 1
    plain = kind(None, gates=gates, random_state=0).fit(X, y)
    assert_array_equal(fitted.coef_, plain.coef_)


def test_a_callback_may_stop_the_gates():
    fitted = ProjectedSTG(None, gates=SAMPLED, random_state=0)
    found = heard(fitted, *table(60, 8), stop=("gates", 2))
    assert found.steps["gates"][0] == fitted.n_iter_ == 2


def test_a_callback_may_stop_the_draws():
    X, y = table(40, 64, 3.0)
    every, few = ProjectedSTG("auto"), ProjectedSTG("auto")
    n_runs, _ = heard(every, X, y).steps["draws"]
    assert heard(few, X, y, stop=("draws", n_runs - 1)).steps["draws"][0] == n_runs - 1
    assert few.accuracy_.n_draws < every.accuracy_.n_draws


def test_a_search_that_is_stopped_before_its_end_is_not_sure():
    """Among many columns nothing is clear until large supports have been searched."""
    X, y = table(30, 300, 8.0)
    every, few = ProjectedSTG(), ProjectedSTG()
    n_tried, most = heard(every, X, y).steps["sizes"]
    assert every.accuracy_.is_accurate
    assert heard(few, X, y, stop=("sizes", 2)).steps["sizes"][0] < n_tried <= most
    assert not few.accuracy_.is_accurate


@pytest.mark.parametrize("k", [8, 65])
def test_a_fit_that_raises_ends_what_it_began(k, monkeypatch):
    def about(*_):
        raise ValueError("n_features_to_select, or any other reason")

    monkeypatch.setattr(Posterior, "about", about)
    recorder = Recorder()
    with pytest.raises(ValueError, match="n_features_to_select"):
        ProjectedSTG(k).set_callbacks(recorder).fit(*table(40, 64))
    assert not recorder.open
    assert recorder.heard[-2:] == ["end fit", "teardown"]
    assert ("begin search" in recorder.heard) == (k == 8)


class Estimator(ProjectedSTG):
    """An estimator whose fit reports what it is given."""

    def reported(self, stages, *reports):
        recorder = Recorder()
        self.set_callbacks(recorder)
        tasks = FitTasks(self, stages, None, None)
        for one in reports:
            tasks(*one)
        tasks.end()
        assert not recorder.open
        return recorder


def test_a_stage_that_comes_again_is_heard_where_it_goes_further():
    a, b = (("a", n, 3) for n in (2, 9)), [("b", 0, None), ("b", 1, None)]
    found = Estimator().reported(("a", "none", "b"), ("a", 0, 3), *a, *b, ("a", 1, 3), ("b", 4, 9))
    assert found.steps == {"fit": (0, 3), "a": (3, 3), "none": (0, 0), "b": (4, None)}


@pytest.mark.parametrize("k", [5, "auto", None])
def test_scikit_learn_s_progress_bar_works(k, capsys):
    pytest.importorskip("rich", reason="ProgressBar needs rich")
    from sklearn.callback import ProgressBar

    ProjectedSTG(k).set_callbacks(ProgressBar()).fit(*table(60, 130, 3.0))
    shown = capsys.readouterr().out
    for task in ("fit", "gates #0") if k is None else ("fit", "search #", "draws #"):
        assert f"ProjectedSTG - {task}" in shown
    assert shown.count("100%") == len(shown.strip().splitlines())
