"""Queries: from the field of a topic to weighted words and phrases.

Keywords are read as NEXI reads them: words, phrases in double quotes, `+` for what is important
(weight 2) and `-` for what is unwanted (weight -1). Text that is not NEXI, such as a question with
its punctuation, is read in the same way, and what cannot be part of a word is left out. The
analysis of an index makes items of these terms: what is looked up in the index.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Literal, NamedTuple, get_args
from unicodedata import category

from doxeval.errors import FormatError, InputError, SyntaxProblem
from doxeval.messages import Parameter, join_names, quoted, suggestion, truncate
from doxeval.retrieve.text import Analysis, normalise_word
from doxeval.topics import About, StructuredQuery, Term, Topic, parse_content, parse_structured

Phrases = Literal["extra", "only", "words"]
PHRASES: tuple[Phrases, ...] = get_args(Phrases)
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
_WEIGHTS = {"": 1.0, "+": 2.0, "-": -1.0}
_PLAIN_QUOTES = str.maketrans({"‘": "'", "’": "'", "“": '"', "”": '"', "„": '"'})
_SIGN_AT_END = re.compile(r"(?:^|\s)([+-])$")
_PUNCTUATION = "_-'.&"


# From topics to terms


class TopicQuery(NamedTuple):
    """The id of a topic, and its query."""

    topic: str
    query: tuple[Term, ...] | StructuredQuery


class TopicQueries(NamedTuple):
    """The queries of topics, in their order, and warnings about topics without one."""

    queries: list[TopicQuery]
    warnings: tuple[str, ...] = ()


def as_topics(given: Iterable[Topic] | Mapping[str, str]) -> list[Topic]:
    """Return topics as they are, or made of titles by id.

    >>> as_topics({"7": "fog horn"})
    [Topic('7', title='fog horn')]
    """
    if isinstance(given, Mapping):
        wrong = [title for title in given.values() if not isinstance(title, str)]
        if wrong:
            raise InputError(f"topics has the query {quoted(wrong[0])}: expected words, by topic")
        return [Topic(str(topic), title=title) for topic, title in given.items()]
    return list(given)


def topic_queries(
    topics: list[Topic], field: str, *, is_structured: bool, skip_missing: bool = False
) -> TopicQueries:
    """Return the query of each topic. Topics without one are an error, or skipped with a warning.

    >>> topics = [Topic("7", title="fog"), Topic("8", castitle="//p[about(., fog horn)]")]
    >>> read = topic_queries(topics, "title", is_structured=False, skip_missing=True)
    >>> [query.topic for query in read.queries], read.warnings
    (['7'], ('topics without a title, which are skipped: 8',))
    >>> read = topic_queries(topics[1:], "castitle", is_structured=False)
    >>> list(map(str, read.queries[0].query))
    ['fog', 'horn']
    """
    if field not in FIELDS:
        raise InputError(f"no field {quoted(field)} of topics{suggestion(field, FIELDS)}")
    _refuse_duplicates(topics)
    read = structured_query if is_structured else content_query
    queries = [(topic, read(topic, field)) for topic in topics]
    missing = [topic.id for topic, query in queries if query is None]
    noun = f"a {field}" if field in _SINGULAR else field
    if len(missing) == len(topics):
        raise InputError(f"no topic has {noun}")
    if missing and not skip_missing:
        raise InputError(
            f"topics without {noun}: {join_names(missing)}; "
            + Parameter("skip_missing", True)
            + " leaves them out"
        )
    warnings = (f"topics without {noun}, which are skipped: {join_names(missing)}",)
    return TopicQueries(
        [TopicQuery(topic.id, query) for topic, query in queries if query is not None],
        warnings if missing else (),
    )


def _refuse_duplicates(topics: list[Topic]) -> None:
    if not topics:
        raise InputError("no topics were given")
    seen: set[str] = set()
    for topic in topics:
        if topic.id in seen:
            raise FormatError(f"duplicate topic {quoted(topic.id)}", topic.origin, topic.line)
        seen.add(topic.id)


def structured_query(topic: Topic, field: str = "castitle") -> StructuredQuery | None:
    """Return the structured query of a topic, if it has one."""
    text = topic.structured
    if text is None:
        return None
    try:
        return parse_structured(text)
    except SyntaxProblem as error:
        message = f"topic {truncate(topic.id)}, {field}, {error}"
        raise SyntaxProblem(message, topic.origin, topic.line) from None


def content_query(topic: Topic, field: str) -> tuple[Term, ...] | None:
    """Return the words and phrases of a field, if the topic has it; of structure the words remain.

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
    return None if text is None else parse_keywords(text, signs=FIELDS[field])


def all_terms(query: StructuredQuery) -> tuple[Term, ...]:
    """Return the terms of all abouts, each once, in order; abouts on attributes do not count.

    >>> query = parse_structured("//a[about(., fog) or about(.//b, thick fog)]")
    >>> [str(term) for term in all_terms(query)]
    ['fog', 'thick']
    """
    return tuple(dict.fromkeys(term for about in text_abouts(query) for term in about.terms))


