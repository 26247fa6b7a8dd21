"""Text points to offsets and back.

A text node is a maximal non-empty run of text between tags, so the text nodes of an element
are the gaps that its children leave in its span. With white space stripped, gaps of nothing
but white space are not numbered; the text itself never changes.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal, NamedTuple

from doxeval.arrays import Ints
from doxeval.documents.paths import TextPoint, format_point, parse_point
from doxeval.errors import InputError, UnknownReference
from doxeval.messages import short_path, truncate

if TYPE_CHECKING:
    from doxeval.documents.build.options import Whitespace
    from doxeval.documents.collection import Collection

Side = Literal["start", "end"]


class TextNode(NamedTuple):
    """A text node as a span of the document's text."""

    start: int
    end: int


def text_nodes(
    start: int, end: int, children: Sequence[tuple[int, int]], text: str | None = None
) -> list[TextNode]:
    """Return the text nodes of an element, given its span and those of its children.

    With `text` (the document's), those that are only white space are left out.

    >>> text_nodes(0, 10, [(2, 4), (4, 4), (8, 10)])
    [TextNode(start=0, end=2), TextNode(start=4, end=8)]
    """
    edges = [start, *(edge for child in children for edge in child), end]
    gaps = (TextNode(*pair) for pair in zip(edges[0::2], edges[1::2], strict=True))
    return [
        gap
        for gap in gaps
        if gap.end > gap.start and (text is None or text[gap.start : gap.end].strip())
    ]


class TextPoints:
    """The text points of a collection, under one way of numbering text nodes.

    >>> from doxeval.documents.examples import example_collection
    >>> collection = example_collection({"a": "<p>one <b>two</b> three</p>"})
    >>> collection.points().offset("a", "/p[1]/text()[2].1")
    8
    >>> collection.points().point("a", 8)
    '/p[1]/text()[2].1'
    """

    def __init__(self, collection: Collection, whitespace: Whitespace) -> None:
        self._collection = collection
        self._strip = whitespace == "strip"

    def text_nodes(self, node: int) -> list[TextNode]:
        """Return the text nodes of an element, in their numbering."""
        columns = self._collection.nodes
        children = self._collection.children_of(node)
        starts, ends = columns.start[children].tolist(), columns.end[children].tolist()
        text = None
        if self._strip:
            text = self._collection.text_of(int(self._collection.documents_of([node])[0]))
        return text_nodes(
            int(columns.start[node]),
            int(columns.end[node]),
            list(zip(starts, ends, strict=True)),
            text,
        )

    def offsets(
        self, documents: Sequence[int] | Ints, points: Sequence[str], side: Side = "start"
    ) -> list[int | InputError]:
        """Return the offset of each point, or the error that says why there is none.

        A point given as an element is its beginning, or with `side="end"` its end.
        """
        parsed = [_parse(point) for point in points]
        paths = ["" if isinstance(point, InputError) else point.path for point in parsed]
        nodes = self._collection.find_nodes(documents, paths).tolist()
        return [
            point if isinstance(point, InputError) else self._offset(document, node, point, side)
            for document, node, point in zip(documents, nodes, parsed, strict=True)
        ]

    def offset(self, document_id: str, point: str, side: Side = "start") -> int:
        """Return the offset of one point; one that does not resolve is an error."""
        (offset,) = self.offsets([self._collection.document(document_id)], [point], side)
        if isinstance(offset, InputError):
            raise offset
        return offset

    def point(self, document_id: str, offset: int, side: Side = "start") -> str:
        """Return the point at an offset, in the innermost element there.

        A start belongs to the text node after it, an end to the one before.
        """
        root = self._collection.root(document_id)
        if not 0 <= offset <= root.end:
            raise UnknownReference(
                f"{truncate(document_id)} has {root.end:,} characters; there is no offset "
                f"{offset:,}"
            )
        if root.end == 0:
            return root.path
        after = (side == "start" and offset < root.end) or offset == 0
        character = offset if after else offset - 1
        node = int(self._collection.innermost([root.document], [character])[0])
        for number, gap in enumerate(self.text_nodes(node), 1):
            if gap.start <= character < gap.end:
                path = self._collection.path_of(node)
                return format_point(TextPoint(path, number, offset - gap.start))
        raise UnknownReference(
            f"offset {offset:,} of {truncate(document_id)} lies in white space, "
            "where no text node is numbered"
        )

    def _offset(self, document: int, node: int, point: TextPoint, side: Side) -> int | InputError:
        columns = self._collection.nodes
        if node < 0:
            return UnknownReference(
                "no such document"
                if document < 0
                else self._collection.why_not(self._collection.id_of(document), point.path)
            )
        if point.text_node is None:
            return int((columns.start if side == "start" else columns.end)[node])
        nodes = self.text_nodes(node)
        if not 1 <= point.text_node <= len(nodes):
            return UnknownReference(
                f"{short_path(point.path)} has {len(nodes)} text nodes; there is no number "
                f"{point.text_node}"
            )
        gap = nodes[point.text_node - 1]
        if point.offset > gap.end - gap.start:
            return UnknownReference(
                f"text node {point.text_node} of {short_path(point.path)} has "
                f"{gap.end - gap.start} "
                f"characters; there is no position after {point.offset}"
            )
        return gap.start + point.offset


def _parse(point: str) -> TextPoint | InputError:
    try:
        return parse_point(point)
    except InputError as error:
        return error
