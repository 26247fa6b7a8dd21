"""How much has been read when something is gained: characters, words or tokens.

Results are read one after another, each from its first range to its last. A unit (a word or a
token) belongs to the text in which it begins; what a range has before the first unit that begins in
it is read with that unit. A result that states its tokens costs as many, however long its text is:
they are spread evenly over its characters. Where only new text counts, a result costs the units
that begin in its new text, or of its stated tokens the share of its characters that are new,
rounded up. The text of a result that names nothing, or that was not found in any document, is not
known: five characters are taken for a word or token.
"""

from __future__ import annotations

from typing import Literal, NamedTuple

import numpy as np

from doxeval.arrays import Bools, Floats, Ints, concatenated_ranges
from doxeval.measures.ranking import Ranking
from doxeval.runs import is_not_found
from doxeval.spans import new_pieces

Unit = Literal["auto", "characters", "words", "tokens"]
Resize = Literal["full", "new"]
_KEY = 1 << 32
CHARACTERS = 5  # of a unit in a text that is not known


class Reading(NamedTuple):
    """What is gained, in the order of reading, and what results cost.

    row: the result. position: the units read before. length, gain: how many characters, and what
    each of them gains. by_character: each character is a unit of its own, so that positions grow
    within a piece; otherwise all of a piece belongs to one unit.
    cost: of each result, in units.
    """

    row: Ints
    position: Ints
    length: Ints
    gain: Floats
    cost: Ints
    by_character: bool


def reading(ranking: Ranking, unit: str, resize: str) -> Reading:
    """What readers of a ranking gain, and when."""
    key = ("reading", unit, resize)
    return ranking.remembered(key, lambda: _reading(ranking, unit, resize))


def costs(ranking: Ranking, unit: str, resize: str) -> Ints:
    """What each result costs, in units."""
    key = ("costs", unit, resize)
    return ranking.remembered(key, lambda: _costs(ranking, unit, resize))


class _Text(NamedTuple):
    """The ranges that are read, by row and there by start."""

    row: Ints
    start: Ints
    end: Ints


def _text(ranking: Ranking, resize: str) -> _Text:
    return ranking.remembered(("text read", resize), lambda: _text_read(ranking, resize))


def _text_read(ranking: Ranking, resize: str) -> _Text:
    if resize == "full":
        return _Text(*ranking.resolved.pieces())
    _, article = np.unique(ranking.article_keys, return_inverse=True)
    owner, text = ranking.text_of(np.arange(len(ranking)), article)
    which, new = new_pieces(text)
    return _Text(owner[which], new.start, new.end)


def _states_tokens(ranking: Ranking, unit: str) -> Bools:
    tokens = ranking.resolved.run.tokens
    if unit != "tokens" or tokens is None:
        return np.zeros(len(ranking), dtype=np.bool_)
    return tokens >= 0


