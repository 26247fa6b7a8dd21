"""Files of assessments: which reader, which writer, and many files at once.

The format is recognised by how a file begins, whatever its name is, by the first that fits:

    <                             XML of INEX 2002–07; its elements say which
    {"7": {                       JSON of ranx: an object of objects
    {                             JSONL
    query-id corpus-id score      BEIR's qrels
    five fields between tabs      gold passages of TREC Genomics, if no `Q0` is among them
    four fields                   TREC's and MS MARCO's qrels
    five fields or more           text of INEX 2008–10

A directory stands for all files below it, an archive for its members.
"""

from __future__ import annotations

import io
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import IO, Any, Literal

import numpy as np

from doxeval.assessments.aspects import (
    aspect_losses,
    looks_like_aspects,
    read_aspects,
    write_aspects,
)
from doxeval.assessments.assessments import Assessments
from doxeval.assessments.beir import begins_beir, read_beir_qrels, write_beir_qrels
from doxeval.assessments.columns import JudgmentColumns, Judgments, concatenate_judgments
from doxeval.assessments.inex_text import read_inex_text, write_inex_text
from doxeval.assessments.jsonl import looks_like_a_run, read_jsonl, write_jsonl
from doxeval.assessments.judgment import Judgment
from doxeval.assessments.merge import Merge, merge_judgments
from doxeval.assessments.resolution import resolve_assessments, resolve_judgments
from doxeval.assessments.trec import read_trec_qrels, write_msmarco_qrels, write_trec_qrels
from doxeval.columns import Frame, are_named_tuples, begins_nested, is_frame
from doxeval.datasets import (
    DatasetGrade,
    dataset_judgments,
    in_package,
    is_dataset,
    is_package,
    packaged_texts,
)
from doxeval.documents import Collection, Offsets, Whitespace
from doxeval.errors import FormatError, OutputError, SourceError, warn
from doxeval.files import (
    BYTE_ORDER_MARK,
    FileFormat,
    FormatFunctions,
    choose_format,
    is_archive,
    open_input,
    open_output,
    output_directory,
)
from doxeval.messages import Parameter, join_names, plural, quoted
from doxeval.named import checked
from doxeval.output import flush_to_disk

_HEAD = 1 << 16
# Judgments, their file or files, grades {topic: {document: grade}}, a data frame, or named tuples
# such as Qrel of ir_measures.
AssessmentsGiven = (
    Assessments
    | str
    | os.PathLike[str]
    | Sequence[str]
    | Mapping[str, Mapping[str, Any]]
    | Frame
    | Iterable[tuple[Any, ...]]
)
AssessmentFormat = Literal[
    "grades",
    "highlights",
    "aspects",
    "qrels",
    "trec",
    "judgments",
    "msmarco-qrels",
    "beir",
    "ranx-qrels",
]


# Formats

# What a judgment may have besides topic and document, as messages name it.
_FIELDS = {
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
    "subtopics": "subtopics and their grades",
    "assessor": "names of assessors",
    "marks": "marks of judgments",
    "pool": "ids of pools",
    "collection": "names of collections",
    "version": "versions",
    "whitespace": "how white space is treated",
}


# The fields of a judgment that each format can hold.
_HELD: dict[AssessmentFormat, set[str]] = {
    "grades": {"grades", "pool"},
    "highlights": {"passages", "entry_point", "elements", "pool", "collection", "version"}
    | {"whitespace"},
    "aspects": {"highlights", "needs"},
    "qrels": {"highlights", "best_entry_point", "document_length"},
    "trec": {"relevance", "subtopics"},
    "judgments": set(_FIELDS),
    "msmarco-qrels": {"relevance"},
    "beir": {"relevance"},
    "ranx-qrels": {"relevance"},
}
_ONE_TOPIC = ("grades", "highlights")  # and one pool in a file
# So ids cannot hold white space.
_SEPARATED_BY_SPACE = ("aspects", "qrels", "trec", "msmarco-qrels")


def assessment_losses(judgments: Iterable[Judgment], format: AssessmentFormat) -> list[str]:
    """Return what of the judgments a format cannot hold.

    >>> assessment_losses([Judgment("7", "a", ((10, 15),), 12)], "trec")
    ['highlighted passages', 'best entry points']
    """
    has_answers = bool(getattr(judgments, "answers", ()))
    judgments = list(judgments)
    lost = ["answers of topics"] if has_answers and format != "judgments" else []
    lost += [
        description
        for name, description in _FIELDS.items()
        if name not in _HELD[format]
        and any(getattr(judgment, name) not in (None, ()) for judgment in judgments)
    ]
    return lost + aspect_losses(judgments) if format == "aspects" else lost


