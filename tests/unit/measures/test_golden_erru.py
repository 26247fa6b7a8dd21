"""Golden values of ERRU.

Each carries its origin: a paper, by the name under which `doxeval.measures.explain` lists it, or
a calculation by hand that is spelt out beside it.
"""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given

from doxeval.assessments import Assessments, Grade2002, Grade2003, GradedElement, Judgment
from doxeval.documents import example_collection
from doxeval.errors import MissingInput
from doxeval.evaluation import Evaluation, evaluate
from doxeval.runs import Run
from making import close, paths, scored
from printing import pretty
from strategies import World, graded_worlds

ERRU_WORLD = {
    "a": "<a><s><p>1234</p><p>5678</p></s><t>123456</t><s>1234567890</s>.</a>",
    "b": "<a>x</a>",
}


@pytest.mark.parametrize(
    ("result", "printed"),
    [
        # The ideal unit is the first section, of 8 characters.
        pytest.param("/a[1]/s[1]", 1, id="itself"),
        pytest.param("/a[1]/s[1]/p[1]", (4 / 8) ** 0.75, id="too small, inside"),
        pytest.param("/a[1]", (8 / 25) ** 0.75, id="too large, around"),
        pytest.param("/a[1]/t[1]", 1 / 2, id="nothing between"),
        pytest.param("/a[1]/s[2]", 1 / (2 + 6), id="six characters between"),
    ],
)
def test_ways_to_an_ideal_unit(result: str, printed: float) -> None:
    """Piwowarski and Gallinari 2003, §3.4."""
    judged = [Judgment("7", "a", ((0, 8),))]
    world: dict[str, Any] = {"collection": example_collection(ERRU_WORLD)}
    assert scored(paths(result), judged, "ERRU@1(unit=characters)", **world) == close(printed)
    elsewhere = paths("/a[1]", document="b")
    assert scored(elsewhere, judged, "ERRU@1(unit=characters)", **world) == [0]
    # Every further way adds to what may be seen.
    both = scored(
        [*elsewhere, *paths("/a[1]/t[1]", "/a[1]/s[2]")], judged, "ERRU@3(unit=characters)", **world
    )
    assert both == close(1 - (1 - 1 / 2) * (1 - 1 / 8))


@pytest.mark.parametrize(
    ("result", "first", "second"),
    [
        # s[1] is 3E (1), its paragraph 2E, but inside something exact (0); s[2] is 1E (.25).
        pytest.param("/a[1]/s[1]", 1, 1 / 8, id="exact"),
        pytest.param("/a[1]/s[1]/p[1]", (4 / 8) ** 0.875, 1 / 12, id="exact, inside"),
        pytest.param("/a[1]/s[1]/p[2]", (4 / 8) ** 0.75, 1 / 8, id="small, inside"),
        pytest.param("/a[1]", (8 / 25) ** 0.75, (10 / 25) ** 0.75, id="large, around"),
        pytest.param("/a[1]/t[1]", 1 / 2, 1 / 2, id="unjudged, apart"),
    ],
)
def test_ways_between_grades_of_2002(result: str, first: float, second: float) -> None:
    """Piwowarski and Gallinari 2003, §3.4."""
    grades = {
        "/a[1]": Grade2002(3, "L"),
        "/a[1]/s[1]": Grade2002(3, "E"),
        "/a[1]/s[1]/p[1]": Grade2002(2, "E"),
        "/a[1]/s[1]/p[2]": Grade2002(1, "S"),
        "/a[1]/s[2]": Grade2002(1, "E"),
    }
    judged = [Judgment("7", "a", grades=tuple(GradedElement(*item) for item in grades.items()))]
    world: dict[str, Any] = {"collection": example_collection(ERRU_WORLD)}
    found = scored(paths(result), judged, "ERRU@1(unit=characters)", **world)
    assert found == close((first + 0.25 * second) / 1.25)


def test_other_coverage_and_other_exponents() -> None:
    """By hand: what was not judged reaches by the exponent 1/2, or by the third that is given."""
    judged = [Judgment("7", "a", grades=(GradedElement("/a[1]/s[1]", Grade2002(3, "E")),))]
    world: dict[str, Any] = {"collection": example_collection(ERRU_WORLD)}
    names = ("ERRU@1(unit=characters)", "ERRU@1(unit=characters,exponents=1+1+2)")
    inside = scored(paths("/a[1]/s[1]/p[1]"), judged, *names, **world)
    assert inside == close((4 / 8) ** 0.5, (4 / 8) ** 2)
    around = scored(paths("/a[1]"), judged, *names, **world)
    assert around == close((8 / 25) ** 0.5, (8 / 25) ** 2)


