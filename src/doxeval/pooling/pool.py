"""A pool: for each topic the documents to be judged, and how they were chosen."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, get_args

from doxeval.columns import LARGEST_WHOLE
from doxeval.errors import InputError
from doxeval.messages import Parameter, plural, quoted, short_repr
from doxeval.named import check_options, option

Method = Literal["depth", "rrf", "mtf", "bandit"]
Level = Literal["element", "document"]
METHODS: tuple[Method, ...] = get_args(Method)
LEVELS: tuple[Level, ...] = get_args(Level)


@dataclass(frozen=True)
class PoolOptions:
    """How documents are chosen for a pool; depth or documents says how many.

    depth: the number of results of each run that are considered for a topic. documents: the maximum
    number of documents of a topic. method: the order in which documents come into the pool (see
    strategies.py). level: whether ranks count results, or only the first result in each document.
    seed: that of the draws of mtf and bandit.

    >>> PoolOptions(depth=100).method
    'depth'
    >>> PoolOptions()
    Traceback (most recent call last):
    doxeval.errors.InputError: give depth= or documents=: how much is to be pooled
    """

    depth: int | None = option(
        None,
        "Number of results of each run to consider for a topic.",
        at_least=1,
        metavar="K",
        shown_default="all",
    )
    documents: int | None = option(
        None,
        "Maximum number of distinct documents to pool for a topic.",
        at_least=1,
        metavar="N",
        shown_default="all",
    )
    method: Method = option("depth", "The order in which documents come into the pool.")
    level: Level = option(
        "element", "Whether ranks count results, or only the first result in each document."
    )
    seed: int = option(0, "Seed of the random number generator, for mtf and bandit.", at_least=0)

    def __post_init__(self) -> None:
        check_options(self)
        for name in ("depth", "documents", "seed"):
            if (getattr(self, name) or 0) > LARGEST_WHOLE:
                raise InputError(
                    Parameter(name, getattr(self, name)) + f": expected at most {LARGEST_WHOLE:,}"
                )
        if self.depth is None and self.documents is None:
            raise InputError(
                "give "
                + Parameter("depth")
                + " or "
                + Parameter("documents")
                + ": how much is to be pooled"
            )

    @property
    def follows_judgments(self) -> bool:
        """Whether the method chooses documents by how earlier ones were judged."""
        return self.method in ("mtf", "bandit")


@dataclass(frozen=True, repr=False)
class PooledElement:
    """A part of a document that a run returned: an element by its path, or a range of characters.

    An entry point is an empty range.

    >>> PooledElement("/article[1]/sec[2]"), PooledElement(start=5, end=9)
    (PooledElement(path='/article[1]/sec[2]'), PooledElement(start=5, end=9))
    """

    path: str | None = None
    start: int | None = None
    end: int | None = None

    def __post_init__(self) -> None:
        by_range = self.start is not None and self.end is not None
        if (self.path is None) != by_range or (self.start is None) != (self.end is None):
            raise InputError("a pooled element is a path, or a range from start to end")
        if by_range and not 0 <= (self.start or 0) <= (self.end or 0):
            raise InputError(
                f"the range from {self.start} to {self.end}: expected a start of 0 or more, and an "
                "end that is not before it"
            )

    def __repr__(self) -> str:
        return short_repr(self)


@dataclass(frozen=True, repr=False)
class PooledDocument:
    """A document to be judged for a topic.

    priority: the higher, the more runs return it, and the higher they rank it: the sum of
    1 / (60 + rank) over runs.
    elements: the distinct parts of it that were pooled, in that order; none where runs return the
    whole document.
    contributors: the runs that return it, down to the depth that was considered, each with its best
    rank there. Assessors must not see them.

    >>> PooledDocument("a", 1 / 61, (), (("mine", 1),)).document
    'a'
    """

    document: str
    priority: float = 0.0
    elements: tuple[PooledElement, ...] = ()
    contributors: tuple[tuple[str, int], ...] = ()

    def __repr__(self) -> str:
        return short_repr(self, 1)


@dataclass(frozen=True, repr=False)
class PooledRun:
    """A run that a pool was made of: its name, how many results it has, and its file if it has one.

    >>> PooledRun("mine", 1500, "mine.run").file
    'mine.run'
    """

    name: str
    results: int
    file: str | None = None
    sha256: str | None = None

    def __repr__(self) -> str:
        return short_repr(self, 1)


@dataclass(frozen=True, repr=False)
class PoolFacts:
    """How a pool was made.

    method, depth, documents, level, seed: as in `PoolOptions`; the method is None if nobody knows
    how the pool was made.
    judged: the files of the judgments that the method followed, each with its SHA-256.
    collection: the checksum of the collection that the runs were resolved in.
    runs: in the order in which they were named. date: in UTC; two pools that differ only in it are
    equal.

    >>> PoolFacts("depth", depth=100).depth
    100
    """

    method: Method | None = None
    depth: int | None = None
    documents: int | None = None
    level: Level | None = None
    seed: int | None = None
    runs: tuple[PooledRun, ...] = ()
    judged: tuple[tuple[str, str | None], ...] = ()
    collection: str | None = None
    version: str | None = None
    date: str | None = field(default=None, compare=False)

    def __repr__(self) -> str:
        return short_repr(self, 1)

    @property
    def options(self) -> PoolOptions:
        """How the documents were chosen; an error if the pool does not say it."""
        if self.method is None:
            raise InputError("the pool does not say how it was made; only its JSONL form does")
        level, seed = self.level or "element", self.seed or 0
        return PoolOptions(self.depth, self.documents, self.method, level, seed)


@dataclass(frozen=True, repr=False)
class Pool:
    """For each topic the documents to be judged, in the order of the pool.

    warnings: what was left out of the runs, and why; they are no part of the file.

    >>> pool = Pool({"7": (PooledDocument("a"), PooledDocument("b"))})
    >>> pool
    Pool(1 topic, 2 documents)
    >>> [pooled.document for pooled in pool.documents["7"]]
    ['a', 'b']
    """

    documents: Mapping[str, tuple[PooledDocument, ...]]
    facts: PoolFacts = PoolFacts()
    warnings: tuple[str, ...] = field(default=(), compare=False)

    def __post_init__(self) -> None:
        for topic, pooled in self.documents.items():
            seen: set[str] = set()
            for document in (each.document for each in pooled):
                if document in seen:
                    raise InputError(
                        f"document {quoted(document)} is in the pool of topic {quoted(topic)} twice"
                    )
                seen.add(document)

    @property
    def topics(self) -> tuple[str, ...]:
        """The topics, in order.

        >>> Pool({"7": (), "8": ()}).topics
        ('7', '8')
        """
        return tuple(self.documents)

    def __len__(self) -> int:
        return sum(map(len, self.documents.values()))

    def __hash__(self) -> int:
        return hash((tuple(self.documents.items()), self.facts))

    def __repr__(self) -> str:
        method = "" if self.facts.method is None else f", by {self.facts.method}"
        topics, documents = plural(len(self.topics), "topic"), plural(len(self), "document")
        return f"Pool({topics}, {documents}{method})"

    def __reduce__(self) -> tuple[Any, ...]:
        return Pool, (dict(self.documents), self.facts, self.warnings)
