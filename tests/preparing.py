"""A data frame and a few words of a question, prepared for a fit."""

from projstg.tables.design_matrix import prepared_table
from projstg.tables.question import Question


def prepared_frame(frame, target, **options):
    """The problem in a data frame, for the fields of a question."""
    return prepared_table(frame, Question(target=target, **options))
