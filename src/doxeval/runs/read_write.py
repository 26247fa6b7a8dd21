"""Files of runs: which reader, which writer."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from typing import IO, Literal

from doxeval.errors import FormatError, OutputError
from doxeval.files import opened, uncompressed_name, written
from doxeval.runs.inex_xml import read_xml_run, write_xml_run
from doxeval.runs.records import (
    read_csv_run,
    read_jsonl_run,
    read_parquet_run,
    write_csv_run,
    write_jsonl_run,
    write_parquet_run,
)
from doxeval.runs.run import Kind, Run
from doxeval.runs.text import read_text_run, text_losses, write_text_run

RunFormat = Literal["text", "inex", "jsonl", "csv", "parquet"]

READERS: dict[RunFormat, Callable[[IO[bytes], str], Run]] = {
    "text": read_text_run,
    "inex": read_xml_run,
    "jsonl": read_jsonl_run,
    "csv": read_csv_run,
    "parquet": read_parquet_run,
}
WRITERS: dict[RunFormat, Callable[[Run], Iterator[bytes]]] = {
    "text": write_text_run,
    "inex": write_xml_run,
    "jsonl": write_jsonl_run,
    "csv": write_csv_run,
    "parquet": write_parquet_run,
}
_SUFFIXES: dict[str, RunFormat] = {
    ".xml": "inex",
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".csv": "csv",
    ".parquet": "parquet",
}


def read_run(
    path: str | os.PathLike[str], format: RunFormat | None = None, *, ends: bool = False
) -> Run:
    """Read a run; the format goes by the file's name if none is given, else it is text.

    `ends` says that the last column of a text run is an end, not a length.

    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "mine.run"
    >>> _ = path.write_text("1 Q0 a 1 0.5 mine\\n")
    >>> len(read_run(path))
    1
    """
    name = os.fspath(path)
    suffix = os.path.splitext(uncompressed_name(name))[1].lower()
    found = format or _SUFFIXES.get(suffix, "text")
    if ends and found != "text":
        raise FormatError("only text runs have a last column to be read as an end", name)
    with opened(path) as file:
        if found == "text":
            return read_text_run(file, name, ends=ends)
        return READERS[found](file, name)


def write_run(run: Run, path: str | os.PathLike[str], format: RunFormat | None = None) -> None:
    """Write a run; the format goes by the file's name if none is given, else it is text.

    What the format cannot hold is an error, and then nothing is written. The file is complete
    or not there.

    >>> import pathlib, tempfile
    >>> from doxeval.runs.builder import run_of
    >>> from doxeval.runs.run import Result
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "mine.jsonl"
    >>> write_run(run_of([Result("1", "a")], "mine"), path)
    >>> path.read_text()
    '{"topic": "1", "doc": "a", "run": "mine"}\\n'
    """
    name = os.fspath(path)
    found = format or _SUFFIXES.get(os.path.splitext(name)[1].lower(), "text")
    lost = losses(run, found)
    if lost:
        raise OutputError(f"{name}: the format {found} cannot hold {'; '.join(lost)}")
    with written(path) as file:
        file.writelines(WRITERS[found](run))


def losses(run: Run, format: RunFormat) -> list[str]:
    """What of a run a format cannot hold.

    >>> from doxeval.runs.builder import run_of
    >>> from doxeval.runs.run import Kind, Result
    >>> losses(run_of([Result("1", "a", Kind.POINT, 7)]), "inex")
    ['entry points']
    """
    if format == "text":
        return text_losses(run)
    if format == "inex":
        kinds = set(run.kind.tolist())
        names = {Kind.POINT: "entry points", Kind.TREE: "trees"}
        return [name for kind, name in names.items() if kind in kinds]
    return []
