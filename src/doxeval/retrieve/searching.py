"""Search for topics or for words: an index and options in, a run or results out."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from doxeval.arrays import Ints
from doxeval.columns import Labels, by_first_appearance
from doxeval.documents import COLLECTION, Collection
from doxeval.errors import InputError, warn
from doxeval.messages import Parameter, join_names, quoted
from doxeval.named import checked
from doxeval.retrieve.index import Index
from doxeval.retrieve.models import Model
from doxeval.retrieve.options import MOST, Options, Overlap
from doxeval.retrieve.query import Phrases, as_topics, terms_of_text, topic_queries
from doxeval.retrieve.searcher import Searcher, SearchResults
from doxeval.runs import Kind, Result, Run
from doxeval.storage import is_sealed
from doxeval.topics import StructuredQuery, Term, Topic, parse_structured, read_topics

MOST_FOR_WORDS = 10

# An index, a collection that has one beside it, or the directory of either.
IndexGiven = Index | Collection | str | os.PathLike[str]
TopicsGiven = Iterable[Topic] | Mapping[str, str] | str | os.PathLike[str]


@checked
def search(
    index: IndexGiven,
    topics: Iterable[Topic] | Mapping[str, str] | str | os.PathLike[str],
    task: str = "focused",
    model: Model | str | None = None,
    *,
    articles: Model | str | None = None,
    units: str | None = None,
    query: str | None = None,
    elements: str | None = None,
    min_words: int | None = None,
    keep: float | None = None,
    hint: float | None = None,
    overlap: Overlap | None = None,
    phrases: Phrases = "extra",
    stop: str | os.PathLike[str] | Iterable[str] = "english",
    most: int = MOST,
    run_id: str | None = None,
    skip_missing: bool = False,
    progress: Callable[[int], object] | None = None,
) -> Run:
    """Search for topics, and return a run: the best parts of documents, as the task requires.

    index: an index or its directory; a collection, or its directory, stands for its index.
    task: thorough, focused, relevant-in-context, best-in-context, fetch-browse, documents; with
    the structure of castitles sscas, svcas, vscas, vvcas. model: a model that scores units, as a
    value or a name such as "lm(prior=.5)"; by default it depends on the task. articles: a model
    that scores whole articles, or "best" to rank them by their best unit. units: elements,
    windows(words,step), passages(words=100), or a file of chunks.

    query: the field of the topics that is the query, by default the title, or the castitle if the
    task has structure. elements: a path pattern of elements that may be returned; min_words: how
    many words they have at least. keep: in context, the share of the best score in an article that
    a result needs. hint: how much an element gains that fits a vague target. overlap: with
    structure, whether results may share text ("allowed") or not ("none").

    phrases: whether phrases in quotes count beside their words ("extra"), alone ("only"), or not
    at all ("words"). stop: words that queries do without: "english", "none", a file, or words.
    most: how many results a topic has at most. skip_missing leaves out topics without a query,
    which are an error otherwise. progress is called with 1 after each topic.

    Warnings, and what is needed to make the run again, are in `run.warnings` and `run.facts`.
    Warnings are emitted too, as DoxevalWarning.

    >>> from doxeval.documents.examples import example_collection
    >>> from doxeval.retrieve.index_build import build_index
    >>> first = "<article><p>Fog on the sea.</p><p>A horn.</p></article>"
    >>> second = "<article><p>Fog horns.</p></article>"
    >>> collection = example_collection({"a": first, "b": second})
    >>> index = Index(build_index(collection).directory, collection)
    >>> run = search(index, {"7": "fog horn"})
    >>> run
    Run('focused-lm': 3 results for 1 topic, elements)
    >>> [(result.document, *result.paths) for result in run]
    [('b', '/article[1]'), ('a', '/article[1]/p[2]'), ('a', '/article[1]/p[1]')]
    >>> search(index, {"7": "fog horn"}, "relevant-in-context", "bm25(idf=words)")
    Run('relevant-in-context-bm25(idf=words)': 2 results for 1 topic, elements)
    """
    options = Options(
        task=task,
        model=model,
        articles=articles,
        units=units,
        elements=elements,
        min_words=min_words,
        keep=keep,
        hint=hint,
        overlap=overlap,
        phrases=phrases,
        stop=stop if isinstance(stop, str | os.PathLike) else frozenset(stop),
        most=most,
    )
    run = search_topics(
        searcher_for(index, options),
        topics,
        query=query,
        run_id=run_id,
        skip_missing=skip_missing,
        progress=progress,
    )
    warn(run.warnings)
    return run


def search_topics(
    searcher: Searcher,
    topics: TopicsGiven,
    *,
    query: str | None = None,
    run_id: str | None = None,
    skip_missing: bool = False,
    progress: Callable[[int], object] | None = None,
) -> Run:
    """Search for topics as `search` does, with an index and options that are ready.

    Warnings are in `run.warnings` only; they are not emitted.
    """
    options = searcher.options
    if isinstance(topics, str | os.PathLike):
        topics = read_topics(topics)
    field = query_field(options, query)
    queries, missing_warnings = topic_queries(
        as_topics(topics),
        field,
        is_structured=options.rules.interpretation is not None,
        skip_missing=skip_missing,
    )
    answers: dict[str, SearchResults] = {}
    for topic, terms in queries:
        answers[topic] = searcher.answer(terms)
        if progress is not None:
            progress(1)
    warnings = (*missing_warnings, *_warnings(searcher, answers))
    run = _run_of(answers, searcher, run_id or options.run_name())
    return replace(run, facts=_run_facts(searcher, field), warnings=warnings)


@checked
def search_words(
    index: IndexGiven, words: str, *, task: str = "focused", **options: Any
) -> list[Result]:
    """Search for words, and return the best results: ten, unless `most` says otherwise.

    With a task that has structure, the query is NEXI like `//sec[about(., fog)]`. Options are those
    of `search`. The topic of the results is the query itself.

    >>> from doxeval.documents.examples import example_collection
    >>> from doxeval.retrieve.index_build import build_index
    >>> text = "<article><p>Fog on the sea.</p><p>A horn.</p></article>"
    >>> collection = example_collection({"a": text})
    >>> index = Index(build_index(collection).directory, collection)
    >>> [result.paths for result in search_words(index, "fog", most=1)]
    [('/article[1]/p[1]',)]
    """
    options = {"most": MOST_FOR_WORDS} | options
    searcher = searcher_for(index, Options.of({"task": task} | options))
    answer = searcher.answer(query_of_words(words, searcher.options))
    warn((*searcher.units.warnings, *answer.warnings))
    return list(_run_of({words: answer}, searcher, "words"))


def searcher_for(index: IndexGiven, options: Options) -> Searcher:
    """Return a searcher for an index, which may still have to be opened."""
    options.refuse_without_effect()
    if isinstance(index, Index):
        return Searcher(index, options)
    if isinstance(index, Collection) or is_sealed(COLLECTION, Path(index)):
        return Searcher(Index.of(index), options)
    return Searcher(Index(index), options)


def query_of_words(words: str, options: Options) -> tuple[Term, ...] | StructuredQuery:
    """Return a query that is not from a topic."""
    if options.rules.interpretation is not None:
        return parse_structured(words)
    if not any(map(str.isalnum, words)):
        raise InputError(f"the query {quoted(words)} has no words")
    return terms_of_text(words)


def query_field(options: Options, query: str | None) -> str:
    """Return the field of the topics that has the query."""
    if options.rules.interpretation is None:
        return query or "title"
    if query not in (None, "castitle"):
        raise InputError(
            Parameter("query") + f" is not for {options.task}, whose queries are castitles"
        )
    return "castitle"


# Runs


def _run_of(answers: Mapping[str, SearchResults], searcher: Searcher, run_id: str) -> Run:
    """Return the results of some topics as a run, column by column."""
    topics = [topic for topic, answer in answers.items() if len(answer.scores)]
    lists = [answers[topic] for topic in topics]
    counts = [len(answer.scores) for answer in lists]
    rows = sum(counts)
    kind, start, end, path_labels = _locations(lists, rows, searcher.options.task)
    collection = searcher.index.collection
    document = _joined([answer.spans.document for answer in lists])
    documents, document_numbers = by_first_appearance(range(len(collection)), document)
    return Run(
        run_id,
        Labels.of(topics, np.repeat(np.arange(len(topics)), counts)),
        Labels.of([collection.id_of(number) for number in documents], document_numbers),
        path_labels,
        np.full(rows, kind, dtype=np.int64),
        start,
        end,
        _joined([np.arange(1, count + 1) for count in counts]) if rows else None,
        np.concatenate([answer.scores for answer in lists]) if rows else None,
        np.arange(1, rows + 1),
    )


def _locations(
    lists: list[SearchResults], rows: int, task: str
) -> tuple[Kind, Ints, Ints, Labels[tuple[str, ...]]]:
    """Return the kind of the results, their starts and ends, and their paths."""
    nowhere, no_paths = np.full(rows, -1, dtype=np.int64), Labels[tuple[str, ...]].none(rows)
    if task == "documents":
        return Kind.DOCUMENT, nowhere, nowhere, no_paths
    start = _joined([answer.spans.start for answer in lists])
    if task == "best-in-context":
        return Kind.POINT, start, nowhere, no_paths
    if any(answer.spans.paths is not None for answer in lists):
        numbers: dict[str, int] = {}
        for answer in lists:
            for path in answer.spans.paths or ():
                numbers.setdefault(path, len(numbers))
        which = [numbers[path] for answer in lists for path in answer.spans.paths or ()]
        paths: list[tuple[str, ...]] = [(path,) for path in numbers]
        labels = Labels.of(paths, np.array(which, dtype=np.int64))
        return Kind.ELEMENT, nowhere, nowhere, labels
    return Kind.PASSAGE, start, _joined([answer.spans.end for answer in lists]), no_paths


def _joined(columns: list[Ints]) -> Ints:
    return np.concatenate([np.empty(0, dtype=np.int64), *columns]).astype(np.int64, copy=False)


def _run_facts(searcher: Searcher, field: str) -> dict[str, Any]:
    """Return what is needed to make a run again."""
    index = searcher.index
    described = searcher.options.describe()
    made_of = {
        "stemmer": index.analysis.stemmer,
        "index": index.seal,
        "collection": index.collection.seal,
        "doxeval": _version(),
    }
    shown = {**described, "query": field} | made_of
    return {
        **described,
        **made_of,
        "query": "automatic",  # as INEX means it: nobody changed the queries by hand
        "topic_fields": {field: "yes"},
        "description": "doxeval search: " + "; ".join(f"{name} {shown[name]}" for name in shown),
    }


def _version() -> str:
    # The root package is loaded already; importing it would tie this room to all others, and
    # metadata of an installed package does not exist where doxeval runs from its sources.
    return str(sys.modules["doxeval"].__version__)


def _warnings(searcher: Searcher, answers: Mapping[str, SearchResults]) -> Iterator[str]:
    """Yield what to warn about, each once."""
    yield from searcher.units.warnings
    yield from dict.fromkeys(text for answer in answers.values() for text in answer.warnings)
    empty = [topic for topic, answer in answers.items() if not len(answer.scores)]
    if empty:
        yield f"topics for which nothing was found, whose lists are empty: {join_names(empty)}"
