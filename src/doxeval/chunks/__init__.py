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
    from doxeval.chunks.document_set import Documents
    from doxeval.chunks.document_sources import documents
    from doxeval.chunks.locating_chunks import locate
    from doxeval.chunks.question_set import Questions
    from doxeval.chunks.question_sources import questions

__all__ = ["Chunks", "Documents", "Questions", "documents", "locate", "questions", "read_chunks"]

_HOMES = {
    "Chunks": "chunk_set",
    "Documents": "document_set",
    "Questions": "question_set",
    "documents": "document_sources",
    "locate": "locating_chunks",
    "questions": "question_sources",
    "read_chunks": "chunk_reading",
}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'doxeval.chunks' has no attribute {name!r}")
    return getattr(import_module(f"doxeval.chunks.{_HOMES[name]}"), name)
