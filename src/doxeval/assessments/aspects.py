"""Gold passages of TREC Genomics 2006–07: passages with the aspects of the topic they answer.

    topic<TAB>doc<TAB>offset<TAB>length<TAB>aspect|aspect…

    200<TAB>10229231<TAB>36697<TAB>1090<TAB>serum proteins|HLA-DR4

Each aspect is a need of its topic, which any passage with that aspect answers; a passage without
aspects is a need by itself. The order of the passages of a document is kept, because a result that
overlaps several of them counts for the first. A passage that is listed again, by the same offset
and length, has the aspects of all its lines, and that is warned about. The track counted offsets in
bytes (`--offsets bytes`, which needs the collection). Documents without gold passages are not
listed, so nothing says which were judged.

A file is recognised by its first line: five fields between tabs, of which the third and the fourth
are whole numbers, and the second is not `Q0`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import IO

from doxeval.assessments.columns import JudgmentColumns, Judgments
from doxeval.assessments.judgment import Judgment, NeededSpan
from doxeval.assessments.needs import spans_without_need
from doxeval.documents import normalise_id
from doxeval.errors import FormatError, OutputError
from doxeval.files import text_lines
from doxeval.messages import plural, quoted, truncate
from doxeval.spans import TOO_LONG

_MOST_DIGITS = 12
_EXPECTED = "expected topic, document, offset, length and aspects, with tabs between them"


def looks_like_aspects(begin: bytes) -> bool:
    """Return whether a file that begins like this lists gold passages with their aspects.

    >>> looks_like_aspects(b"200\\t10229231\\t36697\\t1090\\tserum proteins|HLA-DR4\\n")
    True
    >>> looks_like_aspects(b"7\\tQ0\\t12\\t5\\t100\\t10\\t10:5\\n")
    False
    """
    fields = [field.strip() for field in begin.split(b"\n", 1)[0].split(b"\t")]
    is_listed = len(fields) == 5 and all(field.isdigit() for field in fields[2:4])
    return is_listed and fields[1].upper() not in (b"", b"Q0", b"0")


def read_aspects(file: IO[bytes], origin: str) -> Judgments:
    """Read gold passages.

    >>> import io
    >>> file = io.BytesIO(b"7\\td1\\t20\\t10\\tb\\n7\\td1\\t0\\t10\\ta|b\\n")
    >>> (judgment,) = read_aspects(file, "gold.txt").judgments
    >>> [(need, start) for need, start, *_ in judgment.needs]
    [('b', 20), ('a', 0), ('b', 0)]
    """
    # By topic and document, and then by offset and length: the aspects, as they are listed.
    gold: dict[tuple[str, str], dict[tuple[int, int], dict[str, None]]] = {}
    lines: dict[tuple[str, str], int] = {}
    again: list[int] = []
    for number, line in text_lines(file, origin):
        topic, document, start, end, aspects = _passage(line, origin, number)
        passages = gold.setdefault((topic, document), {})
        lines.setdefault((topic, document), number)
        if (start, end) in passages:
            again.append(number)
        passages.setdefault((start, end), {}).update(dict.fromkeys(aspects))
    if not gold:
        raise FormatError("no assessments in the file", origin)
    judgments = [
        Judgment(
            *pair,
            needs=tuple(
                NeededSpan(aspect, *span)
                for span, aspects in passages.items()
                for aspect in aspects or (None,)
            ),
            origin=origin,
            line=lines[pair],
        )
        for pair, passages in gold.items()
    ]
    warnings = [_listed_again(again, origin)] if again else []
    return Judgments(JudgmentColumns.of(judgments), warnings)


def _listed_again(lines: list[int], origin: str) -> str:
    where = f"{origin}:{lines[0]}: a passage that is listed before"
    more = "" if len(lines) == 1 else f" (and {plural(len(lines) - 1, 'more line')} like this)"
    return f"{where}{more}; it has the aspects of all its lines"


def _passage(line: str, origin: str, number: int) -> tuple[str, str, int, int, list[str]]:
    """Return the topic, document, span and aspects of a line."""
    fields = [field.strip() for field in line.split("\t")]
    if len(fields) != 5:
        raise FormatError(f"{len(fields)} fields; {_EXPECTED}", origin, number)
    topic, document, offset, length, names = fields
    for field, what in ((topic, "topic"), (document, "document")):
        if not field:
            raise FormatError(f"the {what} is missing; {_EXPECTED}", origin, number)
    start, size = (
        _number(field, what, origin, number)
        for field, what in ((offset, "an offset"), (length, "a length"))
    )
    if not size:
        raise FormatError("the passage is empty: expected a length of 1 or more", origin, number)
    if start + size >= TOO_LONG:
        message = f"the passage ends at {start + size}: expected less than {TOO_LONG}"
        raise FormatError(message, origin, number)
    aspects = [name.strip() for name in names.split("|")] if names else []
    if "" in aspects:
        raise FormatError(f"an aspect of {quoted(names)} has no name", origin, number)
    return topic, normalise_id(document), start, start + size, aspects


def _number(text: str, what: str, origin: str, line: int) -> int:
    if not (text.isascii() and text.isdigit() and len(text) <= _MOST_DIGITS):
        raise FormatError(f"{quoted(text)} is not {what}: expected a whole number", origin, line)
    return int(text)


def write_aspects(judgments: Iterable[Judgment]) -> Iterator[bytes]:
    """Yield gold passages; highlighted text without a need is a passage without aspects.

    >>> needs = (NeededSpan("b", 20, 30), NeededSpan("a", 0, 10), NeededSpan("b", 0, 10))
    >>> list(write_aspects([Judgment("7", "d1", needs=needs)]))
    [b'7\\td1\\t20\\t10\\tb\\n', b'7\\td1\\t0\\t10\\ta|b\\n']
    """
    for judgment in judgments:
        passages: dict[tuple[int, int], list[str]] = {}
        for need, start, end, *_ in judgment.needs:
            aspects = passages.setdefault((start, end), [])
            if need is None:
                continue
            if need != need.strip() or any(sign in need for sign in "|\t\n\r"):
                raise OutputError(
                    f"need {quoted(need)} of topic {truncate(judgment.topic)} has a `|`, a tab, a "
                    "line end, or white space around it, which the format cannot hold"
                )
            aspects.append(need)
        for span in spans_without_need(judgment):
            passages.setdefault(span, [])
        for (start, end), aspects in passages.items():
            fields = (judgment.topic, judgment.document, start, end - start, "|".join(aspects))
            yield "\t".join(map(str, fields)).encode() + b"\n"


def aspect_losses(judgments: Iterable[Judgment]) -> list[str]:
    """Return what the format cannot hold besides whole fields of judgments.

    >>> aspect_losses([Judgment("7", "a")])
    ['judged documents without relevant text']
    """
    judgments = list(judgments)
    lost = []
    if any(not judgment.highlights for judgment in judgments):
        lost.append("judged documents without relevant text")
    if any(need.grade != 1 for judgment in judgments for need in judgment.needs):
        lost.append("grades of needs")
    return lost
