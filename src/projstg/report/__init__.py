"""From the rows of a run to a page: summary → figures, tables, verdicts → one HTML file.

It reads rows through ``experiments`` and draws through ``render``. Call :func:`make_report`.
"""

from .experiment_page import make_report

__all__ = ["make_report"]
