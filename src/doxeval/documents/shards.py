"""Building one shard of a plan: batch after batch, or into a small collection of its own.

A shard that another process builds becomes a collection, which is then absorbed by the one that is
being built (see writer.py). Every attempt writes into a directory of its own, whose name is part of
the result. So it does not matter how often a shard is begun, or by how many: only the attempt whose
result is taken counts, and what the others leave is removed with everything unfinished.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple, TypeAlias

from doxeval.documents.batch import Batch, read_batch
from doxeval.documents.contents import Contents
from doxeval.documents.options import BuildOptions
from doxeval.documents.page_parts import SelectorUse
from doxeval.documents.plan import Shard, Sizes, batches
from doxeval.documents.raw import RawDocument
from doxeval.documents.sources import Tally
from doxeval.documents.writer import CollectionWriter
from doxeval.errors import DocumentError


class ReadBatch(NamedTuple):
    """A batch that has been read, and the bytes of the sources it accounts for."""

    weight: int
    batch: Batch


class BuiltShard(NamedTuple):
    """A shard that has been built.

    name: the name of its directory; None if it has no documents. weight: the bytes of the sources
    it accounts for. broken, selector_use, tally: as in the report of the whole build.
    """

    name: str | None
    documents: int
    weight: int
    broken: list[DocumentError]
    selector_use: SelectorUse
    tally: Tally


class ShardEnd(NamedTuple):
    """The end of a shard whose batches came one by one."""

    tally: Tally


# What a build is made of, in order.
Piece: TypeAlias = ReadBatch | BuiltShard | ShardEnd


@dataclass(frozen=True)
class Order:
    """What all shards of a build have in common; `directory` is where they are built."""

    options: BuildOptions
    sizes: Sizes
    directory: Path


def read_weighed(batch: list[RawDocument], options: BuildOptions) -> ReadBatch:
    """Read a batch.

    >>> raw = RawDocument("a.xml", "a", "xml", b"<p>hello</p>", 12)
    >>> read_weighed([raw], BuildOptions()).weight
    12
    """
    return ReadBatch(sum(document.weight for document in batch), read_batch(batch, options))


def raw_batches(order: Order, shard: Shard) -> Iterator[list[RawDocument] | ShardEnd]:
    """The batches of a shard, not read yet, and its end."""
    contents = Contents(order.options)
    yield from batches(contents.documents(shard.files), order.sizes)
    tally = Tally()
    tally.add(shard.tally)
    tally.add(contents.tally)
    yield ShardEnd(tally)


def build_shard(order: Order, shard: Shard) -> BuiltShard:
    """Build a shard into a new directory.

    >>> import tempfile
    >>> folder = Path(tempfile.mkdtemp())
    >>> built = build_shard(Order(BuildOptions(), Sizes(), folder), Shard(0, ()))
    >>> built.name, built.documents
    (None, 0)
    """
    name = f"{shard.number:06}-{os.urandom(4).hex()}"
    tally, weight, broken, use = Tally(), 0, list[DocumentError](), SelectorUse()
    options = order.options
    with CollectionWriter(order.directory / name, id_rule=options.id_rule) as writer:
        for raw in raw_batches(order, shard):
            if isinstance(raw, ShardEnd):
                tally = raw.tally
                break
            read = read_weighed(raw, options)
            weight += read.weight
            broken += read.batch.broken
            use += read.batch.selector_use
            if read.batch.ids:
                writer.append(read.batch)
        if writer.documents:
            writer.finish({"options": options.recorded()})
    return BuiltShard(
        name if writer.documents else None, writer.documents, weight, broken, use, tally
    )
