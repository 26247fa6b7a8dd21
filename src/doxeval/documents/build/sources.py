"""Sources of documents: which files there are, in which formats, and what their ids are made of.

A source is a directory, a glob, an archive, a file or a data set of ir_datasets. Sources are walked
once, in a fixed order. The walk only names files and notes their sizes; what is in them is read
later, perhaps by another process (see contents.py).
"""

from __future__ import annotations

import fnmatch
import glob
import os
import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import compress
from operator import attrgetter
from pathlib import Path
from typing import NamedTuple, TypeAlias

from doxeval.datasets import is_dataset, is_package
from doxeval.documents.build.options import BuildOptions, Format
from doxeval.documents.ids import distinct_paths, normalise_id
from doxeval.documents.readers.pdf import NEEDS_EXTRA, can_read_pdf
from doxeval.errors import SourceError
from doxeval.files import SHORT_SUFFIXES, is_archive, uncompressed_name
from doxeval.messages import Parameter, join_names, plural, quoted, truncate

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
    ".pdf": "pdf",
}
LINKS = "links and special files"
_ANY_DIRECTORIES = "**"
# No path is longer, and the time that Python takes for a part grows with the square of its length.
LONGEST_PATTERN = 4096

# A path to a file, a directory or an archive, or a glob.
Source: TypeAlias = str | bytes | os.PathLike[str] | os.PathLike[bytes]


def source_paths(sources: Source | Iterable[Source]) -> list[str]:
    """Return the paths of one or more sources; bytes that are not UTF-8 become lone surrogates.

    >>> source_paths(Path("a.xml")), source_paths(["a.xml", Path("b")])
    (['a.xml'], ['a.xml', 'b'])
    """
    given = [sources] if isinstance(sources, str | bytes | os.PathLike) else list(sources)
    for source in given:
        if not isinstance(source, str | bytes | os.PathLike):
            raise SourceError(Parameter("sources", source) + ": expected a path, or several")
    return [os.fsdecode(source) for source in given]


def recorded_path(path: str) -> str:
    r"""Return a path as a manifest records it: bytes that are not UTF-8 are written as escapes.

    >>> print(recorded_path("a/\udcff"))
    a/\xff
    """
    return path.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")


