"""Sources of documents: directories, globs, archives, compressed files, records, JSONL.

A source is walked as a stream, in a fixed order. Files of a directory are only named here; the
process that parses them reads them. Members of archives, lines and records come with their data.
Nothing is ever unpacked to disk.
"""

from __future__ import annotations

import glob
import os
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from operator import attrgetter
from typing import IO, NamedTuple, TypeAlias

from doxeval.documents.archives import Member, archive_stem, entries, is_archive, member_names
from doxeval.documents.globs import fixed_part, globbed
from doxeval.documents.ids import distinct_paths, normalised_id, without_suffixes
from doxeval.documents.limits import check_bytes
from doxeval.documents.options import BuildOptions, Format
from doxeval.documents.raw import RawDocument
from doxeval.documents.records import read_records
from doxeval.errors import DocumentError, SourceError
from doxeval.files import opened_with_position, read_up_to, uncompressed_name
from doxeval.wording import brief

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
_SPECIAL = "links and special files"


# A path to a file, a directory or an archive, or a glob.
Source: TypeAlias = str | bytes | os.PathLike[str] | os.PathLike[bytes]


def source_paths(sources: Source | Iterable[Source]) -> list[str]:
    """The paths of one source or of several; bytes that are not UTF-8 become lone surrogates.

    >>> from pathlib import Path
    >>> source_paths(Path("a.xml")), source_paths(["a.xml", Path("b")])
    (['a.xml'], ['a.xml', 'b'])
    """
    given = [sources] if isinstance(sources, str | bytes | os.PathLike) else list(sources)
    for source in given:
        if not isinstance(source, str | bytes | os.PathLike):
            raise SourceError(f"sources={brief(source)}: expected a path, or several")
    return [os.fsdecode(source) for source in given]


def recorded_path(path: str) -> str:
    r"""A path as a manifest records it: bytes that are not UTF-8 are written as escapes.

    >>> print(recorded_path("a/\udcff"))
    a/\xff
    """
    return path.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")


