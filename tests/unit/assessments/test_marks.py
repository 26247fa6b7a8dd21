"""Marks of judgments: drafts, honeypots and the like, in JSONL, in merging and in evaluation."""

from __future__ import annotations

from pathlib import Path

import pytest

from doxeval.assessments import (
    FORMATS,
    MARKS,
    Assessments,
    Judgment,
    assessment_losses,
    merge_judgments,
    read_assessments,
    write_assessments,
)
from doxeval.errors import FormatError
from doxeval.evaluation import evaluate
from doxeval.runs import Run
from making import passage

LINE = '{"topic": "7", "doc": "a", "start": 0, "end": 5, "docsize": 20'


def read(tmp_path: Path, *lines: str) -> Assessments:
    path = tmp_path / "a.jsonl"
    path.write_text("\n".join(lines), encoding="utf-8")
    return read_assessments(path)


def test_marks_are_kept_in_their_order_and_once() -> None:
    judgment = Judgment("7", "a", marks=("skipped", "draft", "skipped"))
    assert judgment.marks == ("draft", "skipped")
    assert repr(judgment) == "Judgment('7', 'a', marks=('draft', 'skipped'))"
    assert judgment != Judgment("7", "a")
    assert not judgment.is_plain


def test_an_unknown_mark_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(FormatError, match="the mark 'odd': expected adjudicated, draft"):
        Judgment("7", "a", marks=("odd",))
    for given in ('"draft"', '["odd"]', "[1]", "true"):
        with pytest.raises(FormatError, match=r"a.jsonl:1: marks is .*: expected a list of"):
            read(tmp_path, f'{LINE}, "marks": {given}}}')


def test_marks_that_contradict_each_other_are_an_error(tmp_path: Path) -> None:
    lines = [f'{LINE}, "marks": ["{mark}"]}}' for mark in ("draft", "honeypot")]
    with pytest.raises(FormatError, match=r"a.jsonl:2: marks"):
        read(tmp_path, *lines)


@pytest.mark.parametrize("mark", MARKS)
def test_jsonl_holds_marks_and_no_other_format_does(tmp_path: Path, mark: str) -> None:
    judged = Judgment("7", "a", ((0, 5),), 0, 20, marks=(mark,))
    write_assessments([judged], tmp_path / "out.jsonl", "judgments")
    assert list(read_assessments(tmp_path / "out.jsonl")) == [judged]
    losing = [one for one in FORMATS if "marks of judgments" in assessment_losses([judged], one)]
    assert set(FORMATS) - set(losing) == {"judgments"}


def test_a_merged_judgment_has_the_marks_of_all() -> None:
    said = [Judgment("7", "a", marks=(mark,), assessor=mark) for mark in ("problem", "draft")]
    (merged,), _ = merge_judgments(said, "union")
    assert merged.marks == ("draft", "problem")


def test_drafts_and_honeypots_give_one_warning(tmp_path: Path) -> None:
    lines = [
        f'{LINE.replace("7", str(number))}, "marks": {marks}}}'
        for number, marks in enumerate(['["draft"]', '["draft", "problem"]', '["honeypot"]', "[]"])
    ]
    found = read(tmp_path, *lines)
    assert found.warnings == (
        f"{tmp_path / 'a.jsonl'}: 2 drafts and 1 honeypot among the judgments; they count",
    )
    assert read(tmp_path, f'{LINE}, "marks": ["off-pool", "adjudicated"]}}').warnings == ()


def test_evaluation_passes_the_warning_on(tmp_path: Path) -> None:
    found = read(tmp_path, f'{LINE}, "marks": ["draft"]}}')
    table = evaluate(Run.from_results([passage("a", 0, 5)]), found, ["P@1"])
    assert sum("1 draft" in warning for warning in table.warnings) == 1
