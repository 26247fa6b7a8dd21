"""Test collections by one name: data sets of ir_datasets, and packages that doxeval made.

Where a file of documents, topics or judgments is expected, `irds:beir/scifact/test` gives those of
the data set of that name. ir_datasets downloads what it has not yet; of many data sets it says
where a copy must be obtained.

A package is a folder that `doxeval assess package` wrote, with the checksums of all its files in
SHA256SUMS. Its path stands for its collection (if it has the documents), topics, judgments or pool,
whichever is expected. What is read of it is compared with its checksum first.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable, Iterable, Iterator
from importlib import import_module
from pathlib import Path, PurePosixPath
from typing import Any, Literal, NamedTuple, TypeGuard, TypeVar

from doxeval.errors import FormatError, SourceError
from doxeval.messages import closest, quoted, truncate

PREFIX = "irds:"
_PLURALS = {"docs": "documents", "queries": "topics", "qrels": "judgments"}
# Fields of queries that topics have, too, and what topics call them.
_QUERY_FIELDS = {"description": "description", "narrative": "narrative", "keywords": "keywords"}


def is_dataset(source: object) -> bool:
    """Return whether a source is a data set of ir_datasets.

    >>> is_dataset("irds:cranfield"), is_dataset("cranfield")
    (True, False)
    """
    return isinstance(source, str | os.PathLike) and str(source).startswith(PREFIX)


def dataset_documents(source: str | os.PathLike[str]) -> Iterator[tuple[str, str]]:
    """Yield the id and the text of each document: what ir_datasets calls its default text."""
    for document in _entries(source, "docs"):
        yield document.doc_id, _text_of(document, "doc_id")


class DatasetQuery(NamedTuple):
    """A query of a data set: its id, and fields as topics call them."""

    id: str
    fields: dict[str, Any]


def dataset_queries(source: str | os.PathLike[str]) -> Iterator[DatasetQuery]:
    """Yield the queries of a data set: title, description, narrative and keywords."""
    for query in _entries(source, "queries"):
        title = getattr(query, "title", None) or getattr(query, "text", None)
        texts = {"title": title or _text_of(query, "query_id")}
        texts |= {ours: getattr(query, theirs, None) for theirs, ours in _QUERY_FIELDS.items()}
        fields = {name: text for name, text in texts.items() if isinstance(text, str) and text}
        yield DatasetQuery(query.query_id, fields)


class DatasetGrade(NamedTuple):
    """A grade of a document."""

    topic: str
    doc: str
    grade: int


class DatasetJudgment(NamedTuple):
    """The same for a subtopic, which is "" if the data set has none."""

    topic: str
    doc: str
    grade: int
    subtopic: str


def dataset_judgments(source: str | os.PathLike[str]) -> Iterator[DatasetJudgment]:
    """Yield the judgments of a data set."""
    for judged in _entries(source, "qrels"):
        subtopic = getattr(judged, "subtopic_id", None)
        yield DatasetJudgment(
            judged.query_id,
            judged.doc_id,
            judged.relevance,
            "" if subtopic is None else str(subtopic),
        )


def _entries(
    source: str | os.PathLike[str], kind: Literal["docs", "queries", "qrels"]
) -> Iterator[Any]:
    """Yield what a data set has of a kind; what ir_datasets cannot read is an error."""
    name = os.fspath(source)
    dataset = _dataset(name)
    if not dataset.has(kind):
        listed = [word for each, word in _PLURALS.items() if dataset.has(each)]
        has = " and ".join(listed) or "none of documents, topics and judgments"
        raise SourceError(f"the data set has no {_PLURALS[kind]}; it has {has}", name)
    entries: Iterable[Any] = iter(())
    try:
        entries = getattr(dataset, f"{kind}_iter")()
        yield from entries
    except Exception as error:  # of a download, or of any reader
        raise SourceError(f"ir_datasets cannot read it: {error}", name) from error


def _dataset(name: str) -> Any:
    try:
        library = import_module("ir_datasets")
    except ModuleNotFoundError:
        raise SourceError(
            "data sets need the extra ir-datasets: pip install 'doxeval[ir-datasets]'", name
        ) from None
    key = name.removeprefix(PREFIX).replace("\\", "/")  # a path of Windows
    try:
        return library.load(key)
    except KeyError:
        close = closest(key, map(str, library.registry))
        hint = "" if close is None else f"; did you mean {PREFIX}{truncate(close)}?"
        raise SourceError(f"ir_datasets has no such data set{hint}", name) from None


def _text_of(entry: Any, id_field: str) -> str:
    """Return the text of a document or query."""
    if hasattr(entry, "default_text"):
        return str(entry.default_text())
    texts = (getattr(entry, name) for name in entry._fields if name != id_field)
    return "\n".join(text for text in texts if isinstance(text, str) and text)


# Packages

PartOfPackage = Literal["collection", "topics", "judgments", "pool"]
PACKAGE_FILE = "doxeval-package.json"  # by which a package is recognised
CHECKSUMS_FILE = "SHA256SUMS"  # as `sha256sum --check` reads it
PACKAGE_PARTS: dict[PartOfPackage, str] = {
    "collection": "collection",
    "topics": "topics.jsonl",
    "judgments": "judgments.jsonl",
    "pool": "pool.jsonl",
}
_CHECKSUM_LINE = re.compile(r"([0-9a-f]{64})  (.+)")
_LARGEST_CHECKSUMS = 64 << 20  # bytes
Source = TypeVar("Source", str, "str | os.PathLike[str]")


def is_package(source: object) -> TypeGuard[str | os.PathLike[str]]:
    """Return whether a source is a package, the folder of a test collection.

    >>> is_package("nowhere"), is_package(7)
    (False, False)
    """
    return isinstance(source, str | os.PathLike) and os.path.isfile(
        os.path.join(os.fspath(source), PACKAGE_FILE)
    )


def has_documents(source: object) -> TypeGuard[str | os.PathLike[str]]:
    """Return whether a source is a package that has the documents themselves.

    >>> has_documents("nowhere")
    False
    """
    return is_package(source) and os.path.isdir(
        os.path.join(os.fspath(source), PACKAGE_PARTS["collection"])
    )


def packaged_collection(given: object) -> str | None:
    """Return the collection of the first package that has documents, among some sources.

    >>> packaged_collection("my.qrels"), packaged_collection(["a", "b"])
    (None, None)
    """
    sources = given if isinstance(given, list | tuple) else [given]
    packages = filter(has_documents, sources)
    return next((str(in_package(source, "collection")) for source in packages), None)


def in_package(source: Source, part: PartOfPackage) -> Source | str:
    """Return where a part of a package is; a source that is no package stays as it is.

    >>> import tempfile
    >>> in_package("my.topics", "topics")
    'my.topics'
    >>> folder = Path(tempfile.mkdtemp())
    >>> _ = (folder / PACKAGE_FILE).write_text("{}")
    >>> in_package(folder, "collection")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    doxeval.errors.SourceError: ...: the package has no documents, only their ids and ...
    """
    if not is_package(source):
        return source
    folder, name = Path(source), PACKAGE_PARTS[part]
    if part == "collection":
        if not has_documents(source):
            raise SourceError(
                "the package has no documents, only their ids and checksums; build a collection of "
                "the documents themselves",
                os.fspath(source),
            )
        return str(folder / name)  # a collection knows its own checksums
    if not (folder / name).is_file():
        raise SourceError(f"the package has no {part}: {name} is missing", os.fspath(source))
    listed = package_checksums(source)
    if listed.get(name) != _sha256(folder / name):
        raise SourceError(
            f"{name} is not as it was packaged; `doxeval collection verify` lists all that differs",
            os.fspath(source),
        )
    return str(folder / name)


def package_checksums(source: str | os.PathLike[str]) -> dict[str, str]:
    """Return the SHA-256 of each file of a package, by its name there."""
    path = os.path.join(os.fspath(source), CHECKSUMS_FILE)
    try:
        with open(path, "rb") as file:
            data = file.read(_LARGEST_CHECKSUMS + 1)
        lines = data.decode().splitlines()
    except OSError as error:
        raise SourceError(error.strerror or str(error), path) from error
    except UnicodeDecodeError:
        raise FormatError("expected UTF-8 text", path) from None
    if len(data) > _LARGEST_CHECKSUMS:
        raise FormatError(f"more than {_LARGEST_CHECKSUMS:,} bytes in one file", path)
    listed: dict[str, str] = {}
    for number, line in enumerate(lines, 1):
        match = _CHECKSUM_LINE.fullmatch(line)
        if match is None:
            raise FormatError("expected a SHA-256, two spaces and a name", path, number)
        name = match[2]
        if PurePosixPath(name).is_absolute() or {"..", ""} & set(re.split(r"[/\\]", name)):
            message = f"{quoted(name)}: expected the name of a file in the package"
            raise FormatError(message, path, number)
        if name in listed:
            raise FormatError(f"{quoted(name)} is listed twice", path, number)
        listed[name] = match[1]
    return listed


def packaged_texts(source: str | os.PathLike[str], documents: Iterable[str]) -> dict[str, str]:
    """Return the SHA-256 of the texts of some documents, as far as a package lists them.

    >>> import tempfile
    >>> folder = Path(tempfile.mkdtemp())
    >>> _ = (folder / "documents.jsonl").write_text('{"id": "a", "sha256": "70277bfc"}\\n')
    >>> packaged_texts(folder, ["a", "b"])
    {'a': '70277bfc'}
    """
    path, sought = os.path.join(os.fspath(source), "documents.jsonl"), set(documents)
    texts: dict[str, str] = {}
    line = 0
    try:
        with open(path, encoding="utf-8") as lines:
            for record in map(json.loads, lines):
                line += 1
                if record["id"] in sought:
                    texts[record["id"]] = record["sha256"]
    except OSError as error:
        raise SourceError(error.strerror or str(error), path) from error
    except (ValueError, LookupError, TypeError, RecursionError):
        raise FormatError('expected {"id", "characters", "sha256"}', path, line + 1) from None
    return texts


class PackageCheck(NamedTuple):
    """What verifying a package found.

    problems: files that differ or are missing. others: files that are no part of the package.
    """

    files: int
    bytes: int
    problems: tuple[str, ...]
    others: tuple[str, ...]


def verify_package(
    source: str | os.PathLike[str], progress: Callable[[int], object] = lambda size: None
) -> PackageCheck:
    """Compare all files of a package with their checksums.

    progress: called with the bytes that were read since its last call.
    """
    folder, total, problems = Path(source), 0, list[str]()
    listed = package_checksums(source)
    if PACKAGE_FILE not in listed:
        problems.append(f"{CHECKSUMS_FILE} does not list {PACKAGE_FILE}")
    for name, checksum in listed.items():
        path = folder / name
        if not os.path.isfile(path) or os.path.islink(path):  # False, too, for impossible names
            problems.append(f"{truncate(name)} is missing")
            continue
        if _sha256(path) != checksum:
            problems.append(f"{truncate(name)} is not as it was packaged")
        size = path.stat().st_size
        total += size
        progress(size)
    present = (path for path in sorted(folder.rglob("*")) if path.is_file())
    names = (path.relative_to(folder).as_posix() for path in present)
    others = tuple(name for name in names if name not in listed and name != CHECKSUMS_FILE)
    return PackageCheck(len(listed), total, tuple(problems), others)


def _sha256(path: Path) -> str:
    import hashlib

    try:
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as error:
        raise SourceError(error.strerror or str(error), str(path)) from error
