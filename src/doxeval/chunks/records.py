"""What files and data frames hold, as plain Python values: records, or one value of JSON."""

from __future__ import annotations

import io
import json
import os
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from doxeval.columns import is_frame as is_data_frame
from doxeval.documents import decode_text
from doxeval.errors import DocumentError, FormatError, OutputError, SourceError
from doxeval.files import (
    csv_records,
    csv_separator,
    decode_json,
    json_lines,
    open_input,
    read_up_to,
    uncompressed_name,
)
from doxeval.messages import quoted

LARGEST_FILE = 4 << 30
TABLE_SUFFIXES = (".jsonl", ".ndjson", ".json", ".csv", ".tsv", ".parquet")
_SPREADSHEETS = (".xlsx", ".xls", ".xlsm", ".ods")


class Loaded(NamedTuple):
    """A value, with where it came from.

    value: a list of records, or what else a file of JSON holds. origin: the file, if it was one.
    lines: of each record, where they are known.
    """

    value: Any
    origin: str | None = None
    lines: Sequence[int] = ()

    def line(self, record: int) -> int | None:
        """Return the line of a record."""
        return self.lines[record] if record < len(self.lines) else None

    def wrong(self, message: str, record: int | None = None) -> FormatError:
        """Return an error about the value, or about one of its records."""
        line = None if record is None else self.line(record)
        if record is not None and line is None:
            message = f"record {record + 1}: {message}"
        return FormatError(message, self.origin, line)

    def records(self) -> list[dict[str, Any]]:
        """Return the value as a list of records; anything else is an error."""
        if not isinstance(self.value, list):
            raise self.wrong(f"a {type(self.value).__name__}: expected a list of records")
        for number, record in enumerate(self.value):
            if not isinstance(record, dict):
                raise self.wrong(f"{quoted(record)}: expected an object with fields", number)
        return self.value


def loaded_from(source: Any) -> Loaded:
    """Return the records of a file, a data frame, a list or a data set of ragas, or other JSON.

    >>> loaded_from([{"id": 1}]).value
    [{'id': 1}]
    """
    if isinstance(source, str | os.PathLike):
        if not os.path.exists(source):
            raise SourceError("no such file or directory", os.fspath(source))
        return load(source)
    if is_frame(source):
        return Loaded(frame_records(source))
    if isinstance(source, Mapping):
        return Loaded(plain(source))
    # Data sets of ragas and DeepEval, and of LlamaIndex, which are one value.
    samples = getattr(source, "samples", None) or getattr(source, "goldens", None) or source
    if samples is source and callable(getattr(source, "model_dump", None)):
        return Loaded(plain(source.model_dump()))
    if isinstance(samples, Iterable):
        return Loaded([_record(sample) for sample in samples])
    raise FormatError(f"{quoted(source)}: expected a file, a data frame or records")


def _record(sample: Any) -> Any:
    """Return a record of fields, from a mapping or an object of pydantic."""
    if isinstance(sample, Mapping):
        return plain(sample)
    dump = getattr(sample, "model_dump", None)
    if not callable(dump):
        return sample
    record = plain(dump())
    inner = record.pop("eval_sample", None)  # a sample of a testset of ragas wraps another
    return {**record, **inner} if isinstance(inner, dict) else record


def load(path: str | os.PathLike[str]) -> Loaded:
    """Return the records of a file: JSONL, JSON, CSV, TSV or Parquet, compressed or not.

    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "a.jsonl"
    >>> _ = path.write_text('{"id": 1}\\n')
    >>> load(path).value
    [{'id': 1}]
    """
    name = os.fspath(path)
    suffix = os.path.splitext(uncompressed_name(name))[1].lower()
    if suffix in _SPREADSHEETS:
        raise FormatError("a spreadsheet: save the sheet as CSV (UTF-8), which is read", name)
    if suffix not in TABLE_SUFFIXES:
        expected = ", ".join(TABLE_SUFFIXES)
        raise FormatError(f"cannot tell the format from its name: expected {expected}", name)
    with open_input(path) as file:
        if suffix == ".parquet":
            return _numbered(parquet_records(read_up_to(file, LARGEST_FILE), name), name)
        if suffix in (".jsonl", ".ndjson"):
            return _with_lines(list(json_lines(file, name)), name)
        data = read_up_to(file, LARGEST_FILE)
    if suffix == ".json":
        return _json(data, name)
    try:
        text = decode_text(data, name)
    except DocumentError as error:
        which = error.message.partition(";")[0]
        message = f"{which}: spreadsheets write it as 'CSV UTF-8'"
        raise FormatError(message, name, error.line) from None
    separator = "\t" if suffix == ".tsv" else csv_separator(text)
    return _with_lines(list(csv_records(text, name, separator)), name)


