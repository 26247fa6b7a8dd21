"""Reading the members of tar and zip archives one after another, without unpacking to disk.

What the name of a file says: the format of its contents, and the ids of its documents.

Globs: the files whose paths match a pattern such as `docs/**/*.md`.

`*`, `?` and `[…]` match within one name, and no name that begins with a dot, unless the pattern
does, too. `**` stands for any number of directories, but not for links to directories: two links
to the directory that they are in would make more paths than can ever be followed.

Sources of documents: directories, globs, archives, compressed files, records, JSONL.

A source is walked once, in a fixed order. The walk only names files and notes their sizes; what is
in them is read later, perhaps by another process (see contents.py).
"""

from __future__ import annotations

import fnmatch
import glob
import io
import os
import re
import stat
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from operator import attrgetter
from pathlib import Path
from typing import IO, TYPE_CHECKING, BinaryIO, NamedTuple, TypeAlias

from doxeval.documents.build.options import BuildOptions, Format
from doxeval.documents.ids import distinct_paths, normalised_id, without_suffixes
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
from doxeval.messages import Parameter, join_names, plural, quoted, truncate

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


class FileNames:
    """Names of files, read as the options of a build say.

    >>> names = FileNames(BuildOptions())
    >>> names.format("co/a.xml.gz"), names.format("a.png")
    ('xml', None)
    >>> names.id_paths(["co/a.xml", "co/b.html"])
    ['co/a', 'co/b']
    """

    def __init__(self, options: BuildOptions) -> None:
        self._options = options

    def format(self, name: str) -> Format | None:
        """The format in which a file is read; None if it is not a document."""
        if self._options.format is not None and not is_archive(name):
            return self._options.format
        return SUFFIXES.get(os.path.splitext(uncompressed_name(name))[1].lower())

    def holds_many(self, format_: Format) -> bool:
        """Whether a file of this format holds any number of documents."""
        return format_ == "jsonl" or (format_ == "xml" and self._options.record is not None)

    def id_paths(self, names: Iterable[str]) -> list[str]:
        """The paths that ids are made of, with forward slashes, for the files of one directory."""
        names = list(names)
        shortened = {name: without_suffixes(name) for name in names}
        if self._options.id_rule.text == "path":
            single = [name for name in shortened if self._is_one_document(name)]
            shortened |= zip(single, distinct_paths(single), strict=True)
        return [with_slashes(shortened[name]) for name in names]

    def keeps_suffix(self, name: str, id_path: str) -> bool:
        """Whether the path that an id is made of has a suffix that other ids do not have."""
        if self._options.id_rule.text != "path":
            return False
        shortest = with_slashes(without_suffixes(name))
        return normalised_id(id_path) != normalised_id(shortest)

    def _is_one_document(self, name: str) -> bool:
        format_ = self.format(name)
        return format_ is not None and not self.holds_many(format_)


def kind_of(name: str) -> str:
    """What files that are not documents are counted by: the suffix, or the whole name.

    >>> kind_of("a/photo.PNG"), kind_of("Makefile")
    ('.png', 'Makefile')
    """
    return os.path.splitext(name)[1].lower() or name


def with_slashes(path: str) -> str:
    """A path with forward slashes on any system."""
    return path if os.sep == "/" else path.replace(os.sep, "/")


_ANY_DIRECTORIES = "**"
# No path is longer, and the time that Python takes for a part grows with the square of its length.
LONGEST_PATTERN = 4096


class Found(NamedTuple):
    """The files that match, sorted, and how many links to directories `**` did not follow."""

    files: list[str]
    links: int


def globbed(pattern: str) -> Found:
    """The files that match a pattern.

    >>> globbed("no/such/place/**/*.xml")
    Found(files=[], links=0)
    """
    if len(pattern) > LONGEST_PATTERN:
        raise SourceError(
            f"the pattern has {len(pattern):,} characters, at most {LONGEST_PATTERN:,} are allowed",
            quoted(pattern),
        )
    parts = Path(pattern).parts
    if _ANY_DIRECTORIES not in parts:
        return Found(sorted(filter(os.path.isfile, glob.glob(pattern))), 0)
    base = fixed_part(pattern)
    steps = parts[len(Path(base).parts) :] if base else parts
    return _walked(base, _Steps(steps))


def fixed_part(pattern: str) -> str:
    """The directory before the first part of a pattern that has a wildcard.

    >>> fixed_part("docs/en/**/*.md"), fixed_part("*.md")
    ('docs/en', '')
    """
    fixed = []
    for part in Path(pattern).parts:
        if glob.has_magic(part):
            break
        fixed.append(part)
    return os.path.join(*fixed) if fixed else ""


