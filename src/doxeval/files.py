"""Reading and writing files, compressed or not, with errors that users understand.

Files are read with limits on what may come out of a compressed one and on the length of lines.
Outputs are written completely or not at all, alone or several together (see output.py).
"""

from __future__ import annotations

import errno
import io
import os
import re
import stat
import sys
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager, ExitStack, contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, BinaryIO, Generic, NamedTuple, TypeVar, cast

from doxeval.errors import DoxevalError, FormatError, OutputError, SourceError, output_errors
from doxeval.messages import plural
from doxeval.output import flush_to_disk, make_parents, move_all_into_place, temporary_output

if TYPE_CHECKING:
    from datetime import datetime

T = TypeVar("T")
Read = TypeVar("Read")
Written = TypeVar("Written")
LONGEST_LINE = 16 << 20
_CHUNK = 1 << 20
_BUFFER = 1 << 15
_CSV_LIMIT = threading.Lock()
_LONGEST_CSV_FIELD = (1 << 31) - 1
_LONGEST_CSV_HEADER = 1 << 16
# A compressed file or an archive may hold this many times its size, plus an allowance.
EXPANSION = 100
EXPANSION_ALLOWANCE = 64 << 20
# What some programs write before text in UTF-8; it is no part of the text.
BYTE_ORDER_MARK = b"\xef\xbb\xbf"
COMPRESSIONS = (".gz", ".bz2", ".xz", ".zst")
# Of a compressed tar, what it may be called for short.
SHORT_SUFFIXES = {".tgz": ".tar.gz", ".tbz2": ".tar.bz2", ".txz": ".tar.xz", ".tzst": ".tar.zst"}
ARCHIVE_SUFFIXES = (".zip", ".tar", *SHORT_SUFFIXES, *(f".tar{suffix}" for suffix in COMPRESSIONS))


def uncompressed_name(name: str) -> str:
    """Return the name of a file without the suffix of its compression.

    >>> uncompressed_name("run.txt.gz")
    'run.txt'
    """
    return os.path.splitext(name)[0] if is_compressed(name) else name


def name_of_file(name: str) -> str:
    """Return the name of a run that has none of its own: that of its file, without suffixes.

    >>> name_of_file("runs/bm25.jsonl.gz"), name_of_file("")
    ('bm25', 'run')
    """
    return os.path.splitext(os.path.basename(uncompressed_name(name)))[0] or "run"


def is_same_file(name: str | os.PathLike[str], other: str | os.PathLike[str]) -> bool:
    """Whether two names are those of one file, which exists.

    >>> is_same_file("nowhere.json", "nowhere.json")
    False
    """
    return os.path.exists(name) and os.path.exists(other) and os.path.samefile(name, other)


def is_compressed(name: str) -> bool:
    """Whether a file is compressed, judging by its name."""
    return name.lower().endswith(COMPRESSIONS)


def is_archive(name: str) -> bool:
    """Whether a file is an archive, judging by its name.

    >>> is_archive("wiki.tar.gz"), is_archive("wiki.tgz"), is_archive("wiki.xml.gz")
    (True, True, False)
    """
    return name.lower().endswith(ARCHIVE_SUFFIXES)


class Allowance:
    """An account of the bytes that may still come out of a compressed file or an archive.

    >>> Allowance(10, "a.gz").use(1000)
    >>> Allowance(10, "a.gz").use(1 << 40)
    Traceback (most recent call last):
    doxeval.errors.SourceError: a.gz: holds more than 100 times its size; unpack it if you trust it
    """

    def __init__(self, size: int, origin: str) -> None:
        self._left = EXPANSION * size + EXPANSION_ALLOWANCE
        self._origin = origin

    def use(self, count: int) -> None:
        """Deduct bytes that came out; raise a SourceError if there are too many."""
        self._left -= count
        if self._left < 0:
            message = f"holds more than {EXPANSION} times its size; unpack it if you trust it"
            raise SourceError(message, self._origin)


