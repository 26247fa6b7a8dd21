"""Sources of documents: directories, globs, archives, compressed files, records, JSONL.

A source is walked once, in a fixed order. The walk only names files and notes their sizes; what is
in them is read later, perhaps by another process (see contents.py).
"""

from __future__ import annotations

import glob
import os
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from operator import attrgetter
from typing import NamedTuple, TypeAlias

from doxeval.documents.archives import archive_stem, is_archive
from doxeval.documents.file_names import FileNames, kind_of, with_slashes
from doxeval.documents.globs import fixed_part, globbed
from doxeval.documents.options import BuildOptions, Format
from doxeval.errors import SourceError
from doxeval.messages import Parameter, join_names, plural, truncate

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
