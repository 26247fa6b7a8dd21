"""Records of runs read one by one, the obvious way: what the readers by columns must agree with."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from doxeval.columns.fields import Fields
from doxeval.documents.ids import normalised_id
from doxeval.errors import FormatError
from doxeval.files import json_lines
from doxeval.runs.run import Kind, Result
from doxeval.wording import listed

FIELDS = (
    *("topic", "doc", "path", "start", "end", "start_point", "end_point", "nodes", "offset"),
    *("point", "rank", "score", "run"),
)
UNITS = {
    (): Kind.DOCUMENT,
    ("path",): Kind.ELEMENT,
    ("end", "start"): Kind.PASSAGE,
    ("end_point", "start_point"): Kind.PASSAGE,
    ("nodes",): Kind.TREE,
    ("offset",): Kind.POINT,
    ("point",): Kind.POINT,
}
UNIT_FIELDS = {name for unit in UNITS for name in unit}


class Read(NamedTuple):
    """What there is to a run, as plain values."""

    run_id: str
    results: list[Result]
    lines: list[int]
    warnings: tuple[str, ...]


def read_records(records: Iterable[tuple[int, Any]], origin: str) -> Read:
    results, lines, run_ids = [], [], []
    for number, record in records:
        try:
            result, run_id = read_record(record)
        except FormatError as error:
            raise FormatError(error.message, origin, number) from None
        results.append(result)
        lines.append(number)
        if run_id is not None and run_id not in run_ids:
            run_ids.append(run_id)
    if not results:
        raise FormatError("no results in the file", origin)
    warnings = []
    if len(run_ids) > 1:
        warnings.append(f"{len(run_ids)} run ids in one file: {listed(run_ids, 5)}")
    for name in ("rank", "score"):
        values = [getattr(result, name) for result in results]
        if None in values and set(values) != {None}:
            warnings.append(f"some results have no {name}; the {name}s are not used")
            none: dict[str, Any] = {name: None}
            results = [result._replace(**none) for result in results]
    return Read(run_ids[-1] if run_ids else "run", results, lines, tuple(warnings))


def read_record(record: Any) -> tuple[Result, str | None]:
    fields = Fields(record, FIELDS)
    unit = tuple(sorted(UNIT_FIELDS & fields.names))
    if unit not in UNITS:
        raise FormatError(
            f"fields {', '.join(unit)} together: expected start and end, path, nodes, offset, or "
            "none of them"
        )
    start, end, offset = (fields.whole(name) for name in ("start", "end", "offset"))
    if start is not None and end is not None and end < start:
        raise FormatError(f"the passage ends at {end} before it starts at {start}")
    result = Result(
        fields.text("topic"),
        normalised_id(fields.text("doc")),
        UNITS[unit],
        start if offset is None else offset,
        end,
        read_place(fields),
        fields.whole("rank"),
        fields.number("score"),
    )
    return result, fields.optional_text("run")


def read_place(fields: Fields) -> tuple[str, ...]:
    if "nodes" in fields:
        return fields.paths("nodes")
    names = ("path", "point", "start_point", "end_point")
    return tuple(fields.text(name) for name in names if name in fields)


def read_jsonl(data: bytes, origin: str) -> Read:
    return read_records(json_lines(io.BytesIO(data), origin), origin)


def read_csv(data: bytes, origin: str) -> Read:
    return read_records(csv_records(data, origin), origin)


def csv_records(data: bytes, origin: str) -> Iterator[tuple[int, Any]]:
    text = io.TextIOWrapper(io.BytesIO(data), encoding="utf-8-sig", newline="")
    reader = csv.DictReader(text, strict=True)
    try:
        for record in reader:
            if None in record or None in record.values():
                count = len(reader.fieldnames or [])
                raise FormatError(f"expected {count} columns", origin, reader.line_num)
            values = {name: csv_value(name, value) for name, value in record.items()}
            yield reader.line_num, values
    except (csv.Error, UnicodeDecodeError) as error:
        reason = f"this is not CSV in UTF-8: {error}"
        raise FormatError(reason, origin, reader.reader.line_num) from None


def csv_value(name: str, value: str) -> Any:
    if name == "nodes":
        return value.split()
    read = {"score": float, **dict.fromkeys(("start", "end", "offset", "rank"), int)}.get(name, str)
    try:
        return read(value)
    except ValueError:
        return value


def as_json_lines(records: Iterable[Any]) -> bytes:
    return b"".join(json.dumps(record).encode() + b"\n" for record in records)
