"""What random worlds show rarely, or hide behind something else."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from brute_force.browsing import prum_at_level
from brute_force.scenarios import near
from doxeval.assessments import Assessments, Grade2002, Grade2003, GradedElement, Judgment
from doxeval.documents import example_collection
from doxeval.errors import DoxevalError
from doxeval.evaluation import evaluate
from doxeval.measures import prum
from doxeval.runs import Kind, Result, Run


@pytest.mark.parametrize("name", ["inex_eval(quant=spec)", "ng(quant=spec)"])
def test_an_empty_list_scores_0_even_if_the_rest_of_the_collection_counts(name: str) -> None:
    collection = example_collection({"a": "<a><p>one</p><p>two</p></a>"})
    assessments = Assessments([Judgment("7", "a", ((0, 3),)), Judgment("8", "a", ((0, 3),))])
    run = Run.from_results([Result("8", "a")], "run")
    scores = evaluate(run, assessments, [name], collection=collection).topics()["run"]
    assert scores["7"][name] == 0


@pytest.mark.parametrize("name", ["nxCG@1", "MAep", "inex_eval(quant=spec)", "ERRU@1"])
def test_a_measure_is_undefined_where_nothing_is_relevant_at_all(name: str) -> None:
    collection = example_collection({"a": "<a><p>one</p><p>two</p></a>"})
    run = Run.from_results([Result("7", "a")], "run")
    table = evaluate(run, Assessments([Judgment("7", "a")]), [name], collection=collection)
    assert table.mean()["run"][name] is None


def test_an_empty_run_can_be_ordered() -> None:
    assessments = Assessments([Judgment("7", "a", ((0, 3),), document_length=9)])
    table = evaluate(Run.from_results([], "run"), assessments, ["MAiP"], order="rsv")
    assert table.mean() == {"run": {"MAiP": 0.0}}


def test_an_empty_element_is_not_relevant_to_erru_whatever_its_grade() -> None:
    collection = example_collection({"a": "<a><p>one</p><p/></a>"})
    paths = ["/a[1]/p[1]", "/a[1]/p[2]"]
    grades = tuple(GradedElement(path, Grade2002(3, "E")) for path in paths)
    assessments = Assessments([Judgment("7", "a", grades=grades)])
    table = evaluate(returned(paths[:1]), assessments, ["ERRU@1"], collection=collection)
    assert table.mean() == {"run": {"ERRU@1": 1.0}}


def test_conditional_prum_is_0_where_a_target_is_never_shown() -> None:
    p = np.array([[0, 0.7, 0], [0, 0, 0.1], [0, 0.3, 0.1]])
    assert prum(p, "condition")[2] == 0


def test_conditional_prum_keeps_its_digits_where_recall_is_unlikely() -> None:
    unlikely = Fraction(1, 10**7)
    p = ((unlikely, Fraction(0)), (Fraction(0), Fraction(0)), (Fraction(0), unlikely))
    expected = [near(prum_at_level(p, i, "condition")) for i in (1, 2)]
    assert prum(np.array(p, dtype=np.float64), "condition").tolist() == expected


def returned(paths: list[str], topics: str = "7") -> Run:
    """A run of elements of the document a."""
    return Run.from_results(
        [Result(topic, "a", Kind.ELEMENT, paths=(path,)) for topic in topics for path in paths],
        "run",
    )


def graded(grades: dict[str, tuple[int, int]], topic: str = "7") -> Judgment:
    """Grades of 2003 in the document a."""
    return Judgment(
        topic, "a", grades=tuple(GradedElement(path, Grade2003(*g)) for path, g in grades.items())
    )


def test_equal_remainders_of_ideal_elements_are_equal() -> None:
    """Worth 0.9, less four times 0.1, is worth 0.5: then the first ideal element is charged."""
    parts = [f"/a[1]/s[2]/p[{n}]" for n in range(1, 5)]
    grades = {"/a[1]": (1, 1), "/a[1]/s[1]": (2, 2), "/a[1]/s[2]": (2, 3)}
    assessments = Assessments([graded(grades | dict.fromkeys(parts, (1, 1)))])
    run = returned([*parts, "/a[1]", "/a[1]/s[1]"])
    table = evaluate(run, assessments, ["nxCG@6(quant=sog)"])
    assert table.mean()["run"]["nxCG@6(quant=sog)"] == near(Fraction(9, 14))


def test_no_more_is_gained_where_the_ideal_element_is_used_up() -> None:
    """Worth 0.9, it is returned in ten parts of 0.1: the tenth gains nothing."""
    parts = [f"/a[1]/p[{n}]" for n in range(1, 11)]
    assessments = Assessments([graded({"/a[1]": (2, 3)} | dict.fromkeys(parts, (1, 1)))])
    name = "MAep(base=ideal,quant=sog)"
    expected = sum((Fraction(1, rank) for rank in range(1, 10)), Fraction(0))
    for count in (9, 10):
        table = evaluate(returned(parts[:count]), assessments, [name])
        assert table.mean()["run"][name] == near(expected)


def test_one_topic_does_not_depend_on_the_order_in_another() -> None:
    """Without a collection, the first of equal ideal elements is the first of this topic."""
    other = graded({"/a[1]/s[2]": (3, 3), "/a[1]/s[1]": (3, 3)}, "1")
    own = graded({"/a[1]": (2, 1), "/a[1]/s[1]": (3, 3), "/a[1]/s[2]": (3, 3)}, "2")
    run = returned(["/a[1]", "/a[1]/s[1]"], "2")
    name = "nxCG@2(quant=gen)"
    for judgments in ([own], [own, other], [other, own]):
        table = evaluate(run, Assessments(judgments), [name])
        assert table.topics()["run"]["2"][name] == near(Fraction(1, 2))


def test_grades_above_the_maximum_of_err_are_refused() -> None:
    qrels, run = {"7": {"a": 5, "b": 0}}, {"7": {"a": 1.0}}
    with pytest.raises(DoxevalError, match="needs max=5: there are grades up to 5"):
        evaluate({"run": run}, Assessments.from_dict(qrels), "ERR")
    scores = evaluate({"run": run}, Assessments.from_dict(qrels), "ERR(max=5)")
    assert scores.mean() == {"run": {"ERR(max=5)": 31 / 32}}