def test_words_are_counted_between_spaces() -> None:
    """By hand: the unit has two words, the result in it one; two words and a half lie between."""
    document = "<a><s>one <b>two</b></s> three fo<i>ur</i> <u>five</u></a>"
    judged = [Judgment("7", "a", ((0, 7),))]
    world: dict[str, Any] = {"collection": example_collection({"a": document})}
    found = [
        scored(paths(path), judged, "ERRU@1", **world)[0]
        for path in ("/a[1]/s[1]/b[1]", "/a[1]/u[1]", "/a[1]")
    ]
    assert found == close((1 / 2) ** 0.75, 1 / (2 + 2), (2 / 5) ** 0.75)


@pytest.mark.parametrize(
    "document",
    [
        "<a><s><p>one two</p><p>three</p></s><s>four</s></a>",
        "<a>\n <s>\n  <p>one two</p>\n  <p>three</p>\n </s>\n <s>four</s>\n</a>\n",
    ],
)
def test_words_end_at_the_borders_of_elements_that_are_not_inline(document: str) -> None:
    """By hand: the unit has three words of four, and what was not graded has the exponent 1/2."""
    judged = [Judgment("7", "a", grades=(GradedElement("/a[1]/s[1]", Grade2002(3, "E")),))]
    world: dict[str, Any] = {"collection": example_collection({"a": document})}
    assert scored(paths("/a[1]"), judged, "ERRU@1", **world) == close((3 / 4) ** 0.5)
    assert scored(paths("/a[1]/s[2]"), judged, "ERRU@1", **world) == close(1 / 2)


@given(graded_worlds(2002))
def test_scores_do_not_depend_on_how_documents_are_printed(world: World) -> None:
    names = ["ERRU@1", "ERRU@3", "ERRU@20(ignore=p)"]
    compact, spaced = (
        evaluate(
            Run.from_results(world.elements),
            world.assessments(),
            names,
            collection=example_collection({n: form(node).source for n, node in world.documents}),
        ).topics()
        for form in (lambda node: node, pretty)
    )
    assert compact == spaced


def test_ignored_elements_count_as_not_graded() -> None:
    """By hand: without sections the paragraph is the unit; what was exact has no coverage now."""
    grades = {"/a[1]/s[1]": Grade2002(3, "E"), "/a[1]/s[1]/p[1]": Grade2002(2, "E")}
    judged = [Judgment("7", "a", grades=tuple(GradedElement(*item) for item in grades.items()))]
    world: dict[str, Any] = {"collection": example_collection(ERRU_WORLD)}
    names = ("ERRU@1(unit=characters)", "ERRU@1(unit=characters,ignore=s)")
    found = scored(paths("/a[1]/s[1]"), judged, *names, **world)
    assert found == close(1, (4 / 8) ** 0.5)


def test_ignored_elements_are_no_ideal_elements() -> None:
    """By hand: without sections the root is ideal, and of 25 characters 8 are highlighted."""
    judged = [Judgment("7", "a", ((0, 8),))]
    world: dict[str, Any] = {"collection": example_collection(ERRU_WORLD)}
    names = ("ERRU@1(unit=characters,ignore=p)", "ERRU@1(unit=characters,ignore=s+p)")
    found = scored(paths("/a[1]/s[1]"), judged, *names, **world)
    assert found == close(1, (8 / 25) ** 0.75)


def test_grades_of_later_years_are_refused() -> None:
    judged = [Judgment("7", "a", grades=(GradedElement("/a[1]", Grade2003(3, 3)),))]
    with pytest.raises(MissingInput, match="ERRU needs highlighted text or grades of 2002"):
        Evaluation(Assessments(judged), "ERRU@1", collection=example_collection(ERRU_WORLD))


def test_a_tie_is_looked_at_in_part() -> None:
    """Piwowarski and Gallinari 2003, §3.3: P(L|k) = (k − a)/g, from 0 to 1, for g tied after a."""
    judged = [Judgment("7", "a", ((0, 8),))]
    run = [one._replace(rank=1) for one in paths("/a[1]/s[1]", "/a[1]", document="a")]
    run += [one._replace(rank=2) for one in paths("/a[1]", document="b")]
    world: dict[str, Any] = {
        "collection": example_collection(ERRU_WORLD),
        "order": "rank",
    }
    names = [f"ERRU@{k}(unit=characters)" for k in (1, 2, 3)]
    half = 1 - (1 - 1 / 2) * (1 - (8 / 25) ** 0.75 / 2)
    assert scored(run, judged, *names, **world) == close(half, 1, 1)
