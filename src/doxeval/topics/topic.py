"""A topic: a user's information need, in several fields."""

from __future__ import annotations

from dataclasses import dataclass, field, fields

from doxeval.messages import short_repr

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
