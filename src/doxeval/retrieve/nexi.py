"""Elements with scores, and what `and` and `or` make of them.

Where the conditions of a query hold, and with what scores.

about: at every element that has a match, or has an element with a match below it to which the path
leads; the score is the best of these. A comparison: where it is true, with the score 0. and: where
all clauses hold, the scores added in their order. or: where any clause holds, the best score.

Comparisons of NEXI: `.//yr >= 2001`, `.//au = 'Ada Lovelace'`.

A comparison holds at an element if the text of the element at its path, or of one of them, compares
as stated (so `!=` holds if one of them differs, as in XPath). Text is compared without white space
around it, and with a single space for all white space in between, both in the document and in the
query; apart from that, strings are compared exactly, character by character in the order of code
points. A number is an optional sign, decimal digits, and perhaps a point and more digits; numbers
are compared by their exact values, so 2001 equals 2001.0. Text that is not a number differs from
every number, and is neither less nor greater.

The segments of a query one after another: chains of elements inside one another.

`//article[about(., fog)]//sec[about(., horn)]` has two segments. An element satisfies a segment if
the segment's condition holds at it and the segment's path leads to it from an element that
satisfied the segment before. Scores add from the first segment to the last; of several chains that
end at an element, the best counts.

Structured queries of NEXI, in their four interpretations, on arrays of elements and scores.

What a query says of places can be taken strictly or vaguely, for the target (what to return) and
for the supports (where to look) apart (see topics/strictness.py).

Supports
    strict  The conditions hold where they say (conditions.py), for elements inside one another as
            the segments say (chains.py).
    vague   The words of all abouts are one query without structure. Comparisons do not count,
            which is a warning.

Target
    strict  Only elements whose path fits the path of the query are returned.
    vague   Any element may be returned. With strict supports, this is any element that satisfies
            the last condition, and is at or below one that satisfies the segment before. Scores of
            elements whose path fits are multiplied by 1 + hint (negative ones divided, so that
            fitting never harms).

A last path without a condition (`//article[about(., fog)]//sec`), with strict supports, leads to
everything below that fits, whether it has a match or not. Each such element has the score of the
chain that ends above it. Among equal scores, the score of the element itself for all words of the
query decides (`Scored.then`): it is the second key of the order, and no part of the score. An
element without a match comes last.

Collections keep no attributes. A condition on an attribute is an error under strict supports, and
is ignored with a warning under vague ones. A query that has no other about than such cannot rank
anything, and is an error.
"""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import cached_property, lru_cache
from math import isfinite
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from doxeval.arrays import Bools, Floats, Ints, positions_in
from doxeval.documents import Collection
from doxeval.errors import InputError
from doxeval.messages import plural, truncate
from doxeval.retrieve.ancestors import Climbed, Fitting, at_or_below, climb
from doxeval.storage import on_guard
from doxeval.topics import (
    About,
    And,
    Clause,
    Comparison,
    Interpretation,
    Or,
    Path,
    Segment,
    Step,
    StructuredQuery,
    Term,
)


class Scored(NamedTuple):
    """Elements, as ascending and distinct rows of the node table, and the score of each.

    then: what decides among elements with equal scores, higher first; None if nothing does.
    warnings: what of a query was not taken into account.
    """

    rows: Ints
    scores: Floats
    then: Floats | None = None
    warnings: tuple[str, ...] = ()

    @classmethod
    def none(cls) -> Scored:
        """No elements."""
        return cls(np.empty(0, dtype=np.int64), np.empty(0))

    @classmethod
    def zero(cls, rows: Ints) -> Scored:
        """Elements that all have the score 0."""
        return cls(rows, np.zeros(len(rows)))


def best(rows: Ints, scores: Floats) -> Scored:
    """Each element once, with its best score; rows may come in any order, and repeatedly.

    >>> best(np.array([7, 3, 7]), np.array([1.0, 2.0, 4.0]))[:2]
    (array([3, 7]), array([2., 4.]))
    """
    if not len(rows):
        return Scored.none()
    order = np.argsort(rows, kind="stable")  # ascending stretches are merged in linear time
    return best_of_ascending(rows[order], scores[order])


