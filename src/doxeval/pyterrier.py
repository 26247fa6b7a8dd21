"""Passages of PyTerrier: where `docno%p3` of its sliding windows is in its document.

PyTerrier's passager splits the text of a document at white space into words, and makes a passage of
`length` words, then one that begins `stride` words later, and so on. It numbers them in the id of
the document, `guide%p0`, `guide%p1`, …; the words behind the last whole passage are in none. A
document with fewer words is one passage. Nothing but their numbers and texts says where passages
are; `passages` finds that out, so that results and judgments can be scored as text.

Otherwise frames of PyTerrier need nothing: they are runs, assessments and topics as they are.
"""

from __future__ import annotations

import re
from typing import Any, NamedTuple

from doxeval.chunks import Documents, documents, locate
from doxeval.columns import ALIASES, column_names
from doxeval.errors import FormatError, InputError, UnknownReference, warn
from doxeval.messages import Parameter, join_names, plural, quoted
from doxeval.named import checked
from doxeval.runs import pandas_frame, polars_frame

__all__ = ["passages"]

_NUMBERED = re.compile(r"(?P<document>.+)%p(?P<number>[0-9]{1,9})", re.DOTALL)
_SPACE = re.compile(r"\s+")
_TEXTS = ("text", "body")


class _NumberedPassage(NamedTuple):
    """A passage as PyTerrier names it: its document, and its number there."""

    document: str
    number: int


@checked
def passages(
    frame: Any,
    docs: Any,
    *,
    length: int | None = None,
    stride: int | None = None,
    text: str | None = None,
    max_missing: int | str = 0,
) -> Any:
    """Return a frame of PyTerrier's passages with their documents, and where they are there.

    frame: results or judgments, of pandas or polars, whose `docno` is `guide%p3`. docs: the texts
    that were split, by id: a dict, a collection, or whatever `chunks.documents` takes. length,
    stride: those of `pt.text.sliding` (150 and 75 there, if it was not told otherwise). text: the
    column of the texts of passages; `text` and `body` are looked for.

    A passage is where the passager's rule puts it. If the frame has texts, they are compared with
    what is there, and a passage with another text is located by it: so passages of other
    tokenisers are found, too. A title in front of the text is no part of it. More passages
    that are not found than `max_missing` (a number, or a share such as "5%") are an error; others
    keep their ids, and count as read and not relevant.

    >>> import pandas
    >>> docs = {"guide": "Films are lent for one week. Books are lent for four weeks."}
    >>> results = pandas.DataFrame({"qid": ["q1"], "docno": ["guide%p1"], "score": [1.5]})
    >>> passages(results, docs, length=6, stride=6).to_dict("records")
    [{'qid': 'q1', 'docno': 'guide', 'score': 1.5, 'start': 29, 'end': 59}]
    """
    names = column_names(frame)
    column = next((name for name in ("docno", *ALIASES["doc"], "doc") if name in names), None)
    if column is None:
        raise FormatError(f"no column docno among {join_names(list(map(str, names)), 20)}")
    if text is not None and text not in names:
        raise InputError(Parameter("text", text) + ": the frame has no such column")
    text_column = text or next((name for name in _TEXTS if name in names), None)
    texts = None if text_column is None else frame[text_column].to_list()
    rule = _rule(length, stride, has_texts=texts is not None)
    given = documents(docs)
    ids = list(map(str, frame[column].to_list()))
    named = [_passage(name, given) for name in ids]
    if ids and not any(named):
        raise FormatError(f"no {column} ends in %p and a number, such as {quoted(ids[0] + '%p0')}")
    of_passages: dict[_NumberedPassage, str | None] = {}
    for row, passage in enumerate(named):
        if passage is not None:
            of_passages.setdefault(passage, None if texts is None else str(texts[row]))
    spans, warnings = _located(given, of_passages, rule, max_missing)
    warn(warnings)
    found = [None if passage is None else spans[passage] for passage in named]
    columns: dict[str, list[Any]] = {
        column: [
            name if passage is None or not spans[passage] else passage.document
            for name, passage in zip(ids, named, strict=True)
        ],
        "start": [None] * len(ids),
        "end": [None] * len(ids),
    }
    several = [row for row, each in enumerate(found) if each is not None and len(each) > 1]
    if several:
        columns["spans"] = [None] * len(ids)
    for row, each in enumerate(found):
        if each is None:
            continue
        if len(each) > 1:
            columns["spans"][row] = [list(span) for span in each]
        else:
            # A passage that was not found is a document of its own, all of which is read.
            length_of_text = len((of_passages[named[row]] or "").strip())  # type: ignore[index]
            columns["start"][row], columns["end"][row] = each[0] if each else (0, length_of_text)
    if hasattr(frame, "iloc"):  # of pandas
        return frame.assign(**pandas_frame(columns).set_index(frame.index))
    return frame.with_columns(polars_frame(columns))


