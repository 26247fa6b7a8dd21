"""A query as items: words and phrases, each with a weight.

Keywords are read as NEXI reads them: words, phrases in double quotes, `+` for what is important
(weight 2) and `-` for what is unwanted (weight -1). Text that is not NEXI, such as a question with
its punctuation, is read in the same way, and what cannot be part of a word is left out.

The query of a topic: one of its fields, read as the task needs it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Literal, NamedTuple, Protocol, get_args
from unicodedata import category

from doxeval.errors import FormatError, InputError, SyntaxProblem
from doxeval.messages import Parameter, join_names, quoted, suggestion, truncate
from doxeval.retrieve.nexi import all_terms
from doxeval.retrieve.text import normalised
from doxeval.topics import StructuredQuery, Term, Topic, parse_content, parse_structured

Phrases = Literal["extra", "only", "words"]
PHRASES: tuple[Phrases, ...] = get_args(Phrases)
_WEIGHTS = {"": 1.0, "+": 2.0, "-": -1.0}
_PLAIN_QUOTES = str.maketrans({"‘": "'", "’": "'", "“": '"', "”": '"', "„": '"'})
_SIGN_AT_END = re.compile(r"(?:^|\s)([+-])$")
_PUNCTUATION = "_-'.&"


class Analysis(Protocol):
    """How text becomes terms; that of an index makes those the index has."""

    def terms(self, text: str) -> list[str]:
        """The stemmed terms of a piece of text."""


class Item(NamedTuple):
    """A word, or a phrase if it has several terms: as it was written, its terms, its weight."""

    text: str
    terms: tuple[str, ...]
    weight: float


class _Reading(NamedTuple):
    """An item, and whether it is a stop word."""

    item: Item
    is_stop_word: bool


def terms_of_text(text: str, *, signs: bool = True) -> tuple[Term, ...]:
    """The words and phrases of keywords; without `signs`, a `+` or `-` is only punctuation.

    >>> list(map(str, terms_of_text('+fog "sea lion"')))
    ['+fog', '"sea lion"']
    >>> list(map(str, terms_of_text('Is a "sea lion" (-loud) -rare?')))
    ['Is', 'a', '"sea lion"', 'loud', '-rare']
    """
    if signs:
        try:
            return parse_content(text).terms
        except SyntaxProblem:
            pass  # plain text, which has more kinds of characters
    return tuple(_plain_terms(text.translate(_PLAIN_QUOTES), signs))


def _plain_terms(text: str, signs: bool) -> Iterator[Term]:
    is_word_character = {character: _in_word(character) for character in set(text)}
    spaces = str.maketrans({one: " " for one, is_one in is_word_character.items() if not is_one})
    pieces = text.split('"')
    if len(pieces) % 2 == 0:  # the last quotation mark has no partner
        pieces[-2:] = [" ".join(pieces[-2:])]
    sign = ""
    for number, piece in enumerate(pieces):
        if number % 2:
            words = tuple(_words(piece.translate(spaces)))
            if words:
                yield Term(words, sign, is_phrase=True)
            continue
        found = _SIGN_AT_END.search(piece) if signs else None
        sign = "" if found is None else found[1]
        for token in piece.split():
            own = token[0] if signs and token[0] in "+-" else ""
            for word in _words(token.translate(spaces)):
                yield Term((word,), own)


def _in_word(character: str) -> bool:
    return character in _PUNCTUATION or category(character)[0] in "LMN"


def _words(text: str) -> Iterator[str]:
    """The words of a text, without punctuation around them."""
    return (word for token in text.split() if (word := token.strip(_PUNCTUATION)))


def items_of(
    terms: Iterable[Term],
    analysis: Analysis,
    stop: frozenset[str] = frozenset(),
    phrases: Phrases = "extra",
) -> tuple[Item, ...]:
    """The items of a query, in its order.

    A word that the analysis cuts in several is a phrase. `phrases` says whether a phrase in quotes
    counts beside its words (extra), alone (only), or not at all (words). An unwanted phrase counts
    alone unless only words count: its words may well be wanted. What is repeated counts once, with
    the greatest of its weights. Stop words are left out, unless nothing else is asked for.

    >>> class Plain:
    ...     def terms(self, text):
    ...         return text.lower().replace("-", " ").split()
    >>> query = terms_of_text('the "Fog horn" +co-op fog -ship')
    >>> for item in items_of(query, Plain(), frozenset(["the"])):
    ...     print(*item)
    Fog ('fog',) 1.0
    horn ('horn',) 1.0
    Fog horn ('fog', 'horn') 1.0
    co-op ('co', 'op') 2.0
    ship ('ship',) -1.0
    """
    if phrases not in PHRASES:
        expected = ", ".join(PHRASES)
        raise InputError(Parameter("phrases", phrases) + f": expected one of {expected}")
    readings = [
        reading
        for term in dict.fromkeys(terms)
        for reading in _readings(term, analysis, stop, phrases)
        if reading.item.terms
    ]
    kept = [item for item, is_stop_word in readings if not is_stop_word]
    if not any(item.weight > 0 for item in kept):
        kept = [item for item, _ in readings]
    return _without_repetition(kept)


def _readings(
    term: Term, analysis: Analysis, stop: frozenset[str], phrases: Phrases
) -> Iterator[_Reading]:
    weight = _WEIGHTS[term.sign]
    whole = Item(" ".join(term.words), (), weight)
    if term.is_phrase and phrases != "words":
        whole = whole._replace(terms=tuple(analysis.terms(whole.text)))
    is_phrase = len(whole.terms) > 1
    if not is_phrase or (phrases == "extra" and weight > 0):
        for word in dict.fromkeys(term.words):
            is_stop_word = normalised(word.strip(_PUNCTUATION)) in stop
            yield _Reading(Item(word, tuple(analysis.terms(word)), weight), is_stop_word)
    if is_phrase:
        yield _Reading(whole, False)


def _without_repetition(items: Iterable[Item]) -> tuple[Item, ...]:
    distinct: dict[tuple[str, ...], Item] = {}
    for item in items:
        known = distinct.setdefault(item.terms, item)
        if item.weight > known.weight:
            distinct[item.terms] = known._replace(weight=item.weight)
    return tuple(distinct.values())


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
