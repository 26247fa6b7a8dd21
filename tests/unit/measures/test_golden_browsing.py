"""Golden values of best in context, PRUM and EPRUM.

Each carries its origin: a paper, by the name under which `doxeval.measures.explain` lists it, or
a calculation by hand that is spelt out beside it.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from doxeval.assessments import Assessments, Judgment
from doxeval.documents import example_collection
from doxeval.errors import SyntaxProblem
from doxeval.evaluation import Keep, evaluate
from doxeval.measures import eprum, measure_named, prum
from doxeval.runs import Run
from making import close, elements, graded, paths, point, scored
from strategies import World, worlds


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


def test_the_curve_of_precision_at_levels_of_recall() -> None:
    """By hand: as above, 1 up to a recall of 1/4, .2 up to 1/2, then 0.

    For a topic of three targets, of which the first result shows one, 1 up to a third, then 0.
    """
    three = [Judgment("8", name, ((0, 10),), 0, 1000) for name in "abc"]
    run = Run.from_results([point("a", 0), point("b", 100), point("x", 0), point("a", 0, "8")])
    name = "EPRUM(A=0.025,L=1000)"
    names = [name, "EPRUM[.5](L=1000)", "EPRUM@2(L=1000)"]
    table = evaluate(run, Assessments([*ENTRIES, *three]), names, keep=Keep(curves=True))
    (curve,) = table.runs[0].curves  # a level or a rank alone has none
    assert (curve.label, curve.x_name, curve.y_name) == (name, "recall", "EPRUM")
    assert curve.x.tolist() == [n / 100 for n in range(1, 101)]
    assert curve.y[0].tolist() == close(*[1] * 25, *[0.2] * 25, *[0] * 50)
    assert curve.y[1].tolist() == close(*[1] * 33, *[0] * 67)
    mean = table.to_dict()["runs"][0]["curves"][0]["mean"]
    assert mean == close(*[1] * 25, *[0.6] * 8, *[0.1] * 17, *[0] * 50)


def test_the_curve_of_prum() -> None:
    """By hand: the first of two targets is seen at once, the second at rank 2 with probability .2.

    A single level has no curve.
    """
    judged = [Judgment("7", name, ((0, 10),), 0, 1000) for name in "ab"]
    run = Run.from_results([point("a", 0), point("b", 100)])
    names = ["PRUM(A=0.025,L=1000)", "PRUM[.5](A=0.025,L=1000)"]
    table = evaluate(run, Assessments(judged), names, keep=Keep(curves=True))
    (curve,) = table.runs[0].curves
    assert (curve.label, curve.x_name, curve.y_name) == (names[0], "recall", "PRUM")
    assert curve.y[0].tolist() == close(*[1] * 50, *[0.2] * 50)


@pytest.mark.parametrize("name", ["EPRUM", "PRUM", "PRUM(unreached=truncate)"])
@given(world=worlds(), level=st.integers(1, 100))
def test_points_of_the_curve_are_precision_at_a_level(name: str, world: World, level: int) -> None:
    kind, parenthesis, rest = name.partition("(")
    names = [name, f"{kind}[{level / 100}]{parenthesis}{rest}"]
    assume(any(judgment.best_entry_point is not None for judgment in world.judgments))
    table = evaluate(
        world.element_run(),
        world.assessments(),
        names,
        collection=world.collection(),
        keep=Keep(curves=True),
    )
    (scores,) = table.runs
    (curve,) = scores.curves
    np.testing.assert_array_equal(curve.y[:, level - 1], scores.values[1])


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


def test_ignored_elements_are_no_targets() -> None:
    """By hand: both paragraphs are targets; without p their section is the only one."""
    world: dict[str, Any] = {
        "collection": example_collection({"a": "<a><s><p>one</p>.<p>two</p></s>...</a>"})
    }
    judged = [Judgment("7", "a", ((0, 3), (4, 7)))]
    run = paths("/a[1]/s[1]", "/a[1]/s[1]/p[1]")
    for name in ("PRUM", "EPRUM"):
        names = [f"{name}(targets=ideal{more})" for more in ("", ",ignore=p", ",ignore=links")]
        assert scored(run, judged, *names, **world) == close(1 / 4, 1, 1 / 4)


def test_entry_points_have_no_tags_to_ignore() -> None:
    for name in ("PRUM(ignore=p)", "EPRUM(targets=bep,ignore=links)"):
        with pytest.raises(SyntaxProblem, match="ignore is for targets=ideal"):
            measure_named(name)
    assert measure_named("PRUM(nav=depth,ignore=p)").label == "PRUM(nav=depth,ignore=p)"
