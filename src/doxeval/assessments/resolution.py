"""Resolve judgments against their collection: text points become offsets, all is checked.

A highlighted document must be in the collection, with the length that the file says, and every
passage inside it. All that is wrong is reported at once; nothing is moved or guessed.

All rows are resolved together, so that each text is read once. Documents are looked up here and
nowhere else: their numbers in the collection stay with the columns.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from doxeval.arrays import Ints
from doxeval.assessments.assessments import Assessments
from doxeval.assessments.columns import Details, JudgmentColumns, Judgments
from doxeval.assessments.judgment import Judgment, PointPassage, has_relevant_details
from doxeval.documents import Collection
from doxeval.errors import InputError, UnknownReference
from doxeval.messages import Message, Parameter, truncate
from doxeval.spans import Spans, merge_spans

if TYPE_CHECKING:
    from doxeval.documents import Offsets, Side, Whitespace

_SHOWN = 20


def resolve_assessments(assessments: Assessments, collection: Collection) -> Assessments:
    """Return assessments checked against a collection; themselves if they are already.

    >>> from doxeval.documents.examples import example_collection
    >>> collection = example_collection({"a": "<s>One.</s>"})
    >>> resolved = resolve_assessments(Assessments([Judgment("7", "a", ((0, 2),))]), collection)
    >>> next(iter(resolved)).document_length
    4
    >>> resolve_assessments(resolved, collection) is resolved
    True
    """
    if assessments.resolved_in == collection.checksum:
        return assessments
    resolved = resolve_judgments(assessments.columns, collection)
    warnings = [*assessments.warnings, *resolved.warnings]
    return Assessments(resolved.judgments, warnings, collection.checksum)


def resolve_judgments(
    judgments: Iterable[Judgment],
    collection: Collection,
    *,
    offsets: Offsets = "characters",
    whitespace: Whitespace | None = None,
) -> Judgments:
    """Return judgments with passages and entry points in code points, and the lengths of texts.

    A grade of 1 or more for a whole document highlights all of it. `whitespace` says how text
    nodes are numbered where the file does not.

    >>> from doxeval.documents.examples import example_collection
    >>> collection = example_collection({"a": "<s><p>One.</p><p>Two.</p></s>"})
    >>> judged = Judgment("7", "a", passages=(PointPassage("/s[1]/p[2]", "/s[1]/p[2]"),))
    >>> resolve_judgments([judged], collection).judgments[0].highlights
    ((4, 8),)
    """
    columns = judgments
    if not isinstance(columns, JudgmentColumns):
        columns = JudgmentColumns.of(list(judgments))
    numbers = collection.find_documents(columns.documents).astype(np.int64)
    document = numbers[columns.document]
    is_known = document >= 0
    known = np.flatnonzero(is_known)
    length = columns.length.copy()
    length[known] = collection.nodes.end[collection.rows[document[known]]]
    details = {row: given for row, given in columns.details.items() if is_known[row]}

    # Offsets with their rows, as they are given: edges of highlights and of needs, entry points,
    # stated lengths.
    spans = np.flatnonzero(is_known[columns.highlights.group])
    group, *edges_given = (column[spans] for column in columns.highlights)
    needed = np.array(
        [(row, need.start, need.end) for row, need in columns.each("needs") if is_known[row]],
        dtype=np.int64,
    ).reshape(-1, 3)
    entered = known[columns.entry[known] >= 0]
    stated = known[columns.length[known] >= 0]
    parts = [
        (np.repeat(group, 2), np.stack(edges_given, axis=1).ravel()),
        (np.repeat(needed[:, 0], 2), needed[:, 1:].ravel()),
        (entered, columns.entry[entered]),
        (stated, columns.length[stated]),
    ]
    row, given = (np.concatenate(column) for column in zip(*parts, strict=True))
    position = _in_characters(collection, document[row], given) if offsets == "bytes" else given
    edges, need_edges, entries, lengths = np.split(
        position, np.cumsum([len(rows) for rows, _ in parts[:-1]])
    )
    points = _resolve_points(details, document, collection, whitespace or collection.whitespace)

    is_wrong = ~is_known & columns.is_relevant
    is_wrong[row[(position < 0) | (position > length[row])]] = True
    is_wrong[stated[lengths != length[stated]]] = True
    is_wrong[list(points.errors)] = True
    if is_wrong.any():
        facts = _RowFacts(
            columns, document, length, row, given, position, len(stated), points.errors
        )
        raise _misfits(facts, np.flatnonzero(is_wrong), in_bytes=offsets == "bytes")

    entry = columns.entry.copy()
    entry[entered] = entries
    for at, offset in points.entries.items():
        entry[at] = offset if entry[at] < 0 else entry[at]
    whole = known[columns.grade[known] > 0]
    passages = np.array(points.passages, dtype=np.int64).reshape(-1, 3)
    highlights = Spans(group, *edges.reshape(-1, 2).T)
    if len(whole) or len(passages):
        everything = Spans(whole, np.zeros(len(whole), np.int64), length[whole])
        several = zip(highlights, everything, passages.T, strict=True)
        highlights = merge_spans(Spans(*map(np.concatenate, several)))
    resolved = replace(
        columns, length=length, entry=entry, highlights=highlights, document_numbers=numbers
    )
    if details:
        resolved = _with_details(resolved, details, need_edges.reshape(-1, 2))
    absent = int(np.count_nonzero(~is_known))
    warnings = [f"judged documents that are not in the collection: {absent:,}"] if absent else []
    return Judgments(resolved, warnings)


def _in_characters(collection: Collection, document: Ints, position: Ints) -> Ints:
    """Return positions in bytes as positions in code points, -1 where one splits a character."""
    characters = np.empty(len(position), dtype=np.int64)
    order = np.argsort(document, kind="stable")
    for rows in np.split(order, np.flatnonzero(np.diff(document[order])) + 1):
        if len(rows):
            characters[rows] = collection.characters_at(int(document[rows[0]]), position[rows])
    return characters


class _Points(NamedTuple):
    """What text points are as offsets: passages (row, start, end), entry points, and errors."""

    passages: list[tuple[int, int, int]]
    entries: dict[int, int]
    errors: dict[int, InputError]


def _resolve_points(
    details: Mapping[int, Details], document: Ints, collection: Collection, usual: Whitespace
) -> _Points:
    """Resolve the text points of all rows, each distinct point once."""
    rows = {
        row: (given.get("whitespace") or usual, int(document[row]))
        for row, given in details.items()
        if "passages" in given or "entry_point" in given
    }
    offsets: dict[tuple[Whitespace, Side, int, str], int | InputError] = {}
    for row, (mode, number) in rows.items():
        for passage in details[row].get("passages", ()):
            offsets[mode, "start", number, passage.start] = -1
            offsets[mode, "end", number, passage.end] = -1
        if "entry_point" in details[row]:
            offsets[mode, "start", number, details[row]["entry_point"]] = -1
    for mode, side in {key[:2] for key in offsets}:
        keys = [key for key in offsets if key[:2] == (mode, side)]
        numbers, texts = [key[2] for key in keys], [key[3] for key in keys]
        positions = collection.points(mode).offsets(numbers, texts, side)
        offsets.update(zip(keys, positions, strict=True))

    def offset(*key: Any) -> int:
        value = offsets[key]
        if isinstance(value, InputError):
            raise value
        return value

    points = _Points([], {}, {})
    for row, (mode, number) in rows.items():
        try:
            for passage in details[row].get("passages", ()):
                start = offset(mode, "start", number, passage.start)
                end = offset(mode, "end", number, passage.end)
                if end < start:
                    raise UnknownReference(
                        f"a passage ends at {end:,} before it starts at {start:,}"
                    )
                points.passages.append((row, start, end))
            if "entry_point" in details[row]:
                points.entries[row] = offset(mode, "start", number, details[row]["entry_point"])
        except InputError as error:
            points.errors[row] = error
    return points


def _with_details(
    columns: JudgmentColumns, known: Mapping[int, Details], needed: Ints
) -> JudgmentColumns:
    """Return columns whose details have no text points any more, and needs in code points.

    known: the details of documents that are in the collection. needed: the edges of their needs.
    """
    details = dict(columns.details)
    is_relevant = columns.is_relevant.copy()
    edges = iter(needed.tolist())
    for row, given in known.items():
        kept: dict[str, Any] = {
            name: value for name, value in given.items() if name not in ("passages", "entry_point")
        }
        if "needs" in given:
            kept["needs"] = tuple(
                need._replace(start=start, end=end)
                for need, (start, end) in zip(given["needs"], edges, strict=False)
            )
        if "passages" in given:
            is_relevant[row] = has_relevant_details(kept) or columns.grade[row] > 0
        details[row] = kept
    is_relevant[columns.highlights.group] = True
    details = {row: given for row, given in details.items() if given}
    return replace(columns, details=details, is_relevant=is_relevant)


# What is wrong


class _RowFacts(NamedTuple):
    """What is known about rows when some do not fit the collection.

    row, given, position: of each offset, its row, as the file gives it, and in code points; the
    last of them are lengths of documents.
    """

    columns: JudgmentColumns
    document: Ints
    length: Ints
    row: Ints
    given: Ints
    position: Ints
    lengths: int
    point_errors: dict[int, InputError]


def _misfits(facts: _RowFacts, wrong: Ints, *, in_bytes: bool) -> UnknownReference:
    """Return an error with all problems, or the first of very many."""
    lines = [f"judgments that do not fit the collection: {len(wrong):,}"]
    for row in wrong[:_SHOWN].tolist():
        judgment = facts.columns[row]
        named = f"topic {truncate(judgment.topic)}, document {truncate(judgment.document)}: "
        message = Message(named, _misfit(facts, row, in_bytes=in_bytes))
        lines.append(Message(InputError(message, judgment.origin, judgment.line)))
    if len(wrong) > _SHOWN:
        lines.append(f"… and {len(wrong) - _SHOWN:,} more")
    return UnknownReference("\n  ".join(lines))


def _misfit(facts: _RowFacts, row: int, *, in_bytes: bool) -> str:
    """Return what is wrong with a row: the first thing, in the order of checks."""
    if facts.document[row] < 0:
        return "the document is not in the collection"
    length, first_length = int(facts.length[row]), len(facts.row) - facts.lengths
    at = np.flatnonzero(facts.row == row)
    stated = int(facts.columns.length[row])
    if (facts.position[at[at >= first_length]] != length).any():
        hint = "; " + Parameter("offsets", "bytes") + " may explain it"
        message = f"its length is {stated:,}, but the collection has {length:,} characters"
        return message if in_bytes or stated < length else message + hint
    for given, position in zip(facts.given[at], facts.position[at], strict=True):
        if position < 0:
            return f"byte {given:,} splits a character or is beyond the end"
        if position > length:
            return f"{given:,} is beyond the end, {length:,}"
    return facts.point_errors[row].message


# The other way


def judgments_with_points(judgments: Iterable[Judgment], collection: Collection) -> list[Judgment]:
    """Return judgments with highlights and entry points as text points of the collection.

    >>> from doxeval.documents.examples import example_collection
    >>> collection = example_collection({"a": "<s><p>One.</p><p>Two.</p></s>"})
    >>> judgments_with_points([Judgment("7", "a", ((4, 8),))], collection)[0].passages
    (PointPassage(start='/s[1]/p[2]/text()[1].0', end='/s[1]/p[2]/text()[1].4', size=4),)
    """
    return [_with_points(judgment, collection) for judgment in judgments]


def _with_points(judgment: Judgment, collection: Collection) -> Judgment:
    mode = judgment.whitespace or collection.whitespace
    points = collection.points(mode)
    document, entry = judgment.document, judgment.best_entry_point
    passages = [
        PointPassage(points.point(document, start), points.point(document, end, "end"), end - start)
        for start, end in judgment.highlights
    ]
    return replace(
        judgment,
        highlights=(),
        needs=(),
        best_entry_point=None,
        passages=judgment.passages + tuple(passages),
        entry_point=judgment.entry_point if entry is None else points.point(document, entry),
        whitespace=mode,
    )
