"""Golden values of inex_eval and ng.

Each carries its origin: a paper, by the name under which `doxeval.measures.explain` lists it, or
a calculation by hand that is spelt out beside it.
"""

from __future__ import annotations

from itertools import permutations
from typing import Any

import numpy as np
import pytest

from doxeval.assessments import Grade2003, GradedElement, Judgment
from doxeval.documents import example_collection
from making import close, curve, elements, graded, paths, scored

# inex_eval


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


def test_precall_of_the_first_results() -> None:
    """By hand: after two results 1.75 of 2.5 are found, a recall of .7; as above up to there."""
    judged = graded({"a": 1, "b": 0.75, "d": 0.25, "e": 0.5})
    whole = curve(elements("abcde"), judged, "inex_eval(quant=gen)")
    cut = curve(elements("abcde"), judged, "inex_eval@2(quant=gen)")
    assert cut == {x: value if x <= 0.7 else 0 for x, value in whole.items()}
    names = ("inex_eval@2(quant=gen)", "inex_eval@5(quant=gen)", "inex_eval(quant=gen)")
    averages = scored(elements("abcde"), judged, *names)
    assert averages == close(sum(cut.values()) / 100, *[sum(whole.values()) / 100] * 2)


def test_precall_cuts_tied_results() -> None:
    """By hand: of three tied results, one of them relevant, the first two are left: 1/(1 + 1/2)."""
    tied = [one._replace(rank=1) for one in elements(["n1", "r1", "n2"])]
    names = [f"inex_eval{k}(quant=strict)" for k in ("@1", "@2", "@3", "")]
    found = scored(tied, graded({"r1": 1}), *names, order="rank")
    points = [n / 100 for n in range(1, 101)]
    two, three = (sum(x / (x + x * i / 2) for x in points) / 100 for i in (1, 2))
    assert found == close(0, two, three, three)


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


# ng

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


# (e, s) of the article is (2, 1), of its section (1, 3).
NG_GRADED = [
    Judgment(
        "7",
        "a",
        grades=(
            GradedElement("/a[1]", Grade2003(2, 1)),
            GradedElement("/a[1]/s[1]", Grade2003(1, 3)),
        ),
    )
]


def ng_curve(options: str) -> dict[float, float]:
    """The curve of a run that returns the section."""
    world = example_collection(NG_WORLD)
    return curve(paths("/a[1]/s[1]"), NG_GRADED, f"ng({options})", collection=world)


def test_ng_reads_grades_as_thirds_and_the_rest_as_one_block() -> None:
    """By hand: recall = (1/3) / (2/3) = .5 with precision 1; all text: (1/3 · 10) / 20."""
    found = ng_curve("quant=gen,unretrieved=block")
    assert (found[0.5], found[0.51]) == pytest.approx((1, 1 / 6))
    by_components = ng_curve("quant=gen,unretrieved=block,denominator=components")
    assert (by_components[0.33], by_components[0.34]) == pytest.approx((1, 1 / 6))


def test_ng_reads_the_rest_at_an_even_rate() -> None:
    """By hand: of the list a/b = 5/5, of the whole collection (10/3)/20; recall .75 is f = .5."""
    found = ng_curve("unretrieved=auto")
    half = (5 + 0.5 * (10 / 3 - 5)) / (5 + 0.5 * (20 - 5))
    assert (found[0.5], found[0.75], found[1.0]) == pytest.approx((1, half, 1 / 6))
    assert found == ng_curve("quant=gen,unretrieved=linear")
    zero = ng_curve("unretrieved=zero")
    assert (zero[0.5], zero[0.51]) == (1, 0)


def test_ng_may_gain_by_reading_on() -> None:
    """By hand: what is returned has nothing relevant, so the best is at the end: 5 of 20."""
    judged = [Judgment("7", "a", ((0, 5),))]
    world: dict[str, Any] = {"collection": example_collection(NG_WORLD)}
    assert scored(paths("/a[1]/s[2]"), judged, "ng", **world) == close(0.25)
    assert scored([], judged, "ng", **world) == [0]


