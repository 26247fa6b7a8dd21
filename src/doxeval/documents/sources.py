"""Sources of documents: directories, globs, archives, compressed files, records, JSONL.

A source is walked as a stream, in a fixed order. Files of a directory are only named here, so
that whoever parses them can read them too; members of archives, lines and records are handed
out with their data. Nothing is ever unpacked to disk.
"""

from __future__ import annotations

import glob
import os
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from operator import attrgetter
from pathlib import Path
from typing import Literal, NamedTuple

from doxeval.documents.archives import Member, archive_stem, is_archive, members
from doxeval.documents.ids import IdRule
from doxeval.documents.limits import Limits, check_bytes
from doxeval.documents.records import Record, read_records
from doxeval.errors import DocumentError, SourceError
from doxeval.files import damage_errors, decompressed, is_compressed, opened, uncompressed_name

Format = Literal["xml", "html", "markdown", "text", "jsonl"]

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
_SMALL_FILE = 64 << 10
_ONE_DOCUMENT_EACH = {"xml", "html", "markdown", "text"}


class RawDocument(NamedTuple):
    """A document that is not parsed yet.

    origin: what an error message calls it: a file, an archive's member, a line.
    name: its path inside the source, without suffixes; ids are made of it.
    content: its bytes; None where they are to be read from the file `origin`; a record where
        reading the source has parsed it already; an error where it cannot be read at all.
    weight: how many bytes of the source it accounts for.
    """

    origin: str
    name: str
    format: Format
    content: bytes | Record | DocumentError | None
    weight: int


@dataclass
class Walk:
    """One walk over all sources.

    >>> walk = Walk(["no/such/place"])
    >>> next(walk.documents())
    Traceback (most recent call last):
    doxeval.errors.SourceError: no/such/place: no such file or directory
    """

    sources: Sequence[str]
    format: Format | None = None  # None: by the files' suffixes
    record: str | None = None  # the tag of records, if files hold many
    id_rule: IdRule = field(default_factory=lambda: IdRule("stem"))
    encoding: str | None = None
    limits: Limits = field(default_factory=Limits)
    # Suffixes of files in directories and archives that were passed over.
    passed_over: Counter[str] = field(default_factory=Counter)

    def documents(self) -> Iterator[RawDocument]:
        """All documents, in a fixed order."""
        for path, name, explicit in self._files():
            stem, format_ = self._stem_and_format(name)
            if format_ in _ONE_DOCUMENT_EACH and not (self.record and format_ == "xml"):
                yield RawDocument(path, stem, format_, None, os.stat(path).st_size)
            else:
                yield from self._documents_in(path, name, format_, explicit)

    def total_bytes(self) -> int:
        """The size of all files that `documents` would read, for showing progress."""
        return sum(
            os.stat(path).st_size
            for path, name, _ in self._files()
            if self._stem_and_format(name)[1] or is_archive(name)
        )

    def _files(self) -> Iterator[tuple[str, str, bool]]:
        """Every file: where it is, its name inside the source, whether it was named itself."""
        for source in self.sources:
            if os.path.isdir(source):
                yield from ((path, name, False) for path, name in _tree(source))
            elif os.path.exists(source):
                yield source, os.path.basename(source), True
            else:
                yield from _globbed(source)

    def _stem_and_format(self, name: str) -> tuple[str, Format | None]:
        """A file's name without suffixes, with forward slashes, and the format it is read in."""
        stem, suffix = os.path.splitext(uncompressed_name(name))
        format_ = SUFFIXES.get(suffix.lower())
        if self.format is not None and not is_archive(name):
            format_ = self.format
        return stem if os.sep == "/" else stem.replace(os.sep, "/"), format_

    def _documents_in(
        self, path: str, name: str, format_: Format | None, explicit: bool
    ) -> Iterator[RawDocument]:
        """The documents of a file that holds many."""
        if is_archive(name):
            # A document's path starts at the archive's root if the archive is the source.
            yield from self._members(path, "" if explicit else archive_stem(name) + "/")
        elif format_ == "jsonl":
            yield from self._lines(path)
        elif format_ == "xml" and self.record is not None:
            yield from self._records(path, self.record)
        elif explicit:
            raise SourceError(
                "cannot tell the format from the file's name; --format names it", path
            )
        else:
            self.passed_over[_suffix(name) or name] += 1

    def _lines(self, path: str) -> Iterator[RawDocument]:
        with opened(path) as file:
            number = 0
            while line := file.readline(self.limits.bytes + 1):
                number += 1
                origin = f"{path}:{number}"
                check_bytes(len(line), self.limits, origin)
                if line.strip():
                    yield RawDocument(origin, "", "jsonl", line, len(line))

    def _records(self, path: str, tag: str) -> Iterator[RawDocument]:
        count = 0
        options = {"encoding": self.encoding, "attribute": self.id_rule.attribute}
        with opened(path) as file:
            try:
                for record in read_records(file, tag, path, self.limits, **options):
                    count += 1
                    origin = f"{path}:{record.line}"
                    yield RawDocument(origin, "", "xml", record, len(record.stream))
            except DocumentError as error:  # nothing after it can be read either
                count += 1
                yield RawDocument(path, "", "xml", error, 0)
        if not count:
            raise SourceError(f"no element <{tag}> in the file; --record names the records", path)

    def _members(self, path: str, inside: str) -> Iterator[RawDocument]:
        for member in members(path):
            stem, format_ = self._stem_and_format(member.name)
            if format_ is None or format_ == "jsonl" or self.record is not None:
                self.passed_over[_suffix(member.name) or member.name] += 1
                continue
            origin = f"{path}!{member.name}"
            content = _contents(member, self.limits, origin)
            name = inside + stem.removeprefix("./")
            yield RawDocument(origin, name, format_, content, member.weight)


