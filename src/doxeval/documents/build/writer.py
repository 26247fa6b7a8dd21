"""Writing a collection: batch after batch, or one collection after another, complete at the end.

nodes.COLUMN.npy            the node table (see nodes.py)
documents.rows.npy          the first row of each document, and the number of all rows
documents.ids.txt           one id per line
documents.id_ends.npy       where each line ends
documents.origins.txt       the source of each document, one per line
documents.sha256.npy        the hash of each document's text, 32 bytes each
documents.index_*.npy       ids to document numbers (see ids.py)
documents.text_ends.npy     where each document's text ends, in all parts of the text
summary.parent.npy, summary.tag.npy, summary.tags.json     the path summary
summary.elements.npy        how many elements have each path
display.elements.npy, display.names.npy, display.values.npy    what display needs (see display.py)
display.texts.txt, display.text_ends.npy                       values that are texts, and their ends
text.bin, text.0001.bin, …  the texts in UTF-8, plain or one zstd frame each; large ones in parts
manifest.json               counts, statistics, the options of the build, the hashes of all files

The files of display are there only if some element has such a fact.
"""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from typing import Any, Literal

import numpy as np

from doxeval.arrays import Bytes, Ints
from doxeval.documents.build.batch import DocumentBatch
from doxeval.documents.build.options import MOST_ELEMENTS
from doxeval.documents.collection import Collection
from doxeval.documents.display import DisplayColumns, shift_lines
from doxeval.documents.ids import DuplicateId, IdIndexBuilder, IdRule, number_type
from doxeval.documents.layout import (
    COLLECTION,
    DISPLAY_TEXTS_FILE,
    DISPLAY_TYPES,
    IDS_FILE,
    ORIGINS_FILE,
    TAGS_FILE,
    CollectionFiles,
    text_part,
    text_parts,
)
from doxeval.documents.nodes import COLUMNS, SummaryBuilder
from doxeval.documents.statistics import StatisticsBuilder
from doxeval.documents.text import TextBytes
from doxeval.errors import DocumentError, InputError, output_errors
from doxeval.messages import Parameter, quoted
from doxeval.output import flush_to_disk
from doxeval.storage import StoreType, StoreWriter, close_on_disk

# How a part comes from another collection: that collection gives it away, or shares it.
Handover = Literal["moved", "shared"]
_ROWS = 1 << 20  # of another collection, copied at a time
_BLOCK = 1 << 22


