"""What the cache of remote collections holds, and removing it."""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from doxeval.errors import InputError, OutputError, output_errors
from doxeval.messages import quoted
from doxeval.storage.locations import URL_FILE, cache_directory
from doxeval.storage.manifest import NAME

_SEAL = re.compile(r"[0-9a-f]{64}")
_SHORTEST_SEAL = 4


@dataclass(frozen=True)
class Kept:
    """What is kept in the cache under one seal: files of a collection, perhaps an index of it."""

    seal: str
    directory: Path
    url: str  # where it came from
    bytes: int
    is_complete: bool

    def as_dict(self) -> dict[str, Any]:
        """The facts by name, for JSON."""
        return {
            "seal": self.seal,
            "url": self.url,
            "bytes": self.bytes,
            "complete": self.is_complete,
            "directory": str(self.directory),
        }


def kept_collections() -> list[Kept]:
    """All that the cache holds, by seal.

    >>> isinstance(kept_collections(), list)
    True
    """
    return sorted(_found(), key=lambda one: one.seal)


def remove(one: Kept) -> None:
    """Remove a collection from the cache. Whoever has it open can go on reading the columns."""
    with output_errors(one.directory):
        (one.directory / NAME).unlink(missing_ok=True)  # the rest is not complete any more
        for directory in _directories(one.directory):
            shutil.rmtree(directory)


def chosen(kept: list[Kept], wanted: str) -> list[Kept]:
    """Those that a user names: `all`, the beginning of a seal, or a URL.

    >>> one = Kept("1f3a9c0b", Path("1f3a9c0b"), "s3://bucket/wiki", 79_000_000, True)
    >>> chosen([one], "1f3a") == chosen([one], "s3://bucket/wiki") == [one]
    True
    """
    found = [
        one
        for one in kept
        if wanted in ("all", one.url)
        or (len(wanted) >= _SHORTEST_SEAL and one.seal.startswith(wanted))
    ]
    if not found and wanted != "all":
        expected = f"expected all, a URL, or a seal (its first {_SHORTEST_SEAL} digits do)"
        raise InputError(f"nothing in the cache is {quoted(wanted)}: {expected}")
    return found


def _found() -> Iterator[Kept]:
    place = cache_directory()
    try:
        names = os.listdir(place)
    except FileNotFoundError:
        return
    except OSError as error:
        raise OutputError(f"{place}: cannot be read: {error.strerror or error}") from error
    for name in names:
        if _SEAL.fullmatch(name):
            own = place / name
            size = sum(map(_bytes_in, _directories(own)))
            yield Kept(name, own, url_of(own), size, (own / NAME).exists())


def _directories(own: Path) -> list[Path]:
    """The directory of a collection, and that of its index."""
    both = (own, own.with_name(f"{own.name}.index"))
    return [directory for directory in both if directory.is_dir()]


def _bytes_in(directory: Path) -> int:
    size = 0
    for path in directory.iterdir():
        with suppress(OSError):  # it is being renamed
            size += path.stat().st_size
    return size


def url_of(directory: Path) -> str:
    """Where the files of a directory in the cache came from."""
    try:
        return (directory / URL_FILE).read_text(encoding="utf-8")
    except (OSError, ValueError):
        return ""