def best_of_ascending(rows: Ints, scores: Floats) -> Scored:
    """The same for rows that ascend; there must be at least one.

    >>> best_of_ascending(np.array([3, 7, 7]), np.array([2.0, 1.0, 4.0]))[:2]
    (array([3, 7]), array([2., 4.]))
    """
    begins = np.flatnonzero(np.append(True, rows[1:] != rows[:-1]))
    return Scored(rows[begins], np.maximum.reduceat(scores, begins))


def both(one: Scored, other: Scored) -> Scored:
    """The elements that are in both, their scores added.

    >>> one = Scored(np.array([3, 7]), np.array([2.0, 4.0]))
    >>> both(one, Scored(np.array([7]), np.array([0.5])))[:2]
    (array([7]), array([4.5]))
    """
    if len(one.rows) > len(other.rows):
        place = positions_in(one.rows, other.rows)
        is_found = place >= 0
        own = place[is_found]
        return Scored(one.rows[own], one.scores[own] + other.scores[is_found])
    place = positions_in(other.rows, one.rows)
    is_found = place >= 0
    return Scored(one.rows[is_found], one.scores[is_found] + other.scores[place[is_found]])


def any_of(parts: Iterable[Scored]) -> Scored:
    """The elements that are in any part, each with its best score.

    Parts are joined when they are of similar size, so that thousands of small ones do not take
    the square of their number.

    >>> one = Scored(np.array([3, 7]), np.array([2.0, 4.0]))
    >>> any_of([one, Scored(np.array([5, 7]), np.array([9.0, 6.0]))])[:2]
    (array([3, 5, 7]), array([2., 9., 6.]))
    """
    waiting = [Scored.none()]
    for part in parts:
        waiting.append(part)
        while len(waiting) > 1 and len(waiting[-2].rows) <= 2 * len(waiting[-1].rows):
            waiting.append(_either(waiting.pop(), waiting.pop()))
    while len(waiting) > 1:
        waiting.append(_either(waiting.pop(), waiting.pop()))
    return waiting[0]


def _either(one: Scored, other: Scored) -> Scored:
    if not len(one.rows) or not len(other.rows):
        return other if len(other.rows) else one
    return best(np.append(other.rows, one.rows), np.append(other.scores, one.scores))


AboutTerms: TypeAlias = Callable[[tuple[Term, ...]], Scored]


@dataclass(frozen=True)
class Conditions:
    """Conditions on the elements of a tree whose paths fit (None: on any element).

    about: the elements with a match for some terms, and their scores.
    true: the elements at which each comparison is true; None while no text was read, and then a
    comparison counts as true everywhere.
    """

    tree: Collection
    about: AboutTerms
    fitting: Fitting | None = None
    true: Mapping[Comparison, Ints] | None = None

    def holding(self, clause: Clause | None) -> Scored | None:
        """The elements at which a condition holds; None if it may hold at any."""
        if isinstance(clause, About):
            return self._about(clause)
        if isinstance(clause, And):
            return self._all(clause)
        if isinstance(clause, Or):
            return self._any(clause)
        if clause is None or self.true is None:
            return None
        return Scored.zero(self.true[clause])

    def _about(self, clause: About) -> Scored:
        found = self.about(clause.terms)
        if clause.where.path is not None:
            return self._at_ancestors(found, clause.where.path)
        if self.fitting is None:
            return found
        fits = self.fitting.of_rows(self.tree, found.rows)
        return Scored(found.rows[fits], found.scores[fits])

    def _at_ancestors(self, found: Scored, path: Path) -> Scored:
        """The best score below each element to which the path leads from it."""
        by_depth = [
            best_of_ascending(ancestors, found.scores[which])
            for which, ancestors in climb(self.tree, found.rows, path.steps, self.fitting)
        ]
        if not by_depth:
            return Scored.none()
        rows = np.concatenate([one.rows for one in by_depth])
        return best(rows, np.concatenate([one.scores for one in by_depth]))

    def _all(self, clause: And) -> Scored | None:
        result: Scored | None = None
        for part in map(self.holding, clause.clauses):
            if part is not None:
                result = part if result is None else both(result, part)
            if result is not None and not len(result.rows):
                break
        return result

    def _any(self, clause: Or) -> Scored | None:
        if self.true is None and _may_hold_anywhere(clause):
            return None
        parts = map(self.holding, clause.clauses)
        return any_of(part for part in parts if part is not None)


