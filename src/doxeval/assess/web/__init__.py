"""The web server of the assessment application: pages, data for them, and who may see what."""

from __future__ import annotations

from doxeval.assess.web.document_data import document_data as document_data
from doxeval.doors import door

__getattr__, __dir__ = door(__name__, __file__)
