"""Documents as the page shows them: their text, their elements, and the role of each tag.

The page knows ten roles and no tags: a heading is a heading, whether the collection calls it `st`,
`title` or `h2`. Organisers may give tags other roles. A tag that is not known here is inline if the
collection says so, or if it only occurs within running text; otherwise it is a block.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import msgspec
import numpy as np

from doxeval.arrays import Bools, Ints
from doxeval.assess.web.wire import ElementRows

if TYPE_CHECKING:
    from doxeval.assess.db import DisplayRole
    from doxeval.assess.judging import Article
    from doxeval.documents import Collection

_LONGEST_TITLE = 120

# HTML and Markdown; the IEEE articles of 2002 to 2005; the Wikipedia of 2006 to 2010; the demo.
_TAGS: dict[DisplayRole, str] = {
    "heading": "h1 h2 h3 h4 h5 h6 legend summary atl st title tig h h1a h2a hdr head heading name",
    "list": "ul ol dl menu dir list l1 l2 l3 l4 l5 l6 l7 l8 l9 la lb lc ld le bullet-list "
    "numeric-list numeric-brace letter-list numeric-rbrace normallist numberlist definitionlist",
    "item": "li dt dd item lt definitionitem",
    "table": "table tbl tgroup",
    "row": "tr row",
    "cell": "td th cell col",
    "figure": "figure fig fgc img image picture svg video audio canvas object iframe graphic",
    "maths": "math maths equation tf tmath f en eqn formula",
    "block": "html body main article section sec ss ss1 ss2 ss3 bdy bm fm bb bib bibl p ip1 ip2 "
    "ip3 ip4 ip5 abs div pre blockquote address header footer nav aside thead tbody tfoot caption "
    "figcaption hr form fieldset details document ilrj vt app ack au kwd br template indent",
    "inline": "bdi bdo time label button input select output progress meter ruby rt rp wbr data "
    "note footnote art url",
}
DEFAULTS: Mapping[str, str] = {tag: role for role, tags in _TAGS.items() for tag in tags.split()}


def roles_of(
    tags: Sequence[str],
    tag: Ints,
    parent: Ints,
    mixed: Bools,
    inline: frozenset[str],
    display: Mapping[str, str],
) -> dict[str, str]:
    """Return the role of each tag of a document.

    tag and parent are columns of its elements; mixed says which of them have text of their own.

    >>> none = np.array([False, True, False])
    >>> roles_of(["s", "p", "x"], np.arange(3), np.array([-1, 0, 1]), none, frozenset(), {})
    {'s': 'block', 'p': 'block', 'x': 'inline'}
    """
    within = np.zeros(len(tag), dtype=np.bool_)
    within[1:] = mixed[parent[1:]]
    outside = np.bincount(tag[~within], minlength=len(tags))
    roles: dict[str, str] = {}
    for number, name in enumerate(tags):
        known = display.get(name) or DEFAULTS.get(name.lower())
        if name in display:
            roles[name] = display[name]
        elif name in inline:
            roles[name] = "inline"
        elif known is not None:
            roles[name] = known
        elif name.lower() == "entry":
            roles[name] = "cell" if _is_below(tags, tag, parent, number, "row") else "item"
        else:
            roles[name] = "block" if outside[number] else "inline"
    return roles


def _is_below(tags: Sequence[str], tag: Ints, parent: Ints, number: int, above: str) -> bool:
    """Return whether an element of a tag, given by its number, has a parent of the other tag."""
    parents = parent[tag == number]
    around = np.unique(tag[parents[parents >= 0]]).tolist()
    return any(tags[other].lower() == above for other in around)


class DocumentData(msgspec.Struct, frozen=True):
    """The part of an article's data that is about the document, exactly as it is."""

    text: str
    length: int
    sha256: str
    elements: ElementRows
    tags: list[str]
    roles: dict[str, str]


def document_data(
    article: Article, inline: frozenset[str], display: Mapping[str, str]
) -> DocumentData:
    """Return the text, its length and hash, the elements in document order, and roles of tags.

    >>> from doxeval.assess.judging import Article
    >>> from doxeval.documents.examples import example_collection
    >>> text = "<article><st>Fog</st><p>One <x>two</x>.</p></article>"
    >>> data = document_data(Article.of(example_collection({"a": text}), "a"), frozenset(), {})
    >>> data.text, data.length, data.tags, data.elements.tag
    ('FogOne two.', 11, ['article', 'st', 'p', 'x'], [0, 1, 2, 3])
    >>> data.roles
    {'article': 'block', 'st': 'heading', 'p': 'block', 'x': 'inline'}
    """
    mixed = ~article.nothing_but_children
    columns = {name: getattr(article, name).tolist() for name in ElementRows.__struct_fields__}
    return DocumentData(
        article.text,
        len(article.text),
        article.sha256,
        ElementRows(**columns),
        list(article.tags),
        roles_of(article.tags, article.tag, article.parent, mixed, inline, display),
    )


def title_of(collection: Collection, document: int, display: Mapping[str, str]) -> str:
    """Return the first heading of a document, or how its text begins.

    >>> from doxeval.documents.examples import example_collection
    >>> collection = example_collection({"a": "<article><st>Fog</st><p>One.</p></article>"})
    >>> title_of(collection, 0, {})
    'Fog'
    """
    first = int(collection.rows[document])
    rows = slice(first, min(first + 200, int(collection.rows[document + 1])))
    columns, summary = collection.nodes, collection.summary
    text = collection.text_of(document)
    for row, path in enumerate(columns.path[rows].tolist(), first):
        tag = summary.tag(path)
        start, end = int(columns.start[row]), int(columns.end[row])
        is_heading = (display.get(tag) or DEFAULTS.get(tag.lower())) == "heading"
        if is_heading and text[start:end].strip():
            return _on_one_line(text[start : min(end, start + 4 * _LONGEST_TITLE)])
    return _on_one_line(text[: 4 * _LONGEST_TITLE])


def _on_one_line(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= _LONGEST_TITLE else line[: _LONGEST_TITLE - 1] + "…"
