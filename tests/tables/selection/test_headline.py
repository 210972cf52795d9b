"""The answer in one sentence."""

import pandas as pd
import pytest

from projstg import select


@pytest.fixture
def noise(rng):
    return pd.DataFrame(rng.normal(size=(60, 4)), columns=list("abcy"))


def test_columns_of_the_table_are_counted_and_levels_beside_them(rng):
    text = rng.choice(list("pqrs"), 200)
    y = 4.0 * (text == "p") - 3.0 * (text == "q") + 0.2 * rng.normal(size=200)
    found = select(pd.DataFrame({"g": text, "x": rng.normal(size=200), "y": y}), "y")
    assert len(found.chosen) > 1
    said = found.headline()
    assert said.startswith(f"y depends on 1 of 2 columns ({len(found.chosen)} with levels of text)")


def test_what_was_asked_for_is_not_what_was_found(noise):
    said = select(noise, "y", always=["a"]).headline()
    assert said.startswith("no other column helps to explain y beside a, asked for; that no other")
    noise["y"] = noise.b + 0.1 * noise.y
    said = select(noise, "y", always=["a"]).headline()
    assert said.startswith("y depends on 1 of 2 columns beside a, asked for; it belongs with")


def test_nothing_helps(noise):
    said = select(noise, "y").headline()
    assert said.startswith("no column helps to explain y; that none of 3 belongs has probability")


def test_a_number_that_was_given(noise):
    noise["y"] = noise.a - noise.b + 0.1 * noise.y
    said = select(noise, "y", k=2).headline()
    assert "y by 2 of 3 columns, as many as asked for" in said
    assert "these two with probability" in said
    assert "it is this one with" in select(noise, "y", k=1).headline()