def _is_xml(begin: bytes) -> bool:
    return begin.startswith((b"<", b"\xff\xfe", b"\xfe\xff"))


def _is_json(begin: bytes) -> bool:
    return begin.startswith(b"{") and not begins_nested(begin)


def _count_fields(begin: bytes) -> int:
    """Return the number of fields on the first line of text that is neither XML nor JSON."""
    is_text = not _is_xml(begin) and not begin.startswith(b"{")
    return len(begin.split(b"\n", 1)[0].split()) if is_text else 0


_Functions = FormatFunctions[Judgments, Sequence[Judgment]]


def _grades() -> _Functions:
    from doxeval.assessments.inex_xml import read_inex_xml, write_inex_grades

    return FormatFunctions(
        read_inex_xml, write_inex_grades, partial(assessment_losses, format="grades")
    )


def _highlights() -> _Functions:
    from doxeval.assessments.inex_xml import read_inex_xml, write_inex_highlights

    return FormatFunctions(
        read_inex_xml, write_inex_highlights, partial(assessment_losses, format="highlights")
    )


def _beir() -> _Functions:
    return FormatFunctions(
        read_beir_qrels, write_beir_qrels, partial(assessment_losses, format="beir")
    )


def _ranx_qrels() -> _Functions:
    from doxeval.assessments.ranx import read_ranx_qrels, write_ranx_qrels

    return FormatFunctions(
        read_ranx_qrels, write_ranx_qrels, partial(assessment_losses, format="ranx-qrels")
    )


FORMATS: dict[AssessmentFormat, FileFormat[Judgments, Sequence[Judgment]]] = {
    "grades": FileFormat("grades", (), _grades, _is_xml),  # INEX 2002–04, grades of elements
    "highlights": FileFormat("highlights", (), _highlights, _is_xml),  # INEX 2005–07, by points
    "aspects": FileFormat(  # TREC Genomics 2006–07, passages with aspects
        "aspects",
        (),
        lambda: FormatFunctions(
            read_aspects, write_aspects, partial(assessment_losses, format="aspects")
        ),
        looks_like_aspects,
    ),
    "qrels": FileFormat(  # INEX 2008–10, passages by offsets
        "qrels",
        (),
        lambda: FormatFunctions(
            read_inex_text, write_inex_text, partial(assessment_losses, format="qrels")
        ),
        lambda begin: _count_fields(begin) > 4,
    ),
    "trec": FileFormat(  # a grade for each document
        "trec",
        (),
        lambda: FormatFunctions(
            read_trec_qrels, write_trec_qrels, partial(assessment_losses, format="trec")
        ),
        lambda begin: _count_fields(begin) == 4,
    ),
    "judgments": FileFormat(  # JSONL, everything
        "judgments",
        (),
        lambda: FormatFunctions(
            read_jsonl, write_jsonl, partial(assessment_losses, format="judgments")
        ),
        _is_json,
    ),
    "msmarco-qrels": FileFormat(  # read as TREC's
        "msmarco-qrels",
        (),
        lambda: FormatFunctions(
            read_trec_qrels,
            write_msmarco_qrels,
            partial(assessment_losses, format="msmarco-qrels"),
        ),
    ),
    "beir": FileFormat("beir", (), _beir, begins_beir),
    "ranx-qrels": FileFormat("ranx-qrels", (), _ranx_qrels, begins_nested),
}


# Reading


