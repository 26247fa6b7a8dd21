"""Files of runs: which format it is, and runs as callers give them.

A name that ends in `.xml`, `.jsonl`, `.ndjson`, `.csv` or `.parquet` says which format the file is
in. With any other name, `.run`, `.txt`, `.tsv` and `.json` included, it is recognised by how it
begins, behind a comment if it has one, by the first of these that fits:

    PAR1                                             Parquet
    <inex-submission (and what XML has before it)    INEX XML
    {"7": {                                          JSON of ranx: an object of objects
    {                                                JSONL
    topic,doc,…                                      CSV: names of fields, with commas between them
    three fields, the last of them a whole number    MS MARCO
    topic doc rank offset length …                   TREC Genomics, where others have `Q0`
    anything else                                    text

Whether JSON of ranx has scores or grades is not looked at: it is a run where a run is expected, and
assessments where these are. To write a run, the name decides: `.tsv` is MS MARCO, `.json` is ranx.
"""

from __future__ import annotations

import io
import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import IO, TYPE_CHECKING, Any, BinaryIO, Literal, cast

from doxeval.columns import Frame, are_named_tuples, begins_nested, is_frame
from doxeval.errors import FormatError, InputError, OutputError, warn
from doxeval.files import (
    BYTE_ORDER_MARK,
    FileFormat,
    FormatFunctions,
    choose_format,
    is_compressed,
    open_input,
    open_output,
    outputs_together,
    uncompressed_name,
)
from doxeval.messages import Parameter, quoted
from doxeval.named import checked
from doxeval.runs.columns import Result
from doxeval.runs.metadata import (
    complete_metadata,
    is_metadata_file,
    metadata_comment,
    metadata_of_file,
    metadata_path,
    write_metadata,
)
from doxeval.runs.run import (
    METADATA,
    Block,
    LooksLikeAssessments,
    ReadOptions,
    Run,
    run_of_block,
)

if TYPE_CHECKING:
    from doxeval.runs.chunks import ChunkTable

RunFormat = Literal["text", "inex", "jsonl", "csv", "parquet", "msmarco", "ranx", "genomics"]
MetadataPlace = Literal["beside", "inside"]
# A file, a run, a run as a dict {topic: {document: score}} or {topic: [results]}, a data frame, or
# named tuples such as ScoredDoc of ir_measures.
RunGiven = str | os.PathLike[str] | Run | Mapping[str, Any] | Frame | Iterable[tuple[Any, ...]]

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


def _msmarco() -> _Functions:
    from doxeval.runs.msmarco import msmarco_blocks, msmarco_losses, write_msmarco_run

    return FormatFunctions(msmarco_blocks, write_msmarco_run, msmarco_losses)


def _ranx() -> _Functions:
    from doxeval.runs.ranx import ranx_blocks, ranx_losses, write_ranx_run

    return FormatFunctions(ranx_blocks, write_ranx_run, ranx_losses)


def _genomics() -> _Functions:
    from doxeval.runs.genomics import genomics_blocks, genomics_losses, write_genomics_run

    return FormatFunctions(genomics_blocks, write_genomics_run, genomics_losses)


def _is_genomics(begin: bytes) -> bool:
    from doxeval.runs.genomics import looks_like_genomics

    return looks_like_genomics(begin)


def _begins_inex(begin: bytes) -> bool:
    plain = begin.replace(b"\0", b"").removeprefix(b"\xff\xfe").removeprefix(b"\xfe\xff")  # UTF-16
    return plain.startswith(b"<") and b"<inex-submission" in plain


def _begins_csv(begin: bytes) -> bool:
    names = begin.split(b"\n", 1)[0].strip().split(b",")
    return b"topic" in names and (b"doc" in names or b"chunk" in names)


def _begins_msmarco(begin: bytes) -> bool:
    fields = begin.split(b"\n", 1)[0].split()
    return len(fields) == 3 and fields[2].isdigit()


# Each reads a file in blocks of whole topics, given how (ReadOptions). What fits nothing is text.
FORMATS: dict[RunFormat, FileFormat[Iterator[Block], Run]] = {
    "text": FileFormat("text", (".run", ".txt", ".text", ".trec"), _text),
    "inex": FileFormat(
        "inex",
        (".xml",),
        _inex,
        _begins_inex,
    ),
    "jsonl": FileFormat(
        "jsonl",
        (".jsonl", ".ndjson"),
        _jsonl,
        lambda begin: begin.startswith(b"{") and not begins_nested(begin),
    ),
    "csv": FileFormat("csv", (".csv",), _csv, _begins_csv),
    "parquet": FileFormat(
        "parquet", (".parquet",), _parquet, lambda begin: begin.startswith(b"PAR1")
    ),
    "msmarco": FileFormat("msmarco", (".tsv",), _msmarco, _begins_msmarco),
    "ranx": FileFormat("ranx", (".json",), _ranx, begins_nested),
    "genomics": FileFormat("genomics", (), _genomics, _is_genomics),
}
# Names that many formats have, so that only the file itself says which it is.
_COMMON_NAMES = ("text", "msmarco", "ranx")


