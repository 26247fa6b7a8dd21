"""Parquet that is damaged, of unusual types, or much larger than it looks."""

from __future__ import annotations

import io
from random import Random
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from doxeval.errors import FormatError
from doxeval.runs import Run, read_open_run
from doxeval.runs import sizes_in_parquet as sizes_of
from levels import scaled
from seams import change

WAYS: list[dict[str, Any]] = [
    {},
    {"compression": "none", "use_dictionary": False},
    {"compression": "zstd", "row_group_size": 7},
    {"data_page_version": "2.0", "data_page_size": 64, "write_page_index": True},
    {"compression": "gzip", "write_statistics": False, "store_schema": False},
]


def written(table: pa.Table, **how: Any) -> bytes:
    out = io.BytesIO()
    pq.write_table(table, out, **how)
    return out.getvalue()


def read(data: bytes) -> Run:
    return read_open_run(io.BytesIO(data), "r.parquet", "parquet")


def table(**more: Any) -> pa.Table:
    return pa.table({"topic": ["7", "7"], "doc": ["a", "b"], **more})


def results(count: int) -> pa.Table:
    numbers = range(count)
    return pa.table(
        {
            "topic": [str(number % 3) for number in numbers],
            "doc": [f"d{number}" for number in numbers],
            "nodes": [["/a[1]", f"/b[{n}]"][: n % 3] or None for n in numbers],
            "score": [number / 7 for number in numbers],
        }
    )


# Types


NOT_UTF_8 = pa.Array.from_buffers(
    pa.string(),
    2,
    [None, pa.py_buffer(np.array([0, 1, 3], dtype=np.int32)), pa.py_buffer(b"a\xff\xfe")],
)
ODD = {
    "days": pa.array([2**31 - 1, 1], pa.int32()).view(pa.date32()),
    "an unknown time zone": pa.array([1, 2]).view(pa.timestamp("ns", tz="Nowhere/X")),
    "durations": pa.array([2**62, 1]).view(pa.duration("s")),
    "times out of range": pa.array([2**62, 1]).view(pa.time64("us")),
    "structures": pa.array([{"a": 1}, {"a": 2}]),
    "maps": pa.array([[("a", 1)], None], pa.map_(pa.string(), pa.int64())),
    "decimals": pa.array([1, 2]).cast(pa.decimal128(20, 1)),
    "bytes": pa.array([b"a", b"\xff"]),
    "lists of numbers": pa.array([[1], [2]]),
    "lists of lists": pa.array([[["/a"]], None]),
    "text that is not UTF-8": NOT_UTF_8,
}


@pytest.mark.parametrize("column", ["topic", "doc", "path", "nodes", "score", "rank", "run", "x"])
@pytest.mark.parametrize("kind", ODD)
def test_odd_types_are_refused_with_the_file(kind: str, column: str) -> None:
    given = {"topic": pa.array(["7", "7"]), "doc": pa.array(["a", "b"]), column: ODD[kind]}
    with pytest.raises(FormatError, match=r"^r\.parquet:"):
        read(written(pa.table(given)))


@pytest.mark.parametrize("kind", [kind for kind in ODD if kind != "text that is not UTF-8"])
def test_columns_without_values_may_be_of_any_type(kind: str) -> None:
    assert len(read(written(table(x=pa.nulls(2, ODD[kind].type))))) == 2


def test_plain_types_of_all_widths_are_read() -> None:
    given = table(
        rank=pa.array([1, 2], pa.uint8()),
        score=pa.array([0.5, 0.25], pa.float32()),
        run=pa.array(["mine", "mine"]).dictionary_encode(),
        path=pa.array(["/a[1]", None], pa.large_string()),
    )
    run = read(written(given))
    assert [result.score for result in run.results()] == [0.5, 0.25]
    assert [result.paths for result in run.results()] == [("/a[1]",), ()]


def test_a_column_that_is_there_twice_is_refused() -> None:
    arrays = [pa.array(["7"]), pa.array(["a"]), pa.array(["b"])]
    twice = pa.Table.from_arrays(arrays, names=["topic", "doc", "doc"])
    with pytest.raises(FormatError, match=r"^r\.parquet: there are two columns 'doc'"):
        read(written(twice))


@pytest.mark.parametrize("value", [2**63, 2**64 - 1])
def test_whole_numbers_beyond_64_bits_are_refused(value: int) -> None:
    given = table(start=pa.array([value, 1], pa.uint64()), end=pa.array([value, 2], pa.uint64()))
    with pytest.raises(FormatError, match=rf"^r\.parquet:1: start is {value}"):
        read(written(given))


# Sizes


