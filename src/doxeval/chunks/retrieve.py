"""Runs from any retriever: a function, or an object of another library, asked question by question.

What it returns is known as a chunk by its id, by its span, or by its text, and else located. Where
an id and a text disagree, the text decides, for it is what is read.
"""

from __future__ import annotations

import asyncio
import inspect
import io
import os
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import cached_property
from itertools import count
from typing import Any, NamedTuple

import numpy as np

from doxeval.chunks.adapters import (
    RawChunk,
    is_number,
    raw_object,
    results_of_query,
    score_of,
)
from doxeval.chunks.chunks import Chunks
from doxeval.chunks.dataset import Dataset, gold_in
from doxeval.chunks.documents import Documents, documents, warnings_about
from doxeval.chunks.formats.rag import Answer, answers_in, has_contexts
from doxeval.chunks.gold import QuoteFinder, TextInDocument
from doxeval.chunks.locate import locate
from doxeval.chunks.questions import Questions
from doxeval.chunks.records import loaded_from
from doxeval.chunks.search import K
from doxeval.chunks.transforms import ChunkRun
from doxeval.errors import DoxevalError, FormatError, InputError, MissingInput, warn
from doxeval.files import json_lines, open_input
from doxeval.locating import LEAST_SHARE, is_same_text, locate_chunks, without_space
from doxeval.messages import Parameter, escape, join_names, json_text, plural, quoted
from doxeval.named import checked
from doxeval.progress import progress_bar
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


class ResultSpans(NamedTuple):
    """The spans of a result in its document, and what it costs, if it says so.

    added: how many of its characters are in no document.
    """

    document: str
    spans: tuple[tuple[int, int], ...]
    tokens: int | None = None
    added: int = 0


class TextLocation(NamedTuple):
    """The spans of a text, None if it is not found.

    ambiguous: whether it occurs elsewhere, too. share: how much of its letters was found.
    """

    spans: ResultSpans | None = None
    ambiguous: bool = False
    share: float = 0.0


def locate_texts(
    docs: Documents, texts: Sequence[TextInDocument]
) -> dict[TextInDocument, TextLocation]:
    """Return the location of texts, each by itself: in the document that is named, else in any.

    What of a text is in no document is left out.

    >>> docs = Documents([("a", "One. Two."), ("b", "Two. Three.")])
    >>> located = locate_texts(docs, [("b", "Two."), (None, "Three."), (None, "Four.")])
    >>> [location.spans and location.spans[:2] for location in located.values()]
    [('b', ((0, 4),)), ('b', ((5, 11),)), None]
    """
    located = _in_named_documents(docs, [key for key in texts if key[0] is not None])
    elsewhere = [key for key in texts if key not in located or located[key].share < _MOST_OF_IT]
    quotes = QuoteFinder(docs, ((None, text) for _, text in elsewhere))
    likely: dict[TextInDocument, TextInDocument] = {}
    for key in elsewhere:
        spans = quotes.find(None, key[1]).spans
        name = spans[0].document if spans else next(iter(docs)) if len(docs) == 1 else None
        if name is not None and name != key[0]:
            likely[key] = (name, key[1])
    again = _in_named_documents(docs, list(likely.values()))
    for key, named in likely.items():
        if named in again and (key not in located or again[named].share > located[key].share):
            copies = len(quotes.find(None, key[1]).spans) > 1
            located[key] = again[named]._replace(ambiguous=again[named].ambiguous or copies)
    return {key: located.get(key, TextLocation()) for key in texts}


def _in_named_documents(
    docs: Documents, texts: Sequence[TextInDocument]
) -> dict[TextInDocument, TextLocation]:
    """Return the location of those texts that are in the documents named."""
    if not texts:
        return {}
    records = [{"doc": document, "text": text} for document, text in texts]
    located = locate(docs, records, order="none", min_share=LEAST_SHARE, max_missing="100%")
    return {
        key: TextLocation(
            ResultSpans(str(key[0]), spans, added=int(located.added[row])),
            bool(located.ambiguous[row]),
            float(located.share[row]),
        )
        for row, (key, spans) in enumerate(zip(texts, located.spans.as_tuples(), strict=True))
        if spans
    }


# A text of which so much was found in one document is not looked for in others.
_MOST_OF_IT = 0.8