def _may_hold_anywhere(clause: Clause) -> bool:
    """Whether a condition can hold at elements without a match, by comparisons alone."""
    if isinstance(clause, And):
        return all(map(_may_hold_anywhere, clause.clauses))
    if isinstance(clause, Or):
        return any(map(_may_hold_anywhere, clause.clauses))
    return isinstance(clause, Comparison)


_OPERATORS: dict[str, Callable[[Any, Any], bool]] = {
    "=": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    ">": operator.gt,
    "<=": operator.le,
    ">=": operator.ge,
}
_NUMBER = re.compile(r"[+-]?[0-9]+(?:\.[0-9]+)?")


class _Values(NamedTuple):
    """Distinct plain texts of some elements, and the position of each element's text among them."""

    texts: list[str]
    which: Ints

    def verdicts(self, comparison: Comparison) -> Bools:
        """Whether the text of each element compares as stated."""
        holds = np.fromiter(
            (_plain_compares(text, comparison) for text in self.texts), np.bool_, len(self.texts)
        )
        found: Bools = holds[self.which]
        return found


def compares(text: str, comparison: Comparison) -> bool:
    """Whether a text compares as stated.

    >>> from doxeval.topics import Relative
    >>> year = Comparison(Relative(), "<", "2001", is_number=True)
    >>> compares(" 1999.5\\n", year), compares("then", year)
    (True, False)
    """
    return _plain_compares(_plain(text), comparison)


def _plain_compares(plain: str, comparison: Comparison) -> bool:
    """The same for a text whose white space is plain already; a cut text must stay as it is."""
    value, compare = _plain(comparison.value), _OPERATORS[comparison.operator]
    if not comparison.is_number:
        return compare(plain, value)
    if _NUMBER.fullmatch(plain) is None:
        return comparison.operator == "!="
    return compare(Decimal(plain), Decimal(value))


def holding(
    tree: Collection, rows: Ints, comparisons: Iterable[Comparison]
) -> dict[Comparison, Ints]:
    """Of some elements, ascending, those at which each comparison holds.

    >>> from doxeval.documents.examples import example_collection
    >>> tree = example_collection({"a": "<a><s><n>1</n></s><s><n>2</n><n>3</n></s></a>"})
    >>> from doxeval.topics import Relative, Step
    >>> below = Relative(Path((Step("/", ("n",)),)))
    >>> odd = Comparison(below, "=", "3", is_number=True)
    >>> holding(tree, np.array([0, 1, 3]), [odd])[odd].tolist()
    [3]
    """
    groups: dict[tuple[Path | None, bool], list[Comparison]] = {}
    for one in dict.fromkeys(comparisons):
        groups.setdefault((one.where.path, one.is_number), []).append(one)
    found: dict[Comparison, Ints] = {}
    for (path, _), group in groups.items():
        read = rows if path is None else _below(tree, rows, path)
        values = _values(tree, read, group)
        for one in group:
            true = read[values.verdicts(one)]
            found[one] = true if path is None else _above(tree, true, path, rows)
    return found


def _below(tree: Collection, rows: Ints, path: Path) -> Ints:
    """The elements to which a path leads from one of the rows."""
    inside = at_or_below(tree, rows)
    is_reached = np.zeros(len(inside), dtype=np.bool_)
    for which, ancestors in climb(tree, inside, path.steps):
        is_reached[which[positions_in(rows, ancestors) >= 0]] = True
    return inside[is_reached]


def _above(tree: Collection, below: Ints, path: Path, rows: Ints) -> Ints:
    """Those of the rows from which a path leads to one of the elements below."""
    is_reached = np.zeros(len(rows), dtype=np.bool_)
    for _, ancestors in climb(tree, below, path.steps):
        place = positions_in(rows, ancestors)
        is_reached[place[place >= 0]] = True
    return rows[is_reached]