def format_of(path: str | os.PathLike[str]) -> RunFormat | None:
    """Return the format that a file of this name is written in; None if the name says nothing.

    >>> format_of("mine.jsonl.gz"), format_of("mine.run"), format_of("mine")
    ('jsonl', 'text', None)
    """
    chosen = choose_format(FORMATS, path=os.fspath(path))
    return None if chosen is None else cast(RunFormat, chosen.name)


def format_of_file(path: str | os.PathLike[str]) -> RunFormat:
    """Return the format that a file is read in, by its name or by how it begins.

    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "run.txt"
    >>> _ = path.write_text("7\\ta\\t1\\n")
    >>> format_of_file(path)
    'msmarco'
    """
    with open_input(path) as file:
        return cast(RunFormat, _recognise(path, file).name)


def _recognise(
    path: str | os.PathLike[str], file: BinaryIO, given: RunFormat | None = None
) -> FileFormat[Iterator[Block], Run]:
    """Return the format of an open file: that given, or by its name, or by how it begins."""
    if is_metadata_file(path):
        raise FormatError("these are metadata of a run, not a run", os.fspath(path))
    chosen = _choose(path, given)
    if given is not None or (chosen is not None and chosen.name not in _COMMON_NAMES):
        return chosen or FORMATS["text"]
    begin = cast(io.BufferedReader, file).peek().removeprefix(BYTE_ORDER_MARK).lstrip()
    if begin.startswith(b"#"):
        from doxeval.runs.text import comment_of

        begin = begin[len(comment_of(begin)) :]
    return choose_format(FORMATS, begin=begin) or FORMATS["text"]


def _choose(
    path: str | os.PathLike[str], given: RunFormat | None
) -> FileFormat[Iterator[Block], Run] | None:
    chosen = choose_format(FORMATS, given, path=os.fspath(path))
    if chosen is None and given is not None:
        raise FormatError(f"no format {quoted(given)} of runs; there are {', '.join(FORMATS)}")
    return chosen


def losses(run: Run, format: RunFormat) -> list[str]:
    """Return what of a run a format cannot hold.

    >>> losses(Run.from_arrays(["1"], ["a"], offset=[7]), "inex")
    ['entry points']
    """
    return FORMATS[format].losses(run)


def lost_facts(run: Run, format: RunFormat) -> list[str]:
    """Return what a format leaves out of a run: facts about it as a whole, scores, ranks.

    >>> from dataclasses import replace
    >>> lost_facts(replace(Run.from_dict({"1": ["a"]}), facts={"task": "Focused"}), "text")
    ['task']
    """
    facts = [name for name in run.facts if name != METADATA]  # which go beside
    if format == "msmarco":
        return [*facts, *([] if run.score is None else ["scores"]), "the run's id"]
    if format == "ranx":
        return [*facts, *([] if run.rank is None else ["ranks"]), "the run's id"]
    if format == "genomics":
        lost = [name for name in facts if name != "task"]
        return lost if run.score is None else [*lost, "scores"]
    if format != "inex":
        return facts
    from doxeval.runs.inex_xml import WRITTEN_FACTS

    return [name for name in facts if name not in WRITTEN_FACTS]


# Reading and writing


