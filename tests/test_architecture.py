"""docs/architecture.md names files and functions that exist, and its picture is of its table.

Also: benchmarks/README.md has a line for every script.
"""

import ast
import re
from itertools import pairwise
from pathlib import Path

import pytest
from floor_plan import drawing

ROOT = Path(__file__).parents[1]
PAGE = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
PACKAGE = ROOT / "src" / "projstg"
NAMED = sorted(set(re.findall(r"`([\w/]+\.py)(?::([\w.]+))?`", PAGE)))


def _defined(tree, prefix=""):
    """Names of functions and classes, methods as ``Class.method``."""
    for node in tree.body:
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            yield prefix + node.name
        if isinstance(node, ast.ClassDef):
            yield from _defined(node, f"{prefix}{node.name}.")


def test_the_page_names_functions():
    assert sum(bool(name) for _, name in NAMED) >= 25


@pytest.mark.parametrize(("file", "name"), NAMED, ids=":".join)
def test_what_the_page_names_exists(file, name):
    path = next((base / file for base in (PACKAGE, ROOT) if (base / file).is_file()), None)
    assert path is not None, f"docs/architecture.md names {file}, which is not there"
    defined = set(_defined(ast.parse(path.read_text(encoding="utf-8"))))
    assert not name or name in defined, f"docs/architecture.md: {file} has no {name}"


@pytest.mark.parametrize("name", sorted(set(re.findall(r"`([A-Z]\w+)`", PAGE))))
def test_records_on_the_page_exist(name):
    files = PACKAGE.rglob("*.py")
    assert any(f"class {name}" in path.read_text(encoding="utf-8") for path in files)


def test_the_picture_is_of_the_table():
    stale = "docs/architecture.svg is stale; run python benchmarks/plot_architecture.py"
    assert drawing.PICTURE.read_text(encoding="utf-8") == drawing.picture(PAGE), stale


def test_the_picture_has_every_room_and_none_on_another():
    svg = drawing.picture(PAGE)
    for room in drawing.drawn_rooms(PAGE):
        assert f">{drawing.label(room)}</text>" in svg
    pattern = r'class="(?:core|apart|room)" x="(-?\d+)" y="(\d+)" width="(\d+)"'
    boxes = sorted((int(y), int(x), int(x) + int(wide)) for x, y, wide in re.findall(pattern, svg))
    for (row, left, right), (other_row, other_left, _) in pairwise(boxes):
        assert left >= 0
        assert right <= drawing.WIDTH
        assert row != other_row or right < other_left


def test_arrows_that_follow_from_others_are_left_out():
    table = "| `_a` | x | |\n| `b` | x | `_a` |\n| `c` | x | `b` |\n| `d` | x | `b`, `c` |\n"
    assert drawing.arrows(drawing.rooms(table)) == [("b", "c"), ("c", "d")]


def test_every_benchmark_has_its_line():
    lines = (ROOT / "benchmarks" / "README.md").read_text(encoding="utf-8").splitlines()
    described = [found[1] for line in lines if (found := re.match(r"\| `(\w+\.py)` \|", line))]
    assert described == sorted(path.name for path in (ROOT / "benchmarks").glob("*.py"))


def test_pages_that_quote_a_benchmark_are_named_on_its_line():
    lines = (ROOT / "benchmarks" / "README.md").read_text(encoding="utf-8").splitlines()
    pages = [*(ROOT / "docs").rglob("*.md"), ROOT / "README.md"]
    for line in (line for line in lines if line.startswith("| `")):
        script = re.match(r"\| `(\w+\.py)`", line)[1]
        for page in pages:
            if f"benchmarks/{script}" in page.read_text(encoding="utf-8"):
                assert f"(../{page.relative_to(ROOT).as_posix()})" in line, f"{script}: {page.name}"
