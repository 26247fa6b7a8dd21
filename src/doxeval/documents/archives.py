"""Reading the members of tar and zip archives one after another, without unpacking to disk."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import IO, NamedTuple

from doxeval.errors import SourceError
from doxeval.files import COMPRESSIONS, damage_errors, decompressed, uncompressed_name

_SHORT_NAMES = {".tgz": ".tar.gz", ".tbz2": ".tar.bz2", ".txz": ".tar.xz", ".tzst": ".tar.zst"}
_SUFFIXES = (
    ".zip",
    ".tar",
    *_SHORT_NAMES,
    *(f".tar{compression}" for compression in COMPRESSIONS),
)


class Member(NamedTuple):
    """A regular file in an archive, open until the next one is requested.

    weight is how many bytes of the archive were read to get to it.
    """

    name: str
    file: IO[bytes]
    weight: int


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
    from tarfile import TarError
    from zipfile import BadZipFile

    damage: tuple[type[Exception], ...] = (TarError, BadZipFile, *damage_errors())
    try:
        yield from _zip_members(path) if path.lower().endswith(".zip") else _tar_members(path)
    except OSError as error:
        raise SourceError(error.strerror or str(error), path) from error
    except damage as error:
        raise SourceError(f"the archive is damaged: {error}", path) from error
    except (RuntimeError, NotImplementedError) as error:  # a password, an unknown compression
        raise SourceError(f"the archive cannot be read: {error}", path) from error


def member_names(path: str) -> Iterator[str]:
    """The names of the regular files of an archive, in its order."""
    return (member.name for member in members(path))


def _long_name(name: str) -> str:
    lower = name.lower()
    suffix = os.path.splitext(lower)[1]
    return lower.removesuffix(suffix) + _SHORT_NAMES.get(suffix, suffix)


def _tar_members(path: str) -> Iterator[Member]:
    import tarfile

    with (
        Path(path).open("rb") as file,
        decompressed(file, _long_name(path)) as stream,
        tarfile.open(fileobj=stream, mode="r|") as tar,
    ):
        before = 0
        while (entry := tar.next()) is not None:
            # Otherwise tarfile would keep every member in memory (the attribute has no type stub).
            tar.members.clear()  # type: ignore[attr-defined]
            contents = tar.extractfile(entry) if entry.isreg() else None
            if contents is not None:
                at = file.tell()
                yield Member(entry.name, contents, at - before)
                before = at


def _zip_members(path: str) -> Iterator[Member]:
    from zipfile import ZipFile

    with ZipFile(path) as archive:
        for entry in archive.infolist():
            if not entry.is_dir():
                with archive.open(entry) as contents:
                    yield Member(entry.filename, contents, entry.compress_size)