def load(path: str, limits: Limits) -> bytes:
    """The bytes of a file, decompressed."""
    if is_compressed(path):
        try:
            with opened(path) as file:
                data = file.read(limits.bytes + 1)
        except SourceError as error:
            raise DocumentError(error.message, path) from error
        check_bytes(len(data), limits, path)
        return data
    try:
        # Reading by hand takes two thirds of the time of a file object, and files are many.
        descriptor = os.open(path, os.O_RDONLY)
        try:
            data = os.read(descriptor, _SMALL_FILE)
            if len(data) == _SMALL_FILE:
                with os.fdopen(descriptor, "rb", closefd=False) as file:
                    data += file.read(limits.bytes + 1 - len(data))
            check_bytes(len(data), limits, path)
            return data
        finally:
            os.close(descriptor)
    except OSError as error:
        raise DocumentError(error.strerror or str(error), path) from error


def _tree(directory: str, inside: str = "") -> Iterator[tuple[str, str]]:
    """All files below a directory with their names there, sorted.

    Hidden ones and links to directories are left out.
    """
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
            yield entry.path, inside + name
        elif entry.is_dir(follow_symlinks=False):
            yield from _tree(entry.path, f"{inside}{name}{os.sep}")


def _globbed(pattern: str) -> Iterator[tuple[str, str, bool]]:
    matches = sorted(glob.glob(pattern, recursive=True))
    fixed = []
    for part in Path(pattern).parts:
        if glob.has_magic(part):
            break
        fixed.append(part)
    base = os.path.join(*fixed) if fixed else "."
    files = [path for path in matches if os.path.isfile(path)]
    if not files:
        described = "nothing matches" if glob.has_magic(pattern) else "no such file or directory"
        raise SourceError(described, pattern)
    for path in files:
        yield path, os.path.relpath(path, base), True


def _suffix(name: str) -> str:
    return os.path.splitext(name)[1].lower()


def _contents(member: Member, limits: Limits, origin: str) -> bytes | DocumentError:
    """All bytes of an archive's member, if they are no more than a document may have."""
    try:
        data = decompressed(member.file, member.name).read(limits.bytes + 1)
        check_bytes(len(data), limits, origin)
        return data
    except DocumentError as error:
        return error
    except damage_errors() as error:
        return DocumentError(f"the compressed data are damaged: {error}", origin)
