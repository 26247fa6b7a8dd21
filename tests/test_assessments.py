"""Assessments: the text of INEX 2008–10, and TREC's qrels."""

from __future__ import annotations

import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from conftest import CONFORMANCE, needs_conformance
from doxeval.assessments.inex_text import read_inex_text, write_inex_text
from doxeval.assessments.judgment import Assessments, Judgment
from doxeval.assessments.trec import read_trec_qrels, write_trec_qrels
from doxeval.errors import FormatError
from doxeval.spans import Spans, merged
from strategies import highlights


def read(text: str) -> Assessments:
    return read_inex_text(io.BytesIO(text.encode()), "qrels.txt")


@given(st.lists(st.tuples(highlights(), st.integers(0, 30)), min_size=1, max_size=6))
def test_text_is_read_as_it_was_written(documents: list[tuple[list[tuple[int, int]], int]]) -> None:
    judgments = [
        Judgment("7", f"d{n}", tuple(ranges), entry if ranges else None, 100)
        for n, (ranges, entry) in enumerate(documents)
    ]
    data = b"".join(write_inex_text(judgments))
    found = read_inex_text(io.BytesIO(data), "qrels.txt")
    assert list(found) == judgments
    assert found.warnings == ()
    assert b"".join(write_inex_text(found)) == data


@given(st.lists(st.tuples(st.integers(0, 20), st.integers(0, 9)), min_size=1, max_size=6))
def test_passages_decide_however_they_lie(passages: list[tuple[int, int]]) -> None:
    characters = {at for start, length in passages for at in range(start, start + length)}
    line = f"7 Q0 a {len(characters)} 50 3 " + " ".join(f"{s}:{n}" for s, n in passages)
    found = read(line)
    (judgment,) = found
    assert {at for start, end in judgment.highlights for at in range(start, end)} == characters
    spans = merged(Spans.of([(0, start, end) for start, end in judgment.highlights]))
    assert len(spans.start) == len(judgment.highlights)
    overlapping = sum(length for _, length in passages) != len(characters)
    assert bool(found.warnings) == overlapping


def test_judged_and_not_relevant_is_not_unjudged() -> None:
    found = read("7 Q0 a 0 50\n7 Q0 b 0 50 100\n8 Q0 ./c.xml 5 50 0 0:5\n")
    assert [judgment.is_relevant for judgment in found] == [False, False, True]
    assert found.topics == ("7", "8")
    assert found.find("7", "a") == Judgment("7", "a", document_length=50)
    assert found.find("7", "c") is None
    assert found.find("8", "c") is not None
    assert len(found) == 3


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "no assessments in the file"),
        ("7 Q0 a 5", ":1: 4 fields; expected topic Q0 doc rsize docsize bep"),
        ("7 Q0 a 5 50 0 0:4", ":1: rsize is 5, but the passages have 4"),
        ("7 Q0 a 0 50\n7 Q0 b 5 50 0", ":2: rsize is 5 but there are no passages"),
        ("7 Q0 a 5 50 0 46:5", ":1: the passage 46:5 ends at 51, beyond the document's 50"),
        ("7 Q0 a 5 50 0 5", ":1: '5' is not a passage: expected off:len"),
        ("7 Q0 a x 50", ":1: 'x' is not an rsize: expected a whole number"),
        ("7 Q0 a 5 50 -3 0:5", ":1: '-3' is not a best entry point"),
        ("7 Q0 a 0 50\n7 Q0 a.xml 0 50", ":2: document a is judged twice for topic 7, first on"),
    ],
)
def test_bad_lines_are_refused(text: str, message: str) -> None:
    with pytest.raises(FormatError, match=message):
        read(text)


@given(st.lists(st.integers(-2, 3), min_size=1, max_size=6))
def test_qrels_are_read_as_they_were_written(grades: list[int]) -> None:
    judgments = [Judgment("7", f"d{n}", relevance=grade) for n, grade in enumerate(grades)]
    data = b"".join(write_trec_qrels(judgments))
    found = read_trec_qrels(io.BytesIO(data), "qrels.txt")
    assert list(found) == judgments
    assert [judgment.is_relevant for judgment in found] == [grade >= 1 for grade in grades]


@pytest.mark.parametrize("text", ["7 0 a", "7 0 a x", "7 0 a 1 2", "7 0 a 1.5"])
def test_bad_qrels_are_refused(text: str) -> None:
    with pytest.raises(FormatError, match=r"q:1: expected topic, iteration, document and a grade"):
        read_trec_qrels(io.BytesIO(text.encode()), "q")


@needs_conformance
def test_the_real_assessments_of_the_conformance_data() -> None:
    path = CONFORMANCE / "inex_eval-3.1" / "real" / "qrels.txt"
    with path.open("rb") as file:
        found = read_inex_text(file, "qrels.txt")
    lines = [line.split() for line in path.read_text().splitlines()]
    assert len(found) == len(lines)
    assert sum(judgment.highlighted for judgment in found) == sum(int(line[3]) for line in lines)
    assert len(found.topics) == len({line[0] for line in lines})
