"""From rows to numbers that can be drawn: one line per setting and method.

Imports rows from ``store`` and intervals from ``metrics``; knows no method and no figure.
"""

from .recovery_threshold import first_reaching, samples_needed
from .summarize_rows import SETTING, summarize, summarize_folder
from .theorem_rates import theorem_columns

__all__ = [
    "SETTING",
    "first_reaching",
    "samples_needed",
    "summarize",
    "summarize_folder",
    "theorem_columns",
]
