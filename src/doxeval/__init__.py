"""doxeval: evaluate the retrieval of parts of documents.

>>> import doxeval
>>> doxeval.Collection.__name__
'Collection'

Names are loaded when they are first used, so that `import doxeval` stays quick.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from doxeval.assessments import Assessments, read_assessments
    from doxeval.documents import BuildOptions, Collection, Element, build_collection
    from doxeval.evaluation import evaluate
    from doxeval.runs import Run, read_run
    from doxeval.scores import ScoreTable
    from doxeval.stereotypes import simulate
    from doxeval.topics import Topic, parse_nexi, read_topics

__version__ = "0.1.0"
__all__ = [
    "Assessments",
    "BuildOptions",
    "Collection",
    "Element",
    "Run",
    "ScoreTable",
    "Topic",
    "__version__",
    "build_collection",
    "evaluate",
    "parse_nexi",
    "read_assessments",
    "read_run",
    "read_topics",
    "simulate",
]

_HOMES = {
    "Assessments": "doxeval.assessments",
    "read_assessments": "doxeval.assessments",
    "Run": "doxeval.runs",
    "read_run": "doxeval.runs",
    "ScoreTable": "doxeval.scores",
    "simulate": "doxeval.stereotypes",
    "evaluate": "doxeval.evaluation",
    "BuildOptions": "doxeval.documents",
    "Collection": "doxeval.documents",
    "Element": "doxeval.documents",
    "build_collection": "doxeval.documents",
    "Topic": "doxeval.topics",
    "parse_nexi": "doxeval.topics",
    "read_topics": "doxeval.topics",
}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'doxeval' has no attribute {name!r}")
    return getattr(import_module(_HOMES[name]), name)


def __dir__() -> list[str]:
    return sorted(__all__)
