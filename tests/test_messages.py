"""A message is text, and remembers what it names, through pickle, copy and other messages."""

import copy
import pickle
import warnings

import pytest

from projstg._messages import Argument, Columns, Message

SAID = Message(
    *(Argument("k", 5), " is more than {3} columns; leave ", Columns([1, 0]), " out of "),
    *(Argument("always"), "."),
)
TEXT = "k=5 is more than {3} columns; leave 1, 0 out of always."
NAMES = ["red", "blue"]


def shouted(one):
    """Other names, for arguments and for columns."""
    if isinstance(one, Columns):
        return " and ".join(NAMES[place] for place in one)
    return one._replace(name=one.name.upper())


def test_a_message_is_its_text():
    assert SAID == TEXT
    assert str(ValueError(SAID)) == TEXT
    assert Message() == ""
    assert Message("plain").renamed(shouted) == "plain"


def test_other_names_again_and_again():
    other = SAID.renamed(shouted)
    assert other == "K=5 is more than {3} columns; leave blue and red out of ALWAYS."
    assert other.renamed(lambda one: f"<{one}>") == (
        "<K=5> is more than {3} columns; leave blue and red out of <ALWAYS>."
    )


def test_a_message_within_another_keeps_what_it_names():
    assert Message("So: ", SAID).renamed(shouted) == f"So: {SAID.renamed(shouted)}"


@pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
@pytest.mark.parametrize("kind", [ValueError, TypeError, UserWarning])
def test_what_carries_a_message_can_be_pickled(kind, protocol):
    (found,) = pickle.loads(pickle.dumps(kind(SAID), protocol)).args
    assert found == SAID
    assert found.renamed(shouted) == SAID.renamed(shouted)


@pytest.mark.parametrize("made", [copy.copy, copy.deepcopy])
def test_a_copy_names_the_same(made):
    assert made(SAID).renamed(shouted) == SAID.renamed(shouted)


def test_a_warning_carries_it():
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        warnings.warn(SAID, stacklevel=1)
    assert caught[0].message.args[0].parts == SAID.parts
