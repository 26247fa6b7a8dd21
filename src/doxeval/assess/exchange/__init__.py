"""Judgments out of the application and into it: formats, imports and the log."""

from __future__ import annotations

from doxeval.doors import door

__getattr__, __dir__ = door(__name__, __file__)
