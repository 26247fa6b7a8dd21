"""Files of runs: which format, and what reads and writes it; runs as callers give them."""

from __future__ import annotations

import io
import os
from collections.abc import Iterator, Mapping
from typing import IO, TYPE_CHECKING, Any, Literal, cast

from doxeval.columns import Frame, is_frame
from doxeval.errors import FormatError, InputError, OutputError, warn
from doxeval.files import (
    FileFormat,
    FormatFunctions,
    choose_format,
    is_compressed,
    open_input,
    open_output,
    uncompressed_name,
)
from doxeval.messages import Parameter, quoted
from doxeval.named import checked
from doxeval.runs.run import Block, LooksLikeAssessments, ReadOptions, Run, run_of_block

if TYPE_CHECKING:
    from doxeval.runs.chunks import ChunkTable

_HEAD = 1 << 14  # bytes by which a format is recognised
RunFormat = Literal["text", "inex", "jsonl", "csv", "parquet", "genomics"]
# A file, a run, a run as a dict {topic: {document: score}} or {topic: [results]}, or a data frame.
RunGiven = str | os.PathLike[str] | Run | Mapping[str, Any] | Frame

# Formats


_Functions = FormatFunctions[Iterator[Block], Run]


def _text() -> _Functions:
    from doxeval.runs.text import text_blocks, text_losses, write_text_run

    return FormatFunctions(text_blocks, write_text_run, text_losses)


def _inex() -> _Functions:
    from doxeval.runs.inex_xml import write_xml_run, xml_blocks, xml_losses

    return FormatFunctions(xml_blocks, write_xml_run, xml_losses)


def _jsonl() -> _Functions:
    from doxeval.runs.jsonl import jsonl_blocks, write_jsonl_run

    return FormatFunctions(jsonl_blocks, write_jsonl_run)


def _csv() -> _Functions:
    from doxeval.runs.csv_format import csv_blocks, write_csv_run

    return FormatFunctions(csv_blocks, write_csv_run)


def _parquet() -> _Functions:
    from doxeval.runs.parquet import parquet_blocks, write_parquet_run

    return FormatFunctions(parquet_blocks, write_parquet_run)


def _genomics() -> _Functions:
    from doxeval.runs.genomics import genomics_blocks, genomics_losses, write_genomics_run

    return FormatFunctions(genomics_blocks, write_genomics_run, genomics_losses)


def _is_genomics(begin: bytes) -> bool:
    from doxeval.runs.genomics import looks_like_genomics

    return looks_like_genomics(begin)


# Each reads a file in blocks of whole topics, given how (ReadOptions).
FORMATS: dict[RunFormat, FileFormat[Iterator[Block], Run]] = {
    "text": FileFormat("text", (".run", ".txt", ".text", ".trec"), _text),
    "inex": FileFormat("inex", (".xml",), _inex),
    "jsonl": FileFormat("jsonl", (".jsonl", ".ndjson"), _jsonl),
    "csv": FileFormat("csv", (".csv",), _csv),
    "parquet": FileFormat("parquet", (".parquet",), _parquet),
    "genomics": FileFormat("genomics", (), _genomics, _is_genomics),  # TREC Genomics 2006–07
}


def format_of(path: str | os.PathLike[str]) -> RunFormat | None:
    """Return the format that a file's name says; None if it says nothing.

    >>> format_of("mine.jsonl.gz"), format_of("mine.run"), format_of("mine")
    ('jsonl', 'text', None)
    """
    chosen = choose_format(FORMATS, path=os.fspath(path))
    return None if chosen is None else cast(RunFormat, chosen.name)


def _choose(
    path: str | os.PathLike[str], given: RunFormat | None
) -> FileFormat[Iterator[Block], Run]:
    chosen = choose_format(FORMATS, given, path=os.fspath(path))
    if chosen is None and given is not None:
        raise FormatError(f"no format {quoted(given)} of runs; there are {', '.join(FORMATS)}")
    return chosen or FORMATS["text"]


