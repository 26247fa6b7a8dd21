"""Judgments out of the application and into it: formats, imports, and new versions of texts."""

from __future__ import annotations

from doxeval.assess.exchange.reanchor import reanchor as reanchor
from doxeval.doors import door

__getattr__, __dir__ = door(__name__, __file__)
