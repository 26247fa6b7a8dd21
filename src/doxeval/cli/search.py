"""`doxeval search`: baseline runs for topics, or the best results for some words."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import click

from doxeval.cli.options import (
    EngineOptions,
    NewMetadataOptions,
    RunFormat,
    force_option,
    jobs_option,
    out_option,
    refuse_existing,
)
from doxeval.cli.output import (
    counting_bar,
    line,
    marked_line,
    print_figures,
    print_table,
    warn,
)
from doxeval.cli.verb import LibraryOptions, in_options, library_options, part, refuse, verb
from doxeval.messages import plural, truncate
from doxeval.named import option

if TYPE_CHECKING:
    from collections.abc import Sequence

    from doxeval.retrieve import Explanation, Searcher, SearchOptions
    from doxeval.topics import Term, Topic

_FOR_FILES = (
    "run_id",
    "format",
    "metadata",
    "platform",
    "jobs",
    "engine",
    "patience",
    "out",
    "force",
)
_FOR_RUNS = ("topic", "query", "skip_missing", *_FOR_FILES)


@dataclass(frozen=True)
class SearchVerbOptions:
    """What is searched for, how, and what is written."""

    out: Path | None = out_option("The file of the run.  [required with TOPICS]", None, "RUN")
    words: str | None = option(
        None,
        "Print the best results for some words instead of making a run; with a task that has "
        "structure, for a query in NEXI.",
        metavar="QUERY",
    )
    explain: tuple[str, str] | None = option(
        None,
        "Print why an element has its score, or without WHERE a document; a window, a passage or "
        "a chunk by its characters, START-END, and a chunk also by its id instead of DOC. With "
        "--words, leave out TOPIC.",
        metavar="TOPIC DOC [WHERE]",
    )
    index: Path | None = option(None, "The index.", metavar="DIR", shown_default="COLLECTION.index")
    query: (
        Literal[
            "title",
            "castitle",
            "phrasetitle",
            "description",
            "narrative",
            "keywords",
            "ontopic_keywords",
        ]
        | None
    ) = option(
        None,
        "The field of the topics that is the query.",
        shown_default="title, or castitle for tasks with structure",
    )
    search: LibraryOptions[SearchOptions] = library_options("doxeval.retrieve:SearchOptions")
    topic: tuple[str, ...] = option((), "Only this topic; may be repeated.", metavar="ID")
    skip_missing: bool = option(False, "Leave out topics without a query, instead of an error.")
    run_id: str | None = option(
        None, "The id of the run.", metavar="ID", shown_default="by task and model"
    )
    format: RunFormat | None = option(None, "Format of the run.", shown_default="by its name")
    about: NewMetadataOptions = part(NewMetadataOptions)
    jobs: int | None = jobs_option()
    engine: EngineOptions = part(EngineOptions)
    force: bool = force_option()


@verb(SearchVerbOptions)
@click.argument("collection", metavar="COLLECTION", type=click.Path())
@click.argument("topics", metavar="[TOPICS]", required=False)
@click.argument("where", metavar="[WHERE]", required=False)
def search(
    collection: str, topics: str | None, where: str | None, options: SearchVerbOptions
) -> None:
    """Search a collection: a run for TOPICS, or results for words.

    TOPICS is a file, or irds:NAME for the queries of a data set of ir_datasets.

    The collection needs an index: `doxeval index build COLLECTION`. All units in which a word of
    the query occurs are scored exactly. In queries, "…" is a phrase, + marks what is important, and
    - what is unwanted.

    \b
    Examples:
      doxeval search wiki --words 'fog horn'
      doxeval search wiki topics.xml --task focused --out focused.run
      doxeval search wiki topics.xml --task relevant-in-context --model 'bm25(k1=2)' --out ric.run
      doxeval search wiki topics.xml --task vvcas --overlap none --out cas.run
      doxeval search wiki topics.xml --units chunks.jsonl --model bm25 --out chunks.jsonl
      doxeval search wiki topics.xml --explain 231 12345 '/article[1]/sec[2]'
    """
    if options.words is not None:
        if where is not None or topics is not None:
            raise click.UsageError("--words is the query; leave out TOPICS")
        refuse(_FOR_RUNS, "is for runs, not for --words")
    elif topics is None:
        raise click.UsageError("give TOPICS, or a query with --words")
    elif options.explain is not None:
        refuse(
            (*_FOR_FILES, "topic", "max_results", "skip_missing"),
            "has no effect with --explain",
        )
    elif where is not None:
        raise click.UsageError(f"{where}: a part of a document is for --explain")
    elif options.out is None:
        raise click.UsageError("give the file of the run: --out RUN")
    if options.explain is not None:
        _print_explanation(collection, topics, where, options.explain, options)
    elif options.words is not None:
        _print_best(collection, options.words, options)
    elif topics is not None and options.out is not None:
        _write_run(collection, topics, options.out, options)


def _searcher(collection: str, options: SearchVerbOptions, **defaults: Any) -> Searcher:
    """Return the index with the options of search; those without effect are refused."""
    from doxeval.documents import Collection
    from doxeval.retrieve import Index, open_searcher

    chosen = options.search.value(**defaults)
    for name, reason in chosen.without_effect.items():
        refuse({name}, in_options(reason))
    directory = options.index
    index = Index.of(collection) if directory is None else Index(directory, Collection(collection))
    return open_searcher(index, chosen)


def _write_run(collection: str, topics: str, out: Path, options: SearchVerbOptions) -> None:
    from doxeval.errors import OutputError
    from doxeval.retrieve import SearchPlace, search_topics

    options.engine.check()
    refuse_existing(*options.about.files_of(out), force=options.force)
    searcher = _searcher(collection, options)
    chosen = _topics(topics, options.topic)
    cores = 1 if options.engine.engine is not None else os.cpu_count() or 1
    with (
        options.engine.opened() as engine,
        counting_bar("Searching", len(chosen)) as progress,
    ):
        run = search_topics(
            searcher,
            chosen,
            query=options.query,
            run_id=options.run_id,
            skip_missing=options.skip_missing,
            place=SearchPlace(options.jobs or cores, engine=engine),
            progress=progress,
        )
    warn(run.warnings)
    if not len(run):
        raise OutputError(
            f"{run.run_id} returns nothing: no word of the topics is in what may be returned"
        )
    options.about.write(run, out, options.format)
    line(f"{out}: {plural(len(run), 'result')} for {plural(len(run.topics), 'topic')}")
    names = ("model", "articles", "units")
    print_figures((name, str(run.facts[name])) for name in names if name in run.facts)


def _topics(file: str, ids: Sequence[str]) -> list[Topic]:
    """Return the topics of a file, or only those with some ids."""
    from doxeval.errors import InputError
    from doxeval.messages import quoted, suggestion
    from doxeval.topics import read_topics

    topics = read_topics(file)
    known = [topic.id for topic in topics]
    for topic in ids:
        if topic not in known:
            raise InputError(
                f"no topic {quoted(topic)} in the file{suggestion(topic, known)}", file
            )
    return [topic for topic in topics if not ids or topic.id in ids]


# For words


def _print_best(collection: str, words: str, options: SearchVerbOptions) -> None:
    from doxeval.retrieve import MOST_FOR_WORDS, all_terms, find_snippets, query_of_words
    from doxeval.topics import StructuredQuery

    searcher = _searcher(collection, options, max_results=MOST_FOR_WORDS)
    query = query_of_words(words, searcher.options)
    answer = searcher.answer(query)
    warn(answer.warnings)
    if not len(answer.scores):
        warn([_why_nothing(searcher, words)])
    terms = all_terms(query) if isinstance(query, StructuredQuery) else query
    snippets = find_snippets(searcher, terms, answer.spans)
    results = zip(answer.spans.rows(), answer.scores.tolist(), snippets, strict=True)
    for rank, ((document, start, end, path), score, snippet) in enumerate(results, 1):
        name = searcher.index.collection.id_of(document)
        where = path or f"characters {start:,} to {end:,}"
        line(f" {where}  {score:.4f}", head=f"{rank:>2}. {name}")
        marked_line(f"    {snippet.text}", [(low + 4, high + 4) for low, high in snippet.marked])


def _why_nothing(searcher: Searcher, words: str) -> str:
    """Return why nothing was found for a query."""
    from doxeval.retrieve import parse_keywords

    if searcher.options.rules.interpretation is not None:
        return "nothing fits the query"
    terms = parse_keywords(words)
    items = searcher.items(terms)
    if items and all(item.weight < 0 for item in items):
        return "the query has only unwanted words; give at least one without -"
    if searcher.occurrences(terms).is_positive.any():
        return "words of the query occur, but in nothing that may be returned"
    return "no word of the query occurs in the collection"


# For one score


def _print_explanation(
    collection: str,
    topics: str | None,
    where: str | None,
    names: tuple[str, str],
    options: SearchVerbOptions,
) -> None:
    from doxeval.retrieve import explain, parse_keywords, query_field

    searcher = _searcher(collection, options)
    if topics is None:
        terms, (document, where) = parse_keywords(options.words or ""), names
    else:
        topic, document = names
        field = query_field(searcher.options, options.query)
        terms = _terms(_topics(topics, [topic])[0], field)
    _print_scoring(explain(searcher, terms, document, where))


def _terms(topic: Topic, field: str) -> tuple[Term, ...]:
    from doxeval.errors import InputError
    from doxeval.retrieve import content_query

    terms = content_query(topic, field)
    if terms is None:
        raise InputError(f"topic {truncate(topic.id)} has no {field}", topic.origin, topic.line)
    return terms


def _print_scoring(explained: Explanation) -> None:
    """Print the score of a unit, and what each item of the query adds to it."""
    where = "" if explained.path is None else f" {explained.path}"
    if explained.span is not None:
        where = f" characters {explained.span[0]:,} to {explained.span[1]:,}"
    line(f"{explained.document}{where}: {explained.score:.9g} by {explained.model}")
    segment = explained.segment_words
    of_these = "" if segment is None else f", of which a segment of {segment:,} is scored"
    line(
        f"{plural(explained.words, 'word')}{of_these}; its article has "
        f"{explained.article_words:,}, and the score {explained.article_score:.9g} by "
        f"{explained.article_model}"
    )
    line()
    rows = [
        [
            truncate(item.text, 40),
            f"{item.weight:.6g}",
            *(f"{n:,.6g}" if isinstance(n, float) else f"{n:,}" for n in counts),
            f"{item.share:.6f}",
        ]
        for item in explained.items
        for counts in [(item.tf, item.article_tf, item.documents, item.occurrences)]
    ]
    sums = {**explained.besides, "score": explained.score}
    rows += [[name, *[""] * 5, f"{share:.6f}"] for name, share in sums.items()]
    print_table(["item", "weight", "tf", "article", "df", "cf", "share"], rows)
