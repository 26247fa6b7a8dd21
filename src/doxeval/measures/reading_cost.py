"""How much has been read when something is gained: characters, words or tokens.

Results are read one after another, each from its first span to its last. A unit (a word or a
token) belongs to the text in which it begins; what a span has before the first unit that begins in
it is read with that unit. A result that states its tokens costs as many, however long its text is:
they are spread evenly over its characters. Where only new text counts, a result costs the units
that begin in its new text, or of its stated tokens the share of its characters that are new,
rounded up. The text of a result that does not resolve, or that was not found in any document, is
not known: five characters are taken for a word or token. So are those that a result has besides its
spans (`added`), unless it states its tokens; they are read first, and where only new text counts,
the share of them that its new characters have of all.
"""

from __future__ import annotations

from typing import Literal, NamedTuple

import numpy as np

from doxeval.arrays import (
    Bools,
    Floats,
    Ints,
    concatenated_ranges,
    distinct,
    positions_in,
    sum_by_group,
)
from doxeval.measures.caching import once
from doxeval.measures.new_text import new_relevant_text
from doxeval.measures.ranking import Ranking
from doxeval.measures.texts import UnitStarts
from doxeval.runs import is_not_found
from doxeval.spans import new_parts

Unit = Literal["auto", "characters", "words", "tokens"]
Resize = Literal["full", "new"]
CHARACTERS = 5  # of a unit in a text that is not known
_KEY = 1 << 32  # document (or row) and offset as one number


class ReadingCost(NamedTuple):
    """What is gained, in the order of reading, after how much has been read.

    row: the result. position: the units read before. length, gain: how many characters, and what
    each of them gains. by_character: each character is a unit of its own, so that positions grow
    within a part; otherwise all of a part belongs to one unit.
    """

    row: Ints
    position: Ints
    length: Ints
    gain: Floats
    by_character: bool


# What results cost


