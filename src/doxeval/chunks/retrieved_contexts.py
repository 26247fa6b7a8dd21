"""Runs from files that say what a system retrieved for each question, as texts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from doxeval.chunks.chunk_set import Chunks
from doxeval.chunks.dataset import gold_in
from doxeval.chunks.document_sources import documents, warnings_about
from doxeval.chunks.formats.contexts import Answer, answers_in
from doxeval.chunks.loading import loaded_from
from doxeval.chunks.question_set import Questions
from doxeval.chunks.retrieving import run_of_answers
from doxeval.chunks.transforms import ChunkRun
from doxeval.errors import InputError, MissingInput, warn
from doxeval.messages import Parameter, join_names, quoted
from doxeval.named import checked


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
