"""Spans in lines of JSON: those that are read, and those that are refused with their reason."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from doxeval.errors import FormatError
from doxeval.runs import Kind, Result, read_chunks, read_run

# Lines before and behind, since lines of one shape may be read together.
OTHERS = [
    "",
    '{"topic": "7", "doc": "b", "spans": [[0, 5], [9, 12]]}\n',
    '{"topic": "7", "doc": "b"}\n',
]
SEVERAL = Result("7", "a", Kind.SPANS, spans=((0, 5), (9, 12)))
PASSAGE = Result("7", "a", Kind.PASSAGE, 0, 5)


@pytest.mark.parametrize(
    ("line", "result"),
    [
        ('{"topic": "7", "doc": "a", "spans": [[0, 5], [9, 12]]}', SEVERAL),
        ('{"topic": "7", "spans":[[0,5],[9,12]], "doc": "a"}', SEVERAL),
        ('{"topic": "7", "doc": "a"}', Result("7", "a")),
        ('{"topic": "7", "doc": "a", "spans": []}', Result("7", "a")),
        ('{"topic": "7", "doc": "a", "spans": [[-0, 5]]}', PASSAGE),
        ('{"topic": "7", "doc": "a", "spans" : [[0, 5]]}', PASSAGE),
        (
            '{"topic": "7", "doc": "a\\"spans", "spans": [[0, 5]]}',
            PASSAGE._replace(document='a"spans'),
        ),
        ('{"topic": "7", "doc": "spans", "spans": [[0, 5]]}', PASSAGE._replace(document="spans")),
    ],
)
def test_lines_that_are_read(tmp_path: Path, line: str, result: Result) -> None:
    path = tmp_path / "r.jsonl"
    for others in OTHERS:
        path.write_text(others + line + "\n" + others)
        assert list(read_run(path))[1 if others else 0] == result, others


PAIRS = ": expected pairs of whole numbers, a start and an end that is not before it"


@pytest.mark.parametrize(
    ("spans", "problem"),
    [
        ("0", f"spans is 0{PAIRS}"),
        ("[[5, 0]]", f"spans has [5, 0]{PAIRS}"),
        ("[[0, 4294967296]]", f"spans has [0, 4294967296]{PAIRS}"),
        ("[[0, 99999999999999999999]]", f"spans has [0, 99999999999999999999]{PAIRS}"),
        ("[[0, 5, 6]]", f"spans has [0, 5, 6]{PAIRS}"),
        ("[[0, 5.0]]", f"spans has [0, 5.0]{PAIRS}"),
        ("[[0, 05]]", "expected a JSON object"),
        ("[[0, 5],]", "expected a JSON object"),
        ("[[0, 5][6, 7]]", "expected a JSON object"),
        ("[[0, 5]", "expected a JSON object"),
        (
            '[[0, 5]], "start": 0, "end": 5',
            "fields end, spans, start together: expected start and end, spans, path, nodes, "
            "offset, or none of them",
        ),
        ('[[3, 4]], "spans": [[0, 5]]', "the field 'spans' is given twice"),
        ('[], "x\\"spans": [[0, 5]]', "unknown field 'x\"spans': expected topic, doc, chunk,"),
    ],
)
def test_lines_that_are_refused(tmp_path: Path, spans: str, problem: str) -> None:
    path = tmp_path / "r.jsonl"
    for others in OTHERS:
        path.write_text(f'{others}{{"topic": "7", "doc": "a", "spans": {spans}}}\n{others}')
        with pytest.raises(FormatError) as refused:
            read_run(path)
        assert f"r.jsonl:{2 if others else 1}: {problem}" in str(refused.value), others


def test_chunks_have_their_spans(tmp_path: Path) -> None:
    path = tmp_path / "chunks.jsonl"
    records = [
        {"id": "1", "doc": "a", "start": 3, "end": 4},
        {"id": "2", "doc": "a", "spans": [[0, 5], [9, 12]]},
    ]
    path.write_text("".join(json.dumps(record) + "\n" for record in records))
    assert read_chunks(path).spans.as_tuples() == [((3, 4),), ((0, 5), (9, 12))]
