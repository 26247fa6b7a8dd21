"""The documents in the files of sources, before they are parsed.

A file that is one document is only named here; whoever parses it reads it (`load_file`). Members of
archives, lines and records come with their data. Nothing is ever unpacked to disk.
"""

from __future__ import annotations

import io
import json
import os
import stat
from collections.abc import Iterable, Iterator
from functools import partial
from pathlib import Path
from typing import IO, TYPE_CHECKING, BinaryIO, NamedTuple

from doxeval.datasets import dataset_documents, is_dataset
from doxeval.documents.build.options import BuildOptions, Format, Limits, check_limit
from doxeval.documents.build.sources import (
    LINKS,
    FileNames,
    SourceCounts,
    SourceFile,
    kind_of,
    with_long_suffix,
)
from doxeval.documents.readers.records import read_records
from doxeval.documents.readers.tag_events import TagEvents
from doxeval.errors import DocumentError, DoxevalError, SourceError
from doxeval.files import (
    ARCHIVE_SUFFIXES,
    COMPRESSIONS,
    Allowance,
    decompress,
    is_compressed,
    limit_expansion,
    open_input,
    open_with_position,
    read_up_to,
    size_allowance,
    unreadable_reason,
)
from doxeval.messages import Parameter

if TYPE_CHECKING:
    from tarfile import TarFile, TarInfo

_CHUNK = 1 << 20
_SMALL_FILE = 64 << 10
_TYPICAL_COMPRESSION = 10
_TAR_BLOCK = 512
_COMPRESSED = (*COMPRESSIONS, *(suffix for suffix in ARCHIVE_SUFFIXES if suffix != ".tar"))


class RawDocument(NamedTuple):
    """A document before it is parsed.

    origin: its name in error messages: a file, a member of an archive, or a line.
    name: its path inside the source, without the suffixes that an id does not need.
    content: its bytes; None if they must be read from the file `origin`; the tag events of a
        record, which reading the source has parsed already; an error if it cannot be read at all.
    weight: how many bytes of the source it accounts for.
    """

    origin: str
    name: str
    format: Format
    content: bytes | TagEvents | DocumentError | None
    weight: int

    @property
    def bytes_in_memory(self) -> int:
        """About how many bytes of memory it takes once it is loaded."""
        if isinstance(self.content, bytes):
            return len(self.content)
        if isinstance(self.content, TagEvents):
            return len(self.content.texts[0])
        return expected_bytes(self.origin, self.weight)


def expected_bytes(path: str, size: int) -> int:
    """Return about how many bytes a file has when it is decompressed, by its name and size.

    >>> expected_bytes("a.xml", 100), expected_bytes("a.xml.gz", 100), expected_bytes("a.zip", 100)
    (100, 1000, 1000)
    """
    return size * (_TYPICAL_COMPRESSION if path.lower().endswith(_COMPRESSED) else 1)


def load_file(path: str, limits: Limits) -> bytes:
    """Return the bytes of a file, decompressed."""
    try:
        data = _load_compressed(path, limits) if is_compressed(path) else _load_plain(path, limits)
    except SourceError as error:
        raise DocumentError(error.message, path) from error
    except OSError as error:
        raise DocumentError(error.strerror or str(error), path) from error
    check_limit("bytes", len(data), limits, path)
    return data


def _load_compressed(path: str, limits: Limits) -> bytes:
    with open_input(path) as file:
        return read_up_to(file, limits.bytes)


def _load_plain(path: str, limits: Limits) -> bytes:
    # This takes two thirds of the time of a file object, and there may be millions of files.
    descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_BINARY", 0))  # Windows has the latter
    try:
        data = os.read(descriptor, _SMALL_FILE)
        # A pipe may give less than there is to come.
        if len(data) == _SMALL_FILE or not stat.S_ISREG(os.fstat(descriptor).st_mode):
            with os.fdopen(descriptor, "rb", closefd=False) as file:
                data += read_up_to(file, max(limits.bytes - len(data), 0))
        return data
    finally:
        os.close(descriptor)


