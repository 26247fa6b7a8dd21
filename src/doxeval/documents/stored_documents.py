"""The documents of a collection that is open for reading: their ids and their texts.

What stands in the documents, their elements, is in collection.py.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np

from doxeval.arrays import Bytes, Ints, positions_in
from doxeval.documents.collection_files import CollectionFiles, opened_files
from doxeval.documents.id_index import IdIndex
from doxeval.documents.ids import normalised_id
from doxeval.documents.layout import HASH_BYTES, IDS_FILE
from doxeval.documents.nodes import COLUMNS, NodeColumns
from doxeval.documents.text import TextStore
from doxeval.errors import UnknownReference
from doxeval.messages import plural, quoted
from doxeval.named import checked
from doxeval.storage import absolute, guarded, is_url, name_of

if TYPE_CHECKING:
    from doxeval.documents.options import Whitespace

_TEXTS_KEPT = 16


class StoredDocuments:
    """Documents in a directory or at a URL, in the order in which they were built.

    >>> from doxeval.documents.examples import example_collection
    >>> stored = StoredDocuments(example_collection({"a": "<p>One.</p>"}).location)
    >>> list(stored.ids()), stored.text_of(0)
    (['a'], 'One.')
    """

    @checked
    def __init__(self, location: str | os.PathLike[str]) -> None:
        self._hold(location, opened_files(location))

    def _hold(self, location: str | os.PathLike[str], files: CollectionFiles) -> None:
        # What the user calls it, and where its columns are: for a URL, in the cache.
        self.location = os.fsdecode(location) if is_url(location) else str(files.directory)
        self.directory = files.directory
        self.files = files
        self.manifest: dict[str, Any] = self.files.manifest
        column = self.files.column
        self.nodes = NodeColumns(*(column(f"nodes.{name}") for name in COLUMNS))
        # The first row of each document, and the number of all rows.
        self.rows: Ints = column("documents.rows")
        self.whitespace: Whitespace = self.manifest["options"]["whitespace"]
        self.inline_tags = frozenset(self.manifest["options"]["inline"])

    def __len__(self) -> int:
        """The number of documents."""
        return len(self.rows) - 1

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.location!r}): {plural(len(self), 'document')}"

    @property
    def address(self) -> str:
        """Where it can be opened again, from any working directory: a whole path, or a URL."""
        return absolute(self.directory if self.files.remote is None else self.location)

    @property
    def name(self) -> str:
        """The last part of its location.

        >>> from doxeval.documents.examples import example_collection
        >>> example_collection({"a": "<p>One.</p>"}).name
        'collection'
        """
        return name_of(self.location)

    @property
    def seal(self) -> str:
        """The checksum of its manifest, which contains the checksums of all its files."""
        return str(self.manifest["checksum"])

    def __eq__(self, other: object) -> bool:
        return self.seal == other.seal if isinstance(other, StoredDocuments) else NotImplemented

    def __hash__(self) -> int:
        return hash(self.seal)

    def refuse_damage(self) -> None:
        """Raise an error about the first damaged file, if opening did not verify them all."""
        self.files.refuse_damage()

    @cached_property
    def id_columns(self) -> tuple[Ints, Bytes, IdIndex]:
        """Where each id ends, the ids with a newline after each, and the index of ids."""
        column = self.files.column
        index = IdIndex(*(column(f"documents.index_{name}") for name in IdIndex._fields))
        return column("documents.id_ends"), self.files.raw(IDS_FILE), index

    @cached_property
    def _read_text(self) -> Callable[[int], str]:
        """A function that reads the text of a document, with a cache of the last few."""
        store = TextStore(
            self.location,
            self.files.text(),
            self.files.column("documents.text_ends"),
            self.files.column("documents.sha256").reshape(-1, HASH_BYTES),
            self.manifest["options"]["text"],
        )
        lengths, rows = self.nodes.end, self.rows
        # The cache keeps only the store and two columns alive.
        return lru_cache(_TEXTS_KEPT)(
            lambda document: store.read(document, int(lengths[rows[document]]))
        )

    @guarded
    def text_of(self, document: int) -> str:
        """The text of a document."""
        return self._read_text(document)

    @guarded
    def find_documents(self, ids: Sequence[str]) -> Ints:
        """The numbers of documents, -1 for an unknown id.

        Ids are compared without white space around them, a leading `./` and a final `.xml`.
        """
        distinct = {reference: index for index, reference in enumerate(dict.fromkeys(ids))}
        _, _, index = self.id_columns
        numbers = index.find([normalised_id(reference) for reference in distinct])
        if not ((numbers >= -1) & (numbers < len(self))).all():
            raise self.files.damaged("documents.index_numbers.npy", "there is no such document")
        return numbers[np.fromiter((distinct[reference] for reference in ids), np.int64, len(ids))]

    def document(self, document_id: str) -> int:
        """The number of one document; an unknown id is an error."""
        number = int(self.find_documents([document_id])[0])
        if number < 0:
            raise UnknownReference(f"no document {quoted(document_id)} in {self.location}")
        return number

    @guarded
    def id_of(self, document: int) -> str:
        """The id of a document."""
        ends, lines, _ = self.id_columns
        begin = int(ends[document - 1]) if document else 0
        return lines[begin : int(ends[document]) - 1].tobytes().decode()

    def ids(self) -> Iterator[str]:
        """All ids, in the order of the documents."""
        return (self.id_of(document) for document in range(len(self)))

    def characters_at(self, document: int, positions: Ints) -> Ints:
        """Offsets in characters for offsets in bytes of UTF-8; -1 inside a character.

        >>> from doxeval.documents.examples import example_collection
        >>> example_collection({"a": "<p>é!</p>"}).characters_at(0, np.array([0, 1, 2])).tolist()
        [0, -1, 1]
        """
        text = np.frombuffer(self.text_of(document).encode(), dtype=np.uint8)
        begins = np.append(np.flatnonzero((text & 0xC0) != 0x80), len(text))
        return positions_in(begins, positions)
