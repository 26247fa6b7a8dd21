"""Storage: what is written once and only read from then on, collections and search indexes."""

from __future__ import annotations

from doxeval.doors import door

__getattr__, __dir__ = door(__name__, __file__)
