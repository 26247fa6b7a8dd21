"""Question sets of others, known by the shape of their records.

A format says how it is recognised, which questions a file has and, where its files hold documents
too, which. Files end in .json, .csv or .parquet whatever they hold, so a format is known by the
fields of the first record and not, as a `FileFormat`, by how a file is called or how it begins.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any, NamedTuple

from doxeval.chunks.records import Loaded

if TYPE_CHECKING:
    from doxeval.chunks.documents import Documents


class RawEvidence(NamedTuple):
    """Text that answers a need, as a file points to it.

    document: what the file calls its document; None if it does not say. start, end: code points,
    half-open; where end is None, it follows from the quote. quote: the text itself.
    inside: the text in which start and end count, if that is not the document. at_place: whether
    only this place is meant, since such a short text occurs elsewhere by chance. is_whole: whether
    the whole document is meant; then there are neither offsets nor a quote. page: the number of the
    page on which the quote is; without a quote, the whole page is meant. parts: the places that
    are to be shown together, if there are several; then nothing else is given but the document.
    """

    document: str | None
    quote: str | None = None
    start: int | None = None
    end: int | None = None
    inside: str | None = None
    at_place: bool = False
    is_whole: bool = False
    page: int | None = None
    parts: tuple[RawEvidence, ...] = ()


class RawNeed(NamedTuple):
    """What a question needs: any of this evidence. grade: how much it weighs."""

    evidence: tuple[RawEvidence, ...]
    grade: float = 1
    id: str | None = None


class RawQuestion(NamedTuple):
    """A question, all needs of which are to be met.

    not_relevant: documents that were judged and answer nothing. unusable: what the file offers as
    an answer though it is not text of a document. answers: strings, any of which answers it.
    answerable: False if no document answers it, which is not the same as gold that is missing.
    """

    id: str
    text: str
    needs: tuple[RawNeed, ...] = ()
    tags: tuple[str, ...] = ()
    not_relevant: tuple[str, ...] = ()
    unusable: tuple[str, ...] = ()
    answers: tuple[str, ...] = ()
    answerable: bool = True


def single_needs(evidence: list[RawEvidence]) -> tuple[RawNeed, ...]:
    """Return a need for each text, once for each.

    >>> len(single_needs([RawEvidence("a", quote) for quote in ("one", "two", "one")]))
    2
    """
    return tuple(RawNeed((text,)) for text in dict.fromkeys(evidence))


class QuestionFormat(NamedTuple):
    """A format of questions with gold.

    name: what people call it. fields: what it is recognised by, for error messages. fits: whether a
    value is of this format. questions: those of a value. documents: the documents in it, if any.
    warnings: about what of a value is not read, if there are any.
    """

    name: str
    fields: str
    fits: Callable[[Any], bool]
    questions: Callable[[Loaded, Documents], Iterable[RawQuestion]]
    documents: Callable[[Loaded], Iterable[tuple[str, str]]] | None = None
    warnings: Callable[[Loaded], Iterable[str]] | None = None


def question_formats() -> tuple[QuestionFormat, ...]:
    """Return all formats, the more particular ones first: some have the fields of others."""
    from doxeval.chunks.formats import beir, flat, own, rag, reading

    return (
        own.QUESTIONS,
        own.JUDGMENTS,
        rag.CHROMA,
        rag.LEGALBENCH,
        rag.HICBENCH,
        rag.RAGAS,
        reading.HOTPOT,
        reading.MUSIQUE,
        reading.SQUAD,
        reading.QASPER,
        reading.NATURAL_QUESTIONS,
        rag.MULTIHOP,
        rag.AUTORAG,
        rag.AUTORAG_WITH_CORPUS,
        beir.BEIR,
        rag.RAGCHECKER,
        rag.NUGGETS,
        rag.DEEPEVAL,
        rag.LLAMAINDEX_PAIRS,
        rag.LLAMAINDEX_EXAMPLES,
        flat.FLAT,
    )


def first_record(value: Any) -> dict[str, Any]:
    """Return the first of a list of records, by which formats are recognised; else nothing.

    >>> first_record([{"id": 1}]), first_record("text")
    ({'id': 1}, {})
    """
    if isinstance(value, list) and value and isinstance(value[0], dict):
        first: dict[str, Any] = value[0]
        return first
    return {}


def document_format(value: Any) -> Callable[[Loaded], Iterable[tuple[str, str]]] | None:
    """Return what reads the documents of a file of questions; None if it is no such file."""
    for format_ in question_formats():
        if format_.documents is not None and format_.fits(value):
            return format_.documents
    return None
