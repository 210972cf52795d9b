"""What a notebook shows: the answer of a fitted model, scikit-learn's display of any."""

from html.parser import HTMLParser

import numpy as np
import pandas as pd
import pytest
from knobs import displays
from sklearn import config_context
from sklearn.utils import estimator_html_repr

from projstg import STG, Gates, ProjectedSTG, ProjectedSTGCV, RandomizedOMP

pytestmark = displays


class Cells(HTMLParser):
    """The texts of the cells of tables, row by row."""

    def __init__(self, html):
        super().__init__()
        self.rows, self._is_open = [], False
        self.feed(html)

    def handle_starttag(self, tag, attrs):
        if tag == "tr":
            self.rows.append([])
        self._is_open = tag in ("td", "th")

    def handle_endtag(self, tag):
        self._is_open = False

    def handle_data(self, data):
        if self._is_open:
            self.rows[-1].append(data)


@pytest.fixture
def frame(rng):
    names = ["age", "<b>bmi</b> & co", "sex", "'quoted\"", "bp"]
    return pd.DataFrame(rng.normal(size=(40, 5)), columns=names)


@pytest.fixture
def y(frame, rng):
    return 2.0 * frame.iloc[:, 1] - frame["age"] + 0.1 * rng.normal(size=40)


def shown(model):
    """The HTML, in which both of a notebook's ways to ask find the same answer."""
    html, other = model._repr_mimebundle_()["text/html"], model._repr_html_()
    # scikit-learn's part comes after it, and has another number each time.
    ours = [one[: one.find("</table>")] for one in (html, other) if "projstg-answer" in one]
    assert ours in ([], ours[:1] * 2)
    return html


def answer(model):
    html = shown(model)
    return Cells(html[: html.index("</table>")]).rows


def test_a_fitted_model_shows_its_answer(frame, y):
    model = ProjectedSTG(2).fit(frame, y)
    head, *rows = answer(model)
    assert head == ["column", "coefficient", "standard error", "inclusion probability"]
    assert [row[0] for row in rows] == ["age", "<b>bmi</b> & co"]
    for row, place in zip(rows, [0, 1], strict=True):
        values = model.coef_, model.coef_std_error_, model.inclusion_probability_
        np.testing.assert_allclose([float(x) for x in row[1:]], [v[place] for v in values], 0.05)
    html = shown(model)
    assert "2 of 5 columns, exactly these with probability" in html
    assert "<b>bmi</b>" not in html
    assert "&lt;b&gt;bmi&lt;/b&gt; &amp; co" in html


def test_with_k_from_the_data_all_belong_comes_first(frame, y):
    html = shown(ProjectedSTG().fit(frame, y))
    assert "all belong with probability" in html
    assert html.index("all belong with") < html.index("exactly these with")
    noise = np.random.default_rng(3).standard_normal(len(y))
    assert "0 of 5 columns, none belongs with probability" in shown(
        ProjectedSTG().fit(frame, noise)
    )


def test_an_unfitted_model_has_scikit_learn_s_display():
    html = shown(ProjectedSTG(2, gates=Gates(tau=0.3)))
    assert "projstg-answer" not in html
    assert "sk-top-container" in html


def test_a_fitted_model_keeps_scikit_learn_s_display(frame, y):
    model = ProjectedSTG(2).fit(frame, y)
    assert "sk-top-container" in shown(model)
    assert "projstg-answer" not in estimator_html_repr(model)  # as in a pipeline's


def test_without_names_columns_go_by_number_and_nothing_may_be_chosen(frame, y, rng):
    X = frame.to_numpy()
    assert [row[0] for row in answer(ProjectedSTG(2).fit(X, y))[1:]] == ["0", "1"]
    noise = np.random.default_rng(3).normal(size=40)
    nothing = ProjectedSTG().fit(X, noise)
    assert len(answer(nothing)) == 1
    assert "0 of 5 columns" in shown(nothing)


def test_what_is_not_known_has_no_column(frame, y):
    head, *rows = answer(ProjectedSTG(2, refine=False).fit(frame, y))
    assert head == ["column", "coefficient", "standard error"]
    for model in (STG(2, gates=Gates(max_iter=200)), RandomizedOMP(2)):
        head, *rows = answer(model.fit(frame, y))
        assert head == ["column", "coefficient"]
        assert len(rows) == 2


def test_cross_validation_shows_the_answer_too(frame, y):
    head, *rows = answer(ProjectedSTGCV(sizes=[2], cv=3).fit(frame, y))
    assert len(head) == 4
    assert len(rows) == 2


def test_of_many_columns_some_are_counted(rng):
    X = rng.normal(size=(100, 60))
    rows = answer(ProjectedSTG(55, refine=False).fit(X, X.sum(axis=1)))
    assert len(rows) == 52
    assert rows[-1] == ["… and 5 more"]


def test_with_text_display_there_is_no_html(frame, y):
    model = ProjectedSTG(2).fit(frame, y)
    with config_context(display="text"):
        assert not hasattr(model, "_repr_html_")
        assert set(model._repr_mimebundle_()) == {"text/plain"}


def test_a_search_that_did_not_settle_is_said(frame, y, monkeypatch):
    said = "the search did not settle: try other values of random_state"
    assert said not in ProjectedSTG().fit(frame, y)._repr_html_()
    model = ProjectedSTG().fit(frame, y)
    model.accuracy_ = model.accuracy_._replace(is_accurate=False)
    assert said in model._repr_html_()
    model.accuracy_ = model.accuracy_._replace(method="counted")  # too few digits to say
    assert said not in model._repr_html_()
