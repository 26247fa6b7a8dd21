"""Ranges that are read apart from the rest of the JSON are those that a parser finds."""

from __future__ import annotations

import io
import json
from pathlib import Path

import pytest

import row_reader
from doxeval.errors import FormatError
from doxeval.runs import json_blocks, read_chunks, read_jsonl_run, spans_cut_out

PLAIN = '{"topic": "7", "doc": "a", "spans": [[0, 5], [9, 12]]}'


@pytest.mark.parametrize(
    "line",
    [
        PLAIN,
        '{"topic": "7", "spans":[[0,5],[9,12]], "doc": "a"}',
        '{"topic": "7", "doc": "a"}',
        '{"topic": "7", "doc": "a", "spans": [[3, 4]], "spans": [[0, 5]]}',
        '{"topic": "7", "doc": "a", "spans": []}',
        '{"topic": "7", "doc": "a", "spans": 0}',
        '{"topic": "7", "doc": "a", "spans": [[0, 05]]}',
        '{"topic": "7", "doc": "a", "spans": [[0, 5],]}',
        '{"topic": "7", "doc": "a", "spans": [[0, 5][6, 7]]}',
        '{"topic": "7", "doc": "a", "spans": [[5, 0]]}',
        '{"topic": "7", "doc": "a", "spans": [[0, 4294967296]]}',
        '{"topic": "7", "doc": "a", "spans": [[0, 99999999999999999999]]}',
        '{"topic": "7", "doc": "a", "spans": [[0, 5, 6]]}',
        '{"topic": "7", "doc": "a", "spans": [[0, 5.0]]}',
        '{"topic": "7", "doc": "a", "spans": [[-0, 5]]}',
        '{"topic": "7", "doc": "a", "spans" : [[0, 5]]}',
        '{"topic": "7", "doc": "a", "spans": [[0, 5]}',
        '{"topic": "7", "doc": "a\\"spans", "spans": [[0, 5]]}',
        '{"topic": "7", "doc": "a", "x\\"spans": [[0, 5]]}',
        '{"topic": "7", "doc": "spans", "spans": [[0, 5]]}',
        '{"topic": "7", "doc": "a", "start": 0, "end": 5, "spans": [[0, 5]]}',
    ],
)
@pytest.mark.parametrize("others", ["", PLAIN + "\n", '{"topic": "7", "doc": "b"}\n'])
def test_ranges_are_those_of_the_parser(line: str, others: str) -> None:
    data = (others + line + "\n" + others).encode()
    try:
        expected: object = row_reader.read_jsonl(data, "r").results
    except FormatError as error:
        expected = str(error)
    try:
        found: object = list(read_jsonl_run(io.BytesIO(data), "r"))
    except FormatError as error:
        found = str(error)
    assert found == expected


def test_ranges_of_plain_lines_are_read_apart() -> None:
    (block,) = json_blocks(io.BytesIO((PLAIN + "\n").encode() * 2), "r")
    assert block.spans is not None
    assert block.spans.as_tuples() == [((0, 5), (9, 12))] * 2
    assert spans_cut_out(json.dumps({"doc": "a"})) is None


def test_chunks_have_their_ranges(tmp_path: Path) -> None:
    path = f"{tmp_path}/chunks.jsonl"
    records = [
        {"id": "1", "doc": "a", "start": 3, "end": 4},
        {"id": "2", "doc": "a", "spans": [[0, 5], [9, 12]]},
    ]
    with open(path, "w", encoding="utf-8") as file:
        file.writelines(json.dumps(record) + "\n" for record in records)
    assert read_chunks(path).spans.as_tuples() == [((3, 4),), ((0, 5), (9, 12))]