class _Steps:
    """The parts of a pattern, as an automaton: a state is how many parts are matched so far."""

    def __init__(self, parts: Collection[str]) -> None:
        self._patterns = [
            None if part == _ANY_DIRECTORIES else re.compile(fnmatch.translate(part))
            for part in parts
        ]
        self._may_be_hidden = [part.startswith(".") for part in parts]
        self.end = len(parts)
        self.begin = self.settled({0})

    def named(self, states: set[int], name: str) -> set[int]:
        """The states after a name that parts other than `**` match."""
        hidden = name.startswith(".")
        return {
            at + 1
            for at in states
            if at < self.end
            and (pattern := self._patterns[at]) is not None
            and (not hidden or self._may_be_hidden[at])
            and pattern.match(name)
        }

    def passing(self, states: set[int], name: str) -> set[int]:
        """The states in which `**` takes a name."""
        if name.startswith("."):
            return set()
        return {at for at in states if at < self.end and self._patterns[at] is None}

    def settled(self, states: set[int]) -> set[int]:
        """The states with those that are reached because `**` may stand for nothing."""
        reached = set(states)
        for at in range(self.end):
            if at in reached and self._patterns[at] is None:
                reached.add(at + 1)
        return reached


def _walked(base: str, steps: _Steps) -> Found:
    files: list[str] = []
    links = 0
    waiting = [(base, steps.begin)]
    while waiting:
        directory, states = waiting.pop()
        for entry in _entries(directory, directory == base):
            named, passing = steps.named(states, entry.name), steps.passing(states, entry.name)
            path = os.path.join(directory, entry.name)
            if os.path.isfile(path):
                if steps.end in named or steps.end - 1 in passing:
                    files.append(path)
            elif (named or passing) and os.path.isdir(path):
                is_link = entry.is_symlink()
                links += bool(is_link and passing)
                further = steps.settled(named if is_link else named | passing) - {steps.end}
                if further:
                    waiting.append((path, further))
    return Found(sorted(files), links)


def _entries(directory: str, is_base: bool) -> list[os.DirEntry[str]]:
    try:
        with os.scandir(directory or ".") as scan:
            return list(scan)
    except OSError as error:
        if is_base and isinstance(error, FileNotFoundError | NotADirectoryError):
            return []  # nothing matches
        raise SourceError(error.strerror or str(error), directory) from error
    except ValueError as error:  # a null character or a lone surrogate in the name
        raise SourceError(str(error), directory) from error


LINKS = "links and special files"


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
            raise SourceError(Parameter("sources", source) + ": expected a path, or several")
    return [os.fsdecode(source) for source in given]


def recorded_path(path: str) -> str:
    r"""A path as a manifest records it: bytes that are not UTF-8 are written as escapes.

    >>> print(recorded_path("a/\udcff"))
    a/\xff
    """
    return path.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")


@dataclass
class Tally:
    """What was noticed on the way to the documents.

    passed_over: how many files were skipped because they are not documents, by suffix.
    suffixes_kept: how many documents keep a suffix in their path, so that they can be told apart.

    >>> tally = Tally(Counter({".png": 2}))
    >>> tally.add(Tally(Counter({".png": 1}), 3))
    >>> tally
    Tally(passed_over=Counter({'.png': 3}), suffixes_kept=3)
    """

    passed_over: Counter[str] = field(default_factory=Counter)
    suffixes_kept: int = 0

    @property
    def warnings(self) -> tuple[str, ...]:
        """What a user should know: how many files were not read, by suffix.

        >>> Tally(Counter({".pdf": 2, ".rst": 1})).warnings
        ('3 files were not read: .pdf (2), .rst (1)',)
        """
        count = sum(self.passed_over.values())
        if not count:
            return ()
        kinds = [f"{truncate(kind)} ({n:,})" for kind, n in self.passed_over.most_common()]
        were = "was" if count == 1 else "were"
        return (f"{plural(count, 'file')} {were} not read: {join_names(kinds)}",)

    def add(self, other: Tally) -> None:
        """Add what was noticed elsewhere."""
        self.passed_over.update(other.passed_over)
        self.suffixes_kept += other.suffixes_kept


class SourceFile(NamedTuple):
    """A file with documents, or a range of its lines.

    path: where it is. name: what ids are made of: the path of the file inside its source, without
    the suffixes that an id does not need; of an archive, what stands before the names of its
    members. format: None for an archive. size: its bytes on disk. begin, end: the bytes of the
    range; first_line: the number of its first line. The end of a whole file is -1.
    """

    path: str
    name: str
    format: Format | None
    holds_many: bool
    size: int
    begin: int = 0
    end: int = -1
    first_line: int = 1

    @property
    def weight(self) -> int:
        """How many bytes of the source it accounts for."""
        return self.size if self.end < 0 else self.end - self.begin