class CollectionWriter(StoreWriter):
    """Writes batches of documents into a new collection.

    `describe_origin` says where a document comes from in messages about duplicate ids, given its
    number and its origin.
    """

    def __init__(
        self,
        out: Path,
        *,
        force: bool = False,
        id_rule: IdRule | None = None,
        describe_origin: Callable[[int, str], str] = lambda _, origin: origin,
        store_type: StoreType = COLLECTION,
    ) -> None:
        super().__init__(store_type, out, force=force)
        self._id_rule = id_rule
        self._describe_origin = describe_origin
        self._ids = IdIndexBuilder(self.scratch)
        self._summary = SummaryBuilder()
        self._statistics = StatisticsBuilder()
        self._rows = 0
        self._id_bytes = 0
        self.documents = 0
        self.source_bytes = 0

    def begin(self) -> None:
        """Open the columns and files that grow with every batch."""
        self._display: DisplayWriter | None = None
        columns = {
            **{f"nodes.{name}": np.int32 for name in COLUMNS},
            "documents.rows": np.int64,
            "documents.id_ends": np.int64,
            "documents.text_ends": np.int64,
            "documents.sha256": np.uint8,
        }
        self._columns = {name: self.column(name, dtype) for name, dtype in columns.items()}
        self._columns["documents.rows"].append([0])
        self._id_lines = self.file(IDS_FILE)
        self._origin_lines = self.file(ORIGINS_FILE)
        self._text = TextWriter(self)

    @property
    def shards(self) -> Path:
        """Where shards may be built until `finish`, in a directory that is yet to be made."""
        return self.scratch_directory / "shards"

    def append(self, batch: DocumentBatch) -> None:
        """Add a batch at the end."""
        table = batch.table
        with output_errors(self.out):
            self._append_ids(batch)
            if len(batch.facts.elements):
                self._facts.append(batch.facts, self._rows)
            path_here = self._summary.absorb(table.summary)
            self._statistics.add(table, path_here)
            path = path_here[table.columns.path]
            for name, values in table.columns._replace(path=path)._asdict().items():
                self._columns[f"nodes.{name}"].append(values)
            self._columns["documents.rows"].append(self._rows + np.cumsum(table.rows))
            self._count_rows(int(table.rows.sum()))
            ends = self._text.size + np.cumsum([len(text) for text in batch.texts])
            self._columns["documents.text_ends"].append(ends)
            self._text.write(b"".join(batch.texts))
            self._columns["documents.sha256"].append(np.frombuffer(batch.hashes, dtype=np.uint8))
        self.documents += len(batch.ids)
        self.source_bytes += batch.source_bytes

    @property
    def _facts(self) -> DisplayWriter:
        """The files of display, which are begun when there is a fact."""
        self._display = self._display or DisplayWriter(self)
        return self._display

    def _append_ids(self, batch: DocumentBatch) -> None:
        lines = [document_id.encode() + b"\n" for document_id in batch.ids]
        self._id_lines.write(b"".join(lines))
        ends = self._id_bytes + np.cumsum([len(line) for line in lines], dtype=np.int64)
        self._columns["documents.id_ends"].append(ends)
        self._id_bytes = int(ends[-1]) if len(ends) else self._id_bytes
        self._origin_lines.write(b"".join(_origin_line(origin) for origin in batch.origins))
        with self._report_duplicates():
            self._ids.add(batch.ids)

    def _count_rows(self, elements: int) -> None:
        self._rows += elements
        if self._rows > MOST_ELEMENTS:
            raise InputError(f"more than {MOST_ELEMENTS:,} elements in one collection")

    def absorb(self, other: Collection, handover: Handover, joined: int = 0) -> None:
        """Add all documents of another collection at the end.

        Parts of its text are moved or shared. Those that leave a part here within `joined` bytes
        are copied into it.
        """
        with output_errors(self.out):
            self._absorb_ids(other)
            if other.files.has_column("display.elements"):
                self._facts.absorb(other.files, self._rows)
            self._absorb_elements(other)
            self._absorb_text(other, handover, joined)
        self.documents += len(other)
        self.source_bytes += other.manifest["counts"]["source_bytes"]

    def _absorb_ids(self, other: Collection) -> None:
        ends, lines, index = other.id_columns
        self._append_shifted("documents.id_ends", ends, self._id_bytes)
        self._id_bytes += len(lines)
        for first in range(0, len(lines), _BLOCK):
            self._id_lines.write(lines[first : first + _BLOCK].data)
        with (other.directory / ORIGINS_FILE).open("rb") as origins:
            shutil.copyfileobj(origins, self._origin_lines, _BLOCK)
        with self._report_duplicates():
            self._ids.absorb(index)

    def _absorb_elements(self, other: Collection) -> None:
        path_here = self._summary.absorb(other.summary)
        self._statistics.add_elements(other.elements_by_path, path_here)
        self._statistics.totals += other.text_totals
        for name, values in other.nodes._asdict().items():
            for first in range(0, len(values), _ROWS):
                block = values[first : first + _ROWS]
                self._columns[f"nodes.{name}"].append(path_here[block] if name == "path" else block)
        self._append_shifted("documents.rows", other.rows[1:], self._rows)
        self._count_rows(len(other.nodes.path))

    def _absorb_text(self, other: Collection, handover: Handover, joined: int) -> None:
        ends = other.files.column("documents.text_ends")
        self._append_shifted("documents.text_ends", ends, self._text.size)
        hashes = other.files.column("documents.sha256")
        for first in range(0, len(hashes), _BLOCK):
            self._columns["documents.sha256"].append(hashes[first : first + _BLOCK])
        text, files = other.files.text(), other.manifest["files"]
        begin = 0
        for name in text_parts(files):
            size = files[name]["bytes"]
            if self._text.has_room(size, joined) or other.files.remote is not None:
                self._text.copy(text, begin, begin + size)
            else:
                self._text.take_part(other.directory / name, handover)
            begin += size

    def _append_shifted(self, name: str, values: Ints, offset: int) -> None:
        for first in range(0, len(values), _ROWS):
            self._columns[name].append(values[first : first + _ROWS] + offset)

    def end_part(self) -> None:
        """Put the texts that follow into another part."""
        self._text.end_part()

    def finish(self, facts: Mapping[str, Any]) -> None:
        """Complete the collection and put it in its place."""
        self._write_index()
        summary = self._summary.finish()
        self.whole_column("summary.parent", summary.parent_of)
        self.whole_column("summary.tag", summary.tag_of)
        elements = self._statistics.elements(len(summary))
        self.whole_column("summary.elements", elements)
        with output_errors(self.out):
            tags = json.dumps(summary.tags, ensure_ascii=False)
            self.file(TAGS_FILE).write(tags.encode())
        counts = {
            "documents": self.documents,
            "elements": self._rows,
            "paths": len(summary),
            "tags": len(summary.tags),
            "source_bytes": self.source_bytes,
            **({} if self._display is None else self._display.counts),
        }
        statistics = self._statistics.totals._asdict()
        super().finish({**facts, "counts": counts, "statistics": statistics})

    def _write_index(self) -> None:
        half = np.dtype(np.uint64)
        types = {"keys": half, "checks": half, "numbers": number_type(self.documents)}
        columns = {
            name: self.column(f"documents.index_{name}", dtype) for name, dtype in types.items()
        }
        with output_errors(self.out), self._report_duplicates():
            for block in self._ids.blocks():
                for name, values in block._asdict().items():
                    columns[name].append(values)

    @contextmanager
    def _report_duplicates(self) -> Iterator[None]:
        try:
            yield
        except DuplicateId as error:
            raise self._duplicate(error) from None

    def _duplicate(self, error: DuplicateId) -> DocumentError:
        self._id_lines.flush()
        self._origin_lines.flush()
        document_id = _read_line(self.directory / IDS_FILE, error.number)
        earlier, origin = (
            self._describe_origin(number, _read_line(self.directory / ORIGINS_FILE, number))
            for number in (error.earlier, error.number)
        )
        message = f"duplicate document id {quoted(document_id)}, first given to {earlier}"
        if self._id_rule is not None and self._id_rule.text == "stem":
            rule = Parameter("id_rule", "path")
            message += "; " + rule + " tells files of different directories apart"
        if self._id_rule is not None and self._id_rule.text == "path":
            message += "; to tell them apart, give a directory above both as the source"
        return DocumentError(message, origin)


