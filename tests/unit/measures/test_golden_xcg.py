"""Golden values of XCG.

Each carries its origin: a paper, by the name under which `doxeval.measures.explain` lists it, or
a calculation by hand that is spelt out beside it.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from doxeval.assessments import GradedElement, Judgment
from doxeval.documents import example_collection
from making import GEN, close, curve, elements, graded, paths, scored


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
    [
        ("integer", (1, 0.6667, 0.5)),
        ("interpolated", (0.5, 0.5556, 0.5)),
        ("linear", (1, 0.6667, 0.5)),
    ],
    ids=[
        "by hand: whole ranks",
        "by hand: on the lines of both curves",
        "Lalmas and Tombros 2007, §3.2: natural points are as with whole ranks",
    ],
)
def test_effort_at_gains(ranks: str, printed: tuple[float, ...]) -> None:
    """The gains .5, 1.5 and 1.75 are .2, .6 and .7 of 2.5."""
    names = [f"ep[{x}](quant=gen,ranks={ranks})" for x in (0.2, 0.6, 0.7)]
    assert scored(XCG_RUN, graded(XCG_BASE), *names) == close(*printed, to=5e-5)
    average = scored(XCG_RUN, graded(XCG_BASE), f"MAep(quant=gen,ranks={ranks})")
    assert average == close(sum(printed) / 4, to=5e-5)


def test_effort_of_the_first_results() -> None:
    """By hand: ep is 1 at rank 1, nothing is gained at rank 2, 2/3 at rank 3, 1/2 at rank 4."""
    names = [f"MAep@{k}(quant=gen)" for k in (1, 2, 3, 4, 1500)]
    found = scored(XCG_RUN, graded(XCG_BASE), *names)
    assert found == close(0.25, 0.25, 5 / 12, 6.5 / 12, 6.5 / 12)


def test_curves_of_gain_and_effort() -> None:
    """By hand: nxCG as above, up to its cut-off or to the end of run and base.

    The first two results gain .5 of 2.5, all of them 1.75, which is a gain-recall of .2 and .7.
    """
    judged = graded(XCG_BASE)
    by_rank = [0.5, 0.285714, 0.666667, 0.7]
    assert curve(XCG_RUN, judged, "nxCG@3(quant=gen)") == pytest.approx(
        dict(enumerate(by_rank[:3], 1)), abs=5e-7
    )
    assert list(curve(XCG_RUN, judged, "nxCG@1500(quant=gen)").values()) == close(*by_rank)
    cut = list(curve(XCG_RUN, judged, "MAep@2(quant=gen)").values())
    assert cut == [1.0] * 20 + [0.0] * 80
    interpolated = curve(XCG_RUN, judged, "iMAep(quant=gen)")
    at = (0.2, 0.4, 0.6, 0.7, 0.71)
    assert [interpolated[x] for x in at] == close(0.5, 0.4, 0.555556, 0.5, 0)
    average = scored(XCG_RUN, judged, "iMAep(quant=gen)")
    assert average == close(sum(interpolated.values()) / 100)


def test_effort_between_natural_points_is_linear() -> None:
    """Lalmas and Tombros 2007, §3.2; by hand: (.2, 1), (.6, 2/3) and (.7, 1/2) are joined."""
    names = [f"ep[{x}](quant=gen,ranks=linear)" for x in (0.01, 0.1, 0.4, 0.65, 0.71)]
    found = scored(XCG_RUN, graded(XCG_BASE), *names)
    assert found == close(1, 1, 0.833333, (2 / 3 + 1 / 2) / 2, 0)
    points = [
        np.interp(x, [20, 60, 70], [1, 2 / 3, 1 / 2]) if x <= 70 else 0 for x in range(1, 101)
    ]
    average = scored(XCG_RUN, graded(XCG_BASE), "iMAep(quant=gen,ranks=linear)")
    assert average == close(float(np.mean(points)))
    useless = scored(elements("xyz"), graded(XCG_BASE), "ep[0.01](quant=gen,ranks=linear)")
    assert useless == [0]


def test_gain_by_rank() -> None:
    """By hand: .5, .5, 1.5, 1.75, and of 2.5; beyond the end both stay."""
    cumulated = (0.5, 0.5, 1.5, 1.75, 1.75)
    names = [f"xCG@{k}(quant=gen)" for k in range(1, 6)] + [f"gr@{k}" for k in range(1, 6)]
    found = scored(XCG_RUN, graded(XCG_BASE), *names)
    assert found == close(*cumulated, *(gain / 2.5 for gain in cumulated))


def test_effort_at_the_ends() -> None:
    judged = graded(XCG_BASE)
    assert scored(XCG_RUN, judged, "ep[0](quant=gen)", "ep[0.71](quant=gen)") == [1, 0]
    assert scored(elements("x"), judged, "ep[0](quant=gen)") == [1]
    assert scored(elements("abcd"), judged, "ep[1](quant=gen)", "iMAep(quant=gen)") == close(1, 1)


SECTIONS: dict[str, Any] = {
    "collection": example_collection({"a": "<a><s>0123456789</s><s>0123456789</s></a>"})
}
SECTION_ARTICLE_SECTION = paths("/a[1]/s[1]", "/a[1]", "/a[1]/s[2]")


def cumulated_by_rank(judged: list[Judgment], penalty: float) -> list[float | None]:
    """nxCG@1, @2 and @3 of a section, the article and its other section, worth 1, .75 and .5."""
    options = f"base=full,overlap=on,penalty={penalty}"
    names = [f"nxCG@{k}({options})" for k in (1, 2, 3)]
    return scored(SECTION_ARTICLE_SECTION, judged, *names, **SECTIONS)


@pytest.mark.parametrize(
    ("penalty", "gains"), [(1, (1, 0.25, 0)), (0.5, (1, 0.625, 0.25)), (0, (1, 0.75, 0.5))]
)
def test_overlap_costs_gain(penalty: float, gains: tuple[float, ...]) -> None:
    """By hand: sections of 10 characters, graded 1 and .5; the article around them is worth .75.

    Penalty 1: the article gains what its second section gains, .5 · 10/20. Penalty .5: half of
    what both sections would gain now, (.5 + .5) · 10/20, and half of .75. The second section, seen
    as a whole by then, gains (1 − penalty) of its .5.
    """
    grades = {"/a[1]": 0.75, "/a[1]/s[1]": 1, "/a[1]/s[2]": 0.5}
    elements = tuple(GradedElement(path, GEN[value]) for path, value in grades.items())
    found = cumulated_by_rank([Judgment("7", "a", grades=elements)], penalty)
    assert found == close(*np.cumsum(gains) / np.cumsum([1, 0.75, 0.5]))


@pytest.mark.parametrize(
    ("penalty", "gains"), [(1, (1, 0.25, 0)), (0.5, (1, 0.5, 0.25)), (0, (1, 0.75, 0.5))]
)
def test_overlap_of_highlights_is_counted_in_characters(
    penalty: float, gains: tuple[float, ...]
) -> None:
    """By hand: 10 and 5 characters of the two sections are relevant.

    Of the article's 15, 10 were seen: (15 − penalty · 10) / 20. All 5 of the second section were
    seen by then: (5 − penalty · 5) / 10.
    """
    found = cumulated_by_rank([Judgment("7", "a", ((0, 15),))], penalty)
    assert found == close(*np.cumsum(gains) / np.cumsum([1, 0.75, 0.5]))


def test_text_between_elements_is_not_lost_where_they_overlap() -> None:
    """By hand: of 12 characters, 2 were seen in the bold print: (1 + 10/12) / 2."""
    world = example_collection({"a": "<p>aaaa <b>bb</b> cccc</p>"})
    judged = [Judgment("7", "a", ((0, 12),))]
    run = paths("/p[1]/b[1]", "/p[1]")
    found = scored(run, judged, "nxCG@2(base=full,overlap=on)", collection=world)
    assert found == close(0.916667)


def test_ignored_tags_gain_nothing_and_are_not_wanted() -> None:
    document = "<a><collectionlink>12</collectionlink><p>34</p><b>56</b>7890</a>"
    judged = [Judgment("7", "a", ((0, 6),))]
    run = paths("/a[1]/collectionlink[1]", "/a[1]/p[1]", "/a[1]/b[1]")
    names = ("nxCG@3", "nxCG@3(ignore=links)", "nxCG@1(ignore=links)", "nxCG@2(ignore=p+b)")
    found = scored(run, judged, *names, collection=example_collection({"a": document}))
    assert found == close(1, 1, 0, 1)


def test_a_result_takes_nothing_from_the_ideal_element_that_follows_it() -> None:
    """By hand: the section's only ideal element was returned before it; `t` is behind it."""
    document = "<a><s><p>One.</p><p>Two.</p></s><t>Three.</t></a>"
    judged = [Judgment("7", "a", ((0, 4), (8, 14)))]
    run = paths("/a[1]/s[1]/p[1]", "/a[1]/s[1]")
    found = scored(run, judged, "nxCG@2", collection=example_collection({"a": document}))
    assert found == close(0.5)
