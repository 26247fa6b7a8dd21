r"""What collections and indexes are on disk: directories with a manifest, written once.

A manifest has the counts from which the lengths of all arrays follow, the size and the SHA-256 of
every file, and a checksum of itself. Everything in it is checked before any file is opened
(files.py); when all files are complete, it is written (writer.py).

Arrays are `.npy` files of one dimension. Their types and lengths follow from the counts, and so do
their headers, byte for byte: a file with any other header is refused before a single value is read,
so no file can ask for an array of Python objects.

Such a directory is a local one, or at a URL that fsspec can open (remote.py). A URL begins with a
protocol and `://`, as in `s3://bucket/wiki`; protocols may be chained, as in
`zip://wiki::https://host/wiki.zip`. Everything else is a path, `C:\wiki` and `a:b` included.
"""

from __future__ import annotations

import json
import os
import re
import time
from collections.abc import Callable, Container, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from doxeval.errors import InputError, OutputError
from doxeval.output import is_being_replaced, set_aside

MANIFEST_NAME = "manifest.json"
HEADER_BYTES = 128
LARGEST_SIZE = 1 << 62  # upper bound of any size or count
_SECONDS_TO_REPLACE = 5.0  # a directory, which takes two renames
# In the cache, where the files of a directory came from. No file of a collection has such a name.
URL_FILE = ".url"
_PROTOCOL = r"[A-Za-z][A-Za-z0-9+.\-]+"  # two characters at least: one is a drive of Windows
_URL = rf"(?:{_PROTOCOL}::)*{_PROTOCOL}://"
# What becomes of a URL when it is made a Path.
_FLATTENED = rf"({_PROTOCOL}:)[/\\][^/\\]"
_CREDENTIALS = r"(?<!github)://[^/@]*:[^/@]+@"  # github://organisation:repository@ has none
_LOCAL = ("file", "local")
_CACHE_VARIABLE = "DOXEVAL_CACHE"
ANOTHER_CACHE = f"the environment variable {_CACHE_VARIABLE} can name another directory"


class Column(NamedTuple):
    """An array on disk: the type of its values, and how many there are."""

    dtype: np.dtype[Any]
    length: int

    @property
    def header(self) -> bytes:
        """The beginning of the file, in version 1.0 of NumPy's format.

        >>> Column(np.dtype("<i4"), 3).header[10:68]
        b"{'descr': '<i4', 'fortran_order': False, 'shape': (3,)}   "
        """
        facts = {"descr": self.dtype.str, "fortran_order": False, "shape": (self.length,)}
        text = repr(facts).encode().ljust(HEADER_BYTES - 11) + b"\n"
        return b"\x93NUMPY\x01\x00" + len(text).to_bytes(2, "little") + text

    @property
    def bytes(self) -> int:
        """The size of the file."""
        return HEADER_BYTES + self.length * self.dtype.itemsize


@dataclass(frozen=True)
class StoreType:
    """A type of such directories, collections or indexes: its files, and words for messages.

    Every manifest has `counts`, whole numbers from which the lengths of all arrays follow.
    """

    format: str  # the manifest's "format"
    version: int
    noun: str
    again: str  # advice when something is damaged: "build the collection again"
    makes_one: str  # advice when there is none: what makes one
    error: type[InputError]
    # Files without a hash of their own: whoever reads them finds out whether they were altered.
    unhashed: Container[str]
    # At opening, so many bytes are compared with their hashes, the smallest files first.
    verified_bytes: int
    # Returns the part of a manifest that is absent or not of the right type, the counts first of
    # all; the list of files is checked for every type.
    missing: Callable[[Mapping[str, Any]], str | None]
    # The arrays by the names of their files, for these counts.
    columns: Callable[[Mapping[str, int]], dict[str, Column]]
    # Arrays that may be there, for these counts.
    optional_columns: Callable[[Mapping[str, int]], dict[str, Column]] = lambda counts: {}
    # Required files that are not arrays.
    other_files: frozenset[str] = frozenset()
    # Files that are verified with the others, but never read.
    unread: frozenset[str] = frozenset()

    @property
    def one(self) -> str:
        """The noun with its article: a collection, an index."""
        return f"{'an' if self.noun[0] in 'aeiou' else 'a'} {self.noun}"


# Reading a manifest


def read_manifest(store_type: StoreType, directory: Path) -> dict[str, Any]:
    """Return the manifest of a directory, if it is of this type and version, and unaltered."""
    address = str(directory / MANIFEST_NAME)
    return parse_manifest(store_type, _read(store_type, directory), str(directory), address)


