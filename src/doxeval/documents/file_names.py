"""What the name of a file says: the format of its contents, and the ids of its documents."""

from __future__ import annotations

import os
from collections.abc import Iterable

from doxeval.documents.archives import is_archive
from doxeval.documents.ids import distinct_paths, normalised_id, without_suffixes
from doxeval.documents.options import BuildOptions, Format
from doxeval.files import uncompressed_name

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
