"""Search: an index of word positions, and baseline runs for every task."""

from __future__ import annotations

from doxeval.doors import door
from doxeval.retrieve.explain import explain as explain
from doxeval.retrieve.search import search as search

__getattr__, __dir__ = door(__name__, __file__)
