"""Files that are often at hand where questions are wanted, but hold no text that answers them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from doxeval.chunks.document_set import Documents
from doxeval.chunks.formats import GoldFormat, first_record
from doxeval.chunks.loading import Loaded
from doxeval.chunks.stated import StatedQuestion


def _is_ragchecker(value: Any) -> bool:
    results = value.get("results") if isinstance(value, dict) else None
    return "retrieved_context" in first_record(results)


def _ragchecker(loaded: Loaded, docs: Documents) -> Iterator[StatedQuestion]:
    raise loaded.wrong(
        "results of RAGChecker: their gold are claims that a model makes of answers, not text of "
        "documents; of what was retrieved, `chunks retrieved` makes a run"
    )


def _has_nuggets(value: Any) -> bool:
    return "nuggets" in first_record(value)


def _nuggets(loaded: Loaded, docs: Documents) -> Iterator[StatedQuestion]:
    raise loaded.wrong(
        "nuggets of TREC: they are not text of documents; link them to passages first, as needs "
        "with grades"
    )


FORMATS = (
    GoldFormat("RAGChecker", "results with retrieved_context", _is_ragchecker, _ragchecker),
    GoldFormat("nuggets", "nuggets", _has_nuggets, _nuggets),
)
