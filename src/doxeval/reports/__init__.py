"""Reports: a table of scores as one page to read, with its figures.

This room sees scores, comparisons and documents, not how scores are computed. A page is one file
that needs no network. Text from documents, runs and assessments is always escaped.
"""

from __future__ import annotations

from doxeval.doors import door
from doxeval.reports.page import page as page
from doxeval.reports.report import report as report

__all__ = [
    "Contents",
    "DocumentView",
    "Report",
    "RunUnits",
    "document_data",
    "document_views",
    "documents_note",
    "page",
    "report",
    "write_report",
]

__getattr__, __dir__ = door(__name__, __file__)
