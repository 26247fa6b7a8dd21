"""Documents before they are parsed, and loading their bytes.

The documents in the files of sources.

A file that is one document is only named here; whoever parses it reads it. Members of archives,
lines and records come with their data. Nothing is ever unpacked to disk.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import IO, NamedTuple

from doxeval.documents.build.options import BuildOptions, Format, Limits, check_bytes
from doxeval.documents.build.sources import (
    LINKS,
    FileNames,
    Member,
    SourceFile,
    Tally,
    Walk,
    entries,
    kind_of,
    member_names,
    with_slashes,
)
from doxeval.documents.ids import without_suffixes
from doxeval.documents.readers.records import Record, read_records
from doxeval.errors import DocumentError, SourceError
from doxeval.files import COMPRESSIONS, is_compressed, open_input, open_with_position, read_up_to
from doxeval.messages import Parameter

_SMALL_FILE = 64 << 10
_TYPICAL_COMPRESSION = 10
_COMPRESSED = (*COMPRESSIONS, ".zip", ".tgz", ".tbz2", ".txz", ".tzst")


class RawDocument(NamedTuple):
    """A document before it is parsed.

    origin: its name in error messages: a file, a member of an archive, or a line.
    name: its path inside the source, without the suffixes that an id does not need.
    content: its bytes; None if they must be read from the file `origin`; a record if reading the
        source has parsed it already; an error if it cannot be read at all.
    weight: how many bytes of the source it accounts for.
    """

    origin: str
    name: str
    format: Format
    content: bytes | Record | DocumentError | None
    weight: int

    @property
    def bytes_in_memory(self) -> int:
        """About how many bytes of memory it takes once it is loaded."""
        if isinstance(self.content, bytes):
            return len(self.content)
        if isinstance(self.content, Record):
            return len(self.content.text)
        return expected_bytes(self.origin, self.weight)


def expected_bytes(path: str, size: int) -> int:
    """About how many bytes a file has when it is decompressed, judging by its name and size.

    >>> expected_bytes("a.xml", 100), expected_bytes("a.xml.gz", 100), expected_bytes("a.zip", 100)
    (100, 1000, 1000)
    """
    return size * (_TYPICAL_COMPRESSION if path.lower().endswith(_COMPRESSED) else 1)


def load(path: str, limits: Limits) -> bytes:
    """The bytes of a file, decompressed."""
    if is_compressed(path):
        try:
            with open_input(path) as file:
                data = read_up_to(file, limits.bytes)
        except SourceError as error:
            raise DocumentError(error.message, path) from error
        check_bytes(len(data), limits, path)
        return data
    try:
        # This takes two thirds of the time of a file object, and there may be millions of files.
        descriptor = os.open(path, os.O_RDONLY)
        try:
            data = os.read(descriptor, _SMALL_FILE)
            # A pipe may give less than there is to come.
            if len(data) == _SMALL_FILE or not stat.S_ISREG(os.fstat(descriptor).st_mode):
                with os.fdopen(descriptor, "rb", closefd=False) as file:
                    data += read_up_to(file, max(limits.bytes - len(data), 0))
            check_bytes(len(data), limits, path)
            return data
        finally:
            os.close(descriptor)
    except OSError as error:
        raise DocumentError(error.strerror or str(error), path) from error


_CHUNK = 1 << 20


def documents_of(sources: Sequence[str], options: BuildOptions) -> Iterator[RawDocument]:
    """All documents of sources, in a fixed order.

    >>> next(documents_of(["no/such/place"], BuildOptions()))
    Traceback (most recent call last):
    doxeval.errors.SourceError: no/such/place: no such file or directory
    """
    return Contents(options).documents(Walk(sources, options).files())


class Contents:
    """Reads what files hold, and notes what it passes over on the way.

    >>> import tempfile
    >>> from pathlib import Path
    >>> path = Path(tempfile.mkdtemp()) / "a.jsonl"
    >>> size = path.write_text('{"id": "1", "text": "One."}')
    >>> file = SourceFile(str(path), "a", "jsonl", True, size)
    >>> [document.content for document in Contents(BuildOptions()).documents([file])]
    [b'{"id": "1", "text": "One."}']
    """

    def __init__(self, options: BuildOptions) -> None:
        self._options = options
        self._names = FileNames(options)
        self.tally = Tally()

    def documents(self, files: Iterable[SourceFile]) -> Iterator[RawDocument]:
        """All documents of some files, in order."""
        for file in files:
            if file.format is None:
                yield from self._members(file.path, file.name)
            elif file.holds_many:
                yield from self._of_file(file, file.format)
            else:
                yield RawDocument(file.path, file.name, file.format, None, file.size)

    def _of_file(self, file: SourceFile, format_: Format) -> Iterator[RawDocument]:
        with open_with_position(file.path, file.begin) as (stream, tell):
            if file.end < 0:
                yield from self._many(stream, file.path, format_, tell)
                return
            lines = self._lines(stream, file.path, file.first_line, file.end - file.begin)
            yield from _weighed(lines, lambda: min(tell(), file.end), file.begin)

    def _members(self, path: str, inside: str) -> Iterator[RawDocument]:
        # All names must be known to decide which suffixes are needed.
        is_path = self._options.id_rule.text == "path"
        names = list(dict.fromkeys(member_names(path))) if is_path else []
        id_paths = dict(zip(names, self._names.id_paths(names), strict=True))
        for member in entries(path):
            format_ = self._names.format(member.name)
            if member.file is None:
                self.tally.passed_over[LINKS] += 1
            elif format_ is None:
                self.tally.passed_over[kind_of(member.name)] += 1
            elif self._names.holds_many(format_):
                yield from self._many(member.decompressed(), member.origin, format_, lambda: 0)
            else:
                content = self._bytes_of(member)
                id_path = id_paths.get(member.name) or with_slashes(without_suffixes(member.name))
                self.tally.suffixes_kept += self._names.keeps_suffix(member.name, id_path)
                name = inside + id_path.removeprefix("./")
                yield RawDocument(member.origin, name, format_, content, member.weight)

    def _bytes_of(self, member: Member) -> bytes | DocumentError:
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
        return _weighed(documents, tell)

    def _lines(
        self, stream: IO[bytes], origin: str, first: int = 1, most: int | None = None
    ) -> Iterator[RawDocument]:
        """The lines of a stream; if `most` is given, those that begin in so many bytes of it."""
        limits = self._options.limits
        number, read = first - 1, 0
        while (most is None or read < most) and (line := stream.readline(limits.bytes + 1)):
            number += 1
            read += len(line)
            line_origin = f"{origin}:{number}"
            try:
                check_bytes(len(line), limits, line_origin)
            except DocumentError as error:
                yield RawDocument(line_origin, "", "jsonl", error, 0)
                while line and not line.endswith(b"\n"):
                    line = stream.readline(_CHUNK)
                    read += len(line)
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
            message = f"no element <{tag:.80}> in the file; "
            raise SourceError(message + Parameter("record") + " names the records", origin)


def _weighed(
    documents: Iterable[RawDocument], tell: Callable[[], int], before: int = 0
) -> Iterator[RawDocument]:
    """Documents, each with the bytes of the file that were read to get it."""
    for document in documents:
        at = tell()
        yield document._replace(weight=at - before)
        before = at
