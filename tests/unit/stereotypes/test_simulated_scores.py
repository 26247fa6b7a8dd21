"""What measures and tasks make of simulated runs."""

from __future__ import annotations

import pytest
from hypothesis import given

from doxeval.assessments import Assessments, Judgment
from doxeval.documents import example_collection
from doxeval.evaluation import evaluate
from doxeval.runs import Order, resolve
from doxeval.stereotypes import SYSTEMS, simulate
from doxeval.tasks import TASKS, problems_of
from levels import examples
from simulating import graded
from strategies import World, worlds

PARAGRAPH = f"<p>{'word ' * 20}</p>"
SECTION = f"<sec>{PARAGRAPH * 3}</sec>"
ARTICLE = f"<article><fm>{PARAGRAPH}</fm><bdy>{SECTION * 3}</bdy></article>"
GRADES = {
    "a": "{} 3L\n{}/bdy[1] 3L\n{}/bdy[1]/sec[1] 3L\n{}/bdy[1]/sec[1]/p[2] 3E",
    "b": "{} 2L\n{}/bdy[1] 2L\n{}/bdy[1]/sec[2] 2E\n{}/bdy[1]/sec[2]/p[1] 2S",
    "c": "{} 1L\n{}/bdy[1] 1L\n{}/bdy[1]/sec[3] 1L\n{}/bdy[1]/sec[3]/p[1] 1E",
    "d": "{} 3L\n{}/bdy[1] 3L\n{}/bdy[1]/sec[3] 3L\n{}/bdy[1]/sec[3]/p[1] 3E",
}
KS = (1, 2, 3, 4, 8, 20)


@pytest.mark.parametrize("order", ["list", "rsv"])
def test_erru_prefers_perfect_and_inex_eval_prefers_ancestors(order: Order) -> None:
    # Piwowarski and Gallinari 2003, §4.2, points 1 and 2.
    collection = example_collection(dict.fromkeys("abcdefgh", ARTICLE))
    judged = [graded(name, text.replace("{}", "/article[1]")) for name, text in GRADES.items()]
    assessments = Assessments(judged)
    runs = [simulate(assessments, collection, system) for system in SYSTEMS]
    table = evaluate(
        runs,
        assessments,
        [*(f"ERRU@{k}" for k in KS), "inex_eval(quant=gen)", "inex_eval(quant=strict)"],
        collection=collection,
        order=order,
    ).mean()
    for k in KS:
        label = f"ERRU@{k}"
        assert max(table, key=lambda run: table[run][label] or 0) == "perfect"
    for k in (4, 8, 20):
        assert table["perfect"][f"ERRU@{k}"] == pytest.approx(1, abs=1e-12)
    assert (table["ancestors"]["ERRU@4"] or 1) < 0.6
    generalised = {run: scored["inex_eval(quant=gen)"] or 0 for run, scored in table.items()}
    assert max(generalised, key=lambda run: generalised[run]) == "ancestors"
    assert generalised["ancestors"] > 1.3 * generalised["perfect"]


@examples(40)
@given(worlds())
def test_perfect_is_perfect_with_highlights(world: World) -> None:
    collection, assessments = world.collection(), world.assessments()
    runs = [simulate(assessments, collection, system) for system in SYSTEMS]
    names = [f"nxCG@{k}" for k in (*range(1, 9), 50)]
    table = evaluate(runs, assessments, [*names, "ERRU@1500"], collection=collection).topics()
    for topic, found in table["perfect"].items():
        for label, value in found.items():
            if value is not None:
                assert value == pytest.approx(1, abs=1e-9), (topic, label)
        best = max(scored[topic]["ERRU@1500"] or 0 for scored in table.values())
        assert best <= (found["ERRU@1500"] or 0) + 1e-9


def test_perfect_is_best_from_the_first_result_on() -> None:
    collection = example_collection(dict.fromkeys("abc", ARTICLE))
    paragraph, article = len("word ") * 20, collection.root("a").length
    highlights = {
        "a": ((paragraph, 2 * paragraph), (5 * paragraph, 5 * paragraph + 70)),
        "b": ((article - paragraph, article),),
    }
    assessments = Assessments([Judgment("7", name, found) for name, found in highlights.items()])
    runs = [simulate(assessments, collection, system) for system in SYSTEMS]
    names = [f"{name}@{k}" for name in ("ERRU", "nxCG") for k in (1, 2, 3, 10)]
    table = evaluate(runs, assessments, names, collection=collection).mean()
    for label in names:
        assert max(scored[label] or 0 for scored in table.values()) == table["perfect"][label]
    assert [table["perfect"][f"nxCG@{k}"] for k in (1, 2, 3, 10)] == [1.0] * 4
    assert (table["ancestors"]["ERRU@3"] or 1) < 0.5 < (table["perfect"]["ERRU@3"] or 0)


@examples(20)
@given(worlds())
def test_the_runs_are_as_tasks_want_them(world: World) -> None:
    collection, assessments = world.collection(), world.assessments()
    focused = ("perfect", "document", "biggest-child", "leaves")
    for system in SYSTEMS:
        run = simulate(assessments, collection, system)
        if not len(run):
            continue
        task = TASKS["focused" if system in focused else "thorough"]
        resolved = resolve(run, collection)
        assert problems_of(run, task, resolved=resolved, topics=assessments.topics) == []
