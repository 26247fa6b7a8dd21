"""Results with several ranges of one document, and what they cost in tokens."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import numpy as np
import pandas
import polars
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from doxeval import evaluate
from doxeval.documents import example_collection
from doxeval.errors import FormatError, InputError, OutputError, UnknownReference
from doxeval.evaluation import RunOptions
from doxeval.runs import Kind, Result, Run, SpanLists, read_open_run, read_run, resolve, write_run

SEVERAL = Result("7", "a", Kind.SPANS, spans=((0, 5), (9, 12)), tokens=4)


def test_ranges_are_sorted_and_merged_and_a_single_one_is_a_passage() -> None:
    given = [[(9, 12), (0, 3), (3, 5)], [(3, 5), (0, 3)], [(4, 4), (2, 2)], [(4, 4), (6, 8)]]
    run = Run.from_arrays(["7"] * 4, ["a"] * 4, spans=given)
    assert [(one.kind, one.start, one.end, one.spans) for one in run] == [
        (Kind.SPANS, None, None, ((0, 5), (9, 12))),
        (Kind.PASSAGE, 0, 5, ()),
        (Kind.PASSAGE, 4, 4, ()),
        (Kind.PASSAGE, 6, 8, ()),
    ]
    assert (run.start[0], run.end[0]) == (0, 5)
    assert list(run) == [run.result(row) for row in range(4)]
    assert Run.from_results(run) == run


@pytest.mark.parametrize(
    "spans",
    [
        [[(0, 5), (9, 12)], None],
        [[[0, 5], [9, 12]], []],
        [np.array([[0, 5], [9, 12]]), None],
        ["0-5 9-12", ""],
        SpanLists.of([((0, 5), (9, 12)), ()]),
        pandas.Series([[(0, 5), (9, 12)], None]),
        polars.Series([[[0, 5], [9, 12]], None]),
    ],
)
def test_arrays_of_every_kind(spans: Any) -> None:
    run = Run.from_arrays(["7", "7"], ["a", "b"], spans=spans, tokens=[4, None])
    assert list(run) == [SEVERAL, Result("7", "b")]


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"spans": [[(5, 3)]]}, "row 0: spans has (5, 3): expected pairs of whole numbers"),
        ({"spans": [[(0, 3, 4)]]}, "row 0: spans has (0, 3, 4)"),
        ({"spans": [7]}, "row 0: spans is 7"),
        ({"spans": ["0..5"]}, "row 0: spans is '0..5'"),
        ({"spans": [[(0, 5)]], "start": [3], "end": [4]}, "row 0: fields end, spans, start"),
        ({"spans": SpanLists.of([((0, 5),)]), "offset": [3]}, "row 0: fields offset, spans"),
        ({"tokens": [-2]}, "row 0: tokens is -2: expected a whole number, 0 or more"),
    ],
)
def test_what_is_wrong_is_named(given: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError) as error:
        Run.from_arrays(["7"], ["a"], **given)
    assert str(error.value).startswith(message)


def test_what_is_wrong_in_a_file_is_named_with_its_line() -> None:
    lines = b'{"topic": "7", "doc": "a"}\n{"topic": "7", "doc": "a", "spans": [[5, 3]]}\n'
    with pytest.raises(FormatError, match=r"r.jsonl:2: spans has \[5, 3\]: expected pairs"):
        read_open_run(io.BytesIO(lines), "r.jsonl", "jsonl")


def test_results_must_say_what_they_are() -> None:
    with pytest.raises(InputError, match="result 1: the passage has spans"):
        Run.from_results([Result("7", "a", Kind.PASSAGE, 0, 5, spans=((0, 5),))])
    with pytest.raises(InputError, match="result 1: the spans has no spans"):
        Run.from_results([Result("7", "a", Kind.SPANS)])
    with pytest.raises(InputError, match=r"result 1: spans has \(5, 0\): expected pairs"):
        Run.from_results([Result("7", "a", Kind.SPANS, spans=((5, 0),))])


@pytest.mark.parametrize("name", ["r.run", "r.xml"])
def test_formats_without_room_for_them_refuse(tmp_path: Path, name: str) -> None:
    with pytest.raises(OutputError, match="results with several ranges; numbers of tokens"):
        write_run(Run.from_results([SEVERAL]), tmp_path / name)


def test_parquet_of_others_has_lists_or_text(tmp_path: Path) -> None:
    for spans in ([[[0, 5], [9, 12]]], ["0-5 9-12"]):
        table = pa.table({"topic": ["7"], "doc": ["a"], "spans": spans, "tokens": [4]})
        pq.write_table(table, tmp_path / "r.parquet")
        assert list(read_run(tmp_path / "r.parquet")) == [SEVERAL]
    pq.write_table(
        pa.table({"topic": ["7"], "doc": ["a"], "spans": [[["x"]]]}), tmp_path / "r.parquet"
    )
    with pytest.raises(FormatError, match="the column 'spans' is of type"):
        read_run(tmp_path / "r.parquet")


COLLECTION = example_collection({"a": "<a>0123456789é123456789</a>", "b": "<a>01234</a>"})


def test_every_range_must_be_in_the_document() -> None:
    run = Run.from_arrays(
        ["7"] * 3, ["a", "a", "c"], spans=[[(0, 2), (18, 20)], [(0, 2), (18, 21)], [(0, 2), (3, 4)]]
    )
    resolved = resolve(run, COLLECTION)
    assert [(one.row, one.reason) for one in resolved.unresolved] == [
        (1, "[18, 21) is not inside the document's 20 characters"),
        (2, "unknown document 'c'"),
    ]
    assert resolved.sizes.tolist()[0] == 4
    assert [column.tolist() for column in resolved.pieces(np.array([0]))] == [
        [0, 0],
        [0, 18],
        [2, 20],
    ]
    judged = {"7": {"a": [(0, 20)]}}
    with pytest.raises(UnknownReference, match=r"\[18, 21\) is not inside"):
        evaluate(run, judged, ["cP@3"], collection=COLLECTION)
    found = evaluate(
        run,
        judged,
        ["cP@3"],
        collection=COLLECTION,
        run_options=RunOptions(unresolved="irrelevant"),
    )
    assert found.mean()["run"]["cP@3"] == 4 / 12  # they were read all the same


def test_ranges_in_bytes() -> None:
    run = Run.from_arrays(["7", "7"], ["a", "a"], spans=[[(0, 2), (10, 14)], [(0, 2), (11, 14)]])
    resolved = resolve(run, COLLECTION, offsets="bytes")
    assert resolved.pieces(np.array([0])).end.tolist() == [2, 13]
    assert [one.reason for one in resolved.unresolved] == [
        "[11, 14) splits a character, or is not inside the document"
    ]


def test_without_a_collection_the_last_range_is_checked_too() -> None:
    from doxeval.assessments import Assessments, Judgment

    judged = Assessments([Judgment("7", "a", ((0, 20),), document_length=20)])
    run = Run.from_arrays(["7"], ["a"], spans=[[(0, 2), (18, 21)]])
    with pytest.raises(UnknownReference, match=r"\[18, 21\) is not inside"):
        evaluate(run, judged, ["cP@1"])


def test_the_same_ranges_are_duplicates() -> None:
    spans = [[(0, 5), (9, 12)], [(0, 5), (9, 13)], [(9, 12), (0, 5)]]
    table = evaluate(
        Run.from_arrays(["7"] * 3, ["a"] * 3, spans=spans),
        {"7": {"a": [(0, 20)]}},
        ["cP@3"],
        run_options=RunOptions(duplicates="drop"),
    )
    assert table.runs[0].warnings == ("1 duplicate was left out, the first on line 3",)


def test_a_dict_holds_several_ranges() -> None:
    run = Run.from_dict({"7": [("a", [(0, 5), (9, 12)]), ("b", 0, 3), "c"]})
    assert [one.spans for one in run] == [((0, 5), (9, 12)), (), ()]
    with pytest.raises(InputError, match=r"topic '7', document 'a': spans has \(5, 0\)"):
        Run.from_dict({"7": [("a", [(5, 0)])]})
