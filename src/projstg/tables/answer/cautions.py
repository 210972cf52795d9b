"""Cautions: what may make an answer wrong, said in one line each, and silent otherwise.

Each rule looks at the answer, at the folds, and at facts that hold for all rows; skewness alone is
that of a thousand rows at the most, drawn at random. Only :mod:`.deciding_rows` fits again.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

import numpy as np

from ..._messages import Argument, Message
from ..._printable import few_names, shortened
from ...estimators.projected_stg import ProjectedSTG
from ...render.number_text import r_squared, short_number
from ..prepare.prepared import Prepared, RowResiduals, SomeRows
from ..prepare.prepared_rows import PreparedRows
from ..prepare.target_facts import MOST_VALUES, TargetValues
from ..words.notes import Note
from .deciding_rows import deciding_rows
from .far_cells import far_cells
from .held_out import Checked

__all__ = ["cautions"]


class _CautionRules(NamedTuple):
    """Numbers that decide whether something is said."""

    same: float = 0.999
    """A column with this correlation says what the target says. Of ten rows of noise one column in
    10¹² has it; measured tables have it where a column is the target in another unit."""
    exact: float = 1e-6
    """A fit that leaves less of the variance is an identity: a sum of its parts, written with four
    digits or more, leaves 10⁻⁷."""
    fewest_rows: int = 10
    """With fewer rows a fit may be exact by chance."""
    lost: float = 0.2
    """R² of 20 rows or more has a standard error below this; it is also more than columns that
    belong lose by being chosen on four fifths of the rows."""
    lost_at_half: float = 0.1
    """Where less than half of R² is left, so much is enough."""
    chosen_again: float = 0.7
    """Four folds of five choose a column again that stands out from the noise; where the mean is
    below this it is the choice that changes, not only the coefficients."""
    few_rows: int = 20
    """Below it a fold of five has under four rows, and R² on these says little."""
    rows_a_column: int = 3
    """Below it columns of noise alone have an R² of a third, for it is their number by the rows."""
    rows_a_value: int = 10
    """On average. Measurements in whole numbers repeat less often in a small table."""
    fewest_of_a_class: int = 3
    """Counts end with values that one or two rows reach; of a class there are more to look at."""
    skew: float = 2.0
    """That of an exponential distribution; sums and averages have less."""
    little_skew: float = 1.0
    """What a logarithm may leave, and the residuals of a linear fit may have."""
    skew_rows: int = 50
    """With fewer rows one of them may make all the skewness."""


_RULES = _CautionRules()


def cautions(
    data: Prepared, model: ProjectedSTG, r2: float, check: Checked | None, params: dict
) -> list[Note]:
    """Return what may make the answer wrong, the gravest first.

    Parameters
    ----------
    data : Prepared
    model : ProjectedSTG
        Fitted to all rows with ``params``.
    r2 : float
        On all rows.
    check : Checked or None
        What the folds say.
    params : dict
        Of :class:`ProjectedSTG`, for a fit without some of the rows.
    """
    few = _residuals(data.some_rows(params["random_state"]), model)
    values = data.target_values()
    n_chosen = int(model.support_.sum())
    identity = _identity_of_most_rows(data, few, model, r2)
    return [
        *identity,
        *_carry_over(model, r2, check),
        *_few_rows(data.n_rows, n_chosen),
        *([] if identity else deciding_rows(data, model, params)),
        *_classes(data, values),
        *_skew(data.target, values, few),
    ]


def _residuals(few: SomeRows, model: ProjectedSTG) -> RowResiduals:
    return RowResiduals(few.y, few.y - few.X @ model.coef_ - model.intercept_)


def _identity_of_most_rows(
    data: Prepared, few: RowResiduals, model: ProjectedSTG, r2: float
) -> list[Note]:
    """Return a caution on an identity that holds without the rows whose target stands apart, too.

    One or two such rows can make any correlation. Of a large file they are not at hand.
    """
    found = list(_identity(data, few, model, r2))
    if not found or not isinstance(data, PreparedRows):
        return found
    apart = [row for cells in far_cells(data.y[:, None]) for row in cells.rows]
    if not apart:
        return found
    most = data.some(np.setdiff1d(np.arange(data.n_rows), apart))
    r2 = most.errors(model.coef_, float(model.intercept_)).r_squared
    return list(_identity(most, few, model, r2))


def _identity(data: Prepared, few: RowResiduals, model: ProjectedSTG, r2: float) -> Iterator[Note]:
    """Yield a caution where the target seems to be among the columns, whole or in parts."""
    chosen = tuple(data.names[place] for place in np.flatnonzero(model.support_))
    if data.n_rows < max(_RULES.fewest_rows, 2 * (len(chosen) + 1)):
        return
    sizes = np.abs(data.correlations())
    same = tuple(data.names[place] for place in np.flatnonzero(sizes > _RULES.same))
    target, never = shortened(data.target), Message(Argument("never", "[…]"), ".")
    if same:
        verb, one = ("follows", "it") if len(same) == 1 else ("follow", "them")
        text = (
            f"{few_names(same)} {verb} {target} almost exactly (correlation "
            f"{_nines(sizes.max())}): did you leave the answer in the table? If so, leave {one} "
            "out by "
        )
        yield Note("identity", Message(text, never), same)
    elif len(chosen) > 1 and _is_exact(data, few, model, r2):
        text = (
            f"{few_names(chosen)} together give {target} exactly, up to rounding: is {target} "
            "computed from them, as a total is from its parts? If so, leave them out by "
        )
        yield Note("identity", Message(text, never), chosen)


def _nines(correlation: float) -> str:
    """Return a correlation near one, never rounded up to it."""
    return "1" if 1.0 - correlation < 1e-9 else f"{np.floor(1e4 * correlation) / 1e4:.4f}"


def _is_exact(data: Prepared, few: RowResiduals, model: ProjectedSTG, r2: float) -> bool:
    """Return whether nothing is left but rounding; all rows are looked at if a few say so."""
    if 1.0 - r2 < _RULES.exact:
        return True
    if not r2 > _RULES.same:
        return False
    n_columns = int(model.support_.sum())
    every = data.residuals(model.coef_, float(model.intercept_))
    return _are_rounding([few], n_columns) and _are_rounding(every, n_columns)


def _are_rounding(pieces: Iterable[RowResiduals], n_columns: int) -> bool:
    """Return whether residuals are no larger than what rounding may leave.

    Columns and target are off by half a step each, where a step is one in their last digit.
    """
    largest, step = 0.0, np.inf
    for y, off in pieces:
        largest = max(largest, float(np.max(np.abs(off), initial=0.0)))
        step = min(step, _step(y))
        if largest > step * (n_columns + 1) / 2.0:
            return False
    return True


def _step(y: np.ndarray) -> float:
    """Return one in the last digit of numbers with up to six decimals; else zero."""
    for places in range(7):
        with np.errstate(over="ignore", invalid="ignore"):
            scaled = y * 10.0**places
            off = np.abs(scaled - np.rint(scaled))
        if np.all(off <= 1e-9 * np.maximum(np.abs(scaled), 1.0)):
            return float(10.0**-places)
    return 0.0


def _carry_over(model: ProjectedSTG, r2: float, check: Checked | None) -> Iterator[Note]:
    if check is None or not np.isfinite(check.r2) or not model.support_.any():
        return
    enough = _RULES.lost_at_half if check.r2 < r2 / 2.0 else _RULES.lost
    if r2 - check.r2 <= enough:
        return
    inside, outside = r_squared(r2), r_squared(check.r2)
    text = f"R² is {inside} on the rows used to choose, but {outside} on rows left out"
    if check.stability[model.support_].mean() < _RULES.chosen_again:
        text += ", and parts of the rows choose other columns: the choice does not carry over."
    else:
        text += (
            ": new rows will be predicted worse than the first number says; where rows are few, "
            "expect something between the two."
        )
    yield Note("carry_over", text)


def _few_rows(n_rows: int, n_chosen: int) -> Iterator[Note]:
    if n_rows < _RULES.few_rows:
        said = f"There are only {n_rows} rows"
    elif n_rows < _RULES.rows_a_column * n_chosen:
        said = f"There are only {n_rows} rows for {n_chosen} chosen columns"
    else:
        return
    text = f"{said}: one row more or less may change the answer; take it as a hint."
    yield Note("few_rows", text)


def _classes(data: Prepared, values: TargetValues) -> Iterator[Note]:
    counts, target = values.counts, shortened(data.target)
    if counts is None:
        return
    least, most = short_number(values.least), short_number(values.most)
    if len(counts) == 2:
        text = f"{target} has only the values {least} and {most}, and a linear fit is used: "
        if set(counts) == {0.0, 1.0}:
            text += "a fitted value is roughly the probability of 1, and may lie outside 0 to 1."
        else:
            text += f"the nearer a fitted value is to {most}, the likelier is {most}."
        yield Note("classes", text)
    elif _may_be_codes(counts):
        text = (
            f"{target} has only {len(counts)} values, whole numbers from {least} to {most}. Are "
            "they amounts, such as counts or grades? If they are codes of classes, a linear fit "
            "means little: write one class as 1, all others as 0, and ask for that."
        )
        yield Note("classes", text)


def _may_be_codes(counts: dict[float, int]) -> bool:
    """Return whether values lie as close, and have as many rows, as codes do."""
    if not all(value.is_integer() for value in counts):
        return False
    is_close = max(counts) - min(counts) <= MOST_VALUES
    is_frequent = sum(counts.values()) >= _RULES.rows_a_value * len(counts)
    return is_close and is_frequent and min(counts.values()) >= _RULES.fewest_of_a_class


def _skew(target: str, values: TargetValues, few: RowResiduals) -> Iterator[Note]:
    """Yield a caution where the target is skewed, a logarithm mends it, and columns do not."""
    if len(few.y) < _RULES.skew_rows or values.least <= 0.0 or values.counts is not None:
        return
    (y, off), little = few, _RULES.little_skew
    if _skewness(y) > _RULES.skew and abs(_skewness(np.log(y))) < little < _skewness(off):
        name = shortened(target)
        text = (
            f"{name} is heavily skewed, so that the few rows with large values count most. Its "
            f"logarithm is not: a column with log({name}) may be the better target."
        )
        yield Note("skew", text)


def _skewness(values: np.ndarray) -> float:
    """Return the third moment of standardised values, whatever their unit; zero if constant."""
    values = values / (np.max(np.abs(values)) or 1.0)
    values = values - values.mean()
    length = np.linalg.norm(values)
    if length <= 1e-12:
        return 0.0
    return float(np.sqrt(len(values)) * np.sum((values / length) ** 3))