def _origin_line(text: str) -> bytes:
    return text.replace("\n", "\\n").encode("utf-8", "surrogateescape") + b"\n"


def _read_line(path: Path, number: int) -> str:
    with path.open("rb") as lines:
        line = next(islice(lines, number, None))
    return line.decode(errors="surrogateescape").rstrip("\n")


class DisplayWriter:
    """Writes what display needs of elements, whose rows come after those before them."""

    def __init__(self, store: StoreWriter) -> None:
        self._columns = {
            name: store.column(f"display.{name}", dtype) for name, dtype in DISPLAY_TYPES.items()
        }
        self._texts = store.file(DISPLAY_TEXTS_FILE)
        self._size = 0
        self.counts = {"facts": 0, "fact_texts": 0}

    def append(self, facts: DisplayColumns, first_row: int) -> None:
        """Add the facts of a batch."""
        lines = [text.encode() + b"\n" for text in facts.texts]
        ends = np.cumsum([len(line) for line in lines], dtype=np.int64)
        self._append(facts.elements, facts.names, facts.values, first_row)
        self._append_texts(b"".join(lines), ends)

    def absorb(self, files: CollectionFiles, first_row: int) -> None:
        """Add the facts of another collection."""
        elements, names, values, text_ends = (
            files.column(f"display.{name}") for name in DISPLAY_TYPES
        )
        for first in range(0, len(elements), _ROWS):
            block = slice(first, first + _ROWS)
            self._append(elements[block], names[block], values[block], first_row)
        texts, begin = files.raw(DISPLAY_TEXTS_FILE), 0
        for first in range(0, len(text_ends), _ROWS):
            ends = text_ends[first : first + _ROWS]
            self._append_texts(texts[begin : int(ends[-1])].tobytes(), ends - begin)
            begin = int(ends[-1])

    def _append(self, elements: Ints, names: Bytes, values: Ints, first_row: int) -> None:
        self._columns["elements"].append(elements + first_row)
        self._columns["names"].append(names)
        self._columns["values"].append(shift_lines(names, values, self.counts["fact_texts"]))
        self.counts["facts"] += len(elements)

    def _append_texts(self, lines: bytes, ends: Ints) -> None:
        self._columns["text_ends"].append(ends + self._size)
        self._texts.write(lines)
        self._size += len(lines)
        self.counts["fact_texts"] += len(ends)


