"""Files of runs in blocks of whole topics: the same results and errors as from the file at once."""

from __future__ import annotations

import gzip
import io
import json
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from doxeval.errors import InputError
from doxeval.runs import (
    Block,
    PieceReader,
    Run,
    RunFacts,
    blocks_of,
    csv_run_blocks,
    file_pieces,
    jsonl_run_blocks,
    last_topic_begins,
    next_topic_begins,
    parquet_run_blocks,
    read_run,
    run_blocks,
    text_blocks,
)
from levels import examples
from seams import change

ROWS = st.integers(1, 4)
# Small enough for a few lines to be several pieces.
PIECE, CHUNK = 70, 90


@pytest.fixture(autouse=True)
def small_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    change(monkeypatch, text_piece_bytes=PIECE)
    change(monkeypatch, json_chunk_bytes=CHUNK)
    change(monkeypatch, csv_rows=3)


def told(blocks: Callable[[], Iterator[Block]], topics_apart: bool = True) -> Any:
    """All results, with their lines, and what is known about the run; or the error."""
    found: list[Block] = []
    try:
        found.extend(blocks())
    except InputError as error:
        return type(error), str(error)
    for one, other in pairwise(found):
        # A topic may come again later, but it never goes over from a block to the next.
        assert not topics_apart or one.run.result(-1).topic != other.run.result(0).topic
    facts = RunFacts.joined([block.facts for block in found])
    results = [result for block in found for result in block.run]
    lines = [line for block in found for line in block.run.line.tolist()]
    return results, lines, facts.run_id, facts.run_ids, facts.warnings


def assert_same(read: Callable[..., Iterator[Block]], rows: int) -> None:
    assert told(partial(read, rows=rows)) == told(partial(read, rows=None))


GOOD = st.builds(
    lambda topic, document, rank, run, space: f"{topic} Q0 {document} {rank} 0.5 {run}{space}",
    st.sampled_from(["7", "8", "long-topic-9", "é"]),
    st.sampled_from(["a", "b.xml", "./c"]),
    st.integers(1, 12),
    st.sampled_from(["mine", "yours"]),
    st.sampled_from(["", "", " ", "\r"]),
)
BAD = st.sampled_from(
    [
        "",
        "  ",
        "7 Q0 a x 0.5 mine",
        "7 Q0 a 1 x mine",
        "7 Q0 a",
        "7 Q0 a 1 2 m 3",
        "7\x01 Q0 a 1 2 m",
    ]
)


@examples(150)
@given(st.lists(GOOD | GOOD | GOOD | GOOD | BAD, max_size=14), ROWS, st.booleans(), st.booleans())
def test_text(lines: list[str], rows: int, has_end: bool, is_broken: bool) -> None:
    data = "\n".join(lines).encode() + b"\n" * has_end
    if is_broken:  # a byte that is not UTF-8 comes before all other errors
        data += b"\xff"
    assert_same(lambda rows: text_blocks(io.BytesIO(data), "a.run", rows=rows), rows)


@pytest.mark.parametrize(
    ("bad", "first"),
    [
        ({2: "7 Q0 a x 0.5 mine", 3: "8 Q0 a"}, 3),  # fields are counted before they are read
        ({2: "7 Q0 a x 0.5 mine", 4: "8 Q0 a"}, 2),  # but piece by piece
        ({2: "8 Q0 a x 0.5 mine", 4: "8 Q0 a"}, 2),
        ({1: "6 Q0 a x 0.5 mine", 3: "8 Q0 a"}, 3),
        ({1: "6 Q0 a x 0.5 mine", 4: "8 Q0 a"}, 1),
    ],
)
def test_the_first_of_two_errors_is_that_of_the_file_at_once(
    bad: dict[int, str], first: int
) -> None:
    good = ["6 Q0 a 1 0.500000 mine", "7 Q0 a 1 0.5000 mine", "8 Q0 a 1 0.5000 mine"]
    lines = [good[0], *(bad.get(at, good[min(at, 2)]) for at in range(1, 8))]
    data = "\n".join(lines).encode()
    read = partial(text_blocks, origin="a.run")
    at_once = told(lambda: read(io.BytesIO(data)))
    assert at_once[1].startswith(f"a.run:{first + 1}: ")
    for rows in (1, 2, 3):
        assert told(partial(read, io.BytesIO(data), rows=rows)) == at_once


def test_a_long_topic_is_one_block() -> None:
    for count in (3, 20, 50):
        data = b"6 Q0 a 1 1 m\n" + b"7 Q0 a 1 1 m\n" * count + b"8 Q0 a 1 1 m\n"
        blocks = list(text_blocks(io.BytesIO(data), "a.run", rows=2))
        assert [list(block.run.topics) for block in blocks] in (
            [["6"], ["7"], ["8"]],
            [["6", "7"], ["8"]],
            [["6"], ["7", "8"]],
            [["6", "7", "8"]],
        )


RECORD = st.fixed_dictionaries(
    {"topic": st.sampled_from(["7", 7, " 8", "9"]), "doc": st.sampled_from(["a", "b"])},
    optional={
        "start": st.just(3),
        "end": st.sampled_from([5, 9, 9, 9, 1]),
        "rank": st.integers(1, 3),
        "spans": st.sampled_from([[[0, 5], [7, 9]], [[1, 2]]]),
        "run": st.sampled_from(["mine", "yours"]),
        "bad": st.just(1),
    },
)
GOOD_RECORD = st.fixed_dictionaries(
    {
        "topic": st.sampled_from(["7", 7, " 8", "9"]),
        "doc": st.sampled_from(["a", "b"]),
        "start": st.just(3),
        "end": st.just(9),
        "rank": st.integers(1, 3),
    },
    optional={"run": st.sampled_from(["mine", "yours"])},
)


