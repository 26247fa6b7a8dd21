"""A collection that is open for reading: trees over texts, in a directory or at a URL.

Documents and elements are numbers here: a document is its number in the collection, an element its
row in the node table. Most methods look up many of them at once. Columns are mapped into memory,
so of a large collection only what is used is read. What is verified when: see sealed/files.py. The
ids and the texts of the documents are in stored_documents.py.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from doxeval.arrays import Bools, Ints
from doxeval.documents.collection_files import current_manifest, opened_files
from doxeval.documents.element import Element
from doxeval.documents.innermost import innermost_nodes
from doxeval.documents.lookup import find_nodes
from doxeval.documents.paths import Step, format_path, parse_path
from doxeval.documents.stored_documents import StoredDocuments
from doxeval.documents.summary import PathSummary
from doxeval.errors import CollectionError, SyntaxProblem, UnknownReference
from doxeval.messages import short_path, truncate
from doxeval.storage import guarded

if TYPE_CHECKING:  # what few commands need is loaded when they need it
    from doxeval.documents.options import Whitespace
    from doxeval.documents.points import TextPoints
    from doxeval.documents.quotes import Place
    from doxeval.documents.statistics import CollectionStatistics, TextTotals
    from doxeval.documents.verification import Verification

_ROWS = 1 << 20  # about how many elements are looked at together


class Collection(StoredDocuments):
    """A structured collection: documents as trees over their texts.

    A collection is a value: two collections are equal if they have the same seal, wherever they
    are, and a pickle holds only the location and the seal. `Collection("data/wiki")` opens a
    collection in a directory, `Collection("s3://bucket/wiki")` one at a URL: its columns are
    downloaded into a cache, its texts stay where they are (see sealed/cache.py). This example makes
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

    def __reduce__(self) -> tuple[Callable[[str, str], Collection], tuple[str, str]]:
        return _reopened, (self.address, self.seal)

    def verify(self, progress: Callable[[int, int], object] | None = None) -> Verification:
        """Compare every file and every text with its hash, and check that the trees are trees.

        Opening a collection hashes only the smallest files if it is large, and no text. The first
        damage is an error; the result says how much was verified. `progress` is called with the
        bytes and the documents verified since its last call.

        >>> from doxeval.documents.examples import example_collection
        >>> example_collection({"a": "<p>One.</p>", "b": "<p>Two.</p>"}).verify().documents
        2
        """
        from doxeval.documents.verification import verify_collection

        if current_manifest(self.location)["checksum"] != self.seal:
            raise CollectionError("the collection was replaced since", self.location)
        verification = verify_collection(self.location, progress)
        if verification.problems:
            raise verification.problems[0]
        return verification

    @cached_property
    @guarded
    def summary(self) -> PathSummary:
        """All distinct paths."""
        column = self.files.column
        summary = PathSummary(self.files.tags(), column("summary.parent"), column("summary.tag"))
        if flaw := summary.flaw():
            raise self.files.damaged(f"summary.{flaw[0]}.npy", flaw[1])
        return summary

    @cached_property
    @guarded
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
    @guarded
    def text_totals(self) -> TextTotals:
        """How much text all documents, the longest one and all elements have."""
        from doxeval.documents.statistics import TextTotals, text_totals

        if "statistics" in self.manifest:
            return TextTotals.recorded(self.manifest["statistics"])
        return text_totals(self.nodes, self.rows)

    @cached_property
    @guarded
    def statistics(self) -> CollectionStatistics:
        """The figures that INEX papers report of a collection."""
        from doxeval.documents.statistics import collection_statistics

        return collection_statistics(
            self.summary, self.elements_by_path, self.text_totals, self.manifest["counts"]
        )

    # Elements

    def node(self, node: int) -> Element:
        """An element, given by its row."""
        return Element(self, node)

    def root(self, document_id: str) -> Element:
        """The root of a document."""
        return Element(self, int(self.rows[self.document(document_id)]))

    def element(self, document_id: str, path: str) -> Element:
        """The element at a path; if it does not exist, the error says why."""
        node = int(self.find_nodes([self.document(document_id)], [path])[0])
        if node < 0:
            raise UnknownReference(self.why_not(document_id, path))
        return Element(self, node)

    @guarded
    def find_nodes(self, documents: Sequence[int] | Ints, paths: Sequence[str]) -> Ints:
        """The elements of many (document, path) pairs, -1 for those that do not exist."""
        numbers = np.asarray(documents, dtype=np.int64)
        return find_nodes(numbers, paths, self.nodes, self.rows, self.summary)

    @guarded
    def matching(self, pattern: str) -> Ints:
        """All elements whose path matches a pattern like `//sec//p`, in document order."""
        wanted = self._paths_matching(pattern)
        found = np.empty(int(self.elements_by_path[wanted].sum()), dtype=np.int64)
        filled = 0
        for first in range(0, len(self.nodes.path), _ROWS):
            rows = np.flatnonzero(wanted[self.nodes.path[first : first + _ROWS]])
            room = found[filled : filled + len(rows)]
            np.add(rows[: len(room)], first, out=room)
            filled += len(rows)
        if filled != len(found):
            message = "a path has another number of elements"
            raise self.files.damaged("summary.elements.npy", message)
        return found

    def count_matching(self, pattern: str) -> int:
        """How many elements have a path that matches a pattern like `//sec//p`.

        >>> from doxeval.documents.examples import example_collection
        >>> example_collection({"a": "<s><p>One.</p><p>Two.</p></s>"}).count_matching("//s/p")
        2
        """
        return self.counts_matching([pattern])[0]

    def counts_matching(self, patterns: Sequence[str]) -> list[int]:
        """The same for many patterns, in one pass over the paths of the collection.

        >>> from doxeval.documents.examples import example_collection
        >>> collection = example_collection({"a": "<s><p>One.</p><p>Two.</p></s>"})
        >>> collection.counts_matching(["//s/p", "//s"])
        [2, 1]
        """
        from doxeval.documents.patterns import counts_by_pattern, parsed_patterns

        distinct = list(dict.fromkeys(patterns))
        parsed = parsed_patterns(distinct)
        counts = counts_by_pattern(parsed, self.summary, self.elements_by_path)
        count_of = dict(zip(distinct, counts, strict=True))
        return [count_of[pattern] for pattern in patterns]

    def _paths_matching(self, pattern: str) -> Bools:
        from doxeval.documents.patterns import PathPattern

        return PathPattern.parse(pattern).matches(self.summary)

    @guarded
    def innermost(
        self,
        documents: Sequence[int] | Ints,
        starts: Sequence[int] | Ints,
        ends: Ints | None = None,
    ) -> Ints:
        """The innermost element around each range (by default, around one character).

        The result is -1 for a range that is not inside its document.
        """
        begin = np.asarray(starts, dtype=np.int64)
        after = begin + 1 if ends is None else np.asarray(ends, dtype=np.int64)
        numbers = np.asarray(documents, dtype=np.int64)
        return innermost_nodes(numbers, begin, after, self.nodes, self.rows)

    @guarded
    def documents_of(self, nodes: Sequence[int] | Ints) -> Ints:
        """The document of each element."""
        return np.searchsorted(self.rows, nodes, side="right") - 1

    @guarded
    def parents_of(self, nodes: Sequence[int] | Ints) -> Ints:
        """The parent of each element, -1 for a root."""
        parent = self.nodes.parent[nodes].astype(np.int64)
        above = np.where(parent < 0, -1, parent + self.rows[self.documents_of(nodes)])
        self.check_parents(nodes, above)
        return above

    def check_parents(self, nodes: Sequence[int] | Ints, above: Ints) -> None:
        """Refuse parents that do not come before their children: climbing would never end."""
        below = np.asarray(nodes)
        if ((above >= below) & (below >= 0)).any():
            raise self.files.damaged("nodes.parent.npy", "a parent comes after its child")

    @guarded
    def children_of(self, node: int) -> Ints:
        """The children of an element, in document order."""
        first = int(self.rows[self.documents_of([node])[0]])
        below = self.nodes.parent[node + 1 : node + int(self.nodes.size[node])]
        return np.flatnonzero(below == node - first) + node + 1

    @guarded
    def tag_of(self, node: int) -> str:
        """The tag of an element."""
        return self.summary.tag(int(self.nodes.path[node]))

    @guarded
    def depth_of(self, node: int) -> int:
        """The depth of an element; a root is at depth 1."""
        return int(self.summary.depth_of[self.nodes.path[node]])

    @guarded
    def path_of(self, node: int) -> str:
        """The path of an element, every step numbered."""
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
        """The reason why a document has no element at a path."""
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
                found = f"{len(same) or 'no'} {truncate(tag)}"
                return f"{nothing}: {short_path(reached.path)} has {found}"
            reached = same[ordinal - 1]
        return f"{path} exists"

    def find_text(
        self,
        quote: str,
        documents: Iterable[str] | None = None,
        *,
        ignore_space: bool = False,
        ignore_case: bool = False,
        context: int = 40,
    ) -> Iterator[Place]:
        """Every place where a quote stands, in all documents or in those with the given ids.

        Places do not overlap. Each has the path of the innermost element around it and some text
        on either side, up to `context` characters. With `ignore_space`, white space does not
        matter, not even if it is absent. With `ignore_case`, capital and small letters count as
        the same (but for letters like ß, which have no single other).

        >>> from doxeval.documents.examples import example_collection
        >>> collection = example_collection({"a": "<s><p>Low tide.</p><p>High tide.</p></s>"})
        >>> [(place.doc, place.start, place.path) for place in collection.find_text("tide")]
        [('a', 4, '/s[1]/p[1]'), ('a', 14, '/s[1]/p[2]')]
        >>> [place.text for place in collection.find_text("tide. High", ignore_space=True)]
        ['tide.High']
        """
        from doxeval.documents.quotes import find_text

        return find_text(
            self,
            quote,
            documents,
            ignore_space=ignore_space,
            ignore_case=ignore_case,
            context=context,
        )

    def points(self, whitespace: Whitespace | None = None) -> TextPoints:
        """The text points of this collection; by default numbered as it was built."""
        from doxeval.documents.points import TextPoints

        return TextPoints(self, whitespace or self.whitespace)


def _reopened(location: str, seal: str) -> Collection:
    """A pickled collection, opened again if it is still the same."""
    collection = Collection.__new__(Collection)
    collection._hold(location, opened_files(location, seal))
    if collection.seal != seal:
        raise CollectionError("the collection is not the one that was pickled", location)
    return collection
