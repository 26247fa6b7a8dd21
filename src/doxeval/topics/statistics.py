"""The figures that papers report of topics: how many of each type and year, how many assessed.

What a topic looks like tells its year, or a few of them:

    2002       a CAS title in parts (te, cw, ce)
    2002–04    type CO, no castitle
    2003–04    type SCAS or VCAS; type CAS with a NEXI query as the title
    2005–06    type CO+S; any type, with a castitle or an initial statement
    2009 …     an id of the year and three more digits: 2009001

Nothing is known of the year of other topics. INEX numbered its topics through from 2002 to 2006
(1–60, 61–126, 127–201, 202–288, 289–413), so the number of one of these topics tells its exact
year. But a topic of somebody else may have the same number, so numbers count only on request.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from dataclasses import asdict, dataclass
from typing import Any, NamedTuple

from doxeval.messages import plural
from doxeval.named import checked
from doxeval.topics.topic import TEXT_FIELDS, Topic

_YEAR_AND_NUMBER = re.compile(r"(20[0-9]{2})[0-9]{3}")
# The last number of each year in INEX's numbering.
_LAST_NUMBERS = {2002: 60, 2003: 126, 2004: 201, 2005: 288, 2006: 413}
# Fields that are not counted: types have rows of their own, and numbers say nothing about topics.
_UNCOUNTED_FIELDS = {"query_type", "candidate_number"}


class TopicCount(NamedTuple):
    """The number of topics of one year (or some: 2003–04) and type; None where it is not known.

    assessed: how many of them were assessed; None if assessments were not given.
    """

    year: str | None
    type: str | None
    topics: int
    assessed: int | None = None


@dataclass(frozen=True)
class TopicStatistics:
    """Counts of topics by year and type, and how many have each field.

    >>> rows = TopicCount("2005", "CO+S", 40), TopicCount("2005", "CAS", 47)
    >>> statistics = TopicStatistics(rows, {})
    >>> statistics.topics, statistics.by_year, statistics.by_type
    (87, {'2005': 87}, {'CO+S': 40, 'CAS': 47})
    """

    rows: tuple[TopicCount, ...]
    fields: dict[str, int]

    @property
    def topics(self) -> int:
        """The number of topics."""
        return sum(row.topics for row in self.rows)

    @property
    def assessed(self) -> int | None:
        """The number of assessed topics; None if assessments were not given."""
        known = [row.assessed for row in self.rows if row.assessed is not None]
        return sum(known) if known else None

    @property
    def by_type(self) -> dict[str | None, int]:
        """The number of topics of each type."""
        return self._topics_by("type")

    @property
    def by_year(self) -> dict[str | None, int]:
        """The number of topics of each year."""
        return self._topics_by("year")

    def _topics_by(self, field: str) -> dict[str | None, int]:
        counts: Counter[str | None] = Counter()
        for row in self.rows:
            counts[getattr(row, field)] += row.topics
        return dict(counts)

    def __repr__(self) -> str:
        types = ", ".join(f"{kind or 'no type'} {count:,}" for kind, count in self.by_type.items())
        return f"TopicStatistics({plural(self.topics, 'topic')}: {types})"

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain values, for JSON; an unknown type or year is null."""
        return {
            "topics": self.topics,
            "assessed": self.assessed,
            "types": [{"type": kind, "topics": n} for kind, n in self.by_type.items()],
            "years": [{"year": year, "topics": n} for year, n in self.by_year.items()],
            "rows": [row._asdict() for row in self.rows],
            "fields": asdict(self)["fields"],
        }


@checked
def topic_statistics(
    topics: Iterable[Topic],
    assessed: Collection[str] | None = None,
    *,
    inex_numbers: bool = False,
) -> TopicStatistics:
    """Count topics by year and type.

    assessed: the ids of topics that were assessed. inex_numbers: the topics are those of INEX,
    whose numbers tell the exact year.

    >>> topics = [Topic("76", title="//p", query_type="CAS"), Topic("231", query_type="CO+S")]
    >>> statistics = topic_statistics(topics, assessed={"231"})
    >>> statistics
    TopicStatistics(2 topics: CAS 1, CO+S 1)
    >>> [(row.year, row.type, row.topics, row.assessed) for row in statistics.rows]
    [('2003–04', 'CAS', 1, 0), ('2005–06', 'CO+S', 1, 1)]
    >>> topic_statistics(topics, inex_numbers=True).by_year
    {'2003': 1, '2005': 1}
    """
    topics = list(topics)
    keys = [(year_of(topic, inex_numbers=inex_numbers), topic.query_type) for topic in topics]
    counts = Counter(keys)
    assessed_counts = Counter(
        key for key, topic in zip(keys, topics, strict=True) if topic.id in (assessed or ())
    )
    rows = tuple(
        TopicCount(*key, counts[key], None if assessed is None else assessed_counts[key])
        for key in sorted(counts, key=_unknown_last)
    )
    return TopicStatistics(rows, _field_counts(topics))


def _unknown_last(key: tuple[str | None, str | None]) -> tuple[bool, str, bool, str]:
    """Return a key that sorts by year and type, each with the unknown last."""
    year, kind = key
    return year is None, year or "", kind is None, kind or ""


def _field_counts(topics: Sequence[Topic]) -> dict[str, int]:
    """Return how many topics have each field, without fields that no topic has."""
    names = [name for name in TEXT_FIELDS if name not in _UNCOUNTED_FIELDS]
    counts = {name: sum(getattr(topic, name) is not None for topic in topics) for name in names}
    counts["cas_parts"] = sum(bool(topic.cas_parts) for topic in topics)
    return {name: count for name, count in counts.items() if count}


def year_of(topic: Topic, *, inex_numbers: bool = False) -> str | None:
    """Return the year of a topic, or a few years, as far as its form tells; None if it does not.

    >>> year_of(Topic("2010004")), year_of(Topic("231"))
    ('2010', None)
    >>> topic = Topic("9", query_type="CO")
    >>> year_of(topic), year_of(topic, inex_numbers=True)
    ('2002–04', '2002')
    """
    years = _years_by_form(topic)
    if years is None:
        return None
    first, last = years
    exact = _year_by_number(topic.id) if inex_numbers else None
    if exact is not None and first <= exact <= last:
        return str(exact)
    return str(first) if first == last else f"{first}–{last % 100:02}"


def _years_by_form(topic: Topic) -> tuple[int, int] | None:
    """Return the first and the last year that fit what a topic looks like."""
    dated = _YEAR_AND_NUMBER.fullmatch(topic.id)
    if dated is not None:
        return int(dated[1]), int(dated[1])
    if topic.cas_parts:
        return 2002, 2002
    kind = (topic.query_type or "").upper()
    if kind in {"SCAS", "VCAS"}:
        return 2003, 2004
    has_later_fields = topic.castitle is not None or topic.initial_statement is not None
    if kind == "CO+S" or (kind and has_later_fields):
        return 2005, 2006
    if kind == "CAS":
        return (2003, 2004) if topic.structured is not None else (2002, 2006)
    return (2002, 2004) if kind == "CO" else None


def _year_by_number(topic_id: str) -> int | None:
    """Return the year of a number in INEX's numbering."""
    if not (topic_id.isascii() and topic_id.isdigit() and len(topic_id) <= 4 and int(topic_id)):
        return None
    return next((year for year, last in _LAST_NUMBERS.items() if int(topic_id) <= last), None)
