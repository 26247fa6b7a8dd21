"""The guide to measures: what it recommends for a kind of assessments can be computed from it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from doxeval import evaluate, read_assessments
from doxeval.documents import example_collection
from doxeval.errors import DoxevalError
from doxeval.measures import PRESETS

PAGE = Path(__file__).resolve().parents[2] / "docs" / "which-measure.md"
DOCUMENTS = {
    "a": "<article><sec><p>One two.</p><p>Three four five.</p></sec><sec>Six.</sec></article>",
    "b": "<article><sec><p>Seven eight.</p></sec></article>",
}
SECTION = "/article[1]/sec[1]"
# Small assessments of each kind that the guide speaks of, in the order in which they are looked up.
ASSESSMENTS = {
    "grades of 2002": f'{{"topic": "1", "doc": "a", "path": "{SECTION}", "e": 3, "s": "E", '
    '"scale": "2002"}\n{"topic": "1", "doc": "a", "path": "/article[1]", "e": 3, "s": "L", '
    '"scale": "2002"}\n',
    "grades": f'{{"topic": "1", "doc": "a", "path": "{SECTION}", "e": 3, "s": 3}}\n'
    '{"topic": "1", "doc": "a", "path": "/article[1]", "e": 3, "s": 1}\n',
    "highlights": '{"topic": "1", "doc": "a", "start": 0, "end": 24}\n',
    "best entry points": '{"topic": "1", "doc": "a", "start": 0, "end": 24}\n'
    '{"topic": "1", "doc": "a", "bep": 0}\n',
    "units": f'{{"topic": "1", "doc": "a", "nodes": ["{SECTION}"], "rel": 1}}\n',
    "subtopics": '{"topic": "1", "doc": "a", "subtopic": "1", "grade": 1}\n',
    "any": '{"topic": "1", "doc": "a", "start": 0, "end": 24}\n',
}


class Row:
    """A row of the table by questions."""

    def __init__(self, line: str) -> None:
        self.question, _, self.assessments, measures, presets = (
            cell.strip() for cell in line.strip().strip("|").split("|")
        )
        self.measures = re.findall(r"`([^`]+)`", measures)
        self.presets = re.findall(r"`([^`]+)`", presets)

    @property
    def kinds(self) -> Iterator[str]:
        left = self.assessments
        for kind in ASSESSMENTS:
            if kind in left:
                yield kind
                left = left.replace(kind, "")


def rows() -> list[Row]:
    table = PAGE.read_text(encoding="utf-8").split("## By question")[1].split("\n## ")[0]
    return [Row(line) for line in table.splitlines() if line.startswith("| ")][1:]


CASES = [(name, kind) for row in rows() for name in row.measures for kind in row.kinds]


def score(name: str, kind: str, tmp_path: Path) -> float | None:
    path = tmp_path / "judged.jsonl"
    path.write_text(ASSESSMENTS[kind], encoding="utf-8")
    run = {"1": [("a", SECTION), ("b", SECTION)]}
    collection = example_collection(DOCUMENTS)
    return evaluate({"run": run}, read_assessments(path), name, collection=collection)["run"][name]


def test_recommended_measures_can_be_computed(tmp_path: Path) -> None:
    scores = {case: score(*case, tmp_path) for case in CASES}
    assert {case: value for case, value in scores.items() if not value or value < 0} == {}


def test_the_table_is_read() -> None:
    assert len(rows()) > 12
    assert all(list(row.kinds) and row.measures for row in rows())
    assert {"highlights", "grades", "grades of 2002", "units"} <= {kind for _, kind in CASES}


def test_presets_of_a_question_hold_its_measure() -> None:
    for row in rows():
        families = {re.split(r"[@\[(]", name)[0] for name in row.measures}
        for preset in row.presets:
            listed = {re.split(r"[@\[(]", name)[0] for name in PRESETS[preset].measures}
            assert families & listed, (row.question, preset)


def test_erru_is_only_for_grades_of_2002(tmp_path: Path) -> None:
    assert score("ERRU@10", "grades of 2002", tmp_path) == 1.0
    with pytest.raises(DoxevalError, match="grades of 2002"):
        score("ERRU@10", "grades", tmp_path)


def test_eprum_and_prum_are_told_apart(tmp_path: Path) -> None:
    """One result that leads to two targets: EPRUM exceeds 1, PRUM never does."""
    by_name = {row.measures[0].partition("(")[0]: row for row in rows()}
    assert by_name["PRUM"].assessments == "highlights or grades"
    assert by_name["EPRUM"].assessments == "best entry points"
    judged = tmp_path / "judged.jsonl"
    judged.write_text(
        "".join(
            f'{{"topic": "1", "doc": "d", "path": "/s[1]/p[{n}]", "e": 3, "s": 3}}\n'
            for n in (1, 2)
        ),
        encoding="utf-8",
    )
    from doxeval.navigation import MatrixNavigation

    steps = {"d": {"/s[1]": {"/s[1]/p[1]": 1.0, "/s[1]/p[2]": 1.0}}}
    names = [f"{name}[1](nav=matrix,quant=gen)" for name in ("PRUM", "EPRUM")]
    found = evaluate(
        {"run": {"1": [("d", "/s[1]")]}},
        read_assessments(judged),
        names,
        collection=example_collection({"d": "<s><p>One.</p><p>Two.</p></s>"}),
        navigation=MatrixNavigation(probabilities=steps),
    )["run"]
    assert (found[names[0]], found[names[1]]) == (1.0, 2.0)
