"""The kinds of things that are sealed, such as collections, and what is particular to each."""

from __future__ import annotations

from collections.abc import Callable, Container, Mapping
from dataclasses import dataclass
from typing import Any

from doxeval.errors import InputError
from doxeval.storage.columns import Column


@dataclass(frozen=True)
class Kind:
    """What messages about a kind of sealed directory say, and which files it has.

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
    # At opening, so much is compared with its hashes, the smallest files first.
    verified_bytes: int
    # The part of a manifest that is absent or not of the right type. The list of files is checked
    # for every kind; this is about the rest, the counts first of all.
    missing: Callable[[Mapping[str, Any]], str | None]
    # The arrays by the names of their files, for these counts.
    columns: Callable[[Mapping[str, int]], dict[str, Column]]
    # Arrays that may be there, for these counts.
    optional_columns: Callable[[Mapping[str, int]], dict[str, Column]] = lambda counts: {}
    # Files that are there beside the arrays.
    other_files: frozenset[str] = frozenset()
    # Files that are verified with the others, but never read.
    unread: frozenset[str] = frozenset()

    @property
    def one(self) -> str:
        """The noun with its article: a collection, an index."""
        return f"{'an' if self.noun[0] in 'aeiou' else 'a'} {self.noun}"

    def file_names(self, counts: Mapping[str, int]) -> set[str]:
        """All files there are for these counts, apart from the manifest."""
        return {*self.columns(counts), *self.other_files}
