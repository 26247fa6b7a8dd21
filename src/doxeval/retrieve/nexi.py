"""Structured queries of NEXI, in their four interpretations, on arrays of elements and scores.

What a query says of places can be taken strictly or vaguely, for the target (what to return) and
for the supports (where to look) separately.

Supports
    strict  The conditions hold where they say, for elements inside one another as the segments of
            the query say.
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
query decides (`ElementScores.tie_break`): it is the second key of the order, and no part of the
score. An element without a match comes last.

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
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from doxeval.arrays import Bools, Floats, Ints, positions_in
from doxeval.documents import Collection
from doxeval.errors import InputError
from doxeval.messages import plural, truncate
from doxeval.retrieve.ancestors import AncestorPairs, PathFilter, find_ancestors, subtree_rows
from doxeval.retrieve.matches import first_of_equals
from doxeval.retrieve.query import all_terms, text_abouts
from doxeval.storage import report_damage
from doxeval.topics import (
    About,
    And,
    Clause,
    Interpretation,
    NexiPath,
    NexiStep,
    Or,
    QuerySegment,
    StructuredQuery,
    Term,
    ValueComparison,
)

_MOST_SHOWN = 3
_ABOUTS_KEPT = 8  # results for terms that come again in a query
_ROWS_WAITING = 1 << 20  # so many are collected before those of the same element are joined
_OPERATORS: dict[str, Callable[[Any, Any], bool]] = {
    "=": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    ">": operator.gt,
    "<=": operator.le,
    ">=": operator.ge,
}
_NUMBER = re.compile(r"[+-]?[0-9]+(?:\.[0-9]+)?")


class ElementScores(NamedTuple):
    """Elements, as ascending and distinct rows of the node table, and the score of each.

    tie_break: what decides among elements with equal scores, higher first; None if nothing does.
    warnings: what of a query was not taken into account.
    """

    rows: Ints
    scores: Floats
    tie_break: Floats | None = None
    warnings: tuple[str, ...] = ()

    @classmethod
    def empty(cls) -> ElementScores:
        """Return no elements."""
        return cls(np.empty(0, dtype=np.int64), np.empty(0))

    @classmethod
    def zero(cls, rows: Ints) -> ElementScores:
        """Return elements that all have the score 0."""
        return cls(rows, np.zeros(len(rows)))

    def some(self, which: Bools) -> ElementScores:
        """Return only some of the elements."""
        return ElementScores(self.rows[which], self.scores[which])


# Gives all elements with a match for some terms, and their scores.
ScoreTerms: TypeAlias = Callable[[tuple[Term, ...]], ElementScores]


def answer_structured(
    query: StructuredQuery,
    interpretation: Interpretation,
    collection: Collection,
    about: ScoreTerms,
    hint: float = 0.25,
) -> ElementScores:
    """Return the elements that answer a structured query, their scores, and warnings.

    about: a function that gives all elements with a match for some terms, and their scores.

    >>> from doxeval.documents.examples import example_collection
    >>> from doxeval.topics.nexi import parse_structured
    >>> tree = example_collection({"a": "<a><s><p>fog</p></s><p>fog horn</p></a>"})
    >>> def about(terms: tuple[Term, ...]) -> ElementScores:
    ...     texts = [tree.node(row).text for row in range(4)]
    ...     words = np.array([sum(str(term) in text for term in terms) for text in texts])
    ...     return ElementScores(np.flatnonzero(words), words[words > 0].astype(float))
    >>> query = parse_structured("//s[about(./p, fog horn)]")
    >>> for name in ("SSCAS", "VVCAS"):
    ...     answer = answer_structured(query, Interpretation.named(name), tree, about)
    ...     print(answer.rows.tolist(), answer.scores.tolist())
    [1] [1.0]
    [0, 1, 2, 3] [2.0, 1.25, 1.0, 2.0]
    """
    warnings = _ignored_conditions(query, interpretation)
    about = lru_cache(_ABOUTS_KEPT)(about)
    target = PathFilter(collection.summary, query.target.steps)
    is_vague_target = interpretation.target == "vague"
    with report_damage(collection):
        if interpretation.support == "strict":
            answer = _answer_strictly(query, collection, about, any_target=is_vague_target)
        else:
            answer = about(all_terms(query))
            if not is_vague_target:
                answer = answer.some(target.of_rows(collection, answer.rows))
        if is_vague_target:
            fits = target.of_rows(collection, answer.rows)
            answer = answer._replace(scores=_with_hint(answer.scores, fits, hint))
    return answer._replace(warnings=warnings)


def _answer_strictly(
    query: StructuredQuery, collection: Collection, about: ScoreTerms, *, any_target: bool
) -> ElementScores:
    """Return the elements at the ends of chains, and what decides among equal scores."""
    last = query.segments[-1]
    links = [
        _Link(
            collection,
            about,
            segment,
            None if any_target and segment is last else segment.path.steps,
            is_first=segment is query.segments[0],
        )
        for segment in query.segments
    ]
    answer = _follow_chains(links)
    if last.condition is not None:
        return answer
    whole = about(all_terms(query))
    tie_break = np.full(len(answer.rows), -np.inf)
    place = positions_in(whole.rows, answer.rows)
    tie_break[place >= 0] = whole.scores[place[place >= 0]]
    return answer._replace(tie_break=tie_break)


def _with_hint(scores: Floats, fits: Bools, hint: float) -> Floats:
    """Increase the scores of elements that fit the target."""
    increased = np.where(scores < 0, scores / (1 + hint), scores * (1 + hint))
    return np.where(fits, increased, scores)


# Conditions that do not count


def _ignored_conditions(query: StructuredQuery, interpretation: Interpretation) -> tuple[str, ...]:
    """Return warnings about conditions that do not count; an error if nothing is left."""
    attributes = [
        condition for condition in query.conditions if condition.where.attribute is not None
    ]
    comparisons = [
        condition
        for condition in query.conditions
        if isinstance(condition, ValueComparison) and condition.where.attribute is None
    ]
    if attributes and interpretation.support == "strict":
        raise InputError(
            f"collections keep no attributes, so {_shown(attributes)} cannot be answered; with "
            "vague supports (SVCAS, VVCAS), conditions on attributes are ignored"
        )
    if not text_abouts(query):
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
    attributes: Sequence[About | ValueComparison], comparisons: Sequence[ValueComparison]
) -> str:
    missing = "it needs an about(…) on the text of elements, which gives them scores"
    if not comparisons:
        only = "the query has only conditions on attributes, which collections do not keep"
        return f"{only}: {missing}"
    others = " and conditions on attributes" if attributes else ""
    return f"the query has only comparisons{others}, such as {_shown(comparisons[:1])}: {missing}"


def _shown(conditions: Sequence[About | ValueComparison]) -> str:
    """Show conditions as written; of many, the first, and how many more there are."""
    shown = ", ".join(truncate(str(condition)) for condition in conditions[:_MOST_SHOWN])
    more = len(conditions) - _MOST_SHOWN
    return shown if more <= 0 else f"{shown} and {plural(more, 'other')}"


# Chains of elements inside one another, segment by segment
#
# `//article[about(., fog)]//sec[about(., horn)]` has two segments. An element satisfies a segment
# if the segment's condition holds at it and the segment's path leads to it from an element that
# satisfied the segment before. Scores add from the first segment to the last; of several chains
# that end at an element, the best counts.


def _follow_chains(links: Sequence[_Link]) -> ElementScores:
    """Return the elements that satisfy the last segment, with the scores of their best chains."""
    above = ElementScores.empty()
    for link, true in zip(links, _true_comparisons(links), strict=True):
        here = link.holding(true)
        if here is None:  # a last path without a condition
            here = ElementScores.zero(link.fitting_rows(above.rows))
        above = here if link.is_first else _extend_chains(above, here, link)
        if not len(above.rows):
            break
    return above


def _extend_chains(above: ElementScores, here: ElementScores, link: _Link) -> ElementScores:
    """Return the elements here that are led to from elements above, both scores added."""
    best_above = np.full(len(here.rows), -np.inf)
    for which, ancestors in link.ancestors(here.rows):
        place = positions_in(above.rows, ancestors)
        is_above = place >= 0
        which = which[is_above]
        best_above[which] = np.maximum(best_above[which], above.scores[place[is_above]])
    is_reached = best_above > -np.inf
    return ElementScores(here.rows[is_reached], best_above[is_reached] + here.scores[is_reached])


def _true_comparisons(links: Sequence[_Link]) -> list[dict[ValueComparison, Ints]]:
    """Return where each segment's comparisons are true, among elements that pass all the rest."""
    if not any(link.comparisons for link in links):
        return [{} for _ in links]
    return [
        compare_texts(link.collection, rows, link.comparisons)
        for link, rows in zip(links, _possible_rows(links), strict=True)
    ]


