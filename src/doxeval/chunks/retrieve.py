"""Runs from any retriever: a function, or an object of another library, asked question by question.

What it returns is known as a chunk by its id, by its place, or by its text, and else located. Where
an id and a text disagree, the text decides, for it is what is read.
"""

from __future__ import annotations

import asyncio
import inspect
import io
import os
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import replace
from functools import cached_property
from itertools import count
from typing import Any, NamedTuple

import numpy as np

from doxeval.chunks.adapters import metadata_of, text_of, window_of
from doxeval.chunks.chunks import Chunks
from doxeval.chunks.dataset import Dataset, gold_in
from doxeval.chunks.documents import Documents, documents, warnings_about
from doxeval.chunks.formats.rag import Answer, answers_in, has_contexts
from doxeval.chunks.gold import QuotePlaces, is_same_text
from doxeval.chunks.questions import Questions
from doxeval.chunks.records import loaded_from
from doxeval.chunks.transforms import ChunkRun
from doxeval.errors import DoxevalError, FormatError, InputError, MissingInput, warn
from doxeval.files import json_lines, open_input
from doxeval.locating import SolidText
from doxeval.messages import Parameter, escape, join_names, json_text, plural, quoted
from doxeval.named import checked
from doxeval.runs import (
    UNIT_FIELDS,
    Kind,
    Result,
    Run,
    format_of,
    not_found,
    read_open_run,
    read_run,
)

# The document that a result names, if it names one of these; and its text.
Wanted = tuple[str | None, str]


class Place(NamedTuple):
    """Where a result stands, and what it costs, if it says so."""

    document: str
    spans: tuple[tuple[int, int], ...]
    tokens: int | None = None


class Found(NamedTuple):
    """The place of a text, None if there is none. ambiguous: whether it stands elsewhere too."""

    place: Place | None = None
    ambiguous: bool = False


def found_texts(docs: Documents, wanted: Sequence[Wanted]) -> dict[Wanted, Found]:
    """Where texts stand, each by itself: in the document that is named, else in any.

    >>> docs = Documents([("a", "One. Two."), ("b", "Two. Three.")])
    >>> found = found_texts(docs, [("b", "Two."), (None, "Three."), (None, "Four.")])
    >>> [one.place and one.place[:2] for one in found.values()]
    [('b', ((0, 4),)), ('b', ((5, 11),)), None]
    """
    found = _located(docs, [one for one in wanted if one[0] is not None])
    elsewhere = [one for one in wanted if one not in found]
    quotes = QuotePlaces(docs, ((None, text) for _, text in elsewhere))
    homes: dict[Wanted, Wanted] = {}
    for one in elsewhere:
        places = quotes.find(None, one[1]).places
        home = places[0].document if places else next(iter(docs)) if len(docs) == 1 else None
        if home is not None and home != one[0]:
            homes[one] = (home, one[1])
    again = _located(docs, list(homes.values()))
    for one, named in homes.items():
        if named in again:
            copies = len(quotes.find(None, one[1]).places) > 1
            found[one] = Found(again[named].place, again[named].ambiguous or copies)
    return {one: found.get(one, Found()) for one in wanted}


def _located(docs: Documents, wanted: Sequence[Wanted]) -> dict[Wanted, Found]:
    """Those of the texts that stand in their documents."""
    from doxeval.chunks.locate import locate

    if not wanted:
        return {}
    records = [{"doc": document, "text": text} for document, text in wanted]
    located = locate(docs, records, order="none", max_lost="100%")
    return {
        one: Found(Place(str(one[0]), spans), bool(located.ambiguous[row]))
        for row, (one, spans) in enumerate(zip(wanted, located.spans.as_tuples(), strict=True))
        if spans
    }


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


_METHODS = ("invoke", "retrieve", "get_relevant_documents", "search")
_ASYNC_METHODS = ("ainvoke", "aretrieve")


