"""What retrievers return, as results: known by id, by place, by text, or else located.

Where an id and a text disagree, the text decides, for it is what is read.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import count
from typing import Any, NamedTuple

import numpy as np

from doxeval.chunks.chunk_set import Chunks
from doxeval.chunks.foreign import metadata_of, text_of, window_of
from doxeval.chunks.found_texts import Found, Place, Wanted, found_texts
from doxeval.chunks.quotes import is_same_text
from doxeval.errors import InputError
from doxeval.locating import SolidText
from doxeval.messages import join_names, plural, quoted
from doxeval.runs import Kind, Result, not_found

_STARTS = ("start_index", "start_char_idx", "split_idx_start", "start")
_ENDS = ("end_index", "end_char_idx", "end")
_DOCUMENTS = ("doc", "document", "corpus_id", "source", "source_id", "file_path", "doc_id")


class _Returned(NamedTuple):
    """Where a result stands, or its text and document if it has to be located.

    is_other: whether its text is another than that of the chunk of its id.
    """

    place: Place | Wanted
    is_other: bool = False


class Items:
    """Looks up what a retriever returns.

    located: how many results had to be found in the documents by their texts. ambiguous: how many
    of these stand at several places, of which the first counts. other: how many have another text
    than the chunk of their id. lost: the texts not found.
    """

    def __init__(self, chunks: Chunks) -> None:
        self._chunks = chunks
        self._lists = chunks.spans.as_tuples()
        self._known: dict[Wanted, Found] = {}
        self._not_found: dict[str, str] = {}  # the document of each text, white space left out
        self._numbers = count(1)
        self.located = 0
        self.ambiguous = 0
        self.other = 0
        self.lost: list[str] = []

    def look_up(self, answers: Iterable[Sequence[Any]], k: int | None = None) -> None:
        """Find all texts that are no chunks at once, so that documents are gone through once."""
        items = [_with_score(one)[0] for answer in answers for one in answer[:k]]
        places = [self._returned(item).place for item in items]
        wanted = dict.fromkeys(place for place in places if not isinstance(place, Place))
        self._known |= found_texts(self._chunks.known_docs, list(wanted))

    def results(self, topic: str, answer: Sequence[Any], k: int) -> list[Result]:
        """The first k results of a question."""
        found = []
        scores = []
        for given in answer[:k]:
            item, score = _with_score(given)
            found.append(self.place(item))
            scores.append(score)
        has_scores = all(score is not None for score in scores)
        return [
            _result(topic, place, rank, score if has_scores else None)
            for rank, (place, score) in enumerate(zip(found, scores, strict=True), 1)
        ]

    def place(self, item: Any) -> Place:
        """Where a result stands; it is counted if it was looked up by its text."""
        place, is_other = self._returned(item)
        self.other += is_other
        if isinstance(place, Place):
            return place
        if place not in self._known:
            self._known |= found_texts(self._chunks.known_docs, [place])
        found = self._known[place]
        if found.place is None:
            return self._nowhere(place[1])
        self.located += not is_other
        self.ambiguous += found.ambiguous
        return found.place

    def warnings(self) -> Iterator[str]:
        """What was looked up by its text, and what was not found."""
        if self.other:
            have = ("has", "its", "it is") if self.other == 1 else ("have", "their", "they are")
            yield (
                f"{plural(self.other, 'result')} {have[0]} another text than the chunk of "
                f"{have[1]} id; {have[2]} scored by {have[1]} text"
            )
        if self.located and len(self._chunks):
            yield (
                f"{plural(self.located, 'result')} are none of the chunks, and were found in the "
                "documents by their text"
            )
        if self.ambiguous:
            yield (
                "results that stand at several places, of which the first counts: "
                f"{self.ambiguous:,}"
            )
        if self.lost:
            shown = join_names([quoted(text, 60) for text in self.lost], 3)
            yield (
                f"{plural(len(self.lost), 'result')} not found in the documents, which count as "
                f"read and not relevant: {shown}"
            )

    def _returned(self, item: Any) -> _Returned:
        if isinstance(item, np.generic):
            item = item.item()
        if isinstance(item, str | int):
            row = self._row(str(item), str(item))
            return _Returned(self._of_row(row) if row >= 0 else (None, str(item)))
        if isinstance(item, tuple | list) and len(item) == 3:
            return _Returned(self._of_range(*item))
        return self._of_object(item)

    def _of_object(self, item: Any) -> _Returned:
        fields = _fields(item)
        text, row = fields["text"], self._row_of(fields)
        is_other = row >= 0 and text is not None and not self._is_text_of(row, text)
        if row >= 0 and not is_other:
            return _Returned(self._of_row(row))
        place = self._checked(fields)
        if place is None and is_other:
            place = self._within(row, text)
        if place is not None:
            return _Returned(place, is_other)
        document = self._chunks.known_docs.find(fields["doc"]) if row < 0 else self._home(row)
        if text is None:
            if document is not None and fields["start"] is None:  # all of it
                return _Returned(Place(document, ((0, len(self._chunks.known_docs[document])),)))
            raise InputError(
                f"the retriever returns {quoted(item)}: expected the id of a chunk, its text, "
                "(document, start, end), or an object with one of these"
            )
        same = self._row(None, text, document)
        return _Returned(self._of_row(same) if same >= 0 else (document, text), is_other)

    # Chunks

    def _row(self, chunk: str | None, text: str | None, document: str | None = None) -> int:
        """The row of a chunk by its id or its text, -1 if it is none or stands nowhere."""
        row = -1 if chunk is None else self._chunks.find(chunk)
        if row < 0 and text is not None:
            row = self._row_by_text("".join(text.split()), document)
        return row if row >= 0 and self._lists[row] else -1

    def _row_by_text(self, solid: str, document: str | None) -> int:
        """The first chunk with a text, if possible one of the document that is named."""
        row = self._chunks.rows_by_text.get(solid, -1)
        if row < 0 or document is None or self._home(row) == document:
            return row
        return self._rows_by_home.get((document, solid), row)

    @cached_property
    def _rows_by_home(self) -> dict[tuple[str, str], int]:
        chunks, found = self._chunks, dict[tuple[str, str], int]()
        for row, text in enumerate(chunks.given or chunks.texts):
            found.setdefault((self._home(row), "".join(text.split())), row)
        return found

    def _row_of(self, fields: Mapping[str, Any]) -> int:
        """The row of the chunk that an object names by its id, -1 if it names none."""
        row = self._chunks.find(str(fields["id"])) if fields.get("id") is not None else -1
        if row < 0 and isinstance(fields.get("chunk"), str):
            row = self._chunks.find(fields["chunk"])
        return row if row >= 0 and self._lists[row] else -1

    def _is_text_of(self, row: int, text: str) -> bool:
        """Whether a text is that of a chunk, as it came or as it stands in its document."""
        given = None if self._chunks.given is None else self._chunks.given[row]
        if given and is_same_text(text, given):
            return True
        return is_same_text(text, self._chunks.text(row))

    def _home(self, row: int) -> str:
        return self._chunks.documents[int(self._chunks.document[row])]

    def _of_row(self, row: int) -> Place:
        chunks = self._chunks
        tokens = int(chunks.tokens[row])
        return Place(self._home(row), self._lists[row], tokens if tokens >= 0 else None)

    def _within(self, row: int, text: str) -> Place | None:
        """Where a text that was cut out of a chunk stands in it."""
        solid, document = "".join(text.split()), self._home(row)
        for start, end in self._lists[row] if solid else ():
            part = SolidText(self._chunks.known_docs[document][start:end])
            at = part.solid.find(solid)
            if at >= 0:
                first, last = part.offsets[[at, at + len(solid) - 1]].tolist()
                return Place(document, ((start + first, start + last + 1),))
        return None

    # Places

    def _of_range(self, document: Any, start: Any, end: Any) -> Place:
        name = self._chunks.known_docs.named(document)
        low, high = _whole(start), _whole(end)
        if low is None or high is None or not low <= high <= len(self._chunks.known_docs[name]):
            raise InputError(
                f"the retriever returns {quoted((document, start, end))}: expected a range of the "
                f"document, which has {len(self._chunks.known_docs[name]):,} characters"
            )
        return Place(name, ((low, high),))

    def _checked(self, fields: Mapping[str, Any]) -> Place | None:
        """The place that an object names, if its text is there, or if it has none."""
        docs = self._chunks.known_docs
        name = docs.find(fields.get("doc"))
        start, end, text = (
            _whole(fields.get("start")),
            _whole(fields.get("end")),
            fields.get("text"),
        )
        if name is None or start is None or (end is None and text is None):
            return None
        if end is None:
            end = start + len(text or "")
        if not 0 <= start <= end <= len(docs[name]):
            return None
        if text is not None and not is_same_text(docs[name][start:end], text):
            return None
        return Place(name, ((start, end),))

    def _nowhere(self, text: str) -> Place:
        """A document of its own for each text that stands in none."""
        self.lost.append(text)
        solid = "".join(text.split())
        if solid not in self._not_found:
            names = map(not_found, self._numbers)
            taken = self._chunks.known_docs
            self._not_found[solid] = next(name for name in names if name not in taken)
        return Place(self._not_found[solid], ((0, max(len(text), 1)),))


def _result(topic: str, place: Place, rank: int, score: float | None) -> Result:
    tokens = place.tokens
    if len(place.spans) == 1:
        ((start, end),) = place.spans
        return Result(
            topic, place.document, Kind.PASSAGE, start, end, (), rank, score, tokens=tokens
        )
    return Result(
        topic,
        place.document,
        Kind.SPANS,
        rank=rank,
        score=score,
        spans=place.spans,
        tokens=tokens,
    )


def _with_score(given: Any) -> tuple[Any, float | None]:
    """A result and its score, if it has one."""
    if isinstance(given, tuple | list) and len(given) == 2 and _is_number(given[1]):
        return given[0], float(given[1])
    score = given.get("score") if isinstance(given, Mapping) else getattr(given, "score", None)
    node = getattr(given, "node", None)  # LlamaIndex
    has_score = score is not None and _is_number(score)
    return (given if node is None else node), (float(score or 0.0) if has_score else None)


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float | np.number) and not isinstance(value, bool)


def _whole(value: Any) -> int | None:
    """A whole number from 0 on; None for anything else."""
    if not isinstance(value, int | np.integer) or isinstance(value, bool) or value < 0:
        return None
    return int(value)


def _fields(item: Any) -> dict[str, Any]:
    """What an object says about its place: id, doc, start, end, text."""
    if isinstance(item, Mapping):
        metadata = item.get("metadata") if isinstance(item.get("metadata"), Mapping) else {}
        said: dict[str, Any] = {**dict(metadata or {}), **item}
        text = next((said[one] for one in ("text", "page_content", "content", "document")
                     if isinstance(said.get(one), str)), None)  # fmt: skip
        own = said.get("id")
        names: tuple[str, ...] = ("doc", "corpus_id", "source", "source_id", "doc_id")
    else:
        said = dict(metadata_of(item))
        for name in (*_STARTS, *_ENDS, "ref_doc_id"):
            value = getattr(item, name, None)
            if value is not None:
                said[name] = value
        text = text_of(item)
        own = getattr(item, "id_", None) or getattr(item, "id", None) or said.get("id")
        names = ("ref_doc_id", *_DOCUMENTS)
    window = window_of(text, said)
    document = next((said[name] for name in names if isinstance(said.get(name), str)), None)
    start = next((said[name] for name in _STARTS if _whole(said.get(name)) is not None), None)
    end = next((said[name] for name in _ENDS if _whole(said.get(name)) is not None), None)
    if window is not None:
        text, start, end = window, None, None
    return {"id": own, "chunk": said.get("chunk"), "doc": document, "start": start, "end": end,
            "text": text}  # fmt: skip
