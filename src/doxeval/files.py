"""Reading and writing files, compressed or not, with errors that users understand."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from typing import IO, Any, BinaryIO, cast

from doxeval.errors import FormatError, OutputError, SourceError
from doxeval.unfinished import parents_made, unfinished

LONGEST_LINE = 16 << 20
_CHUNK = 1 << 20
COMPRESSIONS = (".gz", ".bz2", ".xz", ".zst")


def uncompressed_name(name: str) -> str:
    """The name of a file without the suffix of its compression.

    >>> uncompressed_name("run.txt.gz")
    'run.txt'
    """
    return os.path.splitext(name)[0] if is_compressed(name) else name


def is_compressed(name: str) -> bool:
    """Whether a file is compressed, judging by its name."""
    return name.lower().endswith(COMPRESSIONS)


@contextmanager
def opened_with_position(
    path: str | os.PathLike[str],
) -> Iterator[tuple[BinaryIO, Callable[[], int]]]:
    """As `opened`, with a function that returns the current position in the file on disk."""
    try:
        with Path(path).open("rb") as file, decompressed(file, str(path)) as stream:
            yield stream, file.tell
    except OSError as error:
        raise SourceError(error.strerror or str(error), os.fspath(path)) from error
    except damage_errors() as error:
        raise SourceError(f"the compressed data are damaged: {error}", os.fspath(path)) from error


@contextmanager
def opened(path: str | os.PathLike[str]) -> Iterator[BinaryIO]:
    """Open a file for reading bytes; .gz, .bz2, .xz and .zst files are decompressed.

    A failure while the file is open (no permission, damaged data) becomes a SourceError that
    names the file.
    """
    with opened_with_position(path) as (stream, _):
        yield stream


def decompressed(file: IO[bytes], name: str) -> BinaryIO:
    """The decompressed contents of an open file; the file itself if its name has no such suffix."""
    suffix = os.path.splitext(name)[1].lower()
    if suffix == ".gz":
        import gzip

        return cast(BinaryIO, gzip.GzipFile(fileobj=file))
    if suffix == ".bz2":
        import bz2

        return cast(BinaryIO, bz2.BZ2File(file))
    if suffix == ".xz":
        import lzma

        return cast(BinaryIO, lzma.LZMAFile(file))
    if suffix == ".zst":
        return cast(BinaryIO, zstd().ZstdFile(file))
    return cast(BinaryIO, file)


def damage_errors() -> tuple[type[Exception], ...]:
    """The exceptions that decompressors raise for damaged data (besides OSError)."""
    import lzma
    import zlib

    return (EOFError, zlib.error, lzma.LZMAError, zstd().ZstdError)


def zstd() -> Any:
    """The module for zstd: part of the standard library from Python 3.14 on, a package before."""
    if sys.version_info >= (3, 14):
        return import_module("compression.zstd")
    return import_module("backports.zstd")


def text_lines(file: IO[bytes], origin: str) -> Iterator[tuple[int, str]]:
    """Each line that is not blank, with its number. Lines must be UTF-8 and of limited length.

    >>> import io
    >>> list(text_lines(io.BytesIO(b"one\\n\\ntwo"), "a.txt"))
    [(1, 'one'), (3, 'two')]
    """
    for number, data in enumerate(_byte_lines(file, origin), 1):
        try:
            line = data.decode("utf-8-sig" if number == 1 else "utf-8")
        except UnicodeDecodeError as error:
            reason = f"byte {data[error.start]:#04x} is not UTF-8 text"
            raise FormatError(reason, origin, number) from None
        if line and not line.isspace():
            yield number, line.rstrip("\r")


def _byte_lines(file: IO[bytes], origin: str) -> Iterator[bytes]:
    """All lines without their line ends, read in large chunks."""
    number, rest = 0, b""
    while chunk := file.read(_CHUNK):
        lines = (rest + chunk).split(b"\n") if rest else chunk.split(b"\n")
        rest = lines.pop()
        number += len(lines)
        if len(rest) > LONGEST_LINE or (lines and max(map(len, lines)) > LONGEST_LINE):
            raise FormatError(f"a line of more than {LONGEST_LINE:,} bytes", origin, number + 1)
        yield from lines
    if rest:
        yield rest


def json_lines(file: IO[bytes], origin: str) -> Iterator[tuple[int, Any]]:
    """The JSON value of each line that is not blank, with its number.

    >>> import io
    >>> list(json_lines(io.BytesIO(b'{"a": 1}\\n'), "a.jsonl"))
    [(1, {'a': 1})]
    """
    for number, line in text_lines(file, origin):
        try:
            yield number, parsed_json(line)
        except ValueError:
            raise FormatError("expected a JSON object", origin, number) from None


def parsed_json(text: str | bytes) -> Any:
    """A value from JSON. Text that is not JSON is a ValueError, and so is a lone surrogate.

    JSON can escape a lone surrogate, but no such text could be written out again as UTF-8.

    >>> parsed_json('{"a": 1}')
    {'a': 1}
    """
    import json

    try:
        value = json.loads(text)
        escape = "\\u" if isinstance(text, str) else b"\\u"
        if escape in text:  # type: ignore[operator]  # both are str, or both are bytes
            json.dumps(value, ensure_ascii=False).encode()
    except RecursionError:
        raise ValueError("too deeply nested") from None
    return value


@contextmanager
def written(path: str | os.PathLike[str]) -> Iterator[BinaryIO]:
    """Write a file completely or not at all: under a temporary name, which is changed at the end.

    A device or a pipe, such as /dev/stdout, is written to as it is.

    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "a.txt"
    >>> with written(path) as file:
    ...     _ = file.write(b"hello")
    >>> path.read_bytes()
    b'hello'
    """
    target = Path(path)
    with output_errors(target):
        if _is_device(target):
            with target.open("wb") as file:
                yield file
            return
        place = _followed(target)
        with unfinished(place, "writing", _new_file) as temporary:
            with temporary.open("wb") as file:
                yield file
                on_disk(file)
            temporary.replace(place)


@contextmanager
def written_directory(path: str | os.PathLike[str]) -> Iterator[Path]:
    """Write several files into a directory: all or none. They are put into the one given here.

    A new directory appears when it is complete. If it exists, the files are moved into it when all
    of them are complete, one after the other.

    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "figures"
    >>> with written_directory(path) as directory:
    ...     _ = (directory / "a.txt").write_text("hello")
    ...     path.exists()
    False
    >>> [file.name for file in path.iterdir()]
    ['a.txt']
    """
    target = Path(path)
    with output_errors(target), parents_made(target.absolute().parent):
        place = _followed(target)
        exists = place.is_dir()
        # Within an existing directory, because that may be on another file system than its parent.
        beside = place / place.name if exists else place
        with unfinished(beside, "writing", Path.mkdir) as temporary:
            yield temporary
            if exists:
                for file in sorted(temporary.iterdir()):
                    file.replace(place / file.name)
            else:
                temporary.rename(place)


@contextmanager
def output_errors(target: str | os.PathLike[str]) -> Iterator[None]:
    """Errors of the system become an OutputError that names what could not be written.

    >>> with output_errors("a.txt"):
    ...     raise OSError(28, "No space left on device")
    Traceback (most recent call last):
        ...
    doxeval.errors.OutputError: a.txt: cannot be written: No space left on device
    """
    try:
        yield
    except BrokenPipeError:
        raise  # nobody reads any more, which is no error of the output
    except OSError as error:
        raise OutputError(f"{target}: cannot be written: {error.strerror or error}") from error


def on_disk(file: BinaryIO) -> None:
    """Make sure that all that was written to a file is on disk."""
    file.flush()
    os.fsync(file.fileno())


def _new_file(path: Path) -> None:
    path.touch(exist_ok=False)


def _followed(path: Path) -> Path:
    """What a link points to, so that the link itself stays."""
    return Path(os.path.realpath(path)) if path.is_symlink() else path


def _is_device(path: Path) -> bool:
    """Whether there is something already that is neither a file nor a directory."""
    return path.exists() and not path.is_file() and not path.is_dir()
