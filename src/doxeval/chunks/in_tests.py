"""Scores of a retriever or a run in one call, for people's own tests."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from doxeval.assessments import Assessments, read_assessments
from doxeval.chunks.chunk_reading import read_chunks
from doxeval.chunks.chunk_set import Chunks
from doxeval.chunks.dataset import refuse_without_gold
from doxeval.chunks.document_set import Documents
from doxeval.chunks.document_sources import documents, warnings_about
from doxeval.chunks.evaluate import evaluate, judgments_of
from doxeval.chunks.question_set import Questions
from doxeval.chunks.question_sources import questions as read_questions
from doxeval.chunks.retrieving import retrieve
from doxeval.chunks.run_files import read_chunk_run
from doxeval.errors import InputError
from doxeval.messages import Parameter
from doxeval.runs import Run
from doxeval.scores import RunView


def scores_of_chunks(
    gold: Any,
    found: Any,
    *,
    docs: Any = None,
    chunks: Any = None,
    questions: Any = None,
    measures: str | Iterable[str] = (),
    k: int = 50,
    workers: int = 1,
    max_lost: int | str = 0,
) -> RunView:
    """Return the scores of a retriever or a run by measure: the preset `rag` if none are named.

    gold: questions with what they need, as `chunks.questions` reads them, or judged spans. found: a
    retriever, which is asked every question for `k` results (`chunks.retrieve` says what it may
    be), or a run or its file. docs: the documents; a retriever needs them, quotes are looked up in
    them, and with them budgets are words, else characters. chunks: all chunks or their file, if
    results are ids of chunks. questions: what is asked, by id or as a file of questions, where gold
    does not say it. max_lost: how much of the gold may be missing, as for `chunks.questions`; what
    is missing is then among the `warnings` of the scores.

    >>> docs = {"terms": "Thirty days. Unused goods only."}
    >>> need = {"spans": [{"doc": "terms", "quote": "Thirty days"}]}
    >>> gold = [{"id": "1", "question": "How long?", "needs": [need]}]
    >>> scores_of_chunks(gold, lambda question: ["Thirty days."], docs=docs)["bR@500"]
    1.0
    """
    texts = None if docs is None else documents(docs)
    located = _located(chunks, texts)
    if texts is None and located is not None:
        texts = located.docs
    known = _gold(gold, texts, max_lost)
    refuse_without_gold(judgments_of(known))
    if isinstance(found, str | os.PathLike):
        run: Any = read_chunk_run(found, located)
    elif isinstance(found, Run | Mapping):
        run = found
    else:
        run = retrieve(
            found,
            _asked(known, questions, texts),
            _places(located, texts),
            k,
            workers,
            progress=False,
        )
    names = [measures] if isinstance(measures, str) else list(measures)
    table = evaluate(run, known, names, docs=texts, chunks=located)
    about = () if texts is None or docs is None else warnings_about(texts, docs)
    return replace(table, warnings=(*about, *table.warnings)).view(0)


def _located(chunks: Any, docs: Documents | None) -> Chunks | None:
    if chunks is None or isinstance(chunks, Chunks):
        return chunks
    return read_chunks(chunks, docs)


def _gold(gold: Any, docs: Documents | None, max_lost: int | str) -> Questions | Assessments:
    """Questions where there are documents to look them up in; else judged spans, as they stand."""
    if isinstance(gold, Questions | Assessments):
        return gold
    if docs is not None:
        return read_questions(gold, docs, max_lost=max_lost)
    if isinstance(gold, str | os.PathLike):
        return read_assessments(gold)
    raise InputError(
        Parameter("docs") + " is needed: the documents in which the gold of these questions stands"
    )


def _places(chunks: Chunks | None, docs: Documents | None) -> Chunks:
    """Where results are looked up: the chunks, or without any, the documents alone."""
    if docs is None:
        raise InputError(
            Parameter("docs") + " is needed: the documents in which the retriever's results stand"
        )
    if chunks is None:
        return Chunks.of(docs, [], [])
    return chunks


def _asked(known: Questions | Assessments, given: Any, docs: Documents | None) -> Mapping[str, str]:
    """What the retriever is asked: the questions that have gold."""
    if given is None:
        texts: Mapping[str, str] = known.texts if isinstance(known, Questions) else {}
    elif isinstance(given, Mapping):
        texts = given
    else:
        texts = read_questions(given, docs, max_lost="100%").texts  # their gold is not asked for
    assessed = known.assessments.topics if isinstance(known, Questions) else known.topics
    asked = {topic: texts[topic] for topic in assessed if texts.get(topic)}
    missing = [topic for topic in assessed if topic not in asked]
    if missing:
        raise InputError(
            f"what is asked is not known for {len(missing):,} of {len(assessed):,} questions, the "
            f"first {missing[0]!r}: "
            + Parameter("questions")
            + " names a file of questions, or their texts by id"
        )
    return asked
