"""A collection that is open for reading: trees over texts, in a directory or at a URL.

Documents and elements are numbers here: a document is its number in the collection, an element its
row in the node table. Most methods look up many of them at once; an `Element` is one of them, for
people. Columns are mapped into memory, so of a large collection only what is used is read. The
columns of a collection at a URL are downloaded into a cache, its texts stay where they are.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np

from doxeval.arrays import Bytes, Ints, positions_in
from doxeval.datasets import in_package
from doxeval.documents.display import DisplayFact, read_facts
from doxeval.documents.ids import IdIndex, normalise_id
from doxeval.documents.layout import (
    DISPLAY_TEXTS_FILE,
    HASH_BYTES,
    IDS_FILE,
    SHARD,
    CollectionFiles,
    current_manifest,
    open_files,
)
from doxeval.documents.lookup import find_nodes, innermost_nodes
from doxeval.documents.nodes import COLUMNS, NodeColumns, PathSummary
from doxeval.documents.paths import Step, format_path, parse_path
from doxeval.documents.text import TextStore
from doxeval.errors import CollectionError, SyntaxProblem, UnknownReference
from doxeval.messages import plural, quoted, short_path, truncate
from doxeval.named import checked
from doxeval.storage import absolute_location, is_url, location_name, reports_damage

if TYPE_CHECKING:
    from pathlib import Path

    from doxeval.documents.build.options import Whitespace
    from doxeval.documents.find_text import TextMatch
    from doxeval.documents.statistics import CollectionStatistics, TextTotals
    from doxeval.documents.text_points import TextPoints
    from doxeval.documents.verify import Verification

_TEXTS_KEPT = 16
_ROWS = 1 << 20  # about how many elements are looked at together


class Collection:
    """A structured collection: documents as trees over their texts.

    A collection is a value: two collections are equal if they have the same checksum, wherever they
    are, and a pickle holds only the location and the checksum. `Collection("data/wiki")` opens a
    collection in a directory, `Collection("s3://bucket/wiki")` one at a URL: its columns are
    downloaded into a cache, its texts stay where they are (see storage). This example makes
    a small one:

    >>> from doxeval.documents.examples import example_collection
    >>> collection = example_collection({"a": "<article><p>One.</p><p>Two.</p></article>"})
    >>> len(collection), list(collection.ids())
    (1, ['a'])

    One element at a time, by document and path:

    >>> second = collection.element("a", "/article[1]/p[2]")
    >>> second.start, second.end, second.text
    (4, 8, 'Two.')
    >>> collection.why_not("a", "/article[1]/p[3]")
    'nothing at /article[1]/p[3] in a: /article[1] has 2 p'

    Many at once, as numbers, with -1 for those that do not exist:

    >>> documents = collection.find_documents(["a", "./a.xml", "b"])
    >>> documents.tolist()
    [0, 0, -1]
    >>> nodes = collection.find_nodes(documents, ["/article[1]", "/article/p[2]", "/article"])
    >>> nodes.tolist()
    [0, 2, -1]
    >>> collection.parents_of([0, 2]).tolist(), collection.children_of(0).tolist()
    ([-1, 0], [1, 2])
    >>> [collection.path_of(node) for node in collection.matching("//p").tolist()]
    ['/article[1]/p[1]', '/article[1]/p[2]']
    >>> collection.innermost([0, 0], [5, 100]).tolist()
    [2, -1]
    """

    @checked
    def __init__(self, location: str | os.PathLike[str]) -> None:
        location = in_package(location, "collection")
        self._hold(location, open_files(location))

    def _hold(self, location: str | os.PathLike[str], files: CollectionFiles) -> None:
        # What the user calls it, and where its columns are: for a URL, in the cache.
        self.location = os.fsdecode(location) if is_url(location) else str(files.directory)
        self.directory = files.directory
        self.files = files
        self.manifest: dict[str, Any] = self.files.manifest
        column = self.files.column
        self.nodes = NodeColumns(*(column(f"nodes.{name}") for name in COLUMNS))
        # The first row of each document, and the number of all rows.
        self.rows: Ints = column("documents.rows")
        self.whitespace: Whitespace = self.manifest["options"]["whitespace"]
        self.inline_tags = frozenset(self.manifest["options"]["inline"])

    def __len__(self) -> int:
        """The number of documents."""
        return len(self.rows) - 1

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.location!r}): {plural(len(self), 'document')}"

    @property
    def address(self) -> str:
        """Where it can be opened again, from any working directory: a whole path, or a URL."""
        return absolute_location(self.directory if self.files.remote is None else self.location)

    @property
    def name(self) -> str:
        """The last part of its location.

        >>> from doxeval.documents.examples import example_collection
        >>> example_collection({"a": "<p>One.</p>"}).name
        'collection'
        """
        return location_name(self.location)

    @property
    def checksum(self) -> str:
        """The checksum of its manifest, which contains the checksums of all its files."""
        return str(self.manifest["checksum"])

    def __eq__(self, other: object) -> bool:
        return self.checksum == other.checksum if isinstance(other, Collection) else NotImplemented

    def __hash__(self) -> int:
        return hash(self.checksum)

    def __reduce__(self) -> tuple[Callable[[str, str], Collection], tuple[str, str]]:
        return _reopen, (self.address, self.checksum)

    def refuse_damage(self) -> None:
        """Raise an error about the first damaged file, if opening did not verify them all."""
        self.files.refuse_damage()

    def verify(self, progress: Callable[[int, int], object] | None = None) -> Verification:
        """Compare every file and every text with its hash, and check that the trees are trees.

        Opening a collection hashes only the smallest files if it is large, and no text. The first
        damage is an error; the result says how much was verified. `progress` is called with the
        bytes and the documents verified since its last call.

        >>> from doxeval.documents.examples import example_collection
        >>> example_collection({"a": "<p>One.</p>", "b": "<p>Two.</p>"}).verify().documents
        2
        """
        from doxeval.documents.verify import verify_collection

        if current_manifest(self.location)["checksum"] != self.checksum:
            raise CollectionError("the collection was replaced since", self.location)
        verification = verify_collection(self.location, progress)
        if verification.problems:
            raise verification.problems[0]
        return verification

    # Documents

    @cached_property
    def id_columns(self) -> tuple[Ints, Bytes, IdIndex]:
        """Where each id ends, the ids with a newline after each, and the index of ids."""
        column = self.files.column
        index = IdIndex(*(column(f"documents.index_{name}") for name in IdIndex._fields))
        return column("documents.id_ends"), self.files.raw(IDS_FILE), index

    @cached_property
    def _read_text(self) -> Callable[[int], str]:
        """A function that reads the text of a document, with a cache of the last few."""
        store = TextStore(
            self.location,
            self.files.text(),
            self.files.column("documents.text_ends"),
            self.text_checksums,
            self.manifest["options"]["text"],
        )
        lengths, rows = self.nodes.end, self.rows
        # The cache keeps only the store and two columns alive.
        return lru_cache(_TEXTS_KEPT)(
            lambda document: store.read(document, int(lengths[rows[document]]))
        )

    @reports_damage
    def text_of(self, document: int) -> str:
        """Return the text of a document."""
        return self._read_text(document)

    @reports_damage
    def find_documents(self, ids: Sequence[str]) -> Ints:
        """Return the numbers of documents, -1 for an unknown id.

        Ids are compared without white space around them, a leading `./` and a final `.xml`.
        """
        distinct = {reference: index for index, reference in enumerate(dict.fromkeys(ids))}
        _, _, index = self.id_columns
        numbers = index.find([normalise_id(reference) for reference in distinct])
        if not ((numbers >= -1) & (numbers < len(self))).all():
            raise self.files.damaged("documents.index_numbers.npy", "there is no such document")
        return numbers[np.fromiter((distinct[reference] for reference in ids), np.int64, len(ids))]

    def document(self, document_id: str) -> int:
        """Return the number of one document; an unknown id is an error."""
        number = int(self.find_documents([document_id])[0])
        if number < 0:
            raise UnknownReference(f"no document {quoted(document_id)} in {self.location}")
        return number

    @reports_damage
    def id_of(self, document: int) -> str:
        """Return the id of a document."""
        ends, lines, _ = self.id_columns
        begin = int(ends[document - 1]) if document else 0
        return lines[begin : int(ends[document]) - 1].tobytes().decode()

    @property
    def text_checksums(self) -> Bytes:
        """The SHA-256 of the text of each document, in UTF-8: a row of 32 bytes.

        >>> from doxeval.documents.examples import example_collection
        >>> example_collection({"a": "<p>One.</p>"}).text_checksums[0].tobytes().hex()[:12]
        '70277bfc409b'
        """
        return self.files.column("documents.sha256").reshape(-1, HASH_BYTES)

    def ids(self) -> Iterator[str]:
        """Yield all ids, in the order of the documents."""
        return (self.id_of(document) for document in range(len(self)))

    def characters_at(self, document: int, positions: Ints) -> Ints:
        """Return offsets in characters for offsets in bytes of UTF-8; -1 inside a character.

        >>> from doxeval.documents.examples import example_collection
        >>> example_collection({"a": "<p>é!</p>"}).characters_at(0, np.array([0, 1, 2])).tolist()
        [0, -1, 1]
        """
        text = np.frombuffer(self.text_of(document).encode(), dtype=np.uint8)
        begins = np.append(np.flatnonzero((text & 0xC0) != 0x80), len(text))
        return positions_in(begins, positions)

    # Elements

    def node(self, node: int) -> Element:
        """Return an element, given by its row."""
        return Element(self, node)

    def root(self, document_id: str) -> Element:
        """Return the root of a document."""
        return Element(self, int(self.rows[self.document(document_id)]))

    def element(self, document_id: str, path: str) -> Element:
        """Return the element at a path; if it does not exist, the error says why."""
        node = int(self.find_nodes([self.document(document_id)], [path])[0])
        if node < 0:
            raise UnknownReference(self.why_not(document_id, path))
        return Element(self, node)

    @reports_damage
    def find_nodes(self, documents: Sequence[int] | Ints, paths: Sequence[str]) -> Ints:
        """Return the elements of many (document, path) pairs, -1 for those that do not exist."""
        numbers = np.asarray(documents, dtype=np.int64)
        return find_nodes(numbers, paths, self.nodes, self.rows, self.summary)

    @reports_damage
    def matching(self, pattern: str) -> Ints:
        """Return all elements whose path matches a pattern like `//sec//p`, in document order."""
        from doxeval.documents.patterns import PathPattern

        matches = PathPattern.parse(pattern).matches(self.summary)
        nodes = np.empty(int(self.elements_by_path[matches].sum()), dtype=np.int64)
        filled = 0
        for first in range(0, len(self.nodes.path), _ROWS):
            rows = np.flatnonzero(matches[self.nodes.path[first : first + _ROWS]])
            room = nodes[filled : filled + len(rows)]
            np.add(rows[: len(room)], first, out=room)
            filled += len(rows)
        if filled != len(nodes):
            message = "a path has another number of elements"
            raise self.files.damaged("summary.elements.npy", message)
        return nodes

    def count_matching(self, pattern: str) -> int:
        """Return how many elements have a path that matches a pattern like `//sec//p`.

        >>> from doxeval.documents.examples import example_collection
        >>> example_collection({"a": "<s><p>One.</p><p>Two.</p></s>"}).count_matching("//s/p")
        2
        """
        return self.counts_matching([pattern])[0]

    def counts_matching(self, patterns: Sequence[str]) -> list[int]:
        """Count elements for many patterns, in one pass over the paths of the collection.

        >>> from doxeval.documents.examples import example_collection
        >>> collection = example_collection({"a": "<s><p>One.</p><p>Two.</p></s>"})
        >>> collection.counts_matching(["//s/p", "//s"])
        [2, 1]
        """
        from doxeval.documents.patterns import count_elements, parse_patterns

        distinct = list(dict.fromkeys(patterns))
        parsed = parse_patterns(distinct)
        counts = count_elements(parsed, self.summary, self.elements_by_path)
        count_of = dict(zip(distinct, counts, strict=True))
        return [count_of[pattern] for pattern in patterns]

    @reports_damage
    def innermost(
        self,
        documents: Sequence[int] | Ints,
        starts: Sequence[int] | Ints,
        ends: Ints | None = None,
    ) -> Ints:
        """Return the innermost element around each span (by default, around one character).

        The result is -1 for a span that is not inside its document.
        """
        begin = np.asarray(starts, dtype=np.int64)
        after = begin + 1 if ends is None else np.asarray(ends, dtype=np.int64)
        numbers = np.asarray(documents, dtype=np.int64)
        return innermost_nodes(numbers, begin, after, self.nodes, self.rows)

    @reports_damage
    def documents_of(self, nodes: Sequence[int] | Ints) -> Ints:
        """Return the document of each element."""
        return np.searchsorted(self.rows, nodes, side="right") - 1

    @reports_damage
    def parents_of(self, nodes: Sequence[int] | Ints) -> Ints:
        """Return the parent of each element, -1 for a root."""
        parent = self.nodes.parent[nodes].astype(np.int64)
        above = np.where(parent < 0, -1, parent + self.rows[self.documents_of(nodes)])
        self.check_parents(nodes, above)
        return above

    def check_parents(self, nodes: Sequence[int] | Ints, above: Ints) -> None:
        """Refuse parents that do not come before their children: climbing would never end."""
        below = np.asarray(nodes)
        if ((above >= below) & (below >= 0)).any():
            raise self.files.damaged("nodes.parent.npy", "a parent comes after its child")

    @reports_damage
    def children_of(self, node: int) -> Ints:
        """Return the children of an element, in document order."""
        first = int(self.rows[self.documents_of([node])[0]])
        below = self.nodes.parent[node + 1 : node + int(self.nodes.size[node])]
        return np.flatnonzero(below == node - first) + node + 1

    @reports_damage
    def tag_of(self, node: int) -> str:
        """Return the tag of an element."""
        return self.summary.tag(int(self.nodes.path[node]))

    @reports_damage
    def depth_of(self, node: int) -> int:
        """Return the depth of an element; a root is at depth 1."""
        return int(self.summary.depth_of[self.nodes.path[node]])

    @reports_damage
    def path_of(self, node: int) -> str:
        """Return the path of an element, every step numbered."""
        first = int(self.rows[self.documents_of([node])[0]])
        steps = []
        row = node - first
        while row >= 0:
            tag = self.summary.tag(int(self.nodes.path[first + row]))
            steps.append(Step(tag, int(self.nodes.ordinal[first + row])))
            above = int(self.nodes.parent[first + row])
            if above >= row:
                raise self.files.damaged("nodes.parent.npy", "a parent comes after its child")
            row = above
        return format_path(reversed(steps))

    def why_not(self, document_id: str, path: str) -> str:
        """Return the reason why a document has no element at a path."""
        try:
            steps = parse_path(path)
        except SyntaxProblem as problem:
            return problem.message
        reached = self.root(document_id)
        nothing = f"nothing at {short_path(path)} in {truncate(reached.document_id)}"
        if (reached.tag, 1) != steps[0]:
            return f"{nothing}: its root is {short_path(reached.path)}"
        for tag, ordinal in steps[1:]:
            same = [child for child in reached.children() if child.tag == tag]
            if ordinal > len(same):
                count = f"{len(same) or 'no'} {truncate(tag)}"
                return f"{nothing}: {short_path(reached.path)} has {count}"
            reached = same[ordinal - 1]
        return f"{path} exists"

    def find_text(
        self,
        quote: str,
        documents: Iterable[str] | None = None,
        *,
        ignore_whitespace: bool = False,
        ignore_case: bool = False,
        context: int = 40,
    ) -> Iterator[TextMatch]:
        """Yield every match of a quote, in all documents or in those with the given ids.

        Matches do not overlap. Each has the path of the innermost element around it and some text
        on either side, up to `context` characters. With `ignore_whitespace`, white space does not
        matter, not even if it is absent. With `ignore_case`, capital and small letters count as
        the same (but for letters like ß, which have no single other).

        >>> from doxeval.documents.examples import example_collection
        >>> collection = example_collection({"a": "<s><p>Low tide.</p><p>High tide.</p></s>"})
        >>> [(match.doc, match.start, match.path) for match in collection.find_text("tide")]
        [('a', 4, '/s[1]/p[1]'), ('a', 14, '/s[1]/p[2]')]
        >>> [match.text for match in collection.find_text("tide. High", ignore_whitespace=True)]
        ['tide.High']
        """
        from doxeval.documents.find_text import find_text

        return find_text(
            self,
            quote,
            documents,
            ignore_whitespace=ignore_whitespace,
            ignore_case=ignore_case,
            context=context,
        )

    def points(self, whitespace: Whitespace | None = None) -> TextPoints:
        """Return the text points of this collection; by default numbered as it was built."""
        from doxeval.documents.text_points import TextPoints

        return TextPoints(self, whitespace or self.whitespace)

    @reports_damage
    def display_facts(self, document: int) -> list[DisplayFact]:
        """Return what display needs of a document and its text does not hold, in document order.

        That is direction and language, spans of cells, numbers of lists, names of pictures and the
        texts that stand for them (see `doxeval.documents.display`). Elements are counted from the
        root of the document, which is 0. An element has a name at most once; only a block of
        Markdown may have several pictures, each before its alt. A collection that was built by an
        earlier version has no facts.

        What has no fact: tags keep the prefix of their namespace (`mml:math`), all white space is
        in the text (but for a line end right after `<pre>`, which HTML ignores), and elements
        without text, such as `img` and `br`, are elements whose start is their end.

        >>> from doxeval.documents.examples import example_collection
        >>> collection = example_collection({"a": "<s xml:lang='he'><graphic url='a.png'/></s>"})
        >>> for fact in collection.display_facts(0):
        ...     print(*fact)
        0 lang he
        1 picture a.png
        """
        if not self.files.has_column("display.elements"):
            return []
        elements, names, values = (
            self.files.column(f"display.{name}") for name in ("elements", "names", "values")
        )
        root, end = self.rows[document], self.rows[document + 1]
        rows = slice(*np.searchsorted(elements, [root, end]).tolist())
        of_document = elements[rows] - root
        are_right = (of_document >= 0) & (of_document < end - root)
        if not (are_right.all() and (np.diff(of_document) >= 0).all()):
            raise self.files.damaged("display.elements.npy", "elements are not in their order")
        try:
            return read_facts(of_document, names[rows], values[rows], self.display_text)
        except (ValueError, IndexError):
            what = "a value is none that its fact may have"
            raise self.files.damaged("display.values.npy", what) from None

    def display_text(self, line: int) -> str:
        """Return a line of the file that has the values of display facts that are texts."""
        ends, texts = self.files.column("display.text_ends"), self.files.raw(DISPLAY_TEXTS_FILE)
        if not 0 <= line < len(ends):
            raise IndexError(line)
        begin = int(ends[line - 1]) if line else 0
        return texts[begin : int(ends[line]) - 1].tobytes().decode()

    # Paths and statistics

    @cached_property
    @reports_damage
    def summary(self) -> PathSummary:
        """All distinct paths."""
        column = self.files.column
        summary = PathSummary(self.files.tags(), column("summary.parent"), column("summary.tag"))
        if flaw := summary.flaw():
            raise self.files.damaged(f"summary.{flaw[0]}.npy", flaw[1])
        return summary

    @cached_property
    @reports_damage
    def elements_by_path(self) -> Ints:
        """How many elements have each path of the summary."""
        from doxeval.documents.statistics import elements_by_path

        if self.files.has_column("summary.elements"):
            counts: Ints = self.files.column("summary.elements")
            if int(counts.sum()) != len(self.nodes.path):
                raise self.files.damaged("summary.elements.npy", "it does not count all elements")
            return counts
        counts = elements_by_path(self.nodes, len(self.summary))
        counts.flags.writeable = False
        return counts

    @cached_property
    @reports_damage
    def text_totals(self) -> TextTotals:
        """How much text all documents, the longest one and all elements have."""
        from doxeval.documents.statistics import TextTotals, text_totals

        if "statistics" in self.manifest:
            return TextTotals.recorded(self.manifest["statistics"])
        return text_totals(self.nodes, self.rows)

    @cached_property
    @reports_damage
    def statistics(self) -> CollectionStatistics:
        """The figures that INEX papers report of a collection."""
        from doxeval.documents.statistics import collection_statistics

        return collection_statistics(
            self.summary, self.elements_by_path, self.text_totals, self.manifest["counts"]
        )


def _reopen(location: str, checksum: str) -> Collection:
    """Return a pickled collection, opened again if it is still the same."""
    collection = Collection.__new__(Collection)
    collection._hold(location, open_files(location, checksum))
    if collection.checksum != checksum:
        raise CollectionError("the collection is not the one that was pickled", location)
    return collection


def open_shard(directory: Path) -> Collection:
    """Return a part of a collection that is being built."""
    collection = Collection.__new__(Collection)
    collection._hold(directory, CollectionFiles(directory, store_type=SHARD))
    return collection


@dataclass(frozen=True, repr=False)
class Element:
    """An element: a row of the node table that knows its collection.

    Its neighbours are elements too. Everything is looked up on demand.

    >>> from doxeval.documents.examples import example_collection
    >>> collection = example_collection({"a": "<sec><p>One.</p><p>Two.</p></sec>"})
    >>> first, second = collection.root("a").children()
    >>> first.path, first.tag, first.depth, first.length
    ('/sec[1]/p[1]', 'p', 2, 4)
    >>> [str(other) for other in first.siblings()], [str(e) for e in second.ancestors()]
    (['a /sec[1]/p[2]'], ['a /sec[1]'])
    >>> first in collection.root("a"), first in second
    (True, False)
    >>> first
    <Element a /sec[1]/p[1], characters 0 to 4>
    """

    collection: Collection
    node: int

    def __str__(self) -> str:
        return f"{self.document_id} {self.path}"

    def __repr__(self) -> str:
        return f"<Element {self}, characters {self.start:,} to {self.end:,}>"

    @property
    def document(self) -> int:
        """The number of its document."""
        return int(self.collection.documents_of([self.node])[0])

    @property
    def document_id(self) -> str:
        """The id of its document."""
        return self.collection.id_of(self.document)

    @property
    def path(self) -> str:
        """Its path, every step numbered."""
        return self.collection.path_of(self.node)

    @property
    def tag(self) -> str:
        """Its tag."""
        return self.collection.tag_of(self.node)

    @property
    def depth(self) -> int:
        """Its depth; a root is at depth 1."""
        return self.collection.depth_of(self.node)

    @property
    def start(self) -> int:
        """Code points of the document's text before it."""
        return int(self.collection.nodes.start[self.node])

    @property
    def end(self) -> int:
        """Code points of the document's text up to its end."""
        return int(self.collection.nodes.end[self.node])

    @property
    def length(self) -> int:
        """Code points of its text."""
        return self.end - self.start

    @property
    def text(self) -> str:
        """Its text, including that of all elements inside it."""
        return self.collection.text_of(self.document)[self.start : self.end]

    @property
    def sha256(self) -> str:
        """The SHA-256 of its text in UTF-8, to recognise it in another build of the collection."""
        import hashlib

        return hashlib.sha256(self.text.encode()).hexdigest()

    @property
    def parent(self) -> Element | None:
        """Its parent; None for a root."""
        parent = int(self.collection.parents_of([self.node])[0])
        return None if parent < 0 else Element(self.collection, parent)

    def ancestors(self) -> Iterator[Element]:
        """Yield its ancestors, innermost first."""
        above = self.parent
        while above is not None:
            yield above
            above = above.parent

    def children(self) -> Iterator[Element]:
        """Yield its children, in document order."""
        for child in self.collection.children_of(self.node).tolist():
            yield Element(self.collection, child)

    def siblings(self) -> Iterator[Element]:
        """Yield the other children of its parent, in document order."""
        parent = self.parent
        others = iter(()) if parent is None else parent.children()
        return (other for other in others if other.node != self.node)

    def descendants(self) -> Iterator[Element]:
        """Yield all elements inside it, in document order."""
        size = int(self.collection.nodes.size[self.node])
        for node in range(self.node + 1, self.node + size):
            yield Element(self.collection, node)

    def __contains__(self, other: Element) -> bool:
        size = int(self.collection.nodes.size[self.node])
        return self.node <= other.node < self.node + size

    def as_dict(self) -> dict[str, Any]:
        """Return document, path, tag, span and text as plain values, for JSON."""
        return {
            "doc": self.document_id,
            "path": self.path,
            "tag": self.tag,
            "start": self.start,
            "end": self.end,
            "text": self.text,
        }