@checked
def retrieve(
    retriever: Any,
    gold: Any,
    chunks: Chunks,
    k: int = 50,
    workers: int = 1,
    *,
    run_id: str = "retriever",
    progress: bool | None = None,
) -> ChunkRun:
    """Ask a retriever every question; a run of what it returns.

    The retriever is a function from a question to results, which may be async, or an object with
    `invoke` (LangChain), `retrieve` (LlamaIndex) or `search`. A result is the id of a chunk, its
    text, (document, start, end), a dict, or an object of LangChain, LlamaIndex, Haystack or
    Chonkie; a pair of one of these and a number is a result with its score. Of more than `k`
    results the first count. With `workers`, so many questions are asked at once.

    Results that are no chunks of these are located in the documents. So are those that have the id
    of a chunk and another text, as compressors return them: the text is what is read. Of sentence
    windows of LlamaIndex the window is. Those that cannot be found count as read and not relevant.
    There are warnings of all of these.

    >>> from doxeval import chunks
    >>> docs = chunks.documents({"a": "Fog on the sea. A horn is heard."})
    >>> cut = chunks.split(docs, "sentences:1:0")
    >>> run = chunks.retrieve(lambda question: ["A horn is heard."], {"7": "What?"}, cut)
    >>> [(result.document, result.start, result.end) for result in run]
    [('a', 16, 32)]
    """
    if k < 1 or workers < 1:
        name, value = ("k", k) if k < 1 else ("workers", workers)
        raise InputError(f"{name} is {value}: expected 1 or more")
    # Only the texts of the questions are needed, wherever their gold stands.
    dataset = Dataset(chunks.known_docs, gold, max_lost="100%")
    questions = dataset.questions
    with progress_bar("Retrieving", len(questions), progress) as done:
        answers = _answers(retriever, questions, workers, done)
    run = run_of_answers(dict(zip(questions, answers, strict=True)), chunks, k, run_id)
    run = replace(run, warnings=(*dataset.warnings, *run.warnings))
    warn(run.warnings)
    return run


def run_of_answers(
    answers: Mapping[str, Sequence[Any]], chunks: Chunks, k: int, run_id: str
) -> ChunkRun:
    """A run of what was returned for each question."""
    items = Items(chunks)
    items.look_up(answers.values(), k)
    results: list[Result] = []
    for topic, answer in answers.items():
        results += items.results(topic, answer, k)
    run = Run.from_results(results, escape(run_id))
    empty = [topic for topic, answer in answers.items() if not answer]
    about = [f"questions for which nothing was returned: {join_names(empty)}"] if empty else []
    run = replace(run, warnings=(*run.warnings, *about, *items.warnings()))
    return ChunkRun.of(run, chunks)


def _answers(
    retriever: Any, questions: Mapping[str, str], workers: int, done: Callable[[int], object]
) -> list[list[Any]]:
    ask = _asking(retriever)
    if _is_async(retriever, ask):
        gathered: list[list[Any]] = _run_async(_gathered(ask, questions, workers, done))
        return gathered

    def answer(topic: str, question: str) -> list[Any]:
        found = _answer_of(lambda: ask(question), topic)
        if inspect.isawaitable(found):  # a plain function that gives a coroutine
            found = _run_async(_awaited(found, topic))
        done(1)
        return _listed(found, topic)

    if workers == 1:
        return [answer(topic, question) for topic, question in questions.items()]
    with ThreadPoolExecutor(workers) as pool:
        return list(pool.map(answer, questions.keys(), questions.values()))


def _asking(retriever: Any) -> Callable[[str], Any]:
    ways = [
        *(getattr(retriever, name, None) for name in _METHODS),
        retriever,
        *(getattr(retriever, name, None) for name in _ASYNC_METHODS),
    ]
    for way in ways:
        if callable(way):
            ask: Callable[[str], Any] = way
            return ask
    raise InputError(
        f"{quoted(retriever)} is no retriever: expected a function from a question to results, or "
        f"an object with one of {', '.join(_METHODS)}"
    )


def _is_async(retriever: Any, ask: Callable[[str], Any]) -> bool:
    call = getattr(retriever, "__call__", None)  # noqa: B004
    return inspect.iscoroutinefunction(ask) or (
        ask is retriever and inspect.iscoroutinefunction(call)
    )


async def _gathered(
    ask: Callable[[str], Any],
    questions: Mapping[str, str],
    workers: int,
    done: Callable[[int], object],
) -> list[list[Any]]:
    free = asyncio.Semaphore(workers)

    async def answer(topic: str, question: str) -> list[Any]:
        async with free:
            found = await _awaited(ask(question), topic)
        done(1)
        return _listed(found, topic)

    return list(await asyncio.gather(*(answer(*one) for one in questions.items())))


