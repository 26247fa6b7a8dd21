"""Sources of documents: directories, globs, archives, compressed files, records, JSONL.

A source is walked as a stream, in a fixed order. Files of a directory are only named here, so
that whoever parses them can read them too; members of archives, lines and records are handed
out with their data. Nothing is ever unpacked to disk.
"""

from __future__ import annotations

import glob
import os
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from operator import attrgetter
from pathlib import Path
from typing import IO, NamedTuple

from doxeval.documents.archives import archive_stem, is_archive, members
from doxeval.documents.limits import check_bytes
from doxeval.documents.options import BuildOptions, Format
from doxeval.documents.raw import RawDocument
from doxeval.documents.records import read_records
from doxeval.errors import DocumentError, SourceError
from doxeval.files import damage_errors, decompressed, opened_with_position, uncompressed_name

SUFFIXES: dict[str, Format] = {
    ".xml": "xml",
    ".html": "html",
    ".htm": "html",
    ".xhtml": "html",
    ".md": "markdown",
    ".markdown": "markdown",
    ".txt": "text",
    ".text": "text",
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
}
_CHUNK = 1 << 20


class _File(NamedTuple):
    """A file of a source: where it is, its name inside the source, whether it was named itself."""

    path: str
    name: str
    explicit: bool


class Walk:
    """One walk over all sources.

    >>> walk = Walk(["no/such/place"], BuildOptions())
    >>> next(walk.documents())
    Traceback (most recent call last):
    doxeval.errors.SourceError: no/such/place: no such file or directory
    """

    def __init__(self, sources: Sequence[str], options: BuildOptions) -> None:
        self._sources = sources
        self._options = options
        # Suffixes of files in directories and archives that were passed over.
        self.passed_over: Counter[str] = Counter()

    def documents(self) -> Iterator[RawDocument]:
        """All documents, in a fixed order."""
        for file in self._files():
            stem, format_ = self._stem_and_format(file.name)
            if format_ is not None and not self._holds_many(format_):
                yield RawDocument(file.path, stem, format_, None, _size(file.path))
            else:
                yield from self._documents_in(file, format_)

    def total_bytes(self) -> int:
        """The size of all files that `documents` would read, for showing progress."""
        return sum(
            _size(file.path)
            for file in self._files()
            if self._stem_and_format(file.name)[1] or is_archive(file.name)
        )

    def _files(self) -> Iterator[_File]:
        for source in self._sources:
            if os.path.isdir(source):
                yield from self._tree(source, "")
            elif os.path.exists(source):
                yield _File(source, os.path.basename(source), True)
            else:
                yield from _globbed(source)

    def _tree(self, directory: str, inside: str) -> Iterator[_File]:
        """All files below a directory, sorted, without hidden ones and links to directories."""
        try:
            with os.scandir(directory) as scan:
                entries = sorted(scan, key=attrgetter("name"))
        except OSError as error:
            raise SourceError(error.strerror or str(error), directory) from error
        for entry in entries:
            name = entry.name
            if name.startswith("."):
                continue
            if entry.is_file():
                yield _File(entry.path, inside + name, False)
            elif entry.is_dir(follow_symlinks=False):
                yield from self._tree(entry.path, f"{inside}{name}{os.sep}")
            else:
                self.passed_over["links and special files"] += 1

    def _stem_and_format(self, name: str) -> tuple[str, Format | None]:
        """A file's name without suffixes, with forward slashes, and the format it is read in."""
        stem, suffix = os.path.splitext(uncompressed_name(name))
        format_ = SUFFIXES.get(suffix.lower())
        if self._options.format is not None and not is_archive(name):
            format_ = self._options.format
        return stem if os.sep == "/" else stem.replace(os.sep, "/"), format_

    def _holds_many(self, format_: Format) -> bool:
        return format_ == "jsonl" or (format_ == "xml" and self._options.record is not None)

    def _documents_in(self, file: _File, format_: Format | None) -> Iterator[RawDocument]:
        """The documents of a file that holds many."""
        if format_ is not None:
            with opened_with_position(file.path) as (stream, tell):
                yield from self._many(stream, file.path, format_, tell)
        elif is_archive(file.name):
            # A document's path starts at the archive's root if the archive is the source.
            yield from self._members(
                file.path, "" if file.explicit else archive_stem(file.name) + "/"
            )
        elif file.explicit:
            raise SourceError(
                "cannot tell the format from the file's name; --format names it", file.path
            )
        else:
            self._pass_over(file.name)

    def _members(self, path: str, inside: str) -> Iterator[RawDocument]:
        for member in members(path):
            stem, format_ = self._stem_and_format(member.name)
            origin = f"{path}!{member.name}"
            if format_ is None:
                self._pass_over(member.name)
            elif self._holds_many(format_):
                stream = decompressed(member.file, member.name)
                yield from self._many(stream, origin, format_, lambda: 0)
            else:
                content = self._contents(member.file, member.name, origin)
                name = inside + stem.removeprefix("./")
                yield RawDocument(origin, name, format_, content, member.weight)

    def _contents(self, file: IO[bytes], name: str, origin: str) -> bytes | DocumentError:
        """All bytes of an archive's member, if they are no more than a document may have."""
        limits = self._options.limits
        try:
            data = decompressed(file, name).read(limits.bytes + 1)
            check_bytes(len(data), limits, origin)
            return data
        except DocumentError as error:
            return error
        except damage_errors() as error:
            return DocumentError(f"the compressed data are damaged: {error}", origin)

    def _many(
        self, stream: IO[bytes], origin: str, format_: Format, tell: Callable[[], int]
    ) -> Iterator[RawDocument]:
        """The documents of a stream, each with how far it moves on in the file."""
        documents = self._lines(stream, origin)
        if format_ == "xml" and self._options.record is not None:
            documents = self._records(stream, origin, self._options.record)
        before = 0
        for document in documents:
            at = tell()
            yield document._replace(weight=at - before)
            before = at

    def _lines(self, stream: IO[bytes], origin: str) -> Iterator[RawDocument]:
        limits = self._options.limits
        number = 0
        while line := stream.readline(limits.bytes + 1):
            number += 1
            place = f"{origin}:{number}"
            try:
                check_bytes(len(line), limits, place)
            except DocumentError as error:
                yield RawDocument(place, "", "jsonl", error, 0)
                while line and not line.endswith(b"\n"):
                    line = stream.readline(_CHUNK)
            else:
                if line.strip():
                    yield RawDocument(place, "", "jsonl", line, 0)

    def _records(self, stream: IO[bytes], origin: str, tag: str) -> Iterator[RawDocument]:
        options = self._options
        count = 0
        try:
            for record in read_records(
                stream,
                tag,
                origin,
                options.limits,
                encoding=options.encoding,
                attribute=options.id_rule.attribute,
            ):
                count += 1
                yield RawDocument(f"{origin}:{record.line}", "", "xml", record, 0)
        except DocumentError as error:  # nothing after it can be read either
            count += 1
            yield RawDocument(origin, "", "xml", error, 0)
        if not count:
            raise SourceError(f"no element <{tag}> in the file; --record names the records", origin)

    def _pass_over(self, name: str) -> None:
        self.passed_over[os.path.splitext(name)[1].lower() or name] += 1


def _size(path: str) -> int:
    """The size of a file; one that has none says why when it is read."""
    try:
        return os.stat(path).st_size
    except OSError:
        return 0


def _globbed(pattern: str) -> Iterator[_File]:
    """The files that match a glob; their names start where the pattern stops being fixed."""
    fixed = []
    for part in Path(pattern).parts:
        if glob.has_magic(part):
            break
        fixed.append(part)
    base = os.path.join(*fixed) if fixed else "."
    files = [path for path in sorted(glob.glob(pattern, recursive=True)) if os.path.isfile(path)]
    if not files:
        described = "nothing matches" if glob.has_magic(pattern) else "no such file or directory"
        raise SourceError(described, pattern)
    for path in files:
        yield _File(path, os.path.relpath(path, base), True)
