"""The web server of the assessment application: pages, data for them, and who may see what."""

from __future__ import annotations

from doxeval.doors import door

__getattr__, __dir__ = door(__name__, __file__)
