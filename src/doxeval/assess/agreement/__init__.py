"""How far assessors agree, how they do on honeypots, and one judgment made of several."""

from __future__ import annotations

from doxeval.assess.agreement.agreement import agreement as agreement
from doxeval.assess.agreement.honeypots import honeypots as honeypots
from doxeval.doors import door

__getattr__, __dir__ = door(__name__, __file__)
