"""Markup: XML from untrusted sources, by a hardened parser, and pages in HTML from templates."""

from __future__ import annotations

from doxeval.doors import door

__getattr__, __dir__ = door(__name__, __file__)
