"""Golden values of HiXEval and the measures in context.

Each carries its origin: a paper, by the name under which `doxeval.measures.explain` lists it, or
a calculation by hand that is spelt out beside it.
"""

from __future__ import annotations

import numpy as np
import pytest

from doxeval.assessments import Assessments, Judgment
from doxeval.evaluation import evaluate
from doxeval.runs import Run
from making import close, curve, passage, point, scored


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
    # By hand: after three results 11 points have 1/2 and 30 have 1/3; after one, 11 have 1/2.
    cut = scored(run, judged, "MAiP@1", "MAiP@3", "MAiP@4", "MAiP@1000")
    assert cut == close(5.5 / 101, 15.5 / 101, *[0.26662] * 2, to=5e-6)
    # By hand: precision is 1/2, 1/6, 1/3 and 3/7; beyond the end it stays.
    means = scored(run, judged, "MAcP@1", "MAcP@2", "MAcP@4", "MAcP@6")
    assert means == close(1 / 2, 1 / 3, 10 / 28, (10 / 7 + 2 * 3 / 7) / 6)


def test_precision_over_ranks_of_an_empty_list_and_of_no_relevant_text() -> None:
    judged = [Judgment("7", "a", ((0, 50),), document_length=100), Judgment("8", "a")]
    table = evaluate(
        Run.from_results([passage("b", 0, 9, "8")]), Assessments(judged), ["MAcP@3", "cP@3"]
    )
    np.testing.assert_array_equal(table.runs[0].values, [[0, np.nan]] * 2)


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


def test_generalised_precision_of_the_first_documents() -> None:
    """By hand: S = 1/3, 0, 0 and 1; a, c and d of four relevant articles are returned.

    The second part of a, behind b, still belongs to the first article.
    """
    highlights = {"a": (50, 250), "c": (100, 200), "d": (0, 300), "e": (0, 9)}
    judged = [Judgment("7", name, (own,), document_length=999) for name, own in highlights.items()]
    run = [
        *(passage("a", 0, 90), passage("b", 0, 80), passage("a", 90, 100), passage("c", 0, 50)),
        passage("d", 0, 300),
    ]
    names = [f"MAgP@{k}" for k in (1, 2, 3, 4, 1500)]
    whole = (1 / 3 + 1 / 9 + 1 / 3) / 4
    assert scored(run, judged, *names) == close(1 / 12, 1 / 12, 1 / 9, whole, whole)
    assert list(curve(run, judged, "MAgP@3").values()) == close(
        *[1 / 3] * 3, *[1 / 9] * 3, *[0] * 5
    )


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
