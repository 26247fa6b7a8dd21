"""Reports: a table of scores as one page to read, with its figures.

This room sees scores, comparisons and documents, never how scores came about. A page is one file
that needs no network; whatever comes from documents, runs or assessments is shown as text only.
"""

from doxeval.report.contents import Contents
from doxeval.report.document_views import DocumentView, document_views
from doxeval.report.page import page
from doxeval.report.retrieved_units import RunUnits, Sources
from doxeval.report.write import write_report

__all__ = [
    "Contents",
    "DocumentView",
    "RunUnits",
    "Sources",
    "document_views",
    "page",
    "write_report",
]
