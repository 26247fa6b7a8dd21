"""Assessments in and out of dicts and data frames."""

from __future__ import annotations

import sys
from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from doxeval.assessments import (
    AssessedUnit,
    Assessments,
    Grade2002,
    Grade2003,
    Grade2005,
    GradedElement,
    Judgment,
    MeasuredElement,
)
from doxeval.errors import FormatError, OutputError
from strategies import JUDGMENT_PARTS, highlights, judgments

names = st.sampled_from(["a", "b", "co/r1", "é", "7"])


@given(st.dictionaries(names, st.dictionaries(names, st.integers(-2, 3), min_size=1), max_size=3))
def test_grades_go_through_dicts(grades: dict[str, dict[str, int]]) -> None:
    found = Assessments.from_dict(grades)
    assert found.to_dict() == grades
    assert list(found.to_dict()) == list(grades)
    assert found == Assessments(
        Judgment(topic, document, relevance=grade)
        for topic, documents in grades.items()
        for document, grade in documents.items()
    )
    in_numpy = {t: {d: np.int32(g) for d, g in own.items()} for t, own in grades.items()}
    assert Assessments.from_dict(in_numpy) == found
    assert found == Assessments() or found.plain is not None


@given(st.dictionaries(names, st.dictionaries(names, highlights(), min_size=1), max_size=3))
def test_highlights_go_through_dicts(ranges: dict[str, dict[str, list[tuple[int, int]]]]) -> None:
    found = Assessments.from_dict(ranges)
    assert found.to_highlights() == ranges
    relevant = {t: {d: int(bool(r)) for d, r in own.items()} for t, own in ranges.items()}
    assert found.to_dict() == relevant


def test_ids_in_dicts_are_those_of_files() -> None:
    found = Assessments.from_dict({7: {"./a.xml": 1, 12: 0}, " 8 ": {"a": [(3, 5), (0, 4)]}})
    assert found.to_dict() == {"7": {"a": 1, "12": 0}, "8": {"a": 1}}
    assert found.to_highlights()["8"]["a"] == [(0, 5)]


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"7": {"a": 1.5}}, "document a of topic 7: 1.5 is neither a grade"),
        ({"7": {"a": "1"}}, "'1' is neither a grade"),
        ({"7": {"a": {"b": 1}}}, "neither a grade .* nor a list of"),
        ({"7": {"a": [(1, 2, 3)]}}, "highlights: expected pairs of whole numbers"),
        ({"7": {"a": [(5, 3)]}}, r"the passage \[5, 3\): expected a start of 0 or more"),
        ({"7": {"a": [(-1, 3)]}}, r"the passage \[-1, 3\)"),
        ({"7": {"a": [(0, 1 << 32)]}}, "below 4,294,967,296"),
        ({"7": {"a": 1 << 40}}, "relevance is 1099511627776: expected a smaller number"),
        ({"7": {}}, "topic '7' has no judged documents"),
        ({"": {"a": 1}}, "'' is no id of a topic or document"),
        ({"7": {None: 1}}, "None is no id of a topic or document"),
        ({"7": {"a": 1, "a.xml": 2}}, "document a is judged twice for topic 7; pool= or merge="),
    ],
)
def test_bad_dicts_are_refused(given: Any, message: str) -> None:
    with pytest.raises(FormatError, match=message):
        Assessments.from_dict(given)


@pytest.mark.parametrize("library", ["pandas", "polars"])
@given(made=judgments(**JUDGMENT_PARTS))
def test_everything_goes_through_frames(library: str, made: list[Judgment]) -> None:
    given = Assessments(made)
    frame = given.to_pandas() if library == "pandas" else given.to_polars()
    assert Assessments.from_frame(frame) == given


@pytest.mark.parametrize("library", [pd, pl])
def test_frames_with_usual_names(library: Any) -> None:
    for topic, doc, grade in (
        ("topic", "doc", "grade"),
        ("qid", "docno", "label"),
        ("query_id", "doc_id", "relevance"),
        ("q_id", "doc_id", "rel"),
    ):
        frame = library.DataFrame({topic: ["7", "7"], doc: ["a.xml", "b"], grade: [2, 0]})
        assert Assessments.from_frame(frame).to_dict() == {"7": {"a": 2, "b": 0}}
    columns = {"topic": [7, 7, 8], "doc": ["a", "a", "b"], "start": [0, 9, None]}
    more = {"end": [5, 12, None], "judged": [None, None, True], "iteration": [0, 0, 0]}
    found = Assessments.from_frame(library.DataFrame({**columns, **more}))
    assert found.to_highlights() == {"7": {"a": [(0, 5), (9, 12)]}, "8": {"b": []}}
    assert found.plain is not None


