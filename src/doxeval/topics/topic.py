"""A topic: a user's information need, in several fields.

The target of a topic: the path of the elements that its structured query asks for.

A castitle has it as the path of the whole query. CAS titles of 2002 name target elements instead,
`<te>tig</te>`: tags or paths (`bdy/sec`, `article//sec`), several of them separated by commas. They
may stand anywhere in a document unless they begin with `/`. Here they become path patterns, too.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field, fields

from doxeval.errors import SyntaxProblem
from doxeval.messages import quoted, short_repr, truncate
from doxeval.topics.nexi import NexiError, parse_structured

CAS_TYPES = {"CAS", "SCAS", "VCAS"}


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
    # Where it was read from; topics are compared without it.
    origin: str | None = field(default=None, compare=False)
    line: int | None = field(default=None, compare=False)

    def __repr__(self) -> str:
        return short_repr(self, 1)

    @property
    def is_cas(self) -> bool:
        """Whether its type says that its query is structured."""
        return self.query_type is not None and self.query_type.upper() in CAS_TYPES

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


_NAME = r"(?:\*|[^\W\d][\w.:-]*)"
_TARGET_ELEMENT = re.compile(rf"(?://?)?{_NAME}(?://?{_NAME})*")


def target_of(topic: Topic) -> str | None:
    """The path patterns of a topic's target, joined by commas; None if it names no target.

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
    named = [
        name.strip()
        for kind, text in topic.cas_parts
        if kind == "te"
        for name in re.split("[,|]", text)
    ]
    return ", ".join(_pattern(name, topic) for name in named) or None


def _pattern(name: str, topic: Topic) -> str:
    if not _TARGET_ELEMENT.fullmatch(name):
        raise _query_problem(
            topic, f"target element {quoted(name)}: expected a tag or a path such as bdy/sec"
        )
    return name if name.startswith("/") else f"//{name}"


def _query_problem(topic: Topic, reason: str) -> SyntaxProblem:
    return SyntaxProblem(
        f"the query of topic {truncate(topic.id)}: {reason}", topic.origin, topic.line
    )