def _values(tree: Collection, rows: Ints, comparisons: Sequence[Comparison]) -> _Values:
    """The texts of elements, no more of each than the comparisons need."""
    # A text is cut behind the length of the longest string: what follows decides nothing.
    longest = None
    if not comparisons[0].is_number:
        longest = 1 + max(len(_plain(one.value)) for one in comparisons)
    numbers: dict[str, int] = {}
    which = np.fromiter(
        (numbers.setdefault(_plain(text)[:longest], len(numbers)) for text in _texts(tree, rows)),
        np.int64,
        len(rows),
    )
    return _Values(list(numbers), which)


def _texts(tree: Collection, rows: Ints) -> Iterator[str]:
    """The text of each element; in document order, so each document is read once."""
    columns = (tree.documents_of(rows), tree.nodes.start[rows], tree.nodes.end[rows])
    for document, start, end in zip(*(column.tolist() for column in columns), strict=True):
        yield tree.text_of(document)[start:end]


def _plain(text: str) -> str:
    return " ".join(text.split())


@dataclass(frozen=True)
class Link:
    """A segment, and how its elements hang below those of the segment before it.

    steps: the steps that lead to its elements; None if they may be any elements at or below those
    of the segment before.
    """

    tree: Collection
    segment: Segment
    steps: tuple[Step, ...] | None
    is_first: bool

    @cached_property
    def fitting(self) -> Fitting | None:
        """The paths its elements can have, as far as its own steps tell; None for any path."""
        if self.steps is None:
            return None
        return Fitting(self.tree.summary, self.steps, anywhere=not self.is_first)

    @property
    def comparisons(self) -> tuple[Comparison, ...]:
        """The comparisons of its condition."""
        return tuple(one for one in self.segment.conditions if isinstance(one, Comparison))

    def holding(
        self, about: AboutTerms, true: Mapping[Comparison, Ints] | None = None
    ) -> Scored | None:
        """Where its condition holds; None if it may hold at any element that fits."""
        clause: Clause | None = self.segment.condition
        return Conditions(self.tree, about, self.fitting, true).holding(clause)

    def everything(self) -> Ints:
        """All elements of the collection that it can have."""
        return self._fitting_of(np.arange(len(self.tree.nodes.path)))

    def below(self, above: Ints) -> Ints:
        """The elements it can have at or below some elements; not all of them are led to."""
        return self._fitting_of(at_or_below(self.tree, above))

    def _fitting_of(self, rows: Ints) -> Ints:
        return rows if self.fitting is None else rows[self.fitting.of_rows(self.tree, rows)]

    def climb(self, rows: Ints, into: Fitting | None = None) -> Iterator[Climbed]:
        """The elements of the segment before from which it leads to each of the rows."""
        if self.steps is not None:
            yield from climb(self.tree, rows, self.steps, into)
            return
        which = np.arange(len(rows))
        if into is not None:
            which = which[into.of_rows(self.tree, rows)]
        yield Climbed(which, rows[which])
        yield from climb(self.tree, rows, (Step("//"),), into)


def links_of(query: StructuredQuery, tree: Collection, any_target: bool) -> list[Link]:
    """The segments of a query; with `any_target`, the last of them may lead to any element."""
    links = [
        Link(tree, segment, segment.path.steps, number == 0)
        for number, segment in enumerate(query.segments)
    ]
    if any_target:
        links[-1] = Link(tree, query.segments[-1], None, len(links) == 1)
    return links


def answers(links: Sequence[Link], about: AboutTerms) -> Scored:
    """The elements that satisfy the last segment, with the scores of their best chains."""
    true = _true_comparisons(links, about)
    above = Scored.none()
    for link, of_link in zip(links, true, strict=True):
        here = link.holding(about, of_link)
        if here is None:  # a last path without a condition
            here = Scored.zero(link.below(above.rows))
        above = here if link.is_first else _chained(above, here, link)
        if not len(above.rows):
            break
    return above


def _chained(above: Scored, here: Scored, link: Link) -> Scored:
    """The elements here that hang below elements above, both scores added."""
    best_above = np.full(len(here.rows), -np.inf)
    for which, ancestors in link.climb(here.rows):
        place = positions_in(above.rows, ancestors)
        is_found = place >= 0
        which = which[is_found]
        best_above[which] = np.maximum(best_above[which], above.scores[place[is_found]])
    hangs = best_above > -np.inf
    return Scored(here.rows[hangs], best_above[hangs] + here.scores[hangs])