def parse_manifest(
    store_type: StoreType, data: bytes, location: str, address: str
) -> dict[str, Any]:
    """Do the same for a manifest that was read at an address, of a directory that is elsewhere."""
    noun, again = store_type.noun, store_type.again
    manifest = _parse(data)
    if manifest is None:
        raise store_type.error(f"the manifest is damaged; {again}", address)
    if manifest.get("format") != store_type.format:
        raise store_type.error(f"this is not the manifest of {store_type.one}", address)
    if manifest.get("version") != store_type.version:
        version = str(manifest.get("version"))[:20]
        raise store_type.error(
            f"the {noun} has format version {version}, this doxeval reads version "
            f"{store_type.version}; build it again",
            location,
        )
    rest = {name: value for name, value in manifest.items() if name != "checksum"}
    if manifest.get("checksum") != manifest_checksum(rest):
        raise store_type.error(f"the manifest was altered; {again}", location)
    missing = store_type.missing(manifest) or _missing_files(store_type, manifest)
    if missing is not None:
        raise store_type.error(f"the manifest has no usable {missing}; {again}", address)
    return manifest


def is_stored(store_type: StoreType, directory: Path) -> bool:
    """Whether a directory is of this type, of whatever version and state."""
    try:
        manifest = _parse(_read(store_type, directory))
    except InputError:
        return False
    return manifest is not None and manifest.get("format") == store_type.format


def manifest_checksum(manifest: Mapping[str, Any]) -> str:
    """Return the checksum of a manifest that does not contain it yet."""
    import hashlib

    return hashlib.sha256(json.dumps(manifest, sort_keys=True).encode()).hexdigest()


def has_counts(manifest: Mapping[str, Any], *names: str) -> bool:
    """Whether a manifest has all these counts, as whole numbers that no file system exceeds.

    >>> has_counts({"counts": {"documents": 3}}, "documents")
    True
    >>> has_counts({"counts": {"documents": -3}}, "documents")
    False
    """
    counts = manifest.get("counts")
    return isinstance(counts, dict) and all(is_size(counts.get(name)) for name in names)


def is_size(value: object) -> bool:
    """Whether a value is a whole number that no file system exceeds.

    >>> is_size(3), is_size(-3), is_size(True)
    (True, False, False)
    """
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value < LARGEST_SIZE


def _read(store_type: StoreType, directory: Path) -> bytes:
    """Return the bytes of a manifest; a directory that is just being replaced is waited for."""
    path = directory / MANIFEST_NAME
    deadline = time.monotonic() + _SECONDS_TO_REPLACE
    while True:
        try:
            return path.read_bytes()
        except FileNotFoundError:
            if time.monotonic() > deadline or not is_being_replaced(directory):
                message = _why_missing(store_type, directory)
                raise store_type.error(message, str(directory)) from None
        except OSError as error:
            raise store_type.error(error.strerror or str(error), str(path)) from error
        time.sleep(0.01)


def _why_missing(store_type: StoreType, directory: Path) -> str:
    old = set_aside(directory)
    if old is not None and not directory.exists():
        return (
            f"a build was killed while it replaced the {store_type.noun}; the old one is "
            f"{old.name} in the same directory, and the next build puts it back"
        )
    expected = f"no {store_type.noun} here" if directory.is_dir() else "no such directory"
    return f"{expected}; {store_type.makes_one}"


def _parse(data: bytes) -> dict[str, Any] | None:
    """Return the object that JSON stands for; None if it does not stand for one."""
    try:
        manifest = json.loads(data)
    except (ValueError, RecursionError):
        return None
    return manifest if isinstance(manifest, dict) else None


def _missing_files(store_type: StoreType, manifest: Mapping[str, Any]) -> str | None:
    """Return what the list of files lacks, if the counts are in order."""
    files = manifest.get("files")
    if not isinstance(files, dict) or not all(
        _is_file(store_type, *entry) for entry in files.items()
    ):
        return "list of files"
    required = {*store_type.columns(manifest["counts"]), *store_type.other_files}
    absent = sorted(required - set(files))
    return f"hash of {absent[0]}" if absent else None


def _is_file(store_type: StoreType, name: str, recorded: object) -> bool:
    """Whether an entry is a size and a hash, for a file that lies in the directory itself."""
    if not isinstance(recorded, dict) or not is_size(recorded.get("bytes")):
        return False
    has_hash = isinstance(recorded.get("sha256"), str) or name in store_type.unhashed
    return (
        has_hash
        and name != MANIFEST_NAME
        and re.fullmatch(r"\w[\w.\-]{0,199}", name, re.A) is not None
    )


