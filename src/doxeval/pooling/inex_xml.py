"""Pools in the XML of INEX, as its assessment tool X-RAI read them: one topic in a file.

    <pool topic="231">
     <file file="co/1999/r2024">
      <path path="/article[1]/bdy[1]/sec[2]"/>
     </file>
    </pool>

A file without paths is a document that was returned as a whole. Documents are in the order of the
pool.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import IO

from doxeval.documents import normalise_id
from doxeval.errors import FormatError
from doxeval.markup import XmlElement, quote_attribute, read_elements
from doxeval.messages import quoted
from doxeval.pooling.pool import Pool, PooledDocument, PooledElement


def write_inex_pool(pool: Pool) -> Iterator[bytes]:
    """Yield the XML of a pool with one topic.

    >>> pooled = PooledDocument("a", 0.5, (PooledElement("/s[1]/p[2]"),), (("mine", 1),))
    >>> print(b"".join(write_inex_pool(Pool({"7": (pooled,)}))).decode())
    <pool topic="7">
     <file file="a">
      <path path="/s[1]/p[2]"/>
     </file>
    </pool>
    <BLANKLINE>
    """
    ((topic, documents),) = pool.documents.items()
    yield f"<pool topic={quote_attribute(topic)}>\n".encode()
    for pooled in documents:
        paths = [part.path for part in pooled.elements if part.path is not None]
        lines = "".join(f"  <path path={quote_attribute(path)}/>\n" for path in paths)
        opening = f" <file file={quote_attribute(pooled.document)}"
        yield (f"{opening}>\n{lines} </file>\n" if paths else f"{opening}/>\n").encode()
    yield b"</pool>\n"


def read_inex_pool(file: IO[bytes], origin: str) -> Pool:
    """Read the pool of a topic.

    >>> import io
    >>> xml = b'<pool topic="7"><file file="a"><path path="/s[1]"/></file></pool>'
    >>> read_inex_pool(io.BytesIO(xml), "7.xml").documents
    {'7': (PooledDocument('a', elements=(PooledElement(path='/s[1]'),)),)}
    """
    pooled: dict[str, tuple[PooledDocument, ...]] = {}
    for element, _ in read_elements(file, {"pool"}, origin):
        topic = element.attribute("topic")
        if not topic:
            raise FormatError('<pool> without topic="…"', origin, element.line)
        if topic in pooled:
            raise FormatError(f"a second pool of topic {quoted(topic)}", origin, element.line)
        pooled[topic] = tuple(_documents(element, origin))
    if not pooled:
        raise FormatError('no <pool topic="…"> in the file', origin)
    return Pool(pooled)


def _documents(pool: XmlElement, origin: str) -> Iterator[PooledDocument]:
    seen: set[str] = set()
    for child in pool.children:
        if child.tag != "file":
            raise FormatError(f"<{child.tag}> in a pool: expected <file>", origin, child.line)
        document = normalise_id(child.attribute("file", "name") or "")
        if not document:
            raise FormatError('<file> without file="…"', origin, child.line)
        if document in seen:
            message = f"document {quoted(document)} is in the pool of its topic twice"
            raise FormatError(message, origin, child.line)
        seen.add(document)
        parts = dict.fromkeys(_element(inner, origin) for inner in child.children)
        yield PooledDocument(document, elements=tuple(parts))


def _element(element: XmlElement, origin: str) -> PooledElement:
    path = element.attribute("path") if element.tag == "path" else None
    if not path:
        message = f'<{element.tag}> in a file: expected <path path="…"/>'
        raise FormatError(message, origin, element.line)
    return PooledElement(path)
