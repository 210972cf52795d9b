"""Every line of README.md that can run runs, and what it shows is what is printed.

Its Python is a doctest. Here are its commands, the answer and the table it shows, its figure, and
the links of all pages.
"""

import json
import re
import shlex
import sys
import tomllib
from pathlib import Path

import numpy as np
import pytest

from projstg.cli import main

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")
COMMANDS = [shlex.split(line, comments=True) for line in re.findall(r"^    (\S.*)", README, re.M)]
PAGES = [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md"), ROOT / "benchmarks" / "README.md"]


@pytest.fixture
def _scripts(monkeypatch):
    monkeypatch.syspath_prepend(str(ROOT / "benchmarks"))


def begins(*words):
    """The commands that begin with these words."""
    return [command for command in COMMANDS if tuple(command[: len(words)]) == words]


def without_colour(text):
    """What a terminal shows, without blanks at the ends of lines."""
    lines = re.sub(r"\x1b\[[0-9;]*m", "", text).splitlines()
    return "\n".join(line.rstrip() for line in lines).strip()


def test_every_command_is_of_a_kind_that_is_tested_here():
    kinds = {"projstg", "make", "pip", ".venv/bin/python"}
    assert {command[0] for command in COMMANDS} == kinds


def test_the_answer_is_what_a_terminal_shows(capsys, monkeypatch):
    pytest.importorskip("rich")
    monkeypatch.setenv("FORCE_COLOR", "1")  # taken for a terminal
    monkeypatch.setenv("COLUMNS", "80")
    assert main(["select"]) == 0
    (shown,) = re.findall(r"```text\n\$ projstg select\n(.*?)```", README, re.S)
    assert without_colour(capsys.readouterr().out) == without_colour(shown)


def test_the_commands_on_files_run_one_after_the_other(rng, tmp_path, monkeypatch):
    pd = pytest.importorskip("pandas")
    X = rng.normal(size=(60, 4))
    table = pd.DataFrame(X, columns=list("abcd")).assign(price=X[:, 1] + 0.1 * rng.normal(size=60))
    table.to_csv(tmp_path / "prices.csv", index=False)
    table.drop(columns="price").to_csv(tmp_path / "new.csv", index=False)
    monkeypatch.chdir(tmp_path)
    for command in begins("projstg"):
        assert main(command[1:]) == 0, shlex.join(command)
    assert (tmp_path / "answer" / "report.html").is_file()


@pytest.mark.parametrize("target", [command[1] for command in begins("make")])
def test_targets_of_make_set_up_what_they_need(target):
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    assert re.search(rf"^{target}: \$\(STAMP\)", makefile, re.M)


def test_extras_that_can_be_installed_are_named():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    extras = set(project["optional-dependencies"])
    for command in begins("pip"):
        assert command[:2] == ["pip", "install"]
        assert set(re.findall(r"\[(\w+)\]", command[2])) <= extras
    (sentence,) = re.findall(r"Other extras: (.*?)\.\s", README, re.S)
    assert set(re.findall(r"`(\w+)`", sentence)) | {"cli"} == extras


@pytest.mark.usefixtures("_scripts")
def test_the_table_is_that_of_its_command_and_its_commit(tmp_path, capsys, monkeypatch):
    for package in ("abess", "skglm", "hidimstat"):
        pytest.importorskip(package)
    import beside_others

    measured = ROOT / "docs" / "beside_others.jsonl"
    rows = [json.loads(line) for line in measured.read_text(encoding="utf-8").splitlines()]
    monkeypatch.setattr(
        beside_others, "add_outcomes", lambda path, *_: path.write_bytes(measured.read_bytes())
    )
    (command,) = begins(".venv/bin/python")
    assert command[1] == "benchmarks/beside_others.py"
    monkeypatch.setattr(sys, "argv", command[1:])
    monkeypatch.chdir(tmp_path)
    beside_others.main()
    printed = capsys.readouterr().out.splitlines()
    shown = README.splitlines()
    assert [line for line in printed if line[:1] == "|"] == [s for s in shown if s[:1] == "|"]
    (together,) = [line for line in printed if line.startswith("together, ")]
    (said,) = re.findall(r"^In \d+ of .*?\(\[more\]", README, re.S | re.M)
    assert sorted(re.findall(r"\d+", together)) == sorted(re.findall(r"\d+", said))
    assert {(row["world"], row["repetition"]) for row in rows} == {
        (world, i) for world in beside_others.WORLDS for i in range(beside_others.REPETITIONS)
    }
    (commit,) = {row["commit"] for row in rows}
    assert f"commit {commit}" in README


@pytest.mark.usefixtures("_scripts")
def test_the_figure_has_few_curves_and_names_apart():
    pytest.importorskip("matplotlib")
    import plot_figure_1 as figure_1

    left, right = figure_1.drawn(figure_1.shown()).axes
    assert len(left.lines) == len(right.lines) == len(figure_1.NAMES) <= 6
    heights = sorted(text.get_position()[1] for text in right.texts)
    assert len(heights) == len(figure_1.NAMES)
    assert np.min(np.diff(heights)) > 0.99 * figure_1.LINE


def anchors(page):
    """What a link can lead to on a page: its headings, as GitHub names them."""
    headings = re.findall(r"^#+ (.*)", page.read_text(encoding="utf-8"), re.M)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_links_lead_somewhere(page):
    for link in re.findall(r"\]\(([^)\s]+)\)", page.read_text(encoding="utf-8")):
        if not link.startswith(("http:", "https:", "mailto:")):
            path, _, anchor = link.partition("#")
            target = (page.parent / path).resolve() if path else page
            assert target.exists(), f"{page.name} links to {link}"
            assert not anchor or anchor in anchors(target), f"{page.name} links to {link}"
