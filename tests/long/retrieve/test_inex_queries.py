"""The queries of INEX, by content and in all four readings of their structure."""

from __future__ import annotations

import random

import pytest

from direct_nexi import Directly, as_arrays, listed, some_scores
from doxeval.documents import Collection, example_collection
from doxeval.retrieve import answer_structured
from doxeval.topics import (
    About,
    Interpretation,
    NexiPath,
    NexiStep,
    QuerySegment,
    Relative,
    StructuredQuery,
    parse_content,
    parse_structured,
)
from helpers import CONFORMANCE, needs_conformance
from query_worlds import answered, lines_of

pytestmark = needs_conformance
INTERPRETATIONS = ["SSCAS", "SVCAS", "VSCAS", "VVCAS"]
STRUCTURED = CONFORMANCE / "nexi" / "queries.txt"
CONTENT = CONFORMANCE / "nexi" / "co.txt"


# Strictly, nothing is retrieved where a target or support is on a path that no article has.
@pytest.mark.parametrize(
    ("task", "number"), [("vvcas", 131), ("vscas", 116), ("svcas", 104), ("sscas", 94)]
)
def test_structured_queries_are_answered(task: str, number: int) -> None:
    assert answered(STRUCTURED, task) == number


@pytest.mark.parametrize("task", ["thorough", "relevant-in-context"])
def test_content_queries_are_answered(task: str) -> None:
    assert answered(CONTENT, task) == 318


@pytest.fixture(scope="module")
def varied_tree() -> Collection:
    """A few documents in which the queries of INEX find something."""
    chance = random.Random(7)
    tags = ["sec", "section", "p", "st", "image", "category", "yr", "food", "conflict", "person"]

    def made(depth: int) -> str:
        tag = chance.choice(tags)
        inside = "".join(made(depth - 1) for _ in range(chance.randint(0, depth)))
        return f"<{tag}>{chance.choice(['2001', '2002', 'x'])}{inside}</{tag}>"

    return example_collection(
        {f"d{n}": f"<article>{''.join(made(4) for _ in range(3))}</article>" for n in range(2)}
    )


@pytest.mark.parametrize("name", INTERPRETATIONS)
def test_structured_queries_are_answered_as_directly(varied_tree: Collection, name: str) -> None:
    lines = lines_of(STRUCTURED)
    assert len(lines) == 131
    interpretation = Interpretation.named(name)
    answered = 0
    for number, line in enumerate(lines):
        query = parse_structured(line)
        about = some_scores(varied_tree, number)
        found = answer_structured(query, interpretation, varied_tree, as_arrays(about))
        assert listed(found) == Directly(query, interpretation, varied_tree, about).answer(0.25)
        answered += bool(len(found.rows))
    assert answered > 60


@pytest.mark.parametrize("name", INTERPRETATIONS)
def test_content_queries_in_any_element_are_answered_as_given(
    varied_tree: Collection, name: str
) -> None:
    lines = lines_of(CONTENT)
    assert len(lines) == 318
    interpretation = Interpretation.named(name)
    factor = 1.25 if interpretation.target == "vague" else 1.0
    about = as_arrays(lambda terms: {len(str(terms)) % 9: 1.0, 9: len(terms)})
    for line in lines:
        terms = tuple(dict.fromkeys(parse_content(line).terms))
        query = StructuredQuery(
            (QuerySegment(NexiPath((NexiStep("//"),)), About(Relative(), terms)),)
        )
        found = answer_structured(query, interpretation, varied_tree, about)
        expected = about(terms)
        assert found.rows.tolist() == expected.rows.tolist()
        assert found.scores.tolist() == (expected.scores * factor).tolist()
