"""What the readers of text share: a file as a whole, numbers, and names that are places in it."""

from __future__ import annotations

from typing import IO, Any

from doxeval.arrays import Ints
from doxeval.assessments.judgment_columns import PlainJudgments, plain_judgments
from doxeval.columns import Columns, Names, Words
from doxeval.errors import FormatError
from doxeval.files import BYTE_ORDER_MARK, LONGEST_LINE

LARGEST_FILE = 2 << 30


def whole_text(file: IO[bytes], origin: str) -> bytes:
    """All bytes of a file but the byte-order mark; one that is too large, or a line, is an error.

    >>> import io
    >>> whole_text(io.BytesIO(b"\\xef\\xbb\\xbfa b\\n"), "a.txt")
    b'a b\\n'
    """
    chunks: list[bytes] = []
    size = lines = unended = 0
    while chunk := file.read(LONGEST_LINE):
        first, last = chunk.find(b"\n"), chunk.rfind(b"\n")
        if unended + (len(chunk) if first < 0 else first) > LONGEST_LINE:
            raise FormatError(f"a line of more than {LONGEST_LINE:,} bytes", origin, lines + 1)
        unended = unended + len(chunk) if last < 0 else len(chunk) - last - 1
        lines += chunk.count(b"\n")
        size += len(chunk)
        if size > LARGEST_FILE:
            raise FormatError(f"more than {LARGEST_FILE:,} bytes in one file", origin)
        chunks.append(chunk)
    return b"".join(chunks).removeprefix(BYTE_ORDER_MARK)


def whole_numbers(columns: Columns, column: int, most_digits: int) -> Ints | None:
    """A column of whole numbers; None if some field is none, or too long.

    >>> from doxeval.columns.fields import TokenTable
    >>> columns = TokenTable(Words(b"12 -3\\n")).columns(2)
    >>> whole_numbers(columns, 0, 9).tolist(), whole_numbers(columns, 1, 9)
    ([12], None)
    """
    begins, ends = columns.span(column)
    values = columns.integers(column)
    if (values < 0).any() or (ends - begins > most_digits).any():
        return None
    return values


def text_judgments(
    words: Words, names: Ints, line: Ints, origin: str, **columns: Any
) -> PlainJudgments:
    """The judgments of a file, by columns that `plain_judgments` takes.

    names: four rows, where the topic of each line begins and ends, and its document.
    """
    topics = Names(words, *names[:2])
    documents = Names(words, *names[2:]).as_document_ids()
    return plain_judgments(
        tuple(topics.distinct),
        documents.distinct,
        topics.numbering[0],
        documents.numbering[0],
        line=line,
        origin=origin,
        **columns,
    )
