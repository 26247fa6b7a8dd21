"""Finding a quote in the documents of a collection.

One document at a time is in memory. Matches are spans of the text as it is stored, also when white
space or case is ignored. They do not overlap: the next search begins where the last match ended.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass
from itertools import islice
from typing import TYPE_CHECKING, Any

import numpy as np

from doxeval.documents.words import is_white_space
from doxeval.errors import InputError, UnknownReference
from doxeval.messages import Parameter, quoted, truncate

if TYPE_CHECKING:
    from doxeval.documents.collection import Collection

_AT_ONCE = 1000


@dataclass(frozen=True)
class TextMatch:
    """A match of a quote: characters start … end − 1 of a document.

    path: the innermost element around it. before, after: some of the text on either side.
    """

    doc: str
    start: int
    end: int
    path: str
    before: str
    text: str
    after: str

    def as_dict(self) -> dict[str, Any]:
        """Return its fields by name, for JSON.

        >>> TextMatch("a", 3, 5, "/p[1]", "Go ", "on", "!").as_dict()["start"]
        3
        """
        return asdict(self)


def find_text(
    collection: Collection,
    quote: str,
    documents: Iterable[str] | None = None,
    *,
    ignore_whitespace: bool = False,
    ignore_case: bool = False,
    context: int = 40,
) -> Iterator[TextMatch]:
    """See `Collection.find_text`."""
    search = _Search(quote, ignore_whitespace, ignore_case)
    numbers: Iterable[int] = range(len(collection))
    if documents is not None:
        given = [documents] if isinstance(documents, str) else documents
        numbers = [collection.document(document_id) for document_id in given]
    return (
        match
        for number in numbers
        for match in _matches_in(collection, number, search, max(context, 0))
    )


def quote_not_found(
    quote: str, location: str, document: str | None, ignore_whitespace: bool
) -> UnknownReference:
    """Return the error about a quote that is not found."""
    where = location if document is None else f"{truncate(document)} of {location}"
    hint = (
        ""
        if ignore_whitespace
        else "; with " + Parameter("ignore_whitespace", True) + ", white space does not count"
    )
    return UnknownReference(f"no {quoted(quote)} in {where}" + hint)


class _Search:
    """A quote, and how texts are compared with it."""

    def __init__(self, quote: str, ignore_whitespace: bool, ignore_case: bool) -> None:
        self._ignore_whitespace = ignore_whitespace
        self._ignore_case = ignore_case
        self._quote = self._fold(quote)
        if not self._quote:
            only = " but white space" if quote else ""
            raise InputError(
                Parameter("quote", quote) + f": expected some text, and there is none{only}"
            )

    def spans(self, text: str) -> Iterator[tuple[int, int]]:
        """Yield the start and end of each match in a text."""
        folded = self._fold(text)
        at = folded.find(self._quote)
        if at < 0:
            return
        kept = np.flatnonzero(~is_white_space(text)) if self._ignore_whitespace else None
        length = len(self._quote)
        while at >= 0:
            after = at + length
            if kept is None:
                yield at, after
            else:
                yield int(kept[at]), int(kept[after - 1]) + 1
            at = folded.find(self._quote, after)

    def _fold(self, text: str) -> str:
        if self._ignore_whitespace:
            text = "".join(text.split())
        if not self._ignore_case:
            return text
        # Characters are folded, unless that would make several of one.
        folded = {ord(character): character.casefold() for character in set(text)}
        return text.translate({code: new for code, new in folded.items() if len(new) == 1})


def _matches_in(
    collection: Collection, document: int, search: _Search, context: int
) -> Iterator[TextMatch]:
    text = collection.text_of(document)
    name = collection.id_of(document)
    spans = search.spans(text)
    while some := list(islice(spans, _AT_ONCE)):
        starts, ends = np.array(some, dtype=np.int64).T
        nodes = collection.innermost(np.full(len(some), document), starts, ends)
        for (start, end), node in zip(some, nodes.tolist(), strict=True):
            yield TextMatch(
                name,
                start,
                end,
                collection.path_of(node),
                text[max(start - context, 0) : start],
                text[start:end],
                text[end : end + context],
            )
