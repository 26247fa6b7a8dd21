"""Reports: a table of scores as one page to read, with its figures.

This room sees scores, comparisons and documents, not how scores are computed. A page is one file
that needs no network. Text from documents, runs and assessments is always escaped.
"""

from __future__ import annotations

from doxeval.doors import door
from doxeval.reports.document_views import document_views as document_views
from doxeval.reports.losses import losses as losses
from doxeval.reports.page import page as page
from doxeval.reports.report import report as report
from doxeval.reports.returned import returned as returned
from doxeval.reports.telling_documents import telling_documents as telling_documents
from doxeval.reports.topic_names import topic_names as topic_names

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

__getattr__, __dir__ = door(__name__, __file__)