class _Found(NamedTuple):
    """A file that may have documents.

    path: where it is. name: its path inside the source. id_path: its name without the suffixes
    that an id does not need. explicit: whether the file itself was given as a source.
    """

    path: str
    name: str
    id_path: str
    explicit: bool


class Walk:
    """One walk over all sources.

    >>> walk = Walk(["no/such/place"], BuildOptions())
    >>> next(walk.files())
    Traceback (most recent call last):
    doxeval.errors.SourceError: no/such/place: no such file or directory
    """

    def __init__(self, sources: Sequence[str], options: BuildOptions) -> None:
        self._sources = sources
        self._names = FileNames(options)
        self._tally = Tally()

    def files(self) -> Iterator[SourceFile]:
        """All files with documents, in a fixed order."""
        for found in self._found():
            format_ = self._names.format(found.name)
            if format_ is not None:
                yield self._with_format(found, format_)
            elif is_archive(found.name):
                # If the archive itself is the source, the paths of its documents start at its root.
                inside = "" if found.explicit else with_slashes(archive_stem(found.name)) + "/"
                yield SourceFile(found.path, inside, None, True, _size(found.path))
            elif found.explicit:
                message = "cannot tell the format from the file's name; "
                raise SourceError(message + Parameter("format") + " names it", found.path)
            else:
                self._tally.passed_over[kind_of(found.name)] += 1

    def take_tally(self) -> Tally:
        """What was noticed since the last call."""
        tally, self._tally = self._tally, Tally()
        return tally

    def _with_format(self, found: _Found, format_: Format) -> SourceFile:
        holds_many = self._names.holds_many(format_)
        if not holds_many:
            kept = self._names.keeps_suffix(found.name, found.id_path)
            self._tally.suffixes_kept += kept
        return SourceFile(found.path, found.id_path, format_, holds_many, _size(found.path))

    def _found(self) -> Iterator[_Found]:
        single = [
            source
            for source in self._sources
            if os.path.exists(source) and not os.path.isdir(source)
        ]
        names = map(os.path.basename, single)
        id_paths = dict(zip(single, self._names.id_paths(names), strict=True))
        for source in self._sources:
            if os.path.isdir(source):
                yield from self._tree(source)
            elif source in id_paths:
                yield _Found(source, os.path.basename(source), id_paths[source], True)
            else:
                yield from self._globbed(source)

    def _tree(self, directory: str) -> Iterator[_Found]:
        """All files below a directory, sorted; hidden files and linked directories are skipped."""
        # Directories may be nested more deeply than functions can call each other, so the ones
        # that are being read are on a stack.
        open_directories = [self._entries(directory, "")]
        while open_directories:
            for found in open_directories[-1]:
                if isinstance(found, _Found):
                    yield found
                else:
                    open_directories.append(self._entries(*found))
                    break
            else:
                open_directories.pop()

    def _entries(self, directory: str, inside: str) -> Iterator[_Found | tuple[str, str]]:
        """The files of one directory, and its directories with their paths inside the source."""
        try:
            with os.scandir(directory) as scan:
                entries = sorted(scan, key=attrgetter("name"))
        except OSError as error:
            raise SourceError(error.strerror or str(error), directory) from error
        entries = [entry for entry in entries if not entry.name.startswith(".")]
        names = [inside + entry.name for entry in entries if _is_file(entry)]
        id_paths = dict(zip(names, self._names.id_paths(names), strict=True))
        for entry in entries:
            name = inside + entry.name
            if name in id_paths:
                yield _Found(entry.path, name, id_paths[name], False)
            elif entry.is_dir(follow_symlinks=False):
                yield entry.path, name + os.sep
            else:
                self._tally.passed_over[LINKS] += 1

    def _globbed(self, pattern: str) -> Iterator[_Found]:
        """The files that match a glob; their names start at the first part with a wildcard."""
        base = fixed_part(pattern) or "."
        files, links = globbed(pattern)
        if links:
            self._tally.passed_over[LINKS] += links
        if not files:
            is_glob = glob.has_magic(pattern)
            reason = "nothing matches" if is_glob else "no such file or directory"
            raise SourceError(reason, pattern)
        names = [os.path.relpath(path, base) for path in files]
        for path, name, id_path in zip(files, names, self._names.id_paths(names), strict=True):
            yield _Found(path, name, id_path, True)


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