@checked
def read_assessments(
    *sources: str | os.PathLike[str],
    collection: Collection | None = None,
    pool: str | None = None,
    merge: Merge | None = None,
    offsets: Offsets = "characters",
    whitespace: Whitespace | None = None,
    subtopics: bool = False,
) -> Assessments:
    """Read the assessments of files, directories and archives, of a data set (`irds:NAME`), or of
    a package, whose adjudicated judgments they are.

    With a collection, text points become offsets and everything is checked against the texts.
    A document that is judged more than once for a topic is an error, unless `pool` chooses the
    judgments of one pool or `merge` makes one judgment of them. merge="majority" needs three
    judgments of a document, or two that agree.

    The second column of TREC's qrels is the subtopic if a document has several for a topic and none
    are to be merged, or if `subtopics` says so; a document's grade is then the highest of them.

    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "qrels.txt"
    >>> _ = path.write_text("7 Q0 a 5 100 10 10:5\\n")
    >>> [judgment.highlights for judgment in read_assessments(path)]
    [((10, 15),)]
    """
    has_subtopics = True if subtopics else None if merge is None else False
    files = [
        judged
        for source in sources
        for judged in _read(os.fspath(in_package(source, "judgments")), has_subtopics)
    ]
    columns = concatenate_judgments([judged.judgments for judged in files])
    warnings = [warning for judged in files for warning in judged.warnings]
    if pool is not None:
        columns = _of_pool(columns, pool)
    if collection is not None:
        for source in filter(is_package, sources):
            _check_texts(source, columns, collection)
        resolved = resolve_judgments(columns, collection, offsets=offsets, whitespace=whitespace)
        columns, warnings = resolved.judgments, [*warnings, *resolved.warnings]
    elif offsets == "bytes":
        raise FormatError("offsets in bytes can only be converted with the collection")
    elif whitespace is not None:
        raise FormatError(
            Parameter("whitespace") + " is for text points, which only a collection can resolve"
        )
    if merge is not None:
        merged = merge_judgments(columns, merge)
        columns, warnings = merged.judgments, [*warnings, *merged.warnings]
    warn(warnings)
    return Assessments(columns, warnings, None if collection is None else collection.checksum)


def _check_texts(
    source: str | os.PathLike[str], columns: JudgmentColumns, collection: Collection
) -> None:
    """Refuse a collection in which judged documents have other texts than those of a package."""
    names = list(dict.fromkeys(columns.documents))
    numbers = collection.find_documents(names)
    present = {names[at]: int(numbers[at]) for at in np.flatnonzero(numbers >= 0).tolist()}
    listed, texts = packaged_texts(source, present), collection.text_checksums
    differ = [name for name in listed if listed[name] != texts[present[name]].tobytes().hex()]
    if differ:
        those = plural(len(differ), "judged document")
        message = f"the collection has another text of {those}: {join_names(differ)}"
        raise FormatError(message, os.fspath(source))


def as_assessments(
    given: AssessmentsGiven,
    *,
    collection: Collection | None = None,
    offsets: Offsets = "characters",
    whitespace: Whitespace | None = None,
) -> Assessments:
    """Return assessments given as a value, files, a dict of grades, a data frame or named tuples.

    With a collection they are resolved in it, unless they were before. `offsets` and `whitespace`
    are for files; those of values are characters.

    >>> as_assessments({"7": {"a": 1}})
    Assessments(1 topic, 1 judged document, 1 relevant)
    """
    rows: Any = list(given) if isinstance(given, Iterator | list | tuple) else None
    several: list[Any] = [given] if rows is None else rows
    if several and all(isinstance(source, str | os.PathLike) for source in several):
        return read_assessments(
            *several, collection=collection, offsets=offsets, whitespace=whitespace
        )
    if isinstance(given, Assessments):
        assessments = given
    elif isinstance(given, Mapping):
        assessments = Assessments.from_dict(given)
    elif is_frame(given):
        assessments = Assessments.from_frame(given)
    elif are_named_tuples(rows):
        assessments = Assessments.from_tuples(rows)
    else:
        raise _not_assessments(given)
    return assessments if collection is None else resolve_assessments(assessments, collection)


def _not_assessments(given: object) -> FormatError:
    if hasattr(given, "run_id"):
        return FormatError(looks_like_a_run(f"a {type(given).__name__}"))
    return FormatError(
        f"assessments is {quoted(given)}: "
        "expected a file, Assessments, a dict {topic: {document: "
        "grade}}, a data frame or named tuples"
    )


def _of_pool(columns: JudgmentColumns, pool: str) -> JudgmentColumns:
    pools = {row: details["pool"] for row, details in columns.details.items() if "pool" in details}
    rows = [row for row, name in pools.items() if name == pool]
    if not rows:
        names = sorted(set(pools.values()))
        there = f"there are {join_names(names)}" if names else "no file names one"
        raise FormatError(f"no judgments of pool {quoted(pool)}; {there}")
    return columns.rows(np.array(rows))


def _read(source: str, subtopics: bool | None) -> Iterator[Judgments]:
    """Yield what a file says, or each file of a directory, or each member of an archive."""
    if is_dataset(source):
        yield _of_dataset(source, subtopics)
    elif os.path.isdir(source):
        files = sorted(path for path in Path(source).rglob("*") if path.is_file())
        visible = [path for path in files if not path.name.startswith(".")]
        if not visible:
            raise SourceError("no files in the directory", source)
        for path in visible:
            yield from _read(str(path), subtopics)
    elif is_archive(source):
        from doxeval.documents import archive_members  # which loads the readers of documents

        for member in archive_members(source):
            yield _read_file(member.decompressed(), member.origin, subtopics)
    else:
        with open_input(source) as file:
            yield _read_file(file, source, subtopics)


