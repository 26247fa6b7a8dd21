"""Studies of chunked retrieval: documents, questions with gold, and chunks, whatever made them.

>>> from doxeval import chunks
>>> docs = chunks.documents({"terms": "Thirty days. Unused goods only."})
>>> need = {"spans": [{"doc": "terms", "quote": "Thirty days"}]}
>>> chunks.questions([{"id": "1", "question": "How long?", "needs": [need]}], docs)
Questions(1 question, 1 need)

Names are loaded when they are first used.
"""

from __future__ import annotations

from doxeval.doors import door

__all__ = [
    "ChunkRun",
    "ChunkingLimits",
    "Chunks",
    "Documents",
    "Questions",
    "Study",
    "budget",
    "compare",
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
    "split",
    "tree",
]

__getattr__, __dir__ = door(__name__, __file__)
