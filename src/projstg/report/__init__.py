"""From rows to a page: summary → figures, tables, verdicts → one HTML file.

:func:`make_report` is the door.
"""

from .experiment_page import make_report

__all__ = ["make_report"]