def _possible_rows(links: Sequence[_Link]) -> list[Ints]:
    """Return the elements of each segment that are part of a chain if all comparisons are true.

    The first way, from the last segment to the first, keeps what has something below it, and the
    second, back to the last, what has something above it. A segment that may hold anywhere takes
    its elements from its neighbours; if that is the last one, it has them only after the second
    way, so a third is needed.
    """
    holding = [link.holding() for link in links]
    upwards = _rows_above(links, [None if scores is None else scores.rows for scores in holding])
    downwards: list[Ints] = []
    for link, rows in zip(links, upwards, strict=True):
        if link.is_first:
            downwards.append(link.fitting_rows() if rows is None else rows)
        else:
            above = downwards[-1]
            rows = link.fitting_rows(above) if rows is None else rows
            downwards.append(_reached_from(above, rows, link.ancestors(rows)))
    if upwards[-1] is not None:
        return downwards
    return [rows for rows in _rows_above(links, downwards) if rows is not None]


def _rows_above(links: Sequence[_Link], candidates: Sequence[Ints | None]) -> list[Ints | None]:
    """Keep each segment's elements that have one of the next segment below; None: anything."""
    kept = [candidates[-1]]
    for number in range(len(links) - 1, 0, -1):
        below, here = kept[-1], candidates[number - 1]
        if below is not None:
            pairs = links[number].ancestors(below, links[number - 1].path_filter)
            above = _distinct_ancestors(pairs)
            here = above if here is None else here[positions_in(above, here) >= 0]
        kept.append(here)
    return kept[::-1]


