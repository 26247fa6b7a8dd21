"""Random judgments with parts of every kind."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from doxeval.assessments import (
    COVERAGES,
    MARKS,
    AssessedUnit,
    Grade2002,
    Grade2003,
    Grade2005,
    GradedElement,
    Judgment,
    MeasuredElement,
    NeededSpan,
    PointPassage,
    SubtopicGrade,
)
from strategies.runs import element_paths, text_points


def highlights(length: int = 60) -> st.SearchStrategy[list[tuple[int, int]]]:
    """Ranges of text that are sorted, not empty and apart from each other."""
    edges = st.lists(st.integers(0, length), unique=True, max_size=8).map(sorted)
    return edges.map(
        lambda found: list(zip(found[0::2], found[1::2], strict=False)),
    )


def _lists_of(things: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    return st.lists(things, max_size=3).map(tuple)


def _maybe(things: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    return st.one_of(st.none(), things)


def graded_elements(scales: tuple[int, ...] = (2002, 2003, 2005)) -> st.SearchStrategy[Any]:
    """Elements with grades of the given scales, or unjudged."""
    level = st.integers(0, 3)
    grades = {
        2002: st.builds(Grade2002, level, st.sampled_from(COVERAGES)),
        2003: st.builds(Grade2003, level, level),
        2005: st.builds(
            Grade2005, st.sampled_from([None, 0, 1, 2]), st.fractions(0, 1, max_denominator=10**9)
        ),
    }
    grade = _maybe(st.one_of(*(grades[scale] for scale in scales)))
    return st.builds(GradedElement, element_paths(), grade, *[st.booleans()] * 3)


# What the parts of a judgment may be; a test takes those that its format can hold.
JUDGMENT_PARTS: dict[str, st.SearchStrategy[Any]] = {
    "highlights": highlights().map(tuple),
    "best_entry_point": _maybe(st.integers(0, 60)),
    "document_length": _maybe(st.just(60)),
    "relevance": _maybe(st.integers(-2, 3)),
    "passages": _lists_of(
        st.builds(PointPassage, text_points(), text_points(), _maybe(st.integers(0, 9)))
    ),
    "entry_point": _maybe(text_points()),
    "grades": _lists_of(graded_elements()),
    "elements": _lists_of(
        st.builds(
            MeasuredElement,
            element_paths(),
            st.sampled_from([None, 0, 1, 2]),
            st.integers(0, 99),
            st.integers(0, 99),
        )
    ),
    "units": _lists_of(
        st.builds(
            AssessedUnit,
            st.lists(element_paths(), min_size=1, max_size=2).map(tuple),
            st.sampled_from([0.0, 0.5, 1.0]),
        )
    ),
    "subtopics": st.dictionaries(
        st.sampled_from(["1", "2", "été"]), st.integers(-2, 3), max_size=3
    ).map(lambda grades: tuple(map(SubtopicGrade, grades, grades.values()))),
    "assessor": _maybe(st.sampled_from(["eva", "été 2"])),
    "marks": st.lists(st.sampled_from(MARKS), max_size=2).map(tuple),
    "pool": _maybe(st.sampled_from(["12", "a<b"])),
    "collection": _maybe(st.just("ieee")),
    "version": _maybe(st.just("2")),
    "whitespace": _maybe(st.sampled_from(["keep", "strip"])),
}


def gold_passages() -> st.SearchStrategy[tuple[NeededSpan, ...]]:
    """Passages as TREC Genomics lists them: in any order, overlapping, each with its aspects."""
    aspects = st.sampled_from(["a", "HLA-DR4", "serum proteins", "été"])
    passage = st.tuples(st.integers(0, 50), st.integers(1, 9), st.sets(aspects, max_size=3))
    return st.lists(passage, min_size=1, max_size=5, unique_by=lambda each: each[:2]).map(
        lambda listed: tuple(
            NeededSpan(aspect, start, start + length)
            for start, length, names in listed
            for aspect in sorted(names) or (None,)
        )
    )


def judgments(**parts: st.SearchStrategy[Any]) -> st.SearchStrategy[list[Judgment]]:
    """Judgments with these parts, of distinct documents and topics."""
    pair = st.tuples(st.sampled_from(["1", "076", "../76"]), st.sampled_from(["a", "co/r1", "b.c"]))
    one = st.builds(
        lambda names, more: Judgment(*names, **more), pair, st.fixed_dictionaries(parts)
    )
    return st.lists(one, min_size=1, max_size=5, unique_by=lambda j: (j.topic, j.document))
