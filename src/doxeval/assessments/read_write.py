"""Files of assessments: which reader, which writer, and many files at once.

The format is recognised by how a file begins: XML, JSON, or lines of four fields (TREC's qrels)
or more (INEX 2008–10). A directory stands for all files below it, an archive for its members.

The formats of assessments, and what each cannot hold.
"""

from __future__ import annotations

import io
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import chain
from pathlib import Path
from typing import IO, Any, Literal

from doxeval.assessments.assessments import Assessments
from doxeval.assessments.columns import PlainJudgments, joined
from doxeval.assessments.jsonl import looks_like_a_run
from doxeval.assessments.judgment import Judgment, Judgments
from doxeval.assessments.merge import Merge, merged_judgments
from doxeval.assessments.resolution import resolved_judgments
from doxeval.columns import Frame, is_frame
from doxeval.documents import Collection, Offsets, Whitespace, is_archive, members
from doxeval.errors import FormatError, OutputError, SourceError, warn
from doxeval.files import BYTE_ORDER_MARK, open_input, open_output, output_directory
from doxeval.messages import Parameter, join_names, quoted
from doxeval.named import checked
from doxeval.output import flush_to_disk

AssessmentFormat = Literal["grades", "highlights", "qrels", "trec", "judgments"]

FORMATS: dict[AssessmentFormat, str] = {
    "grades": "the XML of INEX 2002–04, grades of elements",
    "highlights": "the XML of INEX 2005–07, passages between text points",
    "qrels": "the text of INEX 2008–10, passages by offsets",
    "trec": "TREC's qrels, a grade for each document",
    "judgments": "JSONL, everything",
}
_WHAT = {
    "highlights": "highlighted passages",
    "best_entry_point": "best entry points",
    "document_length": "lengths of documents",
    "relevance": "grades of whole documents",
    "passages": "passages between text points",
    "entry_point": "entry points as text points",
    "grades": "grades of elements",
    "elements": "sizes and exhaustivity of elements",
    "units": "assessed units",
    "needs": "needs and their grades",
    "assessor": "names of assessors",
    "marks": "marks of judgments",
    "pool": "ids of pools",
    "collection": "names of collections",
    "version": "versions",
    "whitespace": "how white space is treated",
}
_KEPT: dict[AssessmentFormat, set[str]] = {
    "grades": {"grades", "pool"},
    "highlights": {"passages", "entry_point", "elements", "pool", "collection", "version"}
    | {"whitespace"},
    "qrels": {"highlights", "best_entry_point", "document_length"},
    "trec": {"relevance"},
    "judgments": set(_WHAT),
}


def assessment_losses(judgments: Iterable[Judgment], format: AssessmentFormat) -> list[str]:
    """What of the judgments a format cannot hold.

    >>> assessment_losses([Judgment("7", "a", ((10, 15),), 12)], "trec")
    ['highlighted passages', 'best entry points']
    """
    judgments = list(judgments)
    return [
        what
        for name, what in _WHAT.items()
        if name not in _KEPT[format]
        and any(getattr(judgment, name) not in (None, ()) for judgment in judgments)
    ]


_HEAD = 1 << 16
# Judgments, their file or files, grades {topic: {document: grade}}, or a data frame.
AssessmentsGiven = (
    Assessments | str | os.PathLike[str] | Sequence[str] | Mapping[str, Mapping[str, Any]] | Frame
)


