"""Search: an index of word positions, and baseline runs for every task."""

from __future__ import annotations

from doxeval.doors import door

__getattr__, __dir__ = door(__name__, __file__)
