"""Runs that name chunks by their ids say the same as runs that give the chunks' places."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pandas
import polars
import pytest
from hypothesis import given
from hypothesis import strategies as st

from doxeval.errors import FormatError, InputError
from doxeval.evaluation import evaluate
from doxeval.runs import ChunkTable, Run, read_run, write_run
from helpers import doxeval

RANGES = st.lists(st.tuples(st.integers(0, 40), st.integers(1, 9)), min_size=1, max_size=3).map(
    lambda pairs: [(start, start + length) for start, length in pairs]
)


@st.composite
def tables(draw: st.DrawFn) -> ChunkTable:
    """Chunks of one range or several, some of which say what they cost."""
    spans = draw(st.lists(RANGES, min_size=1, max_size=8))
    count = len(spans)
    documents = draw(st.lists(st.sampled_from("abc"), min_size=count, max_size=count))
    tokens = draw(st.lists(st.integers(-1, 5), min_size=count, max_size=count))
    added = draw(st.lists(st.integers(0, 3), min_size=count, max_size=count))
    names = [f"c{number}" for number in range(count)]
    return ChunkTable.of(names, documents, spans, tokens, added=added)


def placed(table: ChunkTable, row: int) -> dict[str, Any]:
    """The fields that say the same as a chunk's id."""
    fields: dict[str, Any] = {
        "doc": table.documents[int(table.document[row])],
        "spans": [list(pair) for pair in table.spans.as_tuples()[row]],
    }
    if table.tokens[row] >= 0:
        fields["tokens"] = int(table.tokens[row])
    if table.added[row]:
        fields["added"] = int(table.added[row])
    return fields


def written(records: list[dict[str, Any]], path: Path) -> Path:
    path.write_text("".join(json.dumps(record) + "\n" for record in records))
    return path


@given(tables(), st.data())
def test_ids_of_chunks_and_their_places_say_the_same(
    tmp_path_factory: pytest.TempPathFactory, table: ChunkTable, data: st.DataObject
) -> None:
    folder = tmp_path_factory.mktemp("runs")
    rows = data.draw(st.lists(st.integers(0, len(table) - 1), min_size=1, max_size=12))
    by_id, by_place = [], []
    for row in rows:
        common: dict[str, Any] = {"topic": data.draw(st.sampled_from(["7", "8"])), "run": "mine"}
        if data.draw(st.booleans()):
            common["tokens"] = data.draw(st.integers(0, 9))
        place = {**placed(table, row), **common}
        by_place.append(place)
        # Some results are given by their places all the same.
        is_named = data.draw(st.integers(0, 3)) > 0
        by_id.append({**common, "chunk": table.ids[row]} if is_named else place)
    expected = read_run(written(by_place, folder / "places.jsonl"))
    assert read_run(written(by_id, folder / "ids.jsonl"), chunks=table) == expected
    if all("chunk" in record for record in by_id):
        frame = pandas.DataFrame(by_id)
        assert Run.from_frame(frame, chunks=table) == expected
        assert Run.from_frame(polars.from_dicts(by_id, infer_schema_length=None), chunks=table) == (
            expected
        )
        frame.to_csv(folder / "ids.csv", index=False)
        if "tokens" not in frame or frame["tokens"].notna().all():
            assert read_run(folder / "ids.csv", chunks=table) == expected
        frame.to_parquet(folder / "ids.parquet")
        if "tokens" not in frame or frame["tokens"].notna().all():
            assert read_run(folder / "ids.parquet", chunks=table) == expected


TABLE = ChunkTable.of(["c1", "2", "none"], ["a", "b", "b"], [[(0, 5)], [(5, 9), (20, 30)], []])


def test_a_run_from_arrays_of_ids() -> None:
    run = Run.from_arrays([7, 7, 8], chunk=["c1", 2, "none"], chunks=TABLE, score=[3, 2, 1])
    found = [(one.topic, one.document, one.start, one.end, one.spans) for one in run]
    assert found == [
        ("7", "a", 0, 5, ()),
        ("7", "b", None, None, ((5, 9), (20, 30))),
        ("8", "b", 0, 0, ()),  # an empty chunk is not its whole document
    ]