@checked
def read_assessments(
    *sources: str | os.PathLike[str],
    collection: Collection | None = None,
    pool: str | None = None,
    merge: Merge | None = None,
    offsets: Offsets = "characters",
    whitespace: Whitespace | None = None,
) -> Assessments:
    """Read the assessments of files, directories and archives.

    With a collection, text points become offsets and everything is checked against the texts.
    A document that is judged more than once for a topic is an error, unless `pool` chooses the
    judgments of one pool or `merge` makes one judgment of them. merge="majority" needs three
    judgments of a document, or two that agree.

    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "qrels.txt"
    >>> _ = path.write_text("7 Q0 a 5 100 10 10:5\\n")
    >>> [judgment.highlights for judgment in read_assessments(path)]
    [((10, 15),)]
    """
    read = [found for source in sources for found in _read(os.fspath(source))]
    judgments = _together([found.judgments for found in read])
    warnings = list(chain.from_iterable(found.warnings for found in read))
    if pool is not None:
        judgments = _of_pool(judgments, pool)
    if collection is not None:
        resolved = resolved_judgments(judgments, collection, offsets=offsets, whitespace=whitespace)
        judgments, warnings = resolved.judgments, warnings + resolved.warnings
    elif offsets == "bytes":
        raise FormatError("offsets in bytes can only be converted with the collection")
    elif whitespace is not None:
        raise FormatError(
            Parameter("whitespace") + " is for text points, which only a collection can resolve"
        )
    if merge is not None:
        judgments, ties = merged_judgments(judgments, merge)
        warnings = warnings + ties
    warn(warnings)
    return Assessments(judgments, warnings, None if collection is None else collection.seal)


def as_assessments(
    given: AssessmentsGiven,
    *,
    collection: Collection | None = None,
    offsets: Offsets = "characters",
    whitespace: Whitespace | None = None,
) -> Assessments:
    """Return assessments given as a value, a file, files, a dict of grades or a data frame.

    What is read is resolved in the collection, if there is one; values are left as they are.

    >>> as_assessments({"7": {"a": 1}})
    Assessments(1 topic, 1 judged document, 1 relevant)
    """
    if isinstance(given, Assessments):
        return given
    if isinstance(given, Mapping):
        return Assessments.from_dict(given)
    if is_frame(given):
        return Assessments.from_frame(given)
    several: list[Any] = list(given) if isinstance(given, list | tuple) else [given]
    if several and all(isinstance(one, str | os.PathLike) for one in several):
        return read_assessments(
            *several, collection=collection, offsets=offsets, whitespace=whitespace
        )
    if hasattr(given, "run_id"):
        raise FormatError(looks_like_a_run(f"a {type(given).__name__}"))
    raise FormatError(
        f"assessments is {quoted(given)}: "
        "expected a file, Assessments, a dict {topic: {document: "
        "grade}} or a data frame"
    )


def _together(several: Sequence[Sequence[Judgment]]) -> Sequence[Judgment]:
    """The judgments of several files, by columns if those of all files are."""
    plain = [one.columns for one in several if isinstance(one, PlainJudgments)]
    if plain and len(plain) == len(several):
        return PlainJudgments(joined(plain))
    return list(chain.from_iterable(several))


def _of_pool(judgments: Sequence[Judgment], pool: str) -> list[Judgment]:
    found = [judgment for judgment in judgments if judgment.pool == pool]
    if not found:
        pools = sorted({judgment.pool for judgment in judgments} - {None}, key=str)
        there = f"there are {join_names(list(map(str, pools)))}" if pools else "no file names one"
        raise FormatError(f"no judgments of pool {quoted(pool)}; {there}")
    return found


def _read(source: str) -> Iterator[Judgments]:
    """What a file says, or each file of a directory, or each member of an archive."""
    if os.path.isdir(source):
        files = sorted(path for path in Path(source).rglob("*") if path.is_file())
        seen = [path for path in files if not path.name.startswith(".")]
        if not seen:
            raise SourceError("no files in the directory", source)
        for path in seen:
            yield from _read(str(path))
    elif is_archive(source):
        for member in members(source):
            yield _read_file(member.decompressed(), member.origin)
    else:
        with open_input(source) as file:
            yield _read_file(file, source)


def _read_file(file: IO[bytes], origin: str) -> Judgments:
    reader = io.BufferedReader(file, _HEAD)  # type: ignore[type-var]  # decompressors are raw enough
    try:
        return _reader(_format_of(reader.peek(_HEAD), origin))(reader, origin)
    finally:
        reader.detach()


def _reader(format: AssessmentFormat) -> Callable[[IO[bytes], str], Judgments]:
    """The reader of a format, loaded when it is needed."""
    if format == "qrels":
        from doxeval.assessments.inex_text import read_inex_text as read
    elif format == "trec":
        from doxeval.assessments.trec import read_trec_qrels as read
    elif format == "judgments":
        from doxeval.assessments.jsonl import read_jsonl as read
    else:
        from doxeval.assessments.inex_xml import read_inex_xml as read
    return read


