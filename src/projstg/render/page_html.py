"""One frame and one stylesheet for all pages: an HTML file that needs nothing else.

A page holds its figures as SVG, its style, and a script if it has one. It opens without a network
and its own policy forbids every request. All values are escaped, except those marked as markup.
"""

from __future__ import annotations

import re
from functools import cache
from importlib.resources import files
from typing import Any

from .._extras import extra
from .._printable import shortened, told_apart
from .number_text import chance, percent
from .sentence import tied

__all__ = ["package_text", "page_html"]

_PACKAGE = __package__.partition(".")[0]


def page_html(template: str, *, script: str = "", **values: Any) -> str:
    """Return the text of a page.

    Parameters
    ----------
    template : str
        Path of a template in the package, such as ``report/experiment_page.html.j2``. It extends
        ``render/frame.html.j2``.
    script : str
        JavaScript at the end of the page; without one the policy of the page forbids scripts.
    **values
        What the template shows. The frame needs ``title``, ``command`` and ``facts``.
    """
    markup = extra("markupsafe", "cli").Markup
    style = package_text("render/page.css")
    page = _environment().get_template(template)
    return page.render(style=markup(style), script=markup(script), **values)


def package_text(path: str) -> str:
    """Return the text of a file that comes with the package."""
    return files(_PACKAGE).joinpath(*path.split("/")).read_text(encoding="utf-8")


@cache
def _environment() -> Any:
    jinja2 = extra("jinja2", "cli")
    environment = jinja2.Environment(
        loader=jinja2.FunctionLoader(package_text),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {
        "tied": tied,
        "chance": chance,
        "percent": percent,
        "shortened": shortened,
    }
    environment.filters |= {"told_apart": told_apart, "name": _name, "with_options": _with_options}
    return environment


def _name(text: str) -> Any:
    """Return a name as markup that breaks over lines after its marks, if it must."""
    markup = extra("markupsafe", "cli")
    pieces = re.split(r"(?<=[_.=/:,-])(?=\w)", text)
    return markup.Markup("<wbr>").join(pieces)


def _with_options(text: str) -> Any:
    """Return words as markup in which an option, such as --out, stays on one line."""
    markup = extra("markupsafe", "cli")
    whole = r'\1<span class="option">\2</span>'
    return markup.Markup(re.sub(r"(^|\s)(--?[a-z][\w-]*)", whole, str(markup.escape(text))))