class SourceContents:
    """Reads what files hold, and counts what it passes over on the way.

    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "a.jsonl"
    >>> size = path.write_text('{"id": "1", "text": "One."}')
    >>> file = SourceFile(str(path), "a", "jsonl", True, size)
    >>> [document.content for document in SourceContents(BuildOptions()).documents([file])]
    [b'{"id": "1", "text": "One."}']
    """

    def __init__(self, options: BuildOptions) -> None:
        self._options = options
        self._names = FileNames(options)
        self.tally = SourceCounts()

    def documents(self, files: Iterable[SourceFile]) -> Iterator[RawDocument]:
        """Yield all documents of some files, in order."""
        for file in files:
            if is_dataset(file.path):
                yield from self._of_dataset(file.path)
            elif file.format is None:
                yield from self._members(file.path, file.name)
            elif file.holds_many:
                with open_with_position(file.path, file.begin) as (stream, tell):
                    before = file.begin
                    for document in self._many(stream, file):
                        at = tell() if file.end < 0 else min(tell(), file.end)
                        yield document._replace(weight=at - before)
                        before = at
            else:
                content = None if file.size else self._of_pipe(file.path)
                yield RawDocument(file.path, file.name, file.format, content, file.size)

    def _of_pipe(self, path: str) -> bytes | DocumentError | None:
        """Return what is in a pipe, which has no size, and which no other process may have."""
        if not os.path.exists(path) or os.path.isfile(path):
            return None
        try:
            return load_file(path, self._options.limits)
        except DocumentError as error:
            return error

    def _of_dataset(self, source: str) -> Iterator[RawDocument]:
        """Yield the documents of a data set, as lines of JSONL."""
        limits = self._options.limits
        for number, (name, text) in enumerate(dataset_documents(source), 1):
            origin = f"{source}:{number}"
            line = json.dumps({"id": name, "text": text}, ensure_ascii=False)
            try:
                content = line.encode("utf-8", "surrogatepass")
                check_limit("bytes", len(content), limits, origin)
            except DocumentError as error:
                yield RawDocument(origin, "", "jsonl", error, 0)
            else:
                yield RawDocument(origin, "", "jsonl", content, len(content))

    def _members(self, path: str, inside: str) -> Iterator[RawDocument]:
        # All names must be known to decide which suffixes are needed.
        names = (
            dict.fromkeys(member.name for member in archive_members(path))
            if self._names.are_ids
            else ()
        )
        files = {file.name: file for file in self._names.of_directory(names)}
        for member in _archive_entries(path):
            file = files.get(member.name) or self._names.of_file(member.name)
            if member.file is None:
                self.tally.passed_over[LINKS] += 1
            elif file.format is None:
                self.tally.passed_over[kind_of(member.name)] += 1
            elif file.holds_many:
                inner = SourceFile(member.origin, file.id_path, file.format, True, 0)
                weight = member.weight  # of its first document: what was read to get there
                for document in self._many(member.decompressed(), inner):
                    yield document._replace(weight=weight)
                    weight = 0
            else:
                content = self._bytes_of(member)
                self.tally.suffixes_kept += file.keeps_suffix
                name = inside + file.id_path.removeprefix("./")
                yield RawDocument(member.origin, name, file.format, content, member.weight)

    def _bytes_of(self, member: Member) -> bytes | DocumentError:
        """Return all bytes of a member of an archive; an error if they are too many or damaged."""
        limits = self._options.limits
        try:
            data = read_up_to(member.decompressed(), limits.bytes)
            check_limit("bytes", len(data), limits, member.origin)
            return data
        except DocumentError as error:
            return error
        except SourceError as error:
            if error.origin != member.origin:
                raise  # the archive itself cannot be read any further
            return DocumentError(error.message, error.origin)

    def _many(self, stream: IO[bytes], file: SourceFile) -> Iterator[RawDocument]:
        """Return the documents of a file that holds many, without their weights."""
        tag = self._options.record
        if file.format == "xml" and tag is not None:
            return self._records(stream, file.path, tag)
        return self._lines(stream, file)

    def _lines(self, stream: IO[bytes], file: SourceFile) -> Iterator[RawDocument]:
        """Yield the lines of a file; of a range of it, those that begin there."""
        limits = self._options.limits
        number, at = file.first_line - 1, file.begin
        while (file.end < 0 or at < file.end) and (line := stream.readline(limits.bytes + 1)):
            number += 1
            at += len(line)
            line_origin = f"{file.path}:{number}"
            try:
                check_limit("bytes", len(line), limits, line_origin)
            except DocumentError as error:
                yield RawDocument(line_origin, "", "jsonl", error, 0)
                while line and not line.endswith(b"\n"):
                    line = stream.readline(_CHUNK)
                    at += len(line)
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
                yield RawDocument(f"{origin}:{record.line}", "", "xml", record.events, 0)
        except DocumentError as error:  # nothing after the error can be read either
            count += 1
            yield RawDocument(origin, "", "xml", error, 0)
        if not count:
            message = f"no element <{tag:.80}> in the file; "
            raise SourceError(message + Parameter("record") + " names the records", origin)


