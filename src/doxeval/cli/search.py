"""`doxeval search`: baseline runs for topics, or the best results for some words."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from doxeval.cli.terminal import counting_bar, line, marked_line, warn
from doxeval.cli.verb import in_options, refuse, verb
from doxeval.messages import plural, truncate

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from doxeval.retrieve import Explanation, Index, Searcher, SearchOptions
    from doxeval.topics import Term, Topic

_TASKS = (
    "thorough", "focused", "relevant-in-context", "best-in-context", "fetch-browse", "documents",
    "sscas", "svcas", "vscas", "vvcas",
)  # fmt: skip
_FIELDS = (
    "title", "castitle", "phrasetitle", "description", "narrative", "keywords", "ontopic_keywords",
)  # fmt: skip
_FOR_RUNS = ("topic_ids", "query", "skip_missing", "run_id", "format_", "out", "force")
_FOR_FILES = ("run_id", "format_", "out", "force")
_OPTIONS = (
    "task", "model", "articles", "units", "elements", "min_words", "keep", "hint", "overlap",
    "phrases", "stop", "most",
)  # fmt: skip


@verb()
@click.argument("collection", metavar="COLLECTION", type=click.Path())
@click.argument("topics", metavar="[TOPICS]", required=False)
@click.argument("path", metavar="[PATH]", required=False)
@click.option(
    "--task",
    type=click.Choice(_TASKS),
    metavar="TASK",
    default="focused",
    show_default=True,
    help="What is asked for: thorough, focused, relevant-in-context, best-in-context, fetch-browse "
    "or documents; with the structure of castitles sscas, svcas, vscas or vvcas.",
)
@click.option(
    "--out",
    type=click.Path(path_type=Path),
    metavar="RUN",
    help="The file of the run.  [required with TOPICS]",
)
@click.option(
    "--words",
    metavar="QUERY",
    help="Print the best results for some words instead of making a run; with a task that has "
    "structure, for a query in NEXI.",
)
@click.option(
    "--explain",
    nargs=2,
    metavar="TOPIC DOC [PATH]",
    help="Print why an element has its score, or without PATH a document; with --words, DOC PATH.",
)
@click.option(
    "--index",
    "index_directory",
    type=click.Path(path_type=Path),
    metavar="DIR",
    help="The index.  [default: COLLECTION.index]",
)
@click.option(
    "--query",
    type=click.Choice(_FIELDS),
    help="The field of the topics that is the query.  [default: title, or castitle for tasks with "
    "structure]",
)
@click.option(
    "--model",
    metavar="MODEL",
    help="What scores units, such as 'lm(prior=.5)'; `doxeval models` lists models.  [default: "
    "lm(prior=1) for thorough, bm25(context=0) where articles are ranked, lm otherwise]",
)
@click.option(
    "--articles",
    metavar="MODEL|best",
    help="What scores whole articles: a model, or best for the score of their best unit.  "
    "[default: bm25(k1=0.9,b=0.4)]",
)
@click.option(
    "--units",
    metavar="UNITS",
    help="What is scored: elements, 'windows(words,step)', 'passages(words=100)', or FILE.jsonl "
    'with chunks {"doc", "start", "end"}.  [default: elements]',
)
@click.option(
    "--elements",
    metavar="PATTERN",
    help="Return only elements on such paths, like //sec or '//(sec|p)'.  [default: all that are "
    "not inline]",
)
@click.option(
    "--min-words",
    type=click.IntRange(1),
    help="Return only elements with so many words.  [default: 1]",
)
@click.option(
    "--keep",
    type=click.FloatRange(0, 1),
    help="The share of the best score in an article that a result needs.  [default: 0.7 for "
    "relevant-in-context, 0.5 for fetch-browse]",
)
@click.option(
    "--hint",
    type=click.FloatRange(0),
    help="How much the score of an element grows if it fits a vague target.  [default: 0.25]",
)
@click.option(
    "--overlap",
    type=click.Choice(["allowed", "none"]),
    help="For tasks with structure: whether results may share text.  [default: allowed]",
)
@click.option(
    "--phrases",
    type=click.Choice(["extra", "only", "words"]),
    default="extra",
    show_default=True,
    help="Whether a phrase in quotes counts beside its words, alone, or not at all.",
)
@click.option(
    "--stop",
    metavar="english|none|FILE",
    default="english",
    show_default=True,
    help="The words that queries do without.",
)
@click.option(
    "--topic", "topic_ids", metavar="ID", multiple=True, help="Only this topic; may be repeated."
)
@click.option(
    "--skip-missing", is_flag=True, help="Leave out topics without a query, instead of an error."
)
@click.option(
    "--most",
    type=click.IntRange(1),
    help="The most results for a topic.  [default: 1500; 10 with --words]",
)
@click.option("--run-id", metavar="ID", help="The id of the run.  [default: by task and model]")
@click.option(
    "--format",
    "format_",
    type=click.Choice(["text", "inex", "jsonl", "csv", "parquet"]),
    help="Format of the run.  [default: by its name]",
)
@click.option("--force", is_flag=True, help="Replace an existing file.")
def search(collection: str, topics: str | None, path: str | None, **options: Any) -> None:
    """Search a collection: a baseline run for TOPICS, or the best results for some words.

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
    words, explained = options["words"], options["explain"]
    if words is not None:
        if path is not None or topics is not None:
            raise click.UsageError("--words is the query; leave out TOPICS")
        refuse(_FOR_RUNS, "is for runs, not for --words")
    elif topics is None:
        raise click.UsageError("give TOPICS, or a query with --words")
    elif explained is not None:
        refuse((*_FOR_FILES, "topic_ids", "most", "skip_missing"), "has no effect with --explain")
    elif path is not None:
        raise click.UsageError(f"{path}: a path is for --explain")
    elif options["out"] is None:
        raise click.UsageError("give the file of the run: --out RUN")
    if explained is not None:
        _print_explanation(collection, topics, path, options)
    elif words is not None:
        _print_best(collection, options)
    else:
        _write_run(collection, topics or "", options)