@checked
def read_run(
    path: str | os.PathLike[str],
    format: RunFormat | None = None,
    *,
    ends: bool = False,
    chunks: ChunkTable | str | os.PathLike[str] | None = None,
) -> Run:
    """Read a run; if no format is given, the file's name or how it begins says which it is.

    `ends` says that the last column of a text run is an end, not a length. `chunks` are those
    that JSONL, CSV and Parquet may name by their ids: a table of chunks, or its file.

    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "mine.run"
    >>> _ = path.write_text("1 Q0 a 1 0.5 mine\\n")
    >>> read_run(path)
    Run('mine': 1 result for 1 topic, documents)
    """
    with open_input(path) as file:
        chosen = _recognise(path, file, format)
        options = _read_options(path, chosen.name, ends, chunks)
        run = run_of_block(next(chosen.read(file, os.fspath(path), options)))
    if METADATA not in run.facts:
        found = metadata_of_file(path)
        known = {} if found.metadata is None else {METADATA: found.metadata}
        warnings = (*run.warnings, *found.warnings)
        run = replace(run, facts={**run.facts, **known}, warnings=warnings)
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
        chosen = _recognise(path, file)
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
    if chunks is None or format not in ("jsonl", "csv", "parquet"):  # which can name chunks
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
def write_run(
    run: Run,
    path: str | os.PathLike[str],
    format: RunFormat | None = None,
    *,
    metadata: MetadataPlace | None = None,
    platform: bool = False,
) -> None:
    """Write a run; the format goes by the file's name if none is given, else it is text.

    What the format cannot hold is an error, and then nothing is written. The file is complete
    or not there.

    metadata: where what is known of the run goes (`run.facts["ir_metadata"]`): "beside" it, in a
    file `RUN.yaml`, or "inside", into comments at the beginning of a text run, which trec_eval
    rejects. platform: with the computer and the versions of libraries.

    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "mine.jsonl"
    >>> write_run(Run.from_dict({"1": ["a"]}, "mine"), path)
    >>> path.read_text()
    '{"topic": "1", "doc": "a", "rank": 1, "run": "mine"}\\n'
    """
    file_name = os.fspath(path)
    chosen = _choose(path, format) or FORMATS["text"]
    if is_compressed(file_name):
        plain = uncompressed_name(file_name)
        raise OutputError(
            f"{file_name}: runs are not written compressed; write {plain} and compress it"
        )
    if lost := chosen.losses(run):
        raise OutputError(f"{file_name}: the format {chosen.name} cannot hold {'; '.join(lost)}")
    known = run.facts.get(METADATA) if metadata is not None and _is_file(path) else None
    complete = None if known is None else complete_metadata(known, run.run_id, platform)
    if metadata == "inside" and chosen.name != "text":
        raise OutputError(f"{file_name}: metadata go inside text runs only, not {chosen.name}")
    with outputs_together():
        with open_output(path) as file:
            if complete is not None and metadata == "inside":
                file.write(metadata_comment(complete))
            file.writelines(chosen.write(run))
        if complete is not None and metadata == "beside":
            write_metadata(complete, metadata_path(path))


def _is_file(path: str | os.PathLike[str]) -> bool:
    """Whether a file is written, not a device or a pipe, beside which there is nothing."""
    return os.path.isfile(path) or not os.path.exists(path)


# Runs as callers give them


def is_one_run(given: Any) -> bool:
    """Return whether this is a single run; a dict of dicts of scores, or of lists, is one.

    So is a list of named tuples such as ScoredDoc of ir_measures.

    >>> is_one_run({"7": {"a": 0.5}}), is_one_run({"mine": {"7": {"a": 0.5}}})
    (True, False)
    """
    if isinstance(given, str | os.PathLike | Run) or is_frame(given) or _has_scored(given):
        return True
    if not isinstance(given, Mapping) or not given:
        return False
    first = next(iter(given.values()))
    if isinstance(first, Mapping):
        return not any(isinstance(inner, Mapping | list | tuple) for inner in first.values())
    return isinstance(first, list | tuple) and not _has_scored(first)


def _has_scored(given: Any) -> bool:
    """Return whether these are scored documents, such as ScoredDoc, and not results of ours."""
    return are_named_tuples(given) and not isinstance(given[0], Result)


def listed_run(given: Any) -> Any:
    """Return a run with its named tuples in a list, if they come one by one.

    >>> listed_run(iter([("7", "a", 0.5)])), listed_run("my.run")
    ([('7', 'a', 0.5)], 'my.run')
    """
    return list(given) if isinstance(given, Iterator) else given


def as_run(
    given: RunGiven,
    *,
    ends: bool = False,
    chunks: ChunkTable | str | os.PathLike[str] | None = None,
) -> Run:
    """Return a run given as a value, a file, a dict, a data frame or named tuples.

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
    rows = listed_run(given)
    if _has_scored(rows):
        return Run.from_tuples(rows)
    raise not_a_run_error(given)


def not_a_run_error(given: object) -> InputError:
    """Return the error about something that is not a run.

    >>> str(not_a_run_error(7))
    '7 is no run: expected a file, a Run, a dict, a data frame or named tuples'
    """
    if type(given).__name__ in ("Assessments", "Judgment"):  # of a room that is not seen here
        return LooksLikeAssessments(
            f"{quoted(given)} was given as a run: runs come first, and assessments are given as "
            + Parameter("assessments")
        )
    expected = "expected a file, a Run, a dict, a data frame or named tuples"
    return InputError(f"{quoted(given)} is no run: {expected}")
