"""Navigation: models of how readers move in a document from what they are shown.

The code that reads models from files is loaded on first use, because few evaluations need it.
"""

from __future__ import annotations

from doxeval.doors import door

__all__ = ["Navigation", "read_navigation"]

__getattr__, __dir__ = door(__name__, __file__)
