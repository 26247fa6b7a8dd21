"""Runs as records: JSONL, CSV and Parquet, all with the same fields.

    {"topic", "doc", "start", "end"}     a passage, half-open, in characters
    {"topic", "doc", "path"}             an element
    {"topic", "doc", "nodes": [paths]}   a tree (in CSV and Parquet: paths joined by spaces)
    {"topic", "doc", "offset"}           an entry point
    {"topic", "doc"}                     a whole document

`rank`, `score` and `run` may be there too. Records are in the order of the ranking. A passage or
an entry point may also be given by text points: `start_point` and `end_point`, or `point`.
Fields that are empty or null are absent; unknown fields and contradictions are errors.
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Iterable, Iterator
from typing import IO, Any

from doxeval.columns.fields import Fields
from doxeval.documents.ids import normalised_id
from doxeval.errors import FormatError
from doxeval.files import json_lines
from doxeval.runs.builder import RunBuilder
from doxeval.runs.run import Kind, Result, Run

FIELDS = (
    "topic",
    "doc",
    "path",
    "start",
    "end",
    "start_point",
    "end_point",
    "nodes",
    "offset",
    "point",
    "rank",
    "score",
    "run",
)
_UNITS = {
    frozenset[str](): Kind.DOCUMENT,
    frozenset({"path"}): Kind.ELEMENT,
    frozenset({"start", "end"}): Kind.PASSAGE,
    frozenset({"start_point", "end_point"}): Kind.PASSAGE,
    frozenset({"nodes"}): Kind.TREE,
    frozenset({"offset"}): Kind.POINT,
    frozenset({"point"}): Kind.POINT,
}
_UNIT_FIELDS = frozenset().union(*_UNITS)


def read_jsonl_run(file: IO[bytes], origin: str) -> Run:
    """Read a run from JSONL.

    >>> run = read_jsonl_run(io.BytesIO(b'{"topic": "1", "doc": "a", "path": "/p[1]"}'), "r.jsonl")
    >>> next(run.results()).place
    ('/p[1]',)
    """
    return _run(json_lines(file, origin), origin)


def read_csv_run(file: IO[bytes], origin: str) -> Run:
    """Read a run from CSV with a line of column names.

    >>> next(read_csv_run(io.BytesIO(b"topic,doc,start,end\\n1,a,0,9\\n"), "r.csv").results()).end
    9
    """
    text = io.TextIOWrapper(file, encoding="utf-8-sig", newline="")
    reader = csv.DictReader(text, strict=True)

    def records() -> Iterator[tuple[int, Any]]:
        try:
            for record in reader:
                if None in record or None in record.values():
                    raise FormatError(
                        f"expected {len(reader.fieldnames or [])} columns", origin, reader.line_num
                    )
                yield (
                    reader.line_num,
                    {name: _from_csv(name, value) for name, value in record.items()},
                )
        except (csv.Error, UnicodeDecodeError) as error:
            raise FormatError(
                f"this is not CSV in UTF-8: {error}", origin, reader.line_num
            ) from None

    try:
        return _run(records(), origin)
    finally:
        text.detach()


def read_parquet_run(file: IO[bytes], origin: str) -> Run:
    """Read a run from Parquet (needs the extra `parquet`)."""
    parquet = _parquet()
    try:
        table = parquet.ParquetFile(io.BytesIO(file.read()))
    except (ValueError, OSError) as error:
        raise FormatError(f"this is not Parquet: {error}", origin) from None

    def records() -> Iterator[tuple[int, Any]]:
        number = 0
        for batch in table.iter_batches():
            for record in batch.to_pylist():
                number += 1
                nodes = record.get("nodes")
                yield (
                    number,
                    {**record, "nodes": nodes.split() if isinstance(nodes, str) else nodes},
                )

    return _run(records(), origin)


def write_jsonl_run(run: Run) -> Iterator[bytes]:
    """The run as JSONL.

    >>> from doxeval.runs.builder import run_of
    >>> print(*write_jsonl_run(run_of([Result("1", "a")], "mine")))
    b'{"topic": "1", "doc": "a", "run": "mine"}\\n'
    """
    for record in _records(run):
        yield json.dumps(record, ensure_ascii=False).encode() + b"\n"


def write_csv_run(run: Run) -> Iterator[bytes]:
    """The run as CSV, with the columns it needs."""
    records = list(_records(run))
    used = [name for name in FIELDS if any(name in record for record in records)]
    out = io.StringIO()
    writer = csv.DictWriter(out, used, lineterminator="\n")
    writer.writeheader()
    for record in records:
        nodes = {"nodes": " ".join(record["nodes"])} if "nodes" in record else {}
        writer.writerow({**record, **nodes})
    yield out.getvalue().encode()


def write_parquet_run(run: Run) -> Iterator[bytes]:
    """The run as Parquet (needs the extra `parquet`)."""
    import pyarrow as pa

    records = list(_records(run))
    columns: dict[str, list[Any]] = {
        name: [record.get(name) for record in records]
        for name in FIELDS
        if any(name in record for record in records)
    }
    if "nodes" in columns:
        columns["nodes"] = [nodes and " ".join(nodes) for nodes in columns["nodes"]]
    out = io.BytesIO()
    _parquet().write_table(pa.table(columns), out)
    yield out.getvalue()


def _parquet() -> Any:
    try:
        import pyarrow.parquet
    except ModuleNotFoundError:
        raise FormatError(
            "Parquet needs pyarrow: install doxeval with its extra, doxeval[parquet]"
        ) from None
    return pyarrow.parquet


def _run(records: Iterable[tuple[int, Any]], origin: str) -> Run:
    builder = RunBuilder()
    run_ids: dict[str, None] = {}
    count = 0
    for number, record in records:
        count += 1
        try:
            result, run_id = _result(record)
        except FormatError as error:
            raise FormatError(error.message, origin, number) from None
        builder.add(result, number)
        if run_id is not None:
            run_ids[run_id] = None
    if not count:
        raise FormatError("no results in the file", origin)
    warnings = []
    if len(run_ids) > 1:
        warnings.append(f"{len(run_ids)} run ids in one file: {', '.join(list(run_ids)[:5])}")
    return builder.finish(next(reversed(run_ids), "run"), None, warnings, origin)


def _result(record: Any) -> tuple[Result, str | None]:
    fields = Fields(record, FIELDS)
    kind = _UNITS.get(frozenset(_UNIT_FIELDS & fields.names))
    if kind is None:
        raise FormatError(
            f"fields {', '.join(sorted(_UNIT_FIELDS & fields.names))} together: expected start and "
            "end, path, nodes, offset, or none of them"
        )
    start, end, offset = (fields.whole(name) for name in ("start", "end", "offset"))
    if start is not None and end is not None and end < start:
        raise FormatError(f"the passage ends at {end} before it starts at {start}")
    result = Result(
        fields.text("topic"),
        normalised_id(fields.text("doc")),
        kind,
        start if offset is None else offset,
        end,
        _place(fields),
        fields.whole("rank"),
        fields.number("score"),
    )
    return result, fields.optional_text("run")


def _place(fields: Fields) -> tuple[str, ...]:
    if "nodes" in fields:
        return fields.paths("nodes")
    names = ("path", "point", "start_point", "end_point")
    return tuple(fields.text(name) for name in names if name in fields)


_FROM_CSV: dict[str, Callable[[str], Any]] = {
    **dict.fromkeys(("start", "end", "offset", "rank"), int),
    "score": float,
    "nodes": str.split,
}


def _from_csv(name: str, value: str) -> Any:
    if value == "" or name not in _FROM_CSV:
        return value
    try:
        return _FROM_CSV[name](value)
    except ValueError:
        return value  # whatever it is, it is named when it is checked


def _records(run: Run) -> Iterator[dict[str, Any]]:
    """The run as records, without absent fields."""
    for result in run.results():
        record: dict[str, Any] = {"topic": result.topic, "doc": result.document}
        if result.kind == Kind.ELEMENT:
            record["path"] = result.place[0]
        elif result.kind == Kind.TREE:
            record["nodes"] = list(result.place)
        elif result.kind == Kind.POINT:
            record |= {"point": result.place[0]} if result.place else {"offset": result.start}
        elif result.kind == Kind.PASSAGE and result.place:
            record |= {"start_point": result.place[0], "end_point": result.place[1]}
        elif result.kind == Kind.PASSAGE:
            record |= {"start": result.start, "end": result.end}
        if result.rank is not None:
            record["rank"] = result.rank
        if result.score is not None:
            record["score"] = result.score
        yield {**record, "run": run.run_id}
