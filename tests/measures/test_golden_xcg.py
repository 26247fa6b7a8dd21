"""Golden values of XCG.

Each carries its origin: a paper, by the name under which `doxeval.measures.references` lists it, or
a calculation by hand that is spelt out beside it.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from doxeval.assessments import Judgment
from doxeval.documents.examples import example_collection
from making import close, elements, graded, paths, scored


def specific(*relevant: int) -> tuple[str, list[Judgment]]:
    """A section of 1000 characters, 900 of them relevant, with parts of 10 at its beginning.

    Of each part so many characters are relevant. The section is the ideal element; the article
    around it is twice as long, so that it is worth less.
    """
    text_of_parts = 10 * len(relevant)
    inside = "".join("<p>0123456789</p>" for _ in relevant) + "y" * (1000 - text_of_parts)
    ranges = [(10 * n, 10 * n + count) for n, count in enumerate(relevant)]
    ranges.append((text_of_parts, text_of_parts + 900 - sum(relevant)))
    return f"<a><s>{inside}</s>{'z' * 1000}</a>", [Judgment("7", "a", tuple(ranges))]


@pytest.mark.parametrize(
    ("values", "gains"),
    [
        pytest.param(
            [8, 7], [0.8, 0.1], id="Lalmas and Tombros 2007, eq 13 on normalised gains: .8, .7"
        ),
        pytest.param(
            [2, 3, 4, 5], [0.2, 0.3, 0.4, 0], id="Lalmas and Tombros 2007, eq 13: .2, .3, .4, .5"
        ),
    ],
)
def test_an_ideal_element_is_gained_once(values: list[int], gains: list[float]) -> None:
    """The ideal element is worth .9; all of its parts are returned."""
    document, judged = specific(*values)
    run = paths(*(f"/a[1]/s[1]/p[{n}]" for n in range(1, len(values) + 1)))
    names = [f"nxCG@{k}" for k in range(1, len(values) + 1)]
    found = scored(run, judged, *names, collection=example_collection({"a": document}))
    assert found == close(*np.cumsum(gains) / 0.9)


def test_an_element_around_several_ideal_ones_takes_from_the_fullest() -> None:
    """By hand: two ideal paragraphs of 1, the article .4; then one of them, then the other.

    The article takes .4 of the first in document order, which leaves .6 there and 1 in the other.
    """
    document = f"<a><p>12</p><p>34</p>{'-' * 6}</a>"
    judged = [Judgment("7", "a", ((0, 4),))]
    run = paths("/a[1]", "/a[1]/p[1]", "/a[1]/p[2]")
    names = ("nxCG@1", "nxCG@2", "nxCG@3")
    found = scored(run, judged, *names, collection=example_collection({"a": document}))
    assert found == close(0.4, 1.0 / 2, 2.0 / 2)


# Gains of .5, 0, 1, .25 against a base of 1, .75, .5, .25.
XCG_BASE = {"a": 1, "b": 0.75, "c": 0.5, "d": 0.25}
XCG_RUN = elements("cxad")


def test_gains_against_the_best_possible() -> None:
    """By hand: .5/1, .5/1.75, 1.5/2.25, 1.75/2.5; beyond the end both stay."""
    names = [f"nxCG@{k}(quant=gen)" for k in (1, 2, 3, 4, 5, 1500)]
    found = scored(XCG_RUN, graded(XCG_BASE), *names)
    assert found == close(0.5, 0.285714, 0.666667, 0.7, 0.7, 0.7)
    full = scored(XCG_RUN, graded(XCG_BASE), "nxCG@3(base=full,quant=gen)", "MAnxCG@4(quant=gen)")
    assert full == close(0.666667, (0.5 + 0.285714 + 0.666667 + 0.7) / 4)


@pytest.mark.parametrize(
    ("ranks", "printed"),
    [("integer", (1, 0.6667, 0.5)), ("interpolated", (0.5, 0.5556, 0.5))],
    ids=["by hand: whole ranks", "by hand: on the lines of both curves"],
)
def test_effort_at_gains(ranks: str, printed: tuple[float, ...]) -> None:
    """The gains .5, 1.5 and 1.75 are .2, .6 and .7 of 2.5."""
    names = [f"ep[{x}](quant=gen,ranks={ranks})" for x in (0.2, 0.6, 0.7)]
    assert scored(XCG_RUN, graded(XCG_BASE), *names) == close(*printed, to=5e-5)
    average = scored(XCG_RUN, graded(XCG_BASE), f"MAep(quant=gen,ranks={ranks})")
    assert average == close(sum(printed) / 4, to=5e-5)


def test_effort_at_the_ends() -> None:
    judged = graded(XCG_BASE)
    assert scored(XCG_RUN, judged, "ep[0](quant=gen)", "ep[0.71](quant=gen)") == [1, 0]
    assert scored(elements("x"), judged, "ep[0](quant=gen)") == [1]
    assert scored(elements("abcd"), judged, "ep[1](quant=gen)", "iMAep(quant=gen)") == close(1, 1)


def test_overlap_costs_gain() -> None:
    """By hand: sections of 10 with 10 and 5 relevant; the first, then the article (15/20).

    Penalty 1: the article gains what its second section gains, .5 · 10/20. Penalty .5: half of
    what both sections would gain now, (.5 + .5) · 10/20, and half of .75. The second section, seen
    as a whole by then, gains (1 − penalty) of its .5.
    """
    document = "<a><s>0123456789</s><s>0123456789</s></a>"
    judged = [Judgment("7", "a", ((0, 15),))]
    run = paths("/a[1]/s[1]", "/a[1]", "/a[1]/s[2]")
    world: dict[str, Any] = {"collection": example_collection({"a": document})}
    for penalty, gains in ((1, (1, 0.25, 0)), (0.5, (1, 0.625, 0.25)), (0, (1, 0.75, 0.5))):
        ideal = np.cumsum([1, 0.75, 0.5])
        options = f"base=full,overlap=on,penalty={penalty}"
        names = [f"nxCG@{k}({options})" for k in (1, 2, 3)]
        assert scored(run, judged, *names, **world) == close(*np.cumsum(gains) / ideal)


def test_ignored_tags_gain_nothing_and_are_not_wanted() -> None:
    document = "<a><collectionlink>12</collectionlink><p>34</p><b>56</b>7890</a>"
    judged = [Judgment("7", "a", ((0, 6),))]
    run = paths("/a[1]/collectionlink[1]", "/a[1]/p[1]", "/a[1]/b[1]")
    names = ("nxCG@3", "nxCG@3(ignore=links)", "nxCG@1(ignore=links)", "nxCG@2(ignore=p+b)")
    found = scored(run, judged, *names, collection=example_collection({"a": document}))
    assert found == close(1, 1, 0, 1)
