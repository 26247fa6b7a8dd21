"""Runs as CSV: a line of column names, and a record on each row, with the fields of `records`."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice
from typing import IO, Any

import numpy as np

from doxeval.arrays import Ints
from doxeval.errors import FormatError
from doxeval.files import LONGEST_LINE, long_csv_fields
from doxeval.messages import quoted
from doxeval.runs.records import WHOLE_FIELDS, Records, join_nodes, record_blocks, spans_of_text
from doxeval.runs.run import Block, ReadOptions, Run

_ROWS = 2048  # read at a time
_LINE_END = re.compile(r"\r\n|\r|\n")
_NUMBERS: dict[str, Callable[[str], Any]] = {**dict.fromkeys(WHOLE_FIELDS, int), "score": float}


def csv_blocks(file: IO[bytes], origin: str, options: ReadOptions) -> Iterator[Block]:
    """Yield a run from CSV, with a line of column names, in blocks of whole topics.

    >>> file = io.BytesIO(b"topic,doc,start,end\\n1,a,0,9\\n")
    >>> next(csv_blocks(file, "r.csv", ReadOptions())).run.end.tolist()
    [9]
    """
    text = io.TextIOWrapper(file, encoding="utf-8-sig", newline="")
    try:
        yield from record_blocks(_csv_records(text, origin), origin, options)
    finally:
        text.detach()


def _csv_records(text: Iterable[str], origin: str) -> Iterator[Records]:
    """Yield all rows that are not blank, in blocks: columns by field, and the last line of each.

    What cannot be read raises FormatError, after the rows before it were yielded.

    >>> columns, lines = next(_csv_records(["topic,rank\\n", "7,1\\n", "8,2\\n"], "a.csv"))
    >>> columns, lines.tolist()
    ({'topic': ('7', '8'), 'rank': [1, 2]}, [2, 3])
    """
    reader = csv.reader(text, strict=True)
    header, failed = _next_rows(reader, 1, origin)
    names = header[0] if header else []
    for at, name in enumerate(names):
        if name and name in names[:at]:
            raise FormatError(f"there are two columns {quoted(name)}", origin, 1)
    while failed is None:
        line = reader.line_num
        rows, failed = _next_rows(reader, _ROWS, origin)
        if not rows and failed is None:
            return
        lines = _line_numbers(rows, line, reader.line_num)
        wrong = next((at for at, row in enumerate(rows) if row and len(row) != len(names)), None)
        if wrong is not None:
            failed = FormatError(f"expected {len(names)} columns", origin, int(lines[wrong]))
            rows, lines = rows[:wrong], lines[:wrong]
        if [] in rows:  # blank lines
            lines = lines[np.array([bool(row) for row in rows])]
            rows = [row for row in rows if row]
        if rows:
            yield _csv_columns(names, rows), lines
    raise failed


def _next_rows(
    reader: Any, maximum: int, origin: str
) -> tuple[list[list[str]], FormatError | None]:
    """Return some more rows, up to the first that cannot be read, and what is wrong there."""
    rows: list[list[str]] = []
    with long_csv_fields(LONGEST_LINE):
        try:
            rows.extend(islice(reader, maximum))
        except (csv.Error, UnicodeDecodeError) as error:  # those before it are in the list
            return rows, FormatError(f"this is not CSV in UTF-8: {error}", origin, reader.line_num)
    return rows, None


def _line_numbers(rows: list[list[str]], before: int, after: int) -> Ints:
    """Return the last line of each row; a quoted field may go over several lines."""
    if after - before == len(rows):
        return np.arange(before + 1, after + 1)
    sizes = [1 + sum(len(_LINE_END.findall(field)) for field in row) for row in rows]
    return before + np.cumsum(np.array(sizes, dtype=np.int64))


def _csv_columns(names: list[str], rows: list[list[str]]) -> dict[str, Sequence[Any]]:
    columns: dict[str, Sequence[Any]] = {}
    for name, values in zip(names, zip(*rows, strict=True), strict=True):
        if name in _NUMBERS:
            columns[name] = _parse_numbers(values, _NUMBERS[name])
        elif name == "nodes":
            columns[name] = [value.split() for value in values]
        elif name == "spans":
            columns[name] = list(map(spans_of_text, values))
        elif name or not any(columns.get(name, ())):  # of columns without a name, one with values
            columns[name] = values
    return columns


def _parse_numbers(values: Sequence[str], parse: Callable[[str], Any]) -> list[Any]:
    """Return numbers; anything else stays as it is, and is refused when it is checked."""
    together = "".join(values)
    if together.isascii() and "_" not in together:
        try:
            return list(map(parse, values))
        except ValueError:
            pass
    return [_parse_number(value, parse) for value in values]


def _parse_number(value: str, parse: Callable[[str], Any]) -> Any:
    if not value.isascii() or "_" in value:  # Python reads digits of all scripts, and 1_000
        return value
    try:
        return parse(value)
    except ValueError:
        return value


def write_csv_run(run: Run) -> Iterator[bytes]:
    """Yield the run as CSV, with the columns it needs."""
    columns = join_nodes(run.by_field())
    if "spans" in columns:
        columns["spans"] = [
            spans and " ".join(f"{start}-{end}" for start, end in spans)
            for spans in columns["spans"]
        ]
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows(zip(*columns.values(), strict=True))
    yield out.getvalue().encode()