@pytest.mark.parametrize(
    ("overlap", "recall", "precision"),
    [
        # The paragraph (5 of 5), the section again, the article (5 new of 10, 5 relevant).
        pytest.param(
            "o", (1, 1, 1), (1, 1, 7.5 / 10), id="by hand, Gövert et al. 2003, eq 8–9, clipped"
        ),
        pytest.param(
            "s", (1, 1, 1), (1, 1, 15 / 20), id="by hand, Gövert et al. 2003, eq 6–7, clipped"
        ),
    ],
)
def test_ng_by_rank(overlap: str, recall: tuple[int, ...], precision: tuple[float, ...]) -> None:
    judged = [Judgment("7", "a", ((0, 5),))]
    run = paths("/a[1]/s[1]/p[1]", "/a[1]/s[1]", "/a[1]")
    ranks = (1, 2, 3, 9)
    names = [f"{name}@{k}(overlap={overlap})" for name in ("ngR", "ngP") for k in ranks]
    found = scored(run, judged, *names, collection=example_collection(NG_WORLD))
    assert found == close(*recall, recall[-1], *precision, precision[-1])


def test_ng_recall_by_rank_of_grades() -> None:
    """By hand: rel of the section 1/3, of the article 2/3, of which half is new after it."""
    world = example_collection(NG_WORLD)
    names = ["ngR@1", "ngR@2(denominator=components)", "ngR@2(overlap=s,denominator=components)"]
    found = scored(paths("/a[1]/s[1]", "/a[1]"), NG_GRADED, *names, collection=world)
    assert found == close(0.5, (1 / 3 + 2 / 3 / 2) / 1, 1)


def test_ignored_tags_have_neither_rel_nor_cov() -> None:
    """By hand: without sections, the paragraph is all there is to find below the article."""
    judged = [Judgment("7", "a", ((0, 5),))]
    world: dict[str, Any] = {"collection": example_collection(NG_WORLD)}
    section, paragraph = paths("/a[1]/s[1]", "/a[1]/s[1]/p[1]")
    for name, values in (("ngR@1", (0, 1)), ("ngP@1", (0, 1)), ("ng(unretrieved=zero)", (0, 1))):
        options = name.replace("(", "(ignore=s,") if "(" in name else f"{name}(ignore=s)"
        found = [scored([one], judged, options, **world)[0] for one in (section, paragraph)]
        assert found == close(*values), name
    assert scored([section], judged, "ngR@1(ignore=a)", **world) == [None]
    assert scored([section], judged, "ngP@1(ignore=a)", **world) == [1]


# inex_eval by rank, and filtered


def test_quantised_precision_and_recall() -> None:
    """Piwowarski and Gallinari 2003, eq 1–2; by hand: values 1, .75, 0, .25 of n = 2.5."""
    judged = graded({"a": 1, "b": 0.75, "d": 0.25, "e": 0.5})
    names = [f"{name}@{k}" for name in ("qP", "qR") for k in (1, 2, 3, 4, 8)]
    found = scored(elements("abcd"), judged, *names)
    cumulated = (1, 1.75, 1.75, 2, 2)
    precision = (gain / k for gain, k in zip(cumulated, (1, 2, 3, 4, 8), strict=True))
    assert found == close(*precision, *(gain / 2.5 for gain in cumulated))


def test_ignored_tags_are_worth_nothing_to_inex_eval() -> None:
    """By hand: of two relevant elements the link does not count, and stands before the other."""
    grades = tuple(
        GradedElement(path, Grade2003(3, 3)) for path in ("/a[1]/weblink[1]", "/a[1]/p[1]")
    )
    judged = [Judgment("7", "a", grades=grades)]
    run = paths("/a[1]/weblink[1]", "/a[1]/p[1]")
    names = [f"{name}(quant=strict,ignore=links)" for name in ("qP@2", "qR@1", "qR@2")]
    assert scored(run, judged, *names) == close(0.5, 0, 1)
    found = curve(run, judged, "inex_eval(quant=strict,ignore=links)")
    assert (found[0.5], found[1.0]) == pytest.approx((0.5 / 1.5, 1 / 2))
