"""docs/real_answers.md is the page of its numbers, and what it calls missed is missed."""

import json
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]


@pytest.fixture(autouse=True)
def _scripts(monkeypatch):
    monkeypatch.syspath_prepend(str(ROOT / "benchmarks"))


@pytest.fixture
def verdict(_scripts):
    from table_verdicts import verdict

    return verdict


def record(ours, lasso, n_ours=1, n_lasso=2):
    """Two repetitions of five folds; the mean has the error 1 in each fold."""
    errors = {"abess EBIC": [0.9] * 10, "abess BIC": [0.8] * 10, "mean": [1.0] * 10}
    sizes = {"projstg": n_ours, "LassoCV": n_lasso}
    return {
        "errors": {**errors, "projstg": ours, "LassoCV": lasso},
        "chosen": {name: list(range(size)) for name, size in sizes.items()},
    }


def test_the_page_is_that_of_the_numbers():
    from real_answers_page import page

    records = json.loads((ROOT / "docs" / "thirty_tables.json").read_text(encoding="utf-8"))
    written = (ROOT / "docs" / "real_answers.md").read_text(encoding="utf-8")
    stale = "docs/real_answers.md is stale; run python benchmarks/thirty_tables.py --show --page"
    assert page(records) == written, stale


def test_names_of_tables_and_reasons_are_whole():
    from known_tables import TABLES

    assert len({table.name for table in TABLES}) == len(TABLES) == 32
    assert all(reason for table in TABLES for reason in table.never.values())
    assert not any(table.target in table.never for table in TABLES)


def test_r2_adds_up_the_errors_of_a_repetition(verdict):
    uneven = record([0.1, 0.2, 0.3, 0.4, 0.5] * 2, [0.5] * 10)
    uneven["errors"]["mean"] = [1.0, 1.0, 1.0, 1.0, 2.0] * 2
    found = verdict(uneven)
    assert found.best == "LassoCV"
    assert found.r2["projstg"] == pytest.approx(1.0 - 1.5 / 6.0)
    assert found.difference == pytest.approx(found.r2["projstg"] - found.r2["LassoCV"])


def test_two_standard_errors_behind_is_met(verdict):
    noisy = verdict(record([0.8, 0.3] * 5, [0.5] * 10))
    assert noisy.difference == pytest.approx(-0.05)
    assert noisy.error == pytest.approx(0.25 / 3.0)  # deviation 0.25, nine degrees of freedom
    assert noisy.misses == []


def test_the_refit_counts_not_what_lasso_shrinks(verdict):
    shrunk = record([0.5] * 10, [0.5] * 10)
    shrunk["errors"]["LassoCV, shrunk"] = [0.1] * 10
    assert verdict(shrunk).misses == []


@pytest.mark.parametrize(
    ("error", "n_ours", "misses"),
    [(0.519, 1, []), (0.521, 1, ["R²"]), (0.5, 2, []), (0.5, 3, ["columns"])],
)
def test_more_than_0_02_behind_or_more_columns_than_lasso_are_a_miss(
    verdict, error, n_ours, misses
):
    assert verdict(record([error] * 10, [0.5] * 10, n_ours, 2)).misses == misses
