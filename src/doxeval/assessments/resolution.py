"""Judgments against their collection: text points become offsets, and everything is checked.

A highlighted document must be in the collection, with the length that the file says, and every
passage inside it. All that is wrong is reported at once; nothing is moved or guessed.

Judgments that are kept by columns are resolved by columns (`column_resolution`), others one by
one, and so are those that are wrong, to say why.

Judgments by columns against their collection, all at once.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from doxeval.arrays import Bools, Ints
from doxeval.assessments.assessments import Assessments
from doxeval.assessments.columns import JudgmentColumns, PlainJudgments
from doxeval.assessments.judgment import Judgment, Judgments, PointPassage
from doxeval.documents import Collection
from doxeval.errors import InputError, UnknownReference
from doxeval.messages import Message, Parameter, truncate
from doxeval.spans import Spans, merged

if TYPE_CHECKING:
    from doxeval.documents import Offsets, Side, Whitespace


class ResolvedColumns(NamedTuple):
    """Judgments in code points, and the rows for which this cannot be.

    document: of each row its number in the collection, -1 if it is not there.
    """

    columns: JudgmentColumns
    document: Ints
    is_wrong: Bools


def resolved_columns(
    columns: JudgmentColumns, collection: Collection, *, in_bytes: bool
) -> ResolvedColumns:
    """Judgments with offsets in code points and the lengths of texts.

    A grade of 1 or more highlights the whole document. A row is wrong if its document is relevant
    and not in the collection, has another length, or has something marked beyond its end.

    >>> from doxeval.assessments.judgment import Judgment
    >>> from doxeval.documents.examples import example_collection
    >>> collection = example_collection({"a": "<s>One.</s>"})
    >>> judged = [Judgment("7", "a", relevance=1), Judgment("7", "b", ((0, 5),))]
    >>> found = resolved_columns(JudgmentColumns.of(judged), collection, in_bytes=False)
    >>> found.columns.highlights.end.tolist(), found.is_wrong.tolist()
    ([4], [False, True])
    """
    document = collection.find_documents(columns.documents)[columns.document].astype(np.int64)
    is_known = document >= 0
    known = np.flatnonzero(is_known)
    length = columns.length.copy()
    length[known] = collection.nodes.end[collection.rows[document[known]]]
    # Starts, ends, entry points and lengths, all together, so that each text is read once.
    ranges = np.flatnonzero(is_known[columns.highlights.group])
    group = columns.highlights.group[ranges]
    entered = known[columns.entry[known] >= 0]
    stated = known[columns.length[known] >= 0]
    row = np.concatenate([group, group, entered, stated])
    position = np.concatenate(
        [
            columns.highlights.start[ranges],
            columns.highlights.end[ranges],
            columns.entry[entered],
            columns.length[stated],
        ]
    )
    if in_bytes:
        position = _in_characters(collection, document[row], position)
    start, end, entry, stated_length = np.split(
        position, np.cumsum([len(group), len(group), len(entered)])
    )
    is_wrong = ~is_known & columns.is_relevant
    is_wrong[row[(position < 0) | (position > length[row])]] = True
    is_wrong[stated[stated_length != length[stated]]] = True
    resolved_entry = columns.entry.copy()
    resolved_entry[entered] = entry
    graded = known[columns.grade[known] > 0]
    highlights = Spans(group, start, end)
    found = replace(
        columns,
        length=length,
        entry=resolved_entry,
        highlights=_with_whole_documents(highlights, graded, length[graded]),
    )
    return ResolvedColumns(found, document, is_wrong)


def _in_characters(collection: Collection, document: Ints, position: Ints) -> Ints:
    """Positions in bytes as positions in code points, -1 where one splits a character."""
    found = np.empty(len(position), dtype=np.int64)
    order = np.argsort(document, kind="stable")
    for rows in np.split(order, np.flatnonzero(np.diff(document[order])) + 1):
        if len(rows):
            found[rows] = collection.characters_at(int(document[rows[0]]), position[rows])
    return found


def _with_whole_documents(highlights: Spans, rows: Ints, length: Ints) -> Spans:
    """The highlights, and all of the documents of some rows."""
    if not len(rows):
        return highlights
    return merged(
        Spans(
            np.concatenate([highlights.group, rows]),
            np.concatenate([highlights.start, np.zeros(len(rows), dtype=np.int64)]),
            np.concatenate([highlights.end, length]),
        )
    )


_SHOWN = 20


class _Point(NamedTuple):
    """A text point of a document, under one way of numbering text nodes."""

    document: int
    mode: Whitespace
    point: str
    side: Side


def resolved_judgments(
    judgments: Iterable[Judgment],
    collection: Collection,
    *,
    offsets: Offsets = "characters",
    whitespace: Whitespace | None = None,
) -> Judgments:
    """The judgments with their passages and entry points in code points, and the lengths of texts.

    A grade of 1 or more for a whole document highlights all of it. `whitespace` says how text
    nodes are numbered where the file does not.

    >>> from doxeval.documents.examples import example_collection
    >>> from doxeval.assessments.judgment import PointPassage
    >>> collection = example_collection({"a": "<s><p>One.</p><p>Two.</p></s>"})
    >>> judged = Judgment("7", "a", passages=(PointPassage("/s[1]/p[2]", "/s[1]/p[2]"),))
    >>> resolved_judgments([judged], collection).judgments[0].highlights
    ((4, 8),)
    """
    if isinstance(judgments, PlainJudgments):
        return _resolved_plain(judgments, collection, offsets)
    given = list(judgments)
    documents = collection.find_documents([judgment.document for judgment in given]).tolist()
    resolver = _Resolver(collection, offsets, whitespace, given, documents)
    found: list[Judgment] = []
    problems: list[str] = []
    for judgment, document in zip(given, documents, strict=True):
        try:
            found.append(resolver.resolved(judgment, document))
        except InputError as error:
            problems.append(_problem(judgment, error))
    if problems:
        raise _misfits(problems, len(problems))
    return Judgments(found, _warnings(documents.count(-1)))


def _resolved_plain(
    judgments: PlainJudgments, collection: Collection, offsets: Offsets
) -> Judgments:
    columns, document, is_wrong = resolved_columns(
        judgments.columns, collection, in_bytes=offsets == "bytes"
    )
    wrong = np.flatnonzero(is_wrong)
    if len(wrong):
        problems = []
        for row in wrong[:_SHOWN].tolist():
            judgment, number = judgments[row], int(document[row])
            one_by_one = _Resolver(collection, offsets, None, [judgment], [number])
            try:
                one_by_one.resolved(judgment, number)
            except InputError as error:
                problems.append(_problem(judgment, error))
        raise _misfits(problems, len(wrong))
    return Judgments(PlainJudgments(columns), _warnings(int(np.count_nonzero(document < 0))))


def resolved_assessments(assessments: Assessments, collection: Collection) -> Assessments:
    """Assessments that are checked against a collection, if they are not yet.

    >>> from doxeval.documents.examples import example_collection
    >>> collection = example_collection({"a": "<s>One.</s>"})
    >>> found = resolved_assessments(Assessments([Judgment("7", "a", ((0, 2),))]), collection)
    >>> next(iter(found)).document_length
    4
    >>> resolved_assessments(found, collection) is found
    True
    """
    if assessments.resolved_in == collection.seal:
        return assessments
    plain = assessments.plain
    found = resolved_judgments(assessments if plain is None else plain, collection)
    return Assessments(found.judgments, [*assessments.warnings, *found.warnings], collection.seal)


def _warnings(absent: int) -> list[str]:
    return [f"judged documents that are not in the collection: {absent:,}"] if absent else []


def _problem(judgment: Judgment, error: InputError) -> str:
    place = f"topic {truncate(judgment.topic)}, document {truncate(judgment.document)}: "
    return Message(InputError(Message(place, error.message), judgment.origin, judgment.line))


def _misfits(problems: Sequence[str], count: int) -> UnknownReference:
    """All problems, or the first of very many."""
    lines = [f"judgments that do not fit the collection: {count:,}", *problems[:_SHOWN]]
    if count > _SHOWN:
        lines.append(f"… and {count - _SHOWN:,} more")
    return UnknownReference("\n  ".join(lines))


class _Resolver:
    def __init__(
        self,
        collection: Collection,
        offsets: Offsets,
        whitespace: Whitespace | None,
        judgments: Sequence[Judgment],
        documents: Sequence[int],
    ) -> None:
        self._collection = collection
        self._in_bytes = offsets == "bytes"
        self._mode = whitespace or collection.whitespace
        self._points: dict[_Point, int | InputError] = {}
        self._resolve_points(judgments, documents)

    def _resolve_points(self, judgments: Sequence[Judgment], documents: Sequence[int]) -> None:
        """All text points at once, which is much quicker than one after another."""
        wanted: dict[tuple[Whitespace, Side], dict[_Point, None]] = {}
        for judgment, document in zip(judgments, documents, strict=True):
            mode = judgment.whitespace or self._mode
            points: list[tuple[str, Side]] = [(p.start, "start") for p in judgment.passages]
            points += [(passage.end, "end") for passage in judgment.passages]
            if judgment.entry_point is not None:
                points.append((judgment.entry_point, "start"))
            for point, side in points:
                wanted.setdefault((mode, side), {})[_Point(document, mode, point, side)] = None
        for (mode, side), keys in wanted.items():
            numbers = [key.document for key in keys]
            texts = [key.point for key in keys]
            found = self._collection.points(mode).offsets(numbers, texts, side)
            self._points.update(zip(keys, found, strict=True))

    def resolved(self, judgment: Judgment, document: int) -> Judgment:
        """The judgment of a document, given by its number; -1 if it is not in the collection."""
        if document < 0:
            if judgment.is_relevant:
                raise UnknownReference("the document is not in the collection")
            return judgment
        length = int(self._collection.nodes.end[self._collection.rows[document]])
        if judgment.document_length is not None:
            self._check_length(judgment.document_length, document, length)
        edges = [edge for pair in judgment.highlights for edge in pair]
        edges += [edge for one in judgment.needs for edge in (one.start, one.end)]
        entry = judgment.best_entry_point
        counted = self._counted([*edges, *([] if entry is None else [entry])], document, length)
        ranges = list(zip(counted[0 : len(edges) : 2], counted[1 : len(edges) : 2], strict=True))
        needed = ranges[len(judgment.highlights) :]
        needs = tuple(
            one._replace(start=start, end=end)
            for one, (start, end) in zip(judgment.needs, needed, strict=True)
        )
        mode = judgment.whitespace or self._mode
        for passage in judgment.passages:
            start = self._offset(_Point(document, mode, passage.start, "start"))
            end = self._offset(_Point(document, mode, passage.end, "end"))
            if end < start:
                raise UnknownReference(f"a passage ends at {end:,} before it starts at {start:,}")
            ranges.append((start, end))
        if (judgment.relevance or 0) > 0:
            ranges.append((0, length))
        if entry is not None:
            entry = counted[-1]
        elif judgment.entry_point is not None:
            entry = self._offset(_Point(document, mode, judgment.entry_point, "start"))
        return replace(
            judgment,
            highlights=tuple(ranges),
            best_entry_point=entry,
            passages=(),
            entry_point=None,
            document_length=length,
            needs=needs,
        )

    def _check_length(self, stated: int, document: int, length: int) -> None:
        at = stated
        if self._in_bytes:
            at = int(self._collection.characters_at(document, np.array([stated]))[0])
        if at != length:
            hint = (
                ""
                if self._in_bytes or stated < length
                else "; " + Parameter("offsets", "bytes") + " may explain it"
            )
            raise UnknownReference(
                f"its length is {stated:,}, but the collection has {length:,} characters" + hint
            )

    def _counted(self, positions: Sequence[int], document: int, length: int) -> list[int]:
        """Positions in code points, each checked."""
        found: Ints = np.array(positions, dtype=np.int64)
        if self._in_bytes and len(found):
            found = self._collection.characters_at(document, found)
        counted: list[int] = found.tolist()
        for given, position in zip(positions, counted, strict=True):
            if position < 0:
                raise UnknownReference(f"byte {given:,} splits a character or is beyond the end")
            if position > length:
                raise UnknownReference(f"{given:,} is beyond the end, {length:,}")
        return counted

    def _offset(self, point: _Point) -> int:
        offset = self._points[point]
        if isinstance(offset, InputError):
            raise offset
        return offset


def pointed_judgments(judgments: Iterable[Judgment], collection: Collection) -> list[Judgment]:
    """The judgments with their highlights and entry points as text points of the collection.

    >>> from doxeval.documents.examples import example_collection
    >>> collection = example_collection({"a": "<s><p>One.</p><p>Two.</p></s>"})
    >>> pointed_judgments([Judgment("7", "a", ((4, 8),))], collection)[0].passages
    (PointPassage(start='/s[1]/p[2]/text()[1].0', end='/s[1]/p[2]/text()[1].4', size=4),)
    """
    return [_pointed(judgment, collection) for judgment in judgments]


def _pointed(judgment: Judgment, collection: Collection) -> Judgment:
    mode = judgment.whitespace or collection.whitespace
    points = collection.points(mode)
    document = judgment.document
    entry = judgment.best_entry_point
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