def _distinct_ancestors(pairs: Iterable[AncestorPairs]) -> Ints:
    """Return the ancestors of all pairs, ascending, each once."""
    by_depth = [ancestors for _, ancestors in pairs]
    rows = np.sort(np.concatenate([np.empty(0, dtype=np.int64), *by_depth]), kind="stable")
    distinct: Ints = rows[first_of_equals(rows)]
    return distinct


def _reached_from(above: Ints, rows: Ints, pairs: Iterable[AncestorPairs]) -> Ints:
    """Return those of the rows that are paired with one of the elements above."""
    is_reached = np.zeros(len(rows), dtype=np.bool_)
    for which, ancestors in pairs:
        is_reached[which[positions_in(above, ancestors) >= 0]] = True
    return rows[is_reached]


@dataclass(frozen=True, eq=False)
class _Link:
    """A segment, where its condition holds, and which elements above it leads from.

    about: a condition holds at every element that has a match, or that has an element with a match
    below it to which the path leads; the score is the best of these. A comparison holds where it is
    true, with the score 0. and: where all clauses hold, the scores added in their order. or: where
    any clause holds, the best score.

    steps: the steps that lead to its elements; None if they may be any elements at or below those
    of the segment before.
    """

    collection: Collection
    about: ScoreTerms
    segment: QuerySegment
    steps: tuple[NexiStep, ...] | None
    is_first: bool

    @cached_property
    def path_filter(self) -> PathFilter | None:
        """The paths its elements can have, as far as its steps tell; None for any path."""
        if self.steps is None:
            return None
        return PathFilter(self.collection.summary, self.steps, anywhere=not self.is_first)

    @property
    def comparisons(self) -> tuple[ValueComparison, ...]:
        """The comparisons of its condition."""
        return tuple(part for part in self.segment.conditions if isinstance(part, ValueComparison))

    def fitting_rows(self, above: Ints | None = None) -> Ints:
        """Return the elements whose paths fit, at or below some elements or anywhere."""
        rows: Ints = np.arange(len(self.collection.nodes.path))
        if above is not None:
            rows = subtree_rows(self.collection, above)
        if self.path_filter is None:
            return rows
        return rows[self.path_filter.of_rows(self.collection, rows)]

    def ancestors(self, rows: Ints, into: PathFilter | None = None) -> Iterator[AncestorPairs]:
        """Yield the elements of the segment before from which it leads to each of the rows."""
        if self.steps is not None:
            yield from find_ancestors(self.collection, rows, self.steps, into)
            return
        which = np.arange(len(rows))
        if into is not None:
            which = which[into.of_rows(self.collection, rows)]
        yield AncestorPairs(which, rows[which])
        yield from find_ancestors(self.collection, rows, (NexiStep("//"),), into)

    def holding(self, true: Mapping[ValueComparison, Ints] | None = None) -> ElementScores | None:
        """Return the elements at which its condition holds; None if it may hold at any.

        true: the elements at which each comparison is true; None while no text was read, and then
        a comparison counts as true everywhere.
        """
        return self._holding(self.segment.condition, true)

    def _holding(
        self, clause: Clause | None, true: Mapping[ValueComparison, Ints] | None
    ) -> ElementScores | None:
        if isinstance(clause, About):
            return self._about(clause)
        if isinstance(clause, And):
            return self._all(clause, true)
        if isinstance(clause, Or):
            if true is None and _may_hold_anywhere(clause):
                return None
            parts = (self._holding(part, true) for part in clause.clauses)
            return any_of(part for part in parts if part is not None)
        if clause is None or true is None:
            return None
        return ElementScores.zero(true[clause])

    def _about(self, clause: About) -> ElementScores:
        matching, path = self.about(clause.terms), clause.where.path
        if path is not None:
            pairs = find_ancestors(self.collection, matching.rows, path.steps, self.path_filter)
            return any_of(ElementScores(above, matching.scores[which]) for which, above in pairs)
        if self.path_filter is None:
            return matching
        return matching.some(self.path_filter.of_rows(self.collection, matching.rows))

    def _all(
        self, clause: And, true: Mapping[ValueComparison, Ints] | None
    ) -> ElementScores | None:
        result: ElementScores | None = None
        for inner in clause.clauses:
            part = self._holding(inner, true)
            if part is not None:
                result = part if result is None else both(result, part)
            if result is not None and not len(result.rows):
                break
        return result