class SourceFile(NamedTuple):
    """A file with documents, or a range of its lines.

    path: where it is. name: what ids are made of: the path of the file inside its source, without
    the suffixes that an id does not need; of an archive, what comes before the names of its
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


@dataclass
class SourceCounts:
    """What was counted on the way to the documents.

    passed_over: how many files were skipped because they are not documents, by suffix.
    suffixes_kept: how many documents keep a suffix in their path because another has the same stem.

    >>> counts = SourceCounts(Counter({".png": 2}))
    >>> counts.add(SourceCounts(Counter({".png": 1}), 3))
    >>> counts
    SourceCounts(passed_over=Counter({'.png': 3}), suffixes_kept=3)
    """

    passed_over: Counter[str] = field(default_factory=Counter)
    suffixes_kept: int = 0

    @property
    def warnings(self) -> tuple[str, ...]:
        """What a user should know: how many files were not read, by suffix.

        >>> SourceCounts(Counter({".png": 2, ".rst": 1})).warnings
        ('3 files were not read: .png (2), .rst (1)',)
        """
        count = sum(self.passed_over.values())
        if not count:
            return ()
        kinds = [f"{truncate(kind)} ({n:,})" for kind, n in self.passed_over.most_common()]
        were = "was" if count == 1 else "were"
        hint = f"; {NEEDS_EXTRA}" if self.passed_over[".pdf"] else ""
        return (f"{plural(count, 'file')} {were} not read: {join_names(kinds)}{hint}",)

    def add(self, other: SourceCounts) -> None:
        """Add what was counted elsewhere."""
        self.passed_over.update(other.passed_over)
        self.suffixes_kept += other.suffixes_kept


# Names of files


def archive_stem(name: str) -> str:
    """Return an archive's name without its suffixes.

    >>> archive_stem("parts/wiki.tar.gz")
    'parts/wiki'
    """
    long = uncompressed_name(with_long_suffix(name))
    return name[: len(os.path.splitext(long)[0])]


def with_long_suffix(name: str) -> str:
    """Return an archive's name in lower case, with both suffixes of a compressed tar.

    >>> with_long_suffix("Wiki.tgz")
    'wiki.tar.gz'
    """
    stem, suffix = os.path.splitext(name.lower())
    return stem + SHORT_SUFFIXES.get(suffix, suffix)


def kind_of(name: str) -> str:
    """Return what files that are not documents are counted by: the suffix, or the whole name.

    >>> kind_of("a/photo.PNG"), kind_of("Makefile")
    ('.png', 'Makefile')
    """
    return os.path.splitext(name)[1].lower() or name


def with_slashes(path: str) -> str:
    """Return a path with forward slashes on any system."""
    return path if os.sep == "/" else path.replace(os.sep, "/")


class FileName(NamedTuple):
    """The name of a file, and what it says.

    format: None if the file is not a document. holds_many: whether it holds any number of
    documents. id_path: the name without the suffixes that an id does not need, with forward
    slashes. keeps_suffix: whether it has one, because another file has the same stem.
    """

    name: str
    format: Format | None
    holds_many: bool
    id_path: str
    keeps_suffix: bool = False


class FileNames:
    """Reads the names of files as the options of a build say.

    >>> names = FileNames(BuildOptions())
    >>> names.of_file("co/a.xml.gz").format, names.of_file("a.png").format
    ('xml', None)
    >>> from doxeval.documents.ids import IdRule
    >>> names = FileNames(BuildOptions(id_rule=IdRule("path")))
    >>> [file.id_path for file in names.of_directory(["co/a.xml", "co/b.html", "co/b.md"])]
    ['co/a', 'co/b.html', 'co/b.md']
    """

    def __init__(self, options: BuildOptions) -> None:
        self._format = options.format
        self._formats = {**SUFFIXES, **options.formats_by_suffix}
        if not can_read_pdf():  # they are counted and told of
            self._formats.pop(".pdf", None)
        self._has_records = options.record is not None
        self.are_ids = options.id_rule.text == "path"
        # What the suffixes met so far say, if that is all that counts in a name.
        self._by_suffix: dict[str, tuple[Format | None, bool]] = {}

    def of_file(self, name: str) -> FileName:
        """Return what the name of a file says, if no other file could get the same id."""
        # Collections have millions of files and few suffixes.
        stem, _, suffix = name.rpartition(".")
        known = self._by_suffix.get(suffix)
        if known is not None and stem and stem[-1] not in "./\\":
            return FileName(name, *known, with_slashes(stem))
        uncompressed = uncompressed_name(name)
        stem, suffix = os.path.splitext(uncompressed)
        format_ = self._formats.get(suffix.lower())
        if self._format is not None and not is_archive(name):
            format_ = self._format
        holds_many = format_ == "jsonl" or (format_ == "xml" and self._has_records)
        if suffix and name is uncompressed and not is_archive(name):
            self._by_suffix[suffix[1:]] = format_, holds_many
        return FileName(name, format_, holds_many, with_slashes(stem))

    def of_directory(self, names: Iterable[str]) -> list[FileName]:
        """Return what the different names of the files of one directory say."""
        files = [self.of_file(name) for name in names]
        if not self.are_ids:
            return files
        documents = [file for file in files if file.format and not file.holds_many]
        paths = distinct_paths([file.name for file in documents])
        named = {
            file.name: file._replace(
                id_path=with_slashes(path),
                keeps_suffix=normalise_id(with_slashes(path)) != normalise_id(file.id_path),
            )
            for file, path in zip(documents, paths, strict=True)
        }
        return [named.get(file.name, file) for file in files]


# The walk


# The path and the name of a file that may have documents, and whether it was given as a source.
_Candidate: TypeAlias = tuple[str, FileName, bool]


class SourceWalk:
    """One walk over all sources.

    >>> walk = SourceWalk(["no/such/place"], BuildOptions())
    >>> next(walk.files())
    Traceback (most recent call last):
    doxeval.errors.SourceError: no/such/place: no such file or directory
    """

    def __init__(self, sources: Sequence[str], options: BuildOptions) -> None:
        self._sources = sources
        self._names = FileNames(options)
        self._counts = SourceCounts()

    def files(self) -> Iterator[SourceFile]:
        """Yield all files with documents, in a fixed order."""
        for path, file, explicit in self._candidates():
            _, format_, holds_many, id_path, keeps_suffix = file
            if format_ is not None:
                if keeps_suffix:
                    self._counts.suffixes_kept += 1
                yield SourceFile(path, id_path, format_, holds_many, _size(path))
            elif is_archive(file.name):
                # If the archive itself is the source, the paths of its documents start at its root.
                inside = "" if explicit else with_slashes(archive_stem(file.name)) + "/"
                yield SourceFile(path, inside, None, True, _size(path))
            elif explicit and kind_of(file.name) == ".pdf":
                raise SourceError(NEEDS_EXTRA, path)
            elif explicit:
                example = Parameter("suffixes", f"{kind_of(file.name)}=text")
                message = "cannot tell the format from the file's name; "
                raise SourceError(message + example + " reads such files as text", path)
            else:
                self._counts.passed_over[kind_of(file.name)] += 1

    def take_tally(self) -> SourceCounts:
        """Return what was counted since the last call."""
        counts, self._counts = self._counts, SourceCounts()
        return counts

    def _candidates(self) -> Iterator[_Candidate]:
        single = {
            source: os.path.basename(source)
            for source in self._sources
            if os.path.exists(source) and not os.path.isdir(source)
        }
        files = {
            file.name: file for file in self._names.of_directory(dict.fromkeys(single.values()))
        }
        for source in self._sources:
            if is_dataset(source):
                of_dataset = FileName(source, "jsonl", True, source)
                yield source, of_dataset, True
            elif is_package(source):
                message = "a package has its collection already: give its path as the collection"
                raise SourceError(message, source)
            elif os.path.isdir(source):
                yield from self._below(source)
            elif source in single:
                yield source, files[single[source]], True
            else:
                yield from self._matching(source)

    def _below(self, directory: str) -> Iterator[_Candidate]:
        """Yield the files below a directory, sorted; skip hidden files and linked directories."""
        # Directories may be nested more deeply than functions can call each other, so the ones
        # that are being read are on a stack.
        open_directories = [self._entries(directory, "")]
        while open_directories:
            for entry in open_directories[-1]:
                path, name = entry
                if isinstance(name, str):
                    open_directories.append(self._entries(path, name))
                    break
                yield path, name, False
            else:
                open_directories.pop()

    def _entries(self, directory: str, inside: str) -> Iterator[tuple[str, FileName | str]]:
        """Yield the files of a directory, and its directories with their paths in the source."""
        try:
            with os.scandir(directory) as scan:
                entries = sorted(scan, key=attrgetter("name"))
        except OSError as error:
            raise SourceError(error.strerror or str(error), directory) from error
        entries = [entry for entry in entries if entry.name[0] != "."]
        are_files = [_is_file(entry) for entry in entries]
        names = [inside + entry.name for entry in compress(entries, are_files)]
        files = iter(self._names.of_directory(names))
        for entry, is_file in zip(entries, are_files, strict=True):
            if is_file:
                yield entry.path, next(files)
            elif entry.is_dir(follow_symlinks=False):
                yield entry.path, inside + entry.name + os.sep
            else:
                self._counts.passed_over[LINKS] += 1

    def _matching(self, pattern: str) -> Iterator[_Candidate]:
        """Yield the files that match a glob; names start at its first part with a wildcard."""
        base = fixed_part(pattern) or "."
        files, links = glob_files(pattern)
        if links:
            self._counts.passed_over[LINKS] += links
        if not files:
            is_glob = glob.has_magic(pattern)
            reason = "nothing matches" if is_glob else "no such file or directory"
            raise SourceError(reason, pattern)
        names = [os.path.relpath(path, base) for path in files]
        for path, file in zip(files, self._names.of_directory(names), strict=True):
            yield path, file, True


def _is_file(entry: os.DirEntry[str]) -> bool:
    """Return whether it is a file, or a link to one; a link to itself is not."""
    try:
        return entry.is_file()
    except OSError:
        return False


def _size(path: str) -> int:
    """Return the size of a file; 0 if it cannot be read, which is reported when it is opened."""
    try:
        return os.stat(path).st_size
    except OSError:
        return 0


# Globs: `*`, `?` and `[…]` match within one name, and no name that begins with a dot, unless the
# pattern does, too. `**` stands for any number of directories, but not for links to directories:
# two links to the directory that they are in would make more paths than can ever be followed.


class GlobFiles(NamedTuple):
    """The files that match, sorted, and how many links to directories `**` did not follow."""

    files: list[str]
    links: int


def glob_files(pattern: str) -> GlobFiles:
    """Return the files whose paths match a pattern such as `docs/**/*.md`.

    >>> glob_files("no/such/place/**/*.xml")
    GlobFiles(files=[], links=0)
    """
    if len(pattern) > LONGEST_PATTERN:
        raise SourceError(
            f"the pattern has {len(pattern):,} characters, at most {LONGEST_PATTERN:,} are allowed",
            quoted(pattern),
        )
    parts = Path(pattern).parts
    if _ANY_DIRECTORIES not in parts:
        return GlobFiles(sorted(filter(os.path.isfile, glob.glob(pattern))), 0)
    base = fixed_part(pattern)
    steps = _GlobSteps(parts[len(Path(base).parts) :] if base else parts)
    files: list[str] = []
    links = 0
    waiting = [(base, steps.begin)]
    while waiting:
        directory, states = waiting.pop()
        for entry in _glob_entries(directory, directory == base):
            named, passing = steps.named(states, entry.name), steps.passing(states, entry.name)
            path = os.path.join(directory, entry.name)
            if os.path.isfile(path):
                if steps.end in named or steps.end - 1 in passing:
                    files.append(path)
            elif (named or passing) and os.path.isdir(path):
                is_link = entry.is_symlink()
                links += bool(is_link and passing)
                further = steps.closure(named if is_link else named | passing) - {steps.end}
                if further:
                    waiting.append((path, further))
    return GlobFiles(sorted(files), links)


def fixed_part(pattern: str) -> str:
    """Return the directory before the first part of a pattern that has a wildcard.

    >>> fixed_part("docs/en/**/*.md"), fixed_part("*.md")
    ('docs/en', '')
    """
    fixed = []
    for part in Path(pattern).parts:
        if glob.has_magic(part):
            break
        fixed.append(part)
    return os.path.join(*fixed) if fixed else ""


class _GlobSteps:
    """The parts of a pattern, as an automaton: a state is how many parts are matched so far."""

    def __init__(self, parts: Collection[str]) -> None:
        self._patterns = [
            None if part == _ANY_DIRECTORIES else re.compile(fnmatch.translate(part))
            for part in parts
        ]
        self._may_be_hidden = [part.startswith(".") for part in parts]
        self.end = len(parts)
        self.begin = self.closure({0})

    def named(self, states: set[int], name: str) -> set[int]:
        """Return the states after a name that parts other than `**` match."""
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
        """Return the states in which `**` takes a name."""
        if name.startswith("."):
            return set()
        return {at for at in states if at < self.end and self._patterns[at] is None}

    def closure(self, states: set[int]) -> set[int]:
        """Return the states, and those that are reached because `**` may stand for nothing."""
        reached = set(states)
        for at in range(self.end):
            if at in reached and self._patterns[at] is None:
                reached.add(at + 1)
        return reached


def _glob_entries(directory: str, is_base: bool) -> list[os.DirEntry[str]]:
    try:
        with os.scandir(directory or ".") as scan:
            return list(scan)
    except OSError as error:
        if is_base and isinstance(error, FileNotFoundError | NotADirectoryError):
            return []  # nothing matches
        raise SourceError(error.strerror or str(error), directory) from error
    except ValueError as error:  # a null character or a lone surrogate in the name
        raise SourceError(str(error), directory) from error
