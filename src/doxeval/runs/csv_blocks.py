"""CSV with a line of column names, read many rows at a time."""

from __future__ import annotations

import csv
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice
from typing import Any, NamedTuple

import numpy as np

from doxeval.arrays import Ints
from doxeval.errors import FormatError
from doxeval.messages import quoted
from doxeval.runs.span_columns import spans_of_text

_ROWS = 2048
_LINE_END = re.compile(r"\r\n|\r|\n")
_NUMBERS: dict[str, Callable[[str], Any]] = {
    **dict.fromkeys(("start", "end", "offset", "rank", "tokens"), int),
    "score": float,
}


class CsvBlock(NamedTuple):
    """Some rows as columns by name, and the last line of each row."""

    columns: dict[str, Sequence[Any]]
    lines: Ints


def csv_blocks(text: Iterable[str], origin: str) -> Iterator[CsvBlock]:
    """All rows that are not blank, in blocks, from the lines of a text.

    What cannot be read raises FormatError, after the rows before it were handed out.

    >>> block = next(csv_blocks(["topic,rank\\n", "7,1\\n", "8,2\\n"], "a.csv"))
    >>> block.columns, block.lines.tolist()
    ({'topic': ('7', '8'), 'rank': [1, 2]}, [2, 3])
    """
    reader = csv.reader(text, strict=True)
    header, failed = _next_rows(reader, 1, origin)
    names = _checked_names(header[0] if header else [], origin)
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
            yield CsvBlock(_columns(names, rows), lines)
    raise failed


def _next_rows(reader: Any, most: int, origin: str) -> tuple[list[list[str]], FormatError | None]:
    """Some more rows, up to the first that cannot be read, and what is wrong there."""
    rows: list[list[str]] = []
    try:
        rows.extend(islice(reader, most))
    except (csv.Error, UnicodeDecodeError) as error:  # those before it are in the list
        return rows, FormatError(f"this is not CSV in UTF-8: {error}", origin, reader.line_num)
    return rows, None


def _checked_names(names: list[str], origin: str) -> list[str]:
    for at, name in enumerate(names):
        if name and name in names[:at]:
            raise FormatError(f"there are two columns {quoted(name)}", origin, 1)
    return names


def _line_numbers(rows: list[list[str]], before: int, after: int) -> Ints:
    """The last line of each row; a quoted field may go over several lines."""
    if after - before == len(rows):
        return np.arange(before + 1, after + 1)
    sizes = [1 + sum(len(_LINE_END.findall(field)) for field in row) for row in rows]
    return before + np.cumsum(np.array(sizes, dtype=np.int64))


def _columns(names: list[str], rows: list[list[str]]) -> dict[str, Sequence[Any]]:
    columns: dict[str, Sequence[Any]] = {}
    for name, values in zip(names, zip(*rows, strict=True), strict=True):
        if name in _NUMBERS:
            columns[name] = _numbers(values, _NUMBERS[name])
        elif name == "nodes":
            columns[name] = [value.split() for value in values]
        elif name == "spans":
            columns[name] = list(map(spans_of_text, values))
        elif name or not any(columns.get(name, ())):  # of columns without a name, one with values
            columns[name] = values
    return columns


def _numbers(values: Sequence[str], read: Callable[[str], Any]) -> list[Any]:
    """Numbers; what is none stays as it is, and is refused when it is checked."""
    together = "".join(values)
    if together.isascii() and "_" not in together:
        try:
            return list(map(read, values))
        except ValueError:
            pass
    return [_number(value, read) for value in values]


def _number(value: str, read: Callable[[str], Any]) -> Any:
    if not value.isascii() or "_" in value:  # Python reads digits of all scripts, and 1_000
        return value
    try:
        return read(value)
    except ValueError:
        return value