class _Resolved(NamedTuple):
    """The spans of a result, or its text and document if it has to be located.

    is_changed: whether its text is another than those of the chunk of its id. within: where it is
    in that chunk.
    """

    spans: ResultSpans | TextInDocument
    is_changed: bool = False
    within: TextLocation = TextLocation()


class ResultResolver:
    """Resolves what a retriever returns to spans of documents.

    A result is known as a chunk by its id, by its span or by its text, and else located. What is
    read decides: if a result has an id and another text than its chunk, it is where its text is.

    located: how many results had to be found in the documents by their texts. ambiguous: how many
    occur several times, of which the first counts. changed: how many have another text than the
    chunk of their id. partly: how many have text that is in no document. numbered: whether numbers
    were ids of chunks but might have been rows. missing: the texts not found.
    """

    def __init__(self, chunks: Chunks) -> None:
        self._chunks = chunks
        self._spans = chunks.spans.as_tuples()
        self._known: dict[TextInDocument, TextLocation] = {}
        self._not_found: dict[str, str] = {}  # the document of each text, white space left out
        self._taken_out: dict[tuple[int, str], TextLocation] = {}
        self._numbers = count(1)
        self.located = 0
        self.ambiguous = 0
        self.changed = 0
        self.partly = 0
        self.numbered = False
        self.missing: list[str] = []

    def look_up(self, answers: Iterable[Sequence[Any]], k: int | None = None) -> None:
        """Locate all texts that are no chunks at once, so that documents are read once."""
        items = [_with_score(result)[0] for answer in answers for result in answer[:k]]
        # Numbers and tuples name no text.
        items = [item for item in items if not isinstance(item, int | tuple)]
        resolved = [self._resolve(item, Counter()).spans for item in items]
        texts = dict.fromkeys(spans for spans in resolved if not isinstance(spans, ResultSpans))
        self._known |= locate_texts(self._chunks.known_docs, list(texts))

    def results(self, topic: str, answer: Sequence[Any], k: int) -> list[Result]:
        """Return the first k results of a question."""
        pairs = [_with_score(result) for result in answer[:k]]
        has_scores = all(score is not None for _, score in pairs)
        # Results without ids that have the same text are the chunks with this text, one by one.
        seen = Counter[TextInDocument]()
        results = [
            _result(topic, self.resolve(item, seen), rank, score if has_scores else None)
            for rank, (item, score) in enumerate(pairs, 1)
        ]
        self.ambiguous += sum(
            times for text, times in seen.items() if times < len(self._places_of_text(*text))
        )
        return results

    def resolve(self, item: Any, seen: Counter[TextInDocument] | None = None) -> ResultSpans:
        """Return the spans of a result; it is counted if it was located by its text."""
        spans, is_changed, within = self._resolve(item, Counter() if seen is None else seen)
        self.changed += is_changed
        if isinstance(spans, ResultSpans):
            return spans
        if spans not in self._known:
            self._known |= locate_texts(self._chunks.known_docs, [spans])
        location = max(within, self._known[spans], key=lambda location: location.share)
        if location.spans is None:
            return self._unknown_document(spans[1])
        self.located += not is_changed
        self.ambiguous += location.ambiguous
        self.partly += location.spans.added > 0
        return location.spans

    def warnings(self) -> Iterator[str]:
        """Return what was located by its text, and what was not found."""
        if self.changed:
            have = ("has", "its", "it is") if self.changed == 1 else ("have", "their", "they are")
            yield (
                f"{plural(self.changed, 'result')} {have[0]} another text than the chunk of "
                f"{have[1]} id; {have[2]} scored by {have[1]} text"
            )
        if self.located and len(self._chunks):
            are, were, their = (
                ("is", "was", "its") if self.located == 1 else ("are", "were", "their")
            )
            yield (
                f"{plural(self.located, 'result')} {are} none of the chunks, and {were} found in "
                f"the documents by {their} text"
            )
        if self.partly:
            verb = "has" if self.partly == 1 else "have"
            yield (
                f"{plural(self.partly, 'result')} {verb} text that is in no document, which is "
                "read and not relevant"
            )
        if self.ambiguous:
            yield (
                "results that stand at several places, of which the first counts: "
                f"{self.ambiguous:,}"
            )
        if self.numbered:
            yield (
                "the ids of the chunks are numbers, and results that are numbers are taken for "
                "these ids, not for positions among the chunks"
            )
        if self.missing:
            shown = join_names([quoted(text, 60) for text in self.missing], 3)
            yield (
                f"{plural(len(self.missing), 'result')} not found in the documents, which count as "
                f"read and not relevant: {shown}"
            )

    def _resolve(self, item: Any, seen: Counter[TextInDocument]) -> _Resolved:
        if isinstance(item, np.generic):
            item = item.item()
        if isinstance(item, int):
            return _Resolved(self._of_chunk(self._row_of_number(item)))
        if isinstance(item, str):
            row = self._chunks.find(item)
            row = row if row >= 0 else self._row_by_text(item, None, seen)
            return _Resolved(self._of_chunk(row) if row >= 0 else (None, item))
        if isinstance(item, tuple | list) and len(item) == 3:
            return _Resolved(self._of_span(*item))
        return self._of_object(item, seen)

    def _of_object(self, item: Any, seen: Counter[TextInDocument]) -> _Resolved:
        raw = raw_object(item)
        docs, text = self._chunks.known_docs, raw.text_read
        rows = (self._chunks.find(name) for name in (raw.id, raw.chunk) if name is not None)
        row = next((row for row in rows if row >= 0), -1)
        is_changed = row >= 0 and text is not None and not self._is_text_of(row, text)
        if row >= 0 and not is_changed:
            return _Resolved(self._of_chunk(row))
        named = (name for name in map(docs.find, raw.documents) if name is not None)
        document = next(named, None)
        spans = None if document is None else self._at_offsets(raw, document)
        if spans is not None:
            return _Resolved(spans, is_changed)
        if row >= 0:
            document = self._document(row) or document
        if text is None:
            if document is not None and _offset(raw.start) is None:  # all of it
                return _Resolved(ResultSpans(document, ((0, len(docs[document])),)))
            raise InputError(
                f"the retriever returns {quoted(item)}: expected the id of a chunk, its text, "
                "(document, start, end), or an object with one of these"
            )
        within = self._within(row, text) if is_changed else TextLocation()
        if within.spans is None or within.share < 1:
            same = self._row_by_text(text, document, seen)
            if same >= 0:
                return _Resolved(self._of_chunk(same), is_changed)
        return _Resolved((document, text), is_changed, within)

    # Chunks

    def _row_of_number(self, number: int) -> int:
        """Return the chunk of a number: of this id if ids are numbers, else at this position."""
        count = len(self._chunks)
        if not self._ids_are_numbers:
            if not 0 <= number < count:
                raise InputError(
                    f"the retriever returns chunk number {number:,}: expected a position among the "
                    f"{plural(count, 'chunk')}, from 0 on"
                )
            return number
        row = self._chunks.find(str(number))
        if row < 0:
            raise InputError(
                f"the retriever returns {number}, and no chunk has this id: ids of these chunks "
                "are numbers, so a number is not taken for a position"
            )
        self.numbered |= row != number and number < count
        return row

    @cached_property
    def _ids_are_numbers(self) -> bool:
        return any(name.isdecimal() for name in self._chunks.ids)

    def _row_by_text(self, text: str, document: str | None, seen: Counter[TextInDocument]) -> int:
        """Return the next chunk with a text, if possible one of the document that is named."""
        key = (document, without_space(text))
        rows = self._places_of_text(*key)
        if not rows:
            return -1
        seen[key] += 1
        return rows[min(seen[key], len(rows)) - 1]

    def _places_of_text(self, document: str | None, dense: str) -> list[int]:
        """Return the first chunk at each place that has a text, in its document if that has any."""
        places: dict[Any, int] = {}
        for row in self._chunks.rows_by_text.get(dense, ()):
            if self._spans[row]:
                places.setdefault((self._document(row), self._spans[row]), row)
        here = [row for (name, _), row in places.items() if name == document]
        return here or list(places.values())

    def _is_text_of(self, row: int, text: str) -> bool:
        """Return whether a text is what is searched or read of a chunk, or its document has."""
        chunks = self._chunks
        given = "" if chunks.given is None else chunks.given[row]
        known = (given, chunks.text_read(row))
        if any(other and is_same_text(text, other) for other in known):
            return True
        return is_same_text(text, chunks.text(row))

    def _document(self, row: int) -> str:
        return self._chunks.documents[int(self._chunks.document[row])]

    def _of_chunk(self, row: int) -> ResultSpans | TextInDocument:
        """Return the spans of a chunk; its text, if it was not located."""
        if not self._spans[row]:
            return self._document(row) or None, self._chunks.text_read(row)
        tokens = int(self._chunks.tokens[row])
        return ResultSpans(
            self._document(row),
            self._spans[row],
            tokens if tokens >= 0 else None,
            int(self._chunks.added[row]),
        )

    def _within(self, row: int, text: str) -> TextLocation:
        """Return the spans of a text that was taken out of a chunk, or of some parts of it."""
        key = row, text
        if key not in self._taken_out:
            document = self._document(row)
            whole = self._chunks.known_docs[document] if self._spans[row] else ""
            every = [_located_within(document, whole, span, text) for span in self._spans[row]]
            best = max(every, key=lambda location: location.share, default=TextLocation())
            self._taken_out[key] = best
        return self._taken_out[key]

    # Spans

    def _of_span(self, document: Any, start: Any, end: Any) -> ResultSpans:
        name = self._chunks.known_docs.named(document)
        low, high = _offset(start), _offset(end)
        if low is None or high is None or not low <= high <= len(self._chunks.known_docs[name]):
            raise InputError(
                f"the retriever returns {quoted((document, start, end))}: expected a range of the "
                f"document, which has {len(self._chunks.known_docs[name]):,} characters"
            )
        return ResultSpans(name, ((low, high),))

    def _at_offsets(self, raw: RawChunk, document: str) -> ResultSpans | None:
        """Return the span that an object names, if its text is there, or if it has none."""
        text, read = self._chunks.known_docs[document], raw.text_read
        start, end = _offset(raw.start), _offset(raw.end)
        if start is None or (end is None and read is None):
            return None
        if end is None:
            end = start + len(read or "")
        if not start <= end <= len(text):
            return None
        if read is not None and not is_same_text(text[start:end], read):
            return None
        return ResultSpans(document, ((start, end),))

    def _unknown_document(self, text: str) -> ResultSpans:
        """Return a document of its own for each text that is in none."""
        self.missing.append(text)
        dense = without_space(text)
        if dense not in self._not_found:
            names = map(not_found, self._numbers)
            taken = self._chunks.known_docs
            self._not_found[dense] = next(name for name in names if name not in taken)
        return ResultSpans(self._not_found[dense], ((0, max(len(text), 1)),))


