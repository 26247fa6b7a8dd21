"""Records of runs read one by one, the obvious way: what the readers by columns must agree with."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

from doxeval.columns import Fields
from doxeval.documents import normalise_id
from doxeval.errors import FormatError
from doxeval.files import json_lines
from doxeval.messages import join_names, quoted
from doxeval.runs import Kind, Result

FIELDS = (
    *("topic", "doc", "chunk", "path", "start", "end", "start_point", "end_point", "nodes"),
    *("spans", "offset", "point", "rank", "score", "tokens", "added", "run"),
)
UNITS = {
    (): Kind.DOCUMENT,
    ("path",): Kind.ELEMENT,
    ("end", "start"): Kind.PASSAGE,
    ("end_point", "start_point"): Kind.PASSAGE,
    ("nodes",): Kind.TREE,
    ("spans",): Kind.SPANS,
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
        warnings.append(f"{len(run_ids)} run ids in one file: {join_names(run_ids, 5)}")
    for name in ("rank", "score"):
        values = [getattr(result, name) for result in results]
        if None in values and set(values) != {None}:
            warnings.append(f"some results have no {name}; the {name}s are not used")
            none: dict[str, Any] = {name: None}
            results = [result._replace(**none) for result in results]
    return Read(run_ids[-1] if run_ids else Path(origin).stem, results, lines, tuple(warnings))


def read_record(record: Any) -> tuple[Result, str | None]:
    fields = Fields(record, FIELDS)
    unit = tuple(sorted(UNIT_FIELDS & fields.names))
    if unit not in UNITS:
        raise FormatError(
            f"fields {', '.join(unit)} together: expected start and end, spans, path, nodes, "
            "offset, or none of them"
        )
    start, end, offset = (fields.whole(name) for name in ("start", "end", "offset"))
    if start is not None and end is not None and end < start:
        raise FormatError(f"the passage ends at {end} before it starts at {start}")
    topic, document = fields.text("topic"), normalise_id(fields.text("doc"))
    paths = read_place(fields)
    kind, spans = UNITS[unit], read_spans(fields)
    if kind == Kind.SPANS and len(spans) < 2:
        kind, (start, end), spans = Kind.PASSAGE, spans[0], ()
    rank, tokens = fields.whole("rank"), fields.whole("tokens")
    added = fields.whole("added") or None
    start = start if offset is None else offset
    score = fields.number("score")
    result = Result(topic, document, kind, start, end, paths, rank, score, spans, tokens, added)
    return result, fields.optional_text("run")


def read_spans(fields: Fields) -> tuple[tuple[int, int], ...]:
    """The ranges of a result, character by character; empty ones only if there is nothing else."""
    given = fields.raw("spans")
    if given is None:
        return ()
    wanted = "expected pairs of whole numbers, a start and an end that is not before it"
    if not isinstance(given, list):
        raise FormatError(f"spans is {quoted(given)}: {wanted}")
    for pair in given:
        is_pair = isinstance(pair, list) and len(pair) == 2 and {type(at) for at in pair} == {int}
        if not is_pair or not 0 <= pair[0] <= pair[1] < 1 << 32:
            raise FormatError(f"spans has {quoted(pair)}: {wanted}")
    text = sorted({at for start, end in given for at in range(start, end)})
    begins = [at for at in text if at - 1 not in set(text)]
    ends = [at + 1 for at in text if at + 1 not in set(text)]
    return tuple(zip(begins, ends, strict=True)) or (tuple(given[0]),)


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
    if name == "spans" and re.fullmatch(r"\s*([0-9]+-[0-9]+(\s+|$))*", value):
        return [[int(at) for at in one.split("-")] for one in value.split()]
    whole = ("start", "end", "offset", "rank", "tokens", "added")
    read = {"score": float, **dict.fromkeys(whole, int)}.get(name, str)
    try:
        return read(value)
    except ValueError:
        return value


def as_json_lines(records: Iterable[Any]) -> bytes:
    return b"".join(json.dumps(record).encode() + b"\n" for record in records)
