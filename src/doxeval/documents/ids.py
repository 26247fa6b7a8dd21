"""Document ids: the rules that make them, how references are compared, and the index of ids.

The index leads from ids to document numbers without ever loading all ids. Each id is hashed to 128
bits. The first half is the key that is sorted and searched; the second half, the check, tells ids
with the same key apart. While a collection is built, the index grows in a few sorted parts in
memory, then in sorted runs in scratch files, which are merged at the end, one range of keys after
another. So memory does not grow with the collection.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt

from doxeval.arrays import Ints, positions_in
from doxeval.columns import normalise_id as normalise_id
from doxeval.errors import InputError, SyntaxProblem
from doxeval.files import uncompressed_name
from doxeval.messages import Parameter, quoted

if TYPE_CHECKING:
    from doxeval.documents.patterns import PathPattern

HASH_BITS = 128
# Numbers up to this many documents fit into 32 bits.
MOST_IN_32_BITS = 1 << 31
_BLOCK = 1 << 19  # how many entries are merged at once, about
_KEY_BITS = 64
_RUN = 1 << 19  # how many ids are kept in memory
_TYPES = {"keys": "<u8", "checks": "<u8", "numbers": "<i8"}  # in the scratch files


def why_id_has_spaces(document_id: str) -> str | None:
    """Return why an id with white space is refused where collections are built; None without any.

    Runs and assessments in text have white space between their fields.

    >>> why_id_has_spaces("my notes"), why_id_has_spaces("notes")
    ("the id 'my notes' has white space, which runs and assessments in text cannot hold", None)
    """
    if len(document_id.split()) < 2:
        return None
    return (
        f"the id {quoted(document_id)} has white space, which runs and assessments in text cannot "
        "hold"
    )


def strip_suffixes(name: str) -> str:
    """Return the name of a file without the suffixes of its compression and format.

    >>> strip_suffixes("co/r2024.xml.gz"), strip_suffixes("v1.2/notes.txt")
    ('co/r2024', 'v1.2/notes')
    """
    return os.path.splitext(uncompressed_name(name))[0]


def distinct_paths(names: Sequence[str]) -> list[str]:
    """Return the paths of files, without the suffixes that are not needed to tell them apart.

    If two files would get the same id, they keep the suffix of their format; if that is not
    enough, also that of their compression. A final `.xml` is never part of an id.

    >>> distinct_paths(["co/a.xml", "co/b.html", "co/b.md"])
    ['co/a', 'co/b.html', 'co/b.md']
    >>> [normalise_id(path) for path in distinct_paths(["c.xml", "c.html"])]
    ['c', 'c.html']
    """
    spellings = [(strip_suffixes(name), uncompressed_name(name), name) for name in names]
    suffixes = [0] * len(names)
    while True:
        paths = [spelt[count] for spelt, count in zip(spellings, suffixes, strict=True)]
        ids = [normalise_id(path) for path in paths]
        counts = Counter(ids)
        clashing = [at for at, name in enumerate(ids) if counts[name] > 1 and suffixes[at] < 2]
        if not clashing:
            return paths
        for at in clashing:
            suffixes[at] += 1


@dataclass(frozen=True)
class IdRule:
    """The rule that makes document ids: the file's stem, its path, or an XPath into the document.

    A stem has no suffix. A path keeps suffixes only where they are needed to tell files of one
    source apart (see distinct_paths).

    >>> IdRule.parse("stem").from_name("co/1999/r2024")
    'r2024'
    >>> rule = IdRule.parse("//article/@id")
    >>> str(rule.pattern), rule.attribute
    ('//article', 'id')
    """

    text: str
    pattern: PathPattern | None = None
    attribute: str | None = None

    @classmethod
    def parse(cls, text: str) -> IdRule:
        """Parse `stem`, `path`, or an XPath like `//id` or `/article/@id`."""
        if text in ("stem", "path"):
            return cls(text)
        if not text.startswith("/"):
            raise SyntaxProblem(
                Parameter("id_rule", text)
                + ": expected stem, path, or an XPath like //id or /article/@id"
            )
        path, _, attribute = text.partition("@")
        if attribute:
            path = path.removesuffix("/") or "//*"
            path = "//*" if path == "/" else path
        from doxeval.documents.patterns import PathPattern

        return cls(text, PathPattern.parse(path), attribute.strip() or None)

    def from_name(self, name: str) -> str:
        """Return the id of a file, given its path inside the source without unneeded suffixes."""
        return name if self.text == "path" else name.rpartition("/")[2]


# The index


def number_type(documents: int) -> np.dtype[Any]:
    """Return the type of document numbers in a collection of this many documents.

    >>> number_type(1 << 31).name, number_type((1 << 31) + 1).name
    ('int32', 'int64')
    """
    return np.dtype("<i4" if documents <= MOST_IN_32_BITS else "<i8")


class IdIndex(NamedTuple):
    """Keys in ascending order, each with its check and its document number.

    Different ids with the same key, if there ever are any, come in the order of their checks.
    """

    keys: npt.NDArray[np.uint64]
    checks: npt.NDArray[np.uint64]
    numbers: Ints

    def find(self, ids: Sequence[str]) -> Ints:
        """Return the number of each document, -1 for an unknown id.

        >>> index_ids(["a", "b"]).find(["b", "x", "a"]).tolist()
        [1, -1, 0]
        """
        keys, checks = hash_ids(ids)
        position = positions_in(self.keys, keys)
        numbers = np.full(len(keys), -1, dtype=np.int64)
        left = np.flatnonzero(position >= 0)
        while len(left):
            at = position[left]
            is_found = self.checks[at] == checks[left]
            numbers[left[is_found]] = self.numbers[at[is_found]]
            # Another id has the same key: the next entry may have it, too.
            left = left[~is_found & (at + 1 < len(self.keys))]
            position[left] += 1
            left = left[self.keys[position[left]] == keys[left]]
        return numbers


class DuplicateId(InputError):
    """Two documents with the same id: the number of the second, and that of the first."""

    def __init__(self, number: int, earlier: int) -> None:
        super().__init__("duplicate document id")
        self.number = number
        self.earlier = earlier


def index_ids(ids: Sequence[str], first: int = 0) -> IdIndex:
    """Index some ids, which are numbered from `first`.

    >>> sorted(index_ids(["a", "b"], 7).numbers.tolist())
    [7, 8]
    """
    keys, checks = hash_ids(ids)
    return sort_index(IdIndex(keys, checks, np.arange(first, first + len(ids))))


def sort_index(index: IdIndex) -> IdIndex:
    """Sort the entries of an index in ascending order; of the same id, the lowest number first."""
    order = np.argsort(index.keys, kind="stable")  # fast where entries are sorted in part
    keys = index.keys[order]
    if len(keys) and (keys[1:] == keys[:-1]).any():
        order = np.lexsort((index.numbers, index.checks, index.keys))
    return IdIndex(index.keys[order], index.checks[order], index.numbers[order])


def hash_ids(ids: Sequence[str]) -> tuple[npt.NDArray[np.uint64], npt.NDArray[np.uint64]]:
    """Return the key and the check of each id.

    >>> keys, checks = hash_ids(["a", "b", "a"])
    >>> keys[0] == keys[2] != keys[1]
    np.True_
    """
    import hashlib  # its library is large, and most commands hash nothing

    size = HASH_BITS // 8
    encoded = [text.encode("utf-8", "surrogatepass") for text in ids]
    digests = b"".join([hashlib.blake2b(data, digest_size=size).digest() for data in encoded])
    halves = np.frombuffer(digests, dtype="<u8").reshape(-1, 2)
    return halves[:, 0].copy(), halves[:, 1].copy()


# An index that grows, in bounded memory


class IdIndexBuilder:
    """Adds ids to an index; `scratch` says where a file with a given name can be written.

    A duplicate of an id that is still in memory is noticed immediately, any other one at the end.
    Either way the error is about the first document that has the id of an earlier one. Without
    `scratch`, everything stays in memory.

    >>> builder = IdIndexBuilder()
    >>> builder.add(["a", "b"])
    >>> builder.add(["c"])
    >>> (block,) = builder.blocks()
    >>> block.find(["c", "x", "a"]).tolist()
    [2, -1, 0]
    """

    def __init__(self, scratch: Callable[[str], Path] | None = None) -> None:
        self._scratch = scratch
        self._parts: list[IdIndex] = []
        self._runs: list[int] = []  # where each run in the scratch files ends
        self._count = 0

    def add(self, ids: Sequence[str]) -> None:
        """Add ids, which get the next numbers."""
        self._add_part(index_ids(ids, self._count))

    def absorb(self, index: IdIndex) -> None:
        """Add all ids of another index, which get the next numbers in the same order.

        >>> builder = IdIndexBuilder()
        >>> builder.add(["c"])
        >>> builder.absorb(index_ids(["a", "b"]))
        >>> (block,) = builder.blocks()
        >>> block.find(["a", "b", "c"]).tolist()
        [1, 2, 0]
        """
        if self._scratch is None or len(index.keys) < _RUN:
            self._add_part(index._replace(numbers=index.numbers + np.int64(self._count)))
            return
        if self._parts:
            self._spill(self._scratch)
        for first in range(0, len(index.keys), _RUN):  # it is sorted, and one run as it is
            rows = slice(first, first + _RUN)
            numbers = index.numbers[rows] + np.int64(self._count)
            _write_run(IdIndex(index.keys[rows], index.checks[rows], numbers), self._scratch)
        self._count += len(index.keys)
        self._runs.append(self._count)

    def _add_part(self, new: IdIndex) -> None:
        if _has_duplicates(new, self._parts):
            # The first duplicate may be one of an id on disk: merging everything raises its error.
            for _ in merge_indexes([*self._scratch_runs(), *self._parts, new]):
                pass
        self._count += len(new.keys)
        self._parts.append(new)
        while len(self._parts) > 1 and len(self._parts[-1].keys) * 2 > len(self._parts[-2].keys):
            self._parts[-2:] = [_join_indexes(self._parts[-2:])]
        in_memory = self._count - (self._runs[-1] if self._runs else 0)
        if self._scratch is not None and in_memory >= _RUN:
            self._spill(self._scratch)

    def blocks(self) -> Iterator[IdIndex]:
        """Yield the index of all ids, in blocks: all of one block come before all of the next."""
        return merge_indexes([*self._scratch_runs(), *self._parts])

    def _spill(self, scratch: Callable[[str], Path]) -> None:
        _write_run(_join_indexes(self._parts), scratch)
        self._parts = []
        self._runs.append(self._count)

    def _scratch_runs(self) -> list[IdIndex]:
        """Return the runs in the scratch files, mapped into memory."""
        if self._scratch is None or not self._runs:
            return []
        keys, checks, numbers = (
            np.asarray(np.memmap(self._scratch(f"ids.{name}"), dtype, "r"))
            for name, dtype in _TYPES.items()
        )
        return [
            IdIndex(keys[begin:end], checks[begin:end], numbers[begin:end])
            for begin, end in pairwise([0, *self._runs])
        ]


def _write_run(run: IdIndex, scratch: Callable[[str], Path]) -> None:
    for name, column in run._asdict().items():
        with scratch(f"ids.{name}").open("ab") as file:
            file.write(np.ascontiguousarray(column, dtype=_TYPES[name]).data)


def _has_duplicates(new: IdIndex, parts: Sequence[IdIndex]) -> bool:
    """Return whether an id occurs twice in memory; checks are compared only where keys agree."""
    if first_duplicate(new) is not None:
        return True
    return any(
        first_duplicate(_join_indexes([part, new])) is not None
        for part in parts
        if (positions_in(part.keys, new.keys) >= 0).any()
    )


def _join_indexes(parts: Sequence[IdIndex]) -> IdIndex:
    if len(parts) == 1:
        return parts[0]
    return sort_index(IdIndex(*(np.concatenate(columns) for columns in zip(*parts, strict=True))))


def first_duplicate(index: IdIndex) -> tuple[int, int] | None:
    """Return the first document whose id an earlier one has, and the earlier one, as numbers.

    >>> first_duplicate(index_ids(["a", "b", "b", "a", "a"]))
    (2, 1)
    """
    if not (index.keys[1:] == index.keys[:-1]).any():
        return None
    is_same = (index.keys[1:] == index.keys[:-1]) & (index.checks[1:] == index.checks[:-1])
    # Of one id, the lowest numbers come first: the second is the first that is a duplicate.
    pairs = np.flatnonzero(is_same & ~np.append(False, is_same[:-1]))
    if not len(pairs):
        return None
    later = index.numbers[pairs + 1]
    at = int(np.argmin(later))
    return int(later[at]), int(index.numbers[pairs[at]])


def merge_indexes(parts: Sequence[IdIndex]) -> Iterator[IdIndex]:
    """Yield the blocks of one index for the documents of all parts, in order.

    If an id occurs twice, DuplicateId is raised after the last range of keys: about the first
    document that has the id of an earlier one.

    >>> (block,) = merge_indexes([index_ids(["a", "b"]), index_ids(["c"], 2)])
    >>> block.find(["c", "a"]).tolist()
    [2, 0]
    >>> list(merge_indexes([index_ids(["a", "b"]), index_ids(["b"], 2)]))
    Traceback (most recent call last):
    doxeval.documents.ids.DuplicateId: duplicate document id
    """
    entries = sum(len(part.keys) for part in parts)
    dtype = number_type(entries)
    duplicate: tuple[int, int] | None = None
    for slices in _key_ranges(parts, entries):
        block = _join_indexes(
            [
                IdIndex(part.keys[rows], part.checks[rows], part.numbers[rows])
                for part, rows in zip(parts, slices, strict=True)
            ]
        )
        first = first_duplicate(block)
        if first is not None:
            duplicate = first if duplicate is None else min(duplicate, first)
        elif duplicate is None and len(block.keys):
            yield block._replace(numbers=block.numbers.astype(dtype, copy=False))
    if duplicate is not None:
        raise DuplicateId(*duplicate)


def _key_ranges(parts: Sequence[IdIndex], entries: int) -> Iterator[list[slice]]:
    """Yield the entries of each part in each range of keys."""
    ranges = max(1, -(-entries // _BLOCK))
    begins = [0] * len(parts)
    for number in range(1, ranges + 1):
        if number < ranges:
            edge = np.array([(number << _KEY_BITS) // ranges], dtype=np.uint64)
            ends = [int(np.searchsorted(part.keys, edge)[0]) for part in parts]
        else:
            ends = [len(part.keys) for part in parts]
        yield [slice(begin, end) for begin, end in zip(begins, ends, strict=True)]
        begins = ends
