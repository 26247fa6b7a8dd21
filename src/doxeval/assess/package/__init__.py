"""A campaign as a test collection to publish: a folder with everything, and what describes it."""

from __future__ import annotations

from doxeval.doors import door

__getattr__, __dir__ = door(__name__, __file__)