def _located_within(document: str, whole: str, span: tuple[int, int], text: str) -> TextLocation:
    """Return where a text is within a span of a document, given the whole text of that."""
    start, end = span
    taken = [text.strip()]
    located = locate_chunks(whole[start:end], taken, order="none", min_share=LEAST_SHARE)
    spans = tuple((start + low, start + high) for low, high in located.spans(0))
    if not spans:
        return TextLocation()
    found = ResultSpans(document, spans, added=int(located.added[0]))
    return TextLocation(found, bool(located.ambiguous[0]), float(located.share[0]))


def _result(topic: str, resolved: ResultSpans, rank: int, score: float | None) -> Result:
    document, spans, tokens, added = resolved
    result = Result(topic, document, rank=rank, score=score, tokens=tokens, added=added or None)
    if len(spans) == 1:
        ((start, end),) = spans
        return result._replace(kind=Kind.PASSAGE, start=start, end=end)
    return result._replace(kind=Kind.SPANS, spans=spans)


def _with_score(given: Any) -> tuple[Any, float | None]:
    """Return a result and its score, if it has one."""
    if isinstance(given, tuple | list) and len(given) == 2 and is_number(given[1]):
        return given[0], float(given[1])
    node = getattr(given, "node", None)  # LlamaIndex
    return (given if node is None else node), score_of(given)


