"""The syntax tree of a NEXI query.

Every node prints as NEXI, and a printed query parses to the same tree.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TypeAlias


@dataclass(frozen=True)
class Step:
    """One step of a path: the axis (`/` one level below, `//` any), and the tags it accepts.

    Without tags, any tag is accepted.

    >>> str(Step("//", ("sec", "p")))
    '//(sec|p)'
    """

    axis: str
    tags: tuple[str, ...] = ()

    def __str__(self) -> str:
        if len(self.tags) > 1:
            return f"{self.axis}({'|'.join(self.tags)})"
        return self.axis + (self.tags[0] if self.tags else "*")


@dataclass(frozen=True)
class Path:
    """A path of one or more steps."""

    steps: tuple[Step, ...]

    def __str__(self) -> str:
        return "".join(map(str, self.steps))

    def __add__(self, other: Path) -> Path:
        return Path(self.steps + other.steps)


@dataclass(frozen=True)
class Relative:
    """A path relative to an element: the element itself, elements below it, or an attribute."""

    path: Path | None = None
    attribute_axis: str | None = None
    attribute: str | None = None

    def __str__(self) -> str:
        attribute = "" if self.attribute is None else f"{self.attribute_axis}@{self.attribute}"
        return f".{self.path or ''}{attribute}"


@dataclass(frozen=True)
class Term:
    """A word or a phrase, with `+` (important), `-` (unwanted) or no sign.

    >>> str(Term(("natural", "disaster"), "-", is_phrase=True))
    '-"natural disaster"'
    """

    words: tuple[str, ...]
    sign: str = ""
    is_phrase: bool = False

    def __str__(self) -> str:
        text = " ".join(self.words)
        return f'{self.sign}"{text}"' if self.is_phrase else self.sign + text


@dataclass(frozen=True)
class About:
    """The condition that an element, or an element below it, is about some terms."""

    where: Relative
    terms: tuple[Term, ...]

    def __str__(self) -> str:
        return f"about({self.where}, {_joined(self.terms)})"


@dataclass(frozen=True)
class Comparison:
    """The condition that a value in the document compares with a given value as stated."""

    where: Relative
    operator: str
    value: str
    is_number: bool

    def __str__(self) -> str:
        quote = '"' if "'" in self.value else "'"
        value = self.value if self.is_number else f"{quote}{self.value}{quote}"
        return f"{self.where} {self.operator} {value}"


@dataclass(frozen=True)
class And:
    """The condition that all clauses hold."""

    clauses: tuple[Clause, ...]

    def __str__(self) -> str:
        return " and ".join(
            f"({clause})" if isinstance(clause, And | Or) else str(clause)
            for clause in self.clauses
        )


@dataclass(frozen=True)
class Or:
    """The condition that at least one of the clauses holds."""

    clauses: tuple[Clause, ...]

    def __str__(self) -> str:
        return " or ".join(
            f"({clause})" if isinstance(clause, Or) else str(clause) for clause in self.clauses
        )


Clause: TypeAlias = About | Comparison | And | Or


@dataclass(frozen=True)
class Segment:
    """A path with a condition on its elements; only the last segment may lack a condition."""

    path: Path
    condition: Clause | None = None

    def __str__(self) -> str:
        return str(self.path) if self.condition is None else f"{self.path}[{self.condition}]"

    @property
    def conditions(self) -> tuple[About | Comparison, ...]:
        """The abouts and comparisons of its condition, in order."""
        return tuple(_items(self.condition))


@dataclass(frozen=True)
class Support:
    """A condition, with the full path of the elements it is about."""

    path: Path
    condition: About | Comparison


@dataclass(frozen=True)
class ContentQuery:
    """A query of terms only (CO)."""

    terms: tuple[Term, ...]

    def __str__(self) -> str:
        return _joined(self.terms)


@dataclass(frozen=True)
class StructuredQuery:
    """A query of terms and structure (CAS)."""

    segments: tuple[Segment, ...]

    def __str__(self) -> str:
        return "".join(map(str, self.segments))

    @property
    def target(self) -> Path:
        """The path of the elements to return: the whole path of the query."""
        return self._path_to(len(self.segments))

    @property
    def conditions(self) -> tuple[About | Comparison, ...]:
        """The abouts and comparisons of all segments, in order."""
        return tuple(item for segment in self.segments for item in segment.conditions)

    @property
    def supports(self) -> tuple[Support, ...]:
        """Each condition with the full path of the elements it is about."""
        return tuple(
            Support(above if item.where.path is None else above + item.where.path, item)
            for number, segment in enumerate(self.segments, 1)
            for above in [self._path_to(number)]
            for item in segment.conditions
        )

    def _path_to(self, segments: int) -> Path:
        return Path(
            tuple(step for segment in self.segments[:segments] for step in segment.path.steps)
        )


Query: TypeAlias = ContentQuery | StructuredQuery


def _joined(terms: tuple[Term, ...]) -> str:
    return " ".join(map(str, terms))


def _items(clause: Clause | None) -> Iterator[About | Comparison]:
    """The single conditions of a clause, in order."""
    if isinstance(clause, And | Or):
        for inner in clause.clauses:
            yield from _items(inner)
    elif clause is not None:
        yield clause