def _rule(length: int | None, stride: int | None, *, has_texts: bool) -> tuple[int, int] | None:
    """Return length and stride of the passager, None if only texts say where passages are."""
    if length is None and stride is None and has_texts:
        return None
    if length is None or stride is None:
        raise InputError(
            Parameter("length")
            + " and "
            + Parameter("stride")
            + " of the passager say where passages are, or a column of their texts"
        )
    for name, value in (("length", length), ("stride", stride)):
        if value < 1:
            raise InputError(Parameter(name, value) + ": expected 1 or more")
    return length, stride


def _passage(name: str, docs: Documents) -> _NumberedPassage | None:
    """Return the passage of an id, None for a whole document."""
    match = _NUMBERED.fullmatch(name)
    if match is None:
        return None
    document = docs.find(match["document"])
    if document is None:
        raise UnknownReference(f"{quoted(name)}: no document {quoted(match['document'])}")
    return _NumberedPassage(document, int(match["number"]))


def windows(text: str, length: int, stride: int) -> list[tuple[int, int]]:
    """Return the spans of the passages of a text, as PyTerrier's passager makes them.

    >>> text = "one two  three four"
    >>> [text[start:end] for start, end in windows(text, 3, 1)]
    ['one two  three', 'two  three four']
    """
    spaces = [match.span() for match in _SPACE.finditer(text)]
    starts = [0, *(end for _, end in spaces)]
    ends = [*(start for start, _ in spaces), len(text)]
    if len(starts) < length:
        return [(0, len(text))]
    firsts = range(0, len(starts) - length + 1, stride)
    return [(starts[first], ends[first + length - 1]) for first in firsts]


def _located(
    docs: Documents,
    passages: dict[_NumberedPassage, str | None],
    rule: tuple[int, int] | None,
    max_missing: int | str,
) -> tuple[dict[_NumberedPassage, tuple[tuple[int, int], ...]], list[str]]:
    """Return the spans of passages, none for one that is not found; and warnings."""
    spans: dict[_NumberedPassage, tuple[tuple[int, int], ...]] = {}
    by_text: list[_NumberedPassage] = []
    by_document: dict[str, list[_NumberedPassage]] = {}
    for passage in sorted(passages):
        by_document.setdefault(passage.document, []).append(passage)
    for document, several in by_document.items():
        whole = docs[document]
        there = [] if rule is None else windows(whole, *rule)
        for passage in several:
            text = passages[passage]
            span = there[passage.number] if passage.number < len(there) else None
            if span is not None and (text is None or _is_text(text, whole[slice(*span)])):
                spans[passage] = (span,)
            elif text is not None:
                by_text.append(passage)
            else:
                raise InputError(
                    f"{passage.document}%p{passage.number}: with "
                    + Parameter("length", rule and rule[0])
                    + " and "
                    + Parameter("stride", rule and rule[1])
                    + f" the document has {plural(len(there), 'passage')}"
                )
    if not by_text:
        return spans, []
    records = [{"doc": each.document, "text": passages[each]} for each in by_text]
    found = locate(docs, records, max_missing=max_missing)
    spans |= dict(zip(by_text, found.spans.as_tuples(), strict=True))
    warnings = list(found.warnings)
    if rule is not None:
        warnings.append(
            f"{len(by_text):,} of {plural(len(passages), 'passage')} have another text than "
            f"length={rule[0]} and stride={rule[1]} give, and were located by it"
        )
    return spans, warnings


def _is_text(text: str, part: str) -> bool:
    """Return whether a passage is this part of its document, perhaps behind a title."""
    expected = " ".join(_SPACE.split(part))
    return text == expected or text.endswith(f" {expected}")
