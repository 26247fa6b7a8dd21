"""Paths that are known without a collection, and grades of several assessors."""

from __future__ import annotations

import json
from pathlib import Path
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from doxeval.assessments import (
    MERGES,
    AssessedUnit,
    Judgment,
    Merge,
    NoMajority,
    PathForest,
    merge_judgments,
    read_assessments,
)
from doxeval.errors import FormatError, SyntaxProblem

STEPS = st.sampled_from(["/a", "/a[1]", "/a[2]", "/b", "/b[02]", "/b[1]"])
PATHS = st.lists(STEPS, min_size=1, max_size=4).map("".join)


@given(st.lists(st.tuples(st.sampled_from("de"), st.lists(PATHS, max_size=5)), max_size=4), PATHS)
def test_a_forest_is_numbered_in_document_order(
    documents: list[tuple[str, list[str]]], other: str
) -> None:
    forest = PathForest(documents)
    names = list(dict.fromkeys(name for name, _ in documents))
    assert forest.find_documents([*names, "x"]).tolist() == [*range(len(names)), -1]
    every = sorted({(names.index(name), steps(path)) for name, own in documents for path in own})
    known = {(document, path[:at]) for document, path in every for at in range(1, len(path) + 1)}
    assert len(forest) == len(known)
    numbers = {
        (document, path): int(forest.find_nodes([document], [text(path)])[0])
        for document, path in known
    }
    assert sorted(numbers.values()) == list(range(len(known)))
    for (document, path), number in numbers.items():
        inside = [
            own
            for (which, longer), own in numbers.items()
            if which == document and longer[: len(path)] == path
        ]
        assert sorted(inside) == list(range(number, int(forest.after[number])))
        assert forest.tags[forest.tag[number]] == path[-1][0]
        summary, of_element = forest.path_numbers
        assert summary.label(int(of_element[number])) == "/" + "/".join(tag for tag, _ in path)
    if (0, steps(other)) not in known:
        assert forest.find_nodes([0], [other]).tolist() == [-1]


def steps(path: str) -> tuple[tuple[str, int], ...]:
    named = [step.rstrip("]").partition("[") for step in path[1:].split("/")]
    return tuple((tag, int(ordinal or 1)) for tag, _, ordinal in named)


def text(path: tuple[tuple[str, int], ...]) -> str:
    return "".join(f"/{tag}[{ordinal}]" for tag, ordinal in path)


@pytest.mark.parametrize("path", ["/a[1]/", "/a[1]/b[0]", "/a[1]//b", "/a[1]/ b", "/a[1]/b c"])
def test_a_wrong_step_below_a_known_element_is_told_with_its_whole_path(path: str) -> None:
    with pytest.raises(SyntaxProblem, match=r"^step 2 of path '/a\[1\]/"):
        PathForest([("d", ["/a[1]", path])])


@pytest.mark.parametrize("how", MERGES)
@given(st.data())
def test_who_gives_no_grade_gives_zero(how: Merge, data: st.DataObject) -> None:
    random = Random(data.draw(st.integers(0, 2**32)))
    paths = ["/a[1]", "/a[1]/b[1]", "/a[1]/b[2]"]
    given_ = [
        {
            path: random.choice([-2.0, -1.0, 0.5, 1.0, 2.0])
            for path in paths
            if random.random() < 0.6
        }
        for _ in range(random.randint(2, 6))
    ]
    judgments = [
        Judgment("7", "d", units=tuple(AssessedUnit((path,), rel) for path, rel in own.items()))
        for own in given_
    ]
    last = len(given_) - 1
    if how == "majority" and last == 1 and given_[0] != given_[1]:
        with pytest.raises(NoMajority):
            merge_judgments(judgments, how)
        return
    (merged,), _ = merge_judgments(judgments, how)
    at = {"union": last, "intersection": 0, "majority": last // 2}[how]
    expected = {
        path: sorted(own.get(path, 0.0) for own in given_)[at]
        for path in paths
        if any(path in own for own in given_)
    }
    assert {unit.nodes[0]: unit.relevance for unit in merged.units} == expected


# Values of the wrong type


@pytest.mark.parametrize("scale", ["2002", "2003", "2005"])
@pytest.mark.parametrize("e", [True, False, 1.0, 0.0, -0.0, 10**30, -1, [1], {"a": 1}, "1", "x"])
@pytest.mark.parametrize("sizes", [{"s": 1}, {"size": 9, "rsize": 3}])
def test_grades_of_the_wrong_type_are_refused_with_their_line(
    tmp_path: Path, scale: str, e: object, sizes: dict[str, int]
) -> None:
    record = {"topic": "7", "doc": "d", "path": "/a[1]", "e": e, **sizes, "scale": scale}
    (tmp_path / "a.jsonl").write_text(f"\n{json.dumps(record)}\n")
    with pytest.raises(FormatError, match=r"a\.jsonl:2: "):
        read_assessments(tmp_path / "a.jsonl")
