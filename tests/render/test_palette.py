"""All colours of figures are in the palette, and only there."""

import re
from pathlib import Path

import projstg
from projstg.render import palette

PACKAGE = Path(projstg.__file__).parent
COLOUR = re.compile(r'"#[0-9A-Fa-f]{6}"')
COLOURS = {name: value for name, value in vars(palette).items() if name.isupper()}


def test_every_colour_is_one():
    assert all(COLOUR.fullmatch(f'"{value}"') for value in COLOURS.values())


def test_names_that_say_what_a_colour_is_are_of_different_colours():
    roles = {"CHOSEN", "MARK"}  # names for colours that have one
    own = [value.casefold() for name, value in COLOURS.items() if name not in roles]
    assert len(set(own)) == len(own)


def test_no_colour_is_written_anywhere_else():
    others = [path for path in PACKAGE.rglob("*.py") if path.stem != "palette"]
    assert not [path.name for path in others if COLOUR.search(path.read_text(encoding="utf-8"))]
