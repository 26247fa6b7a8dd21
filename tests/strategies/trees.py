"""Random trees of elements, and what a node table must say of them.

A random document is made of pieces that know both their source and the text they stand for,
so every property can be checked against what was meant, not only against another parser.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from hypothesis import strategies as st

TAGS = ["article", "sec", "p", "b", "ss1", "title", "x-y", "été", "a.b"]

# Letters, spaces, line ends, combining marks, right-to-left and astral characters.
_ALPHABET = "ab Z<&>\"']\t\ńàéאب字😀𝔸  "


@dataclass(frozen=True)
class Piece:
    """Something inside an element that is no element: its source, and its text."""

    source: str
    text: str


@dataclass(frozen=True)
class Node:
    """An element: tag, attributes as written, and what is inside it."""

    tag: str
    inside: tuple[Piece | Node, ...] = ()
    attributes: str = ""
    self_closing: bool = False

    @property
    def source(self) -> str:
        """The element as XML."""
        if self.self_closing and not self.inside:
            return f"<{self.tag}{self.attributes}/>"
        inner = "".join(item.source for item in self.inside)
        return f"<{self.tag}{self.attributes}>{inner}</{self.tag}>"

    @property
    def text(self) -> str:
        """All text inside it."""
        return "".join(item.text for item in self.inside)


@dataclass(frozen=True)
class Located:
    """What the node table must say of one element."""

    path: str
    tag: str
    ordinal: int
    start: int
    end: int
    parent: str | None
    text_nodes: tuple[tuple[int, int], ...] = field(compare=False)


def located(node: Node) -> list[Located]:
    """All elements in document order with their paths and offsets, by plain recursion."""
    return list(_located(node, 1, 0, None))


def _located(node: Node, ordinal: int, start: int, parent: str | None) -> Iterator[Located]:
    path = f"{parent or ''}/{node.tag}[{ordinal}]"
    below: list[Located] = []
    runs: list[tuple[int, int]] = []
    seen: dict[str, int] = {}
    at = run_start = start
    for item in node.inside:
        if isinstance(item, Node):
            runs.append((run_start, at))
            seen[item.tag] = seen.get(item.tag, 0) + 1
            below += _located(item, seen[item.tag], at, path)
            at += len(item.text)
            run_start = at
        else:
            at += len(item.text)
    runs.append((run_start, at))
    yield Located(
        path, node.tag, ordinal, start, at, parent, tuple(run for run in runs if run[1] > run[0])
    )
    yield from below


def plain_texts() -> st.SearchStrategy[str]:
    """Short texts of difficult characters."""
    return st.text(st.sampled_from(_ALPHABET), max_size=12)


def escaped(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def _without_cdata_end(text: str) -> str:
    return text.replace("]", "")


def pieces() -> st.SearchStrategy[Piece]:
    """Text, character references, entities, CDATA, comments, processing instructions."""
    return st.one_of(
        plain_texts().map(lambda text: Piece(escaped(text), text)),
        plain_texts().map(lambda t: Piece(escaped(t).replace("\n", "\r\n"), t)),
        st.sampled_from("aé😀\r\n<").map(lambda c: Piece(f"&#{ord(c)};", c)),
        st.sampled_from("aé😀\t").map(lambda c: Piece(f"&#x{ord(c):X};", c)),
        st.sampled_from([("&lt;", "<"), ("&amp;", "&"), ("&apos;", "'"), ("&quot;", '"')]).map(
            lambda pair: Piece(*pair)
        ),
        plain_texts().map(
            lambda t: Piece(f"<![CDATA[{_without_cdata_end(t)}]]>", _without_cdata_end(t))
        ),
        st.sampled_from(["<!-- a < b & c -->", "<!---->", "<?pi some data?>"]).map(
            lambda source: Piece(source, "")
        ),
    )


def named_entities() -> st.SearchStrategy[Piece]:
    """Entities that no document declares, from the table of HTML."""
    table = {"nbsp": "\u00a0", "eacute": "é", "hellip": "…", "Aopf": "𝔸", "ndash": "–"}
    return st.sampled_from(sorted(table)).map(lambda name: Piece(f"&{name};", table[name]))


def nodes(
    inside: st.SearchStrategy[Piece] | None = None,
    tags: list[str] | None = None,
    written: list[str] | None = None,
) -> st.SearchStrategy[Node]:
    """Trees of a few elements, sometimes deep; `written` are attributes as they are written."""
    things = pieces() if inside is None else inside
    names = st.sampled_from(tags or TAGS)
    attributes = st.sampled_from(written or ["", ' id="1"', " a='x > y' b=\"&lt;z\""])
    leaves = st.builds(
        Node, names, st.lists(things, max_size=3).map(tuple), attributes, st.booleans()
    )
    return st.recursive(
        leaves,
        lambda children: st.builds(
            Node, names, st.lists(st.one_of(things, children), max_size=5).map(tuple), attributes
        ),
        max_leaves=25,
    )


def collections_of(
    documents: st.SearchStrategy[Node] | None = None, most: int = 5
) -> st.SearchStrategy[list[Node]]:
    """A few documents."""
    return st.lists(nodes() if documents is None else documents, min_size=1, max_size=most)