def recognise(file: IO[bytes], path: str | os.PathLike[str]) -> RunFormat:
    """Return the format of an open file: what its name says, unless a text run has another shape.

    >>> import io
    >>> recognise(io.BufferedReader(io.BytesIO(b"7 a 1 0 9 mine\\n")), "mine.run")
    'genomics'
    """
    by_name = format_of(path) or "text"
    if by_name != "text" or not isinstance(file, io.BufferedReader):
        return by_name
    return "genomics" if FORMATS["genomics"].sniff(file.peek(_HEAD)[:_HEAD]) else "text"


def losses(run: Run, format: RunFormat) -> list[str]:
    """Return what of a run a format cannot hold.

    >>> losses(Run.from_arrays(["1"], ["a"], offset=[7]), "inex")
    ['entry points']
    """
    return FORMATS[format].losses(run)


def lost_facts(run: Run, format: RunFormat) -> list[str]:
    """Return what the file said about the run as a whole and a format does not hold.

    Scores are part of it where a format has only ranks.

    >>> from dataclasses import replace
    >>> lost_facts(replace(Run.from_dict({"1": ["a"]}), facts={"task": "Focused"}), "text")
    ['task']
    """
    if format == "genomics":
        lost = [name for name in run.facts if name != "task"]
        return lost if run.score is None else [*lost, "scores"]
    if format != "inex":
        return list(run.facts)
    from doxeval.runs.inex_xml import WRITTEN_FACTS

    return [name for name in run.facts if name not in WRITTEN_FACTS]


# Reading and writing


@checked
def read_run(
    path: str | os.PathLike[str],
    format: RunFormat | None = None,
    *,
    ends: bool = False,
    chunks: ChunkTable | str | os.PathLike[str] | None = None,
) -> Run:
    """Read a run; the format goes by the file's name if none is given, else it is text.

    Text that is a run of TREC Genomics is recognised by its lines.
    `ends` says that the last column of a text run is an end, not a length. `chunks` are those
    that JSONL, CSV and Parquet may name by their ids: a table of chunks, or its file.

    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "mine.run"
    >>> _ = path.write_text("1 Q0 a 1 0.5 mine\\n")
    >>> read_run(path)
    Run('mine': 1 result for 1 topic, documents)
    """
    with open_input(path) as file:
        chosen = _choose(path, format or recognise(file, path))
        options = _read_options(path, chosen.name, ends, chunks)
        run = run_of_block(next(chosen.read(file, os.fspath(path), options)))
    warn(run.warnings)
    return run


def read_open_run(
    file: IO[bytes],
    origin: str,
    format: RunFormat,
    *,
    ends: bool = False,
    chunks: ChunkTable | None = None,
) -> Run:
    """Read a run from an open file; its name is for messages.

    >>> import io
    >>> read_open_run(io.BytesIO(b"1 Q0 a 1 0.5 mine\\n"), "mine.run", "text")
    Run('mine': 1 result for 1 topic, documents)
    """
    return run_of_block(next(FORMATS[format].read(file, origin, ReadOptions(ends, chunks))))


def run_blocks(
    path: str | os.PathLike[str],
    rows: int,
    *,
    ends: bool = False,
    chunks: ChunkTable | str | os.PathLike[str] | None = None,
) -> Iterator[Block]:
    """Read a run in blocks of whole topics, of about so many rows.

    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "mine.csv"
    >>> _ = path.write_text("topic,doc\\n1,a\\n1,b\\n2,a\\n")
    >>> [list(block.run.topics) for block in run_blocks(path, 1)]
    [['1'], ['2']]
    """
    with open_input(path) as file:
        chosen = FORMATS[recognise(file, path)]
        options = _read_options(path, chosen.name, ends, chunks)._replace(rows=rows)
        yield from chosen.read(file, os.fspath(path), options)