def _may_hold_anywhere(clause: Clause) -> bool:
    """Return whether a condition can hold without a match, by comparisons alone."""
    if isinstance(clause, And):
        return all(map(_may_hold_anywhere, clause.clauses))
    if isinstance(clause, Or):
        return any(map(_may_hold_anywhere, clause.clauses))
    return isinstance(clause, ValueComparison)


# Comparisons: `.//yr >= 2001`, `.//au = 'Ada Lovelace'`
#
# A comparison holds at an element if the text of the element at its path, or of one of them,
# compares as stated (so `!=` holds if one of them differs, as in XPath). Text is compared without
# white space around it, and with a single space for all white space in between, both in the
# document and in the query; apart from that, strings are compared exactly, character by character
# in the order of code points. A number is an optional sign, decimal digits, and perhaps a point and
# more digits; numbers are compared by their exact values, so 2001 equals 2001.0. Text that is not a
# number differs from every number, and is neither less nor greater.


def compare_texts(
    collection: Collection, rows: Ints, comparisons: Iterable[ValueComparison]
) -> dict[ValueComparison, Ints]:
    """Return, of some ascending elements, those at which each comparison holds.

    >>> from doxeval.documents.examples import example_collection
    >>> tree = example_collection({"a": "<a><s><n>1</n></s><s><n>2</n><n>3</n></s></a>"})
    >>> from doxeval.topics import Relative, NexiStep
    >>> below = Relative(NexiPath((NexiStep("/", ("n",)),)))
    >>> odd = ValueComparison(below, "=", "3", is_number=True)
    >>> compare_texts(tree, np.array([0, 1, 3]), [odd])[odd].tolist()
    [3]
    """
    groups: dict[tuple[NexiPath | None, bool], list[ValueComparison]] = {}
    for comparison in dict.fromkeys(comparisons):
        key = (comparison.where.path, comparison.is_number)
        groups.setdefault(key, []).append(comparison)
    holding: dict[ValueComparison, Ints] = {}
    for (path, _), group in groups.items():
        read = rows
        if path is not None:
            inside = subtree_rows(collection, rows)
            pairs = find_ancestors(collection, inside, path.steps)
            read = _reached_from(rows, inside, pairs)
        texts, text_of = _distinct_texts(collection, read, group)
        for comparison in group:
            compares = [_compares(text, comparison) for text in texts]
            true = read[np.array(compares, dtype=np.bool_)[text_of]]
            if path is not None:
                above = _distinct_ancestors(find_ancestors(collection, true, path.steps))
                true = rows[positions_in(above, rows) >= 0]
            holding[comparison] = true
    return holding


