"""Building one shard of a plan: batch after batch, or into a small collection of its own.

A shard that another process builds becomes a collection, which is then absorbed by the one that is
being built (see writer.py). Every attempt writes into a directory of its own, whose name is part of
the result. So it does not matter how often a shard is begun, or by how many: only the attempt whose
result is taken counts, and what the others leave is removed with everything unfinished.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import NamedTuple, TypeAlias, TypeVar

from doxeval.documents.batch import Batch, read_batch
from doxeval.documents.contents import Contents
from doxeval.documents.options import BuildOptions
from doxeval.documents.page_parts import SelectorUse
from doxeval.documents.plan import Shard, Sizes, batches
from doxeval.documents.raw import RawDocument
from doxeval.documents.sources import Tally
from doxeval.documents.writer import CollectionWriter
from doxeval.errors import DocumentError, DoxevalError

_Error = TypeVar("_Error", bound=DoxevalError)


class ReadBatch(NamedTuple):
    """A batch that has been read, and the bytes of the sources it accounts for."""

    weight: int
    batch: Batch


class BuiltShard(NamedTuple):
    """A shard that has been built.

    name: the name of its directory; None if it has no documents. weight: the bytes of the sources
    it accounts for. broken, selector_use, tally: as in the report of the whole build. unreadable:
    the files that could not even be opened where it was built.
    """

    name: str | None
    documents: int
    weight: int
    broken: list[DocumentError]
    selector_use: SelectorUse
    tally: Tally
    unreadable: tuple[str, ...] = ()


class ShardEnd(NamedTuple):
    """The end of a shard whose batches came one by one."""

    tally: Tally


# What a build is made of, in order.
Piece: TypeAlias = ReadBatch | BuiltShard | ShardEnd


@dataclass(frozen=True)
class Order:
    """What all shards of a build have in common.

    directory: where they are built. base: what stands before relative paths of sources where the
    working directory is another one; nothing that is stored or told has it.
    """

    options: BuildOptions
    sizes: Sizes
    directory: Path
    base: str = ""

    def there(self, path: str) -> str:
        """Where a file can be opened.

        >>> order = Order(BuildOptions(), Sizes(), Path("shards"), "/home/ann/./")
        >>> order.there("articles/a.xml"), order.there("/data/b.xml")
        ('/home/ann/./articles/a.xml', '/data/b.xml')
        """
        return path if os.path.isabs(path) else self.base + path

    def as_given(self, text: str) -> str:
        """A text that may name files, as if they had been opened by the paths that were given."""
        return text.replace(self.base, "") if self.base else text


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
    weight, broken, use, tally = 0, list[DocumentError](), SelectorUse(), Tally()
    with CollectionWriter(order.directory / name, id_rule=order.options.id_rule) as writer:
        for piece in _read_there(order, shard):
            if isinstance(piece, ShardEnd):
                tally = piece.tally
                continue
            weight += piece.weight
            broken += piece.batch.broken
            use += piece.batch.selector_use
            if piece.batch.ids:
                writer.append(piece.batch)
        if writer.documents:
            writer.finish({"options": order.options.recorded()})
    built = name if writer.documents else None
    return BuiltShard(built, writer.documents, weight, broken, use, tally)


def _read_there(order: Order, shard: Shard) -> Iterator[ReadBatch | ShardEnd]:
    """The batches of a shard and its end, with the paths of files as they were given."""
    files = tuple(file._replace(path=order.there(file.path)) for file in shard.files)
    try:
        for raw in raw_batches(order, replace(shard, files=files)):
            if isinstance(raw, ShardEnd):
                yield raw
            else:
                read = read_weighed(raw, order.options)
                yield read._replace(batch=_named_as_given(read.batch, order))
    except DoxevalError as error:
        raise _told_as_given(error, order) from None


def _named_as_given(batch: Batch, order: Order) -> Batch:
    if not order.base:
        return batch
    origins = [origin.removeprefix(order.base) for origin in batch.origins]
    broken = [_told_as_given(error, order) for error in batch.broken]
    return replace(batch, origins=origins, broken=broken)


def _told_as_given(error: _Error, order: Order) -> _Error:
    if order.base:
        error.args = tuple(_in_value(value, order) for value in error.args)
        for name, value in vars(error).items():
            setattr(error, name, _in_value(value, order))
    return error


def _in_value(value: object, order: Order) -> object:
    return order.as_given(value) if isinstance(value, str) else value