def _with_lines(pairs: list[tuple[int, Any]], origin: str) -> Loaded:
    return Loaded([record for _, record in pairs], origin, [line for line, _ in pairs])


def _numbered(records: list[dict[str, Any]], origin: str) -> Loaded:
    return Loaded(records, origin, range(1, len(records) + 1))


def _json(data: bytes, origin: str) -> Loaded:
    """Return what a file of JSON holds; several objects, each on its line, are JSONL."""
    try:
        return Loaded(decode_json(decode_text(data, origin)), origin)
    except ValueError as error:
        if data.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"{") and b"}\n" in data:
            return _with_lines(list(json_lines(io.BytesIO(data), origin)), origin)
        line = getattr(error, "lineno", None)
        raise FormatError(
            f"this is not JSON: {getattr(error, 'msg', error)}", origin, line
        ) from None


def parquet_records(data: bytes, origin: str) -> list[dict[str, Any]]:
    """Return the rows of a file of Parquet, which may hold lists and structures (needs pyarrow)."""
    from doxeval.runs import checked_parquet

    with checked_parquet(data, origin) as parquet:
        table = parquet.read_table(io.BytesIO(data))
        table.validate(full=True)
        rows: list[dict[str, Any]] = table.to_pylist()
    return rows


def is_frame(value: Any) -> bool:
    """Return whether a value is a data frame of pandas or polars, or a table of Arrow."""
    return is_data_frame(value) or (hasattr(value, "columns") and hasattr(value, "to_pylist"))


def frame_records(frame: Any) -> list[dict[str, Any]]:
    """Return the rows of a data frame, with lists in place of arrays, without what is missing.

    >>> import pandas
    >>> frame_records(pandas.DataFrame({"id": ["a", "b"], "size": [1, None]}))
    [{'id': 'a', 'size': 1.0}, {'id': 'b'}]
    """
    if hasattr(frame, "to_dicts"):  # polars
        rows = frame.to_dicts()
    elif hasattr(frame, "to_pylist"):  # Arrow
        rows = frame.to_pylist()
    else:
        rows = frame.to_dict("records")
    return [
        {str(name): plain(value) for name, value in row.items() if _is_there(value)} for row in rows
    ]


def _is_there(value: Any) -> bool:
    """Return whether a cell of a data frame holds anything."""
    if value is None:
        return False
    try:
        return bool(value == value)  # neither NaN nor NA is
    except (TypeError, ValueError):  # an array, or pandas' NA
        return hasattr(value, "tolist")


def plain(value: Any) -> Any:
    """Return a value with lists in place of arrays and tuples, however deep."""
    if hasattr(value, "tolist"):
        value = value.tolist()
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    if isinstance(value, Mapping):
        return {key: plain(item) for key, item in value.items()}
    return value


def json_line(record: Mapping[str, Any]) -> bytes:
    """Return a record as a line of JSONL; text that UTF-8 cannot hold is an error.

    >>> json_line({"id": "é"}).decode()
    '{"id": "é"}\\n'
    """
    try:
        return json.dumps(record, ensure_ascii=False).encode() + b"\n"
    except UnicodeEncodeError:
        shown = quoted(record.get("id"))
        raise OutputError(f"{shown}: a lone surrogate, which no file can hold") from None
