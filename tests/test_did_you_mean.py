"""A name that is not known: the nearest one is named, or those there are."""

import pytest

from projstg._did_you_mean import did_you_mean, nearest_name

NAMES = ["age", "bmi", "blood pressure", "Sex"]


@pytest.mark.parametrize(
    ("name", "nearest"),
    [
        ("bim", "bmi"),
        ("sex", "Sex"),
        (" AGE ", "age"),
        ("blood_pressure", "blood pressure"),
        ("zzz", None),
        ("", None),
        (None, None),
    ],
)
def test_the_nearest_name(name, nearest):
    assert nearest_name(name, NAMES) == nearest


def test_case_counts_less_than_letters():
    assert nearest_name("AB", ["ab", "ABC"]) == "ab"


def test_without_a_near_name_all_are_listed_as_far_as_there_is_room():
    assert did_you_mean("zzz", NAMES) == "use one of 'age', 'bmi', 'blood pressure', 'Sex'."
    many = did_you_mean("zzz", [f"a name of some length {i}" for i in range(1000)])
    assert many.startswith("use one of 'a name of some length 0', ")
    assert many.endswith(" more.")
    assert len(many) < 200


def test_names_do_not_act_on_a_terminal():
    assert did_you_mean("a\x1b[31m", ["a\x1b[32m"]) == r"did you mean 'a\x1b[32m'?"
    assert did_you_mean("zzz", ["a\nb", 3]) == "use one of 'a b', '3'."