class _File(NamedTuple):
    """A file of a source.

    path: its path on disk. name: its path inside the source. id_path: its name without the
    suffixes that an id does not need. explicit: whether the file itself was given as a source.
    """

    path: str
    name: str
    id_path: str
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
        # Suffixes of files in directories and archives that are not documents.
        self.passed_over: Counter[str] = Counter()
        # How many documents keep a suffix in their path, so that they can be told apart.
        self.suffixes_kept = 0

    def documents(self) -> Iterator[RawDocument]:
        """All documents, in a fixed order."""
        for file in self._files():
            format_ = self._format(file.name)
            if format_ is not None and not self._holds_many(format_):
                self._count_suffix(file.name, file.id_path)
                yield RawDocument(file.path, file.id_path, format_, None, _size(file.path))
            else:
                yield from self._documents_in(file, format_)

    def total_bytes(self) -> int:
        """The size of all files that `documents` would read, for a progress bar."""
        return sum(
            _size(file.path)
            for file in self._files()
            if self._format(file.name) or is_archive(file.name)
        )

    def _files(self) -> Iterator[_File]:
        single = [
            source
            for source in self._sources
            if os.path.exists(source) and not os.path.isdir(source)
        ]
        id_paths = dict(zip(single, self._id_paths(map(os.path.basename, single)), strict=True))
        for source in self._sources:
            if os.path.isdir(source):
                yield from self._tree(source)
            elif source in id_paths:
                yield _File(source, os.path.basename(source), id_paths[source], True)
            else:
                yield from self._globbed(source)

    def _tree(self, directory: str) -> Iterator[_File]:
        """All files below a directory, sorted; hidden files and linked directories are skipped."""
        # Directories may be nested more deeply than functions can call each other, so the ones
        # that are being read are on a stack.
        open_directories = [self._entries(directory, "")]
        while open_directories:
            for found in open_directories[-1]:
                if isinstance(found, _File):
                    yield found
                else:
                    open_directories.append(self._entries(*found))
                    break
            else:
                open_directories.pop()

    def _entries(self, directory: str, inside: str) -> Iterator[_File | tuple[str, str]]:
        """The files of one directory, and its directories with their paths inside the source."""
        try:
            with os.scandir(directory) as scan:
                entries = sorted(scan, key=attrgetter("name"))
        except OSError as error:
            raise SourceError(error.strerror or str(error), directory) from error
        entries = [entry for entry in entries if not entry.name.startswith(".")]
        names = [inside + entry.name for entry in entries if _is_file(entry)]
        id_paths = dict(zip(names, self._id_paths(names), strict=True))
        for entry in entries:
            name = inside + entry.name
            if name in id_paths:
                yield _File(entry.path, name, id_paths[name], False)
            elif entry.is_dir(follow_symlinks=False):
                yield entry.path, name + os.sep
            else:
                self.passed_over[_SPECIAL] += 1

    def _globbed(self, pattern: str) -> Iterator[_File]:
        """The files that match a glob; their names start at the first part with a wildcard."""
        base = fixed_part(pattern) or "."
        files, links = globbed(pattern)
        if links:
            self.passed_over[_SPECIAL] += links
        if not files:
            is_glob = glob.has_magic(pattern)
            reason = "nothing matches" if is_glob else "no such file or directory"
            raise SourceError(reason, pattern)
        names = [os.path.relpath(path, base) for path in files]
        for path, name, id_path in zip(files, names, self._id_paths(names), strict=True):
            yield _File(path, name, id_path, True)

    def _id_paths(self, names: Iterable[str]) -> list[str]:
        """The paths that ids are made of, with forward slashes, for the files of one directory."""
        names = list(names)
        shortened = {name: without_suffixes(name) for name in names}
        if self._options.id_rule.text == "path":
            single = [name for name in shortened if self._is_one_document(name)]
            shortened |= zip(single, distinct_paths(single), strict=True)
        return [_with_slashes(shortened[name]) for name in names]

    def _is_one_document(self, name: str) -> bool:
        format_ = self._format(name)
        return format_ is not None and not self._holds_many(format_)

    def _count_suffix(self, name: str, id_path: str) -> None:
        shortest = _with_slashes(without_suffixes(name))
        self.suffixes_kept += normalised_id(id_path) != normalised_id(shortest)

    def _format(self, name: str) -> Format | None:
        """The format in which a file is read; None if it is not a document."""
        if self._options.format is not None and not is_archive(name):
            return self._options.format
        return SUFFIXES.get(os.path.splitext(uncompressed_name(name))[1].lower())

    def _holds_many(self, format_: Format) -> bool:
        return format_ == "jsonl" or (format_ == "xml" and self._options.record is not None)

    def _documents_in(self, file: _File, format_: Format | None) -> Iterator[RawDocument]:
        """The documents of a file that holds many."""
        if format_ is not None:
            with opened_with_position(file.path) as (stream, tell):
                yield from self._many(stream, file.path, format_, tell)
        elif is_archive(file.name):
            # If the archive itself is the source, the paths of its documents start at its root.
            inside = "" if file.explicit else _with_slashes(archive_stem(file.name)) + "/"
            yield from self._members(file.path, inside)
        elif file.explicit:
            raise SourceError(
                "cannot tell the format from the file's name; format= names it", file.path
            )
        else:
            self._pass_over(file.name)

    def _members(self, path: str, inside: str) -> Iterator[RawDocument]:
        # All names must be known to decide which suffixes are needed.
        is_path = self._options.id_rule.text == "path"
        names = list(dict.fromkeys(member_names(path))) if is_path else []
        id_paths = dict(zip(names, self._id_paths(names), strict=True))
        for member in entries(path):
            format_ = self._format(member.name)
            if member.file is None:
                self.passed_over[_SPECIAL] += 1
            elif format_ is None:
                self._pass_over(member.name)
            elif self._holds_many(format_):
                yield from self._many(member.decompressed(), member.origin, format_, lambda: 0)
            else:
                content = self._contents(member)
                id_path = id_paths.get(member.name) or _with_slashes(without_suffixes(member.name))
                self._count_suffix(member.name, id_path)
                name = inside + id_path.removeprefix("./")
                yield RawDocument(member.origin, name, format_, content, member.weight)

    def _contents(self, member: Member) -> bytes | DocumentError:
        """All bytes of a member of an archive; an error if they are too many or damaged."""
        limits = self._options.limits
        try:
            data = read_up_to(member.decompressed(), limits.bytes)
            check_bytes(len(data), limits, member.origin)
            return data
        except DocumentError as error:
            return error
        except SourceError as error:
            if error.origin != member.origin:
                raise  # the archive itself cannot be read any further
            return DocumentError(error.message, error.origin)

    def _many(
        self, stream: IO[bytes], origin: str, format_: Format, tell: Callable[[], int]
    ) -> Iterator[RawDocument]:
        """The documents of a stream, each with the bytes of the file that it takes."""
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
            line_origin = f"{origin}:{number}"
            try:
                check_bytes(len(line), limits, line_origin)
            except DocumentError as error:
                yield RawDocument(line_origin, "", "jsonl", error, 0)
                while line and not line.endswith(b"\n"):
                    line = stream.readline(_CHUNK)
            else:
                if line.strip():
                    yield RawDocument(line_origin, "", "jsonl", line, 0)

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
        except DocumentError as error:  # nothing after the error can be read either
            count += 1
            yield RawDocument(origin, "", "xml", error, 0)
        if not count:
            message = f"no element <{tag:.80}> in the file; record= names the records"
            raise SourceError(message, origin)

    def _pass_over(self, name: str) -> None:
        self.passed_over[os.path.splitext(name)[1].lower() or name] += 1


def _is_file(entry: os.DirEntry[str]) -> bool:
    """Whether it is a file, or a link to one; a link to itself is not."""
    try:
        return entry.is_file()
    except OSError:
        return False


def _size(path: str) -> int:
    """The size of a file; 0 if it cannot be read, which is reported when it is opened."""
    try:
        return os.stat(path).st_size
    except OSError:
        return 0


def _with_slashes(path: str) -> str:
    return path if os.sep == "/" else path.replace(os.sep, "/")
