"""Files of runs: which reader, which writer."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from importlib import import_module
from typing import IO, TYPE_CHECKING, Any, Literal, NamedTuple, get_args

from doxeval.columns import Frame, is_frame
from doxeval.errors import FormatError, InputError, OutputError, warn
from doxeval.files import is_compressed, open_input, open_output, uncompressed_name
from doxeval.messages import Parameter, quoted
from doxeval.named import checked
from doxeval.runs.run import Block, Kind, LooksLikeAssessments, Run, blocks_of

if TYPE_CHECKING:
    from doxeval.runs.chunks import ChunkTable

RunFormat = Literal["text", "inex", "jsonl", "csv", "parquet"]
# A file, a run, a run as a dict {topic: {document: score}} or {topic: [results]}, or a data frame.
RunGiven = str | os.PathLike[str] | Run | Mapping[str, Any] | Frame
FORMATS: tuple[RunFormat, ...] = get_args(RunFormat)
_OF_RECORDS = ("jsonl", "csv", "parquet")
_SUFFIXES: dict[str, RunFormat] = {
    **dict.fromkeys((".run", ".txt", ".text", ".trec"), "text"),
    ".xml": "inex",
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".csv": "csv",
    ".parquet": "parquet",
}


class _Home(NamedTuple):
    """Where the reader and the writer of a format are; they are loaded when they are needed."""

    reader: str
    writer: str


_HOMES: dict[RunFormat, _Home] = {
    "text": _Home("text.read_text_run", "text.write_text_run"),
    "inex": _Home("inex_xml.read_xml_run", "inex_xml.write_xml_run"),
    "jsonl": _Home("records.read_jsonl_run", "records.write_jsonl_run"),
    "csv": _Home("records.read_csv_run", "records.write_csv_run"),
    "parquet": _Home("records.read_parquet_run", "records.write_parquet_run"),
}

# What reads a format block by block; what cannot be read so is cut into blocks afterwards.
_BLOCKS: dict[RunFormat, str] = {
    "text": "text.text_blocks",
    "jsonl": "records.jsonl_run_blocks",
    "csv": "records.csv_run_blocks",
    "parquet": "records.parquet_run_blocks",
}


def _call(home: str, *arguments: Any, **options: Any) -> Any:
    module, _, name = home.partition(".")
    return getattr(import_module(f"doxeval.runs.{module}"), name)(*arguments, **options)


READERS: dict[RunFormat, Callable[[IO[bytes], str], Run]] = {
    name: partial(_call, home.reader) for name, home in _HOMES.items()
}
WRITERS: dict[RunFormat, Callable[[Run], Iterator[bytes]]] = {
    name: partial(_call, home.writer) for name, home in _HOMES.items()
}


def format_of(path: str | os.PathLike[str]) -> RunFormat | None:
    """The format that a file's name says; None if it says nothing.

    >>> format_of("mine.jsonl.gz"), format_of("mine.run"), format_of("mine")
    ('jsonl', 'text', None)
    """
    suffix = os.path.splitext(uncompressed_name(os.fspath(path)))[1].lower()
    return _SUFFIXES.get(suffix)


@checked
def read_run(
    path: str | os.PathLike[str],
    format: RunFormat | None = None,
    *,
    ends: bool = False,
    chunks: ChunkTable | str | os.PathLike[str] | None = None,
) -> Run:
    """Read a run; the format goes by the file's name if none is given, else it is text.

    `ends` says that the last column of a text run is an end, not a length. `chunks` are those
    that JSONL, CSV and Parquet may name by their ids: a table of chunks, or its file.

    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "mine.run"
    >>> _ = path.write_text("1 Q0 a 1 0.5 mine\\n")
    >>> read_run(path)
    Run('mine': 1 result for 1 topic, documents)
    """
    found = _checked(format) or format_of(path) or "text"
    options = _options(path, found, ends, chunks)
    with open_input(path) as file:
        run: Run = _call(_HOMES[found].reader, file, os.fspath(path), **options)
    warn(run.warnings)
    return run


def is_one_run(given: Any) -> bool:
    """Whether this is a single run, not several; a dict of dicts of scores, or of lists, is one.

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
    raise no_run(given)


def no_run(given: object) -> InputError:
    """Return the error about something that is not a run.

    >>> str(no_run(7))
    '7 is no run: expected a file, a Run, a dict or a data frame'
    """
    if type(given).__name__ in ("Assessments", "Judgment"):  # of a room that is not seen here
        return LooksLikeAssessments(
            f"{quoted(given)} was given as a run: runs come first, and assessments are given as "
            + Parameter("assessments")
        )
    return InputError(f"{quoted(given)} is no run: expected a file, a Run, a dict or a data frame")


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
    found = format_of(path) or "text"
    options = _options(path, found, ends, chunks)
    with open_input(path) as file:
        if found in _BLOCKS:
            yield from _call(_BLOCKS[found], file, os.fspath(path), **options, rows=rows)
            return
        run: Run = _call(_HOMES[found].reader, file, os.fspath(path), **options)
    yield from blocks_of(run, rows)


def _options(
    path: str | os.PathLike[str],
    format: RunFormat,
    ends: bool,
    chunks: ChunkTable | str | os.PathLike[str] | None,
) -> dict[str, Any]:
    """What a reader has to be told."""
    if ends and format != "text":
        reason = "only text runs have a last column to be read as an end"
        raise FormatError(reason, os.fspath(path))
    options: dict[str, Any] = {"ends": True} if ends else {}
    if chunks is not None and format in _OF_RECORDS:
        options["chunks"] = chunk_table_of(chunks)
    return options


def chunk_table_of(given: ChunkTable | str | os.PathLike[str]) -> ChunkTable:
    """A table of chunks, which is read if it is a file.

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
    name = os.fspath(path)
    found = _checked(format) or format_of(path) or "text"
    if is_compressed(name):
        plain = uncompressed_name(name)
        raise OutputError(f"{name}: runs are not written compressed; write {plain} and compress it")
    lost = losses(run, found)
    if lost:
        raise OutputError(f"{name}: the format {found} cannot hold {'; '.join(lost)}")
    with open_output(path) as file:
        file.writelines(WRITERS[found](run))


def _checked(format: RunFormat | None) -> RunFormat | None:
    if format is not None and format not in FORMATS:
        raise FormatError(f"no format {quoted(format)} of runs; there are {', '.join(FORMATS)}")
    return format


def losses(run: Run, format: RunFormat) -> list[str]:
    """What of a run a format cannot hold.

    >>> losses(Run.from_arrays(["1"], ["a"], offset=[7]), "inex")
    ['entry points']
    """
    if format == "text":
        from doxeval.runs.text import text_losses

        return text_losses(run)
    if format == "inex":
        kinds = set(run.kind.tolist())
        names = {
            Kind.POINT: "entry points",
            Kind.TREE: "trees",
            Kind.SPANS: "results with several ranges",
        }
        lost = [name for kind, name in names.items() if kind in kinds]
        return lost if run.tokens is None else [*lost, "numbers of tokens"]
    return []


def facts_left_out(run: Run, format: RunFormat) -> list[str]:
    """What the file said about the run as a whole and a format does not hold.

    >>> from dataclasses import replace
    >>> facts_left_out(replace(Run.from_dict({"1": ["a"]}), facts={"task": "Focused"}), "text")
    ['task']
    """
    from doxeval.runs.inex_xml import WRITTEN_FACTS

    held = WRITTEN_FACTS if format == "inex" else ()
    return [name for name in run.facts if name not in held]
