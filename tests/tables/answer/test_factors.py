"""Text columns in an answer: levels together, one probability, and never all levels at once."""

import numpy as np
import pytest

import projstg
from projstg.tables.words.notes import TableError

pd = pytest.importorskip("pandas")

SHIFT = {"east": 2.0, "north": 0.0, "south": -3.0, "west": 0.0}


@pytest.fixture
def table(rng):
    """Price depends on two levels of the region and on the size; the colour has no part in it."""
    regions = rng.permutation(np.repeat(list(SHIFT), [25, 40, 25, 30]))
    colour = rng.choice(["red", "green", "blue"], 120)
    frame = pd.DataFrame({"size": rng.normal(size=120), "region": regions, "colour": colour})
    shift = np.array([SHIFT[region] for region in regions])
    return frame.assign(price=shift + 0.8 * frame["size"] + 0.5 * rng.normal(size=120))


def test_an_answer_names_the_reference_the_levels_and_those_chosen(table):
    found = projstg.select(table, "price", folds=0)
    assert sorted(found.columns) == ["region=east", "region=south", "size"]
    region = found.factors[0]
    assert (region["column"], region["reference"]) == ("region", "north")
    assert region["levels"] == ["east", "south", "west"]
    assert region["chosen"] == ["east", "south"]
    assert region["probability"] == pytest.approx(1.0, abs=1e-6)
    assert all(one["probability"] >= 0.05 for one in found.factors[1:])
    one, other = (chosen for chosen in found.chosen if chosen.column.startswith("region"))
    assert {one.column: one.coefficient > 0, other.column: other.coefficient > 0} == {
        "region=east": True,
        "region=south": False,
    }


def test_the_probability_is_that_of_the_model(rng):
    level = rng.choice(list("abc"), 40)
    frame = pd.DataFrame({"x": rng.normal(size=40), "t": level})
    frame["y"] = 0.6 * (level == "b") + rng.normal(size=40)
    found = projstg.select(frame, "y", folds=0, always=["t=b"])
    assert found.factors[0]["probability"] == pytest.approx(1.0)
    found = projstg.select(frame, "y", folds=0)
    reference = found.factors[0]["reference"]
    others = [one for one in "abc" if one != reference]
    X = np.column_stack([frame.x, *(frame.t == one for one in others)])
    model = projstg.ProjectedSTG(random_state=0).fit(X, frame.y)
    expected = model.any_belong_probability([1, 2])
    assert 0.05 < expected < 0.99
    assert found.factors[0]["probability"] == pytest.approx(expected, abs=1e-9)


def test_levels_of_one_text_follow_each_other_the_largest_effect_first(table):
    found = projstg.select(table, "price", k=5, folds=0, always=["colour"])
    names = [name.split("=")[0] for name in found.columns]
    largest = {}
    for name, one in zip(names, found.chosen, strict=True):
        largest[name] = max(abs(one.effect), largest.get(name, 0.0))
    assert list(dict.fromkeys(names)) == sorted(largest, key=lambda name: -largest[name])
    for name in largest:
        places = [i for i, own in enumerate(names) if own == name]
        assert places == list(range(places[0], places[0] + len(places)))
        effects = [abs(found.chosen[i].effect) for i in places]
        assert effects == sorted(effects, reverse=True)


def test_the_coding_does_not_change_what_all_levels_explain(table):
    one, other = (
        projstg.select(table, "price", k=4, folds=0, levels=levels, never=["colour"])
        for levels in ("reference", "all")
    )
    assert other.r2_in_sample == pytest.approx(one.r2_in_sample, abs=1e-9)
    assert other.factors[0]["reference"] is None


@pytest.mark.parametrize("criterion", ["common-size", "evidence", "least-squares"])
def test_all_levels_are_never_chosen_together(table, criterion):
    asked = {"levels": "all", "never": ["colour"], "criterion": criterion, "folds": 0}
    for k in range(1, 5):
        found = projstg.select(table, "price", k=k, **asked)
        assert sum(name.startswith("region=") for name in found.columns) < 4
    with pytest.raises(TableError, match=r"k=5 is more than the 4 columns .* level of region says"):
        projstg.select(table, "price", k=5, **asked)
    assert len(projstg.select(table, "price", k=3, sizes=True, **asked).path[-1]["columns"]) == 4


def test_every_level_in_always_is_refused_and_says_what_to_name(table):
    every = [f"region={level}" for level in SHIFT]
    with pytest.raises(TableError, match=r"always has every level of region.*; name region as a"):
        projstg.select(table, "price", levels="all", always=every)


def test_a_weight_is_a_number_of_rows_for_the_reference_too(table):
    counts = np.where(table.region == "west", 3, 1)
    rows = table.loc[np.repeat(table.index, counts)]
    one = projstg.select(table, "price", 3, weights=counts, folds=0)
    other = projstg.select(rows, "price", 3, folds=0)
    assert one.factors[0]["reference"] == other.factors[0]["reference"] == "west"
    assert one.columns == other.columns


def test_without_probabilities_the_levels_are_still_named(table):
    found = projstg.select(table, "price", k=None, folds=0)
    assert found.factors[0]["probability"] is None
    assert found.factors[0]["chosen"]
