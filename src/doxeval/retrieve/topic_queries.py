"""The query of a topic: one of its fields, read as the task needs it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from doxeval.errors import FormatError, InputError, SyntaxProblem
from doxeval.messages import Parameter, join_names, quoted, suggestion, truncate
from doxeval.retrieve.query import terms_of_text
from doxeval.retrieve.structure import all_terms
from doxeval.topics import StructuredQuery, Term, Topic, parse_structured

# The fields that hold a query, and whether a sign before a word means anything in them.
FIELDS = {
    "title": True,
    "castitle": True,
    "phrasetitle": True,
    "description": False,
    "narrative": False,
    "keywords": True,
    "ontopic_keywords": True,
}
_SINGULAR = {"title", "castitle", "phrasetitle", "description", "narrative"}


class TopicQuery(NamedTuple):
    """The id of a topic, and its query."""

    topic: str
    query: tuple[Term, ...] | StructuredQuery


class TopicQueries(NamedTuple):
    """The queries of topics, in their order, and warnings about topics without one."""

    queries: list[TopicQuery]
    warnings: tuple[str, ...] = ()


def queries_of(
    topics: Iterable[Topic], field: str, *, is_structured: bool, skip_missing: bool = False
) -> TopicQueries:
    """The query of each topic. Topics without one are an error, or skipped with a warning.

    >>> topics = [Topic("7", title="fog"), Topic("8", castitle="//p[about(., fog horn)]")]
    >>> found = queries_of(topics, "title", is_structured=False, skip_missing=True)
    >>> [one.topic for one in found.queries], found.warnings
    (['7'], ('topics without a title, which are skipped: 8',))
    >>> found = queries_of(topics[1:], "castitle", is_structured=False)
    >>> list(map(str, found.queries[0].query))
    ['fog', 'horn']
    """
    if field not in FIELDS:
        raise InputError(f"no field {quoted(field)} of topics{suggestion(field, FIELDS)}")
    given = _distinct(topics)
    read = structured_query if is_structured else content_query
    found = [(topic, read(topic, field)) for topic in given]
    missing = [topic.id for topic, query in found if query is None]
    noun = f"a {field}" if field in _SINGULAR else field
    if len(missing) == len(given):
        raise InputError(f"no topic has {noun}")
    if missing and not skip_missing:
        raise InputError(
            f"topics without {noun}: {join_names(missing)}; "
            + Parameter("skip_missing", True)
            + " leaves them out"
        )
    warnings = (f"topics without {noun}, which are skipped: {join_names(missing)}",)
    queries = [TopicQuery(topic.id, query) for topic, query in found if query is not None]
    return TopicQueries(queries, warnings if missing else ())


def _distinct(topics: Iterable[Topic]) -> Sequence[Topic]:
    given = list(topics)
    if not given:
        raise InputError("no topics were given")
    seen: set[str] = set()
    for topic in given:
        if topic.id in seen:
            raise FormatError(f"duplicate topic {quoted(topic.id)}", topic.origin, topic.line)
        seen.add(topic.id)
    return given


def structured_query(topic: Topic, field: str = "castitle") -> StructuredQuery | None:
    """The structured query of a topic, if it has one."""
    text = topic.structured
    if text is None:
        return None
    try:
        return parse_structured(text)
    except SyntaxProblem as error:
        message = f"topic {truncate(topic.id)}, {field}, {error}"
        raise SyntaxProblem(message, topic.origin, topic.line) from None


def content_query(topic: Topic, field: str) -> tuple[Term, ...] | None:
    """The words and phrases of a field, if the topic has it; of structure the words remain.

    CAS topics of 2002 have the words of their `<cw>` as a title.

    >>> content_query(Topic("5", cas_parts=(("te", "tig"), ("cw", "QBIC"))), "title")[0].words
    ('QBIC',)
    """
    if field == "castitle":
        query = structured_query(topic)
        return None if query is None else all_terms(query)
    text = topic.content if field == "title" else getattr(topic, field)
    if text is None and field == "title":
        text = " ".join(part for kind, part in topic.cas_parts if kind == "cw") or None
    return None if text is None else terms_of_text(text, signs=FIELDS[field])


def as_topics(given: Iterable[Topic] | Mapping[str, str]) -> list[Topic]:
    """Topics as they are, or made of titles by id.

    >>> as_topics({"7": "fog horn"})
    [Topic('7', title='fog horn')]
    """
    if isinstance(given, Mapping):
        wrong = [title for title in given.values() if not isinstance(title, str)]
        if wrong:
            raise InputError(f"topics has the query {quoted(wrong[0])}: expected words, by topic")
        return [Topic(str(topic), title=title) for topic, title in given.items()]
    return list(given)
