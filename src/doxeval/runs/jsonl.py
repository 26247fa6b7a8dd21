"""Runs as JSONL: a record on each line, with the fields that `records` lists.

Lines are decoded many at a time, most often to records that all have the fields of the first. What
cannot be decoded so is read again line by line, to say what is wrong and where.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from itertools import chain
from operator import attrgetter
from typing import IO, TYPE_CHECKING, Annotated, Any, NamedTuple

import numpy as np

from doxeval.arrays import Bytes, Ints
from doxeval.columns import LARGEST_WHOLE, first_bad_byte
from doxeval.errors import FormatError
from doxeval.files import BYTE_ORDER_MARK, LONGEST_LINE, decode_json
from doxeval.messages import quoted
from doxeval.runs.columns import SpanLists
from doxeval.runs.records import (
    FIELDS,
    NAME_FIELDS,
    WHOLE_FIELDS,
    Records,
    record_blocks,
    why_refused,
)
from doxeval.runs.run import Block, ReadOptions, Run
from doxeval.spans import TOO_LONG

if TYPE_CHECKING:
    pass

_CHUNK = 1 << 18  # bytes; what is made of them stays in the processor's cache
_LINE_END, _BRACE, _COLON = b"\n{:"
_SPACED_FIELD = re.compile(rb'"[ \t\r]+:')
_ENCODER = json.JSONEncoder(ensure_ascii=False)


def jsonl_blocks(file: IO[bytes], origin: str, options: ReadOptions) -> Iterator[Block]:
    """Yield a run from JSONL in blocks of whole topics.

    >>> import io
    >>> file = io.BytesIO(b'{"topic": "1", "doc": "a"}\\n{"topic": "2", "doc": "a"}\\n')
    >>> [len(block.run) for block in jsonl_blocks(file, "r.jsonl", ReadOptions(rows=1))]
    [1, 1]
    """
    return record_blocks(_records(file, origin, options.is_first), origin, options)


def _records(file: IO[bytes], origin: str, is_first: bool) -> Iterator[Records]:
    """Yield the records of all lines that are not blank, as columns by field."""
    for lines in json_line_blocks(file, origin, is_first):
        columns = _decode_columns(lines)
        if columns is not None:
            yield columns, lines.numbers
            continue
        records, numbers, error = lines.read_each()
        if records:
            names = dict.fromkeys(name for record in records for name in record)
            yield {name: [record.get(name) for record in records] for name in names}, numbers
        if error is not None:
            raise error


# Lines of JSON objects


class JsonLines(NamedTuple):
    """Some whole lines of a file, in UTF-8: the number of the first, and how many there are."""

    data: bytes
    first: int
    total: int
    origin: str

    @property
    def numbers(self) -> Ints:
        """The number of each line."""
        return np.arange(self.first, self.first + self.total)

    def decode(self, decoder: Any) -> list[Any] | None:
        """Return the objects of the lines, one on each, by a decoder of msgspec; None: perhaps not.

        A decoder takes line ends for white space: an object could go over two lines, and a line
        could have two. That is ruled out if every line begins with a brace, which begins an object
        since the decoder accepts none inside another, and if there are as many objects as lines.
        """
        import msgspec

        codes: Bytes = np.frombuffer(self.data, dtype=np.uint8)
        begins = np.flatnonzero(codes[:-1] == _LINE_END) + 1
        if not self.data.startswith(b"{") or (codes[begins] != _BRACE).any():
            return None
        try:
            objects: list[Any] = decoder.decode_lines(self.data)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
            return None
        return objects if len(objects) == self.total else None

    def may_repeat_fields(self, fields: int) -> bool:
        """Return whether a field may be given twice in an object, where so many were decoded.

        Every field has a colon, right behind its quotation mark unless there is white space.
        """
        if np.count_nonzero(np.frombuffer(self.data, dtype=np.uint8) == _COLON) == fields:
            return False
        return self.data.count(b'":') != fields or _SPACED_FIELD.search(self.data) is not None

    def read_each(self) -> tuple[list[dict[str, Any]], Ints, FormatError | None]:
        """Return the objects on lines that are not blank, their numbers, and what ended them."""
        records, numbers, error = [], [], None
        for number, line in enumerate(self.data.decode().split("\n"), self.first):
            if not line or line.isspace():
                continue
            try:
                record = decode_json(line)
                if not isinstance(record, dict):
                    raise FormatError(why_refused(record))
                if line.count(":") != len(record):
                    json.loads(line, object_pairs_hook=_refuse_repeated)
            except FormatError as refused:
                error = FormatError(refused.message, self.origin, number)
                break
            except ValueError:
                error = FormatError("expected a JSON object", self.origin, number)
                break
            records.append(record)
            numbers.append(number)
        return records, np.array(numbers, dtype=np.int64), error


def json_line_blocks(file: IO[bytes], origin: str, is_first: bool = True) -> Iterator[JsonLines]:
    """Yield the lines of a file; at its beginning there may be a byte order mark.

    >>> import io
    >>> file = io.BytesIO(b'{"id": 1}\\n{"id": 2}\\n')
    >>> [lines.total for lines in json_line_blocks(file, "a.jsonl")]
    [2]
    """
    first = 1
    for data, count in _line_chunks(file, origin):
        if is_first and first == 1:
            data = data.removeprefix(BYTE_ORDER_MARK)
        bad, end = first_bad_byte(data), len(data)
        if bad is not None:
            end = data.rfind(b"\n", 0, bad) + 1
            count = data.count(b"\n", 0, end)
        if count:
            yield JsonLines(data[:end], first, count, origin)
        first += count
        if bad is not None:
            raise FormatError(f"byte {data[bad]:#04x} is not UTF-8 text", origin, first)


def _line_chunks(file: IO[bytes], origin: str) -> Iterator[tuple[bytes, int]]:
    """Yield the file in chunks of whole lines, and how many there are in each."""
    number, rest = 1, b""
    while chunk := file.read(_CHUNK):
        rest += chunk
        end = rest.rfind(b"\n") + 1
        if end:
            lines = rest.count(b"\n", 0, end)
            yield rest[:end], lines
            number += lines
            rest = rest[end:]
        if len(rest) > LONGEST_LINE:
            raise FormatError(f"a line of more than {LONGEST_LINE:,} bytes", origin, number)
    if rest:
        yield rest, 1


def _refuse_repeated(pairs: list[tuple[str, Any]]) -> None:
    names = [name for name, _ in pairs]
    twice = next((name for at, name in enumerate(names) if name in names[:at]), None)
    if twice is not None:
        raise FormatError(f"the field {quoted(twice)} is given twice")


# Many records at once


@cache
def _field_types() -> dict[str, Any]:
    """Return the type of each field of a record, as msgspec checks it while it decodes."""
    import msgspec

    whole = Annotated[int, msgspec.Meta(ge=0, lt=LARGEST_WHOLE)]
    edge = Annotated[int, msgspec.Meta(ge=0, lt=TOO_LONG)]
    edges = [("start", edge), ("end", edge)]
    span = msgspec.defstruct("Span", edges, array_like=True, forbid_unknown_fields=True, gc=False)
    return {
        **dict.fromkeys(NAME_FIELDS, str | int),
        **dict.fromkeys(WHOLE_FIELDS, whole),
        "score": float,
        "nodes": list[str],
        "spans": list[span],  # type: ignore[valid-type]
    }


@cache
def _decoder_of(names: tuple[str, ...]) -> Any:
    """Return a decoder of records that have exactly these fields, none of them null."""
    import msgspec

    fields = [(name, _field_types()[name]) for name in names]
    record = msgspec.defstruct("ResultRecord", fields, forbid_unknown_fields=True, gc=False)
    return msgspec.json.Decoder(record)


@cache
def _decoder_of_all_fields() -> Any:
    """Return a decoder of records that have any of all fields."""
    import msgspec

    fields = [
        (name, kind | None | msgspec.UnsetType, msgspec.UNSET)
        for name, kind in _field_types().items()
    ]
    record = msgspec.defstruct("AnyRecord", fields, forbid_unknown_fields=True, gc=False)
    return msgspec.json.Decoder(record)


def _decode_columns(lines: JsonLines) -> Mapping[str, Any] | None:
    """Return the records of lines as columns by field; None if they should be read one by one."""
    try:
        record = json.loads(lines.data[: lines.data.find(b"\n") + 1 or None])
    except (ValueError, RecursionError):
        return None
    if not isinstance(record, dict) or not record.keys() <= set(FIELDS):
        return None
    names = tuple(record)
    records = lines.decode(_decoder_of(names))
    if records is None:
        return _decode_all_fields(lines)
    if lines.may_repeat_fields(lines.total * len(names)):
        return None
    return {name: _column(name, records) for name in names}


def _column(name: str, records: Sequence[Any]) -> Any:
    """Return a field that all records have."""
    values = map(attrgetter(name), records)
    if name in WHOLE_FIELDS:
        return np.fromiter(values, np.int64, len(records))
    if name == "score":
        return np.fromiter(values, np.float64, len(records))
    return _span_lists(list(values)) if name == "spans" else list(values)


def _decode_all_fields(lines: JsonLines) -> Mapping[str, Any] | None:
    """Return the same of records that have different fields, or null in some."""
    import msgspec

    records = lines.decode(_decoder_of_all_fields())
    if records is None:
        return None
    columns: dict[str, Any] = {}
    fields = 0
    for name in FIELDS:
        column = list(map(attrgetter(name), records))
        missing = column.count(msgspec.UNSET)
        fields += lines.total - missing
        if missing < lines.total:
            values = [None if value is msgspec.UNSET else value for value in column]
            columns[name] = _span_lists(values) if name == "spans" else values
    return None if lines.may_repeat_fields(fields) else columns


def _span_lists(column: list[Any]) -> SpanLists:
    """Return the spans of records, of which some may have none."""
    lists = [spans or () for spans in column]
    counts = np.fromiter(map(len, lists), np.int64, len(lists))
    spans = list(chain.from_iterable(lists))
    start, end = (
        np.fromiter(map(attrgetter(edge), spans), np.int64, len(spans)) for edge in ("start", "end")
    )
    return SpanLists(np.append(0, np.cumsum(counts)), start, end)


def write_jsonl_run(run: Run) -> Iterator[bytes]:
    """Yield the run as JSONL.

    >>> from doxeval.runs.columns import Result
    >>> print(*write_jsonl_run(Run.from_results([Result("1", "a")], "mine")))
    b'{"topic": "1", "doc": "a", "run": "mine"}\\n'
    """
    columns = [
        [None if value is None else f'"{name}": {_json(value)}' for value in values]
        for name, values in run.by_field().items()
    ]
    for row in zip(*columns, strict=True):
        yield f"{{{', '.join(filter(None, row))}}}\n".encode()


def _json(value: Any) -> str:
    if isinstance(value, int | float):
        return repr(value)
    return _ENCODER.encode(value)
