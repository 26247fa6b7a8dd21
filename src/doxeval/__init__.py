"""doxeval: evaluate the retrieval of parts of documents.

>>> import doxeval
>>> qrels = {"7": {"a": 1, "b": 0, "c": 1}}
>>> run = {"7": {"a": 0.9, "b": 0.8, "c": 0.7}}
>>> doxeval.evaluate({"mine": run}, qrels, ["AP", "P@2"])
Scores of 1 run by 2 measures on 1 topic
run       AP     P@2
mine  0.8333  0.5000

Names are loaded when they are first used, so that `import doxeval` stays quick.
"""

from __future__ import annotations

from doxeval.doors import door
from doxeval.version import __version__

__getattr__, _names = door(__name__, __file__)
__all__ = ["__version__", *_names()]


def __dir__() -> list[str]:
    return sorted(__all__)
