"""The rules of the grades of 2002–05."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from doxeval.assessments import (
    Grade2002,
    Grade2003,
    GradedElement,
    Judgment,
    MeasuredElement,
    read_assessments,
    violations,
)
from doxeval.documents import example_collection
from helpers import Builder, doxeval, write_files

COLLECTION = {"d": "<a><b>one</b> <b>two</b><c>own <e>x</e></c></a>"}


def judged(**grades: str | None) -> Judgment:
    """A document with grades given as digits by the last steps of paths."""
    paths = {
        "a": "/a[1]",
        "b1": "/a[1]/b[1]",
        "b2": "/a[1]/b[2]",
        "c": "/a[1]/c[1]",
        "e": "/a/c/e[1]",
    }
    return Judgment(
        "7",
        "d",
        grades=tuple(
            GradedElement(paths[name], None if g is None else Grade2003(int(g[0]), int(g[1])))
            for name, g in grades.items()
        ),
    )


def test_a_path_that_names_nothing_breaks_no_rule() -> None:
    collection = example_collection(COLLECTION)
    nowhere = (GradedElement("/a[1]/z[1]", Grade2003(1, 1)),)
    assert violations(Judgment("7", "d", grades=nowhere), collection) == []
    assert violations(Judgment("7", "nowhere", grades=nowhere), collection) == []


@pytest.mark.parametrize(
    ("judgment", "expected"),
    [
        (judged(a="33", b1="33", b2="11", c="00", e="00"), []),
        (judged(a="30"), [1]),
        (judged(a="03"), [1]),
        (judged(a="11", b1="21"), [2]),
        (judged(a="20", b1="11"), [1, 3]),
        (judged(a="00", b1="11"), [2, 3]),
        # The nearest graded element around counts: c is not graded here, a is.
        (judged(a="11", e="31"), [2]),
        (judged(a="11", c=None, e="31"), [2]),
        (judged(a="33", c="11", e="31"), [2]),
        # Everything in a is graded, and a has no text of its own but white space.
        (judged(a="33", b1="11", b2="12", c="11", e="11"), [4]),
        (judged(a="11", b1="00", b2="00", c="00", e="00"), [4, 4]),
        # One child is not graded, so nothing follows.
        (judged(a="33", b1="11", b2="12"), []),
        # c has text of its own, so it may be more specific than what is inside it.
        (judged(c="33", e="11"), []),
    ],
)
def test_rules(judgment: Judgment, expected: list[int]) -> None:
    collection = example_collection(COLLECTION)
    assert [violation.rule for violation in violations(judgment, collection)] == expected
    without = [rule for rule in expected if rule != 4]
    assert [violation.rule for violation in violations(judgment)] == without


def test_rules_of_2005(build: Builder) -> None:
    collection = build({"a.xml": "<a><p>12345</p><p>67890</p></a>"})
    judgment = Judgment(
        "7",
        "a",
        ((0, 5),),
        elements=(
            MeasuredElement("/a[1]", 1, 10, 5),
            MeasuredElement("/a/p[1]", None, 5, 5),
            MeasuredElement("/a[1]/p[2]", 2, 5, 0),
        ),
    )
    expected = [
        (6, "/a[1]/p[1] is ? but holds a whole highlighted passage"),
        (5, "/a[1] is 1 but /a[1]/p[2] in it is 2"),
        (7, "/a[1]/p[2] is graded but nothing in it is highlighted"),
    ]
    found = [(v.rule, v.message) for v in violations(judgment, collection)]
    assert found == expected
    assert [v.rule for v in violations(judgment)] == [5, 7]


def judged_in_2002(**grades: str) -> Judgment:
    paths = {"a": "/a[1]", "b": "/a[1]/b[1]", "e": "/a/c/e[1]"}
    return Judgment(
        "7",
        "d",
        grades=tuple(
            GradedElement(paths[name], Grade2002(int(g[0]), g[1])) for name, g in grades.items()
        ),
    )


@pytest.mark.parametrize(
    ("judgment", "expected"),
    [
        (judged_in_2002(a="3L", b="3E", e="0N"), []),
        (judged_in_2002(a="0E"), [8]),
        (judged_in_2002(a="0L"), [8]),
        (judged_in_2002(a="2N"), [8]),
        (judged_in_2002(a="3S"), [9]),
        (judged_in_2002(a="2S", b="1S"), []),
        (judged_in_2002(a="1L", b="2E"), [10]),
        # The element between is not graded, so the article is the nearest one around.
        (judged_in_2002(a="1L", e="3E"), [10]),
        (judged_in_2002(a="0N", b="3S", e="1N"), [9, 8, 10, 10]),
    ],
)
def test_rules_of_2002(judgment: Judgment, expected: list[int]) -> None:
    assert [violation.rule for violation in violations(judgment)] == expected
    collection = example_collection(COLLECTION)
    assert [violation.rule for violation in violations(judgment, collection)] == expected


def test_violations_of_2002_are_told_with_file_and_line(tmp_path: Path) -> None:
    xml = """<assessments topic="05">
<file file="co/1999/r2024">
<path path="/article[1]" relevance="1" coverage="L"/>
<path path="/article[1]/bdy[1]" relevance="3" cov="S"/>
<path path="/article[1]/fm[1]" relevance="0" coverage="L"/>
</file></assessments>"""
    file = write_files(tmp_path, {"05.xml": xml}) / "05.xml"
    result = doxeval("assessments", file)
    assert result.exit_code == 0
    about = "co/1999/r2024, topic 05"
    assert result.stderr.splitlines() == [
        f"warning: {file}:4: {about}: /article[1]/bdy[1] is 3S",
        f"warning: {file}:5: {about}: /article[1]/fm[1] is 0L",
        f"warning: {file}:3: {about}: /article[1] is 1L but /article[1]/bdy[1] in it is 3S",
        "1 judgment for 1 topic, 3 violations",
    ]
    found = json.loads(doxeval("assessments", file, "--json").stdout)["violations"]
    assert [(one["rule"], one["file"], one["line"]) for one in found] == [
        (9, str(file), 4),
        (8, str(file), 5),
        (10, str(file), 3),
    ]


def test_lines_of_jsonl_and_bad_paths(tmp_path: Path) -> None:
    lines = [
        {"topic": "7", "doc": "d", "path": "/a[1]", "e": 1, "s": "L", "scale": "2002"},
        {"topic": "7", "doc": "d", "path": "/a[1]/b[1]", "e": 3, "s": "S", "scale": "2002"},
    ]
    file = tmp_path / "judged.jsonl"
    file.write_text("\n".join(map(json.dumps, lines)))
    found = [v for one in read_assessments(file) for v in violations(one)]
    assert [(violation.rule, violation.line) for violation in found] == [(9, 2), (10, 1)]
    file.write_text("\n".join(map(json.dumps, [lines[0], {**lines[1], "path": "b"}])))
    result = doxeval("assessments", file)
    assert result.exit_code == 1
    assert result.stderr.startswith(f"Error: {file}:2: 'b' is not a path")
