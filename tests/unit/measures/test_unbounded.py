"""The smallest worlds where scores exceed 1: the measures say that they have no bound."""

from __future__ import annotations

import pytest

from doxeval.assessments import GradedElement, Judgment
from doxeval.documents import example_collection
from doxeval.measures import Law, measure_named
from making import GEN, passage, paths, scored


def test_more_results_may_gain_than_there_are_ideal_elements() -> None:
    """The paragraph gains .5 and the article the .25 that is left: 1/1 + 1/2."""
    world = example_collection({"a": "<a><p>12</p>34</a>"})
    judged = [Judgment("7", "a", ((0, 1), (2, 4)))]
    run = paths("/a[1]/p[1]", "/a[1]")
    assert scored(run, judged, "MAep(base=ideal)", collection=world) == [1.5]
    assert measure_named("MAep(base=ideal)").highest is None
    assert measure_named("MAep").highest == 1


def test_pieces_of_one_ideal_element_add_up() -> None:
    """Four quarters of an article: at rank i the ideal list needs 1 rank, 1 + 1/2 + 1/3 + 1/4."""
    document = "<a>" + "<p>1</p>" * 4 + "</a>"
    world = example_collection({"a": document})
    grades = {"/a[1]": GEN[1]} | {f"/a[1]/p[{n}]": GEN[0.25] for n in range(1, 5)}
    judged = [Judgment("7", "a", grades=tuple(GradedElement(*one) for one in grades.items()))]
    run = paths(*(f"/a[1]/p[{n}]" for n in range(1, 5)))
    (score,) = scored(run, judged, "MAep(base=ideal)", collection=world)
    assert score == pytest.approx(2.083333, abs=1e-6)
    assert measure_named("MAep(base=ideal)").highest is None
    assert Law.IDEAL_IS_BEST not in measure_named("MAep(base=ideal)").laws
    bounded = [f"{name}(base=ideal,quant=gen)" for name in ("iMAep", "ep[1]", "nxCG@4", "gr@4")]
    assert scored(run, judged, *bounded[2:], collection=world) == [1, 1]
    assert all(measure_named(name).highest == 1 for name in bounded)


@pytest.mark.parametrize("name", ["cP@2", "cF@2", "iP[1]", "MAiP"])
@pytest.mark.parametrize("resize", ["new", "tool"])
def test_repeated_text_may_be_relevant_but_not_read(name: str, resize: str) -> None:
    """10 relevant characters, then 5 of them again: 15 relevant of 10 that count as read."""
    judged = [Judgment("7", "a", ((0, 10),), document_length=10)]
    run = [passage("a", 0, 10), passage("a", 0, 5)]
    full = f"{name}(alpha=1,resize={resize})"
    (score,) = scored(run, judged, full)
    assert score is not None and score > 1
    assert measure_named(full).highest is None
    assert measure_named(f"{name}(alpha=1)").highest == 1


def test_a_child_may_be_worth_more_than_its_parent() -> None:
    """The article, worth .25, gains .25 · .75 · 1/2 + .75 · .25 = .28 after its section."""
    world = example_collection({"a": "<a><s>x</s>y</a>"})
    grades = (GradedElement("/a[1]", GEN[0.25]), GradedElement("/a[1]/s[1]", GEN[1]))
    judged = [Judgment("7", "a", grades=grades)]
    name = "nxCG@2(base=full,quant=gen,overlap=on,penalty=0.25)"
    (score,) = scored(paths("/a[1]/s[1]", "/a[1]"), judged, name, collection=world)
    assert score == pytest.approx(1.025)
    assert measure_named(name).highest is None


def test_elements_that_are_half_relevant_may_better_be_left() -> None:
    """The rest as one level is worth more than the same elements one by one."""
    world = example_collection({"a": "<a><a><a>12</a></a></a>"})
    judged = [Judgment("7", "a", ((0, 1),))]
    ideal = ["/a[1]/a[1]/a[1]", "/a[1]/a[1]", "/a[1]"]  # all worth .5
    (everything,), (part,) = (
        scored(paths(*run), judged, "inex_eval", collection=world) for run in (ideal, ideal[:1])
    )
    assert everything is not None and part is not None
    assert part > everything
    assert Law.IDEAL_IS_BEST not in measure_named("inex_eval(unretrieved=level)").laws
