"""JSONL, CSV and Parquet by columns, against the same files read record by record."""

from __future__ import annotations

import csv
import io
import json
import sys
from collections.abc import Callable
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

import row_reader
from doxeval.errors import FormatError
from doxeval.runs import FORMATS, LooksLikeAssessments, Run, RunFormat, read_open_run
from levels import examples
from row_reader import Read
from seams import change
from strategies import results

NAMES = st.sampled_from(["1", "076", "a", " a ", "./a.xml", "a.xml.xml", "é", "", "  ", "a\nb"])
ODD = st.sampled_from(
    [
        None,
        "",
        [],
        0,
        7,
        -1,
        1.5,
        2.0,
        True,
        "x",
        "3",
        1 << 61,
        1 << 62,
        10**400,
        ["/p[1]"],
        [[3, 2]],
        [[0, 5, 9]],
        [[0, True]],
        [[0, 1 << 32]],
        {"a": 1},
    ]
)
PATHS = st.sampled_from(["/p[1]", " /p[2] ", "/p[1]/text()[1].3", "", None])
WHOLE = st.one_of(st.integers(0, 9), st.none())
USUAL = {
    "topic": st.one_of(NAMES, st.integers(0, 3)),
    "doc": NAMES,
    "path": PATHS,
    "start": WHOLE,
    "end": st.one_of(st.integers(5, 12), st.none()),
    "start_point": PATHS,
    "end_point": PATHS,
    "nodes": st.one_of(st.none(), st.lists(st.sampled_from(["/p[1]", "/p[2]"]), max_size=2)),
    "spans": st.one_of(
        st.none(),
        st.lists(
            st.lists(st.integers(0, 9), min_size=2, max_size=2).map(sorted), min_size=1, max_size=3
        ),
    ),
    "offset": WHOLE,
    "point": PATHS,
    "rank": WHOLE,
    "tokens": WHOLE,
    "added": WHOLE,
    "score": st.one_of(st.none(), st.floats(-2, 2), st.integers(-2, 2)),
    "run": st.sampled_from(["mine", "yours", None]),
    "bep": st.none(),
}
UNITS = [
    *((), ("path",), ("start", "end"), ("start_point", "end_point"), ("nodes",), ("offset",)),
    ("spans",),
]


@st.composite
def records(draw: st.DrawFn) -> dict[str, Any]:
    """A record that is mostly a result."""
    names = ["topic", "doc", *draw(st.sampled_from([*UNITS, ("point",)]))]
    names += draw(
        st.lists(st.sampled_from(["rank", "score", "run", "tokens", "added"]), unique=True)
    )
    return {name: draw(USUAL[name].filter(lambda value: value not in (None, ""))) for name in names}


@st.composite
def odd_records(draw: st.DrawFn) -> dict[str, Any]:
    """A record with something unusual about it, most often wrong."""
    record = draw(records())
    for name in draw(st.lists(st.sampled_from(sorted(USUAL)), min_size=1, max_size=2)):
        record[name] = draw(st.one_of(ODD, USUAL[name]))
    return record


def by_columns(format_: RunFormat, data: bytes) -> Read | str:
    try:
        run = read_open_run(io.BytesIO(data), "r", format_)
    except LooksLikeAssessments as error:
        assert "as a run, it is wrong here: " in error.message
        origin, _, _ = str(error).partition(" this looks like")
        return f"{origin} {error.message.partition('wrong here: ')[2]}"
    except FormatError as error:
        return str(error)
    return Read(run.run_id, list(run), run.line.tolist(), run.warnings)


def by_rows(read: Callable[[bytes, str], Read], data: bytes) -> Read | str:
    try:
        return read(data, "r")
    except FormatError as error:
        return str(error)


@examples(120)
@given(
    st.lists(st.one_of(records(), records(), odd_records()), max_size=5),
    st.sampled_from([40, 100, 1 << 18]),
)
def test_jsonl_by_columns_is_jsonl_by_rows(given_: list[Any], chunk: int) -> None:
    data = row_reader.as_json_lines(given_)
    with pytest.MonkeyPatch.context() as patch:
        change(patch, json_chunk_bytes=chunk)
        found = by_columns("jsonl", data)
    assert found == by_rows(row_reader.read_jsonl, data)


FRAGMENTS = st.sampled_from(
    [
        b'{"topic": "1", "doc": "a"}',
        b'{"topic": "1", "doc": "b"}\r',
        b'{"topic": "1", "doc": "a"},{"topic": "1", "doc": "b"}',
        b'{"topic": "1", "doc": "a", "nodes": ["/p"',
        b'"/q"]}',
        b'{"topic": "1", "nodes": [1',
        b'{"x": 1}], "nodes": null, "doc": "c"}',
        b'{"topic": "1", "doc": "a',
        b'b"}',
        b'{b"}',
        b'{"topic": "1", "doc": "{"}',
        b'{"topic": "1", "doc": "\\ud800"}',
        b'{"topic": "1", "doc": "\\ud83d\\ude00"}',
        b'{"topic": "1", "doc": "\xff"}',
        b"{}],[{}",
        b"[]",
        b"7",
        b"",
        b"  \t",
        b"{",
        b"}",
        b",",
        b"[" * 100_000,
        b'{"topic": "1", "doc": "a", "rank": 1' + b"0" * 5000 + b"}",
    ]
)


