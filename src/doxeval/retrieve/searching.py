"""Topics to a run: the search engine as a whole."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from doxeval.documents import COLLECTION, Collection
from doxeval.errors import InputError, warn
from doxeval.messages import Parameter, join_names, quoted
from doxeval.named import checked
from doxeval.retrieve.index import Index
from doxeval.retrieve.models import Model, as_model
from doxeval.retrieve.options import MOST, Options, Overlap
from doxeval.retrieve.query import Phrases, as_topics, queries_of, terms_of_text
from doxeval.retrieve.searcher import Answer, Searcher
from doxeval.retrieve.units import Chunks
from doxeval.runs import Kind, Result, Run
from doxeval.storage import is_sealed
from doxeval.topics import StructuredQuery, Term, Topic, parse_structured, read_topics

if TYPE_CHECKING:
    from doxeval.retrieve.units import Place

WORDS_MOST = 10


# An index, a collection that has one beside it, or the directory of either.
IndexGiven = Index | Collection | str | os.PathLike[str]


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
    """A run: for each topic the best parts of documents, as the task asks for them.

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
    given = locals()
    names = Options.__dataclass_fields__
    searcher = searcher_for(index, Options.of({name: given[name] for name in names}))
    if isinstance(topics, str | os.PathLike):
        topics = read_topics(topics)
    field = query_field(searcher.options, query)
    asked = queries_of(
        as_topics(topics),
        field,
        is_structured=searcher.options.rules.interpretation is not None,
        skip_missing=skip_missing,
    )
    answers: dict[str, Answer] = {}
    for topic, terms in asked.queries:
        answers[topic] = searcher.answer(terms)
        if progress is not None:
            progress(1)
    results = results_of(answers, searcher.index.collection, task)
    run = Run.from_results(results, run_id or run_name(searcher.options))
    warnings = (*asked.warnings, *_warnings(searcher, answers))
    warn(warnings)
    return replace(run, facts=facts_of(searcher, field), warnings=warnings)


@checked
def search_words(
    index: IndexGiven, words: str, *, task: str = "focused", **options: Any
) -> list[Result]:
    """The best results for a query given as words: ten, unless `most` says otherwise.

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
    options = {"most": WORDS_MOST} | options
    searcher = searcher_for(index, Options.of({"task": task} | options))
    answer = searcher.answer(query_of_words(words, searcher.options))
    warn((*_unit_warnings(searcher), *answer.warnings))
    return list(results_of({words: answer}, searcher.index.collection, task))


def searcher_for(index: IndexGiven, options: Options) -> Searcher:
    """An index, perhaps still to be opened, with options."""
    options.refuse_without_effect()
    if isinstance(index, Index):
        return Searcher(index, options)
    if isinstance(index, Collection) or is_sealed(COLLECTION, Path(index)):
        return Searcher(Index.of(index), options)
    return Searcher(Index(index), options)


def query_of_words(words: str, options: Options) -> tuple[Term, ...] | StructuredQuery:
    """A query that is not from a topic."""
    if options.rules.interpretation is not None:
        return parse_structured(words)
    if not any(map(str.isalnum, words)):
        raise InputError(f"the query {quoted(words)} has no words")
    return terms_of_text(words)


def query_field(options: Options, query: str | None) -> str:
    """The field of the topics that has the query."""
    if options.rules.interpretation is None:
        return query or "title"
    if query not in (None, "castitle"):
        raise InputError(
            Parameter("query") + f" is not for {options.task}, whose queries are castitles"
        )
    return "castitle"


def run_name(options: Options) -> str:
    """What a run is called: its task, units other than elements, and the model.

    >>> run_name(Options("thorough")), run_name(Options("focused", "lm(prior=.5)"))
    ('thorough-lm', 'focused-lm(prior=0.5)')
    >>> run_name(Options("documents")), run_name(Options(units="windows(100,50)"))
    ('documents-bm25', 'focused-windows-lm')
    """
    unit = options.unit_name.kind
    given = options.articles if unit == "documents" else options.model
    chosen = options.rules.model.name if given is None else as_model(given).label
    parts = [options.task]
    parts += [] if unit in ("elements", "documents") else [unit]
    parts += [] if unit == "passages" else [chosen]
    return "-".join(parts)


def facts_of(searcher: Searcher, field: str) -> dict[str, Any]:
    """What is needed to make a run again."""
    options, index = searcher.options, searcher.index
    made_of = {
        "stemmer": index.analysis.stemmer,
        "index": index.seal,
        "collection": index.collection.seal,
        "doxeval": _version(),
    }
    said = options.described()
    told = {**said, "query": field} | made_of
    return {
        **said,
        **made_of,
        "query": "automatic",  # as INEX means it: nobody changed the queries by hand
        "topic_fields": {field: "yes"},
        "description": "doxeval search: " + "; ".join(f"{name} {told[name]}" for name in told),
    }


def _version() -> str:
    # The root package is there already; to import it would tie this room to all others.
    return str(sys.modules["doxeval"].__version__)


def results_of(
    answers: Mapping[str, Answer], collection: Collection, task: str
) -> Iterator[Result]:
    """The results of some topics, as runs have them."""
    for topic, answer in answers.items():
        documents = {returned.place.document for returned in answer.results}
        names = {document: collection.id_of(document) for document in documents}
        for rank, (place, score) in enumerate(answer.results, 1):
            yield Result(topic, names[place.document], *_where(place, task), rank, score)


def _where(place: Place, task: str) -> tuple[Kind, int | None, int | None, tuple[str, ...]]:
    """The kind of a result, its start and end, and its paths."""
    if task == "documents":
        return Kind.DOCUMENT, None, None, ()
    if task == "best-in-context":
        return Kind.POINT, place.start, None, ()
    if place.path is not None:
        return Kind.ELEMENT, None, None, (place.path,)
    return Kind.PASSAGE, place.start, place.end, ()


def _unit_warnings(searcher: Searcher) -> tuple[str, ...]:
    return searcher.kind.warnings if isinstance(searcher.kind, Chunks) else ()


def _warnings(searcher: Searcher, answers: Mapping[str, Answer]) -> Iterator[str]:
    """What to warn about, each once."""
    yield from _unit_warnings(searcher)
    yield from dict.fromkeys(text for answer in answers.values() for text in answer.warnings)
    empty = [topic for topic, answer in answers.items() if not answer.results]
    if empty:
        yield f"topics for which nothing was found, whose lists are empty: {join_names(empty)}"
