"""Assessments as text, as in INEX 2008 to 2010, one judged document per line.

    topic Q0 doc rsize docsize bep off:len off:len …
    topic Q0 doc 0 docsize

rsize is the number of highlighted characters, docsize that of the document, bep the best entry
point, off:len a highlighted passage. A document without passages was judged and is not relevant
(a sixth column is then ignored). The passages decide: those that overlap are merged with a
warning, and an rsize that is not their sum, or a passage beyond the document's end, is an error.
"""

from __future__ import annotations

import io
from collections.abc import Iterable, Iterator
from typing import IO, NamedTuple

import numpy as np

from doxeval.arrays import Bools, Ints
from doxeval.assessments.columns import (
    UNKNOWN,
    JudgmentColumns,
    Judgments,
    characters_by_row,
    text_columns,
    whole_file,
    whole_numbers,
)
from doxeval.assessments.judgment import Judgment, merge_passages
from doxeval.columns import PaddedBytes, RaggedTable, has_plain_spaces, line_blocks, split_fields
from doxeval.documents import normalise_id
from doxeval.errors import FormatError, OutputError
from doxeval.files import text_lines
from doxeval.messages import quoted, truncate
from doxeval.spans import TOO_LONG, Spans, merge_spans

_MOST_DIGITS = 12


def read_inex_text(file: IO[bytes], origin: str) -> Judgments:
    """Read assessments.

    >>> import io
    >>> read = read_inex_text(io.BytesIO(b"7 Q0 a 5 100 10 10:5\\n7 Q0 b 0 50\\n"), "qrels.txt")
    >>> [(judgment.document, judgment.highlights) for judgment in read.judgments]
    [('a', ((10, 15),)), ('b', ())]
    """
    data = whole_file(file, origin)
    # Where anything is wrong, lines are read one by one to find the first of them and say why.
    return _by_columns(data, origin) or _line_by_line(data, origin)


# By columns


class _JudgedLines(NamedTuple):
    """What is kept of a block of lines: numbers, and where names begin and end."""

    line: Ints
    names: Ints  # begin and end of the topic, begin and end of the document
    length: Ints
    entry: Ints
    highlights: Spans
    overlapping: Ints  # rows


def _by_columns(data: bytes, origin: str) -> Judgments | None:
    """Return the judgments, or None if anything is wrong."""
    if not has_plain_spaces(data):
        return None
    words = PaddedBytes(data)
    blocks: list[_JudgedLines] = []
    for begin, end, line in line_blocks(data):
        block = _read_block(words.piece(begin, end), begin, line)
        if block is None:
            return None
        blocks.append(block)
    if not sum(len(block.line) for block in blocks):
        return None
    return _concatenate(words, blocks, origin)


def _read_block(words: PaddedBytes, begin: int, first_line: int) -> _JudgedLines | None:
    table = RaggedTable(words)
    if (table.fields < 5).any() or table.control_character() is not None:
        return None
    columns = table.leading(5)
    relevant = whole_numbers(columns, 3, _MOST_DIGITS)
    length = whole_numbers(columns, 4, _MOST_DIGITS)
    passages = _passages(words, table)
    if relevant is None or length is None or passages is None:
        return None
    if (length >= TOO_LONG).any() or (passages.end > length[passages.group]).any():
        return None
    highlights = _merge(passages)
    highlighted = characters_by_row(highlights, len(length))
    entry = _entries(table, highlighted > 0)
    if entry is None or (highlighted != relevant).any():
        return None
    return _JudgedLines(
        table.lines + first_line,
        np.stack([*columns.span(0), *columns.span(2)]) + begin,
        length,
        entry,
        highlights,
        np.flatnonzero(characters_by_row(passages, len(length)) != highlighted),
    )


def _passages(words: PaddedBytes, table: RaggedTable) -> Spans | None:
    """Return all off:len of a table, as they are given, grouped by row; None if one is wrong."""
    row, fields = table.trailing(6)
    halves = split_fields(words, fields, b":")
    if halves is None:
        return None
    start, size = (whole_numbers(halves, position, _MOST_DIGITS) for position in (0, 1))
    return None if start is None or size is None else Spans(row, start, start + size)


def _entries(table: RaggedTable, is_relevant: Bools) -> Ints | None:
    """Return the best entry points of relevant rows, UNKNOWN for the others."""
    rows = np.flatnonzero(is_relevant)
    entries = whole_numbers(table.field(5, rows), 0, _MOST_DIGITS)
    if entries is None:
        return None
    entry = np.full(len(is_relevant), UNKNOWN, dtype=np.int64)
    entry[rows] = entries
    return entry


def _merge(spans: Spans) -> Spans:
    """Return the passages of each row sorted and merged, as they almost always are already."""
    apart = (spans.group[1:] != spans.group[:-1]) | (spans.start[1:] > spans.end[:-1])
    if apart.all() and (spans.end > spans.start).all():
        return spans
    return merge_spans(spans)


