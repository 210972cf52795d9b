"""What the folds say of a choice, and of the best columns of other sizes."""

from __future__ import annotations

import warnings
from typing import Any

from ..._messages import Argument, Message
from ..._threads import in_threads
from ...estimators.projected_stg import ProjectedSTG
from ...render.progress_bar import Show, counted_steps
from ..prepare.prepared import Prepared
from ..selection.result import Tried
from ..words.argument_names import in_words_of_select
from ..words.notes import Note, TableError
from ..words.question import TableQuestion
from .best_of_sizes import sizes_around, tried, with_size
from .factors import most_together
from .held_out import Checked, checked

__all__ = ["folds_and_sizes"]

# With one row in a fold R² in that fold has no meaning.
_FEWEST_ROWS_A_FOLD = 2


def folds_and_sizes(
    data: Prepared,
    question: TableQuestion,
    params: dict,
    model: ProjectedSTG,
    show: Show | None,
) -> tuple[Checked | None, tuple[Tried, ...], list[Note]]:
    """Return what the folds say, or None and a note that says why not; and other sizes."""
    n_folds, notes = _fold_count(data, question)
    sizes = _sizes(data, question, int(model.support_.sum()), n_folds)
    if not n_folds and not sizes:
        return None, (), notes
    folds = data.folds(n_folds, question.random_state)
    asked = [params, *(with_size(params, k) for k in sizes)]
    what = "checking on rows left out" if n_folds else "other numbers of columns"
    with counted_steps(show, what, n_folds * len(asked) + len(sizes)) as step:
        said = checked(folds, n_folds, asked, step) if n_folds else [None] * len(asked)
        first, *others = (None if isinstance(one, ValueError) else one for one in said)
        whole, known = folds.whole(), _sizes_known(model)

        def of_size(given: tuple[dict, Checked | None]) -> Tried:
            found = tried(data, whole, *given, known)
            step()
            return found

        given = zip(asked[1:], others, strict=True)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            path = in_threads(of_size, given) if folds.are_small else list(map(of_size, given))
    if isinstance(said[0], ValueError):
        why = in_words_of_select(said[0], data.names)
        notes = [*notes, _unchecked("in one fold, ", why)]
    return first, tuple(path), notes


def _fold_count(data: Prepared, question: TableQuestion) -> tuple[int, list[Note]]:
    """Return how many folds there are; 0 and a note where there are too few rows for them."""
    folds, n_rows = question.folds, data.n_rows
    if folds < 2:
        return 0, []
    n_training = _training_rows(n_rows, folds)
    if n_rows < folds * _FEWEST_ROWS_A_FOLD:
        text = (
            f"{folds} folds of {n_rows} rows leave fewer than {_FEWEST_ROWS_A_FOLD} rows each; "
            "give at most "
        )
        return 0, [_unchecked(text, Argument("folds", n_rows // _FEWEST_ROWS_A_FOLD), ".")]
    if question.has_size and question.k > n_training - 2:
        text = (
            f" is too many for the {n_training} rows that {folds} folds of {n_rows} rows leave to "
            f"choose from; ask for at most {n_training - 2}."
        )
        return 0, [_unchecked(Argument("k", question.k), text)]
    return folds, []


def _unchecked(*why: str | Argument) -> Note:
    return Note("unchecked", Message("Not checked on rows left out: ", *why))


def _training_rows(n_rows: int, folds: int) -> int:
    """Return the rows that remain when the largest fold is left out."""
    return n_rows - -(-n_rows // folds)


def _sizes(data: Prepared, question: TableQuestion, k: int, folds: int) -> list[int]:
    """Return the sizes to try."""
    if not question.sizes:
        return []
    least = max(int(data.always.sum()), 1)
    n_rows = _training_rows(data.n_rows, folds) if folds else data.n_rows
    most = min(most_together(data), n_rows - 2)
    if question.sizes is True:
        return sizes_around(k, least, most) if most >= least else []
    found = [size for size in question.sizes if least <= size <= most]
    if not found:
        asked = Argument("sizes", f'"{min(question.sizes)}-{max(question.sizes)}"')
        possible = Argument("sizes", f'"{least}-{most}"')
        why = Message(f"there can be {least} to {most} columns here; give ", possible)
        if most < least:
            why = Message(
                "there are too few rows for other sizes; leave ", Argument("sizes"), " out"
            )
        raise TableError(Message(asked, ", and ", why, "."))
    return found


def _sizes_known(model: ProjectedSTG) -> Any:
    """Return the probability of each number of columns, where they were compared."""
    return model.size_probability_ if model.n_features_to_select == "auto" else None
