"""Questions as a file states them, before anything is looked up in the documents."""

from __future__ import annotations

from typing import NamedTuple


class Stated(NamedTuple):
    """A piece of text that answers a need, as a file points to it.

    document: what the file calls its document; None if it does not say. start, end: code points,
    half-open; where end is None, it follows from the quote. quote: the text itself.
    inside: the text in which start and end count, if that is not the document. at_place: whether
    only this place is meant, since such a short text stands elsewhere by chance. is_whole: whether
    the whole document is meant; then there are neither offsets nor a quote.
    """

    document: str | None
    quote: str | None = None
    start: int | None = None
    end: int | None = None
    inside: str | None = None
    at_place: bool = False
    is_whole: bool = False


class StatedNeed(NamedTuple):
    """What a question needs: any of these pieces of text. grade: how much it weighs."""

    pieces: tuple[Stated, ...]
    grade: float = 1
    id: str | None = None


class StatedQuestion(NamedTuple):
    """A question, all needs of which are to be met.

    not_relevant: documents that were judged and answer nothing. unusable: what the file offers as
    an answer though it is not text of a document.
    """

    id: str
    text: str
    needs: tuple[StatedNeed, ...] = ()
    tags: tuple[str, ...] = ()
    not_relevant: tuple[str, ...] = ()
    unusable: tuple[str, ...] = ()


def single_needs(pieces: list[Stated]) -> tuple[StatedNeed, ...]:
    """A need for each piece of text, once for each.

    >>> len(single_needs([Stated("a", "one"), Stated("a", "two"), Stated("a", "one")]))
    2
    """
    return tuple(StatedNeed((piece,)) for piece in dict.fromkeys(pieces))