def _concatenate(words: PaddedBytes, blocks: list[_JudgedLines], origin: str) -> Judgments:
    before = np.cumsum([0, *(len(block.line) for block in blocks)]).tolist()
    highlights = [
        block.highlights._replace(group=block.highlights.group + at)
        for block, at in zip(blocks, before, strict=False)
    ]
    judgments = text_columns(
        words,
        np.concatenate([block.names for block in blocks], axis=1),
        np.concatenate([block.line for block in blocks]),
        origin,
        length=np.concatenate([block.length for block in blocks]),
        entry=np.concatenate([block.entry for block in blocks]),
        highlights=Spans(*map(np.concatenate, zip(*highlights, strict=True))),
    )
    overlapping = [line for block in blocks for line in block.line[block.overlapping].tolist()]
    return Judgments(judgments, [_overlap(origin, line) for line in overlapping])


def _overlap(origin: str, line: int) -> str:
    return f"{origin}:{line}: passages that overlap were merged"


# Line by line


def _line_by_line(data: bytes, origin: str) -> Judgments:
    judgments: list[Judgment] = []
    warnings: list[str] = []
    for number, line in text_lines(io.BytesIO(data), origin):
        fields = line.split()
        try:
            judgment, overlap = _judgment(fields, origin, number)
        except FormatError as error:
            if _is_line_of_run(fields):
                message = f"this looks like a run, not assessments; {error.message}"
                raise FormatError(message, origin, number) from None
            raise
        judgments.append(judgment)
        warnings += [_overlap(origin, number)] if overlap else []
    if not judgments:
        raise FormatError("no assessments in the file", origin)
    return Judgments(JudgmentColumns.of(judgments), warnings)


def _is_line_of_run(fields: list[str]) -> bool:
    """Return whether a line could be a result: a rank, a score, and a run id, not a number."""
    is_number = len(fields) > 5 and fields[5].lstrip("-").isdigit()
    if not 6 <= len(fields) <= 8 or not fields[3].isdigit() or is_number:
        return False
    try:
        float(fields[4])
    except ValueError:
        return False
    return True


def _judgment(fields: list[str], origin: str, line: int) -> tuple[Judgment, bool]:
    """Return the judgment of a line, and whether its passages overlap."""
    if len(fields) < 5:
        raise FormatError(
            f"{len(fields)} fields; expected topic Q0 doc rsize docsize bep off:len …", origin, line
        )
    relevant = _number(fields[3], "an rsize", origin, line)
    length = _number(fields[4], "a docsize", origin, line)
    if length >= TOO_LONG:
        raise FormatError(f"docsize is {length}: expected less than {TOO_LONG}", origin, line)
    passages = [_passage(text, length, origin, line) for text in fields[6:]]
    if not passages and relevant:
        raise FormatError(f"rsize is {relevant} but there are no passages", origin, line)
    highlights, overlap = merge_passages(passages)
    highlighted = sum(end - start for start, end in highlights)
    if highlighted != relevant:
        raise FormatError(f"rsize is {relevant}, but the passages have {highlighted}", origin, line)
    entry = _number(fields[5], "a best entry point", origin, line) if highlights else None
    document = normalise_id(fields[2])
    judgment = Judgment(fields[0], document, highlights, entry, length, origin=origin, line=line)
    return judgment, overlap


def _passage(text: str, length: int, origin: str, line: int) -> tuple[int, int]:
    offset, _, size = text.partition(":")
    if not _is_number(offset) or not _is_number(size):
        raise FormatError(f"{quoted(text)} is not a passage: expected off:len", origin, line)
    start = int(offset)
    end = start + int(size)
    if end > length:
        raise FormatError(
            f"the passage {text} ends at {end}, beyond the document's {length}", origin, line
        )
    return start, end


def _number(text: str, what: str, origin: str, line: int) -> int:
    if not _is_number(text):
        raise FormatError(f"{quoted(text)} is not {what}: expected a whole number", origin, line)
    return int(text)


def _is_number(text: str) -> bool:
    return len(text) <= _MOST_DIGITS and text.isdigit() and text.isascii()


def write_inex_text(judgments: Iterable[Judgment]) -> Iterator[bytes]:
    """Yield assessments as lines of text.

    The format needs the length of every document and the best entry point of a relevant one;
    a judgment without them cannot be written.

    >>> list(write_inex_text([Judgment("7", "a", ((10, 15),), 10, 100)]))
    [b'7 Q0 a 5 100 10 10:5\\n']
    """
    for judgment in judgments:
        if judgment.document_length is None:
            raise OutputError(f"{_named(judgment)} has no length, and the format needs it")
        fields: list[object] = [
            judgment.topic,
            "Q0",
            judgment.document,
            judgment.highlighted,
            judgment.document_length,
        ]
        if judgment.highlights:
            if judgment.best_entry_point is None:
                raise OutputError(f"{_named(judgment)} needs a best entry point")
            fields.append(judgment.best_entry_point)
            fields += [f"{start}:{end - start}" for start, end in judgment.highlights]
        yield " ".join(map(str, fields)).encode() + b"\n"


def _named(judgment: Judgment) -> str:
    return f"document {truncate(judgment.document)} of topic {truncate(judgment.topic)}"