@pytest.mark.parametrize("library", [pd, pl])
def test_rich_frames(library: Any) -> None:
    made = [
        Judgment("7", "a", grades=(GradedElement("/s[1]", Grade2003(3, 2)),)),
        Judgment("7", "b", grades=(GradedElement("/s[1]", Grade2002(3, "E"), in_pool=True),)),
        Judgment("7", "c", grades=(GradedElement("/s[1]", Grade2005(None, Fraction(1, 3))),)),
        Judgment("7", "d", elements=(MeasuredElement("/s[1]", 2, 9, 3),), pool="12"),
        Judgment("7", "e", units=(AssessedUnit(("/s[1]", "/s[2]"), 0.5),)),
    ]
    given = Assessments(made)
    frame = given.to_pandas() if library is pd else given.to_polars()
    assert len(frame) == len(made)
    assert Assessments.from_frame(frame) == given


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        ({"doc": ["a"], "grade": [1]}, r"no column topic \(or topic_id"),
        ({"topic": ["7"], "grade": [1]}, "no column doc .*; it has topic, grade"),
        ({"topic": ["7"], "qid": ["7"], "doc": ["a"]}, "columns 'topic' and 'qid' are both topic"),
        (
            {"topic": ["7"], "doc": ["a"], "mood": ["?"]},
            "row 0: fields missing: expected",
        ),
        ({"topic": ["7"] * 2, "doc": ["a"] * 2, "grade": [1, 2]}, "row 1: relevance 2 contradicts"),
        ({"topic": ["7"], "doc": ["a"], "start": [5], "end": [3]}, "row 0: the passage ends at 3"),
        ({"topic": ["7"], "doc": ["a"], "grade": [0.5]}, "row 0: grade is 0.5: expected a whole"),
        ({"topic": ["7"], "doc": [None], "grade": [1]}, "row 0: doc is missing"),
        ({"topic": [], "doc": [], "grade": []}, "no rows in the frame"),
    ],
)
@pytest.mark.parametrize("library", [pd, pl])
def test_bad_frames_are_refused(library: Any, columns: dict[str, Any], message: str) -> None:
    with pytest.raises(FormatError, match=message):
        Assessments.from_frame(library.DataFrame(columns))
    with pytest.raises(FormatError, match="a list: expected a data frame"):
        Assessments.from_frame([])
    with pytest.raises(FormatError, match="a lazy frame of polars: expected a data frame"):
        Assessments.from_frame(pl.LazyFrame({"topic": ["7"]}))


def test_overlap_in_a_frame_is_warned_about() -> None:
    columns = {"topic": ["7", "8", "8"], "doc": ["a"] * 3, "start": [0, 0, 3], "end": [5, 5, 9]}
    found = Assessments.from_frame(pd.DataFrame(columns))
    assert found.warnings == ("row 1: passages that overlap were merged",)


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_a_library_that_is_missing_is_named(library: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, library, None)
    found = Assessments.from_dict({"7": {"a": 1}})
    with pytest.raises(OutputError, match=f"needs {library}, which is not installed"):
        found.to_pandas() if library == "pandas" else found.to_polars()


# As they are shown


def test_assessments_are_shown_by_their_counts() -> None:
    assert repr(Assessments()) == "Assessments(0 topics, 0 judged documents, 0 relevant)"
    grades = {str(topic): {"a": 1, "b": 0} for topic in range(1200)}
    assert repr(Assessments.from_dict(grades)) == (
        "Assessments(1,200 topics, 2,400 judged documents, 1,200 relevant)"
    )


def test_judgments_show_what_is_set() -> None:
    assert repr(Judgment("7", "a", origin="q", line=3)) == "Judgment('7', 'a')"
    shown = Judgment("7", "a", ((9, 12), (0, 5), (5, 7), (3, 3)), 0, pool="12")
    assert repr(shown) == (
        "Judgment('7', 'a', highlights=((0, 7), (9, 12)), best_entry_point=0, pool='12')"
    )
    assert eval(repr(shown)) == shown


@pytest.mark.parametrize("given", [{"best_entry_point": -1}, {"document_length": -5}])
def test_negative_offsets_are_refused(given: dict[str, int]) -> None:
    with pytest.raises(
        FormatError, match=r"document a of topic 7: .* expected a whole number, 0 or more"
    ):
        Judgment("7", "a", **given)  # type: ignore[arg-type]