def _index(collection: str, options: dict[str, Any]) -> Index:
    from doxeval.documents import Collection
    from doxeval.retrieve import Index

    directory = options["index_directory"]
    return Index.of(collection) if directory is None else Index(directory, Collection(collection))


def _checked(options: dict[str, Any], most: int = 1500) -> SearchOptions:
    """The options of search; those without effect are refused."""
    from doxeval.retrieve import SearchOptions

    given = {name: options[name] for name in _OPTIONS} | {"most": options["most"] or most}
    checked = SearchOptions(**given)
    for name, reason in checked.without_effect().items():
        refuse({name}, in_options(reason))
    return checked


def _write_run(collection: str, topics: str, options: dict[str, Any]) -> None:
    from doxeval.errors import OutputError
    from doxeval.retrieve import search as run_for
    from doxeval.runs import write_run

    out: Path = options["out"]
    if out.exists() and not options["force"]:
        raise OutputError(f"{out} exists; --force replaces it")
    checked = _checked(options)
    index, asked = _index(collection, options), _topics(topics, options["topic_ids"])
    settings = {name: getattr(checked, name) for name in _OPTIONS}
    settings |= {name: options[name] for name in ("query", "run_id", "skip_missing")}
    with counting_bar("Searching", len(asked)) as progress:
        run = run_for(index, asked, **settings, progress=progress)
    warn(run.warnings)
    if not len(run):
        raise OutputError(
            f"{run.run_id} returns nothing: no word of the topics is in what may be returned"
        )
    write_run(run, out, options["format_"])
    line(f"{out}: {plural(len(run), 'result')} for {plural(len(run.topics), 'topic')}")
    for name in ("model", "articles", "units"):
        if name in run.facts:
            line(f"  {name:<9} {run.facts[name]}")


def _topics(file: str, wanted: Sequence[str]) -> list[Topic]:
    """The topics of a file, or only the wanted ones."""
    from doxeval.errors import InputError
    from doxeval.messages import quoted, suggestion
    from doxeval.topics import read_topics

    topics = read_topics(file)
    known = [topic.id for topic in topics]
    for topic in wanted:
        if topic not in known:
            raise InputError(
                f"no topic {quoted(topic)} in the file{suggestion(topic, known)}", file
            )
    return [topic for topic in topics if not wanted or topic.id in wanted]


# For words


def _print_best(collection: str, options: dict[str, Any]) -> None:
    from doxeval.retrieve import all_terms, find_snippets, open_searcher, query_of_words
    from doxeval.topics import StructuredQuery

    searcher = open_searcher(_index(collection, options), _checked(options, most=10))
    query = query_of_words(options["words"], searcher.options)
    answer = searcher.answer(query)
    warn(answer.warnings)
    if not answer.results:
        warn([_why_nothing(searcher, options["words"])])
    terms = all_terms(query) if isinstance(query, StructuredQuery) else query
    places = [place for place, _ in answer.results]
    shown = find_snippets(searcher, terms, places)
    for rank, ((place, score), snippet) in enumerate(zip(answer.results, shown, strict=True), 1):
        where = place.path or f"characters {place.start:,} to {place.end:,}"
        name = searcher.index.collection.id_of(place.document)
        line(f" {where}  {score:.4f}", head=f"{rank:>2}. {name}")
        marked_line(f"    {snippet.text}", [(low + 4, high + 4) for low, high in snippet.found])


def _why_nothing(searcher: Searcher, words: str) -> str:
    """Why a query finds nothing."""
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
    collection: str, topics: str | None, path: str | None, options: dict[str, Any]
) -> None:
    from doxeval.retrieve import explain, parse_keywords, query_field

    checked = _checked(options)
    index = _index(collection, options)
    if topics is None:
        terms, (document, path) = parse_keywords(options["words"]), options["explain"]
    else:
        topic, document = options["explain"]
        field = query_field(checked, options["query"])
        terms = _terms(_topics(topics, [topic])[0], field)
    settings = {name: getattr(checked, name) for name in _OPTIONS}
    for text in _explained(explain(index, terms, document, path, **settings)):
        line(text)


def _terms(topic: Topic, field: str) -> tuple[Term, ...]:
    from doxeval.errors import InputError
    from doxeval.retrieve import content_query

    terms = content_query(topic, field)
    if terms is None:
        raise InputError(f"topic {truncate(topic.id)} has no {field}", topic.origin, topic.line)
    return terms


def _explained(found: Explanation) -> Iterator[str]:
    where = "" if found.path is None else f" {found.path}"
    yield f"{found.document}{where}: {found.score:.9g} by {found.model}"
    yield (
        f"{plural(found.words, 'word')}; its article has {found.article_words:,}, and the score "
        f"{found.article_score:.9g} by {found.article_model}"
    )
    yield ""
    yield f"{'item':<24}{'weight':>7}{'tf':>7}{'article':>9}{'df':>9}{'cf':>10}{'share':>12}"
    for item in found.items:
        counts = f"{item.tf:>7,}{item.article_tf:>9,}{item.documents:>9,}{item.occurrences:>10,}"
        yield f"{truncate(item.text, 23):<24}{item.weight:>7g}{counts}{item.share:>12.6f}"
    for name, share in found.besides.items():
        yield f"{name:<66}{share:>12.6f}"
    yield f"{'score':<66}{found.score:>12.6f}"
