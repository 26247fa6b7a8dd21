"""Runs: what systems returned, read from any format, resolved against a collection."""

from __future__ import annotations

from doxeval.doors import door

__all__ = ["Kind", "ResolvedRun", "Result", "Run", "Unresolved", "read_run", "resolve", "write_run"]

__getattr__, __dir__ = door(__name__, __file__)
