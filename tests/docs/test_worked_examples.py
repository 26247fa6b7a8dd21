"""The worked examples of the families: every figure on their pages is computed here.

Each function makes a page's example and yields what doxeval computes for it. All of that must be
on the page, rounded as the page rounds it; and every number on the page with three or more decimals
must be among what was computed, or be quoted from a paper.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from doxeval.assessments import (
    Grade2002,
    Grade2003,
    GradedElement,
    Judgment,
    NeededSpan,
    SubtopicGrade,
)
from doxeval.documents import example_collection
from doxeval.measures import FAMILIES, eprum, prum
from doxeval.runs import ChunkTable, Result
from making import curve, elements, graded, passage, paths, point, scored

PAGES = Path(__file__).resolve().parents[2] / "docs" / "measures"
Values = Iterator[float | None]
EXAMPLES: dict[str, Callable[[], Values]] = {}
# Numbers of papers, which cannot be computed without the runs of their years.
QUOTED = {
    "ng": {"0.917", "0.727", "0.868", "0.993", "0.987"},  # Gövert et al. 2003, §6
}


def example(make: Callable[[], Values]) -> Callable[[], Values]:
    EXAMPLES[make.__name__] = make
    return make


def text_of(family: str) -> str:
    """What is written by hand about a family."""
    page = (PAGES / f"{family}.md").read_text(encoding="utf-8")
    return page.partition("\n## Reference\n")[0]


def numbers_on(text: str) -> set[str]:
    """All numbers of a page, without those inside the names of measures and in years."""
    plain = re.sub(r"`[^`\n]+`", "", text.replace("```", ""))
    return {found.rstrip(".") for found in re.findall(r"(?<![\w.])\d+(?:\.\d+)?", plain)}


def is_on(value: float, numbers: set[str]) -> bool:
    """Whether a value is there, exactly or rounded to three or more digits."""
    for number in numbers:
        decimals = len(number.partition(".")[2])
        is_rounded = decimals >= 3 and f"{value:.{decimals}f}" == number
        if is_rounded or abs(float(number) - value) < 1e-12:
            return True
    return False


def highlighted(**documents: tuple[tuple[int, int], ...]) -> list[Judgment]:
    return [
        Judgment("7", name, spans, document_length=1000, best_entry_point=0 if spans else None)
        for name, spans in documents.items()
    ]


def grades(document: str, **found: tuple[int, str]) -> Judgment:
    """A document with grades of 2002; names of elements are their paths, with _ for /."""
    listed = tuple(
        GradedElement("/" + path.replace("_", "/"), Grade2002(*grade))
        for path, grade in found.items()
    )
    return Judgment("7", document, grades=listed)


# The examples


@example
def documents() -> Values:
    judged = [Judgment("7", name, ((0, 5),), document_length=9) for name in "acfx"]
    run = [Result("7", name) for name in "abcdef"]
    yield from scored(run, judged, *(f"P@{k}" for k in range(1, 7)))
    yield from scored(run, judged, "P@5", "R@5", "P@10", "R@10", "AP")
    yield from scored([Result("7", "z"), *run], judged, "AP")
    # The same number from other families: each relevant document is found as a whole.
    at_once = highlighted(a=((0, 1000),), c=((0, 1000),), f=((0, 1000),), x=((0, 1000),))
    whole = [passage(name, 0, 1000) for name in "abcdef"]
    yield from scored(whole, at_once, "MAgP(score=F,beta=1)")
    starts = [point(name, 0) for name in "abcdef"]
    yield from scored(starts, at_once, "EPRUM(L=1000)", "PRUM(L=1000)")
    yield from scored([Result("7", name) for name in "acfx"], judged, "P@10")  # at most 0.4
    # The other measures, with judgments of documents that are not relevant.
    by_grade = [Judgment("7", name, relevance=int(name in "acfx")) for name in "acfxbd"]
    names = "Rprec Success@1 RR IPrec@0.5 IPrec@0.8 Bpref infAP Judged@6 SetP SetR SetF NumRet"
    yield from scored(run, by_grade, *names.split(), "P@5(judged_only=on)", "NumRel", "NumRelRet")
    yield from (0.00001, (0.5 + 0.02) / 2, math.sqrt(0.5 * 0.02))


GRADES = {"a": 1, "b": 0, "c": 2, "d": 0, "f": 1, "x": 3}


def by_document() -> tuple[list[Result], list[Judgment]]:
    """Six documents, of which five were judged, and one that is missing."""
    judged = [Judgment("7", name, relevance=grade) for name, grade in GRADES.items()]
    return [Result("7", name) for name in "abcdef"], judged


@example
def graded_() -> Values:
    names = ("nDCG@5", "nDCG@5(gain=exp)", "ERR@5", "RBP(p=0.5)", "RBPresidual(p=0.5)")
    yield from scored(*by_document(), *names)
    discounts = [1 / math.log2(rank + 1) for rank in range(1, 7)]
    yield from discounts
    yield sum(grade * discount for grade, discount in zip((3, 2, 1, 1), discounts, strict=False))
    yield from (0.03125, 0.015625)


@example
def trec_eval() -> Values:
    names = "binG RelP@3 IPrecAvg nDCGrel RnDCG G YAAP SetAP Utility IPrec@0.4 IPrec@0.6"
    yield from scored(*by_document(), *names.split())


@example
def diversity() -> Values:
    judged = [
        Judgment("7", "a", subtopics=(SubtopicGrade("1", 1), SubtopicGrade("2", 1))),
        Judgment("7", "b", subtopics=(SubtopicGrade("2", 1),)),
    ]
    run = [Result("7", "b"), Result("7", "a")]
    names = ("alpha_nDCG@5", "ERR_IA@5", "NRBP", "P_IA@5")
    yield from scored(run, judged, *names, "StRecall@1", "StRecall@2")
    yield from scored(run[::-1], judged, *names)


@example
def hixeval() -> Values:
    judged = highlighted(a=((0, 50),), c=((0, 150),), d=((0, 100),), e=((0, 200),))
    run = [passage("a", 0, 100), passage("b", 0, 200), passage("c", 0, 300), passage("d", 0, 100)]
    yield from scored(run, judged, *(f"cP@{k}" for k in range(1, 5)))
    yield from scored(run, judged, *(f"cR@{k}" for k in range(1, 5)))
    yield from scored(run, judged, "iP[0.01]", "iP[0.11]", "iP[0.41]", "iP[0.61]", "MAiP")
    yield from scored(run, judged, "MAiP@3", "MAcP@4")
    # Of a fifth result 80 characters were in the first one, and all relevant ones among them.
    moved = highlighted(a=((50, 100),), c=((0, 150),), d=((0, 100),), e=((0, 200),))
    five = [*run, passage("a", 20, 120)]
    for setting in ("alpha=0", "resize=new", "alpha=1"):
        yield from scored(five, moved, f"cP@5({setting})", f"cR@5({setting})")


@example
def chunks() -> Values:
    judged = [Judgment("7", "a", ((100, 200),)), Judgment("7", "b", ((50, 100), (300, 350)))]
    run = [
        *(passage("a", 0, 150), passage("a", 100, 250), passage("b", 0, 120)),
        *(passage("c", 0, 200), passage("b", 300, 360)),
    ]
    yield from scored(run, judged, *(f"bR@400(fit={fit})" for fit in ("cut", "whole", "skip")))
    (utility,) = scored(run, judged, "U@400")
    assert utility is not None
    yield from (utility, 200 * utility)
    yield from scored(run, judged, "Cost@700[0.5]", "IoU@2", "IoU@2(resize=new)", "Red@2")
    yield from scored(run, judged, "hit@1", "hit@1(cover=0.5)", "hit@2", "RR@10")
    yield from scored(run, judged, "sR@3", "all@4", "all@5")
    ranges = [((one.start or 0, one.end or 0),) for one in run]
    table = ChunkTable.of(list("12345"), [one.document for one in run], ranges)
    yield from scored(run, judged, "sDCG@2", chunks=table)
    yield from scored(run, judged, "P@5(unit=result)", "AP(unit=result,of=returned)")
    yield from scored(run, judged, "AP(unit=result)", "nDCG(unit=result)", chunks=table)


@example
def genomics() -> Values:
    first = (NeededSpan("a", 0, 10), NeededSpan("b", 0, 10), NeededSpan("b", 20, 30))
    judged = [Judgment("7", "d1", needs=first)]
    judged += [Judgment("7", "d2", needs=(NeededSpan("c", 5, 15),))]
    run = [passage("d1", 5, 25), passage("d3", 0, 10), passage("d2", 0, 20)]
    yield from scored(run, judged, "cAP", "pAP", "aspectAP", "AP")
    # One of three gold passages, whole and as ten results: 1/3 and 10/12.
    pieces = [passage("d2", at, at + 1) for at in range(5, 15)]
    (whole,), (cut,) = scored([passage("d2", 5, 15)], judged, "pAP"), scored(pieces, judged, "pAP")
    assert whole == pytest.approx(1 / 3)
    assert cut == pytest.approx(10 / 12)
    assert scored(pieces, judged, "cAP") == scored([passage("d2", 5, 15)], judged, "cAP")


@example
def in_context() -> Values:
    judged = highlighted(a=((0, 50), (300, 450)), c=((500, 600),), d=((0, 300),), x=((0, 10),))
    run = [passage("a", 0, 100), passage("b", 0, 80), passage("c", 0, 50), passage("d", 0, 300)]
    yield from scored(run, judged, *(f"gP@{k}" for k in range(1, 5)), "MAgP(score=F,beta=1)")
    yield from scored(run, judged, "MAgP@3")
    yield from scored(run, judged, "gP@10", "MAgP(score=F,beta=0.25)")
    yield from scored(run, judged, *(f"gP@{k}(beta=0.25)" for k in (1, 3, 4)))
    entry = [Judgment("7", "a", ((0, 9),), best_entry_point=200, document_length=1000)]
    yield from scored([point("a", 100)], entry, "MAgP(score=bep,n=500)")
    read = [Judgment("7", "a", ((150, 350), (600, 700)), document_length=1000)]
    for spans in (((150, 450),), ((0, 150),), ((150, 350), (600, 700))):
        marked = [passage("a", *span) for span in spans]
        yield from scored(marked, read, "MAgP(score=t2i,irr=300)")


@example
def inex_eval() -> Values:
    worth = {"a": 1.0, "b": 0.75, "d": 0.25, "e": 0.5}
    name = "inex_eval(quant=gen,unretrieved=zero)"
    points = curve(elements("abcde"), graded(worth), name)
    yield from (points[x / 10] for x in range(1, 11))
    yield from scored(elements("abcde"), graded(worth), name, name.replace("(", "@2(", 1))
    yield from scored(elements("abcde"), graded(worth), "qP@2(quant=gen)", "qR@2(quant=gen)")
    binary = {"a": 1.0, "c": 1.0, "f": 1.0}
    for interpolation in ("intuitive", "ceiling"):
        one = f"inex_eval(quant=gen,unretrieved=zero,interpolation={interpolation})"
        yield curve(elements("abcdef"), graded(binary), one)[0.5]
    # Overlap pays: in each of two documents one element of grade 3E, with two ancestors of 3L.
    nested = {"a": (3, "L"), "a_s": (3, "L"), "a_s_p": (3, "E")}
    judged = [grades(document, **nested) for document in "xy"]
    after = [
        result for document in "xy" for result in paths("/a", "/a/s", "/a/s/p", document=document)
    ]
    yield from scored(after, judged, name)
    yield from scored(after[2::3], judged, name)
    yield 0.25 * 0.25 / 1.75  # esl


@example
def ng() -> Values:
    section = f"<s><p>{'p' * 100}</p>{'s' * 300}</s>"
    collection = example_collection(
        {"A": f"<a>{section}{'a' * 600}</a>", "B": f"<a>{'b' * 600}</a>"}
    )
    judged = [
        grades("A", a=(3, "L"), a_s=(3, "E"), a_s_p=(2, "E")),
        grades("B", a=(1, "L")),
    ]
    run = paths("/a", "/a/s", "/a/s/p", document="A")
    run = [run[1], run[2], run[0]]
    for overlap in "os":
        yield from scored(run, judged, f"ng(overlap={overlap},quant=gen)", collection=collection)
    by_rank = [f"{name}@{k}(overlap=o,quant=gen)" for name in ("ngR", "ngP") for k in (1, 3)]
    yield from scored(run, judged, *by_rank, collection=collection)
    yield (400 + 80) / (400 + 240)  # after a fifth of the rest, read at an even rate
    for unretrieved in ("zero", "block", "linear"):
        stopped = f"ng(overlap=o,quant=gen,unretrieved={unretrieved})"
        yield from scored(run[:1], judged, stopped, collection=collection)


@example
def xcg() -> Values:
    worth = {"a": 1.0, "b": 0.75, "c": 0.5, "d": 0.25}
    run = elements("cxad")
    judged = graded(worth)
    yield from scored(run, judged, *(f"nxCG@{k}(quant=gen)" for k in range(1, 5)))
    yield from scored(run, judged, "MAnxCG@4(quant=gen)", "MAep(quant=gen)", "MAep@3(quant=gen)")
    for reached in ("0.2", "0.6", "0.7"):
        yield from scored(run, judged, f"ep[{reached}](quant=gen,ranks=interpolated)")
    yield from scored(run, judged, "xCG@3(quant=gen)", "gr@3(quant=gen)")
    for ranks in ("integer", "interpolated", "linear"):
        yield from scored(run, judged, f"ep[0.4](quant=gen,ranks={ranks})")
    yield from scored(
        paths("/p[1]/b[1]", "/p[1]"),
        [Judgment("7", "a", ((0, 12),))],
        "nxCG@2(base=full,overlap=on,quant=spec)",
        collection=example_collection({"a": "<p>aaaa <b>bb</b> cccc</p>"}),
    )
    nested = {"/s[1]": (3, 3), **{f"/s[1]/p[{n}]": (1, 1) for n in range(1, 5)}}
    listed = tuple(GradedElement(path, Grade2003(*grade)) for path, grade in nested.items())
    whole = [Judgment("7", "a", grades=listed)]
    yield from scored(paths(*list(nested)[1:]), whole, "MAep(base=ideal,quant=gen)")
    yield from (gain for pieces in ((8, 7), (2, 3, 4, 5)) for gain in gains_of_pieces(pieces))
    yield 0.8 - min(0.7, 0.9)  # the erratum, without signs: eq 8, min(.7, .9) − .8
    yield 0.8 + 0.7 - 0.9  # and eq 13 on gains as they are, min(.5, .9 − .8 − .7)


def gains_of_pieces(tenths: tuple[int, ...]) -> Iterator[float]:
    """What paragraphs gain that are worth so many tenths, in a section worth nine tenths."""
    text = 10 * len(tenths)
    spans = [(10 * n, 10 * n + count) for n, count in enumerate(tenths)]
    spans.append((text, text + 900 - sum(tenths)))
    pieces = "".join("<p>0123456789</p>" for _ in tenths) + "y" * (1000 - text)
    run = paths(*(f"/a[1]/s[1]/p[{n}]" for n, _ in enumerate(tenths, 1)))
    cumulated = scored(
        run,
        [Judgment("7", "a", tuple(spans))],
        *(f"nxCG@{k}(base=ideal,quant=spec)" for k, _ in enumerate(tenths, 1)),
        collection=example_collection({"a": f"<a><s>{pieces}</s>{'z' * 1000}</a>"}),
    )
    yield from np.diff([0.0, *(0.9 * (value or 0.0) for value in cumulated)]).tolist()


@example
def bepd() -> Values:
    judged = [
        Judgment("7", name, ((0, 9),), best_entry_point=0, document_length=9000) for name in "acx"
    ]
    run = [point("a", 0), point("b", 0), point("c", 200)]
    values = ("0.01", "0.1", "1", "10", "100")
    yield from scored(run, judged, *(f"BEPD(A={a},L=2000)" for a in values))
    yield from (float(a) * 2000 / (float(a) * 2000 + 200) for a in values)
    yield from scored(run, judged, "EPRUM(A=0.1,L=2000)", "EPRUM@3(A=0.1,L=2000)")
    yield from scored(run, judged, "EPRUM[0.5](A=0.1,L=2000)")
    swapped = [run[1], run[0], run[2]]
    yield from scored(swapped, judged, "BEPD(A=0.1,L=2000)", "EPRUM(A=0.1,L=2000)")


@example
def prum_() -> Values:
    p = np.array([[1, 0], [0, 0.2], [0, 1]])
    for values in (prum(p), eprum(p)):
        yield from (float(values[1]), float(values[0]), float(values.mean()))
    yield float(prum(p[:2])[1])
    yield float(prum(p[:2], "truncate")[1])
    yield float(eprum(np.array([[1.0, 1.0]]))[1])
    yield float(prum(np.array([[1.0, 1.0]]))[1])


@example
def erru() -> Values:
    words = " ".join
    section = f"<s><q>{words(['q'] * 50)}</q> {words(['s'] * 350)}</s>"
    collection = example_collection(
        {
            "A": f"<a>{section} {words(['a'] * 600)}</a>",
            "B": f"<a><t>{words(['t'] * 100)}</t></a>",
            # q in the next section, with 18 words between
            "C": f"<a><s>{words(['s'] * 400)}</s><u>{words(['u'] * 18)} "
            f"<q>{words(['q'] * 50)}</q></u></a>",
        }
    )
    judged = [grades("A", a=(3, "L"), a_s=(3, "E"), a_s_q=(1, "S")), grades("B", a_t=(2, "E"))]
    found = paths("/a", "/a/s", "/a/s/q", document="A")
    last = paths("/a/t", document="B")
    options: dict[str, Any] = {"collection": collection}
    run = [found[0], found[2], *last]
    yield from scored(run, judged, *(f"ERRU@{k}" for k in (1, 2, 3)), **options)
    yield from scored([found[1], *last], judged, "ERRU@1", "ERRU@2", **options)
    one = [grades("A", a=(3, "L"), a_s=(3, "E"), a_s_q=(1, "S"))]
    yield from scored(found[:1], one, "ERRU@1", **options)
    yield from scored(found[2:], one, "ERRU@1", **options)
    yield from scored([found[0], found[2]], one, "ERRU@2", **options)
    apart = [grades("C", a_s=(3, "E"))]
    yield from scored(paths("/a/u/q", document="C"), apart, "ERRU@1", **options)
    yield from (0.4**exponent for exponent in (7 / 8, 3 / 4, 1 / 2))


@example
def esr() -> Values:
    collection = example_collection({"a": f"<a><s>{'x' * 10}</s><s>{'y' * 5}</s></a>"})
    judged = [grades("a", **{"a_s[1]": (3, "E"), "a_s[2]": (3, "E")})]
    run = paths("/a[1]", "/a[1]/s[1]")
    options = "(nav=hierarchical,assessed=ideal,quant=gen)"
    names = [f"{name}@2{options}" for name in ("ESRP", "ESRR", "MASRP")]
    yield from scored(run, judged, *names, collection=collection)


# What is held


def family_of(name: str) -> str:
    return name.rstrip("_")


@pytest.mark.parametrize("name", EXAMPLES)
def test_what_is_computed_is_on_the_page(name: str) -> None:
    numbers = numbers_on(text_of(family_of(name)))
    for value in EXAMPLES[name]():
        assert value is not None
        assert is_on(value, numbers), f"{value} is not on the page {family_of(name)}"


@pytest.mark.parametrize("name", EXAMPLES)
def test_what_is_on_the_page_is_computed(name: str) -> None:
    family = family_of(name)
    computed = [value for value in EXAMPLES[name]() if value is not None]
    long = {number for number in numbers_on(text_of(family)) if re.search(r"\.\d{3}", number)}
    unknown = {
        number
        for number in long - QUOTED.get(family, set())
        if not any(is_on(value, {number}) for value in computed)
    }
    assert not unknown, f"no code computes {unknown}: make them in {Path(__file__).name}"


def test_every_family_has_a_worked_example() -> None:
    assert {family_of(name) for name in EXAMPLES} == {family.name for family in FAMILIES}
