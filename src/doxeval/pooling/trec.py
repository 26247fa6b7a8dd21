"""Pools as lines of text, like the first columns of TREC's qrels: `topic 0 doc`.

With a grade at its end, a line becomes a judgment. Read are also `topic doc`, and qrels with the
grade -1, which means pooled but not judged; any other grade is an error, because it is a
judgment.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import IO

from doxeval.documents import normalise_id
from doxeval.errors import FormatError
from doxeval.files import text_lines
from doxeval.messages import plural, quoted
from doxeval.pooling.pool import Pool, PooledDocument


def write_trec_pool(pool: Pool) -> Iterator[bytes]:
    """Yield a pool as lines of text.

    >>> list(write_trec_pool(Pool({"7": (PooledDocument("a"),)})))
    [b'7 0 a\\n']
    """
    for topic, documents in pool.documents.items():
        for pooled in documents:
            yield f"{topic} 0 {pooled.document}\n".encode()


def read_trec_pool(file: IO[bytes], origin: str) -> Pool:
    """Read a pool.

    >>> import io
    >>> read_trec_pool(io.BytesIO(b"7 0 b\\n7 0 a\\n"), "pool.txt").documents
    {'7': (PooledDocument('b'), PooledDocument('a'))}
    """
    pooled: dict[str, dict[str, PooledDocument]] = {}
    for number, line in text_lines(file, origin):
        topic, document = _pair(line.split(), origin, number)
        of_topic = pooled.setdefault(topic, {})
        if document in of_topic:
            message = f"document {quoted(document)} is in the pool of its topic twice"
            raise FormatError(message, origin, number)
        of_topic[document] = PooledDocument(document)
    if not pooled:
        raise FormatError("no pooled documents in the file", origin)
    return Pool({topic: tuple(of.values()) for topic, of in pooled.items()})


def _pair(fields: list[str], origin: str, line: int) -> tuple[str, str]:
    if len(fields) == 4 and fields[3] != "-1":
        message = f"a grade of {quoted(fields[3])} is a judgment: expected a pool, `topic 0 doc`"
        raise FormatError(message, origin, line)
    if not 2 <= len(fields) <= 4:
        message = f"{plural(len(fields), 'column')}: expected `topic 0 doc`"
        raise FormatError(message, origin, line)
    return fields[0], normalise_id(fields[1] if len(fields) == 2 else fields[2])