def _offset(value: Any) -> int | None:
    """Return a whole number from 0 on; None for anything else."""
    if not isinstance(value, int | np.integer) or isinstance(value, bool) or value < 0:
        return None
    return int(value)


_METHODS = ("invoke", "retrieve", "get_relevant_documents", "search")
_ASYNC_METHODS = ("ainvoke", "aretrieve")


@checked
def retrieve(
    retriever: Any,
    gold: Any,
    chunks: Chunks,
    *,
    k: int = K,
    workers: int = 1,
    run_id: str = "retriever",
    progress: bool | None = None,
) -> ChunkRun:
    """Ask a retriever every question; a run of what it returns.

    The retriever is a function from a question to results, which may be async, or an object with
    `invoke` (LangChain), `retrieve` (LlamaIndex), `run(query=…)` (Haystack) or `search`. Results
    that are known already may be given instead, by the ids of the questions. A result is the id of
    a chunk, its text, (document, start, end), a dict, or an object of LangChain, LlamaIndex,
    Haystack or Chonkie; a pair of one of these and a number is a result with its score. Of more
    than `k` results the first count. With `workers`, so many questions are asked at once.

    Results that are no chunks of these are located in the documents. So are those that have the id
    of a chunk and another text, as compressors return them: the text is what is read. Of sentence
    windows of LlamaIndex the window is. Those that cannot be found count as read and not relevant.
    There are warnings of all of these.

    >>> from doxeval import chunks
    >>> docs = chunks.documents({"a": "Fog on the sea. A horn is heard."})
    >>> split = chunks.split(docs, "sentences:1:0")
    >>> run = chunks.retrieve(lambda question: ["A horn is heard."], {"7": "What?"}, split)
    >>> [(result.document, result.start, result.end) for result in run]
    [('a', 16, 32)]
    >>> run == chunks.retrieve({"7": ["A horn is heard."]}, {"7": "What?"}, split)
    True
    """
    if k < 1 or workers < 1:
        name, value = ("k", k) if k < 1 else ("workers", workers)
        raise InputError(f"{name} is {value}: expected 1 or more")
    # Only the texts of the questions are needed, wherever their gold stands.
    dataset = Dataset(chunks.known_docs, gold, max_missing="100%")
    questions = dataset.questions
    about: list[str] = []
    if isinstance(retriever, Mapping):
        by_id = {str(topic): results for topic, results in retriever.items()}
        answers, about = _known_answers(by_id, questions)
    else:
        with progress_bar("Retrieving", len(questions), progress) as done:
            answers = _answers(retriever, questions, workers, done)
    run = run_of_answers(dict(zip(questions, answers, strict=True)), chunks, k, run_id)
    run = replace(run, warnings=(*dataset.warnings, *about, *run.warnings))
    warn(run.warnings)
    return run


