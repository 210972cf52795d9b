"""What a fit says of its arguments, in the words of ``select``."""

from __future__ import annotations

import re

from ..._printable import printable

__all__ = ["in_words_of_select"]

# What estimators say, and what is said instead. Constant columns have numbers there, no names.
_INSTEAD = {
    r"\bn_features_to_select=": "k=",
    r"\bsample_weight sums\b": "the weights sum",
    r"multiply by (\d+) / sample_weight\.sum\(\)": r"multiply them by \1 / their sum",
    r"\bor pass the numbers\b": "or give the numbers",
    r" columns of X\b": " columns",
    r"\bof always_select\b": "asked for",
    r" \(constant: [^)]*\)": "",
    r", or drop the constants": "",
}


def in_words_of_select(message: object) -> str:
    """Return what a fit says on one line, with the names that ``select`` has for its arguments.

    Examples
    --------
    >>> in_words_of_select("n_features_to_select=5 is more than the 4 columns of X that vary.")
    'k=5 is more than the 4 columns that vary.'
    """
    text = printable(message)
    for pattern, instead in _INSTEAD.items():
        text = re.sub(pattern, instead, text)
    return text
