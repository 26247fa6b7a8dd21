"""What the page gets of a document: its text and its elements as columns, exactly as they are."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from doxeval.assess.web.display import DEFAULTS, roles_of

if TYPE_CHECKING:
    from doxeval.assess.judging import Article
    from doxeval.documents import Collection

_LONGEST_TITLE = 120


def document_data(
    article: Article, inline: frozenset[str], display: Mapping[str, str]
) -> dict[str, Any]:
    """The text, its length and hash, the elements in document order, and the roles of their tags.

    Offsets are code points of the text. The path of an element is the tags and ordinals of its
    parents and its own.

    >>> from doxeval.assess.judging import Article
    >>> from doxeval.documents.examples import example_collection
    >>> text = "<article><st>Fog</st><p>One <x>two</x>.</p></article>"
    >>> data = document_data(Article.of(example_collection({"a": text}), "a"), frozenset(), {})
    >>> data["text"], data["length"], data["tags"], data["elements"]["tag"]
    ('FogOne two.', 11, ['article', 'st', 'p', 'x'], [0, 1, 2, 3])
    >>> data["roles"]
    {'article': 'block', 'st': 'heading', 'p': 'block', 'x': 'inline'}
    """
    mixed = ~article.nothing_but_children
    columns = ("start", "end", "parent", "tag", "ordinal")
    return {
        "text": article.text,
        "length": len(article.text),
        "sha256": article.sha256,
        "elements": {name: getattr(article, name).tolist() for name in columns},
        "tags": list(article.tags),
        "roles": roles_of(article.tags, article.tag, article.parent, mixed, inline, display),
    }


def title_of(collection: Collection, document: int, display: Mapping[str, str]) -> str:
    """The first heading of a document, or how its text begins.

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
            return _cut(text[start : min(end, start + 4 * _LONGEST_TITLE)])
    return _cut(text[: 4 * _LONGEST_TITLE])


def _cut(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= _LONGEST_TITLE else line[: _LONGEST_TITLE - 1] + "…"
