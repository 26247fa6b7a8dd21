"""The plan of a build: all files with documents, in order, divided into shards.

A shard can be built without knowing the others. It is some thousand files of directories, a few
small files of many documents, one large one, or a range of lines of a very large one. Documents are
read in batches, and a batch ends where its shard ends. So everything that a collection's bytes
depend on follows from the plan alone, whoever does the work: where batches end, the numbers of
paths, and the parts of the text, which has one part for each shard.
"""

from __future__ import annotations

import json
import os
import stat
import zlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import BinaryIO, NamedTuple

from doxeval.documents.build.contents import RawDocument, expected_bytes
from doxeval.documents.build.options import BuildOptions
from doxeval.documents.build.sources import SourceCounts, SourceFile, SourceWalk
from doxeval.errors import SourceError
from doxeval.files import is_compressed

_CHUNK = 1 << 20


class Sizes(NamedTuple):
    """How large batches and shards are.

    A batch is large enough that the overhead of NumPy calls is small, and small enough that a few
    batches per process fit in memory. Shards grow with their number, so that many can be read side
    by side of a small collection, and a large one does not have too many parts: of a terabyte,
    some 1,400.

    >>> Sizes().shard_bytes(0) >> 20, Sizes().shard_bytes(1000) >> 20
    (16, 1016)
    """

    batch_bytes: int = 4 << 20
    batch_documents: int = 2000
    shard_batches: int = 4
    shards_until_larger: int = 4

    def shard_bytes(self, number: int) -> int:
        """Return about how many bytes of documents the shard of this number has."""
        return self.batches(number) * self.batch_bytes

    def batches(self, number: int) -> int:
        """Return how many batches the shard of this number has, if it is made of small files."""
        return self.shard_batches + number // self.shards_until_larger


SIZES = Sizes()


@dataclass(frozen=True)
class Shard:
    """Files that are read together, and what the walk counted on its way to them.

    packed: the files, in a few bytes for each: names in a directory are alike. weight: how many
    bytes of the sources they account for. special: the paths of those that may be pipes.
    is_large: whether it is a single file of many documents, or a part of it.
    """

    number: int
    packed: bytes
    weight: int
    special: tuple[str, ...]
    is_large: bool
    counts: SourceCounts = field(default_factory=SourceCounts)

    @classmethod
    def of(cls, number: int, files: Sequence[SourceFile], counts: SourceCounts) -> Shard:
        """Return the shard with these files.

        >>> file = SourceFile("a.xml", "a", "xml", False, 9)
        >>> shard = Shard.of(3, [file], SourceCounts())
        >>> shard.weight, shard.files == (file,)
        (9, True)
        """
        columns = json.dumps(list(zip(*files, strict=True))).encode()
        special = [file.path for file in files if file.holds_many or not file.size]
        return cls(
            number,
            zlib.compress(columns, 1),
            sum(file.weight for file in files),
            tuple(special),
            len(files) == 1 and files[0].holds_many,
            counts,
        )

    @property
    def has_files(self) -> bool:
        """Whether it has files; the last one of a plan has only counts.

        >>> Shard.of(0, (), SourceCounts()).has_files
        False
        """
        return bool(self.weight or self.special)  # an empty file is special

    @property
    def files(self) -> tuple[SourceFile, ...]:
        """The files, in order."""
        columns = json.loads(zlib.decompress(self.packed))
        return tuple(map(SourceFile._make, zip(*columns, strict=True)))


