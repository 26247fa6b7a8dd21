"""Structured queries of NEXI, in their four interpretations, on arrays of elements and scores.

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

from collections.abc import Sequence
from functools import lru_cache
from math import isfinite

import numpy as np

from doxeval.arrays import Bools, Floats, positions_in
from doxeval.documents import Collection
from doxeval.errors import InputError
from doxeval.messages import plural, truncate
from doxeval.retrieve.chains import answers, links_of
from doxeval.retrieve.climbing import Fitting
from doxeval.retrieve.conditions import AboutTerms
from doxeval.retrieve.scored import Scored as Scored  # callers find it here
from doxeval.storage import on_guard
from doxeval.topics import About, Comparison, Interpretation, StructuredQuery, Term

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
