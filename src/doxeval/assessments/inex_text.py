"""Assessments as text, as in INEX 2008 to 2010, one judged document per line.

    topic Q0 doc rsize docsize bep off:len off:len …
    topic Q0 doc 0 docsize

rsize is the number of highlighted characters, docsize that of the document, bep the best entry
point, off:len a highlighted passage. A document without passages was judged and is not relevant
(a sixth column is then ignored). The passages decide: those that overlap are merged with a
warning, and an rsize that is not their sum, or a passage beyond the document's end, is an error.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import IO

from doxeval.assessments.highlights import in_order
from doxeval.assessments.judgment import Judgment, Judgments
from doxeval.documents.ids import normalised_id
from doxeval.errors import FormatError, OutputError
from doxeval.files import text_lines

_MOST_DIGITS = 12


def read_inex_text(file: IO[bytes], origin: str) -> Judgments:
    """Read assessments.

    >>> import io
    >>> found = read_inex_text(io.BytesIO(b"7 Q0 a 5 100 10 10:5\\n7 Q0 b 0 50\\n"), "qrels.txt")
    >>> [(judgment.document, judgment.highlights) for judgment in found.judgments]
    [('a', ((10, 15),)), ('b', ())]
    """
    warnings: list[str] = []
    judgments = [
        _judgment(line.split(), origin, number, warnings)
        for number, line in text_lines(file, origin)
    ]
    if not judgments:
        raise FormatError("no assessments in the file", origin)
    return Judgments(judgments, warnings)


def _judgment(fields: list[str], origin: str, line: int, warnings: list[str]) -> Judgment:
    if len(fields) < 5:
        raise FormatError(
            f"{len(fields)} fields; expected topic Q0 doc rsize docsize bep off:len …", origin, line
        )
    relevant = _number(fields[3], "an rsize", origin, line)
    length = _number(fields[4], "a docsize", origin, line)
    passages = [_passage(text, length, origin, line) for text in fields[6:]]
    if not passages and relevant:
        raise FormatError(f"rsize is {relevant} but there are no passages", origin, line)
    highlights, overlap = in_order(passages)
    if overlap:
        warnings.append(f"{origin}:{line}: passages that overlap were merged")
    found = 0
    for start, end in highlights:
        found += end - start
    if found != relevant:
        raise FormatError(f"rsize is {relevant}, but the passages have {found}", origin, line)
    entry = _number(fields[5], "a best entry point", origin, line) if highlights else None
    return Judgment(
        fields[0], normalised_id(fields[2]), highlights, entry, length, origin=origin, line=line
    )


def _passage(text: str, length: int, origin: str, line: int) -> tuple[int, int]:
    offset, _, size = text.partition(":")
    if not _is_number(offset) or not _is_number(size):
        raise FormatError(f"{text!r} is not a passage: expected off:len", origin, line)
    start = int(offset)
    end = start + int(size)
    if end > length:
        raise FormatError(
            f"the passage {text} ends at {end}, beyond the document's {length}", origin, line
        )
    return start, end


def _number(text: str, what: str, origin: str, line: int) -> int:
    if not _is_number(text):
        raise FormatError(f"{text!r} is not {what}: expected a whole number", origin, line)
    return int(text)


def _is_number(text: str) -> bool:
    return len(text) <= _MOST_DIGITS and text.isdigit() and text.isascii()


def write_inex_text(judgments: Iterable[Judgment]) -> Iterator[bytes]:
    """Assessments as text.

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
    return f"document {judgment.document} of topic {judgment.topic}"
