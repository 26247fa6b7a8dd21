"""Finding documents, in the pool or outside it: by the beginning of their ids, or by words.

Words are looked up in the index beside the collection. Without an index the texts are read, up to
a limit, and the answer says so.
"""

from __future__ import annotations

import re
import threading
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

from doxeval.arrays import Ints
from doxeval.documents import DocumentWords
from doxeval.errors import DoxevalError
from doxeval.messages import plural

if TYPE_CHECKING:
    from doxeval.assess.web.display import Display
    from doxeval.retrieve import Index

MAX_MATCHES = 20
MAX_SCANNED = 20_000_000  # characters
_AROUND = 80


class DocumentMatch(NamedTuple):
    """A document that fits a query, and a part of its text that shows why."""

    document: str
    title: str
    snippet: str


class SearchAnswer(NamedTuple):
    """The documents that fit a query, and in words how they were searched for."""

    documents: tuple[DocumentMatch, ...]
    how: str


class Finder:
    """Finds documents of a collection.

    >>> from doxeval.assess.web.display import Display
    >>> from doxeval.documents.examples import example_collection
    >>> first = "<article><st>Fog</st><p>A horn in the fog.</p></article>"
    >>> collection = example_collection({"fog1": first, "sea": "<p>Waves.</p>"})
    >>> finder = Finder(Display(collection))
    >>> finder.find("horn").documents
    (DocumentMatch(document='fog1', title='Fog', snippet='Fog A horn in the fog.'),)
    >>> finder.find("horn").how
    'read all 2 documents, as the collection has no index'
    >>> [match.document for match in finder.find("fog").documents]
    ['fog1']
    """

    def __init__(self, display: Display) -> None:
        self.collection = collection = display.collection
        self.display = display
        self._lock = threading.Lock()
        self._index: Index | None = None
        self._looked = False
        self._words = DocumentWords(collection)
        self._titles: dict[int, str] = {}

    def find(self, query: str) -> SearchAnswer:
        """Return at most twenty documents, those whose ids begin with the query first."""
        query = query.strip()
        if not query:
            return SearchAnswer((), "nothing was asked for")
        by_id = [self._match(number, "") for number in self._with_prefix(query)]
        by_words, how = self._by_words(query)
        known = {match.document for match in by_id}
        matches = by_id + [match for match in by_words if match.document not in known]
        return SearchAnswer(tuple(matches[:MAX_MATCHES]), how)

    def title(self, document: str) -> str:
        """Return the title of a document, which is read once.

        >>> from doxeval.assess.web.display import Display
        >>> from doxeval.documents.examples import example_collection
        >>> collection = example_collection({"fog1": "<article><st>Fog</st></article>"})
        >>> Finder(Display(collection)).title("fog1")
        'Fog'
        """
        return self._title(self.collection.document(document))

    def _title(self, document: int) -> str:
        if document not in self._titles:
            self._titles[document] = self.display.title(document)
        return self._titles[document]

    def _match(self, document: int, snippet: str) -> DocumentMatch:
        return DocumentMatch(self.collection.id_of(document), self._title(document), snippet)

    def _with_prefix(self, prefix: str) -> list[int]:
        """Return documents whose ids begin like this, the one with exactly this id first."""
        numbers = [int(number) for number in self.collection.find_documents([prefix])]
        ends, lines, _ = self.collection.id_columns
        beginning = re.compile(b"(?m)^" + re.escape(prefix.encode("utf-8", "surrogatepass")))
        for count, match in enumerate(beginning.finditer(lines.data)):
            if count >= MAX_MATCHES:
                break
            numbers.append(int(ends.searchsorted(match.start(), side="right")))
        return [number for number in dict.fromkeys(numbers) if number >= 0][:MAX_MATCHES]

    def _by_words(self, query: str) -> tuple[list[DocumentMatch], str]:
        index = self._open_index()
        if index is None:
            return self._scanned(query)
        from doxeval.retrieve import SearchOptions, find_snippets, open_searcher, query_of_words

        searcher = open_searcher(index, SearchOptions(task="documents", max_results=MAX_MATCHES))
        try:
            terms = query_of_words(query, searcher.options)
            answer = searcher.answer(terms)
        except DoxevalError:  # a query without words, which may still be an id
            return [], "by the index of words"
        assert isinstance(terms, tuple)  # noqa: S101  # the task has no structure
        snippets = find_snippets(searcher, terms, answer.spans)
        pairs = zip(answer.spans.document.tolist(), snippets, strict=True)
        matches = [self._match(document, snippet.text) for document, snippet in pairs]
        return matches, "by the index of words"

    def _open_index(self) -> Index | None:
        """Return the index beside the collection, opened once; None if there is none that fits."""
        from doxeval.retrieve import Index

        with self._lock:
            if not self._looked:
                self._looked = True
                try:
                    self._index = Index.of(self.collection)
                except DoxevalError:
                    self._index = None
            return self._index

    def _scanned(self, query: str) -> tuple[list[DocumentMatch], str]:
        """Return documents that have all the words of a query, which are read up to a limit."""
        words = [word.casefold() for word in re.findall(r"\w+", query)]
        matches: list[DocumentMatch] = []
        read = document = 0
        total = len(self.collection)
        while words and document < total and read < MAX_SCANNED and len(matches) < MAX_MATCHES:
            text = self.collection.text_of(document)
            read += len(text)
            folded = text.casefold()
            if all(word in folded for word in words):
                boundaries = self._words.boundaries(document)
                matches.append(self._match(document, _around(text, words[0], boundaries)))
            document += 1
        which = "all" if document == total else "the first"
        how = f"read {which} {plural(document, 'document')}, as the collection has no index"
        return matches, how


def _around(text: str, word: str, boundaries: Ints) -> str:
    """Return the text around the first occurrence of a word, with spaces between blocks."""
    match = re.search(re.escape(word), text, re.IGNORECASE)
    at = match.start() if match else 0
    low, high = max(0, at - _AROUND), min(at + _AROUND, len(text))
    inside = boundaries[(low < boundaries) & (boundaries < high)].tolist()
    parts = [text[start:end] for start, end in pairwise([low, *inside, high])]
    line = " ".join(" ".join(parts).split())
    return ("… " if low else "") + line + (" …" if high < len(text) else "")
