"""Cautions: what may make an answer wrong, said in one line each, and silent otherwise.

Each rule looks at the answer, at a thousand rows at the most, and at the folds. Only
:mod:`.deciding_rows` fits again.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from ..._printable import few_names, shortened
from ...estimators.projected_stg import ProjectedSTG
from ...render.number_text import short_number
from ..prepare.prepared import Prepared, SomeRows
from ..words.notes import Note
from .deciding_rows import deciding_rows
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
    most_values: int = 10
    """Class codes have few values, and counts of up to ten things may be meant as amounts."""
    rows_a_value: int = 10
    """Measurements in whole numbers repeat less often in a small table."""
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
    few = data.some_rows(params["random_state"])
    off = few.y - few.X @ model.coef_ - model.intercept_
    n_chosen = int(model.support_.sum())
    identity = list(_identity(data, few, off, model, r2))
    return [
        *identity,
        *_carry_over(model, r2, check),
        *_few_rows(data.n_rows, n_chosen),
        *([] if identity else deciding_rows(data, model, params)),
        *_classes(data, few.y),
        *_skew(data.target, few.y, off),
    ]


def _identity(
    data: Prepared, few: SomeRows, off: np.ndarray, model: ProjectedSTG, r2: float
) -> Iterator[Note]:
    """Yield a caution where the target seems to be among the columns, whole or in parts."""
    chosen = tuple(data.names[place] for place in np.flatnonzero(model.support_))
    if data.n_rows < max(_RULES.fewest_rows, 2 * (len(chosen) + 1)):
        return
    sizes = np.abs(_correlations(few))
    same = tuple(data.names[place] for place in np.flatnonzero(sizes > _RULES.same))
    target = shortened(data.target)
    if same:
        verb, one = ("follows", "it") if len(same) == 1 else ("follow", "them")
        text = (
            f"{few_names(same)} {verb} {target} almost exactly (correlation "
            f"{_nines(sizes.max())}): did you leave the answer in the table? If so, leave {one} "
            "out by never=[…]."
        )
        yield Note("identity", text, same)
    elif len(chosen) > 1 and _is_exact(few.y, off, r2, len(chosen)):
        text = (
            f"{few_names(chosen)} together give {target} exactly, up to rounding: is {target} "
            "computed from them, as a total is from its parts? If so, leave them out by never=[…]."
        )
        yield Note("identity", text, chosen)


def _correlations(few: SomeRows) -> np.ndarray:
    """Return the correlation of each column with the target; zero where one is constant."""
    columns, y = _standard(few.X), _standard(few.y[:, None])
    return columns.T @ y[:, 0]


def _standard(values: np.ndarray) -> np.ndarray:
    """Return columns with mean zero and length one, whatever their unit."""
    size = np.max(np.abs(values), axis=0)
    values = values / np.where(size > 0.0, size, 1.0)
    values = values - values.mean(axis=0)
    length = np.linalg.norm(values, axis=0)
    return np.divide(values, length, out=np.zeros_like(values), where=length > 1e-12)


def _nines(correlation: float) -> str:
    """Return a correlation near one, never rounded up to it."""
    return "1" if 1.0 - correlation < 1e-9 else f"{np.floor(1e4 * correlation) / 1e4:.4f}"


def _is_exact(y: np.ndarray, off: np.ndarray, r2: float, n_columns: int) -> bool:
    """Return whether nothing is left but rounding.

    Columns and target are off by half a step each, where a step is one in their last digit.
    """
    is_rounding = np.max(np.abs(off)) <= _step(y) * (n_columns + 1) / 2.0
    return 1.0 - r2 < _RULES.exact or (r2 > _RULES.same and bool(is_rounding))


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
    text = f"R² is {r2:.2f} on the rows used to choose, but {check.r2:.2f} on rows left out"
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


def _classes(data: Prepared, y: np.ndarray) -> Iterator[Note]:
    values, target = np.unique(y), shortened(data.target)
    least, most = short_number(values[0]), short_number(values[-1])
    if len(values) == 2:
        text = f"{target} has only the values {least} and {most}, and a linear fit is used: "
        if set(values) == {0.0, 1.0}:
            text += "a fitted value is roughly the probability of 1, and may lie outside 0 to 1."
        else:
            text += f"the nearer a fitted value is to {most}, the likelier is {most}."
        yield Note("classes", text)
    elif _may_be_codes(values) and data.n_rows >= _RULES.rows_a_value * len(values):
        text = (
            f"{target} has only {len(values)} values, whole numbers from {least} to {most}. Are "
            "they amounts, such as counts or grades? If they are codes of classes, a linear fit "
            "means little: write one class as 1, all others as 0, and ask for that."
        )
        yield Note("classes", text)


def _may_be_codes(values: np.ndarray) -> bool:
    """Return whether distinct values are small in number and lie as close as codes do."""
    is_whole = bool(np.all(values == np.rint(values)))
    return is_whole and values[-1] - values[0] <= _RULES.most_values >= len(values)


def _skew(target: str, y: np.ndarray, off: np.ndarray) -> Iterator[Note]:
    """Yield a caution where the target is skewed, a logarithm mends it, and columns do not."""
    if len(y) < _RULES.skew_rows or y.min() <= 0.0 or len(np.unique(y)) <= _RULES.most_values:
        return
    little = _RULES.little_skew
    if _skewness(y) > _RULES.skew and abs(_skewness(np.log(y))) < little < _skewness(off):
        name = shortened(target)
        text = (
            f"{name} is heavily skewed, so that the few rows with large values count most. Its "
            f"logarithm is not: a column with log({name}) may be the better target."
        )
        yield Note("skew", text)


def _skewness(values: np.ndarray) -> float:
    """Return the third moment of standardised values."""
    return float(np.sqrt(len(values)) * np.sum(_standard(values[:, None]) ** 3))
