"""Problems on measured tables: real columns, and four ways to say which of them are true.

The paper reports true positives and false discoveries on two real tables without saying what the
truth is. It cannot be seen in the tables either: many columns are nearly, and some exactly,
combinations of others. A setting therefore names its *truth*:

    planted     y = Xβ* + ε with ±1 at random columns of the real X: the truth is known
    nuisance    the real y; a copy of all columns with shuffled rows: originals count as true
    consensus   the real y; the columns on which resampling the whole table agrees are true
    held-out    the real y and no truth: as many other rows are held out and predicted
"""

from .measured_problem import MeasuredProblem, draw, measured_problem
from .measured_setting import TRUTHS, is_measured, measured_setting
from .measured_tables import TABLES, RealTable, loaded, missing_tables

__all__ = [
    "TABLES",
    "TRUTHS",
    "MeasuredProblem",
    "RealTable",
    "draw",
    "is_measured",
    "loaded",
    "measured_problem",
    "measured_setting",
    "missing_tables",
]