@pytest.mark.parametrize("how", WAYS)
@pytest.mark.parametrize("count", [0, 1, 50])
def test_headers_say_how_much_there_is(how: dict[str, Any], count: int) -> None:
    data = written(results(count), **how)
    metadata = pq.read_metadata(io.BytesIO(data))
    groups = [metadata.row_group(number) for number in range(metadata.num_row_groups)]
    found = sizes_of(data)
    assert found.rows == count
    values = [sum(group.column(at).num_values for group in groups) for at in range(4)]
    # Values of dictionaries are counted, too, at most one for each row and group.
    assert max(values) <= found.values <= 2 * max(values)
    packed = sum(group.total_byte_size for group in groups)
    assert found.bytes <= packed  # which counts the headers of pages, too
    assert found.bytes >= packed - 300 * len(groups) * 4


def test_many_rows_in_few_bytes_are_refused() -> None:
    count = 3_000_000
    number = pa.array(np.zeros(count, dtype=np.int8))
    same = pa.DictionaryArray.from_arrays(number, pa.array(["7"]))
    data = written(pa.table({"topic": same, "doc": same}))
    assert len(data) < 100_000
    with pytest.raises(FormatError, match=r"^r\.parquet: more than 1,000,000 rows"):
        read(data)


def test_a_list_of_many_values_is_refused() -> None:
    count = 3_000_000
    number = pa.array(np.zeros(count, dtype=np.int8))
    same = pa.DictionaryArray.from_arrays(number, pa.array(["/a[1]"]))
    nodes = pa.ListArray.from_arrays(pa.array([0, count], pa.int32()), same)
    data = written(pa.table({"topic": ["7"], "doc": ["a"], "nodes": nodes}))
    assert len(data) < 10_000
    with pytest.raises(FormatError, match=r"more than 1,000,000 rows, or values in a column"):
        read(data)


def test_a_footer_that_says_less_than_its_pages_hold_is_not_believed() -> None:
    count = 3_000_000
    same = pa.DictionaryArray.from_arrays(pa.array(np.zeros(count, np.int8)), pa.array(["/a[1]"]))
    nodes = pa.ListArray.from_arrays(pa.array([0, count], pa.int32()), same)
    data = written(pa.table({"topic": ["7"], "doc": ["a"], "nodes": nodes}))
    at = len(data) - 8 - int.from_bytes(data[-8:-4], "little")
    stated, forged = b"\x80\x9b\xee\x02", b"\x82\x80\x80\x00"  # 3,000,000 and 1, as varints
    footer = data[at:].replace(stated, forged)
    assert footer != data[at:]
    with pytest.raises(FormatError, match=r"more than 1,000,000 rows, or values in a column"):
        read(data[:at] + footer)


def test_pages_that_unpack_to_too_much_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    change(monkeypatch, parquet_expansion=1 << 20)
    data = written(table(path=["x" * (2 << 20), None]), compression="zstd")
    with pytest.raises(FormatError, match=r"^r\.parquet: more than 1,048,576 bytes out of"):
        read(data)


def test_a_long_string_that_all_rows_share_is_made_once() -> None:
    count, length = 20_000, 1 << 20  # twenty gigabytes, if each row had its own
    number = pa.array(np.zeros(count, dtype=np.int8))
    shared = pa.DictionaryArray.from_arrays(number, pa.array(["x" * length]))
    documents = [f"d{row}" for row in range(count)]
    run = read(written(pa.table({"topic": ["7"] * count, "doc": documents, "run": shared})))
    assert len(run) == count
    assert len(run.run_id) == length


def test_too_many_pages_and_columns_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(FormatError, match="more than 1,000 columns"):
        read(written(pa.table({f"c{number}": ["x"] for number in range(1001)})))
    change(monkeypatch, parquet_pages=100)
    with pytest.raises(FormatError, match="more than 100 pages"):
        read(written(results(50), row_group_size=1))


# Damage


@pytest.mark.parametrize("how", range(len(WAYS)))
def test_damaged_files_are_refused_or_read(how: int) -> None:
    data = written(results(60), **WAYS[how])
    random = Random(how)
    refused, tries = 0, scaled(150)
    for _ in range(tries):
        damaged = bytearray(data)
        for _ in range(random.choice([1, 1, 2, 10])):
            at = random.randrange(len(damaged))
            damaged[at] = random.choice([0, 255, damaged[at] ^ 1 << random.randrange(8)])
        cut = random.randrange(len(data)) if random.random() < 0.1 else len(data)
        try:
            read(bytes(damaged[:cut]))
        except FormatError as error:
            assert str(error).startswith("r.parquet:")
            refused += 1
    assert refused > tries / 7.5


def test_headers_that_are_no_headers_are_told() -> None:
    for footer in (b"", b"\x1c" * 200, b"\x19\xf8" + b"\xff" * 9, b"\x15" + b"\xff" * 20):
        data = b"PAR1" + footer + len(footer).to_bytes(4, "little") + b"PAR1"
        with pytest.raises(FormatError, match=r"^r\.parquet: "):
            read(data)