def _of_dataset(source: str, subtopics: bool | None) -> Judgments:
    """Return the judgments of a data set of ir_datasets."""
    from doxeval.assessments.frames import judgments_of_tuples

    rows = list(dataset_judgments(source))
    if not rows:
        raise FormatError("no judgments in the data set", source)
    has_subtopics = any(row.subtopic for row in rows)
    if subtopics and not has_subtopics:
        raise FormatError(Parameter("subtopics", True) + ": the data set has none", source)
    try:
        if has_subtopics and subtopics is not False:
            return judgments_of_tuples(rows)
        return judgments_of_tuples([DatasetGrade(*row[:3]) for row in rows])
    except FormatError as error:
        raise FormatError(error.message, source) from None


def _read_file(file: IO[bytes], origin: str, subtopics: bool | None) -> Judgments:
    reader = io.BufferedReader(file, _HEAD)  # type: ignore[type-var]  # decompressors are raw enough
    try:
        begin = reader.peek(_HEAD).removeprefix(BYTE_ORDER_MARK).lstrip()
        format = choose_format(FORMATS, begin=begin)
        if format is not None and format.name == "trec":
            return read_trec_qrels(reader, origin, subtopics)
        if format is not None and subtopics:
            raise FormatError(
                Parameter("subtopics", True) + " is for TREC's qrels: `topic subtopic doc grade`",
                origin,
            )
        if format is not None:
            return format.read(reader, origin)
    finally:
        reader.detach()
    if _is_msmarco_run(begin):
        raise FormatError(looks_like_a_run("MS MARCO's lines of topic, document and rank"), origin)
    raise FormatError(
        "this is not a file of assessments: expected INEX XML, JSONL, JSON of ranx, BEIR's qrels "
        "with their header, or lines of text like `topic Q0 doc rsize docsize bep off:len …`, "
        "`topic 0 doc grade` or, with tabs, `topic doc offset length aspect|aspect…`",
        origin,
    )


def _is_msmarco_run(begin: bytes) -> bool:
    return _count_fields(begin) == 3 and begin.split(b"\n", 1)[0].split()[2].isdigit()


# Writing


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
    chosen = choose_format(FORMATS, format)
    if chosen is None:
        raise OutputError(
            f"no format {quoted(format)} of assessments; there are {', '.join(FORMATS)}"
        )
    judgments = list(assessments)
    if chosen.name in _SEPARATED_BY_SPACE:
        _check_ids(judgments)
    elif chosen.name == "beir":
        _check_ids(judgments, separators="\t\r\n")
    groups: dict[tuple[str | None, ...], list[Judgment]] = {}
    if chosen.name in _ONE_TOPIC:
        for judgment in judgments:
            key = (judgment.topic, judgment.pool, judgment.version, judgment.whitespace)
            groups.setdefault(key, []).append(judgment)
    if chosen.name in _ONE_TOPIC and len(groups) != 1:
        files = {_file_name(key): chosen.write(group) for key, group in groups.items()}
        _write_directory(files, path)
    else:
        # As JSONL, what is known of answers belongs to them.
        whole: Any = assessments if chosen.name == "judgments" else judgments
        with open_output(path) as file:
            file.writelines(chosen.write(whole))


def _check_ids(judgments: Iterable[Judgment], separators: str | None = None) -> None:
    """Refuse ids with what separates fields or lines of text: by default, any white space."""
    for judgment in judgments:
        subtopics = (subtopic for subtopic, _ in judgment.subtopics)
        for name in (judgment.topic, judgment.document, *subtopics):
            is_split = len(name.split()) != 1
            if is_split if separators is None else not name or set(name) & set(separators):
                raise OutputError(
                    f"the id {quoted(name)} has white space, which the format cannot hold"
                )


def _file_name(key: tuple[str | None, ...]) -> str:
    """Return a name that no topic can turn into a path to somewhere else."""
    from urllib.parse import quote

    return "-".join(quote(part, safe="").replace(".", "%2E") for part in key if part) + ".xml"


def _write_directory(files: dict[str, Iterable[bytes]], path: str | os.PathLike[str]) -> None:
    if os.path.exists(path) and not (os.path.isdir(path) and not os.listdir(path)):
        raise OutputError(f"{os.fspath(path)} exists; expected a new or an empty directory")
    with output_directory(path) as directory:
        for name, lines in files.items():
            with (directory / name).open("wb") as file:
                file.writelines(lines)
                flush_to_disk(file)
