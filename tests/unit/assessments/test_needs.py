"""Needs of topics: alternatives, grades, and the ways in and out."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import pytest

from doxeval.assessments import (
    Assessments,
    Judgment,
    NeededSpan,
    Needs,
    merge_judgments,
    read_assessments,
    read_jsonl,
    resolve_assessments,
    write_jsonl,
)
from doxeval.documents import example_collection
from doxeval.errors import FormatError

LINES = b"""\
{"topic": "7", "doc": "a", "start": 0, "end": 5, "need": "who", "grade": 2}
{"topic": "7", "doc": "a", "start": 3, "end": 9}
{"topic": "7", "doc": "b", "start": 4, "end": 9, "need": "who", "grade": 2}
{"topic": "7", "doc": "c", "start": 1, "end": 2}
{"topic": "8", "doc": "a", "start": 1, "end": 2, "need": "who"}
"""


def test_jsonl_states_needs() -> None:
    found = read_jsonl(io.BytesIO(LINES), "a.jsonl")
    assert not found.warnings  # needs may overlap
    assert [judgment.needs for judgment in found.judgments] == [
        (NeededSpan("who", 0, 5, 2), NeededSpan(None, 3, 9)),
        (NeededSpan("who", 4, 9, 2),),
        (),
        (NeededSpan("who", 1, 2),),
    ]
    assert found.judgments[0].highlights == ((0, 9),)
    needs = Needs.of(Assessments(found.judgments))
    assert needs.names == ("who", None, None, "who")
    assert needs.topic.tolist() == [0, 0, 0, 1]
    assert needs.pair.tolist() == [0, 1, 0, 2, 3]
    again = read_jsonl(io.BytesIO(b"".join(write_jsonl(found.judgments))), "a.jsonl")
    assert list(again.judgments) == list(found.judgments)


def test_frames_hold_needs() -> None:
    assessments = Assessments(read_jsonl(io.BytesIO(LINES), "a.jsonl").judgments)
    assert Assessments.from_frame(assessments.to_pandas()) == assessments
    assert Assessments.from_frame(assessments.to_polars()) == assessments


@pytest.mark.parametrize(
    "given",
    [
        [(0, 5, "who", 2), (7, 9)],
        [{"start": 0, "end": 5, "need": "who", "grade": 2}, {"start": 7, "end": 9}],
        [NeededSpan("who", 0, 5, 2), NeededSpan(None, 7, 9)],
    ],
)
def test_dicts_hold_needs(given: Any) -> None:
    (judgment,) = Assessments.from_dict({"7": {"a": given}})
    assert judgment.needs == (NeededSpan("who", 0, 5, 2), NeededSpan(None, 7, 9))


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ([(0, 5, "who", 0)], "the grade of need 'who' is 0: expected more than 0"),
        ([(5, 5, "who")], r"need 'who' has the empty range \[5, 5\)"),
        ([(0, 5, "who"), (7, 9, "who", 3)], "need 'who' has the grades 1 and 3"),
        ([{"start": 0, "stop": 5}], "unknown field 'stop': .* did you mean end"),
        ([{"start": 0, "need": "x"}], "expected .start, end., .start, end, need."),
        ([(5, 3, "who")], r"the passage \[5, 3\)"),
    ],
)
def test_what_is_wrong_with_needs_is_named(given: Any, message: str) -> None:
    with pytest.raises(FormatError, match=message):
        Assessments.from_dict({"7": {"a": given}})


def test_grades_of_a_need_must_agree_over_documents() -> None:
    given = {"7": {"a": [(0, 5, "who", 2)], "b": [(0, 5, "who", 3)]}}
    with pytest.raises(FormatError, match="need 'who' of topic 7 has the grades 2 and 3"):
        Needs.of(Assessments.from_dict(given))


def test_without_stated_needs_every_passage_is_one() -> None:
    needs = Needs.of(Assessments.from_dict({"7": {"a": [(0, 5), (9, 12)], "b": []}}))
    assert (needs.start.tolist(), needs.grade.tolist(), len(needs)) == ([0, 9], [1, 1], 2)


def test_needs_are_resolved_in_bytes(tmp_path: Path) -> None:
    collection = example_collection({"a": "<a>é12345</a>"})
    path = tmp_path / "a.jsonl"
    path.write_text('{"topic": "7", "doc": "a", "start": 2, "end": 4, "need": "who"}\n')
    (judgment,) = read_assessments(path, collection=collection, offsets="bytes")
    assert (judgment.needs, judgment.highlights) == ((NeededSpan("who", 1, 3),), ((1, 3),))
    same = resolve_assessments(Assessments([judgment]), collection)
    assert next(iter(same)).needs == judgment.needs


def test_needs_of_several_assessors_are_united() -> None:
    one = Judgment("7", "a", needs=(NeededSpan("who", 0, 5),))
    other = Judgment("7", "a", needs=(NeededSpan("who", 0, 5), NeededSpan("when", 7, 9)))
    (merged,), _ = merge_judgments([one, other], "union")
    assert merged.needs == other.needs
    with pytest.raises(FormatError, match="only be merged by union"):
        merge_judgments([one, other], "majority")