def _format_of(head: bytes, origin: str) -> AssessmentFormat:
    begin = head.removeprefix(BYTE_ORDER_MARK).lstrip()
    if begin.startswith((b"<", b"\xff\xfe", b"\xfe\xff")):
        return "highlights"
    if begin.startswith(b"{"):
        return "judgments"
    fields = len(begin.split(b"\n", 1)[0].split())
    if fields < 4:
        raise FormatError(
            "this is not a file of assessments: expected INEX XML, JSONL, or lines of text like "
            "`topic Q0 doc rsize docsize bep off:len …` or `topic 0 doc grade`",
            origin,
        )
    return "trec" if fields == 4 else "qrels"


@checked
def write_assessments(
    assessments: Iterable[Judgment], path: str | os.PathLike[str], format: AssessmentFormat
) -> None:
    """Write assessments; `assessment_losses` says what a format drops.

    The XML formats have one topic in a file: several topics make a directory with a file for
    each. The file or directory is complete or not there.

    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "qrels.txt"
    >>> write_assessments([Judgment("7", "a", ((10, 15),), 12, 100)], path, "qrels")
    >>> path.read_text()
    '7 Q0 a 5 100 12 10:5\\n'
    """
    if format not in FORMATS:
        raise OutputError(
            f"no format {quoted(format)} of assessments; there are {', '.join(FORMATS)}"
        )
    judgments = list(assessments)
    if format in ("qrels", "trec"):
        _check_ids(judgments)
    together = _writer_of_all(format)
    if together is not None:
        with open_output(path) as file:
            file.writelines(together(judgments))
        return
    groups: dict[tuple[str | None, ...], list[Judgment]] = {}
    for judgment in judgments:
        key = (judgment.topic, judgment.pool, judgment.version, judgment.whitespace)
        groups.setdefault(key, []).append(judgment)
    write = _writer_of_a_topic(format)
    if len(groups) == 1:
        with open_output(path) as file:
            file.writelines(write(judgments))
    else:
        _write_directory({_file_name(key): write(group) for key, group in groups.items()}, path)


def _writer_of_all(
    format: AssessmentFormat,
) -> Callable[[Iterable[Judgment]], Iterator[bytes]] | None:
    """The writer of a format with all topics in one file."""
    from doxeval.assessments.inex_text import write_inex_text
    from doxeval.assessments.jsonl import write_jsonl
    from doxeval.assessments.trec import write_trec_qrels

    writers = {"qrels": write_inex_text, "trec": write_trec_qrels, "judgments": write_jsonl}
    return writers.get(format)


def _writer_of_a_topic(
    format: AssessmentFormat,
) -> Callable[[Sequence[Judgment]], Iterator[bytes]]:
    """The writer of a format with one file for each topic."""
    from doxeval.assessments.inex_xml import write_inex_grades, write_inex_highlights

    return write_inex_grades if format == "grades" else write_inex_highlights


def _check_ids(judgments: Iterable[Judgment]) -> None:
    """Columns of text are separated by white space, so ids cannot hold any."""
    for judgment in judgments:
        for name in (judgment.topic, judgment.document):
            if len(name.split()) != 1:
                raise OutputError(
                    f"the id {quoted(name)} has white space, which the format cannot hold"
                )


def _file_name(key: tuple[str | None, ...]) -> str:
    """A name that no topic can turn into a path to somewhere else."""
    from urllib.parse import quote

    return "-".join(quote(part, safe="").replace(".", "%2E") for part in key if part) + ".xml"


def _write_directory(files: dict[str, Iterator[bytes]], path: str | os.PathLike[str]) -> None:
    if os.path.exists(path) and not (os.path.isdir(path) and not os.listdir(path)):
        raise OutputError(f"{os.fspath(path)} exists; expected a new or an empty directory")
    with output_directory(path) as directory:
        for name, lines in files.items():
            with (directory / name).open("wb") as file:
                file.writelines(lines)
                flush_to_disk(file)