# Comparisons


def _true_comparisons(links: Sequence[Link], about: AboutTerms) -> list[dict[Comparison, Ints]]:
    """For each segment, where its comparisons are true among elements that pass all the rest."""
    if not any(link.comparisons for link in links):
        return [{} for _ in links]
    return [
        holding(link.tree, rows, link.comparisons)
        for link, rows in zip(links, _possible(links, about), strict=True)
    ]


def _possible(links: Sequence[Link], about: AboutTerms) -> list[Ints]:
    """The elements of each segment that are part of a chain if all comparisons are true.

    The first way, from the last segment to the first, keeps what has something below it, and the
    second, back to the last, what has something above it. A segment that may hold anywhere takes
    its elements from its neighbours; if that is the last one, it has them only after the second
    way, so a third is needed.
    """
    wanted = [link.holding(about) for link in links]
    upwards = _upwards(links, [None if one is None else one.rows for one in wanted])
    downwards: list[Ints] = []
    for link, rows in zip(links, upwards, strict=True):
        if link.is_first:
            downwards.append(link.everything() if rows is None else rows)
        else:
            above = downwards[-1]
            below = link.below(above) if rows is None else rows
            downwards.append(_hanging(link, below, above))
    if upwards[-1] is not None:
        return downwards
    return [rows for rows in _upwards(links, downwards) if rows is not None]


def _upwards(links: Sequence[Link], wanted: Sequence[Ints | None]) -> list[Ints | None]:
    """What of each segment's elements has one of the next segment below it; None: anything."""
    found = [wanted[-1]]
    for number in range(len(links) - 1, 0, -1):
        below, here = found[-1], wanted[number - 1]
        if below is not None:
            climbed = links[number].climb(below, links[number - 1].fitting)
            above = _distinct([one.ancestors for one in climbed])
            here = above if here is None else here[positions_in(above, here) >= 0]
        found.append(here)
    return found[::-1]


def _hanging(link: Link, rows: Ints, above: Ints) -> Ints:
    """The rows to which a segment leads from elements above."""
    hangs = np.zeros(len(rows), dtype=np.bool_)
    for which, ancestors in link.climb(rows):
        hangs[which[positions_in(above, ancestors) >= 0]] = True
    return rows[hangs]


def _distinct(parts: Sequence[Ints]) -> Ints:
    rows = np.sort(np.concatenate([np.empty(0, dtype=np.int64), *parts]), kind="stable")
    is_first = np.append(True, rows[1:] != rows[:-1])[: len(rows)]
    distinct: Ints = rows[is_first]
    return distinct


_MOST_SHOWN = 3
_ABOUTS_KEPT = 8  # results for terms that come again in a query


def structured(
    query: StructuredQuery,
    interpretation: Interpretation,
    tree: Collection,
    about: AboutTerms,
    hint: float = 0.25,
) -> Scored:
    """The elements that answer a structured query, their scores, and warnings.

    about: a function that gives all elements with a match for some terms, and their scores.

    >>> from doxeval.documents.examples import example_collection
    >>> from doxeval.topics.nexi import parse_structured
    >>> tree = example_collection({"a": "<a><s><p>fog</p></s><p>fog horn</p></a>"})
    >>> def about(terms: tuple[Term, ...]) -> Scored:
    ...     texts = [tree.node(row).text for row in range(4)]
    ...     words = np.array([sum(str(term) in text for term in terms) for text in texts])
    ...     return Scored(np.flatnonzero(words), words[words > 0].astype(float))
    >>> query = parse_structured("//s[about(./p, fog horn)]")
    >>> for name in ("SSCAS", "VVCAS"):
    ...     found = structured(query, Interpretation.named(name), tree, about)
    ...     print(found.rows.tolist(), found.scores.tolist())
    [1] [1.0]
    [0, 1, 2, 3] [2.0, 1.25, 1.0, 2.0]
    """
    if not (isfinite(hint) and hint >= 0):
        raise InputError(f"hint is {hint}: expected a number that is 0 or more")
    ignored = _ignored(query, interpretation)
    asked: AboutTerms = lru_cache(_ABOUTS_KEPT)(about)
    with on_guard(tree):
        found = _found(query, interpretation, tree, asked)
        if interpretation.target == "vague":
            fits = Fitting(tree.summary, query.target.steps).of_rows(tree, found.rows)
            found = found._replace(scores=_hinted(found.scores, fits, hint))
    return found._replace(warnings=ignored)


