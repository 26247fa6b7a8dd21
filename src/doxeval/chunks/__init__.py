"""Studies of chunked retrieval: documents, questions with gold, and chunks, whatever made them.

>>> from doxeval import chunks
>>> docs = chunks.documents({"terms": "Thirty days. Unused goods only."})
>>> need = {"spans": [{"doc": "terms", "quote": "Thirty days"}]}
>>> chunks.questions([{"id": "1", "question": "How long?", "needs": [need]}], docs)
Questions(1 question, 1 need)

Names are loaded when they are first used. No file is called as a name that is exported: importing
it would put the file in the place of the name.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from doxeval.chunks.chunk_reading import read_chunks
    from doxeval.chunks.chunk_set import Chunks
    from doxeval.chunks.comparing import compare, grid
    from doxeval.chunks.cut_limits import limits, oracle
    from doxeval.chunks.cutting import cut
    from doxeval.chunks.document_set import Documents
    from doxeval.chunks.document_sources import documents
    from doxeval.chunks.evaluating import evaluate
    from doxeval.chunks.limits_of_cut import Limits
    from doxeval.chunks.locating_chunks import locate
    from doxeval.chunks.question_set import Questions
    from doxeval.chunks.question_sources import questions
    from doxeval.chunks.retrieved_contexts import retrieved
    from doxeval.chunks.retrieving import retrieve
    from doxeval.chunks.rewriting import ChunkRun, budget, dedupe, expand, join, merge
    from doxeval.chunks.searching import dense, hybrid, search
    from doxeval.chunks.study import Study
    from doxeval.chunks.trees import tree

__all__ = [
    "ChunkRun",
    "Chunks",
    "Documents",
    "Limits",
    "Questions",
    "Study",
    "budget",
    "compare",
    "cut",
    "dedupe",
    "dense",
    "documents",
    "evaluate",
    "expand",
    "grid",
    "hybrid",
    "join",
    "limits",
    "locate",
    "merge",
    "oracle",
    "questions",
    "read_chunks",
    "retrieve",
    "retrieved",
    "search",
    "tree",
]

_HOMES = {
    "ChunkRun": "rewriting",
    "Chunks": "chunk_set",
    "Documents": "document_set",
    "Limits": "limits_of_cut",
    "Questions": "question_set",
    "Study": "study",
    "budget": "rewriting",
    "compare": "comparing",
    "cut": "cutting",
    "dedupe": "rewriting",
    "dense": "searching",
    "documents": "document_sources",
    "evaluate": "evaluating",
    "expand": "rewriting",
    "grid": "comparing",
    "hybrid": "searching",
    "join": "rewriting",
    "limits": "cut_limits",
    "locate": "locating_chunks",
    "merge": "rewriting",
    "oracle": "cut_limits",
    "questions": "question_sources",
    "read_chunks": "chunk_reading",
    "retrieve": "retrieving",
    "retrieved": "retrieved_contexts",
    "search": "searching",
    "tree": "trees",
}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'doxeval.chunks' has no attribute {name!r}")
    return getattr(import_module(f"doxeval.chunks.{_HOMES[name]}"), name)