def _read_options(
    path: str | os.PathLike[str],
    format: str,
    ends: bool,
    chunks: ChunkTable | str | os.PathLike[str] | None,
) -> ReadOptions:
    if ends and format != "text":
        reason = "only text runs have a last column to be read as an end"
        raise FormatError(reason, os.fspath(path))
    if chunks is None or format in ("text", "inex", "genomics"):  # whose results cannot name chunks
        return ReadOptions(ends)
    return ReadOptions(ends, chunk_table_of(chunks))


def chunk_table_of(given: ChunkTable | str | os.PathLike[str]) -> ChunkTable:
    """Return a table of chunks, which is read if it is a file.

    >>> from doxeval.runs.chunks import ChunkTable
    >>> chunk_table_of(ChunkTable.of(["1"], ["a"], [[(0, 5)]]))
    ChunkTable(1 chunk of 1 document)
    """
    if not isinstance(given, str | os.PathLike):
        return given
    from doxeval.runs.chunks import read_chunks

    return read_chunks(given)


@checked
def write_run(run: Run, path: str | os.PathLike[str], format: RunFormat | None = None) -> None:
    """Write a run; the format goes by the file's name if none is given, else it is text.

    What the format cannot hold is an error, and then nothing is written. The file is complete
    or not there.

    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "mine.jsonl"
    >>> write_run(Run.from_dict({"1": ["a"]}, "mine"), path)
    >>> path.read_text()
    '{"topic": "1", "doc": "a", "rank": 1, "run": "mine"}\\n'
    """
    file_name = os.fspath(path)
    chosen = _choose(path, format)
    if is_compressed(file_name):
        plain = uncompressed_name(file_name)
        raise OutputError(
            f"{file_name}: runs are not written compressed; write {plain} and compress it"
        )
    if lost := chosen.losses(run):
        raise OutputError(f"{file_name}: the format {chosen.name} cannot hold {'; '.join(lost)}")
    with open_output(path) as file:
        file.writelines(chosen.write(run))


# Runs as callers give them


def is_one_run(given: Any) -> bool:
    """Return whether this is a single run; a dict of dicts of scores, or of lists, is one.

    >>> is_one_run({"7": {"a": 0.5}}), is_one_run({"mine": {"7": {"a": 0.5}}})
    (True, False)
    """
    if isinstance(given, str | os.PathLike | Run) or is_frame(given):
        return True
    if not isinstance(given, Mapping) or not given:
        return False
    first = next(iter(given.values()))
    if isinstance(first, Mapping):
        return not any(isinstance(inner, Mapping | list | tuple) for inner in first.values())
    return isinstance(first, list | tuple)


def as_run(
    given: RunGiven,
    *,
    ends: bool = False,
    chunks: ChunkTable | str | os.PathLike[str] | None = None,
) -> Run:
    """Return a run given as a value, a file, a dict or a data frame.

    >>> as_run({"7": ["a", "b"]})
    Run('run': 2 results for 1 topic, documents)
    """
    if isinstance(given, Run):
        return given
    if isinstance(given, Mapping):
        return Run.from_dict(given)
    if is_frame(given):
        return Run.from_frame(given, chunks=None if chunks is None else chunk_table_of(chunks))
    if isinstance(given, str | os.PathLike):
        return read_run(given, ends=ends, chunks=chunks)
    raise not_a_run_error(given)


def not_a_run_error(given: object) -> InputError:
    """Return the error about something that is not a run.

    >>> str(not_a_run_error(7))
    '7 is no run: expected a file, a Run, a dict or a data frame'
    """
    if type(given).__name__ in ("Assessments", "Judgment"):  # of a room that is not seen here
        return LooksLikeAssessments(
            f"{quoted(given)} was given as a run: runs come first, and assessments are given as "
            + Parameter("assessments")
        )
    return InputError(f"{quoted(given)} is no run: expected a file, a Run, a dict or a data frame")
