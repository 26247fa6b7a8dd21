"""Golden values of inex_eval and ng.

Each carries its origin: a paper, by the name under which `doxeval.measures.references` lists it, or
a calculation by hand that is spelt out beside it.
"""

from __future__ import annotations

from itertools import permutations
from typing import Any

import numpy as np
import pytest

from doxeval.assessments import Judgment
from doxeval.assessments.grades import Grade2003
from doxeval.assessments.judgment import GradedElement
from doxeval.documents.examples import example_collection
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
