"""Golden values of the measures.

Each carries its origin: a paper, by the name under which `doxeval.measures.references` lists it, or
a calculation by hand that is spelt out beside it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import permutations
from typing import Any

import numpy as np
import pytest

from doxeval.assessments import Assessments, Judgment
from doxeval.assessments.grades import Grade2002, Grade2003
from doxeval.assessments.judgment import GradedElement
from doxeval.documents.examples import example_collection
from doxeval.evaluation import evaluate
from doxeval.measures.families.prum import eprum, prum
from doxeval.runs.builder import run_of
from doxeval.runs.run import Result
from making import close, elements, graded, passage, paths, point, scored


def curve(
    results: Sequence[Result], judgments: Iterable[Judgment], name: str, **options: Any
) -> dict[float, float]:
    """The curve of the only topic, by its points."""
    table = evaluate(run_of(results), Assessments(judgments), [name], curves=True, **options)
    (found,) = table.runs[0].curves
    points = found.x.round(2).tolist()
    return dict(zip(points, found.y[0].tolist(), strict=True))


# 1. inex_eval


@pytest.mark.parametrize(
    ("interpolation", "x", "value"),
    [
        # Relevant at ranks 1, 3 and 6 of six. With ⌈x·n⌉, all x up to 1/3 want one element.
        pytest.param("ceiling", 0.33, 1, id="by hand: 1/(1 + 0)"),
        pytest.param("ceiling", 0.66, 0.6667, id="by hand: 2/(2 + 1)"),
        pytest.param("ceiling", 1.0, 0.5, id="by hand: 3/(3 + 3)"),
        pytest.param("intuitive", 0.5, 0.6, id="by hand: 1.5/(1.5 + 1)"),
    ],
)
def test_precall_of_a_binary_list(interpolation: str, x: float, value: float) -> None:
    judged = graded({"r1": 1, "r2": 1, "r3": 1})
    run = elements(["r1", "n1", "r2", "n2", "n3", "r3"])
    name = f"inex_eval(quant=strict,interpolation={interpolation})"
    assert curve(run, judged, name)[x] == pytest.approx(value, abs=5e-5)


def test_precall_of_a_graded_list() -> None:
    """By hand: n = 2.5; at x = .8, 2 are wanted, at rank 4: esl = 1.25 + .25·.75/1.25."""
    judged = graded({"a": 1, "b": 0.75, "d": 0.25, "e": 0.5})
    found = curve(elements("abcde"), judged, "inex_eval(quant=gen)")
    values = [found[n / 10] for n in range(1, 11)]
    printed = (1, 1, 1, 1, 0.9722, 0.9545, 0.9423, 0.5882, 0.5192, 0.5357)
    assert values == close(*printed, to=5e-5)


def test_precall_counts_the_irrelevant_that_a_random_order_would_show() -> None:
    """By enumeration: all orders of a tie of three relevant elements among seven."""
    relevant, others = ["r1", "r2", "r3"], ["n1", "n2", "n3", "n4"]
    judged = graded(dict.fromkeys(relevant, 1))
    tied = [one._replace(rank=1) for one in elements([*others, *relevant])]
    name = "inex_eval(quant=strict,interpolation=ceiling)"
    found = curve(tied, judged, name, order="rank")
    for wanted, x in ((1, 0.33), (2, 0.66), (3, 1.0)):
        before = [
            np.flatnonzero(order)[wanted - 1] + 1 - wanted
            for order in set(permutations([1] * 3 + [0] * 4))
        ]
        assert found[x] == pytest.approx(wanted / (wanted + np.mean(before)))


def test_precall_of_what_was_not_retrieved() -> None:
    """By hand: 12 elements, 2 relevant; one is at rank 1, the rest is 1 relevant and 10 others."""
    documents = dict.fromkeys("abcd", "<a><p>x</p><p>y</p></a>")
    one = GradedElement("/a[1]/p[1]", Grade2003(3, 3))
    judged = [Judgment("7", name, grades=(one,)) for name in "ab"]
    run = elements("a", "/a[1]/p[1]")
    world: dict[str, Any] = {"collection": example_collection(documents)}
    level = curve(run, judged, "inex_eval(quant=strict)", **world)
    zero = curve(run, judged, "inex_eval(quant=strict,unretrieved=zero)", **world)
    assert (level[0.5], zero[0.5], zero[0.51]) == (1, 1, 0)
    assert level[1.0] == pytest.approx(2 / (2 + 1 * 10 / (1 + 1)))
    assert level[0.75] == pytest.approx(1.5 / (1.5 + 0.5 * 10 / (1 + 1)))


# 2. ng

NG_WORLD = {"a": "<a><s><p>12345</p></s><s>67890</s></a>", "b": "<a>0123456789</a>"}


@pytest.mark.parametrize(
    ("overlap", "quant", "printed"),
    [
        # The article (10 of 10 new, 5 relevant), its section (5, none new), its paragraph.
        # o: recall 1 at rank 1 with precision 5/10; what repeats adds nothing.
        pytest.param("o", "spec", 0.5, id="by hand, Gövert et al. 2003, eq 8–9"),
        # s: recall is clipped at 1; precision (5 + 5)/15 and (5 + 5 + 5)/20.
        pytest.param("s", "spec", 0.75, id="by hand, Gövert et al. 2003, eq 6–7"),
    ],
)
def test_ng_of_nested_results(overlap: str, quant: str, printed: float) -> None:
    judged = [Judgment("7", "a", ((0, 5),))]
    run = paths("/a[1]", "/a[1]/s[1]", "/a[1]/s[1]/p[1]")
    name = f"ng(overlap={overlap},quant={quant},unretrieved=zero)"
    assert scored(run, judged, name, collection=example_collection(NG_WORLD)) == close(printed)


def test_ng_reads_grades_as_thirds_and_the_rest_as_one_block() -> None:
    """By hand: (e, s) of the article (2, 1), of its section (1, 3); the section is returned.

    recall = (1/3) / (2/3) = .5 with precision 1; reading all 20 characters: (1/3 · 10) / 20.
    """
    grades = (
        GradedElement("/a[1]", Grade2003(2, 1)),
        GradedElement("/a[1]/s[1]", Grade2003(1, 3)),
    )
    judged = [Judgment("7", "a", grades=grades)]
    world: dict[str, Any] = {"collection": example_collection(NG_WORLD)}
    found = curve(paths("/a[1]/s[1]"), judged, "ng(quant=gen)", **world)
    assert (found[0.5], found[0.51]) == pytest.approx((1, 1 / 6))
    by_components = curve(
        paths("/a[1]/s[1]"), judged, "ng(quant=gen,denominator=components)", **world
    )
    assert (by_components[0.33], by_components[0.34]) == pytest.approx((1, 1 / 6))


# 3. XCG


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


# 4. HiXEval and in context


def test_interpolated_precision() -> None:
    """By hand: (rsize, size) = (50, 100), (0, 200), (150, 300), (100, 100); Trel 500.

    Rank 1 has recall .1 and precision .5; rank 4 has recall .6 and precision 300/700.
    """
    judged = [
        Judgment("7", name, ((0, highlighted),), document_length=1000)
        for name, highlighted in (("a", 50), ("c", 150), ("d", 100), ("e", 200))
    ]
    sizes = {"a": 100, "b": 200, "c": 300, "d": 100}
    run = [passage(name, 0, size) for name, size in sizes.items()]
    names = [f"iP[{x}]" for x in (0, 0.01, 0.1, 0.11, 0.6, 0.61, 1)]
    precise = 0.428571
    assert scored(run, judged, *names) == close(0.5, 0.5, 0.5, precise, precise, 0, 0)
    assert scored(run, judged, "MAiP") == close(0.26662, to=5e-6)


def test_recall_is_compared_in_whole_numbers() -> None:
    """By hand: 29, 57 and 58 of 100 characters reach recall .29, .57 and .58."""
    judged = [Judgment("7", "a", ((0, 100),), document_length=100)]
    for found in (29, 57, 58):
        name = f"iP[0.{found}]"
        assert scored([passage("a", 0, found)], judged, name) == [1]


@pytest.mark.parametrize(
    ("options", "precision", "recall"),
    [
        # 50 relevant characters in 100, the same 50 alone, then 10 and 20 of an irrelevant
        # document; Trel 100. Sizes: 180 in full, 120 new ones, 130 as the tool counts.
        pytest.param(
            "alpha=0", 50 / 180, 0.5, id="by hand, Ali, Consens and Lalmas 2012, eq 15: once"
        ),
        pytest.param(
            "alpha=1", 100 / 180, 1.0, id="by hand, Ali, Consens and Lalmas 2012, eq 15: in full"
        ),
        pytest.param(
            "alpha=0.5", 75 / 180, 0.75, id="by hand, Ali, Consens and Lalmas 2012, eq 15: by half"
        ),
        pytest.param("resize=new", 50 / 120, 0.5, id="by hand: new characters"),
        pytest.param(
            "resize=tool", 50 / 130, 0.5, id="by hand: as inex_eval 3.1 counts thorough runs"
        ),
    ],
)
def test_repeated_text(options: str, precision: float, recall: float) -> None:
    judged = [Judgment("7", "a", ((0, 50), (500, 550)), document_length=1000)]
    run = [passage("a", 0, 100), passage("a", 0, 50), passage("n", 0, 10), passage("n", 0, 20)]
    names = [f"{name}@4({options})" for name in ("cP", "cR", "cF")]
    mixed = 2 * precision * recall / (precision + recall)
    assert scored(run, judged, *names) == close(precision, recall, mixed)


def test_recall_of_repeated_text_is_clipped() -> None:
    judged = [Judgment("7", "a", ((0, 50),), document_length=1000)]
    run = [passage("a", 0, 50), passage("a", 0, 51), passage("a", 0, 52)]
    found = scored(run, judged, "cR@3(alpha=1)", "iP[1](alpha=1)", "cR@9(alpha=0.5)")
    assert found == close(1, 1, 1)


@pytest.mark.parametrize(
    ("beta", "printed"),
    [
        pytest.param("1", 0.194444, id="by hand, Lalmas et al. 2007, eq 9–13: beta 1"),
        pytest.param("0.25", 0.249421, id="by hand, INEX 2008: beta .25"),
    ],
)
def test_generalised_precision(beta: str, printed: float) -> None:
    """Articles (relret, ret, rel) = (50, 100, 200), (0, 80, 0), (0, 50, 100), (300, 300, 300)."""
    highlights = {"a": (50, 250), "c": (100, 200), "d": (0, 300), "e": (0, 9)}
    judged = [Judgment("7", name, (own,), document_length=999) for name, own in highlights.items()]
    run = [passage("a", 0, 100), passage("b", 0, 80), passage("c", 0, 50), passage("d", 0, 300)]
    assert scored(run, judged, f"MAgP(beta={beta})") == close(printed)
    found = scored(run, judged, "gP@1", "gP@4", "gP@8", "gR@1", "gR@4", "gR@50")
    assert found == close(1 / 3, 1 / 3, 1 / 6, 0.25, 0.75, 0.75)


def test_articles_rank_by_their_first_result() -> None:
    """By hand: two halves of a, around an irrelevant article, are one article at rank 1."""
    judged = [Judgment("7", "a", ((0, 100),), document_length=200)]
    run = [passage("a", 0, 50), passage("b", 0, 9), passage("a", 40, 100)]
    assert scored(run, judged, "gP@1", "gP@2", "MAgP", "P@1", "AP") == close(1, 0.5, 1, 1, 1)


@pytest.mark.parametrize(
    ("start", "n", "printed"),
    [
        (300, 500, 1),
        (400, 500, 0.8),
        (200, 500, 0.8),
        (800, 500, 0),
        (900, 500, 0),
        (900, 1000, 0.4),
    ],
)
def test_nearness_to_an_entry_point(start: int, n: int, printed: float) -> None:
    """By hand, INEX 2007–10: (n − |x − b|) / n with b = 300; a second result takes no rank."""
    judged = [
        Judgment("7", "a", ((300, 310),), 300, 1000),
        Judgment("7", "b", ((0, 10),), 0, 1000),
    ]
    run = [point("a", start), point("a", 300 if start != 300 else 0), point("b", 0)]
    options = f"(score=bep,n={n})"
    found = scored(run, judged, f"gP@1{options}", f"gP@2{options}", f"MAgP{options}")
    assert found == close(printed, (printed + 1) / 2, (printed + (printed + 1) / 2) / 2)


@pytest.mark.parametrize(
    ("irr", "printed"),
    [
        # [50, 150) first: 50 irrelevant, 50 relevant; then [0, 50), then from 150 on.
        pytest.param(300, 100 / 400, id="by hand, INEX 2010: 300"),
        pytest.param(120, 100 / 220, id="by hand, INEX 2010: 120"),
        pytest.param(100, 50 / 150, id="by hand, INEX 2010: just before more"),
        pytest.param(40, 0, id="by hand, INEX 2010: before anything"),
        pytest.param(900, 100 / 1000, id="by hand, INEX 2010: to the end"),
        pytest.param(9999, 100 / 1000, id="by hand, INEX 2010: beyond the end"),
    ],
)
def test_tolerance_to_irrelevance(irr: int, printed: float) -> None:
    judged = [Judgment("7", "a", ((100, 200),), document_length=1000)]
    assert scored([passage("a", 50, 150)], judged, f"MAgP(score=t2i,irr={irr})") == close(printed)


# 5. Best in context


@pytest.mark.parametrize("patience", ["0.01", "0.1", "1", "10", "100"])
def test_a_distance_of_the_mean_length_scores_a_share(patience: str) -> None:
    """Lalmas et al. 2007, eq 14: d = L gives A / (A + 1)."""
    documents = {"a": f"<a>{'x' * 1500}</a>", "b": f"<a>{'x' * 500}</a>"}
    judged = [Judgment("7", "a", ((0, 10),), 0)]
    wanted = float(patience) / (float(patience) + 1)
    world: dict[str, Any] = {"collection": example_collection(documents)}
    names = (f"BEPD(A={patience})", f"EPRUM(A={patience})", f"EPRUM@1(A={patience})")
    assert scored([point("a", 1000)], judged, *names, **world) == close(*[wanted] * 3)
    given = scored([point("a", 1000)], judged, f"BEPD(A={patience},L=2000)", **world)
    assert given == close(2 * float(patience) / (2 * float(patience) + 1))


ENTRIES = [Judgment("7", name, ((0, 10),), 0, 1000) for name in "abcd"]


def test_nearness_is_a_share_of_all_entry_points() -> None:
    """By hand: a hit, a miss by A·L (.5), an article without one, a second result of a."""
    run = [point("a", 0), point("b", 100), point("x", 0), point("a", 1)]
    assert scored(run, ENTRIES, "BEPD(L=1000)") == close(1.5 / 4)


def test_a_ranking_of_entry_points_is_perfect_at_every_level() -> None:
    """Lalmas et al. 2007, §7.2: a ranking only of entry points is perfect at all recall levels."""
    run = [point(name, 0) for name in "abcd"]
    names = [
        f"{name}{at}(L=1000)" for name in ("PRUM", "EPRUM") for at in ("", "[.1]", "[.5]", "[1]")
    ]
    assert scored(run, ENTRIES, *names, "EPRUM@4(L=1000)") == close(*[1] * 9)


def test_entry_points_that_are_seen_by_chance() -> None:
    """By hand: a is hit; b is seen with probability .2 (A·L = 25, d = 100), x never leads on.

    EPRUM: 1/1, then .2 · 2/2, levels 3 and 4 are never reached. PRUM, if both are seen, has two
    of two items lead to something. EPRUM@2 = (1 + .2)/2, EPRUM@3 = 1.2/3.
    """
    run = [point("a", 0), point("b", 100), point("x", 0)]
    options = "(A=0.025,L=1000)"
    names = ["EPRUM[0]", "EPRUM[.25]", "EPRUM[.26]", "EPRUM[.5]", "EPRUM[.51]", "EPRUM", "PRUM"]
    found = scored(run, ENTRIES, *(name + options for name in names))
    assert found == close(1, 1, 0.2, 0.2, 0, 0.3, 0.3)
    assert scored(run, ENTRIES, f"EPRUM@2{options}", f"EPRUM@3{options}") == close(0.6, 0.4)
    others = [f"PRUM[.5](A=0.025,L=1000,unreached={what})" for what in ("truncate", "condition")]
    # truncate: E[CL] = 1.2 of E[C] = .2 · 2 + .8 · 3; condition: 2 of 2.
    assert scored(run, ENTRIES, *others) == close(1.2 / 2.8, 1)


# 6. PRUM and EPRUM: items that lead to targets elsewhere are given as probabilities


@pytest.mark.parametrize(
    ("p", "of_eprum", "of_prum"),
    [
        pytest.param(
            [[1, 0], [0, 0.2], [0, 1]],
            (1, 0.733333),
            (1, 0.714286),
            id="Ali, Consens and Lalmas 2012, Table 9",
        ),
        pytest.param(
            [[0.5, 0.5], [0.5, 0.5], [1, 1]],
            None,
            (0.761905, 0.742857),
            id="by enumeration of all that users may see",
        ),
    ],
)
def test_browsing(
    p: list[list[float]], of_eprum: tuple[float, ...] | None, of_prum: tuple[float, ...]
) -> None:
    assert prum(np.array(p)).tolist() == close(*of_prum)
    if of_eprum is not None:
        assert eprum(np.array(p)).tolist() == close(*of_eprum)


def test_without_navigation_both_are_precision_at_recall() -> None:
    """By hand: three targets, found at ranks 1 and 3: 1/1, 2/3, never."""
    judged = graded({"a": 1, "b": 1, "c": 1})
    names = [
        f"{name}{at}(targets=ideal,quant=gen)"
        for name in ("PRUM", "EPRUM")
        for at in ("[.3]", "[.6]", "[1]", "")
    ]
    expected = (1, 2 / 3, 0, (1 + 2 / 3) / 3)
    assert scored(elements("axb"), judged, *names) == close(*expected, *expected)


# 7. ERRU

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
