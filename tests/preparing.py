"""Small data frames, and a few words of a question, prepared for a fit."""

import numpy as np

from projstg.tables.prepare.design_matrix import prepared_table
from projstg.tables.words.question import TableQuestion

N = 12
Y = np.arange(N) % 5 + 0.5


def frame_of(**columns):
    """A frame with a column x, those given, and the target y."""
    import pandas as pd

    return pd.DataFrame({"x": np.cos(np.arange(N)), **columns, "y": Y})


def kinds(data):
    """The notes by their kind."""
    return {note.kind: note.columns for note in data.notes}


def prepared_frame(frame, target, **options):
    """The problem in a data frame, for the fields of a question."""
    return prepared_table(frame, TableQuestion(target=target, **options))
