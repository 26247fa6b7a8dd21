"""An index of word positions, open for reading, and the files it consists of.

All words of a collection are one stream, in document order. For every term, the index has the
ascending positions of its words in that stream. Every document and every element is a range of
positions, so two searches count how often a term occurs in it.

Files are mapped into memory: of a large index, only what a query needs is read.

manifest.json        which collection, which rules, counts, and the hash of every file
postings.npy         the positions of all words, grouped by term, ascending within a term
terms.starts.npy     where the positions of each term begin; terms are numbered as first seen
terms.text.bin       the terms in UTF-8, sorted, one directly after another
terms.ends.npy       where each of these ends
terms.number.npy     the number of each of these
documents.first.npy  the first word of each document, and the number of all words
elements.first.npy, elements.after.npy
                     the words of each element: the first one, and the one after the last
words.gaps.npy       how many code points each word starts after the word before it, or after the
                     start of its document; FAR says that it is in words.far
words.far_at.npy, words.far_gap.npy
                     the positions of the words with larger gaps, and these gaps

A position is a 32-bit number, or a 64-bit number if there are 2^32 words or more.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from doxeval.arrays import Bools, Ints
from doxeval.documents import VERIFIED_BYTES, Collection, DocumentWords
from doxeval.errors import SearchIndexError
from doxeval.messages import Parameter, join_names, plural
from doxeval.named import checked
from doxeval.output import set_aside
from doxeval.retrieve.text import Analysis, WordSpans, word_spans, words_and_starts
from doxeval.storage import Column, StoredFiles, StoreType, is_stored, reports_damage

TERMS_FILE = "terms.text.bin"
FAR = 255
MOST_IN_32_BITS = 1 << 32
_COUNTS = ("documents", "elements", "words", "terms", "far")
_TEXTS = ("collection", "stemmer", "stemmer_fingerprint", "unicode")
_COUNTED_AT_ONCE = 5_000_000  # positions whose documents are in memory together
_NO_POSITIONS = np.empty(0, dtype=np.int64)


class Frequencies(NamedTuple):
    """How often words or phrases occur."""

    occurrences: Ints  # in the collection, often called cf
    documents: Ints  # how many documents have them, often called df


class Index:
    """The index of a collection.

    >>> from doxeval.documents.examples import example_collection
    >>> from doxeval.retrieve.index_build import build_index
    >>> collection = example_collection({"a": "<s><p>Sea lions.</p><p>The sea.</p></s>"})
    >>> index = Index(build_index(collection).directory, collection)
    >>> index
    Index('collection.index'): 4 words, 3 terms
    >>> index.positions("seas").tolist(), index.positions("Sea Lion").tolist()
    ([0, 3], [0])
    >>> index.elements_first.tolist(), index.elements_after.tolist()
    ([0, 0, 2], [4, 2, 4])
    """

    @checked
    def __init__(
        self,
        directory: str | os.PathLike[str],
        collection: Collection | str | os.PathLike[str] | None = None,
    ) -> None:
        self.directory = Path(os.fsdecode(directory))
        if not isinstance(collection, Collection):
            collection = Collection(collection or _collection_of(self.directory))
        self.collection = collection
        self.files = StoredFiles(INDEX, self.directory)
        self.manifest: dict[str, Any] = self.files.manifest
        self._check_collection()
        self.analysis = Analysis.of_index(self.manifest, str(self.directory))
        self.words: int = self.manifest["counts"]["words"]
        self.terms: int = self.manifest["counts"]["terms"]
        column = self.files.column
        # The first word of each document, and the number of all words.
        self.documents_first: Ints = column("documents.first")
        # For each row of the node table, the first word and the one after the last.
        self.elements_first: Ints = column("elements.first")
        self.elements_after: Ints = column("elements.after")
        # The positions of all terms, where those of each term begin, and the terms in order.
        self._postings: Ints = column("postings")
        self._starts: Ints = column("terms.starts")
        self._term_ends: Ints = column("terms.ends")
        self._term_numbers: Ints = column("terms.number")
        self._check_ends()

    @classmethod
    def of(cls, collection: Collection | str | os.PathLike[str]) -> Index:
        """Open the index beside a collection.

        >>> from doxeval.documents.examples import example_collection
        >>> Index.of(example_collection({"a": "<p>Fog.</p>"}))  # doctest: +ELLIPSIS
        Traceback (most recent call last):
        doxeval.errors.SearchIndexError: ...: the collection has no index; build_index, or ...
        """
        if not isinstance(collection, Collection):
            collection = Collection(os.fsdecode(collection))
        directory = default_directory(collection.directory)
        if not directory.exists() and set_aside(directory) is None:
            make = f"build_index, or `doxeval index build {collection.location}`, makes one"
            raise SearchIndexError(f"the collection has no index; {make}", collection.location)
        return cls(directory, collection)

    def __repr__(self) -> str:
        name = self.directory.name
        return f"Index({name!r}): {plural(self.words, 'word')}, {plural(self.terms, 'term')}"

    def __reduce__(self) -> tuple[Callable[..., Index], tuple[str, Collection, str]]:
        return _reopen, (os.path.abspath(self.directory), self.collection, self.checksum)

    @property
    def checksum(self) -> str:
        """The checksum of the manifest."""
        return str(self.manifest["checksum"])

    def refuse_damage(self) -> None:
        """Raise an error about the first damaged file, if opening did not verify them all."""
        self.files.refuse_damage()
        self.collection.refuse_damage()

    # Words and their positions

    @reports_damage
    def term(self, term: str) -> Ints:
        """Return the ascending positions of a term: a word as `analysis` normalises and stems it.

        They are read from the file itself; an unknown term has none.
        """
        place = self._place_of_term(term.encode("utf-8", "surrogatepass"))
        if place is None:
            return self._postings[:0]
        number = int(self._term_numbers[place])
        positions: Ints = self._postings[int(self._starts[number]) : int(self._starts[number + 1])]
        return positions

    @reports_damage
    def phrase(self, terms: Sequence[str]) -> Ints:
        """Return where terms follow each other within one document: positions of the first."""
        if not terms:
            return _NO_POSITIONS
        lists = {term: self.term(term) for term in dict.fromkeys(terms)}
        order = sorted(range(len(terms)), key=lambda place: len(lists[terms[place]]))
        rarest = order[0]
        first: Ints = lists[terms[rarest]].astype(np.int64) - rarest
        first = first[first >= 0]
        for place in order[1:]:
            if not len(first):
                return first
            first = first[_are_in(lists[terms[place]], first + place)]
        last = first + len(terms) - 1
        within: Ints = first[self.documents_at(first) == self.documents_at(last)]
        return within

    def positions(self, text: str) -> Ints:
        """Return the positions of a word or a phrase, as it is written."""
        terms = self.analysis.terms(text)
        return self.term(terms[0]).astype(np.int64) if len(terms) == 1 else self.phrase(terms)

    def frequencies(self, words: Sequence[str]) -> Frequencies:
        """Count how often words or phrases occur, and in how many documents.

        >>> from doxeval.documents.examples import example_collection
        >>> from doxeval.retrieve.index_build import build_index
        >>> collection = example_collection({"a": "<p>Fog, fog.</p>", "b": "<p>Fog.</p>"})
        >>> index = Index(build_index(collection).directory, collection)
        >>> index.frequencies(["fog", "horn"])
        Frequencies(occurrences=array([3, 0]), documents=array([2, 0]))
        """
        lists = [self.positions(word) for word in words]
        return Frequencies(
            np.array([len(positions) for positions in lists], dtype=np.int64),
            np.array([self.count_documents(positions) for positions in lists], dtype=np.int64),
        )

    def documents_at(self, positions: Ints) -> Ints:
        """Return the document of each position."""
        # In the type of the edges: NumPy would convert all of them otherwise.
        wide = positions.astype(np.int64, copy=False)
        return np.searchsorted(self.documents_first, wide, side="right") - 1

    def count_documents(self, positions: Ints) -> int:
        """Count the documents in which ascending positions lie."""
        count, last = 0, -1
        for begin in range(0, len(positions), _COUNTED_AT_ONCE):
            documents = self.documents_at(positions[begin : begin + _COUNTED_AT_ONCE])
            count += int(np.count_nonzero(np.diff(documents, prepend=last)))
            last = int(documents[-1])
        return count

    def _place_of_term(self, term: bytes) -> int | None:
        """Return the place of a term among all terms in order, by bisection."""
        low, high = 0, self.terms
        while low < high:
            middle = (low + high) // 2
            if self._term_at(middle) < term:
                low = middle + 1
            else:
                high = middle
        return low if low < self.terms and self._term_at(low) == term else None

    def _term_at(self, place: int) -> bytes:
        begin = int(self._term_ends[place - 1]) if place else 0
        return self.files.raw(TERMS_FILE)[begin : int(self._term_ends[place])].tobytes()

    # Words and their offsets

    @reports_damage
    def starts(self, document: int) -> Ints:
        """Return where each word of a document starts, in code points."""
        first, after = (int(edge) for edge in self.documents_first[document : document + 2])
        gaps = self.files.column("words.gaps")[first:after].astype(np.int64)
        far_at = self.files.column("words.far_at")
        low, high = np.searchsorted(far_at, (first, after))
        far = far_at[low:high] - first
        if not np.array_equal(np.flatnonzero(gaps == FAR), far):
            raise self.files.damaged("words.far_at.npy", "it does not fit words.gaps.npy")
        gaps[far] = self.files.column("words.far_gap")[low:high]
        return np.cumsum(gaps)

    def word_spans(self, document: int) -> WordSpans:
        """Return where each word of a document starts and ends, read from its text."""
        return word_spans(self.collection.text_of(document), self.block_edges(document))

    def terms_between(self, first: int, after: int) -> list[str]:
        """Return the terms at some positions of a document, read from its text.

        >>> from doxeval.documents.examples import example_collection
        >>> from doxeval.retrieve.index_build import build_index
        >>> collection = example_collection({"a": "<s><p>Sea lions.</p><p>The sea.</p></s>"})
        >>> index = Index(build_index(collection).directory, collection)
        >>> index.terms_between(1, 4)
        ['lion', 'the', 'sea']
        """
        if after <= first:
            return []
        document = int(self.documents_at(np.array([first]))[0])
        base, starts = int(self.documents_first[document]), self.starts(document)
        text = self.collection.text_of(document)
        start = int(starts[first - base])
        end = int(starts[after - base]) if after - base < len(starts) else len(text)
        edges = self.block_edges(document)
        edges = edges[(start <= edges) & (edges <= end)] - start
        words = words_and_starts(text[start:end], edges).words
        if len(words) != after - first:
            raise self.files.damaged("words.gaps.npy", "its words are not those of the text")
        term = {word: self.analysis.term(word) for word in dict.fromkeys(words)}
        return [term[word] for word in words]

    def block_edges(self, document: int) -> Ints:
        """Return where blocks, elements that are not inline, begin and end, in code points."""
        return self._document_words.boundaries(document)

    @cached_property
    def _document_words(self) -> DocumentWords:
        return DocumentWords(self.collection)

    # Checks

    def _check_collection(self) -> None:
        if self.manifest["collection"] != self.collection.checksum:
            raise SearchIndexError(
                f"this is the index of another collection, or of an earlier state of "
                f"{self.collection.location}: it has the checksum "
                f"{self.manifest['collection'][:12]}, the collection "
                f"{self.collection.checksum[:12]}; build the index again",
                str(self.directory),
            )
        expected = {"documents": len(self.collection), "elements": len(self.collection.nodes.path)}
        wrong = [name for name, count in expected.items() if self.manifest["counts"][name] != count]
        if wrong:
            what = join_names(wrong)
            raise self.files.damaged("manifest.json", f"it counts {what} as no collection has them")

    def _check_ends(self) -> None:
        what = f"expected the number of all words, {self.words:,}, at the end"
        if self.documents_first[-1] != self.words or self.documents_first[0] != 0:
            raise self.files.damaged("documents.first.npy", what)
        if self._starts[-1] != self.words:
            raise self.files.damaged("terms.starts.npy", what)


def _are_in(ascending: Ints, values: Ints) -> Bools:
    places = np.searchsorted(ascending, values.astype(ascending.dtype))
    inside = places < len(ascending)
    inside[inside] = ascending[places[inside]] == values[inside]
    return inside


def _reopen(directory: str, collection: Collection, checksum: str) -> Index:
    """Return a pickled index, opened again if it is still the same."""
    index = Index(directory, collection)
    if index.checksum != checksum:
        raise SearchIndexError("the index is not the one that was pickled", directory)
    return index


# Where an index is


def default_directory(collection: Path) -> Path:
    """Return the directory of a collection's index, unless another was chosen.

    >>> default_directory(Path("data/wiki")).as_posix()
    'data/wiki.index'
    """
    collection = collection.absolute() if collection.name in ("", "..") else collection
    return collection.with_name(f"{collection.name}.index")


def _collection_of(directory: Path) -> Path:
    """Return the collection beside an index."""
    name = directory.absolute().name
    if not name.endswith(".index") or name == ".index":
        if not is_stored(INDEX, directory):
            StoredFiles(INDEX, directory)  # raises an error that names the problem
        raise SearchIndexError(
            "an index that is not beside its collection, as wiki.index is beside wiki, needs "
            + Parameter("collection"),
            str(directory),
        )
    return directory.absolute().with_name(name.removesuffix(".index"))


# What its files hold


def position_type(words: int) -> np.dtype[Any]:
    """Return the type of positions, given the number of words of the collection.

    >>> position_type(10).name, position_type(1 << 32).name
    ('uint32', 'uint64')
    """
    return np.dtype("<u4" if words < MOST_IN_32_BITS else "<u8")


def _columns(counts: Mapping[str, int]) -> dict[str, Column]:
    """Return the arrays of an index with these counts, by the names of their files."""
    documents, elements, words, terms, far = (counts[name] for name in _COUNTS)
    position = position_type(words)
    lengths: dict[str, tuple[Any, int]] = {
        "postings": (position, words),
        "terms.starts": ("<i8", terms + 1),
        "terms.ends": ("<i8", terms),
        "terms.number": ("<i4", terms),
        "documents.first": ("<i8", documents + 1),
        "elements.first": (position, elements),
        "elements.after": (position, elements),
        "words.gaps": ("|u1", words),
        "words.far_at": ("<i8", far),
        "words.far_gap": ("<i4", far),
    }
    return {f"{name}.npy": Column(np.dtype(kind), n) for name, (kind, n) in lengths.items()}


def _missing(manifest: Mapping[str, Any]) -> str | None:
    """Return the name of what a manifest lacks, if anything."""
    counts = manifest.get("counts")
    if not isinstance(counts, dict) or not all(_is_count(counts.get(name)) for name in _COUNTS):
        return "counts"
    return next((name for name in _TEXTS if not isinstance(manifest.get(name), str)), None)


def _is_count(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 1 << 62


INDEX = StoreType(
    format="doxeval index",
    version=1,
    noun="index",
    again="build the index again",
    makes_one="build_index, or `doxeval index build`, makes one",
    error=SearchIndexError,
    unhashed=frozenset(),
    verified_bytes=VERIFIED_BYTES,
    missing=_missing,
    columns=_columns,
    other_files=frozenset({TERMS_FILE}),
)
