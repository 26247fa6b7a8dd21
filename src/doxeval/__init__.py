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

from importlib import import_module

TYPE_CHECKING = False  # as in `typing`, which takes longer to import than all of this
if TYPE_CHECKING:
    from typing import Any

    from doxeval.assessments import (
        Assessments,
        Judgment,
        NeededSpan,
        read_assessments,
        write_assessments,
    )
    from doxeval.assessments.statistics import assessment_statistics
    from doxeval.comparison import compare, correlate, significant_agreement
    from doxeval.documents import (
        BuildOptions,
        Collection,
        Element,
        build_collection,
        merge_collections,
    )
    from doxeval.errors import DoxevalError, DoxevalWarning
    from doxeval.evaluation import Evaluation, evaluate
    from doxeval.measures import Measure, register
    from doxeval.navigation import Navigation, read_navigation
    from doxeval.pooling import Pool, pool_runs, read_pool, write_pool
    from doxeval.reports import report
    from doxeval.retrieve.build import build_index
    from doxeval.retrieve.index import Index
    from doxeval.retrieve.model import Model
    from doxeval.retrieve.models import register_model
    from doxeval.retrieve.search import search, search_words
    from doxeval.runs import Kind, Result, Run, read_run, write_run
    from doxeval.runs.chunk_table import ChunkTable, read_chunks
    from doxeval.runs.statistics import run_statistics
    from doxeval.scores import ScoreTable
    from doxeval.stereotypes import simulate
    from doxeval.topics import Topic, parse_nexi, read_topics, topic_statistics, write_topics

__version__ = "0.1.0"

# Where the public names come from.
_ROOMS = {
    "assessments": (
        "Assessments",
        "Judgment",
        "NeededSpan",
        "read_assessments",
        "write_assessments",
    ),
    "assessments.statistics": ("assessment_statistics",),
    "comparison": ("compare", "correlate", "significant_agreement"),
    "documents": (
        "BuildOptions",
        "Collection",
        "Element",
        "build_collection",
        "merge_collections",
    ),
    "errors": ("DoxevalError", "DoxevalWarning"),
    "evaluation": ("Evaluation", "evaluate"),
    "measures": ("Measure", "register"),
    "navigation": ("Navigation", "read_navigation"),
    "pooling": ("Pool", "pool_runs", "read_pool", "write_pool"),
    "reports": ("report",),
    "retrieve.build": ("build_index",),
    "retrieve.index": ("Index",),
    "retrieve.model": ("Model",),
    "retrieve.models": ("register_model",),
    "retrieve.search": ("search", "search_words"),
    "runs": ("Kind", "Result", "Run", "read_run", "write_run"),
    "runs.chunk_table": ("ChunkTable", "read_chunks"),
    "runs.statistics": ("run_statistics",),
    "scores": ("ScoreTable",),
    "stereotypes": ("simulate",),
    "topics": ("Topic", "parse_nexi", "read_topics", "topic_statistics", "write_topics"),
}
_HOMES = {name: f"doxeval.{room}" for room, names in _ROOMS.items() for name in names}

__all__ = [
    "Assessments",
    "BuildOptions",
    "ChunkTable",
    "Collection",
    "DoxevalError",
    "DoxevalWarning",
    "Element",
    "Evaluation",
    "Index",
    "Judgment",
    "Kind",
    "Measure",
    "Model",
    "Navigation",
    "NeededSpan",
    "Pool",
    "Result",
    "Run",
    "ScoreTable",
    "Topic",
    "__version__",
    "assessment_statistics",
    "build_collection",
    "build_index",
    "compare",
    "correlate",
    "evaluate",
    "merge_collections",
    "parse_nexi",
    "pool_runs",
    "read_assessments",
    "read_chunks",
    "read_navigation",
    "read_pool",
    "read_run",
    "read_topics",
    "register",
    "register_model",
    "report",
    "run_statistics",
    "search",
    "search_words",
    "significant_agreement",
    "simulate",
    "topic_statistics",
    "write_assessments",
    "write_pool",
    "write_run",
    "write_topics",
]


def __getattr__(name: str) -> Any:
    if name == "chunks":
        return import_module("doxeval.chunks")
    if name not in _HOMES:
        raise AttributeError(f"module 'doxeval' has no attribute {name!r}")
    return getattr(import_module(_HOMES[name]), name)


def __dir__() -> list[str]:
    return sorted(__all__)