def all_terms(query: StructuredQuery) -> tuple[Term, ...]:
    """The terms of all abouts, each once, in their order; abouts on attributes do not count.

    >>> from doxeval.topics.nexi import parse_structured
    >>> query = parse_structured("//a[about(., fog) or about(.//b, thick fog)]")
    >>> [str(term) for term in all_terms(query)]
    ['fog', 'thick']
    """
    return tuple(dict.fromkeys(term for about in _abouts(query) for term in about.terms))


def _abouts(query: StructuredQuery) -> list[About]:
    """The abouts of a query that can be answered."""
    return [
        one for one in query.conditions if isinstance(one, About) and one.where.attribute is None
    ]


def _found(
    query: StructuredQuery, interpretation: Interpretation, tree: Collection, about: AboutTerms
) -> Scored:
    """The elements that are returned, with their scores before the hint."""
    any_target = interpretation.target == "vague"
    if interpretation.support == "vague":
        found = about(all_terms(query))
        if any_target:
            return found
        fits = Fitting(tree.summary, query.target.steps).of_rows(tree, found.rows)
        return Scored(found.rows[fits], found.scores[fits])
    found = answers(links_of(query, tree, any_target), about)
    if query.segments[-1].condition is not None:
        return found
    return found._replace(then=_own_scores(found, about(all_terms(query))))


def _own_scores(found: Scored, own: Scored) -> Floats:
    """The score that each element found has of its own, minus infinity if it has none."""
    then = np.full(len(found.rows), -np.inf)
    place = positions_in(own.rows, found.rows)
    then[place >= 0] = own.scores[place[place >= 0]]
    return then


def _hinted(scores: Floats, fits: Bools, hint: float) -> Floats:
    """Scores, those of elements that fit the target increased by the hint."""
    increased = np.where(scores < 0, scores / (1 + hint), scores * (1 + hint))
    return np.where(fits, increased, scores)


def _ignored(query: StructuredQuery, interpretation: Interpretation) -> tuple[str, ...]:
    """Warnings about conditions that do not count; an error if the query cannot be answered."""
    attributes = [one for one in query.conditions if one.where.attribute is not None]
    comparisons = [
        one
        for one in query.conditions
        if isinstance(one, Comparison) and one.where.attribute is None
    ]
    if attributes and interpretation.support == "strict":
        raise InputError(
            f"collections keep no attributes, so {_shown(attributes)} cannot be answered; with "
            "vague supports (SVCAS, VVCAS), conditions on attributes are ignored"
        )
    if not _abouts(query):
        raise InputError(_nothing_to_rank_by(attributes, comparisons))
    warnings = []
    if attributes:
        warnings.append(f"collections keep no attributes; ignored: {_shown(attributes)}")
    if comparisons and interpretation.support == "vague":
        warnings.append(
            f"with vague supports, comparisons do not count; ignored: {_shown(comparisons)}"
        )
    return tuple(warnings)


def _nothing_to_rank_by(
    attributes: Sequence[About | Comparison], comparisons: Sequence[Comparison]
) -> str:
    missing = "it needs an about(…) on the text of elements, which gives them scores"
    if not comparisons:
        only = "the query has only conditions on attributes, which collections do not keep"
        return f"{only}: {missing}"
    others = " and conditions on attributes" if attributes else ""
    return f"the query has only comparisons{others}, such as {_shown(comparisons[:1])}: {missing}"


def _shown(conditions: Sequence[About | Comparison]) -> str:
    """Conditions as written; of many, the first, and how many more there are."""
    shown = ", ".join(truncate(str(one)) for one in conditions[:_MOST_SHOWN])
    more = len(conditions) - _MOST_SHOWN
    return shown if more <= 0 else f"{shown} and {plural(more, 'other')}"