@once
def costs(ranking: Ranking, unit: str, resize: str) -> Ints:
    """Return what each result costs, in units."""
    size = ranking.size if resize == "full" else ranking.new_size
    added = added_costs(ranking, unit, resize)
    if unit == "characters":
        return size + added
    units = _units_read(ranking, unit, resize)
    cost: Ints = sum_by_group(_text_read(ranking, resize).row, units.counts, len(ranking)) + added
    tokens = ranking.resolved.run.tokens
    if unit == "tokens" and tokens is not None:
        stated = tokens if resize == "full" else -(-tokens * size // np.maximum(ranking.size, 1))
        cost = np.where(tokens >= 0, stated, cost)
    return cost


@once
def added_costs(ranking: Ranking, unit: str, resize: str) -> Ints:
    """Return what the text of each result costs that is in no document; 0 where tokens are stated.

    That text is read before the spans of the result.
    """
    added = ranking.resolved.run.added
    if added is None:
        return np.zeros(len(ranking), dtype=np.int64)
    cost = added if unit == "characters" else -(-added // CHARACTERS)
    if resize == "new":
        cost = -(-cost * ranking.new_size // np.maximum(ranking.size, 1))
    return np.where(_states_tokens(ranking, unit), 0, cost)


class _SpansRead(NamedTuple):
    """The spans that are read, by row and there by start."""

    row: Ints
    start: Ints
    end: Ints


@once
def _text_read(ranking: Ranking, resize: str) -> _SpansRead:
    if resize == "full":
        return _SpansRead(*ranking.resolved.pieces())
    row, text = ranking.text_of(np.arange(len(ranking)), ranking.article)
    which, new = new_parts(text)
    return _SpansRead(row[which], new.start, new.end)


def _states_tokens(ranking: Ranking, unit: str) -> Bools:
    """Return whether each result states its tokens, and these count."""
    tokens = ranking.resolved.run.tokens
    if unit != "tokens" or tokens is None:
        return np.zeros(len(ranking), dtype=np.bool_)
    return tokens >= 0


class _UnitsRead(NamedTuple):
    """Where units begin in documents, and how many begin in each span that is read.

    document: of each result, its number in `starts`. counts: 0 for results that state their tokens.
    """

    starts: UnitStarts
    document: Ints
    counts: Ints


@once
def _units_read(ranking: Ranking, unit: str, resize: str) -> _UnitsRead:
    text, is_unknown = _text_read(ranking, resize), _is_unknown(ranking)
    counted = np.flatnonzero(~_states_tokens(ranking, unit)[text.row])
    row, start, end = (column[counted] for column in text)
    documents = distinct(ranking.document[row[~is_unknown[row]]])
    names = [ranking.document_names[number] for number in documents.tolist()]
    starts = ranking.truth.unit_starts(names, unit)
    document = positions_in(documents, ranking.document)
    begun = starts.before(document[row], end) - starts.before(document[row], start)
    counts = np.zeros(len(text.row), dtype=np.int64)
    counts[counted] = np.where(is_unknown[row], -(-(end - start) // CHARACTERS), begun)
    return _UnitsRead(starts, document, counts)


@once
def _is_unknown(ranking: Ranking) -> Bools:
    """Return whether each result names nothing in a collection, or was not found in the texts."""
    if ranking.truth.collection is not None:
        return ranking.resolved.document < 0
    texts, names = ranking.truth.texts, ranking.document_names
    missing = [is_not_found(name) and (texts is None or texts.find(name) is None) for name in names]
    return np.array(missing, dtype=np.bool_)[ranking.document]


# When something is gained


@once
def reading_cost(ranking: Ranking, unit: str, resize: str) -> ReadingCost:
    """Return what readers of a ranking gain, and after how much reading."""
    cost = costs(ranking, unit, resize)
    before = ranking.cumulated(cost) - cost + added_costs(ranking, unit, resize)
    new, text = new_relevant_text(ranking), _text_read(ranking, resize)
    # The span that each part of new text lies in, and the characters of the result before it.
    span = np.searchsorted(text.row * _KEY + text.start, new.row * _KEY + new.start, "right") - 1
    offset = _before_in_result(text, text.end - text.start)[span] + new.start - text.start[span]
    if unit == "characters":
        return ReadingCost(new.row, before[new.row] + offset, new.length, new.gain, True)
    states = _states_tokens(ranking, unit)[new.row]
    parts = (
        _split_at_units(ranking, unit, resize, np.flatnonzero(~states), span),
        _split_evenly(ranking, resize, np.flatnonzero(states), offset),
    )
    which, place, length = (np.concatenate(column) for column in zip(*parts, strict=True))
    row = new.row[which]
    order = np.lexsort((place, row))
    which, place, length, row = which[order], place[order], length[order], row[order]
    return ReadingCost(row, before[row] + place, length, new.gain[which], False)


def _before_in_result(text: _SpansRead, amount: Ints) -> Ints:
    """Sum an amount of spans over those of the same result before each."""
    before = np.cumsum(amount) - amount
    return before - before[np.searchsorted(text.row, text.row)]


class _UnitParts(NamedTuple):
    """New text, split where units begin.

    which: the row of the new text. place: the units of its result before. length: in characters.
    """

    which: Ints
    place: Ints
    length: Ints


def _split_at_units(ranking: Ranking, unit: str, resize: str, rows: Ints, span: Ints) -> _UnitParts:
    """Split some rows of the new text where words or tokens begin; span: where each row lies."""
    new, text = new_relevant_text(ranking), _text_read(ranking, resize)
    starts, documents, counts = _units_read(ranking, unit, resize)
    new_start, new_end, span = new.start[rows], new.end[rows], span[rows]
    document = documents[new.row[rows]]
    begun = starts.before(document, text.start[span])
    inner = starts.before(document, new_start + 1)
    after = starts.before(document, new_end)
    parts = after - inner + 1  # each inner start splits off one more
    which = np.repeat(np.arange(len(rows)), parts)
    number = concatenated_ranges(np.zeros(len(rows), dtype=np.int64), parts)
    edge = inner[which] + number
    # Beyond the ends of the new text, numbers of units mean nothing, and are not used.
    offset = starts.offsets(document[which], edge)
    begin = np.where(number == 0, new_start[which], np.append(0, offset[:-1]))
    end = np.where(number == parts[which] - 1, new_end[which], offset)
    place = _before_in_result(text, counts)[span][which] + edge - begun[which] - 1
    return _UnitParts(rows[which], np.maximum(place, 0), end - begin)


def _split_evenly(ranking: Ranking, resize: str, rows: Ints, offset: Ints) -> _UnitParts:
    """Split some rows of the new text where the tokens begin that their results state.

    offset: the characters of the result before each row.
    """
    if not len(rows):
        return _UnitParts(rows, rows, rows)
    new = new_relevant_text(ranking)
    row = new.row[rows]
    size = (ranking.size if resize == "full" else ranking.new_size)[row]
    tokens = np.maximum(costs(ranking, "tokens", resize)[row], 1)
    start = offset[rows]
    end = start + new.length[rows]
    first, last = start * tokens // size, (end - 1) * tokens // size
    counts = last - first + 1
    which = np.repeat(np.arange(len(rows)), counts)
    token = concatenated_ranges(first, counts)
    begin = np.maximum(-(-token * size[which] // tokens[which]), start[which])
    after = np.minimum(-(-(token + 1) * size[which] // tokens[which]), end[which])
    kept = after > begin  # where tokens are more than characters, some have none
    return _UnitParts(rows[which[kept]], token[kept], (after - begin)[kept])
