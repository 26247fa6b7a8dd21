"""Question sets of others, one file for each format, known by the shape of their records.

A format says how to tell it, what it asks, and, where its files hold documents too, which.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from importlib import import_module
from typing import Any, NamedTuple

from doxeval.chunks.document_set import Documents
from doxeval.chunks.loading import Loaded
from doxeval.chunks.stated import StatedQuestion


class GoldFormat(NamedTuple):
    """A format of questions with gold.

    name: what people call it. fields: what tells it, for error messages. fits: whether a value is
    of this format. stated: the questions of a value. documents: the documents in it, if any.
    """

    name: str
    fields: str
    fits: Callable[[Any], bool]
    stated: Callable[[Loaded, Documents], Iterable[StatedQuestion]]
    documents: Callable[[Loaded], Iterable[tuple[str, str]]] | None = None


# In this order, since some have the fields of others and more.
_FILES = (
    "own",
    "chroma",
    "legalbench",
    "hicbench",
    "ragas",
    "hotpot",
    "squad",
    "qasper",
    "natural_questions",
    "multihop_rag",
    "autorag",
    "beir",
    "not_gold",
)


def gold_formats() -> Iterator[GoldFormat]:
    """All formats, the more particular ones first."""
    for name in _FILES:
        yield from import_module(f"doxeval.chunks.formats.{name}").FORMATS


def first_record(value: Any) -> dict[str, Any]:
    """The first of a list of records, by which formats are told; else nothing.

    >>> first_record([{"id": 1}]), first_record("text")
    ({'id': 1}, {})
    """
    if isinstance(value, list) and value and isinstance(value[0], dict):
        found: dict[str, Any] = value[0]
        return found
    return {}


def document_format(value: Any) -> Callable[[Loaded], Iterable[tuple[str, str]]] | None:
    """What reads the documents of a file of questions; None if it is no such file."""
    for one in gold_formats():
        if one.documents is not None and one.fits(value):
            return one.documents
    return None
