"""Reports: a table of scores as one page to read, with its figures.

This room sees scores, comparisons and documents, not how scores are computed. A page is one file
that needs no network. Text from documents, runs and assessments is always escaped.
"""

from doxeval.reports.contents import Contents
from doxeval.reports.document_island import documents_for_island, documents_note
from doxeval.reports.document_views import DocumentView, RunUnits, document_views
from doxeval.reports.page import page
from doxeval.reports.report import report
from doxeval.reports.returned import Keeping, Returned, keeping, returned
from doxeval.reports.write import Report, write_report

__all__ = [
    "Contents",
    "DocumentView",
    "Keeping",
    "Report",
    "Returned",
    "RunUnits",
    "document_views",
    "documents_for_island",
    "documents_note",
    "keeping",
    "page",
    "report",
    "returned",
    "write_report",
]