class TextWriter:
    """Writes texts into one part after another. Only the first part may be empty.

    `size` is how many bytes all parts have so far.
    """

    def __init__(self, store: StoreWriter) -> None:
        self._store = store
        self._number = 0
        self._begin = 0  # of this part
        self._is_ended = False
        self._file = store.file(text_part(0))
        self.size = 0

    def write(self, data: bytes) -> None:
        """Add bytes at the end."""
        if data and self._is_ended:
            self._next()
            self._file = self._store.file(text_part(self._number))
        self._file.write(data)
        self.size += len(data)

    def end_part(self) -> None:
        """Put what follows into another part."""
        self._is_ended = self._part_size > 0

    def take_part(self, path: Path, handover: Handover) -> None:
        """Add a file as a part of its own, without copying it if the file system allows that."""
        size = path.stat().st_size
        if not size:
            return
        if self._part_size:
            self._next()
        target = self._store.directory / text_part(self._number)
        self._file.close()
        target.unlink(missing_ok=True)
        _hand_over(path, target, handover)
        self.size += size
        self._is_ended = True

    def has_room(self, size: int, limit: int) -> bool:
        """Return whether a part with `size` more bytes would be within `limit`."""
        return (0 if self._is_ended else self._part_size) + size <= limit

    def copy(self, text: TextBytes, begin: int, end: int) -> None:
        """Add bytes of another collection's text."""
        for first in range(begin, end, _BLOCK):
            self.write(text.read(first, min(first + _BLOCK, end)))

    @property
    def _part_size(self) -> int:
        return self.size - self._begin

    def _next(self) -> None:
        close_on_disk(self._file)  # there may be more parts than a process may have open files
        self._number += 1
        self._begin = self.size
        self._is_ended = False


def _hand_over(path: Path, target: Path, handover: Handover) -> None:
    """Rename or link a file, or copy it where the system refuses that."""
    try:
        if handover == "moved":
            path.rename(target)
        else:
            os.link(path, target)
    except OSError:  # another file system, one without links, or a file of somebody else
        target.unlink(missing_ok=True)
        with path.open("rb") as source, target.open("wb") as copy:
            shutil.copyfileobj(source, copy, _BLOCK)
            flush_to_disk(copy)
