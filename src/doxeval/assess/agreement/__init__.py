"""How far assessors agree, how they do on honeypots, and one judgment made of several."""

from __future__ import annotations

from doxeval.doors import door

__getattr__, __dir__ = door(__name__, __file__)