@pytest.mark.parametrize(
    ("record", "message"),
    [
        ({"chunk": "c3"}, "no chunk 'c3' among the chunks given (3)"),
        ({"chunk": 1.5}, "chunk is missing or not a string"),
        ({"chunk": "c1", "doc": "a"}, "fields chunk, doc together: the chunk itself says where"),
        ({"chunk": "c1", "text": "Fog."}, "only `chunks evaluate` scores results by their text"),
        ({"chunk": "c1", "start": 0, "end": 5}, "fields chunk, end, start together"),
        ({"chunk": "c1", "tokens": "x"}, "tokens is 'x': expected a whole number"),
        ({"chunk": None}, "doc is missing"),
    ],
)
def test_errors_name_file_and_line(record: dict[str, Any], message: str, tmp_path: Path) -> None:
    records = [{"topic": "7", "chunk": "c1"}, {"topic": "7", **record}]
    path = written(records, tmp_path / "run.jsonl")
    with pytest.raises(FormatError) as caught:
        read_run(path, chunks=TABLE)
    assert caught.value.line == 2
    assert caught.value.origin == str(path)
    assert message in caught.value.message


def test_without_chunks_ids_of_chunks_are_refused(tmp_path: Path) -> None:
    path = written([{"topic": "7", "chunk": "c1"}], tmp_path / "run.jsonl")
    with pytest.raises(FormatError, match="given as chunk 'c1': chunks= says where"):
        read_run(path)
    with pytest.raises(InputError, match="row 0: the result is given as chunk 'c1'"):
        Run.from_arrays([7], chunk=["c1"])


def test_a_file_of_chunks_will_do(tmp_path: Path) -> None:
    chunks = written([{"id": "c1", "doc": "a", "start": 3, "end": 5}], tmp_path / "chunks.jsonl")
    path = written([{"topic": "7", "chunk": "c1"}], tmp_path / "run.jsonl")
    assert [one.start for one in read_run(path, chunks=chunks)] == [3]
    qrels = tmp_path / "qrels.jsonl"
    written([{"topic": "7", "doc": "a", "start": 0, "end": 4}], qrels)
    assert evaluate(path, qrels, "cR@1", chunks=chunks).mean()["run"]["cR@1"] == 0.25
    write_run(read_run(path, chunks=chunks), tmp_path / "text.run")
    assert len(read_run(tmp_path / "text.run", chunks=chunks)) == 1  # text runs have no ids


def test_the_command_line_reads_ids_of_chunks(tmp_path: Path) -> None:
    chunks = written([{"id": "c1", "doc": "a", "start": 3, "end": 5}], tmp_path / "chunks.jsonl")
    run = written([{"topic": "7", "chunk": "c1"}], tmp_path / "run.jsonl")
    qrels = written([{"topic": "7", "doc": "a", "start": 0, "end": 4}], tmp_path / "judged.jsonl")
    scored = doxeval("evaluate", run, "-a", qrels, "-m", "cR@1", "--chunks", chunks)
    assert scored.stdout.splitlines()[1].split() == ["run", "0.2500"], scored.stderr
    refused = doxeval("evaluate", run, "-a", qrels, "-m", "cR@1")
    assert refused.exit_code == 1
    assert "run.jsonl:1: the result is given as chunk 'c1': --chunks says where" in refused.stderr
    checked = doxeval("validate", run, "--task", "focused", "--chunks", chunks)
    assert checked.exit_code == 0, checked.stderr
    out = tmp_path / "places.jsonl"
    doxeval("convert", run, out, "--chunks", chunks)
    assert json.loads(out.read_text()) == {
        "topic": "7", "doc": "a", "start": 3, "end": 5, "run": "run",
    }  # fmt: skip


def test_each_run_may_have_its_own_chunks(tmp_path: Path) -> None:
    for name, end in (("one", 1), ("two", 2)):
        chunk = {"id": "c1", "doc": "a", "start": 0, "end": end}
        written([chunk], tmp_path / f"{name}.chunks.jsonl")
        written([{"topic": "7", "chunk": "c1", "run": name}], tmp_path / f"{name}.jsonl")
    qrels = written([{"topic": "7", "doc": "a", "start": 0, "end": 4}], tmp_path / "judged.jsonl")
    runs = [tmp_path / "one.jsonl", tmp_path / "two.jsonl"]
    chunks = [
        part for name in ("one", "two") for part in ("--chunks", tmp_path / f"{name}.chunks.jsonl")
    ]
    scored = doxeval("evaluate", *runs, "-a", qrels, "-m", "cR@1", *chunks)
    assert [line.split()[-1] for line in scored.stdout.splitlines()[1:]] == ["0.5000", "0.2500"]
    refused = doxeval("evaluate", runs[0], "-a", qrels, "-m", "cR@1", *chunks)
    assert "--chunks is given 2 times for 1 runs" in refused.stderr