# Locations


def is_url(location: str | os.PathLike[str]) -> bool:
    """Whether a location is a URL, not a path.

    >>> [is_url(text) for text in ("s3://bucket/wiki", "zip://a::file:///b", "C:\\\\wiki", "a:b")]
    [True, True, False, False]
    """
    text = os.fsdecode(location)
    return "://" in text and re.match(_URL, text) is not None


def local_path(location: str | os.PathLike[str], error: type[InputError]) -> Path | None:
    """Return the path of a local directory, which a `file:` URL may name; None for other URLs.

    >>> local_path("wiki", InputError).name, local_path("file:///data/my%20wiki", InputError).name
    ('wiki', 'my wiki')
    >>> local_path("s3://bucket/wiki", InputError) is None
    True
    >>> local_path("http://[::1/wiki", InputError)
    Traceback (most recent call last):
    doxeval.errors.InputError: http://[::1/wiki: this is not a URL: Invalid IPv6 URL
    """
    text = os.fsdecode(location)
    if not is_url(text):
        if _is_flattened(text):
            raise error("a URL is given as a string: a Path loses one of its slashes", text)
        return Path(text)
    from urllib.parse import unquote, urlsplit  # not worth its time for most commands

    try:
        parts = urlsplit(text)
    except ValueError as reason:
        check_url(text, error)  # so that no password is repeated
        raise error(f"this is not a URL: {reason}", text) from None
    if parts.scheme not in _LOCAL:
        return None
    path = unquote(parts.path)
    if parts.netloc not in ("", "localhost") or not path.startswith("/") or "\0" in path:
        raise error("expected three slashes and a whole path, as in file:///data/wiki", text)
    return Path(path)


def check_url(url: str, error: type[InputError]) -> None:
    """Refuse a URL that names a password, or one of the web with a query.

    >>> check_url("sftp://me:secret@host/wiki", InputError)
    Traceback (most recent call last):
    doxeval.errors.InputError: the URL contains a password, which would end up in results, ...
    """
    if re.search(_CREDENTIALS, url):
        raise error(
            "the URL contains a password, which would end up in results, reports and pickles; "
            "give it where fsspec looks for it, such as FSSPEC_SFTP_PASSWORD"
        )
    if re.match(r"https?://[^?#]*[?#]", url):
        raise error("expected the URL of a directory, without ? and #", url)


def refuse_url(out: str | os.PathLike[str]) -> None:
    """Refuse to write to a URL.

    >>> refuse_url("s3://bucket/wiki")
    Traceback (most recent call last):
    doxeval.errors.OutputError: s3://bucket/wiki: only local directories can be written; ...
    """
    text = os.fsdecode(out)
    if is_url(text) or _is_flattened(text):
        url = text if is_url(text) else text.replace(":/", "://", 1)
        raise OutputError(
            f"{url}: only local directories can be written; write one, and copy it to the URL"
        )


def _is_flattened(path: str) -> bool:
    """Whether a path was made from a URL: nobody has a directory `s3:`."""
    match = re.match(_FLATTENED, path)
    return match is not None and not os.path.exists(match[1])


def absolute_location(location: str | os.PathLike[str]) -> str:
    """Return a location that is the same from any working directory.

    >>> absolute_location("s3://bucket/wiki"), absolute_location("/data/../wiki")
    ('s3://bucket/wiki', '/wiki')
    """
    return os.fsdecode(location) if is_url(location) else os.path.abspath(os.fsdecode(location))


def location_name(location: str) -> str:
    """Return the last part of a path or a URL, to call a collection by.

    >>> names = ("s3://bucket/wiki/", "zip://wiki::file:///b.zip", "data/wiki")
    >>> tuple(map(location_name, names))
    ('wiki', 'wiki', 'wiki')
    """
    if not is_url(location):
        return Path(location).name
    return location.partition("::")[0].rstrip("/").rpartition("/")[2]


def cache_directory() -> Path:
    """Return where remote collections are kept, and what is remembered of others.

    >>> cache_directory().is_absolute()
    True
    """
    if named := os.environ.get(_CACHE_VARIABLE):
        return Path(named).absolute()
    base = Path(os.environ.get("XDG_CACHE_HOME", ""))
    if base.is_absolute():  # a relative one is to be ignored, says the standard
        return base / "doxeval"
    try:
        return Path("~/.cache/doxeval").expanduser()
    except RuntimeError:
        raise OutputError(f"no home directory, and so no cache; {ANOTHER_CACHE}") from None