def run_of_answers(
    answers: Mapping[str, Sequence[Any]], chunks: Chunks, k: int, run_id: str
) -> ChunkRun:
    """Return a run of what was returned for each question."""
    resolver = ResultResolver(chunks)
    resolver.look_up(answers.values(), k)
    results: list[Result] = []
    for topic, answer in answers.items():
        results += resolver.results(topic, answer, k)
    run = Run.from_results(results, escape(run_id))
    empty = [topic for topic, answer in answers.items() if not answer]
    about = [f"questions for which nothing was returned: {join_names(empty)}"] if empty else []
    run = replace(run, warnings=(*run.warnings, *about, *resolver.warnings()))
    return ChunkRun.of(run, chunks)


def _known_answers(
    results: Mapping[str, Any], questions: Mapping[str, str]
) -> tuple[list[list[Any]], list[str]]:
    """Return the results of each question, given those of some by id, and warnings."""
    unknown = [topic for topic in results if topic not in questions]
    if len(unknown) == len(results):
        raise InputError(
            f"results of no question here: {join_names(unknown)}; the questions are "
            f"{join_names(list(questions))}"
        )
    answers = [_listed(results.get(topic), topic) for topic in questions]
    return answers, [f"results of other questions: {join_names(unknown)}"] if unknown else []