def by_topic(blocks: Callable[[], Iterator[Block]]) -> Any:
    """As `told`; but ranks are used only if all results have one, so they are left out."""
    found = told(blocks)
    if isinstance(found[0], list):
        return [result._replace(rank=None) for result in found[0]], *found[1:4]
    return found


@examples(100)
@given(st.lists(GOOD_RECORD, max_size=10), st.lists(RECORD, max_size=3), ROWS)
def test_jsonl(good: list[dict[str, Any]], more: list[dict[str, Any]], rows: int) -> None:
    data = "".join(json.dumps(record) + "\n" for record in [*good, *more]).encode()
    read = partial(jsonl_run_blocks, origin="a.jsonl")
    some = by_topic(lambda: read(io.BytesIO(data), rows=rows))
    assert some == by_topic(lambda: read(io.BytesIO(data), rows=None))


@examples(50)
@given(st.lists(GOOD_RECORD, max_size=10), ROWS, st.booleans())
def test_csv(records: list[dict[str, Any]], rows: int, is_bad: bool) -> None:
    names = ("topic", "doc", "start", "end", "rank")
    lines = [",".join(str(record[name]) for name in names) for record in records]
    lines[4:4] = ["7,a,9,3,1"] * is_bad
    data = "\n".join([",".join(names), *lines]).encode()
    assert_same(lambda rows: csv_run_blocks(io.BytesIO(data), "a.csv", rows=rows), rows)


def test_parquet() -> None:
    pyarrow, parquet = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    out = io.BytesIO()
    table = {"topic": list("77788999"), "doc": list("abcabcab"), "rank": [1, 2, 3, 1, 2, 1, 2, 3]}
    parquet.write_table(pyarrow.table(table), out)
    for rows in (1, 3, 4):
        data = io.BytesIO(out.getvalue())
        blocks = list(parquet_run_blocks(data, "a.parquet", rows=rows))
        assert sum(len(block.run) for block in blocks) == 8
        assert all(block.run.rank is not None for block in blocks)
        assert_same(lambda rows: parquet_run_blocks(out, "a.parquet", rows=rows), rows)


def write_runs(directory: Path) -> Iterator[Path]:
    lines = [f"{topic} Q0 d{rank} {rank} 0.5 mine" for topic in range(20) for rank in range(9)]
    plain = directory / "a.run"
    plain.write_text("\n".join(lines) + "\n")
    packed = directory / "a.run.gz"
    packed.write_bytes(gzip.compress(plain.read_bytes()))
    records = directory / "a.jsonl"
    records.write_text(
        "".join(f'{{"topic": "{t}", "doc": "d{n}"}}\n' for t in range(20) for n in range(9))
    )
    yield from (plain, packed, records)


def test_files_compressed_or_not_are_read_in_blocks(tmp_path: Path) -> None:
    for path in write_runs(tmp_path):
        blocks = list(run_blocks(path, 40))
        assert len(blocks) > 3
        results = [result for block in blocks for result in block.run]
        assert results == list(read_run(path))


def test_pieces_of_files_are_whole_topics(tmp_path: Path) -> None:
    plain, packed, records = write_runs(tmp_path)
    assert file_pieces(packed, 100) == file_pieces(plain) == file_pieces(tmp_path, 100) == []
    for path in (plain, records):
        pieces = file_pieces(path, 1000)
        assert len(pieces) > 2
        assert [one.end for one in pieces[:-1]] == [one.begin for one in pieces[1:]]
        readers = [PieceReader(str(path), piece) for piece in pieces]
        blocks = [list(reader.blocks(30)) for reader in readers]
        assert [r for several in blocks for block in several for r in block.run] == list(
            read_run(path)
        )
        topics = [topic for several in blocks for block in several for topic in block.run.topics]
        assert len(topics) == len(set(topics)) == 20
        assert sum(reader.lines for reader in readers) == 180


@given(st.lists(st.sampled_from(["7 a", "8 b", " 7 a", "7\tb", "", "77 c"]), max_size=12))
def test_where_topics_begin(lines: list[str]) -> None:
    data = "".join(line + "\n" for line in lines).encode()
    at = last_topic_begins(data, 0, len(data))
    before, behind = data[:at].split(b"\n"), data[at:].split(b"\n")
    topics = {line.split()[0] for line in behind if line.split()}
    assert len(topics) < 2
    previous = [line.split()[0] for line in before if line.split()]
    assert not previous or at == 0 or {previous[-1]} != topics
    following = next_topic_begins(data, 0, len(data))
    first = [line.split()[0] for line in lines if line.split()]
    if following is None:
        assert len(set(first)) < 2
    else:
        assert data[following:].split()[0].decode() != first[0]
        assert {line.split()[0] for line in data[:following].decode().split("\n") if line.split()}


def test_an_endless_line_is_refused_before_it_fills_the_memory() -> None:
    class Endless(io.RawIOBase):
        def read(self, size: int = -1) -> bytes:
            return b"7" * size

    for rows in (None, 10):
        with pytest.raises(InputError, match=r"a\.run:1: a line of more than 16,777,216 bytes"):
            next(text_blocks(Endless(), "a.run", rows=rows))  # type: ignore[arg-type]


@given(st.lists(st.sampled_from("789"), min_size=1, max_size=12), ROWS)
def test_a_run_in_memory(topics: Sequence[str], rows: int) -> None:
    run = Run.from_arrays(topics, ["d"] * len(topics))
    assert told(lambda: blocks_of(run, rows))[0] == list(run)