@examples(120)
@given(st.lists(FRAGMENTS, max_size=6), st.sampled_from([b"", b"\xef\xbb\xbf"]), st.booleans())
def test_lines_read_together_are_those_read_one_by_one(
    lines: list[bytes], mark: bytes, ends: bool
) -> None:
    data = b"\n".join(lines) + (b"\n" if ends else b"")
    if b"\xff" not in data:
        data = mark + data
    assert by_columns("jsonl", data) == by_rows(row_reader.read_jsonl, data)


@pytest.mark.parametrize(
    "text",
    [
        '{"nodes": [1\n{"doc": "a"}], "nodes": 0}\n{"doc": "a"},{"doc": "b"}',
        '{"topic": "1"\n"doc": "a"}\n{"topic": "1"},{"topic": "2"}',
        '{"topic": "1", "doc": "b\n{c"}',  # a string over two lines
        '{"topic": "1", "doc": "a"}{"topic": "1", "doc": "b"}',
        '{"topic": "1", "doc": "a"}]\n[{"topic": "1", "doc": "b"}',
        '{"topic": "1", "doc": "a"}\n\n{"topic": "1", "doc": "b"}',
        "[]",
        '[["topic"]]',
    ],
)
def test_what_only_together_are_objects_is_not_read_together(text: str) -> None:
    data = text.encode()
    assert by_columns("jsonl", data) == by_rows(row_reader.read_jsonl, data)


CELLS = st.sampled_from(
    [
        "",
        "1",
        "a",
        " a ",
        "/p[1]",
        "/p[1] /p[2]",
        "7",
        "-1",
        "x",
        ".5",
        "nan",
        "1e400",
        "two\nlines",
    ]
)


@examples(120)
@given(st.data(), st.sampled_from([1, 2, 2048]))
def test_csv_by_columns_is_csv_by_rows(data: st.DataObject, block: int) -> None:
    names = data.draw(st.lists(st.sampled_from(sorted({*USUAL, "", "x"})), unique=True, max_size=5))
    names = ["topic", "doc", *(name for name in names if name not in ("topic", "doc"))]
    usual = {"topic": "1", "doc": "a", "start": "3", "end": "9", "rank": "1", "score": ".5"}
    rows = data.draw(
        st.lists(
            st.one_of(
                st.tuples(*(st.just(usual.get(name, "")) for name in names)).map(list),
                st.tuples(*(CELLS for _ in names)).map(list),
                st.just([]),
                st.lists(CELLS, max_size=len(names) + 1),
            ),
            max_size=6,
        )
    )
    out = io.StringIO()
    csv.writer(out, lineterminator=data.draw(st.sampled_from(["\n", "\r\n"]))).writerows(
        [names, *rows]
    )
    damage = data.draw(st.sampled_from([b"", b"", b'1,"a', b'1,"a"b\n', b"1,\xff\n", b"\n\n"]))
    written = out.getvalue().encode() + damage
    with pytest.MonkeyPatch.context() as patch:
        change(patch, csv_rows=block)
        found = by_columns("csv", written)
    assert found == by_rows(row_reader.read_csv, written)


def test_a_column_that_is_there_twice_is_refused() -> None:
    with pytest.raises(FormatError, match=r"r\.csv:1: there are two columns 'doc'"):
        read_open_run(io.BytesIO(b"topic,doc,doc\n1,a,b\n"), "r.csv", "csv")


def test_columns_without_a_name_may_be_empty() -> None:
    assert len(read_open_run(io.BytesIO(b"topic,doc,,\n1,a,,\n"), "r.csv", "csv")) == 1
    with pytest.raises(FormatError, match=r"r\.csv:2: unknown field ''"):
        read_open_run(io.BytesIO(b"topic,doc,,\n1,a,x,\n"), "r.csv", "csv")


@pytest.mark.parametrize("value", ["1_0", "٣", "³", "１", "0x1", "9" * 5000, "1.0", "1e3"])
def test_numbers_in_csv_have_ascii_digits_alone(value: str) -> None:
    data = f"topic,doc,rank\n1,a,1\n1,b,{value}\n".encode()
    with pytest.raises(FormatError, match=r"^r\.csv:3: rank is "):
        read_open_run(io.BytesIO(data), "r.csv", "csv")


