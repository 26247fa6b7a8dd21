"""A topic: a user's information need in several fields; the target of its query; its problems."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, fields

from doxeval.errors import FormatError, SyntaxProblem
from doxeval.messages import quoted, short_repr, truncate
from doxeval.topics.nexi import NexiError, parse_content, parse_structured

_CAS_TYPES = {"CAS", "SCAS", "VCAS"}
_NAME = r"(?:\*|[^\W\d][\w.:-]*)"
_TARGET_ELEMENT = re.compile(rf"(?://?)?{_NAME}(?://?{_NAME})*")


@dataclass(frozen=True)
class Topic:
    """A topic of any INEX year. A field that is empty or missing is None.

    cas_parts are the parts of a CAS title of 2002 as (kind, text): te is the target element, cw
    are words, and ce the elements that should contain them.

    >>> topic = Topic("231", title="markov chains", castitle="//sec[about(., markov chains)]")
    >>> topic.structured
    '//sec[about(., markov chains)]'
    """

    id: str
    title: str | None = None
    castitle: str | None = None
    phrasetitle: str | None = None
    description: str | None = None
    narrative: str | None = None
    keywords: str | None = None
    ontopic_keywords: str | None = None
    parent: str | None = None
    initial_statement: str | None = None
    query_type: str | None = None
    candidate_number: str | None = None
    cas_parts: tuple[tuple[str, str], ...] = ()
    # Where it was read from; ignored when topics are compared.
    origin: str | None = field(default=None, compare=False)
    line: int | None = field(default=None, compare=False)

    def __repr__(self) -> str:
        return short_repr(self, 1)

    @property
    def is_cas(self) -> bool:
        """Whether its type says that its query is structured."""
        return self.query_type is not None and self.query_type.upper() in _CAS_TYPES

    @property
    def structured(self) -> str | None:
        """Its structured query: the castitle, or the title of a CAS topic of 2003–04."""
        if self.castitle is not None:
            return self.castitle
        title = self.title or ""
        return title if self.is_cas and title.startswith("/") else None

    @property
    def content(self) -> str | None:
        """Its content-only query: the title, unless the title is the structured query."""
        return None if self.structured is not None and self.castitle is None else self.title


TEXT_FIELDS = tuple(
    item.name for item in fields(Topic) if item.name not in {"id", "cas_parts", "origin", "line"}
)


def target_of(topic: Topic) -> str | None:
    """Return the path patterns of a topic's target, joined by commas; None if it has no target.

    The target of a castitle is the path of the whole query. A CAS title of 2002 names target
    elements instead, `<te>tig</te>`: tags or paths (`bdy/sec`, `article//sec`), separated by
    commas, that may be anywhere in a document unless they begin with `/`.

    >>> target_of(Topic("231", castitle="//article[about(., tides)]//(sec|p)"))
    '//article//(sec|p)'
    >>> target_of(Topic("05", cas_parts=(("te", "tig, fm/au"), ("cw", "QBIC"))))
    '//tig, //fm/au'
    >>> target_of(Topic("91", title="tides"))
    """
    if topic.structured is not None:
        try:
            return str(parse_structured(topic.structured).target)
        except NexiError as error:
            raise _query_problem(topic, str(error)) from None
    patterns = []
    for kind, text in topic.cas_parts:
        for name in re.split("[,|]", text) if kind == "te" else ():
            name = name.strip()
            if not _TARGET_ELEMENT.fullmatch(name):
                reason = f"target element {quoted(name)}: expected a tag or a path such as bdy/sec"
                raise _query_problem(topic, reason)
            patterns.append(name if name.startswith("/") else f"//{name}")
    return ", ".join(patterns) or None


def _query_problem(topic: Topic, reason: str) -> SyntaxProblem:
    where = f"the query of topic {truncate(topic.id)}"
    return SyntaxProblem(f"{where}: {reason}", topic.origin, topic.line)


def problems(topics: Iterable[Topic]) -> Iterator[tuple[FormatError, bool]]:
    """Yield the problems of topics, each with whether it is an error; otherwise it is a warning.

    >>> [(str(problem), is_error) for problem, is_error in problems([Topic("1"), Topic("1")])]
    [("duplicate topic '1'", True)]
    """
    first_of: dict[str, Topic] = {}
    for topic in topics:
        for reason, is_error in _reasons(topic, first_of.setdefault(topic.id, topic)):
            yield FormatError(reason, topic.origin, topic.line), is_error


def _reasons(topic: Topic, first: Topic) -> Iterator[tuple[str, bool]]:
    """Yield what is wrong with a topic, given the first topic with the same id."""
    name = f"topic {quoted(topic.id)}"
    if first is not topic:
        where = f", first on line {first.line}" if first.line is not None else ""
        yield f"duplicate {name}{where}", True
    if topic.structured is not None:
        try:
            parse_structured(topic.structured)
        except SyntaxProblem as error:
            yield f"{name}, castitle, {error}", True
    elif topic.is_cas and not topic.cas_parts:
        yield f"{name} is of type {truncate(str(topic.query_type))} but has no castitle", True
    if topic.content is not None:
        try:
            parse_content(topic.content)
        except SyntaxProblem as error:
            yield f"{name}, title, {error}", False
