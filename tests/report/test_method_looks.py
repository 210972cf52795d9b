"""Every method has a look of its own, and keeps it."""

import itertools

import numpy as np
import pytest
from made_up_runs import (
    MIDPOINTS,
)
from matplotlib.markers import MarkerStyle

from projstg.experiments.registry import METHODS
from projstg.report.method_looks import LIMITS, LOOKS, RELATIVES, looks, sequence_looks


@pytest.mark.parametrize("method", METHODS)
def test_every_method_has_a_look(method):
    assert RELATIVES.get(method, method) in LOOKS
    assert (method in RELATIVES) == METHODS[method].chooses_size


def test_no_two_methods_share_a_colour_or_a_marker():
    drawn = [look for name, look in LOOKS.items() if name not in LIMITS]
    assert len({look.colour for look in drawn}) == len(drawn)
    assert len({look.marker for look in drawn}) == len(drawn)


def lab(colour):
    """A colour as CIE L*a*b*, where ten units are a difference nobody misses."""
    rgb = np.asarray([int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)])
    light = np.where(rgb <= 0.04045, rgb / 12.92, ((rgb + 0.055) / 1.055) ** 2.4)
    xyz = [[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]] @ light
    x, y, z = np.cbrt(xyz / [0.9505, 1.0, 1.089])
    return np.asarray([116 * y - 16, 500 * (x - y), 200 * (y - z)])


def test_any_two_colours_are_told_apart():
    drawn = {name: lab(look.colour) for name, look in LOOKS.items() if name not in LIMITS}
    for one, other in itertools.combinations(drawn, 2):
        assert np.linalg.norm(drawn[one] - drawn[other]) > 15, (one, other)


def test_markers_are_seen_without_their_edges():
    drawn = [look for name, look in LOOKS.items() if name not in LIMITS]
    assert all(MarkerStyle(look.marker).is_filled() for look in drawn)


def test_an_unknown_method_keeps_its_look_whatever_is_beside_it():
    alone = looks(["mine:b", "mine:a"])
    beside = looks(["omp", "mine:a", "lasso", "mine:b"])
    assert alone["mine:b"] == beside["mine:b"] != alone["mine:a"]
    assert not {look.colour for look in alone.values()} & {look.colour for look in LOOKS.values()}


def test_values_of_a_parameter_look_different():
    drawn = sequence_looks([4, 8, 10, 20, 50]).values()
    assert len({look.colour for look in drawn}) == len({look.marker for look in drawn}) == 5


def test_looks_of_all_names_at_once_are_told_apart():
    names = [*MIDPOINTS, *(f"mine:{i}" for i in range(12))]
    found = looks(names)
    pairs = {(look.colour, look.marker, str(look.line)) for look in found.values()}
    assert len(pairs) == len(names)
    for one, other in itertools.combinations(MIDPOINTS, 2):
        assert found[one] != found[other]