class _Decoded(io.RawIOBase):
    """A decoder's output; whatever the decoder raises becomes a SourceError naming the source."""

    def __init__(
        self, open_decoder: Callable[[], IO[bytes]], origin: str, allowance: Allowance | None
    ) -> None:
        self._open_decoder = open_decoder
        self._stream: Any = None
        self._origin = origin
        self._allowance = allowance

    def readable(self) -> bool:
        """Return True."""
        return True

    def readinto(self, buffer: Any) -> int:
        """Read some bytes into a buffer."""
        try:
            if self._stream is None:
                self._stream = self._open_decoder()
            count: int = self._stream.readinto(buffer)
        except DoxevalError:
            raise
        except Exception as error:  # decoders raise all kinds of errors on damaged data
            raise SourceError(unreadable_reason(error), self._origin) from error
        if self._allowance is not None:
            self._allowance.use(count)
        return count

    def close(self) -> None:
        """Close the decoder, too."""
        if self._stream is not None and not self.closed:
            self._stream.close()
        super().close()


def limit_expansion(
    open_decoder: Callable[[], IO[bytes]], origin: str, allowance: Allowance | None = None
) -> BinaryIO:
    """Return a stream that is opened when it is first read; its errors are SourceErrors.

    >>> import gzip
    >>> limit_expansion(lambda: gzip.GzipFile(fileobj=io.BytesIO(b"none")), "a.gz").read()
    Traceback (most recent call last):
    doxeval.errors.SourceError: a.gz: the data are damaged: Not a gzipped file (b'no')
    """
    return cast(BinaryIO, io.BufferedReader(_Decoded(open_decoder, origin, allowance), _BUFFER))


def unreadable_reason(error: Exception) -> str:
    """Return what an error of the system or of a decoder means to a user.

    >>> unreadable_reason(EOFError("no end")), unreadable_reason(OSError(5, "I/O error"))
    ('the data are damaged: no end', 'I/O error')
    """
    if isinstance(error, OSError) and error.strerror:
        return error.strerror
    if isinstance(error, NotImplementedError | RuntimeError):  # a password, an unknown compression
        return f"cannot be read: {error}"
    if isinstance(error, MemoryError):  # the data say how much memory it takes to decompress them
        return "cannot be read: there is not enough memory to decompress it"
    return f"the data are damaged: {str(error) or type(error).__name__}"


@contextmanager
def open_with_position(
    path: str | os.PathLike[str],
    begin: int = 0,
) -> Iterator[tuple[BinaryIO, Callable[[], int]]]:
    """Open a file as `open_input` does, with a function that returns the position on disk.

    A file that is not compressed can be read from any position on. A pipe has no positions.
    """
    name = os.fspath(path)
    with _open_file(name) as file:
        if begin:
            file.seek(begin)
        allowance = size_allowance(file, name) if is_compressed(name) else None
        with limit_expansion(lambda: decompress(file, name), name, allowance) as stream:
            yield stream, file.tell if file.seekable() else lambda: 0


def _open_file(name: str) -> BinaryIO:
    try:
        return Path(name).open("rb")
    except OSError as error:
        raise SourceError(error.strerror or str(error), name) from error
    except ValueError as error:  # a null character or a lone surrogate in the name
        raise SourceError(str(error), name) from error


def size_allowance(file: IO[bytes], origin: str) -> Allowance | None:
    """Return what may come out of a compressed file; None, no limit, for a pipe without size."""
    state = os.fstat(file.fileno())
    return Allowance(state.st_size, origin) if stat.S_ISREG(state.st_mode) else None


@contextmanager
def open_input(path: str | os.PathLike[str]) -> Iterator[BinaryIO]:
    """Open a file for reading bytes; .gz, .bz2, .xz and .zst files are decompressed.

    A failure to open or read it (no permission, damaged data) becomes a SourceError that names
    the file.
    """
    with open_with_position(path) as (stream, _):
        yield stream


def decompress(file: IO[bytes], name: str) -> BinaryIO:
    """Return the decompressed contents of an open file, or the file if it is not compressed."""
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


def zstd() -> Any:
    """Return the module for zstd: of the standard library from Python 3.14 on, a package before."""
    if sys.version_info >= (3, 14):
        return import_module("compression.zstd")
    return import_module("backports.zstd")