def _costs(ranking: Ranking, unit: str, resize: str) -> Ints:
    size = ranking.size if resize == "full" else ranking.new_size
    if unit == "characters":
        return size
    states = _states_tokens(ranking, unit)
    found = np.zeros(len(ranking), dtype=np.int64)
    text = _text(ranking, resize)
    counted = np.flatnonzero(~states[text.row])
    np.add.at(found, text.row[counted], _units_in(ranking, unit, text, counted))
    tokens = ranking.resolved.run.tokens
    if tokens is not None and states.any():
        whole = np.maximum(ranking.size, 1)
        stated = tokens if resize == "full" else -(-tokens * size // whole)
        found = np.where(states, stated, found)
    return found


def _units_in(ranking: Ranking, unit: str, text: _Text, rows: Ints) -> Ints:
    """How many units begin in some of the ranges."""
    starts = _starts(ranking, unit, text.row[rows])
    key = ranking.document[text.row[rows]] * _KEY
    begun = np.searchsorted(starts, key + text.end[rows]) - np.searchsorted(
        starts, key + text.start[rows]
    )
    length = text.end[rows] - text.start[rows]
    return np.where(_is_unknown(ranking)[text.row[rows]], -(-length // CHARACTERS), begun)


def _is_unknown(ranking: Ranking) -> Bools:
    """Return whether each result names nothing in a collection, or was not found in the texts."""
    if ranking.truth.collection is not None:
        return ranking.resolved.document < 0
    return ranking.remembered("not found", lambda: _is_not_found(ranking))


def _is_not_found(ranking: Ranking) -> Bools:
    texts, names = ranking.truth.texts, ranking.resolved.run.documents
    lost = [is_not_found(name) and (texts is None or texts.find(name) is None) for name in names]
    return np.array(lost, dtype=np.bool_)[ranking.document]


def _starts(ranking: Ranking, unit: str, rows: Ints) -> Ints:
    """Where units begin in the documents of some results: document and offset as one number."""
    known = rows[~_is_unknown(ranking)[rows]]
    documents = np.unique(ranking.document[known])
    key = ("unit starts", unit, documents.tobytes())
    return ranking.remembered(key, lambda: _all_starts(ranking, unit, documents))


def _all_starts(ranking: Ranking, unit: str, documents: Ints) -> Ints:
    texts, names = ranking.truth.known_texts, ranking.resolved.run.documents
    found = [np.zeros(0, dtype=np.int64)]
    for document in documents.tolist():
        starts = texts.starts(names[document], unit)
        if ranking.truth.solid:
            starts = starts - np.searchsorted(texts.blanks(names[document]), starts)
        found.append(document * _KEY + starts)
    return np.concatenate(found)


def _reading(ranking: Ranking, unit: str, resize: str) -> Reading:
    cost = costs(ranking, unit, resize)
    before = ranking.cumulated(cost) - cost
    gained = ranking.gained
    text = _text(ranking, resize)
    # The range that each piece is part of, and the characters of the result before it.
    part = np.searchsorted(text.row * _KEY + text.start, gained.row * _KEY + gained.start, "right")
    part = part - 1
    size = text.end - text.start
    prefix = np.cumsum(size) - size
    first = np.searchsorted(text.row, np.arange(len(ranking)))
    prefix = prefix - np.append(prefix, 0)[first][text.row] if len(size) else prefix
    offset = prefix[part] + gained.start - text.start[part]
    if unit == "characters":
        position = before[gained.row] + offset
        return Reading(gained.row, position, gained.length, gained.gain, cost, True)
    states = _states_tokens(ranking, unit)
    by_text = np.flatnonzero(~states[gained.row])
    evenly = np.flatnonzero(states[gained.row])
    found = [_by_text(ranking, unit, text, by_text, part), _evenly(ranking, resize, evenly, offset)]
    which, place, length = (np.concatenate(column) for column in zip(*found, strict=True))
    row = gained.row[which]
    order = np.lexsort((place, row))
    which, place, length, row = which[order], place[order], length[order], row[order]
    return Reading(row, before[row] + place, length, gained.gain[which], cost, False)


def _by_text(
    ranking: Ranking, unit: str, text: _Text, rows: Ints, part: Ints
) -> tuple[Ints, Ints, Ints]:
    """Gaining pieces cut where units begin: which piece, units of the result before, length."""
    gained = ranking.gained
    units = np.zeros(len(text.row), dtype=np.int64)
    states = _states_tokens(ranking, unit)
    counted = np.flatnonzero(~states[text.row])
    units[counted] = _units_in(ranking, unit, text, counted)
    prefix = np.cumsum(units) - units
    first = np.searchsorted(text.row, np.arange(len(ranking)))
    prefix = prefix - np.append(prefix, 0)[first][text.row] if len(units) else prefix
    starts = _starts(ranking, unit, text.row[counted])
    own = part[rows]
    key = ranking.document[gained.row[rows]] * _KEY
    begun = np.searchsorted(starts, key + text.start[own])
    inner = np.searchsorted(starts, key + gained.start[rows], "right")
    after = np.searchsorted(starts, key + gained.end[rows])
    counts = after - inner + 1  # each inner start cuts off one more piece
    which = np.repeat(np.arange(len(rows)), counts)
    number = concatenated_ranges(np.zeros(len(rows), dtype=np.int64), counts)
    edge = inner[which] + number
    begin = np.where(number == 0, gained.start[rows][which], _offsets(starts, edge - 1, key[which]))
    end = np.where(
        number == counts[which] - 1, gained.end[rows][which], _offsets(starts, edge, key[which])
    )
    place = prefix[own][which] + edge - begun[which] - 1
    return rows[which], np.maximum(place, 0), end - begin


def _offsets(starts: Ints, at: Ints, key: Ints) -> Ints:
    """The offsets of some starts; whatever for places beyond the ends, which are not used."""
    if not len(starts):
        return np.zeros(len(at), dtype=np.int64)
    return starts[np.clip(at, 0, len(starts) - 1)] - key


def _evenly(ranking: Ranking, resize: str, rows: Ints, offset: Ints) -> tuple[Ints, Ints, Ints]:
    """Gaining pieces of results that state their tokens, cut where these begin."""
    if not len(rows):
        return rows, rows, rows
    gained = ranking.gained
    row = gained.row[rows]
    size = (ranking.size if resize == "full" else ranking.new_size)[row]
    tokens = np.maximum(costs(ranking, "tokens", resize)[row], 1)
    start = offset[rows]
    end = start + gained.length[rows]
    first, last = start * tokens // size, (end - 1) * tokens // size
    counts = last - first + 1
    which = np.repeat(np.arange(len(rows)), counts)
    token = concatenated_ranges(first, counts)
    begin = np.maximum(-(-token * size[which] // tokens[which]), start[which])
    after = np.minimum(-(-(token + 1) * size[which] // tokens[which]), end[which])
    kept = after > begin  # where tokens are more than characters, some have none
    return rows[which[kept]], token[kept], (after - begin)[kept]
