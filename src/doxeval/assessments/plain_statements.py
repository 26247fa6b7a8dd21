"""Plain statements, many at once: ranges, entry points, and grades of whole documents.

They are what most files of statements hold. Whatever is unusual or wrong is left to `statements`,
which looks at them one by one.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from doxeval.arrays import Ints
from doxeval.assessments.judgment import LARGEST_GRADE, Judgments
from doxeval.assessments.judgment_columns import NO_GRADE, UNKNOWN, plain_judgments
from doxeval.assessments.statements import overlap_warning
from doxeval.columns import Numbering, by_first_appearance
from doxeval.documents import normalised_id
from doxeval.spans import TOO_LONG, Spans, merged

# A number that is not given; those that are given are far above.
_ABSENT = -(1 << 62)
_NUMBERS = ("start", "end", "bep", "docsize", "grade")
_FIELDS = frozenset({"topic", "doc", "judged", *_NUMBERS})


class _Part(NamedTuple):
    """Some statements; a number that is not given is _ABSENT."""

    number: Ints
    topic: Ints
    document: Ints
    start: Ints
    end: Ints
    bep: Ints
    docsize: Ints
    grade: Ints


class PlainStatements:
    """Statements that are taken in by columns, as long as all of them are plain.

    >>> statements = PlainStatements()
    >>> said = {"topic": ["7", "7"], "doc": ["a", "b"], "start": [3, None], "end": [9, None]}
    >>> statements.add({**said, "bep": [None, 4]}, np.array([1, 2]))
    True
    >>> list(statements.judgments("a.jsonl").judgments)
    [Judgment('7', 'a', highlights=((3, 9),)), Judgment('7', 'b', best_entry_point=4)]
    >>> statements.add({**said, "path": [None, "/s[1]"]}, np.array([3, 4]))
    False
    """

    def __init__(self) -> None:
        self._topics = Numbering()
        self._documents = Numbering(lambda names: list(map(normalised_id, names)))
        self._parts: list[_Part] = []

    def add(self, columns: Mapping[str, Sequence[Any]], numbers: Ints) -> bool:
        """Take in statements, each with its number; False if some of them are not plain.

        A value of None is a field that is not there.
        """
        if not {"topic", "doc"} <= set(columns) <= _FIELDS:
            return False
        topic = self._topics.numbers(columns["topic"])
        document = self._documents.numbers(columns["doc"])
        if (topic < 0).any() or (document < 0).any():
            return False
        said = [_whole_numbers(columns.get(name), name, len(numbers)) for name in _NUMBERS]
        if any(values is None for values in said):
            return False
        part = _Part(numbers, topic, document, *(one for one in said if one is not None))
        self._parts.append(part)
        return _are_statements(part, columns.get("judged", ()))

    def judgments(self, origin: str | None) -> Judgments | None:
        """The judgments that all statements make up; None if something is wrong with them."""
        if not any(len(part.number) for part in self._parts):
            return None
        said = self._in_order()
        topics, topic = by_first_appearance(self._topics.names, said.topic)
        documents, document = by_first_appearance(self._documents.names, said.document)
        row, first = _first_appearances(topic * len(documents) + document)
        facts = [_said_once(row, len(first), one) for one in (said.docsize, said.bep, said.grade)]
        if any(one is None for one in facts):
            return None
        length, entry, grade = (one for one in facts if one is not None)
        ranges = np.flatnonzero(said.start != _ABSENT)
        passages = Spans(row[ranges], said.start[ranges], said.end[ranges])
        highlights = merged(passages)
        known = length[highlights.group]
        if ((known != _ABSENT) & (highlights.end > known)).any():
            return None
        number = said.number[first]
        overlapping = _sums(passages, len(first)) != _sums(highlights, len(first))
        judgments = plain_judgments(
            topics,
            tuple(documents),
            topic[first],
            document[first],
            length=np.where(length == _ABSENT, UNKNOWN, length),
            entry=np.where(entry == _ABSENT, UNKNOWN, entry),
            grade=np.where(grade == _ABSENT, NO_GRADE, grade),
            highlights=highlights,
            line=None if origin is None else number,
            origin=origin,
        )
        warnings = [overlap_warning(origin, one) for one in number[overlapping].tolist()]
        return Judgments(judgments, warnings)

    def _in_order(self) -> _Part:
        """All statements by their numbers."""
        said = _Part(*(np.concatenate(column) for column in zip(*self._parts, strict=True)))
        order = np.argsort(said.number, kind="stable")
        return _Part(*(column[order] for column in said))


def _whole_numbers(values: Sequence[Any] | None, name: str, count: int) -> Ints | None:
    """Numbers in the usual range, with _ABSENT for None; None if some are anything else."""
    found = np.full(count, _ABSENT, dtype=np.int64)
    if values is None:
        return found
    types = set(map(type, values))
    if not types <= {int, type(None)}:
        return None
    is_given = np.ones(count, dtype=np.bool_)
    if types != {int}:
        is_given = np.fromiter((value is not None for value in values), np.bool_, count)
        values = [value for value in values if value is not None]
    lowest, highest = (-LARGEST_GRADE, LARGEST_GRADE) if name == "grade" else (0, TOO_LONG - 1)
    if values and not (lowest <= min(values) and max(values) <= highest):
        return None
    found[is_given] = values
    return found


def _are_statements(said: _Part, judged: Sequence[Any]) -> bool:
    """Whether each says exactly one thing, and ranges do not end before they start."""
    if any(one is not True and one is not None for one in judged):
        return False
    is_judged = np.zeros(len(said.number), dtype=np.bool_)
    is_judged[: len(judged)] = [one is True for one in judged]
    is_range = said.start != _ABSENT
    if ((said.end != _ABSENT) != is_range).any() or (said.end < said.start).any():
        return False
    kinds = [is_range, said.bep != _ABSENT, said.grade != _ABSENT, is_judged]
    return bool((np.sum(kinds, axis=0) == 1).all())


def _first_appearances(keys: Ints) -> tuple[Ints, Ints]:
    """The number of each key in the order of first appearance, and where each comes first."""
    is_first = np.append(True, keys[1:] != keys[:-1])  # neighbours are often the same
    blocks = np.flatnonzero(is_first)
    _, first, which = np.unique(keys[blocks], return_index=True, return_inverse=True)
    order = np.argsort(first)
    position = np.empty(len(order), dtype=np.int64)
    position[order] = np.arange(len(order))
    return position[which][np.cumsum(is_first) - 1], blocks[first[order]]


def _said_once(row: Ints, rows: int, values: Ints) -> Ints | None:
    """What is said of each row, _ABSENT if nothing; None if statements contradict each other."""
    given = np.flatnonzero(values != _ABSENT)
    found = np.full(rows, _ABSENT, dtype=np.int64)
    found[row[given]] = values[given]
    return found if (found[row[given]] == values[given]).all() else None


def _sums(spans: Spans, rows: int) -> Ints:
    found = np.zeros(rows, dtype=np.int64)
    np.add.at(found, spans.group, spans.lengths())
    return found
