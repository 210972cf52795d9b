"""Every page stands on one frame: one stylesheet, values escaped, a policy against requests."""

import re
from pathlib import Path

import pytest

import projstg
from projstg.render.page_html import package_text, page_html

jinja2 = pytest.importorskip("jinja2")

PACKAGE = Path(projstg.__file__).parent
PAGES = sorted(str(path.relative_to(PACKAGE).as_posix()) for path in PACKAGE.rglob("*page.html.j2"))
EVIL = "<script>alert(1)</script>"


@pytest.fixture
def frame():
    """The frame alone, with values that would act if they were not escaped."""

    def make(**options):
        given = {"title": EVIL, "command": EVIL, "facts": [(EVIL, EVIL)]} | options
        return page_html("render/frame.html.j2", **given)

    return make


@pytest.mark.parametrize("name", PAGES)
def test_pages_have_neither_a_head_nor_a_style_of_their_own(name):
    text = package_text(name)
    assert text.startswith('{% extends "render/frame.html.j2" %}')
    assert not re.search(r"<(html|head|style|body)\b", text)


def test_there_are_two_pages_and_one_stylesheet():
    assert PAGES == ["report/experiment_page.html.j2", "tables/show/selection_page.html.j2"]
    assert [path.name for path in PACKAGE.rglob("*.css")] == ["page.css"]


def test_values_are_escaped(frame):
    assert "<script>" not in frame()
    assert frame().count("&lt;script&gt;") == 5


def test_scripts_are_forbidden_where_there_is_none(frame):
    assert "default-src 'none'; style-src 'unsafe-inline'\"" in frame()
    with_script = frame(script="const a = 1 < 2;")
    assert "style-src 'unsafe-inline'; script-src 'unsafe-inline'\"" in with_script
    assert "<script>\nconst a = 1 < 2;\n</script>" in with_script


def test_a_value_that_is_not_given_is_an_error():
    with pytest.raises(jinja2.UndefinedError, match="title"):
        page_html("render/frame.html.j2", command="", facts=[])
