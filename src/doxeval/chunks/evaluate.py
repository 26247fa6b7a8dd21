"""Runs of chunks scored against gold."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any, Final

from doxeval.assessments import Assessments, read_assessments
from doxeval.chunks.chunks import Chunks, read_chunks
from doxeval.chunks.dataset import Bench, gold_in, refuse_without_gold
from doxeval.chunks.documents import Documents, documents, warnings_about
from doxeval.chunks.gold import questions as read_questions
from doxeval.chunks.questions import Questions
from doxeval.chunks.retrieve import read_chunk_run, retrieve
from doxeval.errors import InputError, warn
from doxeval.evaluation import Counting, Evaluation, Keep, OnDuplicates, RunOptions
from doxeval.measures import as_measure
from doxeval.messages import Parameter, quoted
from doxeval.named import checked
from doxeval.runs import Run
from doxeval.scores import RunView, ScoreTable

PRESET = "rag"
# In all verbs and functions of chunks: whoever gets a chunk twice reads it twice.
DUPLICATES: Final = "keep"


@checked
def evaluate(
    runs: Any,
    gold: Any,
    measures: Any = (),
    *,
    docs: Any = None,
    chunks: Chunks | None = None,
    unit: str = "auto",
    tokens: Any = None,
    max_missing: int | str = 0,
    duplicates: OnDuplicates = DUPLICATES,
    ignore_whitespace: bool = False,
) -> ScoreTable:
    """Score runs of chunks: a run, several, or a dict of them by name.

    Without measures, those of the preset `rag` are taken. `gold` are questions, assessments, or,
    if `docs` are given, a source of questions. `docs` (or `chunks`, which have their
    documents) are needed to count words, in which budgets are then; otherwise budgets are in
    characters. `tokens` says what tokens are; `unit` overrules what budgets count. A chunk that is
    returned twice is read twice, by all measures; with duplicates="drop", names say so.
    `ignore_whitespace` leaves white space out of all counts of characters.
    `max_missing` says how much of the gold of a source may be missing, as `questions` does.

    >>> from doxeval import chunks
    >>> docs = chunks.documents({"a": "One two three. Four five."})
    >>> need = {"spans": [{"doc": "a", "quote": "Four five."}]}
    >>> gold = chunks.questions([{"id": "1", "question": "Who is four?", "needs": [need]}], docs)
    >>> cut = chunks.cut(docs, "sentences:1:0")
    >>> chunks.evaluate(chunks.search(cut, gold), gold, ["bR@2", "all@1"], chunks=cut).mean()
    {'bm25': {'bR@2': 0.9, 'all@1': 1.0}}
    """
    if docs is None and chunks is not None:
        docs = chunks.docs
    about: tuple[str, ...] = ()
    if docs is not None:
        texts = documents(docs)
        about, docs = warnings_about(texts, docs), texts
        gold = gold_in(gold, docs, max_missing)
    chosen = listed_measures(measures)
    evaluation = Evaluation(
        judgments_of(gold),
        _in_unit(chosen, unit),
        presets=() if chosen else (PRESET,),
        chunks=None if chunks is None else chunks.table,
        run_options=RunOptions(duplicates=duplicates),
        counting=Counting(docs, tokens, ignore_whitespace),
    )
    table = short_labels(evaluation.score_all(runs), unit)
    table = replace(table, warnings=(*about, *table.warnings))
    warn(table.all_warnings())
    return table


def evaluation_on(
    bench: Bench,
    measures: Iterable[Any],
    *,
    ignore_whitespace: bool = False,
    keep: Keep | None = None,
) -> Evaluation:
    """An evaluation against the gold of a study, in its unit."""
    by_default = "words" if bench.tokens is None else "tokens"
    unit = "auto" if bench.unit == by_default else bench.unit
    return Evaluation(
        bench.assessments,
        _in_unit(measures, unit),
        run_options=RunOptions(duplicates=DUPLICATES),
        counting=Counting(bench.texts, ignore_whitespace=ignore_whitespace),
        keep=keep or Keep(),
    )


def listed_measures(measures: Any) -> list[Any]:
    """Return one measure or several as a list."""
    if isinstance(measures, str) or not isinstance(measures, Iterable):
        return [measures]
    return list(measures)


def judgments_of(gold: Any) -> Assessments:
    """The judgments of gold."""
    if isinstance(gold, Questions):
        return gold.assessments
    if isinstance(gold, Assessments):
        return gold
    raise InputError(f"gold is {quoted(gold)}: expected questions, or assessments")


def _in_unit(measures: Iterable[Any], unit: str) -> list[Any]:
    """Measures with the unit that is asked for, where they do not say one themselves."""
    if unit == "auto":
        return list(measures)
    return [named_in_unit(one, unit) for one in measures]


def named_in_unit(measure: Any, unit: str) -> Any:
    """The name of a measure that counts a unit; one without units stays as it is.

    >>> named_in_unit("bR@1000", "characters"), named_in_unit("cR@5", "characters")
    ('bR@1000(unit=characters)', 'cR@5')
    """
    value = as_measure(measure)
    if getattr(value, "unit", None) != "auto":
        return measure
    return replace(value, unit=unit).label  # type: ignore[call-arg]  # only measures with a unit


def short_labels(table: ScoreTable, unit: str) -> ScoreTable:
    """The table with measures called as they were asked for, without the unit of all of them.

    That duplicates are read again goes without saying here.
    """
    labels = [one.label_where(DUPLICATES) for one in table.measures]
    if unit != "auto":
        end, inner = f"(unit={unit})", f"unit={unit},"
        labels = [label.replace(end, "").replace(inner, "") for label in labels]
    return table.labelled(labels)


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
    max_missing: int | str = 0,
) -> RunView:
    """Return the scores of a retriever or a run by measure: the preset `rag` if none are named.

    gold: questions with what they need, as `chunks.questions` reads them, or judged spans. found: a
    retriever, which is asked every question for `k` results (`chunks.retrieve` says what it may
    be), or a run or its file. docs: the documents; a retriever needs them, quotes are looked up in
    them, and with them budgets are words, else characters. chunks: all chunks or their file, if
    results are ids of chunks. questions: what is asked, by id or as a file of questions, where gold
    does not say it. max_missing: how much of the gold may be missing, as for `chunks.questions`;
    what is missing is then among the `warnings` of the scores.

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
    known = _gold_for_scores(gold, texts, max_missing)
    refuse_without_gold(judgments_of(known))
    if isinstance(found, str | os.PathLike):
        run: Any = read_chunk_run(found, located)
    elif isinstance(found, Run | Mapping):
        run = found
    else:
        run = retrieve(
            found,
            _questions_to_ask(known, questions, texts),
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


def _gold_for_scores(
    gold: Any, docs: Documents | None, max_missing: int | str
) -> Questions | Assessments:
    """Questions where there are documents to look them up in; else judged spans, as they stand."""
    if isinstance(gold, Questions | Assessments):
        return gold
    if docs is not None:
        return read_questions(gold, docs, max_missing=max_missing)
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


def _questions_to_ask(
    known: Questions | Assessments, given: Any, docs: Documents | None
) -> Mapping[str, str]:
    """What the retriever is asked: the questions that have gold."""
    if given is None:
        texts: Mapping[str, str] = known.texts if isinstance(known, Questions) else {}
    elif isinstance(given, Mapping):
        texts = given
    else:
        texts = read_questions(given, docs, max_missing="100%").texts  # their gold is not asked for
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
