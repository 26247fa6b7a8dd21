"""Finding documents, in the pool or outside it: by the beginning of their ids, or by words.

Words are looked up in the index beside the collection. Without an index the texts are read, up to
a limit, and the answer says so.
"""

from __future__ import annotations

import re
import threading
from collections.abc import Mapping
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

from doxeval.arrays import Ints
from doxeval.assess.web.document_data import title_of
from doxeval.documents import DocumentWords
from doxeval.errors import DoxevalError
from doxeval.messages import plural

if TYPE_CHECKING:
    from doxeval.documents import Collection
    from doxeval.retrieve import Index

MOST_FOUND = 20
MOST_SCANNED = 20_000_000  # characters
_AROUND = 80


class Found(NamedTuple):
    """A document, and a piece of its text that shows why it was found."""

    document: str
    title: str
    snippet: str


class Findings(NamedTuple):
    """What was found, and in words how."""

    documents: tuple[Found, ...]
    how: str


class Finder:
    """Finds documents of a collection.

    >>> from doxeval.documents.examples import example_collection
    >>> first = "<article><st>Fog</st><p>A horn in the fog.</p></article>"
    >>> finder = Finder(example_collection({"fog1": first, "sea": "<p>Waves.</p>"}), {})
    >>> finder.find("horn").documents
    (Found(document='fog1', title='Fog', snippet='Fog A horn in the fog.'),)
    >>> finder.find("horn").how
    'read all 2 documents, as the collection has no index'
    >>> [found.document for found in finder.find("fog").documents]
    ['fog1']
    """

    def __init__(self, collection: Collection, display: Mapping[str, str]) -> None:
        self.collection = collection
        self.display = display
        self._lock = threading.Lock()
        self._index: Index | None = None
        self._looked = False
        self._words = DocumentWords(collection)

    def find(self, query: str) -> Findings:
        """At most twenty documents, those whose ids begin with the query first."""
        query = query.strip()
        if not query:
            return Findings((), "nothing was asked for")
        by_id = [self._found(number, "") for number in self._with_prefix(query)]
        by_words, how = self._by_words(query)
        known = {found.document for found in by_id}
        all_found = by_id + [found for found in by_words if found.document not in known]
        return Findings(tuple(all_found[:MOST_FOUND]), how)

    def _found(self, document: int, snippet: str) -> Found:
        title = title_of(self.collection, document, self.display)
        return Found(self.collection.id_of(document), title, snippet)

    def _with_prefix(self, prefix: str) -> list[int]:
        """Documents whose ids begin like this, the one with exactly this id first."""
        numbers = [int(number) for number in self.collection.find_documents([prefix])]
        ends, lines, _ = self.collection.id_columns
        wanted = re.compile(b"(?m)^" + re.escape(prefix.encode("utf-8", "surrogatepass")))
        for count, match in enumerate(wanted.finditer(lines.data)):
            if count >= MOST_FOUND:
                break
            numbers.append(int(ends.searchsorted(match.start(), side="right")))
        return [number for number in dict.fromkeys(numbers) if number >= 0][:MOST_FOUND]

    def _by_words(self, query: str) -> tuple[list[Found], str]:
        index = self._open_index()
        if index is None:
            return self._scanned(query)
        from doxeval.retrieve import SearchOptions, find_snippets, open_searcher, query_of_words

        searcher = open_searcher(index, SearchOptions(task="documents", max_results=MOST_FOUND))
        try:
            terms = query_of_words(query, searcher.options)
            answer = searcher.answer(terms)
        except DoxevalError:  # a query without words, which may still be an id
            return [], "by the index of words"
        assert isinstance(terms, tuple)  # noqa: S101  # the task has no structure
        snippets = find_snippets(searcher, terms, answer.spans)
        pairs = zip(answer.spans.document.tolist(), snippets, strict=True)
        found = [self._found(document, snippet.text) for document, snippet in pairs]
        return found, "by the index of words"

    def _open_index(self) -> Index | None:
        """The index beside the collection, opened once; None if there is none that fits."""
        from doxeval.retrieve import Index

        with self._lock:
            if not self._looked:
                self._looked = True
                try:
                    self._index = Index.of(self.collection)
                except DoxevalError:
                    self._index = None
            return self._index

    def _scanned(self, query: str) -> tuple[list[Found], str]:
        """Documents that have all the words of a query, read one after another up to a limit."""
        words = [word.casefold() for word in re.findall(r"\w+", query)]
        found: list[Found] = []
        read = document = 0
        total = len(self.collection)
        while words and document < total and read < MOST_SCANNED and len(found) < MOST_FOUND:
            text = self.collection.text_of(document)
            read += len(text)
            folded = text.casefold()
            if all(word in folded for word in words):
                borders = self._words.boundaries(document)
                found.append(self._found(document, _around(text, words[0], borders)))
            document += 1
        which = "all" if document == total else "the first"
        how = f"read {which} {plural(document, 'document')}, as the collection has no index"
        return found, how


def _around(text: str, word: str, borders: Ints) -> str:
    """The text around the first occurrence of a word, on one line, with spaces between blocks."""
    match = re.search(re.escape(word), text, re.IGNORECASE)
    at = match.start() if match else 0
    low, high = max(0, at - _AROUND), min(at + _AROUND, len(text))
    inside = borders[(low < borders) & (borders < high)].tolist()
    pieces = [text[start:end] for start, end in pairwise([low, *inside, high])]
    line = " ".join(" ".join(pieces).split())
    return ("… " if low else "") + line + (" …" if high < len(text) else "")
