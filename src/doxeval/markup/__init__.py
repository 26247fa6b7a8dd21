"""XML from untrusted sources: a hardened parser, and reading data one element at a time."""

from __future__ import annotations

from doxeval.doors import door

__getattr__, __dir__ = door(__name__, __file__)
