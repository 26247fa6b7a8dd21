"""Reading the members of tar and zip archives one after another, without unpacking to disk."""

from __future__ import annotations

import io
import os
import stat
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import IO, TYPE_CHECKING, BinaryIO, NamedTuple

from doxeval.errors import DoxevalError, SourceError
from doxeval.files import (
    COMPRESSIONS,
    Allowance,
    decompress,
    is_compressed,
    limit_expansion,
    size_allowance,
    uncompressed_name,
    unreadable_reason,
)

if TYPE_CHECKING:
    from tarfile import TarFile, TarInfo

_SHORT_NAMES = {".tgz": ".tar.gz", ".tbz2": ".tar.bz2", ".txz": ".tar.xz", ".tzst": ".tar.zst"}
_TAR_BLOCK = 512
_SUFFIXES = (
    ".zip",
    ".tar",
    *_SHORT_NAMES,
    *(f".tar{compression}" for compression in COMPRESSIONS),
)


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
        """The bytes of the file, decompressed if its name has the suffix of a compression."""
        file = self.file or io.BytesIO()
        if not is_compressed(self.name):
            return file
        return limit_expansion(lambda: decompress(file, self.name), self.origin, self.allowance)


def is_archive(name: str) -> bool:
    """Whether a file is an archive, judging by its name.

    >>> is_archive("wiki.tar.gz"), is_archive("wiki.tgz"), is_archive("wiki.xml.gz")
    (True, True, False)
    """
    return name.lower().endswith(_SUFFIXES)


def archive_stem(name: str) -> str:
    """An archive's name without its suffixes.

    >>> archive_stem("parts/wiki.tar.gz")
    'parts/wiki'
    """
    long = uncompressed_name(_long_name(name))
    return name[: len(os.path.splitext(long)[0])]


def members(path: str) -> Iterator[Member]:
    """The regular files of an archive, in its order."""
    return (member for member in entries(path) if member.file is not None)


def entries(path: str) -> Iterator[Member]:
    """Everything in an archive except directories, in its order."""
    try:
        yield from _zip_members(path) if path.lower().endswith(".zip") else _tar_members(path)
    except DoxevalError:
        raise
    except Exception as error:  # the readers of archives raise all kinds of errors on damaged data
        raise SourceError(unreadable_reason(error), path) from error


def member_names(path: str) -> Iterator[str]:
    """The names of the regular files of an archive, in its order."""
    return (member.name for member in members(path))


def _long_name(name: str) -> str:
    lower = name.lower()
    suffix = os.path.splitext(lower)[1]
    return lower.removesuffix(suffix) + _SHORT_NAMES.get(suffix, suffix)


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
        stored, contained = size_allowance(file, path), _contained(file, path)
        stream = limit_expansion(lambda: decompress(file, _long_name(path)), path, stored)
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
                    contents = limit_expansion(partial(_extracted, tar, entry), origin, contained)
                yield Member(entry.name, origin, contents, at - before, contained)
                before = at


def _extracted(tar: TarFile, entry: TarInfo) -> IO[bytes]:
    contents = tar.extractfile(entry)
    return io.BytesIO() if contents is None else contents


def _zip_members(path: str) -> Iterator[Member]:
    from zipfile import ZipFile

    with Path(path).open("rb") as file, ZipFile(file) as archive:
        contained = _contained(file, path)
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


def _contained(file: IO[bytes], path: str) -> Allowance:
    """What may come out of all members together."""
    return Allowance(os.fstat(file.fileno()).st_size, path)