def read_up_to(file: IO[bytes], most: int) -> bytes:
    """Return the whole of a file, or one byte more than `most` of it if it is larger.

    A file would allocate as many bytes as are requested, however few it has; so they are requested
    a little at a time.

    >>> import io
    >>> read_up_to(io.BytesIO(b"hello"), 3), read_up_to(io.BytesIO(b"hello"), 9)
    (b'hell', b'hello')
    """
    pieces, left = [], most + 1
    while left and (piece := file.read(min(left, _CHUNK))):
        pieces.append(piece)
        left -= len(piece)
    return b"".join(pieces)


def read_whole(file: IO[bytes], origin: str, most: int) -> bytes:
    """Return the whole of a file but the byte order mark; one of more bytes is an error.

    >>> import io
    >>> read_whole(io.BytesIO(b"hello"), "a.json", 3)
    Traceback (most recent call last):
    doxeval.errors.FormatError: a.json: more than 3 bytes in one file
    """
    data = read_up_to(file, most)
    if len(data) > most:
        raise FormatError(f"more than {most:,} bytes in one file", origin)
    return data.removeprefix(BYTE_ORDER_MARK)


def text_lines(file: IO[bytes], origin: str) -> Iterator[tuple[int, str]]:
    """Return each line that is not blank, with its number; lines are UTF-8 of limited length.

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
    """Return all lines without their line ends, read in large chunks."""
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
    """Return the JSON value of each line that is not blank, with its number.

    >>> import io
    >>> list(json_lines(io.BytesIO(b'{"a": 1}\\n'), "a.jsonl"))
    [(1, {'a': 1})]
    """
    for number, line in text_lines(file, origin):
        try:
            yield number, decode_json(line)
        except ValueError:
            raise FormatError("expected a JSON object", origin, number) from None


@contextmanager
def long_csv_fields(longest: int) -> Iterator[None]:
    """Let the csv module read fields of up to `longest` characters inside, in one thread at a time.

    The limit belongs to the process, so it is raised only while rows are read.

    >>> import csv
    >>> with long_csv_fields(1 << 20):
    ...     rows = list(csv.reader(["a" * 200_000]))
    >>> len(rows[0][0])
    200000
    """
    import csv

    with _CSV_LIMIT:
        before = csv.field_size_limit(longest)
        try:
            yield
        finally:
            csv.field_size_limit(before)


def csv_rows(text: str, origin: str, separator: str = ",") -> list[tuple[int, list[str]]]:
    r"""Return all rows of CSV that are not blank, with the lines on which they begin.

    >>> csv_rows('id,text\n1,"a, ""b""\n c"\n\n2,5" pipe\n', "a.csv")[1:]
    [(2, ['1', 'a, "b"\n c']), (5, ['2', '5" pipe'])]
    """
    import csv

    reader = csv.reader(io.StringIO(text, newline=""), delimiter=separator, strict=True)
    rows, line = [], 1
    with long_csv_fields(_LONGEST_CSV_FIELD):
        try:
            for row in reader:
                if row not in ([], [""]):
                    rows.append((line, row))
                line = reader.line_num + 1
        except csv.Error:
            message = "a quotation mark that does not enclose its field"
            raise FormatError(message, origin, line) from None
    return rows


def csv_separator(text: str) -> str:
    """Return what separates the fields of the first line; spreadsheets write what is usual locally.

    >>> csv_separator("question;quote;tag"), csv_separator('"a;b",c'), csv_separator("a")
    (';', ',', ',')
    """
    first = re.sub(r'"[^"]*"', "", text[:_LONGEST_CSV_HEADER].removeprefix("\ufeff").lstrip("\r\n"))
    first = re.split(r"[\r\n]", first, maxsplit=1)[0]
    if first.startswith("sep="):
        return first[4:5] or ","
    return max(",;\t", key=first.count)


def csv_records(
    text: str, origin: str, separator: str = ","
) -> Iterator[tuple[int, dict[str, str]]]:
    r"""Return each row by the names of the first one, with the line on which it begins.

    >>> list(csv_records('id,text\n1,"a, ""b"" c"\n2,5" pipe\n', "a.csv"))
    [(2, {'id': '1', 'text': 'a, "b" c'}), (3, {'id': '2', 'text': '5" pipe'})]
    """
    rows = iter(csv_rows(text.removeprefix("\ufeff"), origin, separator))
    _, header = next(rows, (1, []))
    if header and header[0].startswith("sep="):  # as spreadsheets write it
        _, header = next(rows, (2, []))
    named = len(header)
    while named and not header[named - 1].strip():
        named -= 1
    header = header[:named]
    if len(set(header)) < len(header):
        twice = next(name for at, name in enumerate(header) if name in header[:at])
        raise FormatError(f"there are two columns {twice[:80]!r}", origin, 1)
    for line, row in rows:
        if not any(row) and named > 1:
            continue
        if not any(row[named:]):
            row = row[:named]
        if len(row) != len(header):
            fields, expected = plural(len(row), "field"), len(header)
            raise FormatError(f"{fields}: expected {expected}, as on the first line", origin, line)
        yield line, dict(zip(header, row, strict=True))


def decode_json(text: str | bytes) -> Any:
    """Parse JSON; raise a ValueError if it is not JSON, or contains a lone surrogate.

    JSON can escape a lone surrogate, but no such text could be written out again as UTF-8.

    >>> decode_json('{"a": 1}')
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


