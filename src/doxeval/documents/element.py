"""One element of a collection, with its properties and its neighbours."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from doxeval.documents.collection import Collection


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
        """Its ancestors, innermost first."""
        above = self.parent
        while above is not None:
            yield above
            above = above.parent

    def children(self) -> Iterator[Element]:
        """Its children, in document order."""
        for child in self.collection.children_of(self.node).tolist():
            yield Element(self.collection, child)

    def siblings(self) -> Iterator[Element]:
        """The other children of its parent, in document order."""
        parent = self.parent
        others = iter(()) if parent is None else parent.children()
        return (other for other in others if other.node != self.node)

    def descendants(self) -> Iterator[Element]:
        """All elements inside it, in document order."""
        size = int(self.collection.nodes.size[self.node])
        for node in range(self.node + 1, self.node + size):
            yield Element(self.collection, node)

    def __contains__(self, other: Element) -> bool:
        size = int(self.collection.nodes.size[self.node])
        return self.node <= other.node < self.node + size

    def as_dict(self) -> dict[str, Any]:
        """Document, path, tag, range and text as plain values, for JSON."""
        return {
            "doc": self.document_id,
            "path": self.path,
            "tag": self.tag,
            "start": self.start,
            "end": self.end,
            "text": self.text,
        }
