"""Deep paths and many assessors: time goes by the length of the input alone."""

from __future__ import annotations

from doxeval.assessments import (
    AssessedUnit,
    Grade2003,
    GradedElement,
    Judgment,
    PathForest,
    merge_judgments,
    violations,
)
from growing import growth

HIGHEST = Grade2003(3, 3)


def deep(steps: int) -> Judgment:
    """Grades of a root and of one element far below it."""
    paths = ("/a[1]", "/a[1]" * steps)
    return Judgment("7", "d", grades=tuple(GradedElement(path, HIGHEST) for path in paths))


def test_rules_about_deep_elements() -> None:
    assert growth(deep, violations, 20_000) < 9


def test_elements_known_by_deep_paths() -> None:
    def work(judgment: Judgment) -> object:
        paths = [element.path for element in judgment.grades]
        forest = PathForest([("d", paths)])
        return forest.after, forest.path_numbers, forest.find_nodes([0, 0], paths)

    assert growth(deep, work, 5_000) < 9


def test_many_assessors_of_different_elements() -> None:
    def judgments(count: int) -> list[Judgment]:
        paths = [f"/a[1]/p[{number + 1}]" for number in range(count)]
        return [
            Judgment(
                "7",
                "d",
                grades=(GradedElement(path, HIGHEST),),
                units=(AssessedUnit((path,), 1.0),),
                assessor=path,
            )
            for path in paths
        ]

    assert growth(judgments, lambda given: merge_judgments(given, "majority"), 1_500) < 9