def _distinct_texts(
    collection: Collection, rows: Ints, comparisons: Sequence[ValueComparison]
) -> tuple[list[str], Ints]:
    """Return the distinct plain texts of elements, and which of them each element has.

    A text is cut behind the length of the longest string it is compared with: what follows decides
    nothing.
    """
    longest = None
    if not comparisons[0].is_number:
        longest = 1 + max(len(_plain(comparison.value)) for comparison in comparisons)
    numbers: dict[str, int] = {}
    columns = (
        collection.documents_of(rows),
        collection.nodes.start[rows],
        collection.nodes.end[rows],
    )
    which = np.empty(len(rows), dtype=np.int64)
    # In document order, so each document is read once.
    spans = zip(*(column.tolist() for column in columns), strict=True)
    for row, (document, start, end) in enumerate(spans):
        text = _plain(collection.text_of(document)[start:end])[:longest]
        which[row] = numbers.setdefault(text, len(numbers))
    return list(numbers), which


def _compares(plain: str, comparison: ValueComparison) -> bool:
    """Return whether a text whose white space is plain already compares as stated.

    >>> from doxeval.topics import Relative
    >>> year = ValueComparison(Relative(), "<", "2001", is_number=True)
    >>> _compares("1999.5", year), _compares("then", year)
    (True, False)
    """
    value, compare = _plain(comparison.value), _OPERATORS[comparison.operator]
    if not comparison.is_number:
        return compare(plain, value)
    if _NUMBER.fullmatch(plain) is None:
        return comparison.operator == "!="
    return compare(Decimal(plain), Decimal(value))


def _plain(text: str) -> str:
    return " ".join(text.split())


# Scores of elements combined


def both(left: ElementScores, right: ElementScores) -> ElementScores:
    """Return the elements that are in both, their scores added.

    >>> left = ElementScores(np.array([3, 7]), np.array([2.0, 4.0]))
    >>> both(left, ElementScores(np.array([7]), np.array([0.5])))[:2]
    (array([7]), array([4.5]))
    """
    if len(left.rows) > len(right.rows):
        left, right = right, left  # to look up the fewer; adding two scores is commutative
    place = positions_in(right.rows, left.rows)
    is_in_both = place >= 0
    scores = left.scores[is_in_both] + right.scores[place[is_in_both]]
    return ElementScores(left.rows[is_in_both], scores)


def any_of(parts: Iterable[ElementScores]) -> ElementScores:
    """Return the elements that are in any part, each once, with its best score.

    >>> left = ElementScores(np.array([3, 7]), np.array([2.0, 4.0]))
    >>> any_of([left, ElementScores(np.array([5, 7]), np.array([9.0, 6.0]))])[:2]
    (array([3, 5, 7]), array([2., 9., 6.]))
    """
    waiting, size, limit = [ElementScores.empty()], 0, _ROWS_WAITING
    for part in parts:
        waiting.append(part)
        size += len(part.rows)
        if size > limit:  # only when there are twice as many, so that many parts take linear time
            waiting = [_best(waiting)]
            size = len(waiting[0].rows)
            limit = max(2 * size, _ROWS_WAITING)
    return _best(waiting)


def _best(parts: Sequence[ElementScores]) -> ElementScores:
    rows = np.concatenate([part.rows for part in parts])
    order = np.argsort(rows, kind="stable")  # ascending stretches are merged in linear time
    rows, scores = rows[order], np.concatenate([part.scores for part in parts])[order]
    begins = np.flatnonzero(first_of_equals(rows))
    return ElementScores(rows[begins], np.maximum.reduceat(scores, begins))