class Plan:
    """The shards of all sources. The sources are walked once, while the shards are taken.

    >>> list(Plan(["no/such/place"], BuildOptions()).shards())
    Traceback (most recent call last):
    doxeval.errors.SourceError: no/such/place: no such file or directory
    """

    def __init__(
        self, sources: Sequence[str], options: BuildOptions, sizes: Sizes | None = None
    ) -> None:
        self.sizes = sizes or SIZES
        self._walk = SourceWalk(sources, options)
        self._planned: list[Shard] | None = None

    def total_weight(self) -> int:
        """Return the bytes of all sources, for a progress bar, and keep the plan in memory."""
        self._planned = list(self._shards())
        return sum(shard.weight for shard in self._planned)

    def shards(self) -> Iterator[Shard]:
        """Yield all shards in order; the last has no files, but counts."""
        return self._shards() if self._planned is None else iter(self._planned)

    def _shards(self) -> Iterator[Shard]:
        number = 0
        for files in _files_of_shards(self._walk.files(), self.sizes):
            yield Shard.of(number, files, self._walk.take_tally())
            number += 1
        yield Shard.of(number, (), self._walk.take_tally())


def batches(documents: Iterable[RawDocument], sizes: Sizes) -> Iterator[list[RawDocument]]:
    """Yield the documents of a shard in batches.

    >>> documents = [RawDocument(name, name, "xml", None, 9) for name in "abc"]
    >>> [len(batch) for batch in batches(documents, Sizes(batch_documents=2))]
    [2, 1]
    """
    batch: list[RawDocument] = []
    size = 0
    for document in documents:
        batch.append(document)
        size += document.bytes_in_memory
        if size >= sizes.batch_bytes or len(batch) >= sizes.batch_documents:
            yield batch
            batch, size = [], 0
    if batch:
        yield batch


def _files_of_shards(files: Iterable[SourceFile], sizes: Sizes) -> Iterator[tuple[SourceFile, ...]]:
    """Yield the files of each shard: small ones that fill its batches, or one large one."""
    number = 0
    group: list[SourceFile] = []
    full = size = count = 0
    for file in files:
        expected = expected_bytes(file.path, file.size)
        if file.holds_many and expected >= sizes.shard_bytes(number):
            if group:
                yield tuple(group)
                number += 1
            for part in _line_ranges(file, sizes, number):
                yield (part,)
                number += 1
            group, full, size, count = [], 0, 0, 0
            continue
        group.append(file)
        size += expected
        count += 1
        if size >= sizes.batch_bytes or count >= sizes.batch_documents:
            full += max(1, size // sizes.batch_bytes) if file.holds_many else 1
            size = count = 0
        if full >= sizes.batches(number):
            yield tuple(group)
            number += 1
            group, full = [], 0
    if group:
        yield tuple(group)


def _line_ranges(file: SourceFile, sizes: Sizes, number: int) -> Iterator[SourceFile]:
    """Yield a large file, in ranges of lines if it is JSONL that can be read from anywhere."""
    try:
        is_plain = file.format == "jsonl" and not is_compressed(file.path)
        can_be_split = is_plain and stat.S_ISREG(os.stat(file.path).st_mode)
        if not can_be_split or file.size < 2 * sizes.shard_bytes(number):
            yield file
            return
        begin, first_line = 0, 1
        with Path(file.path).open("rb") as stream:
            while file.size - begin >= 2 * (most := sizes.shard_bytes(number)):
                end, lines = _whole_lines(stream, begin, most)
                yield file._replace(begin=begin, end=end, first_line=first_line)
                begin, first_line, number = end, first_line + lines, number + 1
        if begin < file.size:
            yield file._replace(begin=begin, end=file.size, first_line=first_line)
    except OSError as error:
        raise SourceError(error.strerror or str(error), file.path) from error


def _whole_lines(stream: BinaryIO, begin: int, most: int) -> tuple[int, int]:
    """Return where the line ends that holds byte `begin + most`, and the lines until there."""
    stream.seek(begin)
    lines, left = 0, most
    while left > 0 and (chunk := stream.read(min(left, _CHUNK))):
        lines += chunk.count(b"\n")
        left -= len(chunk)
    while rest := stream.readline(_CHUNK):
        if rest.endswith(b"\n"):
            lines += 1
            break
    return stream.tell(), lines
