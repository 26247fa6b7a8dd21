"""Documents as they were judged, kept in the database.

A collection is often built again in the same place, and then the text that was judged is gone. To
carry highlights over to the new text, the old one is needed; so whatever gets a highlight or a
grade is kept here, once, compressed.
"""

from __future__ import annotations

import json
import zlib
from base64 import b64decode, b64encode

import numpy as np
from sqlalchemy import Connection, select
from sqlalchemy.dialects import postgresql, sqlite

from doxeval.assess.db.schema import ARTICLES
from doxeval.assess.db.session import decoding
from doxeval.assess.judging import Article

_COLUMNS = ("start", "end", "parent", "size", "tag", "ordinal")
# Operations that refer to places of the text.
PLACED = frozenset({"highlight", "unhighlight", "bep", "grade", "import"})


def keep_snapshot(connection: Connection, article: Article, packed: str | None = None) -> None:
    """Keep a document as it is now (`packed`, if that was done before), unless it is there."""
    dialect = sqlite if connection.dialect.name == "sqlite" else postgresql
    values = {
        "document": article.document,
        "text_sha256": article.sha256,
        "packed": packed or pack(article),
    }
    connection.execute(dialect.insert(ARTICLES).values(**values).on_conflict_do_nothing())


def read_snapshot(connection: Connection, document: str, text_sha256: str) -> Article | None:
    """Return a document as it was judged; None if it was not kept."""
    table = ARTICLES.c
    query = select(table.packed).where(table.document == document, table.text_sha256 == text_sha256)
    packed = connection.execute(query).scalar()
    return None if packed is None else unpack(document, packed)


def pack(article: Article) -> str:
    """Return a document as text for the database.

    >>> from doxeval.documents.examples import example_collection
    >>> article = Article.of(example_collection({"a": "<s><p>Low</p><p>High 🌊</p></s>"}), "a")
    >>> again = unpack("a", pack(article))
    >>> again.text, again.path_of(2), again.sha256 == article.sha256
    ('LowHigh 🌊', '/s[1]/p[2]', True)
    """
    data = {name: getattr(article, name).tolist() for name in _COLUMNS}
    text = json.dumps({**data, "text": article.text, "tags": article.tags}, separators=(",", ":"))
    return b64encode(zlib.compress(text.encode())).decode()


def unpack(document: str, text: str) -> Article:
    """Return the document that was packed."""
    with decoding("the text of a document"):
        data = json.loads(zlib.decompress(b64decode(text)))
        columns = {name: np.array(data[name], dtype=np.int64) for name in _COLUMNS}
        return Article(document, data["text"], tags=tuple(data["tags"]), **columns)