async def _awaited(found: Any, topic: str) -> Any:
    try:
        return await found
    except DoxevalError:
        raise
    except Exception as error:  # a retriever of somebody else raises anything
        raise _failed(topic, error) from error


def _run_async(work: Any) -> Any:
    """The result of a coroutine; in a notebook, whose loop is running already, in a thread."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return asyncio.run(work)
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(asyncio.run, work).result()


def _answer_of(ask: Callable[[], Any], topic: str) -> Any:
    try:
        return ask()
    except DoxevalError:
        raise
    except Exception as error:  # a retriever of somebody else raises anything
        raise _failed(topic, error) from error


def _failed(topic: str, error: Exception) -> InputError:
    return InputError(f"the retriever fails on question {quoted(topic)}: {escape(repr(error))}")


def _listed(found: Any, topic: str) -> list[Any]:
    if found is None:
        return []
    if isinstance(found, Mapping) and isinstance(found.get("documents"), Iterable):
        found = found["documents"]  # Haystack
    if isinstance(found, str | bytes | Mapping) or not isinstance(found, Iterable):
        raise InputError(
            f"the retriever gives {quoted(found)} for question {quoted(topic)}: expected a list of "
            "results"
        )
    return list(found)


@checked
def retrieved(
    source: Any,
    docs: Any = None,
    *,
    chunks: Chunks | None = None,
    questions: Any = None,
    k: int | None = None,
    run_id: str = "retrieved",
) -> ChunkRun:
    """A run of the contexts that a file of ragas or RAGChecker says were retrieved.

    source: a file, a data frame, a list of records, or a data set of ragas. Contexts are looked up
    as those of `retrieve` are: among the `chunks`, if they are given, else by their text in
    the documents, first in the one that is named. Those that cannot be found count as
    read and not relevant, and there is a warning. Of more than `k` contexts the first count.

    Topics have the ids of the file (of ragas: id, sample_id, or the number of the sample). With
    `questions`, whose texts are known, they have the ids of the questions that are asked there in
    the same words.

    >>> from doxeval import chunks
    >>> sample = {"user_input": "How long?", "retrieved_contexts": ["Unused goods only."]}
    >>> run = chunks.retrieved([sample], {"terms": "Thirty days. Unused goods only."})
    >>> [(result.topic, result.document, result.start, result.end) for result in run]
    [('1', 'terms', 13, 31)]
    """
    if k is not None and k < 1:
        raise InputError(f"k is {k}: expected 1 or more")
    known = chunks if chunks is not None else _no_chunks(docs)
    answers = answers_in(loaded_from(source))
    deepest = k or max((len(one.items) for one in answers), default=1)
    asked = None if questions is None else _texts_of(questions, known)
    topics = [one.id for one in answers] if asked is None else _topics(answers, asked)
    by_topic = {topic: one.items for topic, one in zip(topics, answers, strict=True)}
    run = run_of_answers(by_topic, known, max(deepest, 1), run_id)
    about = warnings_about(known.known_docs, docs) if chunks is None else ()
    run = replace(run, warnings=(*about, *run.warnings, *_warnings(topics, asked)))
    warn(run.warnings)
    return run


def _no_chunks(docs: Any) -> Chunks:
    if docs is None:
        raise MissingInput(
            Parameter("docs")
            + " is needed: the documents in which the contexts stand, or "
            + Parameter("chunks")
        )
    return Chunks.of(documents(docs), [], [])


def _texts_of(questions: Any, chunks: Chunks) -> Mapping[str, str]:
    found = gold_in(questions, chunks.known_docs, max_lost="100%")
    texts = found.texts if isinstance(found, Questions) else found
    if not isinstance(texts, Mapping) or not any(texts.values()):
        raise InputError(
            Parameter("questions") + " has no texts of questions: expected questions, not judgments"
        )
    return texts


def _topics(answers: Sequence[Answer], asked: Mapping[str, str]) -> list[str]:
    """The id of each question: of the one in the same words, else the id that it has."""
    words = {topic: "".join(text.split()) for topic, text in asked.items()}
    times = Counter(words.values())
    by_words = {text: topic for topic, text in words.items() if times[text] == 1}
    topics = [by_words.get("".join(one.question.split()), one.id) for one in answers]
    twice = [topic for topic, count in Counter(topics).items() if count > 1]
    if twice:
        raise InputError(
            f"two questions of the file are question {quoted(twice[0])} of "
            + Parameter("questions")
        )
    return topics


def _warnings(topics: Sequence[str], asked: Mapping[str, str] | None) -> Iterator[str]:
    if asked is None:
        return
    unknown = [topic for topic in topics if topic not in asked]
    if unknown:
        yield (
            Parameter("questions")
            + f" has none of these questions of the file: {join_names(unknown)}"
        )
    missing = [topic for topic in asked if topic not in set(topics)]
    if missing:
        yield f"questions for which the file has nothing: {join_names(missing)}"


def read_chunk_run(path: str | os.PathLike[str], chunks: Chunks | None = None) -> Run:
    """Read a run; JSONL may name chunks by id: {"topic", "chunk", "text"?, "score"?, "run"?}.

    A result whose text is another than that of its chunk is where that text stands, and a warning
    says how many there are.

    >>> import pathlib, tempfile
    >>> from doxeval import chunks
    >>> cut = chunks.split({"a": "One two. Three four."}, "sentences:1:0")
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "mine.jsonl"
    >>> _ = path.write_text('{"topic": "7", "chunk": "a#2", "text": "four."}\\n')
    >>> run = read_chunk_run(path, cut)
    >>> [(result.document, result.start, result.end) for result in run]
    [('a', 15, 20)]
    """
    name, table = os.fspath(path), None if chunks is None else chunks.table
    if format_of(path) != "jsonl":
        return read_run(path, chunks=table)
    with open_input(path) as file:
        data = file.read()
    first: Any = next((record for _, record in json_lines(io.BytesIO(data), name)), {})
    if has_contexts([first]) or has_contexts(first):
        raise FormatError("retrieved contexts: `chunks retrieved` makes a run of them", name)
    if chunks is None or b'"text"' not in data:
        return read_open_run(io.BytesIO(data), name, "jsonl", chunks=table)
    data, warnings = _by_texts(data, name, chunks)
    run = read_open_run(io.BytesIO(data), name, "jsonl", chunks=table)
    return replace(run, warnings=(*run.warnings, *warnings))


def _by_texts(data: bytes, name: str, chunks: Chunks) -> tuple[bytes, tuple[str, ...]]:
    """The lines of a run with ranges instead of the chunks that have a text beside their id."""
    records = dict(json_lines(io.BytesIO(data), name))
    items = {
        line: {"id": record["chunk"], "text": _text_of(record["text"], name, line)}
        for line, record in records.items()
        if _has_text(record, chunks)
    }
    if not items:
        return data, ()
    if chunks.docs is None:
        reason = "results have texts, and those of the chunks are not known: "
        raise MissingInput(f"{name}: {reason}" + Parameter("docs") + " names the documents")
    known = Items(chunks)
    known.look_up([list(items.values())])
    lines = [b""] * max(records)
    for line, record in records.items():
        if line in items:
            place = known.place(items[line])
            record = {key: value for key, value in record.items() if key not in ("chunk", "text")}
            record |= {"doc": place.document, "spans": [list(span) for span in place.spans]}
            if place.tokens is not None:
                record.setdefault("tokens", place.tokens)
        lines[line - 1] = json_text(record).encode()
    return b"\n".join(lines), tuple(known.warnings())


def _has_text(record: Any, chunks: Chunks) -> bool:
    """Whether a result has a text beside the id of a chunk, and nothing that speaks against it."""
    return (
        isinstance(record, dict)
        and record.get("text") not in (None, "")
        and chunks.find(str(record.get("chunk"))) >= 0
        and not {"doc", *UNIT_FIELDS} & record.keys()
    )


def _text_of(text: Any, name: str, line: int) -> str:
    if not isinstance(text, str):
        raise FormatError(f"text is {quoted(text)}: expected a text", name, line)
    return text


@contextmanager
def progress_bar(
    title: str, total: int, wanted: bool | None = None
) -> Iterator[Callable[[int], object]]:
    """A bar on stderr if that is a terminal, or if it is `wanted`; tell it how much more is done.

    >>> with progress_bar("Working", 3, wanted=False) as done:
    ...     _ = done(1)
    """
    if not (sys.stderr.isatty() if wanted is None else wanted):
        yield lambda _: None
        return
    from rich.console import Console
    from rich.progress import Progress

    with Progress(console=Console(file=sys.stderr), transient=True) as bar:
        task = bar.add_task(title, total=total)
        yield lambda more: bar.advance(task, more)