@examples(60)
@given(st.lists(records(), min_size=1, max_size=4))
def test_parquet_by_columns_is_parquet_by_rows(given_: list[dict[str, Any]]) -> None:
    columns = {
        name: [str(r[name]) if name == "topic" else r.get(name) for r in given_]
        for name in {name for record in given_ for name in record}
    }
    out = io.BytesIO()
    pq.write_table(pa.table(columns), out)
    rows = enumerate(pq.read_table(io.BytesIO(out.getvalue())).to_pylist(), 1)
    found = by_columns("parquet", out.getvalue())
    assert found == by_rows(lambda _, origin: row_reader.read_records(rows, origin), b"")


def test_records_before_a_damaged_line_are_checked_first() -> None:
    """The first error of the file is told, whatever kind of error it is."""
    bad = b'{"topic": "1", "doc": "a", "rank": -1}\n'
    for damage in (b"{", b"[]", b"\xff"):
        with pytest.raises(FormatError, match="r:1: rank is -1"):
            read_open_run(io.BytesIO(bad + damage), "r", "jsonl")
    with pytest.raises(FormatError, match="r:2: rank is -1"):
        read_open_run(io.BytesIO(b'topic,doc,rank\n1,a,-1\n1,"a'), "r", "csv")


@pytest.mark.parametrize(
    "line",
    [
        '{"topic": "1", "doc": "a", "doc": "b"}',
        '{"topic": "1", "doc": "a", "topic": "1"}',
        '{"topic": "1", "doc": "a:b", "rank" : 1, "rank": 2}',
        '{"topic": "1", "doc": "a", "doc": null, "rank": 2}',
        '{"topic": "1", "doc": "a", "x": null, "x": null}',
        '{"topic": "1", "doc": "a", "d\\u006fc": "a"}',
    ],
)
@pytest.mark.parametrize(
    "around", ["", '{"topic": "1", "doc": "c", "score": 0.5}', '{"topic": 1, "doc": "c:d"}']
)
def test_a_field_that_is_given_twice_is_refused(line: str, around: str) -> None:
    data = "\n".join(filter(None, (around, line, around)))
    with pytest.raises(FormatError, match=r"r:[12]: the field '\w+' is given twice"):
        read_open_run(io.BytesIO(data.encode()), "r", "jsonl")


@pytest.mark.parametrize(
    "line",
    [
        '{"topic" : "1", "doc": "a:b"}',
        '{"topic": "1", "doc": "a\\": b"}',
        '{"topic": "1", "doc": "a", "x": null, "rank": ""}',
        '{"topic": 1, "doc": "a", "rank": null, "nodes": []}',
        ' {"topic": "1", "doc": "a"}',
        '{"topic": "1", "doc": "a{b"}',
    ],
)
def test_unusual_lines_are_read_as_they_are_one_by_one(line: str) -> None:
    data = f'{{"topic": "1", "doc": "c"}}\n{line}\n'.encode()
    assert by_columns("jsonl", data) == by_rows(row_reader.read_jsonl, data)


def test_a_field_of_csv_may_be_long() -> None:
    name = "x" * 200_000
    run = read_open_run(io.BytesIO(f"topic,doc\n1,{name}\n".encode()), "r", "csv")
    assert run.documents == (name,)


def test_a_byte_behind_a_byte_order_mark_is_named() -> None:
    with pytest.raises(FormatError, match="r:1: byte 0xfe is not UTF-8 text"):
        read_open_run(io.BytesIO(b'\xef\xbb\xbf{"topic": "\xfe"}'), "r", "jsonl")


def test_a_line_without_end_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    change(monkeypatch, longest_json_line=1000)
    change(monkeypatch, json_chunk_bytes=100)
    good = b'{"topic": "1", "doc": "a"}\n'
    with pytest.raises(FormatError, match="r:2: a line of more than 1,000 bytes"):
        read_open_run(io.BytesIO(good + b'{"topic": "' + b"x" * 5000), "r", "jsonl")


@pytest.mark.parametrize("action", ["read", "write"])
def test_parquet_without_pyarrow_says_what_to_install(
    action: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = Run.from_dict({"1": ["a"]})
    for name in ("pyarrow", "pyarrow.parquet"):
        monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(FormatError, match=r"Parquet needs pyarrow: install doxeval.*\[parquet\]"):
        if action == "read":
            read_open_run(io.BytesIO(b""), "r", "parquet")
        else:
            list(FORMATS["parquet"].write(run))


@given(st.lists(results(), min_size=1, max_size=8))
def test_jsonl_is_written_as_json_writes_it(wanted: list[Any]) -> None:
    run = Run.from_results(wanted, 'a "run" é')
    for line, result in zip(FORMATS["jsonl"].write(run), wanted, strict=True):
        record = json.loads(line)
        assert line == json.dumps(record, ensure_ascii=False).encode() + b"\n"
        assert row_reader.read_record(record) == (result, 'a "run" é')