# Archives


class Member(NamedTuple):
    """A file in an archive, readable until the next one is requested.

    origin: its name in messages. file: its bytes, whose errors are SourceErrors that name it;
    None for links, devices and the like. weight: how many bytes of the archive were read to get
    to it.
    """

    name: str
    origin: str
    file: BinaryIO | None
    weight: int
    allowance: Allowance

    def decompressed(self) -> BinaryIO:
        """Return the bytes of the file, decompressed if its name has such a suffix."""
        file = self.file or io.BytesIO()
        if not is_compressed(self.name):
            return file
        return limit_expansion(lambda: decompress(file, self.name), self.origin, self.allowance)


def archive_members(path: str) -> Iterator[Member]:
    """Yield the regular files of an archive, in its order."""
    return (member for member in _archive_entries(path) if member.file is not None)


def _archive_entries(path: str) -> Iterator[Member]:
    """Yield everything in an archive except directories, in its order."""
    try:
        yield from _zip_members(path) if path.lower().endswith(".zip") else _tar_members(path)
    except DoxevalError:
        raise
    except Exception as error:  # the readers of archives raise all kinds of errors on damaged data
        raise SourceError(unreadable_reason(error), path) from error


def _tar_members(path: str) -> Iterator[Member]:
    import tarfile

    class Header(tarfile.TarInfo):
        """A header; tarfile would take a damaged or missing one as the end of the archive."""

        @classmethod
        def frombuf(cls, buf: bytes | bytearray, encoding: str, errors: str) -> Header:
            try:
                return super().frombuf(buf, encoding, errors)
            except tarfile.HeaderError as error:
                if len(buf) == _TAR_BLOCK and not any(buf):
                    raise  # the mark at the end
                what = str(error) if buf else "it ends without the mark of the end"
                raise SourceError(f"the archive is damaged: {what}", path) from None

    with Path(path).open("rb") as file:
        stored, contained = size_allowance(file, path), _members_allowance(file, path)
        stream = limit_expansion(lambda: decompress(file, with_long_suffix(path)), path, stored)
        with stream, tarfile.open(fileobj=stream, mode="r|", tarinfo=Header) as tar:
            before = 0
            while (entry := tar.next()) is not None:
                # Otherwise tarfile would keep every member in memory (the attribute has no stub).
                tar.members.clear()  # type: ignore[attr-defined]
                if entry.isdir():
                    continue
                at = file.tell()
                origin = f"{path}!{entry.name}"
                contents = None
                if entry.isreg():
                    contents = limit_expansion(partial(_extract, tar, entry), origin, contained)
                yield Member(entry.name, origin, contents, at - before, contained)
                before = at


def _extract(tar: TarFile, entry: TarInfo) -> IO[bytes]:
    contents = tar.extractfile(entry)
    return io.BytesIO() if contents is None else contents


def _zip_members(path: str) -> Iterator[Member]:
    from zipfile import ZipFile

    with Path(path).open("rb") as file, ZipFile(file) as archive:
        contained = _members_allowance(file, path)
        for entry in archive.infolist():
            if entry.is_dir():
                continue
            origin = f"{path}!{entry.filename}"
            contents = None
            # The upper half is the mode of the file, if the archive was made on Unix.
            if stat.S_IFMT(entry.external_attr >> 16) in (0, stat.S_IFREG):
                contents = limit_expansion(partial(archive.open, entry), origin, contained)
            yield Member(entry.filename, origin, contents, entry.compress_size, contained)
            if contents is not None:
                contents.close()


def _members_allowance(file: IO[bytes], path: str) -> Allowance:
    """Return how much may come out of all members together."""
    return Allowance(os.fstat(file.fileno()).st_size, path)
