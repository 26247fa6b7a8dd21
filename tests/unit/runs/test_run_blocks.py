"""Files of runs in blocks of whole topics: the same results and errors as from the file at once.

What blocks make of scores and warnings is tested with evaluation.
"""

from __future__ import annotations

import gzip
import json
import tracemalloc
from collections.abc import Callable, Iterable, Iterator, Sequence
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
    pieces_of_file,
    read_run,
    run_blocks,
    split_into_blocks,
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


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where properties write the files of their examples."""
    return tmp_path_factory.mktemp("runs")


Contents = tuple[type[InputError], str] | tuple[list[Any], list[int], str, tuple[str, ...]]


def contents(blocks: Callable[[], Iterable[Block]]) -> Contents:
    """All results, with their lines, and what is known about the run; or the error."""
    read: list[Block] = []
    try:
        read.extend(blocks())
    except InputError as error:
        return type(error), str(error)
    for block, following in pairwise(read):
        # A topic may come again later, but it never goes over from a block to the next.
        assert block.run.result(-1).topic != following.run.result(0).topic
    facts = RunFacts.joined([block.facts for block in read])
    results = [result for block in read for result in block.run]
    lines = [line for block in read for line in block.run.line.tolist()]
    return results, lines, facts.run_id, facts.warnings


def at_once(path: Path) -> Contents:
    """The same of the file as a whole."""
    return contents(lambda: [Block(read_run(path))])


def in_blocks(path: Path, rows: int) -> Contents:
    return contents(lambda: run_blocks(path, rows))


def assert_same(path: Path, data: bytes, rows: int) -> None:
    path.write_bytes(data)
    assert in_blocks(path, rows) == at_once(path)


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
@given(
    lines=st.lists(GOOD | GOOD | GOOD | GOOD | BAD, max_size=14),
    rows=ROWS,
    has_end=st.booleans(),
    is_broken=st.booleans(),
)
def test_text(folder: Path, lines: list[str], rows: int, has_end: bool, is_broken: bool) -> None:
    data = "\n".join(lines).encode() + b"\n" * has_end
    if is_broken:  # a byte that is not UTF-8
        data += b"\xff"
    assert_same(folder / "a.run", data, rows)


@pytest.mark.parametrize(
    ("bad", "first"),
    [
        ({2: "7 Q0 a x 0.5 mine", 3: "8 Q0 a"}, 2),  # although fields are counted first
        ({2: "7 Q0 a x 0.5 mine", 4: "8 Q0 a"}, 2),
        ({2: "8 Q0 a x 0.5 mine", 4: "8 Q0 a"}, 2),
        ({1: "6 Q0 a x 0.5 mine", 3: "8 Q0 a"}, 1),
        ({1: "6 Q0 a x 0.5 mine", 4: "8 Q0 a"}, 1),
        ({1: "6 Q0 a 1 x mine", 2: "7 Q0 a x 0.5 mine", 3: "8 Q0 a", 4: "8\x01 Q0 a"}, 1),
        ({2: "7 Q0 a 1 x mine", 5: "8 Q0 \udcff 1 0.5 mine"}, 2),  # not UTF-8
        ({2: "7 Q0 \udcff 1 0.5 mine", 5: "8 Q0 a 1 x mine"}, 2),
    ],
)
def test_of_two_errors_the_one_on_the_lowest_line_is_raised(
    tmp_path: Path, bad: dict[int, str], first: int
) -> None:
    good = ["6 Q0 a 1 0.500000 mine", "7 Q0 a 1 0.5000 mine", "8 Q0 a 1 0.5000 mine"]
    lines = [good[0], *(bad.get(at, good[min(at, 2)]) for at in range(1, 8))]
    path = tmp_path / "a.run"
    path.write_bytes("\n".join(lines).encode(errors="surrogateescape"))
    error = at_once(path)
    assert f"a.run:{first + 1}: " in str(error[1])
    for rows in (1, 2, 3):
        assert in_blocks(path, rows) == error


def test_a_long_topic_is_one_block(tmp_path: Path) -> None:
    path = tmp_path / "a.run"
    for count in (3, 20, 50):
        path.write_text("6 Q0 a 1 1 m\n" + "7 Q0 a 1 1 m\n" * count + "8 Q0 a 1 1 m\n")
        blocks = list(run_blocks(path, 2))
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


def without_ranks(read: Contents) -> Contents:
    """The same without ranks, which are used only if all results have one."""
    if len(read) == 2:
        return read
    return [result._replace(rank=None) for result in read[0]], *read[1:3], ()


@examples(100)
@given(good=st.lists(GOOD_RECORD, max_size=10), more=st.lists(RECORD, max_size=3), rows=ROWS)
def test_jsonl(
    folder: Path, good: list[dict[str, Any]], more: list[dict[str, Any]], rows: int
) -> None:
    path = folder / "a.jsonl"
    path.write_text("".join(json.dumps(record) + "\n" for record in [*good, *more]))
    assert without_ranks(in_blocks(path, rows)) == without_ranks(at_once(path))


@examples(50)
@given(records=st.lists(GOOD_RECORD, max_size=10), rows=ROWS, is_bad=st.booleans())
def test_csv(folder: Path, records: list[dict[str, Any]], rows: int, is_bad: bool) -> None:
    names = ("topic", "doc", "start", "end", "rank")
    lines = [",".join(str(record[name]) for name in names) for record in records]
    lines[4:4] = ["7,a,9,3,1"] * is_bad
    assert_same(folder / "a.csv", "\n".join([",".join(names), *lines]).encode(), rows)


def test_parquet(tmp_path: Path) -> None:
    pyarrow, parquet = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    path = tmp_path / "a.parquet"
    table = {"topic": list("77788999"), "doc": list("abcabcab"), "rank": [1, 2, 3, 1, 2, 1, 2, 3]}
    parquet.write_table(pyarrow.table(table), path)
    for rows in (1, 3, 4):
        blocks = list(run_blocks(path, rows))
        assert sum(len(block.run) for block in blocks) == 8
        assert all(block.run.rank is not None for block in blocks)
        assert in_blocks(path, rows) == at_once(path)


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
    assert (
        pieces_of_file(packed, 100) == pieces_of_file(plain) == pieces_of_file(tmp_path, 100) == []
    )
    for path in (plain, records):
        pieces = pieces_of_file(path, 1000)
        assert len(pieces) > 2
        assert [piece.end for piece in pieces[:-1]] == [piece.begin for piece in pieces[1:]]
        readers = [PieceReader(str(path), piece) for piece in pieces]
        blocks = [list(reader.blocks(30)) for reader in readers]
        assert [r for several in blocks for block in several for r in block.run] == list(
            read_run(path)
        )
        topics = [topic for several in blocks for block in several for topic in block.run.topics]
        assert len(topics) == len(set(topics)) == 20
        assert sum(reader.lines for reader in readers) == 180


def topics_in(data: bytes) -> list[str]:
    return [line.split()[0].decode() for line in data.split(b"\n") if line.split()]


@given(
    lines=st.lists(st.sampled_from(["7 a", "8 b", "7\tb", "", "77 c"]), max_size=40),
    size=st.integers(4, 30),
)
@examples(200)
def test_pieces_begin_with_another_topic(folder: Path, lines: list[str], size: int) -> None:
    path = folder / "a.run"
    data = "".join(line + "\n" for line in lines).encode()
    path.write_bytes(data)
    pieces = pieces_of_file(path, size)
    assert not pieces or (pieces[0].begin, pieces[-1].end) == (0, len(data))
    for piece, following in pairwise(pieces):
        assert piece.end == following.begin
        before, behind = data[: piece.end], data[piece.end :]
        assert topics_in(before)[-1] != topics_in(behind)[0]


@pytest.mark.parametrize("name", ["a.run", "a.jsonl"])
def test_pieces_of_one_byte_are_found_at_once(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    path.write_text('{"topic": 7}\n{"topic": 8}\n')
    assert pieces_of_file(path, 1) == pieces_of_file(path, 2) == [(0, 26)]


def test_pieces_of_lines_that_begin_with_white_space(tmp_path: Path) -> None:
    path = tmp_path / "a.run"
    lines = ["6 Q0 a"] * 13 + [" 7 Q0 a", "77 Q0 a", " 77 Q0 b"] + ["8 Q0 a"] * 8
    path.write_text("\n".join(lines) + "\n")
    data = path.read_bytes()
    cuts = {piece.begin for size in range(20, 90) for piece in pieces_of_file(path, size)}
    for cut in cuts - {0}:
        assert topics_in(data[:cut])[-1] != topics_in(data[cut:])[0]


@pytest.mark.parametrize("rows", [None, 10])
def test_an_endless_line_is_refused_before_it_fills_the_memory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, rows: int | None
) -> None:
    change(monkeypatch, text_piece_bytes=1 << 20)
    path = tmp_path / "a.run"
    with path.open("wb") as file:
        file.write(b"7" * (1 << 24))
        file.truncate(1 << 30)  # the rest takes no space
    tracemalloc.start()
    try:
        with pytest.raises(InputError, match=r"a\.run:1: a line of more than 16,777,216 bytes"):
            next(run_blocks(path, rows)) if rows else read_run(path)
        assert tracemalloc.get_traced_memory()[1] < 1 << 27
    finally:
        tracemalloc.stop()


@given(st.lists(st.sampled_from("789"), min_size=1, max_size=12), ROWS)
def test_a_run_in_memory(topics: Sequence[str], rows: int) -> None:
    run = Run.from_arrays(topics, ["d"] * len(topics))
    assert contents(lambda: split_into_blocks(run, rows))[0] == list(run)