def text_abouts(query: StructuredQuery) -> list[About]:
    """Return the abouts of a query that can be answered: those on texts, not on attributes."""
    return [
        condition
        for condition in query.conditions
        if isinstance(condition, About) and condition.where.attribute is None
    ]


def parse_keywords(text: str, *, signs: bool = True) -> tuple[Term, ...]:
    """Return the words and phrases of keywords.

    Without `signs`, a `+` or `-` is only punctuation.

    >>> list(map(str, parse_keywords('+fog "sea lion"')))
    ['+fog', '"sea lion"']
    >>> list(map(str, parse_keywords('Is a "sea lion" (-loud) -rare?')))
    ['Is', 'a', '"sea lion"', 'loud', '-rare']
    """
    if signs:
        try:
            return parse_content(text).terms
        except SyntaxProblem:
            pass  # plain text, which has more kinds of characters
    return tuple(_terms_of_plain_text(text.translate(_PLAIN_QUOTES), signs))


def _terms_of_plain_text(text: str, signs: bool) -> Iterator[Term]:
    spaces = str.maketrans({character: " " for character in set(text) if not _in_word(character)})
    parts = text.split('"')
    if len(parts) % 2 == 0:  # the last quotation mark has no partner
        parts[-2:] = [" ".join(parts[-2:])]
    sign = ""
    for number, part in enumerate(parts):
        if number % 2:
            words = tuple(_words(part.translate(spaces)))
            if words:
                yield Term(words, sign, is_phrase=True)
            continue
        before_phrase = _SIGN_AT_END.search(part) if signs else None
        sign = "" if before_phrase is None else before_phrase[1]
        for token in part.split():
            word_sign = token[0] if signs and token[0] in "+-" else ""
            for word in _words(token.translate(spaces)):
                yield Term((word,), word_sign)


def _in_word(character: str) -> bool:
    return character in _PUNCTUATION or category(character)[0] in "LMN"


def _words(text: str) -> Iterator[str]:
    """Yield the words of a text, without punctuation around them."""
    return (word for token in text.split() if (word := token.strip(_PUNCTUATION)))


# From terms to items


class Item(NamedTuple):
    """A word, or a phrase if it has several terms: as it was written, its terms, its weight."""

    text: str
    terms: tuple[str, ...]
    weight: float


def query_items(
    terms: Iterable[Term],
    analysis: Analysis,
    stop: frozenset[str] = frozenset(),
    phrases: Phrases = "extra",
) -> tuple[Item, ...]:
    """Return the items of a query, in its order.

    A word that the analysis divides into several is a phrase. `phrases` says whether a phrase in
    quotes counts beside its words (extra), alone (only), or not at all (words). An unwanted phrase
    counts alone unless only words count: its words may well be wanted. What is repeated counts
    once, with the greatest of its weights. Stop words are left out, unless nothing else is there.

    >>> query = parse_keywords('the "Fog horn" +co-op fog -ship')
    >>> for item in query_items(query, Analysis("s"), frozenset(["the"])):
    ...     print(*item)
    Fog ('fog',) 1.0
    horn ('horn',) 1.0
    Fog horn ('fog', 'horn') 1.0
    co-op ('co', 'op') 2.0
    ship ('ship',) -1.0
    """
    candidates = [
        (item, is_stop_word)
        for term in dict.fromkeys(terms)
        for item, is_stop_word in _items_of_term(term, analysis, stop, phrases)
        if item.terms
    ]
    kept = [item for item, is_stop_word in candidates if not is_stop_word]
    if not any(item.weight > 0 for item in kept):
        kept = [item for item, _ in candidates]
    return _merge_repeated(kept)


def _items_of_term(
    term: Term, analysis: Analysis, stop: frozenset[str], phrases: Phrases
) -> Iterator[tuple[Item, bool]]:
    """Yield the items of a term, each with whether it is a stop word."""
    weight = _WEIGHTS[term.sign]
    whole = Item(" ".join(term.words), (), weight)
    if term.is_phrase and phrases != "words":
        whole = whole._replace(terms=tuple(analysis.terms(whole.text)))
    is_phrase = len(whole.terms) > 1
    if not is_phrase or (phrases == "extra" and weight > 0):
        for word in dict.fromkeys(term.words):
            is_stop_word = normalise_word(word.strip(_PUNCTUATION)) in stop
            yield Item(word, tuple(analysis.terms(word)), weight), is_stop_word
    if is_phrase:
        yield whole, False


def _merge_repeated(items: Iterable[Item]) -> tuple[Item, ...]:
    distinct: dict[tuple[str, ...], Item] = {}
    for item in items:
        known = distinct.setdefault(item.terms, item)
        if item.weight > known.weight:
            distinct[item.terms] = known._replace(weight=item.weight)
    return tuple(distinct.values())
