"""Short ways to make judgments and results, and to score them, for tests."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import pytest

from doxeval.assessments import Assessments, Grade2003, GradedElement, Judgment
from doxeval.evaluation import Keep, evaluate
from doxeval.runs import Kind, Result, Run
from seams import change

# Grades whose value with quant=gen is the key.
GEN = {1: Grade2003(3, 3), 0.75: Grade2003(3, 2), 0.5: Grade2003(2, 2), 0.25: Grade2003(1, 1)}


@contextmanager
def ids_may_have_white_space() -> Iterator[None]:
    """Collections are built as they were before ids with white space were refused."""
    with pytest.MonkeyPatch.context() as patch:
        change(patch, why_id_is_refused=lambda _: None)
        yield


def graded(values: Mapping[str, float], topic: str = "7") -> list[Judgment]:
    """One element in each document, worth so much with quant=gen."""
    return [
        Judgment(topic, name, grades=(GradedElement("/p[1]", GEN[value]),))
        for name, value in values.items()
    ]


def elements(documents: Iterable[str], path: str = "/p[1]") -> list[Result]:
    """The same element of many documents, in this order."""
    return [Result("7", document, Kind.ELEMENT, paths=(path,)) for document in documents]


def paths(*found: str, document: str = "a") -> list[Result]:
    """Elements of one document, in this order."""
    return [Result("7", document, Kind.ELEMENT, paths=(path,)) for path in found]


def passage(document: str, start: int, end: int, topic: str = "7") -> Result:
    return Result(topic, document, Kind.PASSAGE, start, end)


def point(document: str, start: int, topic: str = "7") -> Result:
    return Result(topic, document, Kind.POINT, start)


def scored(
    results: Sequence[Result],
    judgments: Iterable[Judgment],
    *names: str,
    **options: Any,
) -> list[float | None]:
    """The means of one run."""
    table = evaluate(Run.from_results(results), Assessments(judgments), names, **options)
    return list(table.mean()["run"].values())


def curve(
    results: Sequence[Result], judgments: Iterable[Judgment], name: str, **options: Any
) -> dict[float, float]:
    """The curve of the only topic, by its points."""
    table = evaluate(
        Run.from_results(results), Assessments(judgments), [name], **options, keep=Keep(curves=True)
    )
    (found,) = table.runs[0].curves
    points = found.x.round(2).tolist()
    return dict(zip(points, found.y[0].tolist(), strict=True))


def close(*values: float, to: float = 5e-7) -> Any:
    """These values, to the precision they are printed with."""
    return pytest.approx(list(values), abs=to)


# The article of figure 4(a) of Ali, Consens and Lalmas 2012, and the steps of table 5.
E = {
    1: "/article[1]",
    2: "/article[1]/sec[1]",
    3: "/article[1]/sec[2]",
    4: "/article[1]/sec[1]/p[1]",
    5: "/article[1]/sec[1]/p[2]",
    6: "/article[1]/sec[1]/ss1[1]",
}
ARTICLE = (
    f"<article><sec><p>{'x' * 20}</p><p>{'y' * 20}</p><ss1>{'z' * 20}</ss1>{'w' * 10}</sec>"
    f"<sec>{'v' * 30}</sec></article>"
)
