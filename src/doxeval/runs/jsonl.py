"""Runs as JSONL: a record on each line, with the fields that `records` lists."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping
from functools import lru_cache
from itertools import chain, repeat
from operator import attrgetter, is_
from typing import IO, TYPE_CHECKING, Any, NamedTuple, TypeVar

import numpy as np

from doxeval.arrays import Ints
from doxeval.columns import Column
from doxeval.errors import FormatError
from doxeval.files import BYTE_ORDER_MARK, LONGEST_LINE, decode_json
from doxeval.messages import quoted
from doxeval.runs.columns import SpanLists
from doxeval.runs.records import FIELDS, NAME_FIELDS, WHOLE_FIELDS, record_blocks, why_refused
from doxeval.runs.run import Block, ReadOptions, Run, run_of_block
from doxeval.spans import TOO_LONG

if TYPE_CHECKING:
    from doxeval.runs.chunks import ChunkTable

_CHUNK = 1 << 18  # bytes; what is made of them stays in the processor's cache
_ENCODER = json.JSONEncoder(ensure_ascii=False)
_SPACED_FIELD = re.compile(rb'"[ \t\r]+:')
T = TypeVar("T")


def read_jsonl_run(file: IO[bytes], origin: str, chunks: ChunkTable | None = None) -> Run:
    """Read a run from JSONL.

    >>> import io
    >>> run = read_jsonl_run(io.BytesIO(b'{"topic": "1", "doc": "a", "path": "/p[1]"}'), "r.jsonl")
    >>> next(run.results()).paths
    ('/p[1]',)
    """
    return run_of_block(next(jsonl_blocks(file, origin, ReadOptions(chunks=chunks))))


def jsonl_blocks(file: IO[bytes], origin: str, options: ReadOptions) -> Iterator[Block]:
    """Yield a run from JSONL in blocks of whole topics.

    >>> import io
    >>> file = io.BytesIO(b'{"topic": "1", "doc": "a"}\\n{"topic": "2", "doc": "a"}\\n')
    >>> [len(block.run) for block in jsonl_blocks(file, "r.jsonl", ReadOptions(rows=1))]
    [1, 1]
    """
    given = json_blocks(file, origin, _decode_columns, _columns_by_field, has_mark=options.is_first)
    return record_blocks(given, origin, options)


def json_blocks(
    file: IO[bytes],
    origin: str,
    decode: Callable[[bytes, int], T | None],
    collect: Callable[[list[dict[str, Any]]], T],
    *,
    has_mark: bool = True,
) -> Iterator[tuple[T, Ints]]:
    """Yield the JSON objects of all lines that are not blank, in blocks, and their line numbers.

    Lines are decoded together; what that cannot read is read again line by line, to say what is
    wrong and where. A line that is no JSON object raises FormatError, after those before it were
    yielded. The first line may have a byte order mark, unless it is known to have none.

    decode: the objects of whole lines, given their number, one on each; None if they should be
    read line by line.
    collect: the same of objects that were read line by line.
    """
    first = 1
    for data, lines in _line_chunks(file, origin):
        if has_mark and first == 1:
            data = data.removeprefix(BYTE_ORDER_MARK)
        failed = None if data.isascii() else _encoding_error(data, origin, first)
        if failed is not None:
            data = data[: failed.position]
        together = decode(data, lines) if failed is None else None
        if together is None:
            yield from _read_line_by_line(data.decode(), first, origin, collect)
        else:
            yield together, np.arange(first, first + lines)
        if failed is not None:
            raise failed.error
        first += lines


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


class _EncodingError(NamedTuple):
    """What is wrong with a line that is not UTF-8, and where the line begins."""

    error: FormatError
    position: int


def _encoding_error(data: bytes, origin: str, first: int) -> _EncodingError | None:
    try:
        data.decode()
    except UnicodeDecodeError as error:
        begin = data.rfind(b"\n", 0, error.start) + 1
        reason = f"byte {data[error.start]:#04x} is not UTF-8 text"
        line = first + data.count(b"\n", 0, begin)
        return _EncodingError(FormatError(reason, origin, line), begin)
    return None


def decode_objects(data: bytes, lines: int, decoder: Any) -> list[Any] | None:
    """Return the objects of lines, one on each, by a decoder of msgspec; None if that may fail.

    A decoder takes line ends for white space: an object could go over two lines, and a line could
    have two. That is ruled out if every line begins with a brace, which begins an object since the
    decoder accepts none inside another, and if there are as many objects as lines.
    """
    import msgspec

    if data.startswith(b"{") + data.count(b"\n{") != lines:
        return None
    try:
        objects: list[Any] = decoder.decode_lines(data)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return None
    return objects if len(objects) == lines else None


def may_repeat_fields(data: bytes, fields: int) -> bool:
    """Return whether a field may be given twice in a record, where this many fields were decoded.

    Every field has a colon, right behind its quotation mark unless there is white space.
    """
    if data.count(b":") == fields:
        return False
    return data.count(b'":') != fields or _SPACED_FIELD.search(data) is not None


@lru_cache(maxsize=64)
def _record_decoder(names: tuple[str, ...] | None) -> Any:
    """Return a decoder of result records with exactly these fields; None: with any of all fields.

    Numbers are taken as they are, so that one check, of columns, decides what is valid.
    """
    import msgspec

    name, number = str | int | None, int | float | None
    types: dict[str, Any] = {
        **dict.fromkeys(NAME_FIELDS, name),
        **dict.fromkeys((*WHOLE_FIELDS, "score"), number),
        "nodes": list[str] | None,
        "spans": list[tuple[int, int]] | None,
    }
    fields: list[Any] = [(field, types[field]) for field in names or ()]
    if names is None:
        unset = msgspec.UNSET
        fields = [(field, types[field] | msgspec.UnsetType, unset) for field in FIELDS]
    record = msgspec.defstruct("ResultRecord", fields, forbid_unknown_fields=True, gc=False)
    return msgspec.json.Decoder(record)


def _decode_columns(data: bytes, lines: int) -> Mapping[str, Column] | None:
    """Return the records of lines as columns by field; None if they should be read line by line.

    Most often all records have the fields of the first.
    """
    try:
        names = tuple(json.loads(data[: data.find(b"\n") + 1 or len(data)]))
    except (ValueError, TypeError, RecursionError):
        return None
    records = None
    if set(names) <= set(FIELDS):
        records = decode_objects(data, lines, _record_decoder(names))
    if records is not None:
        columns = {name: list(map(attrgetter(name), records)) for name in names}
        fields = lines * len(names)
    else:
        columns, fields = _decode_all_fields(data, lines)
    if not columns or may_repeat_fields(data, fields):
        return None
    if "spans" in columns:
        spans = _spans_of_pairs(columns.pop("spans"))
        return None if spans is None else {**columns, "spans": spans}
    return columns


def _decode_all_fields(data: bytes, lines: int) -> tuple[dict[str, Any], int]:
    """Return the records of lines as columns by field, and how many fields there are in all."""
    import msgspec

    records = decode_objects(data, lines, _record_decoder(None))
    columns: dict[str, Any] = {}
    fields = 0
    for name in FIELDS if records is not None else ():
        column = list(map(attrgetter(name), records or ()))
        missing = sum(map(is_, column, repeat(msgspec.UNSET)))
        fields += lines - missing
        if missing < lines:
            columns[name] = [None if value is msgspec.UNSET else value for value in column]
    return columns, fields


def _spans_of_pairs(column: list[list[tuple[int, int]] | None]) -> SpanLists | None:
    """Return lists of pairs of numbers as spans; None if a pair is not a span."""
    lists = [pairs or [] for pairs in column]
    counts = np.fromiter(map(len, lists), np.int64, len(lists))
    edges = chain.from_iterable(chain.from_iterable(lists))
    try:
        start, end = np.fromiter(edges, np.int64, 2 * int(counts.sum())).reshape(-1, 2).T
    except OverflowError:
        return None
    if ((start < 0) | (end < start) | (end >= TOO_LONG)).any():
        return None
    return SpanLists(np.append(0, np.cumsum(counts)), start, end)


def _read_line_by_line(
    text: str, first: int, origin: str, collect: Callable[[list[dict[str, Any]]], T]
) -> Iterator[tuple[T, Ints]]:
    records, lines = [], []
    failed = None
    for number, line in enumerate(text.split("\n"), first):
        if not line or line.isspace():
            continue
        try:
            record = decode_json(line)
            if not isinstance(record, dict):
                raise FormatError(why_refused(record), origin, number)
            if line.count(":") != len(record):
                json.loads(line, object_pairs_hook=_refuse_repeated)
        except FormatError as error:
            failed = FormatError(error.message, origin, number)
            break
        except ValueError:
            failed = FormatError("expected a JSON object", origin, number)
            break
        records.append(record)
        lines.append(number)
    if records:
        yield collect(records), np.array(lines)
    if failed is not None:
        raise failed


def _refuse_repeated(pairs: list[tuple[str, Any]]) -> None:
    names = [name for name, _ in pairs]
    twice = next((name for at, name in enumerate(names) if name in names[:at]), None)
    if twice is not None:
        raise FormatError(f"the field {quoted(twice)} is given twice")


def _columns_by_field(records: list[dict[str, Any]]) -> Mapping[str, Column]:
    names = dict.fromkeys(name for record in records for name in record)
    return {name: [record.get(name) for record in records] for name in names}


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