def date_of_sources() -> datetime | None:
    """Return the date that SOURCE_DATE_EPOCH sets, as builds do that are to be reproduced.

    >>> from unittest.mock import patch
    >>> with patch.dict(os.environ, {"SOURCE_DATE_EPOCH": "86400"}):
    ...     print(date_of_sources())
    1970-01-02 00:00:00+00:00
    """
    from datetime import UTC, datetime

    epoch = os.environ.get("SOURCE_DATE_EPOCH", "")
    if not epoch.isdecimal():
        return None
    try:
        return datetime.fromtimestamp(int(epoch), UTC)
    except (OverflowError, ValueError, OSError):
        message = f"SOURCE_DATE_EPOCH={epoch[:40]}: expected seconds since 1970"
        raise OutputError(message) from None


@contextmanager
def open_output(path: str | os.PathLike[str]) -> Iterator[BinaryIO]:
    """Write a file completely or not at all: under a temporary name, which is changed at the end.

    A device or a pipe, such as /dev/stdout, is written to as it is.

    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "a.txt"
    >>> with open_output(path) as file:
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
        with outputs_together() as outputs:
            target = _follow_link(target)
            temporary = outputs.entered(temporary_output(target, "writing"))
            with temporary.open("wb") as file:
                yield file
                flush_to_disk(file)
            outputs.add(temporary, target)


@contextmanager
def output_directory(path: str | os.PathLike[str]) -> Iterator[Path]:
    """Write several files into a directory, all or none; they are put into the one yielded.

    A new directory appears when it is complete. If it exists, the files are moved into it when all
    of them are complete, one after the other.

    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "figures"
    >>> with output_directory(path) as directory:
    ...     _ = (directory / "a.txt").write_text("hello")
    ...     path.exists()
    False
    >>> [file.name for file in path.iterdir()]
    ['a.txt']
    """
    target = Path(path)
    with output_errors(target), outputs_together() as outputs:
        outputs.entered(make_parents(target.absolute().parent))
        target = _follow_link(target)
        exists = target.is_dir()
        # Within an existing directory, because that may be on another file system than its parent.
        sibling = target / target.name if exists else target
        temporary = outputs.entered(temporary_output(sibling, "writing", Path.mkdir))
        with _group(None):  # what is written into it need not wait
            yield temporary
        if exists:
            for file in sorted(temporary.iterdir()):
                outputs.add(file, target / file.name)
        else:
            outputs.add(temporary, target)


class Outputs:
    """Files and directories that are complete, and wait to be put in their places together."""

    def __init__(self, stack: ExitStack) -> None:
        self._stack = stack
        self._outputs: dict[str, tuple[Path, Path]] = {}

    def entered(self, context: AbstractContextManager[T]) -> T:
        """Enter a context that must stay until all outputs are in their places."""
        return self._stack.enter_context(context)

    def add(self, temporary: Path, target: Path) -> None:
        """Add what is complete under a temporary name, and where it belongs."""
        real = os.path.realpath(target)
        if real in self._outputs:
            raise OutputError(f"{target}: two outputs would be written to it")
        if target.is_dir():
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(target))
        self._outputs[real] = temporary, target

    def put_in_place(self) -> None:
        """Put everything in its place, or nothing."""
        outputs = list(self._outputs.values())
        try:
            move_all_into_place(outputs)
        except OSError as error:
            with output_errors(error.filename2 or error.filename or outputs[0][1]):
                raise


_outputs: ContextVar[Outputs | None] = ContextVar("outputs", default=None)


@contextmanager
def _group(outputs: Outputs | None) -> Iterator[None]:
    """Let what is written inside wait for other outputs, or for none."""
    token = _outputs.set(outputs)
    try:
        yield
    finally:
        _outputs.reset(token)


@contextmanager
def outputs_together() -> Iterator[Outputs]:
    """Let all that is written inside by `open_output` and `output_directory` appear together.

    Everything is complete under its temporary name, and on disk, before the first output appears;
    after an error, nothing does. Two outputs of the same name are an error.

    >>> import tempfile
    >>> folder = Path(tempfile.mkdtemp())
    >>> with outputs_together():
    ...     for name in ("a.txt", "b.txt"):
    ...         with open_output(folder / name) as file:
    ...             _ = file.write(b"hello")
    ...     (folder / "a.txt").exists()
    False
    >>> (folder / "a.txt").exists(), (folder / "b.txt").exists()
    (True, True)
    """
    around = _outputs.get()
    if around is not None:
        yield around
        return
    with ExitStack() as stack:
        outputs = Outputs(stack)
        with _group(outputs):
            yield outputs
        outputs.put_in_place()


def _follow_link(path: Path) -> Path:
    """Return what a link points to, so that the link itself stays."""
    return Path(os.path.realpath(path)) if path.is_symlink() else path


def _is_device(path: Path) -> bool:
    """Whether there is something already that is neither a file nor a directory."""
    return path.exists() and not path.is_file() and not path.is_dir()


# Formats of files


class FormatFunctions(NamedTuple, Generic[Read, Written]):
    """The functions of a format.

    read: makes a value of an open file and its name. write: makes the parts of a file of a value.
    losses: names what of a value the format cannot hold.
    """

    read: Callable[..., Read]
    write: Callable[[Written], Iterable[bytes]]
    losses: Callable[[Written], list[str]] = lambda value: []


@dataclass(frozen=True)
class FileFormat(Generic[Read, Written]):
    """A format of files, and how it is recognised.

    suffixes: how names of such files end, before the suffix of a compression. load: imports its
    functions when one of them is used, so that nobody waits for what another format needs. sniff:
    whether a file is in this format, given how it begins.
    """

    name: str
    suffixes: tuple[str, ...]
    load: Callable[[], FormatFunctions[Read, Written]]
    sniff: Callable[[bytes], bool] = lambda begin: False

    @property
    def read(self) -> Callable[..., Read]:
        """The function that reads a file."""
        return self.load().read

    @property
    def write(self) -> Callable[[Written], Iterable[bytes]]:
        """The function that gives the parts of a file."""
        return self.load().write

    @property
    def losses(self) -> Callable[[Written], list[str]]:
        """The function that names what would be lost."""
        return self.load().losses


def choose_format(
    formats: Mapping[Any, FileFormat[Read, Written]],
    given: str | None = None,
    *,
    path: str = "",
    begin: bytes = b"",
) -> FileFormat[Read, Written] | None:
    """Return the format given by its name, or else by how a file is called or how it begins.

    None if there is no format of that name, or if nothing says which it is.

    >>> functions = FormatFunctions(lambda file, name: file.read(), lambda value: [value])
    >>> formats = {"text": FileFormat("text", (".txt",), lambda: functions)}
    >>> choose_format(formats, path="a.txt.gz").name, choose_format(formats, "pdf")
    ('text', None)
    """
    if given is not None:
        return formats.get(given)
    suffix = os.path.splitext(uncompressed_name(path))[1].lower()
    return next(
        (each for each in formats.values() if suffix in each.suffixes or each.sniff(begin)), None
    )
