"""Random topics and NEXI queries."""

from __future__ import annotations

from collections.abc import Sequence

from hypothesis import strategies as st

from doxeval.topics import (
    TEXT_FIELDS,
    About,
    And,
    Clause,
    NexiPath,
    NexiStep,
    Or,
    QuerySegment,
    Relative,
    StructuredQuery,
    Term,
    Topic,
    ValueComparison,
)
from strategies.trees import plain_texts

_WORDS = [
    "tide",
    "Al-Andalus",
    "don't",
    "C.I.A",
    "&",
    "été",
    "a380",
    "3D",
    "x_y",
    "and",
    "or",
    "AND",
]
_TAGS = ("article", "sec", "p", "été", "a-b", "x.y")
_NUMBERS = ("2001", "-3", "1.50")
_STRINGS = ("", "x]y", "it's", '"', "and")


def nexi_terms() -> st.SearchStrategy[tuple[Term, ...]]:
    """One or more words and phrases, with and without signs."""
    words = st.sampled_from(_WORDS)
    signs = st.sampled_from(["", "+", "-"])
    word = st.builds(lambda w, s: Term((w,), s), words, signs)
    phrase = st.builds(
        lambda ws, s: Term(tuple(ws), s, is_phrase=True),
        st.lists(words, min_size=1, max_size=3),
        signs,
    )
    return st.lists(st.one_of(word, phrase), min_size=1, max_size=4).map(tuple)


def nexi_queries(
    names: Sequence[str] = _TAGS,
    terms: st.SearchStrategy[tuple[Term, ...]] | None = None,
    numbers: Sequence[str] = _NUMBERS,
    strings: Sequence[str] = _STRINGS,
    attributes: bool = True,
    longest: int = 3,
) -> st.SearchStrategy[StructuredQuery]:
    """Structured queries of every kind, made of the given tags, terms and values.

    A path has at most `longest` steps.
    """
    tags = st.sampled_from(names)
    choices = st.one_of(
        st.just(()), tags.map(lambda t: (t,)), st.lists(tags, min_size=2, max_size=3).map(tuple)
    )
    steps = st.builds(NexiStep, st.sampled_from(["/", "//"]), choices)
    paths = st.lists(steps, min_size=1, max_size=longest).map(lambda s: NexiPath(tuple(s)))
    elements = st.one_of(st.just(Relative()), st.builds(Relative, paths))
    on_attributes = st.builds(Relative, paths, st.sampled_from(["/", "//"]), tags)
    places = st.one_of(elements, on_attributes) if attributes else elements
    abouts = st.builds(About, places, nexi_terms() if terms is None else terms)
    operators = st.sampled_from(["=", "!=", "<", ">", "<=", ">="])
    comparisons = st.one_of(
        st.builds(
            lambda where, op, n: ValueComparison(where, op, n, is_number=True),
            places,
            operators,
            st.sampled_from(numbers),
        ),
        st.builds(
            lambda where, op, s: ValueComparison(where, op, s, is_number=False),
            places,
            operators,
            st.sampled_from(strings),
        ),
    )
    clauses = st.recursive(
        st.one_of(abouts, comparisons),
        lambda inner: st.builds(
            lambda kind, parts: kind(tuple(parts)),
            st.sampled_from([And, Or]),
            st.lists(inner, min_size=2, max_size=3),
        ),
        max_leaves=8,
    )

    def query(
        first: NexiPath, segments: list[tuple[NexiPath, Clause]], last: NexiPath | None
    ) -> StructuredQuery:
        rooted = NexiPath((NexiStep("//", first.steps[0].tags), *first.steps[1:]))
        made = [QuerySegment(path, clause) for path, clause in segments]
        made[0] = QuerySegment(rooted, made[0].condition)
        return StructuredQuery((*made, *([QuerySegment(last)] if last else [])))

    return st.builds(
        query,
        paths,
        st.lists(st.tuples(paths, clauses), min_size=1, max_size=3),
        st.one_of(st.none(), paths),
    )


def topics() -> st.SearchStrategy[Topic]:
    """Topics with any of their fields; texts have no white space around them."""
    text = plain_texts().map(str.strip).map(lambda t: t or None)
    ids = st.text(st.sampled_from("0123456789aé-"), min_size=1, max_size=6)
    parts = st.lists(
        st.tuples(st.sampled_from(["te", "cw", "ce"]), plain_texts().map(str.strip)), max_size=3
    ).map(tuple)

    def topic(topic_id: str, cas_parts: tuple[tuple[str, str], ...], **texts: str | None) -> Topic:
        if cas_parts:
            texts["title"] = None
        return Topic(topic_id, cas_parts=cas_parts, **texts)  # type: ignore[arg-type]

    return st.builds(topic, ids, parts, **dict.fromkeys(TEXT_FIELDS, text))