def _answers(
    retriever: Any, questions: Mapping[str, str], workers: int, done: Callable[[int], object]
) -> list[list[Any]]:
    ask = _asking(retriever)
    if _is_async(retriever, ask):
        gathered: list[list[Any]] = _run_async(_gathered(ask, questions, workers, done))
        return gathered

    def answer(topic: str, question: str) -> list[Any]:
        results = _answer_of(lambda: ask(question), topic)
        if inspect.isawaitable(results):  # a plain function that gives a coroutine
            results = _run_async(_awaited(results, topic))
        done(1)
        return _listed(results, topic)

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
    run = getattr(retriever, "run", None)  # of a component of Haystack
    if callable(run) and "query" in inspect.signature(run).parameters:
        return lambda question: run(query=question)
    raise InputError(
        f"{quoted(retriever)} is no retriever: expected a function from a question to results, "
        "results by the ids of questions, or an object with one of "
        f"{', '.join((*_METHODS, 'run(query=…)'))}"
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
            results = await _awaited(ask(question), topic)
        done(1)
        return _listed(results, topic)

    return list(await asyncio.gather(*(answer(*pair) for pair in questions.items())))


async def _awaited(awaitable: Any, topic: str) -> Any:
    try:
        return await awaitable
    except DoxevalError:
        raise
    except Exception as error:  # a retriever of somebody else raises anything
        raise _failed(topic, error) from error


def _run_async(work: Any) -> Any:
    """Return the result of a coroutine; in a notebook, whose loop is running, in a thread."""
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


def _listed(results: Any, topic: str) -> list[Any]:
    try:
        return results_of_query(results)
    except FormatError as error:
        raise InputError(
            f"the retriever gives {quoted(results)} for question {quoted(topic)}: {error.message}"
        ) from None


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
    """Return a run of the contexts that a file of ragas or RAGChecker says were retrieved.

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
    deepest = k or max((len(answer.items) for answer in answers), default=1)
    texts = None if questions is None else _texts_of(questions, known)
    topics = [answer.id for answer in answers] if texts is None else _topics(answers, texts)
    by_topic = {topic: answer.items for topic, answer in zip(topics, answers, strict=True)}
    run = run_of_answers(by_topic, known, max(deepest, 1), run_id)
    about = warnings_about(known.known_docs, docs) if chunks is None else ()
    run = replace(run, warnings=(*about, *run.warnings, *_warnings(topics, texts)))
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
    gold = gold_in(questions, chunks.known_docs, max_missing="100%")
    texts = gold.texts if isinstance(gold, Questions) else gold
    if not isinstance(texts, Mapping) or not any(texts.values()):
        raise InputError(
            Parameter("questions") + " has no texts of questions: expected questions, not judgments"
        )
    return texts


def _topics(answers: Sequence[Answer], texts: Mapping[str, str]) -> list[str]:
    """Return the id of each question: of the one in the same words, else the id that it has."""
    words = {topic: without_space(text) for topic, text in texts.items()}
    times = Counter(words.values())
    by_words = {text: topic for topic, text in words.items() if times[text] == 1}
    topics = [by_words.get(without_space(answer.question), answer.id) for answer in answers]
    twice = [topic for topic, count in Counter(topics).items() if count > 1]
    if twice:
        raise InputError(
            f"two questions of the file are question {quoted(twice[0])} of "
            + Parameter("questions")
        )
    return topics


def _warnings(topics: Sequence[str], texts: Mapping[str, str] | None) -> Iterator[str]:
    if texts is None:
        return
    unknown = [topic for topic in topics if topic not in texts]
    if unknown:
        yield (
            Parameter("questions")
            + f" has none of these questions of the file: {join_names(unknown)}"
        )
    missing = [topic for topic in texts if topic not in set(topics)]
    if missing:
        yield f"questions for which the file has nothing: {join_names(missing)}"


def read_chunk_run(path: str | os.PathLike[str], chunks: Chunks | None = None) -> Run:
    """Read a run; JSONL may name chunks by id: {"topic", "chunk", "text"?, "score"?, "run"?}.

    A result whose text is another than that of its chunk is where that text is, and a warning
    says how many there are.

    >>> import pathlib, tempfile
    >>> from doxeval import chunks
    >>> split = chunks.split({"a": "One two. Three four."}, "sentences:1:0")
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "mine.jsonl"
    >>> _ = path.write_text('{"topic": "7", "chunk": "a#2", "text": "four."}\\n')
    >>> run = read_chunk_run(path, split)
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
    """Return the lines of a run with spans for chunks whose result has a text, and warnings."""
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
    resolver = ResultResolver(chunks)
    resolver.look_up([list(items.values())])
    lines = [b""] * max(records)
    for line, record in records.items():
        if line in items:
            resolved = resolver.resolve(items[line])
            record = {key: value for key, value in record.items() if key not in ("chunk", "text")}
            record |= {"doc": resolved.document, "spans": [list(span) for span in resolved.spans]}
            for cost in ("tokens", "added"):
                if getattr(resolved, cost):
                    record.setdefault(cost, getattr(resolved, cost))
        lines[line - 1] = json_text(record).encode()
    return b"\n".join(lines), tuple(resolver.warnings())


def _has_text(record: Any, chunks: Chunks) -> bool:
    """Return whether a result has a text and the id of a chunk, and no spans."""
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
